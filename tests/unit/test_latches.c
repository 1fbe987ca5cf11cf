/* What lets go (docs/theory/laws.md, (L22) to (L25)): joints that break, contacts that bear a pull, joints with
 * preload, against statics, free fall and quadratures of their own. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/trial.h"

static const char *const schemes[] = {"moreau",
                                      "symmetric_moreau",
                                      "variational_moreau",
                                      "theta",
                                      "nsga",
                                      "rattle",
                                      "lobatto",
                                      "generalized_alpha",
                                      "rattle, events: locate",
                                      "lobatto, events: locate"};
enum { SCHEMES = sizeof schemes / sizeof *schemes, LOCATED = SCHEMES - 2 };

/* The times of the events of a kind, at most so many; returns how many there were. */
static int times_of(trial *run, carom_event_kind kind, double *time, int most) {
    int found = 0;
    while (!carom_sim_done(run->sim)) {
        int count;
        trial_step(run);
        const carom_event *event = carom_sim_events(run->sim, &count);
        for (int i = 0; i < count; i++)
            if (event[i].kind == kind && found++ < most) time[found - 1] = event[i].time;
    }
    return found;
}

/* ---------------------------------------------------------------- joints that break */

/* A pendulum released from the horizontal: its rod bears 3 m g sin(phi), and breaks at sin(phi) = 2/3. */
#define PENDULUM                                                                                                       \
    "carom: 1\nmodel:\n  gravity: [0, -10, 0]\n  bodies: {bob: {type: point, mass: 2, position: [1, 0]}}\n"            \
    "  joints: {rod: {type: distance, bodies: [world, bob], breaks: {force: 40}}}\n"                                   \
    "run: {integrator: %s, dt: %.17g, until: 0.8, tolerance: 1e-13}\n"

/* Time of the fall to an angle, by phi_dot^2 = 2 g sin(phi): Simpson's rule over the root of phi. */
static double time_of_fall(double angle) {
    enum { PARTS = 4000 };
    double sum = 0;
    for (int i = 0; i <= PARTS; i++) {
        const double x = sqrt(angle) * i / PARTS, f = i ? 2 * x / sqrt(20 * sin(x * x)) : 2 / sqrt(20);
        sum += (i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2) * f;
    }
    return sum * sqrt(angle) / PARTS / 3;
}

/* Where the bob is at the end: it leaves the circle, and falls freely. */
static void thrown(double until, double x[2]) {
    const double angle = asin(2. / 3), v = sqrt(20 * sin(angle)), t = until - time_of_fall(angle);
    x[0] = cos(angle) - v * sin(angle) * t;
    x[1] = -sin(angle) - v * cos(angle) * t - 5 * t * t;
}

static double miss(trial *run, const double x[2]) {
    return hypot(trial_value(run, "bob.x") - x[0], trial_value(run, "bob.y") - x[1]);
}

/* Located, the order of the scheme is kept across the break: 2s-2. */
static void pendulum_breaks_in_order(void **state) {
    double x[2], fall = time_of_fall(asin(2. / 3));
    thrown(0.8, x);
    (void)state;
    for (int stages = 2; stages <= 3; stages++) {
        double h[4], error[4];
        for (int i = 0; i < 4; i++) {
            char scheme[60];
            double time;
            snprintf(scheme, sizeof scheme, "lobatto, stages: %d, events: locate", stages);
            h[i] = 0.8 / (10 << i);
            trial run = trial_text(PENDULUM, scheme, h[i]);
            assert_int_equal(times_of(&run, CAROM_FRACTURE, &time, 1), 1);
            if (stages == 3 && i == 3) assert_near(time, fall, 1e-7);
            error[i] = miss(&run, x);
            assert_near(trial_value(&run, "rod.holds"), 0, 0);
            trial_close(&run);
        }
        assert_at_least(observed_order(4, h, error), 2 * stages - 2 - 0.3);
        assert_at_most(error[3], stages == 3 ? 1e-7 : 1e-3);
    }
}

/* Captured, it breaks at the end of the first step whose mean load is too large, and schemes of order one are late by
 * steps themselves: four at most. The error goes down with the step. */
static void pendulum_breaks_captured(void **state) {
    const double fall = time_of_fall(asin(2. / 3)), dt = 0.8 / 512;
    double x[2];
    thrown(0.8, x);
    (void)state;
    for (int i = 0; i < LOCATED; i++) {
        double time, error[2];
        for (int fine = 0; fine < 2; fine++) {
            trial run = trial_text(PENDULUM, schemes[i], dt / (fine ? 8 : 1));
            assert_int_equal(times_of(&run, CAROM_FRACTURE, &time, 1), 1);
            error[fine] = miss(&run, x);
            trial_close(&run);
        }
        assert_true(time > fall - dt / 8 && time < fall + 4 * dt / 8);
        assert_at_most(error[1], error[0] / 2);
    }
}

/* A ramp of 10 N/s. Weld of a rod that carries it at 0.5 m: force 20 + 10 t, torque 0.5 (20 + 10 t). */
#define WELD                                                                                                           \
    "carom: 1\nmodel:\n  gravity: [0, -10, 0]\n  bodies: {rod: {type: %s, mass: 2, inertia: %s, position: %s}}\n"      \
    "  loads: {ramp: {body: rod, force: %s}}\n"                                                                        \
    "  joints: {weld: {type: fixed, bodies: [world, rod], at: %s, breaks: {%s}}}\n"                                    \
    "run: {integrator: %s, dt: 0.07, until: 4}\n"

static void weld_breaks_at_its_load(void **state) {
    const struct {
        const char *limit;
        double time;
    } cases[] = {{"force: 50", 3}, {"torque: 22.5", 2.5}, {"force: 50, torque: 40", 3}, {"impulse: 1e-3", INFINITY}};
    const char *const bodies[2][5] = {{"planar", "0.1", "[0.5, 0]", "[0, -10*t]", "[0, 0]"},
                                      {"spatial", "[0.1, 0.2, 0.3]", "[0.3, 0, 0.4]", "[0, -10*t, 0]", "[0, 0, 0]"}};
    (void)state;
    for (int b = 0; b < 2; b++)
        for (int c = 0; c < 4; c++)
            for (int i = 0; i < SCHEMES; i++) {
                double time = INFINITY;
                const char *const *of = bodies[b];
                trial run = trial_text(WELD, of[0], of[1], of[2], of[3], of[4], cases[c].limit, schemes[i]);
                assert_int_equal(times_of(&run, CAROM_FRACTURE, &time, 1), isfinite(cases[c].time));
                if (i >= LOCATED && isfinite(time)) assert_near(time, cases[c].time, 1e-9);
                else if (isfinite(time)) assert_true(time > cases[c].time && time < cases[c].time + 2.1 * 0.07);
                trial_close(&run);
            }
}

/* Two rods hold a mass, one of them steep. When the flat one breaks, the other takes m g cos(60 degrees) alone: it
 * breaks at the same instant, or not. */
static void others_break_with_it(void **state) {
    static const char scene[] =
        "carom: 1\nmodel:\n  gravity: [0, -10, 0]\n  bodies: {m: {type: point, mass: 2, position: [0, 0]}}\n"
        "  loads: {ramp: {body: m, force: [0, -10*t]}}\n"
        "  joints:\n    a: {type: distance, bodies: [world, m], points: [[-1, 0], [0, 0]], breaks: {force: 10}}\n"
        "    b: {type: distance, bodies: [world, m], points: [[1, %.17g], [0, 0]], breaks: {force: %g}}\n"
        "run: {integrator: lobatto, events: locate, dt: 0.03, until: 1.2}\n";
    /* b carries (20 + 10 t)/sin, a that times the cosine; 45 degrees: a bears 20 + 10 t >= 10 never: it breaks at 0 */
    (void)state;
    for (int i = 0; i < 2; i++) {
        double time[2];
        trial run = trial_text(scene, 1., i ? 14. : 100.);
        assert_int_equal(times_of(&run, CAROM_FRACTURE, time, 2), 1 + i);
        for (int k = 0; k <= i; k++) assert_near(time[k], 0, 0);
        trial_close(&run);
    }
}

/* A dumbbell lands on its lower mass: its rod takes the percussion m v of the upper one, sqrt(20) N s. */
static void impacts_break_by_impulse(void **state) {
    static const char scene[] =
        "carom: 1\nmodel:\n  gravity: [0, -10, 0]\n"
        "  bodies:\n    low: {type: point, mass: 3, position: [0, 1]}\n    up: {type: point, mass: 1, position: [0, "
        "2]}\n"
        "  joints: {rod: {type: distance, bodies: [low, up], breaks: {%s}}}\n"
        "  contacts: {floor: {between: [{body: low, point: [0, 0]}, {body: world, plane: [0, 1, 0]}]}}\n"
        "run: {integrator: %s, dt: 1e-3, until: 0.7}\n";
    static const struct {
        const char *limit;
        bool breaks;
    } cases[] = {
        {"impulse: 4.4", true}, {"impulse: 4.6", false}, {"force: 1000", false}, {"force: 1000, impulse: 3", true}};
    (void)state;
    for (int c = 0; c < 4; c++)
        for (int i = 0; i < SCHEMES; i++) {
            double time;
            trial run = trial_text(scene, cases[c].limit, schemes[i]);
            assert_int_equal(times_of(&run, CAROM_FRACTURE, &time, 1), cases[c].breaks);
            if (cases[c].breaks) assert_near(time, sqrt(0.2), i >= LOCATED ? 1e-8 : 3e-3);
            trial_close(&run);
        }
}

/* ---------------------------------------------------------------- contacts that bear a pull */

#define BLOCK                                                                                                          \
    "carom: 1\nmodel:\n  gravity: [0, 0, %g]\n  bodies: {b: {type: point, mass: 2, position: [0, 0, %g], velocity: "   \
    "[0, 0, %g]}}\n  loads: {pull: {body: b, force: [%s, 0, %s]}}\n"                                                   \
    "  contacts: {c: {between: [{body: b, point: [0, 0, 0]}, {body: world, plane: [0, 0, 1]}], adhesion: %g, "         \
    "friction: 0.5}}\nrun: {integrator: %s, dt: %g, until: %g}\n"

/* 50 t against m g + F = 20 + 30: it lifts off at t = 1, and then rises by (50 t - 20)/2. */
static void pull_lifts_off(void **state) {
    (void)state;
    for (int i = 0; i < SCHEMES; i++) {
        const double dt = i >= LOCATED ? 0.03 : 1e-3;
        trial run = trial_text(BLOCK, -10., 0., 0., "0", "50*t", 30., schemes[i], dt, 1.2);
        while (carom_sim_time(run.sim) < 0.9 - dt / 2) trial_step(&run);
        const double t = carom_sim_time(run.sim) - dt / 2; /* the pull is linear: its mean over the step */
        assert_near(trial_value(&run, "c.PN"), (20 - 50 * t) * dt, 50 * dt * dt);
        assert_near(trial_value(&run, "b.z"), 0, 1e-12);
        double time;
        const int opened = times_of(&run, CAROM_OPENING, &time, 1);
        if (i >= LOCATED) assert_true(opened == 1), assert_near(time, 1, 1e-9);
        const double tau = carom_sim_time(run.sim) - 1, z = 7.5 * tau * tau + 25. / 6 * tau * tau * tau;
        const double second = 25 * dt * dt * tau / 6; /* what order 2 leaves of a force that grows by 25 m/s^3 */
        assert_near(trial_value(&run, "b.z"), z, i > LOCATED ? 1e-9 : i == LOCATED ? second : 15 * tau * 3 * dt);
        trial_close(&run);
    }
}

/* Thrown against a ceiling at 1 m/s: it stays there if the pull that it bears exceeds its weight, and falls else. */
static void ceiling_holds(void **state) {
    (void)state;
    for (int i = 0; i < SCHEMES; i++)
        for (int strong = 0; strong < 2; strong++) {
            /* gravity pulls away from the surface: 28 N and 32 N against 30 N */
            const double dt = 1e-3, g = strong ? 14 : 16, v = sqrt(1 - 2 * g * 0.02), tau = 0.2 - (1 - v) / g;
            trial run = trial_text(BLOCK, g, 0.02, -1., "0", "0", 30., schemes[i], dt, 0.2);
            trial_finish(&run);
            const double late = strong ? v * dt : 3 * dt * g * tau; /* captured: a step deep, or three steps late */
            assert_near(trial_value(&run, "b.z"), strong ? 0 : g / 2 * tau * tau, i >= LOCATED ? 1e-8 : late);
            if (strong) assert_near(trial_value(&run, "c.PN"), -28 * dt, 1e-9);
            trial_close(&run);
        }
}

/* Friction has the radius mu (m g + F) = 25 N: a push of 10 t makes it slide at t = 2.5. */
static void friction_counts_the_pull(void **state) {
    (void)state;
    for (int i = 0; i < SCHEMES; i++) {
        trial run = trial_text(BLOCK, -10., 0., 0., "10*t", "0", 30., schemes[i], 0.01, 2.6);
        double time;
        const int slides = times_of(&run, CAROM_BREAK, &time, 1);
        if (i >= LOCATED) assert_true(slides == 1), assert_near(time, 2.5, 1e-9);
        const double second = 5 * 1e-4 * 0.1 / 6; /* what order 2 leaves of a force that grows by 5 m/s^3 */
        assert_near(trial_value(&run, "b.x"), 5. / 6 * 1e-3, i > LOCATED ? 1e-10 : i == LOCATED ? second : 2e-4);
        assert_near(fabs(trial_value(&run, "c.PF1")), 0.5 * (trial_value(&run, "c.PN") + 30 * 0.01), 1e-9);
        trial_close(&run);
    }
}

/* A ball that bounces on glue loses no more than without: the pull acts while it rests, and does no work. */
static void energy_never_grows(void **state) {
    (void)state;
    for (int i = 0; i < SCHEMES; i++) {
        trial run =
            trial_text("carom: 1\nmodel:\n  gravity: [0, -10, 0]\n  bodies: {b: {type: point, mass: 1, position: "
                       "[0, 0.3]}}\n  loads: {shake: {body: b, force: [0, 40*sin(9*t)]}}\n  contacts: {c: {between: "
                       "[{body: b, point: [0, 0]}, {body: world, plane: [0, 1, 0]}], adhesion: 12, restitution: "
                       "0.4}}\nrun: {integrator: %s, dt: 2e-3, until: 6}\n",
                       schemes[i]);
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            assert_at_least(trial_value(&run, "c.PN"), -12 * 2e-3 - 1e-12);
            assert_at_least(trial_value(&run, "c.loss"), i >= LOCATED ? -1e-9 : -2e-3);
        }
        trial_close(&run);
    }
}

/* A ball falls from 0.05 m onto glue that bears F = 30 N and hops there with e: hops of 2 e^n v/g, v = 1 m/s, end at
 * t = 0.1 + (v/g) 2 e/(1 - e). Glue does nothing on the way. A pull of 50 (t - end) lifts it off where it reaches m g +
 * F = 50 N, one second later. Hops that are left out last 1e-5 dt, (V9), or are no higher than what counts as
 * closed, (V40), 1e-10 dt: 2 sqrt(2 1e-10 dt/g) = 3e-7 s. All of them together last 1/(1 - e) times as long. */
static void hops_on_glue_end(void **state) {
    static const char scene[] =
        "carom: 1\nmodel:\n  gravity: [0, 0, -10]\n  bodies: {b: {type: point, mass: 2, position: [0, 0, 0.05]}}\n"
        "  loads: {pull: {body: b, force: [0, 0, \"50*max(0, t - %.17g)\"]}}\n"
        "  contacts: {c: {between: [{body: b, point: [0, 0, 0]}, {body: world, plane: [0, 0, 1]}], adhesion: 30, "
        "restitution: %g, impact: %s}}\nrun: {integrator: %s, dt: 1e-3, until: %.17g}\n";
    static const double restitution[] = {0.2, 0.5, 0.9};
    static const char *const law[] = {"newton", "poisson", "energetic"};
    (void)state;
    for (int i = LOCATED; i < SCHEMES; i++)
        for (int n = 0; n < 3; n++) {
            const double e = restitution[n], end = 0.1 + 0.2 * e / (1 - e), left_out = 4e-7 / (1 - e);
            double opening[200], last = 0;
            trial run = trial_text(scene, end, e, law[n], schemes[i], end + 1.1);
            while (carom_sim_time(run.sim) < end + 0.9) {
                int count;
                trial_step(&run);
                const carom_event *event = carom_sim_events(run.sim, &count);
                for (int k = 0; k < count; k++) last = event[k].kind == CAROM_STRIKE ? event[k].time : last;
            }
            assert_near(last, end, left_out);
            assert_near(trial_value(&run, "c.PN"), (20 - 50 * (carom_sim_time(run.sim) - end - 5e-4)) * 1e-3, 1e-9);
            assert_int_equal(times_of(&run, CAROM_OPENING, opening, 200), 1);
            assert_near(opening[0], end + 1, 1e-9);
            assert_int_equal(carom_sim_captured(run.sim), 0);
            trial_close(&run);
        }
}

/* ---------------------------------------------------------------- preload */

/* mu r (m g + F) = 0.1 0.05 (20 + 60) = 0.4 N m: 3 rad/s end after 3.75 s and 5.625 rad. */
static void preload_stops_a_journal(void **state) {
    (void)state;
    for (int i = 0; i < SCHEMES; i++) {
        const double dt = 0.025;
        trial run =
            trial_text("carom: 1\nmodel:\n  gravity: [0, -10, 0]\n  bodies: {w: {type: planar, mass: 2, inertia: "
                       "0.5, position: [0, 0], angular_velocity: 3}}\n  joints: {j: {type: revolute, bodies: "
                       "[world, w], at: [0, 0], friction: 0.1, radius: 0.05, preload: 60}}\nrun: {integrator: "
                       "%s, dt: %g, until: 4, tolerance: 1e-12}\n",
                       schemes[i], dt);
        trial_finish(&run);
        assert_near(trial_value(&run, "w.phi"), 5.625, i >= LOCATED ? 1e-9 : 3 * dt / 2 + 1e-9);
        assert_near(trial_value(&run, "w.phi_dot"), 0, 1e-10);
        assert_near(trial_value(&run, "j_preload.P"), 60 * dt, 1e-9);
        trial_close(&run);
    }
}

/* Preload alone, that grows with time, on a guide without weight: 2 kg, 3 m/s, mu (10 + 8 t): m v = mu (10 t + 4 t^2).
 */
static void preload_stops_a_guide(void **state) {
    const double end = (-10 + sqrt(100 + 16 * 6 / 0.2)) / 8; /* 6 = 0.2 (10 t + 4 t^2) */
    (void)state;
    trial run =
        trial_text("carom: 1\nmodel:\n  bodies: {s: {type: spatial, mass: 2, inertia: [1, 1, 1], velocity: [3, 0, "
                   "0]}}\n  joints: {j: {type: prismatic, bodies: [world, s], at: [0, 0, 0], axis: [1, 0, 0], "
                   "friction: 0.2, preload: 10 + 8*t}}\nrun: {integrator: lobatto, events: locate, dt: 0.1, until: "
                   "3, tolerance: 1e-12}\n");
    double time;
    assert_int_equal(times_of(&run, CAROM_STOP, &time, 1), 1);
    assert_near(time, end, 1e-9);
    trial_close(&run);
}

/* ---------------------------------------------------------------- bits, and what is refused */

static void resumes_with_the_same_bits(void **state) {
    (void)state;
    for (int i = 0; i < SCHEMES; i++) {
        const double dt = 0.8 / 640;
        trial_resumes(trial_text(PENDULUM, schemes[i], dt), trial_text(PENDULUM, schemes[i], dt));
        trial_resumes(trial_text(BLOCK, -10., 0., 0., "0", "50*t", 30., schemes[i], 2e-3, 1.2),
                      trial_text(BLOCK, -10., 0., 0., "0", "50*t", 30., schemes[i], 2e-3, 1.2));
    }
}

static void starts_again_whole(void **state) {
    carom_error error;
    (void)state;
    trial run = trial_text(PENDULUM, "lobatto, events: locate", 0.02);
    trial_finish(&run);
    const double x = trial_value(&run, "bob.x");
    assert_true(carom_sim_broken(run.sim, 0, NULL));
    assert_int_equal(carom_sim_restart(run.sim, &error), CAROM_OK);
    assert_false(carom_sim_broken(run.sim, 0, NULL));
    trial_finish(&run);
    assert_near(trial_value(&run, "bob.x"), x, 0);
    trial_close(&run);
}

static void refuses_what_it_cannot(void **state) {
#define ARM(joint)                                                                                                     \
    "carom: 1\nmodel:\n  bodies: {a: {type: planar, mass: 1, inertia: 1, position: [1, 0]}}\n  joints: {j: {bodies: "  \
    "[world, a], " joint "}}\nrun: {integrator: lobatto, dt: 0.1, until: 1}\n"
    (void)state;
    trial_refused("would outlive it", NULL, ARM("type: revolute, at: [0, 0], spring: 3, breaks: {force: 5}"));
    trial_refused("must be positive", NULL, ARM("type: revolute, at: [0, 0], breaks: {force: -5}"));
    trial_refused("give one", NULL, ARM("type: revolute, at: [0, 0], breaks: {}"));
    trial_refused("carries no torque", NULL, ARM("type: revolute, at: [0, 0], breaks: {torque: 5}"));
    trial_refused("preload but no friction", NULL, ARM("type: revolute, at: [0, 0], preload: 5"));
    trial_refused("adhesion is the force", NULL, BLOCK, -10., 0., 0., "0", "0", -3., "lobatto", 0.1, 1.);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_breaks_in_order),
        cmocka_unit_test(pendulum_breaks_captured),
        cmocka_unit_test(weld_breaks_at_its_load),
        cmocka_unit_test(others_break_with_it),
        cmocka_unit_test(impacts_break_by_impulse),
        cmocka_unit_test(pull_lifts_off),
        cmocka_unit_test(ceiling_holds),
        cmocka_unit_test(friction_counts_the_pull),
        cmocka_unit_test(energy_never_grows),
        cmocka_unit_test(hops_on_glue_end),
        cmocka_unit_test(preload_stops_a_journal),
        cmocka_unit_test(preload_stops_a_guide),
        cmocka_unit_test(resumes_with_the_same_bits),
        cmocka_unit_test(starts_again_whole),
        cmocka_unit_test(refuses_what_it_cannot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
