/* The theta-method of Jean (moreau, section 5; docs/theory/moreau.md): orders, the energy of linear systems, contacts
 * at the predicted middle of the step. */
#include "support/complex_model.h"
#include "support/ode.h"
#include "support/trial.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static const double thetas[] = {0, 0.3, 0.5, 1};

static const char *option(double theta) {
    static char text[32];
    snprintf(text, sizeof text, "theta=%.17g", theta);
    return text;
}

static void unit_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = 1;
}

static void two_unit_masses(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = M[3] = 1;
}

/* ---------------------------------------------------------------- orders, on a damped, driven pendulum */
static void pendulum_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)p;
    h[0] = -9 * csin(q[0]) - 0.3 * u[0] * u[0] * u[0] + cos(5 * t);
}
static void pendulum_ode(double t, const double *y, double *dy, const void *c) {
    (void)c;
    dy[0] = y[1];
    dy[1] = -9 * sin(y[0]) - 0.3 * y[1] * y[1] * y[1] + cos(5 * t);
}

static void orders(void **state) {
    (void)state;
    enum { N = 4 };
    const double q0 = 1.2, u0 = 0.3;
    const complex_mechanics pendulum = {
        .nq = 1, .nu = 1, .q0 = &q0, .u0 = &u0, .mass = unit_mass, .force = pendulum_force};
    carom_model *model = complex_model(&pendulum);
    double y[2] = {q0, u0}, dt[N], e_q[N], e_u[N];
    ode_solve(2, pendulum_ode, NULL, 0, 1, y);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < N; k++) {
            dt[k] = 1. / (256 << k);
            trial run = trial_model(model, "theta", dt[k], 1, 1e-12, option(thetas[i]));
            trial_finish(&run);
            e_q[k] = fabs(carom_sim_q(run.sim)[0] - y[0]), e_u[k] = fabs(carom_sim_u(run.sim)[0] - y[1]);
            trial_close(&run);
        }
        const double order = thetas[i] == 0.5 ? 2 : 1;
        printf("theta = %g: order %.3f (q) %.3f (u)\n", thetas[i], observed_order(N, dt, e_q),
               observed_order(N, dt, e_u));
        assert_near(observed_order(N, dt, e_q), order, 0.1); /* higher-order terms at the coarse end */
        assert_near(observed_order(N, dt, e_u), order, 0.1);
    }
    carom_model_destroy(model);
}

/* ---------------------------------------------------------------- linear systems
 * theta = 1/2: u_1 - u_0 and q_1 - q_0 are dt times the means of force and velocity, so T_1 - T_0 = V_0 - V_1 exactly,
 * whatever dt: here 60 and 6000 radians of the two modes in a step. theta = 1 damps, theta < 1/2 is unstable. */
static void stiff_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)u;
    h[0] = -(p[0] + p[1]) * q[0] + p[1] * q[1];
    h[1] = p[1] * q[0] - (p[0] + p[1]) * q[1];
}
static void stiff_energy(double t, const cx *q, const cx *u, cx *T, cx *V, const double *p) {
    (void)t;
    *T = (u[0] * u[0] + u[1] * u[1]) / 2;
    *V = (p[0] * (q[0] * q[0] + q[1] * q[1]) + p[1] * (q[0] - q[1]) * (q[0] - q[1])) / 2;
}

static void energy_of_stiff_oscillators(void **state) {
    (void)state;
    const double k[] = {1, 5e3}, q0[] = {1, 0.99}, u0[] = {0.3, -0.4}, dt = 60;
    const complex_mechanics stiff = {.nq = 2,
                                     .nu = 2,
                                     .parameter = k,
                                     .q0 = q0,
                                     .u0 = u0,
                                     .mass = two_unit_masses,
                                     .force = stiff_force,
                                     .energy = stiff_energy};
    carom_model *model = complex_model(&stiff);
    trial run = trial_model(model, "theta", dt, 1000 * dt, 1e-11, option(0.5));
    const double E0 = trial_value(&run, "E");
    double worst = 0;
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        worst = fmax(worst, fabs(trial_value(&run, "E") / E0 - 1));
    }
    printf("1000 steps, dt = %g: energy off by %.1e\n", dt, worst);
    /* round-off: impulses are 3e5 times the velocities they change, and what rounds off adds up at random over the
     * steps */
    assert_at_most(worst, sqrt(1000) * 3e5 * DBL_EPSILON);
    trial_close(&run);
    run = trial_model(model, "theta", dt, 4 * dt, 1e-11, option(1));
    trial_finish(
        &run); /* implicit Euler: the energy of a mode is divided by 1 + (omega dt)^2, the slow one has omega = 1 */
    assert_at_most(trial_value(&run, "E"), 1.001 * E0 * pow(1 + dt * dt, -4)); /* 1e-11 of velocities of 8e-8 */
    trial_close(&run);
    run = trial_model(model, "theta", 1e-2, 1, 1e-13, option(0.3));
    trial_finish(&run);
    assert_at_least(trial_value(&run, "E"), 2 * E0);
    trial_close(&run);
    carom_model_destroy(model);
}

/* ---------------------------------------------------------------- contacts
 * The bouncing ball by hand: closed where q + dt/2 u <= 0. */
static void ball_by_hand(void **state) {
    (void)state;
    const double m = 0.1, g = 9.81, e = 0.75, dt = 1e-3;
    for (int i = 0; i < 4; i++) {
        char theta[64];
        snprintf(theta, sizeof theta, "run.%s", option(thetas[i]));
        trial run = trial_scene("paper/moreau/ball", "run.integrator=theta", theta, "run.until=2.5", NULL);
        double q = 1, u = 0;
        int impacts = 0;
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            double P = q + dt / 2 * u <= 0 ? fmax(0, m * (g * dt - (1 + e) * u)) : 0, u1 = u - g * dt + P / m;
            q += dt * (thetas[i] * u1 + (1 - thetas[i]) * u);
            u = u1;
            impacts += P > 0;
            assert_near(trial_value(&run, "q"), q, 1e-10); /* 2500 steps of tolerance 1e-11 and dt = 1e-3 */
            assert_near(trial_value(&run, "q_dot"), u, 1e-7);
            assert_near(trial_value(&run, "floor.PN"), P, 1e-8);
        }
        assert_in_range(impacts, 3, 20);
        trial_close(&run);
    }
}

/* In a drum the normal turns with q: the law holds with the normal at q_m = q_0 + dt/2 u_0, for contacts closed there.
 */
static void no_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)q, (void)u, (void)p;
    h[0] = h[1] = 0;
}
static void drum_gap(double t, const cx *q, cx *gap, const double *p) {
    (void)t, (void)p;
    gap[0] = 1 - csqrt(q[0] * q[0] + q[1] * q[1]);
}
static void drum_velocity(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t, (void)p;
    s[0] = -(q[0] * u[0] + q[1] * u[1]) / csqrt(q[0] * q[0] + q[1] * q[1]);
}

static void laws_at_the_predicted_middle(void **state) {
    (void)state;
    const carom_model_contact contact = {.name = "drum", .restitution = 0.9};
    const double q0[] = {0.3, -0.2}, u0[] = {1.1, 2.3}, dt = 1e-2;
    const complex_mechanics drum = {.nq = 2,
                                    .nu = 2,
                                    .contacts = 1,
                                    .contact = &contact,
                                    .q0 = q0,
                                    .u0 = u0,
                                    .mass = two_unit_masses,
                                    .force = no_force,
                                    .position = drum_gap,
                                    .velocity = drum_velocity};
    carom_model *model = complex_model(&drum);
    trial run = trial_model(model, "theta", dt, 10, 1e-13, NULL);
    int impacts = 0;
    while (!carom_sim_done(run.sim)) {
        double middle[2], gap, before, after;
        for (int i = 0; i < 2; i++) middle[i] = carom_sim_q(run.sim)[i] + dt / 2 * carom_sim_u(run.sim)[i];
        complex_position(&drum, 0, middle, &gap);
        complex_velocity(&drum, 0, middle, carom_sim_u(run.sim), &before);
        trial_step(&run);
        complex_velocity(&drum, 0, middle, carom_sim_u(run.sim), &after);
        const double P = carom_sim_percussion(run.sim)[0];
        assert_true((P > 0) == (gap <= 0 && before < 0));
        if (P > 0) assert_near(after, -0.9 * before, 1e-12);
        impacts += P > 0;
    }
    assert_true(impacts > 5);
    trial_close(&run);
    carom_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders),
        cmocka_unit_test(energy_of_stiff_oscillators),
        cmocka_unit_test(ball_by_hand),
        cmocka_unit_test(laws_at_the_predicted_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
