/* Friction that depends on direction, place and time, and surfaces that move (docs/theory/laws.md, (L14), (L15)):
 * bodies that slide to a stop against closed forms, and against their own differential equations. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/trial.h"

static const char *const schemes[] = {"moreau", "symmetric_moreau", "variational_moreau", "theta", "nsga",
                                      "rattle", "lobatto"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

/* ---------------------------------------------------------------- a differential equation of one's own */

typedef struct puck {
    double mu[2], g, spin; /* along two directions that turn with the spin */
} puck;

/* x, y and their rates: the force -mu_i^2 v_i/sqrt(sum mu_j^2 v_j^2) per weight along its own directions. */
static void slide(const puck *p, double t, const double y[4], double rate[4]) {
    const double c = cos(p->spin * t), s = sin(p->spin * t);
    const double v[2] = {c * y[2] + s * y[3], c * y[3] - s * y[2]};
    const double size = hypot(p->mu[0] * v[0], p->mu[1] * v[1]);
    const double f[2] = {-p->g * p->mu[0] * p->mu[0] * v[0] / size, -p->g * p->mu[1] * p->mu[1] * v[1] / size};
    rate[0] = y[2], rate[1] = y[3], rate[2] = c * f[0] - s * f[1], rate[3] = s * f[0] + c * f[1];
}

/* The classical method of Runge and Kutta with 20000 steps: an error of 1e-14 where slip is far from zero. */
static void integrate(const puck *p, double until, double y[4]) {
    enum { STEPS = 20000 };
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    const double h = until / STEPS;
    for (int n = 0; n < STEPS; n++) {
        double sum[4] = {0}, k[4] = {0}, z[4];
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < 4; i++) z[i] = y[i] + at[stage] * h * k[i];
            slide(p, (n + at[stage]) * h, z, k);
            for (int i = 0; i < 4; i++) sum[i] += weight[stage] * h * k[i];
        }
        for (int i = 0; i < 4; i++) y[i] += sum[i];
    }
}

/* ---------------------------------------------------------------- pucks */

#define PUCK                                                                                                           \
    "carom: 1\nmodel:\n  coordinates: {x: {velocity: 2}, y: {velocity: 1.5}, z: 0}\n"                                  \
    "  kinetic: (x_dot^2 + y_dot^2 + z_dot^2)/2\n  potential: 10*z\n"                                                  \
    "  contacts: {floor: {gap: z, slip: [x_dot, y_dot], friction: [0.2, 0.5]}}\n"                                      \
    "run: {integrator: %s, dt: %g, until: %g, tolerance: 1e-12}\n"

static double puck_error(const char *scheme, double dt, const double *exact) {
    trial run = trial_text(PUCK, scheme, dt, 0.4);
    trial_finish(&run);
    const double *q = carom_sim_q(run.sim), *u = carom_sim_u(run.sim);
    const double error = hypot(hypot(q[0] - exact[0], q[1] - exact[1]), hypot(u[0] - exact[2], u[1] - exact[3]));
    trial_close(&run);
    return error;
}

/* Located events keep the order 2s-2 = 4 of lobatto with three stages; schemes of first order miss 10 m/s^2 dt. */
static void elliptic_puck(void **state) {
    const puck p = {{0.2, 0.5}, 10, 0};
    double exact[4] = {0, 0, 2, 1.5};
    (void)state;
    integrate(&p, 0.4, exact);
    for (int i = 0; i < SCHEMES; i++) assert_at_most(puck_error(schemes[i], 1e-3, exact), 10 * 1e-3);
    const double coarse = puck_error("lobatto, stages: 3, events: locate", 0.02, exact),
                 fine = puck_error("lobatto, stages: 3, events: locate", 0.01, exact);
    printf("lobatto: %.2e, %.2e, order %.2f\n", coarse, fine, log2(coarse / fine));
    assert_at_least(log2(coarse / fine), 3.7);
    assert_at_most(puck_error("lobatto, stages: 4, events: locate", 2e-3, exact), 1e-11);
}

/* The direction of the grain turns with the body, which spins: slips are along axes of the body. */
static void grain_turns_with_the_body(void **state) {
    const puck p = {{0.15, 0.4}, 10, 3};
    double exact[4] = {0, 0, 2, 1.5};
    (void)state;
    integrate(&p, 0.3, exact);
    trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -10]\n"
                           "  bodies: {puck: {type: spatial, mass: 1, inertia: [1, 1, 1], shape: {point: [0, 0, 0]}, "
                           "velocity: [2, 1.5, 0], angular_velocity: [0, 0, 3]}}\n"
                           "  contacts: {table: {between: [puck, {body: world, plane: [0, 0, 1]}], "
                           "friction: [0.15, 0.4], grain: [1, 0, 0]}}\n"
                           "run: {integrator: lobatto, stages: 4, events: locate, dt: 2e-3, until: 0.3, "
                           "tolerance: 1e-12}\n");
    trial_finish(&run);
    assert_near(trial_value(&run, "puck.x"), exact[0], 1e-10);
    assert_near(trial_value(&run, "puck.y"), exact[1], 1e-10);
    const double c = cos(0.9), s = sin(0.9);
    assert_near(trial_value(&run, "table.slip1"), c * exact[2] + s * exact[3], 1e-10);
    assert_near(trial_value(&run, "table.slip2"), c * exact[3] - s * exact[2], 1e-10);
    trial_close(&run);
}

/* ---------------------------------------------------------------- place and time */

/* mu = 0.2 (1 + x), g = 10: v^2 = v0^2 - 4 (x + x^2/2), so v0 = 2 m/s stops where x + x^2/2 = 1. */
#define ROUGH                                                                                                          \
    "carom: 1\nmodel:\n  coordinates: {x: {velocity: 2}, y: 0}\n  kinetic: (x_dot^2 + y_dot^2)/2\n  potential: 10*y\n" \
    "  contacts: {floor: {gap: y, slip: x_dot, friction: 0.2*(1 + x)}}\n"                                              \
    "run: {integrator: %s, dt: %g, until: 1.5, tolerance: 1e-12}\n"

static void friction_by_place(void **state) {
    const double stop = sqrt(3) - 1;
    (void)state;
    for (int i = 0; i < SCHEMES; i++) {
        trial run = trial_text(ROUGH, schemes[i], 1e-3);
        trial_finish(&run);
        assert_near(carom_sim_q(run.sim)[0], stop, 2 * 2 * 1e-3); /* two steps at the velocity of the start */
        assert_near(carom_sim_u(run.sim)[0], 0, 1e-9);
        trial_close(&run);
    }
    trial run = trial_text(ROUGH, "lobatto, stages: 4, events: locate", 1e-2);
    trial_step(&run);
    /* what is recorded are the slip and the force along it: mu m g dt, between its values at both ends of the step */
    const double x = carom_sim_q(run.sim)[0];
    assert_near(trial_value(&run, "floor.slip"), carom_sim_u(run.sim)[0], 1e-14);
    assert_at_most(-trial_value(&run, "floor.PF"), 0.2 * (1 + x) * 0.1);
    assert_at_least(-trial_value(&run, "floor.PF"), 0.2 * 0.1);
    trial_finish(&run);
    assert_near(carom_sim_q(run.sim)[0], stop, 1e-11);
    assert_true(carom_sim_contact(run.sim, 0) == CAROM_STICK);
    trial_close(&run);
}

/* mu = 0.1 + 0.2 t, g = 10: v = 2 - t - t^2, which stops at t = 1 after 2 - 1/2 - 1/3. The event has the true slip. */
static void friction_by_time(void **state) {
    (void)state;
    trial run = trial_text("carom: 1\nmodel:\n  coordinates: {x: {velocity: 2}, y: 0}\n"
                           "  kinetic: (x_dot^2 + y_dot^2)/2\n  potential: 10*y\n"
                           "  contacts: {floor: {gap: y, slip: x_dot, friction: 0.1 + 0.2*t}}\n"
                           "run: {integrator: lobatto, stages: 3, events: locate, dt: 0.03, until: 1.2}\n");
    double stopped = 0;
    while (!carom_sim_done(run.sim)) {
        int count;
        trial_step(&run);
        const carom_event *event = carom_sim_events(run.sim, &count);
        for (int i = 0; i < count; i++)
            if (event[i].kind == CAROM_STOP) stopped = event[i].time;
    }
    assert_near(stopped, 1, 1e-9);
    assert_near(carom_sim_q(run.sim)[0], 7. / 6, 1e-9);
    trial_close(&run);
}

/* ---------------------------------------------------------------- belts */

/* A box at rest on a belt of 1 m/s, mu g = 3: it slides for 1/3 s and 1/6 m, then goes along without slip. */
static void belt_takes_along(void **state) {
    static const char text[] =
        "carom: 1\nmodel:\n  gravity: [0, 0, -10]\n  bodies: {box: {type: point, mass: 2, position: [0, 0, 0]}}\n"
        "  contacts: {belt: {between: [{body: box, point: [0, 0, 0]}, "
        "{body: world, plane: [0, 0, 1]}], friction: 0.3, belt: [0.6, 0.8, 0]}}\n"
        "run: {integrator: %s, dt: 1e-3, until: 1, tolerance: 1e-12}\n";
    (void)state;
    for (int i = 0; i < SCHEMES + 1; i++) {
        const bool located = i == SCHEMES;
        trial run = trial_text(text, located ? "lobatto, events: locate" : schemes[i]);
        trial_finish(&run);
        const double *q = carom_sim_q(run.sim), *u = carom_sim_u(run.sim), way = 1 - 1. / 6;
        assert_near(hypot(u[0] - 0.6, u[1] - 0.8), 0, 1e-9);
        assert_near(hypot(q[0] - 0.6 * way, q[1] - 0.8 * way), 0, located ? 1e-10 : 2e-3);
        assert_near(trial_value(&run, "belt.slip1"), 0, 1e-9);
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- what does not go together */

static void refuse(const char *contact, const char *sentence) {
    trial_refused(sentence, NULL,
                  "carom: 1\nmodel:\n  coordinates: {x: 1, y: 1}\n  kinetic: (x_dot^2 + y_dot^2)/2\n"
                  "  contacts: {floor: {gap: y, slip: x_dot, %s}}\nrun: {integrator: rattle, dt: 0.1, until: 1}\n",
                  contact);
}

/* mu = 0.2 (1 - t): at t = 1 the rows of slip vanish, and a run that went on would rub with |mu|. While the contact is
 * open that does not matter. */
static void ends_where_friction_vanishes(void **state) {
    static const char scene[] =
        "carom: 1\nmodel:\n  coordinates: {x: {velocity: 9}, y: {start: %g}}\n  kinetic: (x_dot^2 + y_dot^2)/2\n"
        "  potential: 10*y\n  contacts: {floor: {gap: y, slip: x_dot, friction: 0.2*(1 - t)}}\n"
        "run: {integrator: %s, dt: 0.03, until: 1.5}\n";
    (void)state;
    for (int i = 0; i < SCHEMES; i++) {
        carom_error error;
        trial run = trial_text(scene, 0., schemes[i]);
        assert_int_equal(carom_sim_run(run.sim, &error), CAROM_FAILED);
        assert_non_null(strstr(error.message, "the friction of 'floor' falls to zero"));
        assert_true(carom_sim_time(run.sim) <= 1 && carom_sim_time(run.sim) > 1 - 0.06);
        trial_close(&run);
        run = trial_text(scene, 20., schemes[i]);
        trial_finish(&run);
        trial_close(&run);
    }
}

static void refusals(void **state) {
    (void)state;
    refuse("friction: [0.1, 0.2]", "has 1 slips and 2 coefficients of friction");
    refuse("friction: 0.1*abs(x_dot)", "not on velocities");
    refuse("friction: -0.1*x", "must be positive");
    refuse("friction: 0.1*x, displacement: x", "knows no displacement");
    refuse("friction: 0.1*xx", "undefined name 'xx'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elliptic_puck),
        cmocka_unit_test(grain_turns_with_the_body),
        cmocka_unit_test(friction_by_place),
        cmocka_unit_test(friction_by_time),
        cmocka_unit_test(belt_takes_along),
        cmocka_unit_test(refusals),
        cmocka_unit_test(ends_where_friction_vanishes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
