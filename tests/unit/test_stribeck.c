/* Friction that depends on the slip speed (docs/theory/laws.md, (L16)): stick and slip on a belt, a puck whose slip
 * turns, and impacts, each against a differential equation of its own. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/belt.h"
#include "support/rk4.h"
#include "support/trial.h"

/* mu of all of them, and as text */
#define CURVE "0.25 + 0.15*exp(-slip/0.5)"
static double mu(double speed) {
    return 0.25 + 0.15 * exp(-speed / 0.5);
}
static const double g = 9.81;

/* ---------------------------------------------------------------- stick and slip */

static double mu_on_belt(double slip, double x, double t) {
    (void)x, (void)t;
    return mu(slip);
}
static const belt_friction on_belt = {mu_on_belt, CURVE};

static void located_stick_slip(void **state) {
    (void)state;
    belt_check_located(&on_belt);
}

static void captured_stick_slip(void **state) {
    (void)state;
    belt_check_captured(&on_belt);
}

/* On a slope a body sticks for ever below mu(0), and slides above it, though mu is less where it slides. */
static void stick_is_exact(void **state) {
    static const char text[] = "carom: 1\nmodel:\n  coordinates: {x: 0, y: 0}\n  kinetic: (x_dot^2 + y_dot^2)/2\n"
                               "  potential: 9.81*(y - %g*x)\n"
                               "  contacts: {slope: {gap: y, slip: x_dot, friction: " CURVE "}}\n"
                               "run: {integrator: %s, dt: 1e-2, until: 2}\n";
    (void)state;
    for (int i = 0; i < BELT_SCHEMES + 2; i++) {
        const char *scheme = i < BELT_SCHEMES   ? belt_schemes[i]
                             : i > BELT_SCHEMES ? "rattle, events: locate"
                                                : "lobatto, events: locate";
        trial run = trial_text(text, 0.399, scheme);
        trial_finish(&run);
        assert_near(carom_sim_q(run.sim)[0], 0, 1e-13);
        assert_true(carom_sim_contact(run.sim, 0) == CAROM_STICK);
        trial_close(&run);
        run = trial_text(text, 0.401, scheme);
        trial_finish(&run);
        assert_at_least(carom_sim_q(run.sim)[0],
                        0.009); /* (0.401 - mu(0)) g t^2/2 at least, mu falls: 0.0196 less 5 % */
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- slip that turns */

/* A side wind of 3 m/s^2 turns the slip of a puck. */
static void turning(double t, const double *y, double *rate) {
    const double speed = hypot(y[2], y[3]), f = -mu(speed) * g / speed;
    (void)t;
    rate[0] = y[2], rate[1] = y[3], rate[2] = f * y[2], rate[3] = f * y[3] + 3;
}

static double puck_error(const char *scheme, double dt, const double *exact) {
    trial run = trial_text("carom: 1\nmodel:\n  coordinates: {x: {velocity: 2}, y: {velocity: -0.5}, z: 0}\n"
                           "  kinetic: (x_dot^2 + y_dot^2 + z_dot^2)/2\n  potential: 9.81*z\n  forces: {y: 3}\n"
                           "  contacts: {floor: {gap: z, slip: [x_dot, y_dot], friction: " CURVE "}}\n"
                           "run: {integrator: %s, dt: %g, until: 0.4, tolerance: 1e-12}\n",
                           scheme, dt);
    trial_finish(&run);
    const double *q = carom_sim_q(run.sim), *u = carom_sim_u(run.sim);
    const double error = hypot(hypot(q[0] - exact[0], q[1] - exact[1]), hypot(u[0] - exact[2], u[1] - exact[3]));
    trial_close(&run);
    return error;
}

static void turning_puck(void **state) {
    double exact[4] = {0, 0, 2, -0.5};
    (void)state;
    rk4_run(turning, 4, 0.4, 20000, exact);
    for (int i = 0; i < BELT_SCHEMES; i++) assert_at_most(puck_error(belt_schemes[i], 1e-3, exact), 10 * 1e-3);
    const double coarse = puck_error("lobatto, stages: 3, events: locate", 0.04, exact),
                 fine = puck_error("lobatto, stages: 3, events: locate", 0.02, exact);
    printf("lobatto: %.2e, %.2e, order %.2f\n", coarse, fine, log2(coarse / fine));
    assert_at_least(log2(coarse / fine), 3.7);
    assert_at_most(puck_error("lobatto, stages: 4, events: locate", 2e-3, exact), 1e-11);
}

/* ---------------------------------------------------------------- impacts */

/* A rod of length 1 strikes with one tip: gap_dot, slip and work by the normal percussion, (L7). */
static double normal_mass, mixed_mass, tangential_mass;
static void pressed(double p, const double *y, double *rate) {
    const double sense = (y[1] > 0) - (y[1] < 0), f = -sense * mu(fabs(y[1]));
    (void)p;
    rate[0] = normal_mass + f * mixed_mass, rate[1] = mixed_mass + f * tangential_mass, rate[2] = y[0];
}

/* Until gap_dot is zero, and then until e^2 of the work has come back. The slip keeps its sign here. */
static void routh(double e, double *y) {
    const double h = 1e-4;
    double rate[3];
    for (int phase = 0; phase < 2; phase++) {
        const double owed = phase ? -e * e * y[2] : 0;
        const int which = phase ? 2 : 0;
        y[2] = 0;
        for (double z[3]; memcpy(z, y, sizeof z), rk4_step(pressed, 3, 0, h, z), z[which] < owed;)
            memcpy(y, z, sizeof z);
        for (int i = 0; i < 20; i++) {
            pressed(0, y, rate);
            rk4_step(pressed, 3, 0, (owed - y[which]) / rate[which], y);
        }
    }
}

/* Pieces miss 1e-8 of the velocities each: 1e-6 altogether. */
static void energetic_impact(void **state) {
    const double angle = 0.7, e = 0.8, sine = sin(angle), cosine = cos(angle);
    double y[3] = {-1, 2.5, 0};
    (void)state;
    normal_mass = 1 + 3 * cosine * cosine, mixed_mass = -3 * sine * cosine, tangential_mass = 1 + 3 * sine * sine;
    routh(e, y);
    assert_true(y[1] > 0.5);
    trial run =
        trial_text("carom: 1\nparameters: {l: 0.5, th: %g}\nmodel:\n"
                   "  coordinates: {x: {velocity: 2.5}, y: {start: \"l*sin(th) + 1e-3\", velocity: -1}, a: th}\n"
                   "  kinetic: (x_dot^2 + y_dot^2)/2 + l^2/6*a_dot^2\n"
                   "  contacts: {tip: {gap: y - l*sin(a), slip: x_dot + l*a_dot*sin(a), friction: " CURVE
                   ", restitution: %g, impact: energetic}}\n"
                   "run: {integrator: lobatto, events: locate, dt: 2e-3, until: 2e-3, tolerance: 1e-13}\n",
                   angle, e);
    trial_step(&run);
    int count;
    const carom_event *event = carom_sim_events(run.sim, &count);
    assert_true(count >= 1 && event[0].kind == CAROM_STRIKE);
    printf("energetic: gap_dot %.1e, slip %.1e off\n", event[0].gap_dot[1] - y[0], event[0].slip[1][0] - y[1]);
    assert_near(event[0].gap_dot[1], y[0], 1e-6);
    assert_near(event[0].slip[1][0], y[1], 1e-6);
    trial_close(&run);
}

/* Newton's law takes the slip after the impact: P_F = -mu(slip) P_N; rattle and lobatto take that of their stages,
 * where P_F may have acted twice or not at all. */
static void newton_impact(void **state) {
    (void)state;
    for (int i = 0; i < BELT_SCHEMES; i++) {
        trial run = trial_text("carom: 1\nmodel:\n  coordinates: {x: {velocity: 2}, y: {start: 5e-4, velocity: -1}}\n"
                               "  kinetic: (x_dot^2 + y_dot^2)/2\n"
                               "  contacts: {floor: {gap: y, slip: x_dot, friction: " CURVE ", impact: plastic}}\n"
                               "run: {integrator: %s, dt: 1e-3, until: 5e-3, tolerance: 1e-12}\n",
                               belt_schemes[i]);
        trial_finish(&run);
        const double x = carom_sim_u(run.sim)[0], lost = 2 - x;
        const bool staged = strcmp(belt_schemes[i], "rattle") == 0 || strcmp(belt_schemes[i], "lobatto") == 0;
        assert_at_least(lost, mu(staged ? 2 : x) * (1 - 1e-9));
        assert_at_most(lost, mu(staged ? 2 - 2 * lost : x) * (1 + 1e-9));
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- what does not go together */

static void refuse(const char *contact, const char *sentence) {
    trial_refused(
        sentence, NULL,
        "carom: 1\nparameters: {m: 0.3}\nmodel:\n  coordinates: {x: 1, y: 1}\n  kinetic: (x_dot^2 + y_dot^2)/2\n"
        "  contacts: {floor: {gap: y, slip: x_dot, %s}}\nrun: {integrator: rattle, dt: 0.1, until: 1}\n",
        contact);
}

static void refusals(void **state) {
    (void)state;
    refuse("friction: 0.1*slip", "must be positive at rest");
    refuse("friction: m - 0.1*slip, tangential_restitution: 0.5", "knows no tangential_restitution");
    refuse("friction: m - 0.1*slipp", "undefined name 'slipp'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(located_stick_slip), cmocka_unit_test(captured_stick_slip), cmocka_unit_test(stick_is_exact),
        cmocka_unit_test(turning_puck),       cmocka_unit_test(energetic_impact),    cmocka_unit_test(newton_impact),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
