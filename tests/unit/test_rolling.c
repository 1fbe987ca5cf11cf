/* Rolling and drilling resistance (docs/theory/laws.md, (L18), (L19)): balls that roll to a stop, stand on slopes, spin
 * down and bounce, against closed forms and a differential equation of their own. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "carom/model.h"
#include "support/rk4.h"
#include "support/trial.h"

static const char *const schemes[] = {
    "moreau",  "symmetric_moreau",  "variational_moreau",     "theta", "nsga", "rattle",
    "lobatto", "generalized_alpha", "lobatto, events: locate"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

/* A ball of radius 1 m, 2 kg and 0.8 kg m^2. A torque of c m g stops it: it feels the mass m + I/R^2 = 2.8 kg. */
#define BALL(contact)                                                                                                  \
    "carom: 1\nmodel:\n  gravity: [%g, %g, -10]\n"                                                                     \
    "  bodies: {ball: {type: spatial, mass: 2, inertia: [0.8, 0.8, 0.8], position: [0, 0, 1], velocity: [%g, 0, 0], "  \
    "angular_velocity: [0, %g, 0], shape: {sphere: 1}}}\n"                                                             \
    "  contacts: {floor: {between: [ball, {body: world, plane: [0, 0, 1]}], friction: 0.3, " contact "}}\n"            \
    "run: {integrator: %s, dt: %g, until: %g, tolerance: 1e-12}\n"
static const double weight = 20, felt = 2.8, lever = 0.05;
static const char rolling[] = BALL("rolling: 0.05");

static double stopped_at(trial *run) {
    double time = NAN;
    while (!carom_sim_done(run->sim)) {
        int count;
        trial_step(run);
        const carom_event *event = carom_sim_events(run->sim, &count);
        for (int i = 0; i < count; i++) {
            assert_true(event[i].kind == CAROM_STOP && isnan(time));
            time = event[i].time;
        }
    }
    return time;
}

/* It stops after v^2/2a. Located, the slip c omega is zero up to ten times the tolerance, and falls at c a. Captured,
 * the last step is not known, nor, for moreau, half a step at the velocity of the start. */
static void stops_after_the_exact_distance(void **state) {
    const double a = lever * weight / felt, way = 4 / (2 * a);
    (void)state;
    for (int i = 0; i < SCHEMES; i++) {
        const bool located = i == SCHEMES - 1;
        trial run = trial_text(rolling, 0., 0., 2., 2., schemes[i], 1e-2, 7.);
        const double time = stopped_at(&run);
        if (located) assert_near(time, 2 / a, 2e-6 * 1e-2);
        assert_near(carom_sim_q(run.sim)[0], way, located ? 1e-10 : 1e-2 + 1e-10);
        assert_near(carom_sim_u(run.sim)[0], 0, 1e-10);
        assert_true(trial_value(&run, "floor_rolling.state") == CAROM_STICK);
        trial_close(&run);
    }
}

/* On a slope it stands up to tan = c/R and rolls above, with the force that is left. */
static void stands_on_slopes(void **state) {
    (void)state;
    for (int i = 0; i < SCHEMES; i++) {
        trial run = trial_text(rolling, 0.499, 0., 0., 0., schemes[i], 1e-2, 5.);
        trial_finish(&run);
        assert_near(carom_sim_q(run.sim)[0], 0, 1e-12);
        assert_near(trial_value(&run, "floor_rolling.slip2"), 0, 1e-12);
        trial_close(&run);
        run = trial_text(rolling, 0.501, 0., 0., 0., schemes[i], 1e-2, 2.);
        trial_finish(&run);
        const double a = (2 * 0.501 - lever * weight) / felt; /* captured, half a step more or less of it */
        assert_near(carom_sim_u(run.sim)[0], 2 * a, i < SCHEMES - 1 ? a * 1e-2 : 1e-9);
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- rolling that turns */

/* Down a slope, thrown across it: felt v_dot = m g_t - c m g v/|v|. Slip is held by friction, rolling slides. */
static void thrown_across(double t, const double *y, double *rate) {
    const double speed = hypot(y[2], y[3]);
    (void)t;
    rate[0] = y[2], rate[1] = y[3];
    rate[2] = -lever * weight * y[2] / speed / felt, rate[3] = (2 * 0.8 - lever * weight * y[3] / speed) / felt;
}

static double thrown_error(const char *scheme, double dt, const double *exact) {
    trial run = trial_text(rolling, 0., 0.8, 1., 1., scheme, dt, 1.2);
    trial_finish(&run);
    const double *q = carom_sim_q(run.sim), *u = carom_sim_u(run.sim);
    const double error = hypot(hypot(q[0] - exact[0], q[1] - exact[1]), hypot(u[0] - exact[2], u[1] - exact[3]));
    trial_close(&run);
    return error;
}

/* First order misses the acceleration of 1 m/s^2 times dt in velocities and, in 1.2 s, in positions. */
static void rolling_that_turns(void **state) {
    double exact[4] = {0, 0, 1, 0};
    (void)state;
    rk4_run(thrown_across, 4, 1.2, 20000, exact);
    for (int i = 0; i < SCHEMES; i++) assert_at_most(thrown_error(schemes[i], 1e-3, exact), 2 * 1e-3);
    const double coarse = thrown_error("lobatto, stages: 3, events: locate", 0.1, exact),
                 fine = thrown_error("lobatto, stages: 3, events: locate", 0.05, exact);
    printf("lobatto: %.2e, %.2e, order %.2f\n", coarse, fine, log2(coarse / fine));
    assert_at_least(log2(coarse / fine), 3.7);
    assert_at_most(thrown_error("lobatto, stages: 4, events: locate", 0.02, exact), 1e-10);
}

/* ---------------------------------------------------------------- other pairs */

/* A disk in the plane: 2 kg and 0.9 kg m^2, radius 0.5: it feels 2 + 0.9/0.25. */
static void disk_in_the_plane(void **state) {
    const double a = 0.02 * 20 / 0.5 / (2 + 0.9 / 0.25);
    (void)state;
    trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, -10, 0]\n"
                           "  bodies: {disk: {type: planar, mass: 2, inertia: 0.9, position: [0, 0.5], "
                           "velocity: [1, 0], angular_velocity: -2, shape: {sphere: 0.5}}}\n"
                           "  contacts: {floor: {between: [disk, {body: world, plane: [0, 1, 0]}], friction: 0.3, "
                           "rolling: 0.02}}\n"
                           "run: {integrator: lobatto, events: locate, dt: 2e-2, until: 8, tolerance: 1e-12}\n");
    assert_near(stopped_at(&run), 1 / a, 1e-8);
    assert_near(carom_sim_q(run.sim)[0], 1 / (2 * a), 1e-10);
    trial_close(&run);
}

/* On top of a fixed ball of radius 1 a ball of radius 0.5, off the top by the angle phi, stands up to tan phi = c/R. */
static void ball_on_a_ball(void **state) {
    (void)state;
    for (int rolls = 0; rolls < 2; rolls++) {
        const double phi = atan(0.1) + (rolls ? 1e-3 : -1e-3); /* c/R = 0.05/0.5 */
        trial run =
            trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -10]\n"
                       "  bodies: {ball: {type: spatial, mass: 2, inertia: [0.2, 0.2, 0.2], "
                       "position: [%.17g, 0, %.17g], shape: {sphere: 0.5}}}\n"
                       "  contacts: {top: {between: [ball, {body: world, sphere: 1}], friction: 0.3, rolling: 0.05}}\n"
                       "run: {integrator: lobatto, events: locate, dt: 1e-2, until: 2}\n",
                       1.5 * sin(phi), 1.5 * cos(phi));
        trial_finish(&run);
        const double moved = fabs(carom_sim_q(run.sim)[0] - 1.5 * sin(phi));
        if (rolls) assert_at_least(moved, 1e-3);
        else assert_at_most(moved, 1e-12);
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- drilling */

/* Spin about the normal meets the torque mu 3 pi/16 r m g and ends after I omega over it, known to 2e-6 dt, (V10). */
static void spins_down(void **state) {
    const double torque = 0.3 * 3 * acos(-1) / 16 * 0.1 * weight, time = 0.8 * 2 / torque;
    (void)state;
    trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -10]\n"
                           "  bodies: {ball: {type: spatial, mass: 2, inertia: [0.8, 0.8, 0.8], position: [0, 0, 1], "
                           "angular_velocity: [0, 0, 2], shape: {sphere: 1}}}\n"
                           "  contacts: {floor: {between: [ball, {body: world, plane: [0, 0, 1]}], friction: 0.3, "
                           "drilling: 0.1, rolling: 0.05}}\n"
                           "run: {integrator: lobatto, events: locate, dt: 1e-2, until: 6, tolerance: 1e-12}\n");
    assert_near(stopped_at(&run), time, 2e-6 * 1e-2);
    assert_near(trial_value(&run, "ball.wz"), 0, 1e-10);
    trial_close(&run);
}

/* ---------------------------------------------------------------- impacts */

#define BOUNCING                                                                                                       \
    "carom: 1\nmodel:\n  gravity: [0, 0, -10]\n"                                                                       \
    "  bodies: {ball: {type: spatial, mass: 2, inertia: [0.8, 0.8, 0.8], position: [0, 0, 1.2], "                      \
    "velocity: [1, 0.3, 0], angular_velocity: [2, -3, 1], shape: {sphere: 1}}}\n"                                      \
    "  contacts: {floor: {between: [ball, {body: world, plane: [0, 0, 1]}], friction: 0.2, rolling: 0.03, "            \
    "restitution: 0.4, impact: %s}}\n"                                                                                 \
    "run: {integrator: %s, dt: 5e-3, until: %g}\n"

/* Friction and rolling resistance of a ball do not act along the normal: it falls with 2 m/s at t = 0.2 and rises with
 * 0.4 of that under every law of impact, 0.3 m/s are left at t = 0.25. What a located run misses is round-off. */
static void rebounds(void **state) {
    static const char *const laws[] = {"newton", "poisson", "energetic"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        trial run = trial_text(BOUNCING, laws[i], "lobatto, events: locate", 0.25);
        trial_finish(&run);
        assert_near(carom_sim_u(run.sim)[2], 0.3, 1e-9);
        trial_close(&run);
    }
}

/* Slip s and spin w of a ball of 1 kg, 0.01 kg m^2 and radius 0.15 with drilling, by the normal percussion of an
 * impact, (L7): friction turns the slip off within a small part of it, and the spin goes on slowly. */
static double drill; /* 3 pi/16 of the radius of the contact */
static void drilled(double p, const double *y, double *rate) {
    const double size = hypot(y[0], drill * y[1]);
    (void)p;
    rate[0] = -0.4 * y[0] / size * (1 + 0.15 * 0.15 / 0.01), rate[1] = -0.4 * drill * drill * y[1] / size / 0.01;
}

/* With 1 rad/s the spin outlasts the impact, P_N = 1.5; with less both are over before. Each piece misses 1e-8 of the
 * fastest velocity, and there are less than a hundred. */
static void drilling_in_impacts(void **state) {
    static const double spins[] = {1, 0.1, 0.02, 1e-3, 1e-5};
    const double slip = hypot(0.5, 0.2), mass = 1 / (1 + 0.15 * 0.15 / 0.01);
    (void)state;
    for (int i = 0; i < 10; i++) {
        double most, y[2] = {slip, spins[i / 2]};
        drill = 3 * acos(-1) / 16 * 0.02;
        trial run = trial_text("carom: 1\nmodel:\n  bodies: {b: {type: spatial, mass: 1, inertia: [0.01, 0.01, 0.01], "
                               "shape: {sphere: 0.15}, position: [0, 0, 0.16], velocity: [0.5, 0.2, -1], "
                               "angular_velocity: [0, 0, %g]}}\n"
                               "  contacts: {f: {between: [b, {body: world, plane: [0, 0, 1]}], friction: 0.4, "
                               "drilling: 0.02, restitution: 0.5, impact: %s}}\n"
                               "run: {integrator: lobatto, events: locate, dt: 1e-3, until: 0.02}\n",
                               spins[i / 2], i % 2 ? "poisson" : "energetic");
        trial_finish(&run);
        assert_int_equal(carom_sim_weakened(run.sim, &most), 0);
        if (i < 2) rk4_run(drilled, 2, 1.5, 100000, y);
        else y[0] = y[1] = 0;
        const double left = 1 - (slip - y[0]) * mass / slip, *u = carom_sim_u(run.sim);
        assert_near(u[0], 0.5 * left, 1e-6);
        assert_near(u[1], 0.2 * left, 1e-6);
        assert_near(u[2], 0.5, 1e-9);
        assert_near(trial_value(&run, "b.wz"), y[1], 1e-6);
        trial_close(&run);
    }
}

/* Two balls that roll and spin strike each other on the floor, with drilling at all three contacts: every rebound is
 * found, by poisson and by energetic, and energy never grows by the latter. */
static void drilling_balls_strike(void **state) {
    (void)state;
    for (int i = 0; i < 24; i++) {
        const bool energetic = i % 2;
        double most, V, T[2];
        trial run =
            trial_text("carom: 1\nmodel:\n  bodies:\n"
                       "    a: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [0, 0, 0.12], velocity: "
                       "[%g, 0, -0.5], angular_velocity: [%g, 10, %g]}\n"
                       "    b: {type: spatial, mass: %g, shape: {sphere: 0.1}, position: [0.25, %g, 0.1], "
                       "angular_velocity: [1, %g, 0.3]}\n"
                       "  contacts:\n"
                       "    fa: {between: [a, {body: world, plane: [0, 0, 1]}], friction: 0.4, drilling: 0.01, "
                       "restitution: 0.5, impact: %s}\n"
                       "    fb: {between: [b, {body: world, plane: [0, 0, 1]}], friction: 0.4, drilling: 0.01, "
                       "restitution: 0.5, impact: %s}\n"
                       "    ab: {between: [a, b], friction: 0.4, drilling: 0.01, restitution: 0.8, impact: %s}\n"
                       "run: {integrator: lobatto, events: locate, dt: 2e-3, until: 0.2}\n",
                       1 + 0.2 * i, sin(i), 5 * cos(3 * i), 0.5 + 0.1 * (i % 9), 0.01 * (i % 7), 4 * sin(5 * i),
                       energetic ? "energetic" : "poisson", energetic ? "energetic" : "poisson",
                       energetic ? "energetic" : "poisson");
        const carom_model_def *d = carom_model_get(carom_scene_model(run.scene));
        d->energy(d->context, 0, carom_sim_q(run.sim), carom_sim_u(run.sim), &T[0], &V);
        trial_finish(&run);
        d->energy(d->context, 0, carom_sim_q(run.sim), carom_sim_u(run.sim), &T[1], &V);
        assert_int_equal(carom_sim_weakened(run.sim, &most), 0);
        if (energetic) assert_at_most(T[1], T[0] * (1 + 1e-6));
        trial_close(&run);
    }
}

/* A spinning ball that bounces: the torque never exceeds c P_N, energy never grows, and it rolls to a stop. */
static void bounces(void **state) {
    static const char *const laws[] = {"newton", "energetic"};
    (void)state;
    for (int i = 0; i < 2 * SCHEMES; i++) {
        trial run = trial_text(BOUNCING, laws[i % 2], schemes[i / 2], 12.);
        trial_step(&run);
        const double first = trial_value(&run, "E");
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            const double torque = hypot(trial_value(&run, "floor_rolling.PF1"), trial_value(&run, "floor_rolling.PF2"));
            assert_at_most(torque, 0.03 * trial_value(&run, "floor.PN") * (1 + 1e-7) + 1e-10);
        }
        assert_at_most(trial_value(&run, "E"), first);
        assert_true(trial_value(&run, "floor_rolling.state") == CAROM_STICK);
        assert_near(hypot(carom_sim_u(run.sim)[0], carom_sim_u(run.sim)[1]), 0, 1e-8);
        trial_close(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_after_the_exact_distance),
        cmocka_unit_test(stands_on_slopes),
        cmocka_unit_test(rolling_that_turns),
        cmocka_unit_test(disk_in_the_plane),
        cmocka_unit_test(ball_on_a_ball),
        cmocka_unit_test(spins_down),
        cmocka_unit_test(rebounds),
        cmocka_unit_test(drilling_in_impacts),
        cmocka_unit_test(drilling_balls_strike),
        cmocka_unit_test(bounces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
