/* Friction by slip speed, place and time together, in ellipses, in rolling, in joints and with drilling
 * (docs/theory/laws.md, (L26)), each against a differential equation of its own. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/belt.h"
#include "support/rk4.h"
#include "support/trial.h"

static const char *const located[] = {"rattle, events: locate", "lobatto, stages: 3, events: locate"};
enum { LOCATED = sizeof located / sizeof *located };

static const char *scheme(int i) {
    return i < BELT_SCHEMES ? belt_schemes[i] : located[i - BELT_SCHEMES];
}

/* ---------------------------------------------------------------- stick and slip */

/* The belt is rough in places and wears. The speed at which friction falls depends on the place, too: no product of
 * functions of slip and place. A lubricant adds a viscous part. */
#define CURVE "(0.25 + 0.15*exp(-slip/(0.5 + x)))*(1 - 0.05*t) + 0.3*x^2 + 0.01*slip*(1 + x)"
static double mu(double slip, double x, double t) {
    return (0.25 + 0.15 * exp(-slip / (0.5 + x))) * (1 - 0.05 * t) + 0.3 * x * x + 0.01 * slip * (1 + x);
}
static const belt_friction worn = {mu, CURVE};
static const double g = 9.81;

static void located_stick_slip(void **state) {
    (void)state;
    belt_check_located(&worn);
}

static void captured_stick_slip(void **state) {
    (void)state;
    belt_check_captured(&worn);
}

/* A block that slides without a stop. */
static void block(double t, const double *y, double *rate) {
    rate[0] = y[1], rate[1] = -mu(y[1], y[0], t) * g;
}

static double block_error(const char *by, double dt, const double *exact) {
    trial run =
        trial_text("carom: 1\nmodel:\n  coordinates: {x: {velocity: 2}, y: 0}\n  kinetic: (x_dot^2 + y_dot^2)/2\n"
                   "  potential: 9.81*y\n  contacts: {floor: {gap: y, slip: x_dot, friction: " CURVE "}}\n"
                   "run: {integrator: %s, dt: %g, until: 0.4, tolerance: 1e-13}\n",
                   by, dt);
    trial_finish(&run);
    const double error = hypot(carom_sim_q(run.sim)[0] - exact[0], carom_sim_u(run.sim)[0] - exact[1]);
    trial_close(&run);
    return error;
}

/* Without events captured runs have the orders of their schemes, too. */
static void captured_orders(void **state) {
    double exact[2] = {0, 2};
    (void)state;
    rk4_run(block, 2, 0.4, 20000, exact);
    const double two = log2(block_error("rattle", 0.02, exact) / block_error("rattle", 0.01, exact)),
                 four = log2(block_error("lobatto, stages: 3", 0.04, exact) /
                             block_error("lobatto, stages: 3", 0.02, exact));
    printf("captured: rattle order %.2f, lobatto 3 order %.2f\n", two, four);
    assert_at_least(two, 1.8);
    assert_at_least(four, 3.7);
}

/* At x = 0.5 a slope of 0.399 holds, one of 0.401 does not: mu(0) = 0.3 + 0.4 x^2. */
static void stick_is_exact(void **state) {
    static const char text[] = "carom: 1\nmodel:\n  coordinates: {x: 0.5, y: 0}\n  kinetic: (x_dot^2 + y_dot^2)/2\n"
                               "  potential: 9.81*(y - %g*x)\n"
                               "  contacts: {slope: {gap: y, slip: x_dot, friction: (0.3 + 0.4*x^2)*exp(-slip*x)}}\n"
                               "run: {integrator: %s, dt: 1e-2, until: 2}\n";
    (void)state;
    for (int i = 0; i < BELT_SCHEMES + LOCATED; i++) {
        trial run = trial_text(text, 0.399, scheme(i));
        trial_finish(&run);
        assert_near(carom_sim_q(run.sim)[0], 0.5, 1e-13);
        assert_true(carom_sim_contact(run.sim, 0) == CAROM_STICK);
        trial_close(&run);
        run = trial_text(text, 0.401, scheme(i));
        trial_finish(&run);
        assert_at_least(carom_sim_q(run.sim)[0],
                        0.501); /* it begins with 0.001 g: 0.02 m in 2 s, and mu grows with x */
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- ellipses */

/* mu_i = a_i (0.8 + 0.4 exp(-slip/(1 + x/4)) + y/10) (1 + t/5) along axes that turn with the spin; a side wind. */
#define FACTOR "(0.8 + 0.4*exp(-slip/(1 + %s.x/4)) + %s.y/10)*(1 + t/5)"
static double spin;
static void elliptic(double t, const double *y, double *rate) {
    const double c = cos(spin * t), s = sin(spin * t), along[2] = {0.2, 0.5};
    const double factor = (0.8 + 0.4 * exp(-hypot(y[2], y[3]) / (1 + y[0] / 4)) + y[1] / 10) * (1 + t / 5);
    const double v[2] = {c * y[2] + s * y[3], c * y[3] - s * y[2]};
    const double size = hypot(along[0] * v[0], along[1] * v[1]);
    double f[2];
    for (int i = 0; i < 2; i++) f[i] = -10 * factor * along[i] * along[i] * v[i] / size;
    rate[0] = y[2], rate[1] = y[3], rate[2] = c * f[0] - s * f[1], rate[3] = s * f[0] + c * f[1] + 1;
}

static double elliptic_error(const char *by, double dt, double turns, const double *exact) {
    trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -10]\n"
                           "  bodies: {puck: {type: spatial, mass: 1, inertia: [1, 1, 1], shape: {point: [0, 0, 0]}, "
                           "velocity: [2, 1.5, 0], angular_velocity: [0, 0, %g]}}\n"
                           "  loads: {wind: {body: puck, force: [0, 1, 0]}}\n"
                           "  contacts: {table: {between: [puck, {body: world, plane: [0, 0, 1]}], "
                           "friction: {along: [0.2, 0.5], factor: " FACTOR "}, grain: [1, 0, 0]}}\n"
                           "run: {integrator: %s, dt: %g, until: 0.4, tolerance: 1e-12}\n",
                           turns, "puck", "puck", by, dt);
    trial_finish(&run);
    const double error =
        hypot(hypot(trial_value(&run, "puck.x") - exact[0], trial_value(&run, "puck.y") - exact[1]),
              hypot(trial_value(&run, "puck.x_dot") - exact[2], trial_value(&run, "puck.y_dot") - exact[3]));
    trial_close(&run);
    return error;
}

static void elliptic_puck(void **state) {
    (void)state;
    for (int turning = 0; turning < 2; turning++) {
        double exact[4] = {0, 0, 2, 1.5};
        spin = 3 * turning;
        rk4_run(elliptic, 4, 0.4, 20000, exact);
        for (int i = 0; i < BELT_SCHEMES; i++)
            assert_at_most(elliptic_error(belt_schemes[i], 1e-3, spin, exact), 10 * 1e-3);
        const double coarse = elliptic_error("lobatto, stages: 3, events: locate", 0.04, spin, exact),
                     fine = elliptic_error("lobatto, stages: 3, events: locate", 0.02, spin, exact),
                     four = elliptic_error("lobatto, stages: 4, events: locate", 1e-2, spin, exact),
                     two = elliptic_error("rattle, events: locate", 0.02, spin, exact),
                     better = elliptic_error("rattle, events: locate", 0.01, spin, exact);
        printf("lobatto 3: %.1e, order %.2f; lobatto 4: %.1e; rattle: %.1e, order %.2f\n", fine, log2(coarse / fine),
               four, better, log2(two / better));
        assert_at_least(log2(coarse / fine), 3.7);
        assert_at_most(four, 1e-9);
        assert_at_least(log2(two / better), 1.8);
    }
}

/* ---------------------------------------------------------------- drilling */

/* A puck that slides and spins, Coulomb-Contensou: the rows are two slips and r times the spin, r = 0.1. */
static double drill(double speed, double x) {
    return (0.2 + 0.1 * exp(-speed)) * (1 + x / 2);
}
static void drilling(double t, const double *y, double *rate) {
    const double turn = 0.1 * y[3], size = hypot(hypot(y[1], y[2]), turn), f = -10 * drill(size, y[0]) / size;
    (void)t;
    rate[0] = y[1], rate[1] = f * y[1], rate[2] = f * y[2] + 1, rate[3] = f * turn * 0.1 / 0.02;
}

static double drilling_error(const char *by, double dt, const double *exact) {
    trial run =
        trial_text("carom: 1\nmodel:\n  coordinates: {x: {velocity: 1}, y: {velocity: 0.5}, z: 0, a: {velocity: 20}}\n"
                   "  kinetic: (x_dot^2 + y_dot^2 + z_dot^2)/2 + 0.01*a_dot^2\n  potential: 10*z\n"
                   "  forces: {y: 1}\n"
                   "  contacts: {floor: {gap: z, slip: [x_dot, y_dot, 0.1*a_dot], "
                   "friction: (0.2 + 0.1*exp(-slip))*(1 + x/2)}}\n"
                   "run: {integrator: %s, dt: %g, until: 0.3, tolerance: 1e-12}\n",
                   by, dt);
    trial_finish(&run);
    const double *q = carom_sim_q(run.sim), *u = carom_sim_u(run.sim);
    const double error = fmax(hypot(q[0] - exact[0], u[0] - exact[1]), hypot(u[1] - exact[2], 0.1 * (u[3] - exact[3])));
    trial_close(&run);
    return error;
}

static void drilling_puck(void **state) {
    double exact[4] = {0, 1, 0.5, 20};
    (void)state;
    rk4_run(drilling, 4, 0.3, 20000, exact);
    for (int i = 0; i < BELT_SCHEMES; i++) assert_at_most(drilling_error(belt_schemes[i], 1e-3, exact), 10 * 1e-3);
    const double coarse = drilling_error("lobatto, stages: 3, events: locate", 0.02, exact),
                 fine = drilling_error("lobatto, stages: 3, events: locate", 0.01, exact);
    printf("drilling: %.1e, order %.2f\n", fine, log2(coarse / fine));
    assert_at_least(log2(coarse / fine), 3.7);
    assert_at_most(drilling_error("lobatto, stages: 4, events: locate", 5e-3, exact), 1e-9);
}

/* ---------------------------------------------------------------- rolling and joints */

/* A ball whose resistance grows with its speed and along the track: c = 0.05 + 0.01 omega + 0.005 x. */
static void rolling(double t, const double *y, double *rate) {
    (void)t;
    rate[0] = y[1], rate[1] = -(0.05 + 0.01 * y[1] + 0.005 * y[0]) * 2 * 10 / (2 + 0.8);
}

static void rolling_ball(void **state) {
    double exact[2] = {0, 2};
    (void)state;
    rk4_run(rolling, 2, 2, 20000, exact);
    for (int i = 0; i < BELT_SCHEMES + LOCATED; i++) {
        trial run =
            trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -10]\n"
                       "  bodies: {ball: {type: spatial, mass: 2, inertia: [0.8, 0.8, 0.8], position: [0, 0, 1], "
                       "velocity: [2, 0, 0], angular_velocity: [0, 2, 0], shape: {sphere: 1}}}\n"
                       "  contacts: {floor: {between: [ball, {body: world, plane: [0, 0, 1]}], friction: 0.3, "
                       "rolling: 0.05 + 0.01*slip + 0.005*ball.x}}\n"
                       "run: {integrator: %s, dt: 1e-2, until: 2, tolerance: 1e-12}\n",
                       scheme(i));
        trial_finish(&run);
        /* lobatto has order 4, rattle 2 with a factor of (dt/T)^2, T = 10 s; the others miss 0.4 m/s^2 dt */
        const double bound = strstr(scheme(i), "lobatto") ? 1e-9 : strstr(scheme(i), "rattle") ? 1e-5 : 4e-3;
        assert_near(trial_value(&run, "ball.x"), exact[0], 2 * bound);
        assert_near(trial_value(&run, "ball.x_dot"), exact[1], bound);
        trial_close(&run);
    }
}

/* A wheel of 2 kg and 0.5 kg m^2 in a journal of radius 0.05 whose friction has a Stribeck curve and warms up. */
static void journal(double t, const double *y, double *rate) {
    rate[0] = -0.05 * 20 * ((0.1 + 0.1 * exp(-0.05 * y[0] / 0.1)) * (1 - t / 20)) / 0.5;
}

static void journal_bearing(void **state) {
    double exact[1] = {3};
    (void)state;
    rk4_run(journal, 1, 2, 20000, exact);
    for (int i = 0; i < BELT_SCHEMES + LOCATED; i++) {
        trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, -10, 0]\n"
                               "  bodies: {wheel: {type: planar, mass: 2, inertia: 0.5, angular_velocity: 3}}\n"
                               "  joints: {bearing: {type: revolute, bodies: [world, wheel], at: [0, 0], radius: 0.05, "
                               "friction: (0.1 + 0.1*exp(-slip/0.1))*(1 - t/20)}}\n"
                               "run: {integrator: %s, dt: 1e-2, until: 2, tolerance: 1e-12}\n",
                               scheme(i));
        trial_finish(&run);
        const double bound = strstr(scheme(i), "lobatto") ? 1e-10 : strstr(scheme(i), "rattle") ? 1e-6 : 4e-3;
        assert_near(trial_value(&run, "wheel.phi_dot"), exact[0], bound);
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- derivatives, and what does not go together */

/* Every derivative of mu, by slips and by coordinates, against differences. */
static void derivatives(void **state) {
    (void)state;
    trial run = trial_text("carom: 1\nmodel:\n  coordinates: {x: 0.3, y: 0.2, z: 0}\n"
                           "  kinetic: (x_dot^2 + y_dot^2 + z_dot^2)/2\n"
                           "  contacts:\n"
                           "    one: {gap: z, slip: x_dot, friction: " CURVE "}\n"
                           "    two: {gap: z, slip: [x_dot, y_dot], friction: {along: [0.2 + y^2, 0.5], "
                           "factor: 1 + exp(-slip/(1 + x^2)) + t}}\n"
                           "    three: {gap: z, slip: [x_dot, y_dot, z_dot], friction: 0.2 + 0.1*exp(-slip)}\n"
                           "run: {integrator: rattle, dt: 1e-3, until: 1e-3}\n");
    carom_finding found[8];
    const int count = carom_model_check(carom_sim_model(run.sim), found, 8);
    for (int i = 0; i < count; i++) printf("%s\n", found[i].text);
    for (int i = 0; i < count && i < 8; i++) assert_null(strstr(found[i].text, "mu"));
    trial_close(&run);
}

static void refuse(const char *contact, const char *sentence) {
    trial_refused(sentence, NULL,
                  "carom: 1\nparameters: {m: 0.3}\nmodel:\n  coordinates: {x: 1, y: 1, z: 1}\n"
                  "  kinetic: (x_dot^2 + y_dot^2 + z_dot^2)/2\n"
                  "  contacts: {floor: {gap: z, slip: [x_dot, y_dot], %s}}\n"
                  "run: {integrator: rattle, dt: 0.1, until: 1}\n",
                  contact);
}

static void refusals(void **state) {
    (void)state;
    refuse("friction: x*slip", "must be positive at rest");
    refuse("friction: 0.3 + 0.1*x_dot*slip", "not on other velocities");
    refuse("friction: [0.3 + slip, 0.4]", "share how they depend on 'slip'");
    refuse("friction: {along: [0.2, 0.3], factor: -1 - slip}", "must be positive at rest");
    refuse("friction: {along: [0.2, 0.3]}", "factor: 1 + 0.3*exp(-slip/0.1)");
    refuse("friction: {along: [0.2, 0.3, 0.4], factor: 1 + slip}", "2 slips and 3 coefficients");
    refuse("friction: {along: [0.2, 0.3], factro: 1 + slip}", "factro");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(located_stick_slip), cmocka_unit_test(captured_stick_slip), cmocka_unit_test(captured_orders),
        cmocka_unit_test(stick_is_exact),     cmocka_unit_test(elliptic_puck),       cmocka_unit_test(drilling_puck),
        cmocka_unit_test(rolling_ball),       cmocka_unit_test(journal_bearing),     cmocka_unit_test(derivatives),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
