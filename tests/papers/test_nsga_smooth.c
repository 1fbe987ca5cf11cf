/* nsga without contacts (docs/theory/nsga.md): the generalized-alpha method for every rho_inf. Second order in q and u
 * with forces of time, M(t,q), general kinematics, joints as published and closed, moving joints and velocity
 * constraints; rotations that stay
 * rotations; damping of high frequencies as told; the percussions of constraints. */
#include "support/ode.h"
#include "support/problems.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

static const double radii[] = {0, 0.5, 0.8, 1};
enum { RADII = 4, SIZES = 3, MOST = 8 };

static const char *option(double rho, bool closed) {
    static char text[64];
    snprintf(text, sizeof text, "rho_inf=%.17g,joints=%s", rho, closed ? "closed" : "auto");
    return text;
}

static double distance(int n, const double *a, const double *b) {
    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

/* ---------------------------------------------------------------- orders */

static void second_order(bool closed) {
    for (int k = 0; k < SMOOTH_PROBLEMS; k++) {
        const problem_of_motion *p = &smooth_problems[k];
        if (closed && !p->mechanics->ng) continue;
        carom_model *model = complex_model(p->mechanics);
        double q[MOST], u[MOST], dt[SIZES], e_q[SIZES], e_u[SIZES];
        p->exact(p->T, q, u);
        for (int r = 0; r < RADII; r++) {
            for (int i = 0; i < SIZES; i++) {
                dt[i] = p->T / (128 << i);
                trial run = trial_model(model, "nsga", dt[i], p->T, 1e-13, option(radii[r], closed));
                while (!carom_sim_done(run.sim)) trial_stride(&run);
                e_q[i] = distance(p->mechanics->nq, carom_sim_q(run.sim), q);
                e_u[i] = distance(p->mechanics->nu, carom_sim_u(run.sim), u);
                trial_close(&run);
            }
            double order_q = observed_order(SIZES, dt, e_q), order_u = observed_order(SIZES, dt, e_u);
            printf("rho_inf = %.1f %-28s order %.2f (q), %.2f (u), errors %.0e, %.0e\n", radii[r], p->name, order_q,
                   order_u, e_q[SIZES - 1], e_u[SIZES - 1]);
            /* 0.1: terms of higher order at the coarse end */
            assert_at_least(order_q, 1.9);
            assert_at_least(order_u, 1.9);
        }
        carom_model_destroy(model);
    }
}

static void second_order_as_published(void **state) {
    (void)state;
    second_order(false);
}

static void second_order_with_closed_joints(void **state) {
    (void)state;
    second_order(true);
}

/* Large rotations of a free body: 5 s at 2 rad/s and more. (K1) is the Cayley map, so that |p| = 1 to what the steps
 * are solved to, 1e-13 dt each. */
static void unit_quaternions(void **state) {
    (void)state;
    carom_model *model = complex_model(&body);
    for (int r = 0; r < RADII; r++) {
        trial run = trial_model(model, "nsga", 5e-2, 5, 1e-13, option(radii[r], false));
        while (!carom_sim_done(run.sim)) {
            trial_stride(&run);
            const double *p = carom_sim_q(run.sim);
            assert_near(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3], 1, 1e-12);
        }
        trial_close(&run);
    }
    carom_model_destroy(model);
}

/* ---------------------------------------------------------------- damping: u_dot = -omega^2 q, 1000 radians in a step
 * For omega dt -> infinity the amplification matrix of (q, u, a) has the threefold eigenvalue -rho_inf, so that
 * u_n+3 + 3 rho u_n+2 + 3 rho^2 u_n+1 + rho^3 u_n = 0, up to some 1/(omega dt)^2 = 1e-6: what each
 * coefficient of the scheme contributes is 1/beta, 1/gamma or 1/(1 - alpha) of it. */
static void unit_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = 1;
}
static void stiff_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)u, (void)p;
    h[0] = -1e6 * q[0];
}

static void high_frequencies(void **state) {
    (void)state;
    const double q0 = 1, u0 = 0;
    const complex_mechanics oscillator = {
        .nq = 1, .nu = 1, .q0 = &q0, .u0 = &u0, .mass = unit_mass, .force = stiff_force};
    carom_model *model = complex_model(&oscillator);
    for (int r = 0; r < RADII; r++) {
        const double rho = radii[r];
        /* a position of 1e6 is known to 1e-10, its force to 1e-4 */
        trial run = trial_model(model, "nsga", 1, 12, 1e-3, option(rho, false));
        double u[13] = {0}, worst = 0;
        for (int n = 1; n <= 12; n++) {
            trial_stride(&run);
            u[n] = carom_sim_u(run.sim)[0];
            if (n < 4) continue;
            double left = u[n] + 3 * rho * u[n - 1] + 3 * rho * rho * u[n - 2] + rho * rho * rho * u[n - 3];
            worst = fmax(worst, fabs(left) / fabs(u[1]));
        }
        printf("rho_inf = %.1f: %.0e from the threefold eigenvalue, u_12/u_1 = %.1e\n", rho, worst, u[12] / u[1]);
        assert_at_most(worst, 1e-4);
        assert_int_equal(carom_sim_substeps(run.sim), 0);
        trial_close(&run);
    }
    carom_model_destroy(model);
}

/* ---------------------------------------------------------------- percussions of constraints, (G17)
 * A unit mass on a rail that moves, x = 3/10 t^2, pushed against it by 3 + cos(5 t) and along it by sin(2 t): the
 * rail's percussions add up to what x_dot wins less the impulse of the push, with an error of second order. ds/dt,
 * which the force of the rail at the start depends on, is not told by this model. */
static void two_unit_masses(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = M[3] = 1;
}
static void push(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)q, (void)u, (void)p;
    h[0] = 3 + cos(5 * t), h[1] = sin(2 * t);
}
static void rail(double t, const cx *q, cx *c, const double *p) {
    (void)p;
    c[0] = q[0] - 0.3 * t * t;
}
static void rail_velocity(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)q, (void)p;
    s[0] = u[0] - 0.6 * t;
}

static void percussions_of_a_rail(void **state) {
    (void)state;
    const complex_mechanics mass = {.nq = 2,
                                    .nu = 2,
                                    .ng = 1,
                                    .q0 = (double[]){0, 0},
                                    .u0 = (double[]){0, 1},
                                    .mass = two_unit_masses,
                                    .force = push,
                                    .position = rail,
                                    .velocity = rail_velocity};
    carom_model *model = complex_model(&mass);
    double dt[SIZES], error[SIZES];
    for (int i = 0; i < SIZES; i++) {
        double sum = 0;
        dt[i] = 1. / (64 << i);
        trial run = trial_model(model, "nsga", dt[i], 1, 1e-13, NULL);
        while (!carom_sim_done(run.sim)) {
            trial_stride(&run);
            sum += carom_sim_percussion(run.sim)[0];
            assert_near(carom_sim_u(run.sim)[0], 0.6 * carom_sim_time(run.sim), 1e-12);
        }
        error[i] = fabs(sum - 0.6 + 3 + sin(5) / 5);
        trial_close(&run);
    }
    printf("impulse of the rail: order %.2f, error %.0e\n", observed_order(SIZES, dt, error), error[SIZES - 1]);
    assert_near(observed_order(SIZES, dt, error), 2, 0.1);
    carom_model_destroy(model);
}

/* A mass on a circle whose centre X(t) = A sin 3t moves: the joint's force along r = (sin a, -cos a) is
 * r . (q_dotdot + g e_y) = -9 X sin a - a_dot^2 - g cos a. Every single percussion, over dt, is its mean of the step
 * with an error of second order, from the first step on and for every rho_inf. */
static void circle_and_impulse(double t, const double *y, double *dy, const void *amplitude) {
    const double X = *(const double *)amplitude * sin(3 * t), gravity = 9.81;
    dy[0] = y[1];
    dy[1] = -gravity * sin(y[0]) + 9 * X * cos(y[0]);
    dy[2] = -9 * X * sin(y[0]) - y[1] * y[1] - gravity * cos(y[0]);
}

/* The largest error of a percussion over dt. */
static double percussion_error(const carom_model *model, double amplitude, double rho, bool closed, double dt) {
    double y[3] = {0.9, 0.6, 0}, t, before, worst = 0;
    ode *exact = ode_open(3, circle_and_impulse, NULL, &amplitude, 0, y);
    trial run = trial_model(model, "nsga", dt, 1, 1e-13, option(rho, closed));
    while (!carom_sim_done(run.sim)) {
        before = y[2];
        trial_stride(&run);
        ode_advance(exact, carom_sim_time(run.sim), &t, y);
        worst = fmax(worst, fabs(carom_sim_percussion(run.sim)[0] - (y[2] - before)) / dt);
    }
    trial_close(&run);
    ode_close(exact);
    return worst;
}

static void percussions_of_a_circle(void **state) {
    (void)state;
    const complex_mechanics *const mechanics[] = {&fixed_support, &moving_support};
    for (int k = 0; k < 4; k++) {
        const bool moving = k % 2, closed = k / 2;
        carom_model *model = complex_model(mechanics[moving]);
        for (int r = 0; r < RADII; r++) {
            double dt[SIZES], error[SIZES];
            for (int i = 0; i < SIZES; i++) {
                dt[i] = 1. / (128 << i);
                error[i] = percussion_error(model, mechanics[moving]->parameter[0], radii[r], closed, dt[i]);
            }
            printf("rho_inf = %.1f%s, percussions of a %s circle: order %.2f, error %.0e\n", radii[r],
                   closed ? ", closed" : "", moving ? "moving" : "fixed", observed_order(SIZES, dt, error),
                   error[SIZES - 1]);
            assert_at_least(observed_order(SIZES, dt, error), 1.9); /* 0.1: terms of higher order at the coarse end */
        }
        carom_model_destroy(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_order_as_published), cmocka_unit_test(second_order_with_closed_joints),
        cmocka_unit_test(unit_quaternions),          cmocka_unit_test(high_frequencies),
        cmocka_unit_test(percussions_of_a_rail),     cmocka_unit_test(percussions_of_a_circle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
