/* generalized_alpha beside the equations of its authors, in their unknowns (docs/theory/generalized_alpha.md, first
 * section), solved by another Newton method with differences for derivatives. */
#include "support/slider.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = SLIDER, ROWS = SLIDER_ROWS, KAPPA = 3 * N, LAMBDA = KAPPA + 2, FORCE = LAMBDA + 2, UNKNOWNS = FORCE + 2 };
static const double mu = SLIDER_FRICTION;

typedef struct coefficients {
    double m, f, gamma, beta;
} coefficients;

static coefficients coefficients_for(double rho) {
    const double m = (2 * rho - 1) / (rho + 1), f = rho / (rho + 1), gamma = 0.5 + f - m;
    return (coefficients){m, f, gamma, 0.25 * (gamma + 0.5) * (gamma + 0.5)};
}

/* (71) of the authors */
static double follow(const coefficients *c, double a0, double f0, double f1) {
    return (c->f * f0 + (1 - c->f) * f1 - c->m * a0) / (1 - c->m);
}

/* ---------------------------------------------------------------- joint and sliding contact */

static const double dt = 0.05;
static const carom_model_def *d;
static struct {
    coefficients c;
    double t, q[N], u[N], a[N], u_dot[N], l[2], lambda[2]; /* at t_n; l, lambda: joint and contact */
    double q1[N], u1[N], PN;                               /* of the step */
} o;

/* g_dotdot and gN_dotdot, differentiated by hand. */
static void second_rates(const double *q, const double *u, const double *u_dot, double *rate) {
    rate[JOINT] = u_dot[2] - q[0] * u_dot[0] - u[0] * u[0];
    rate[GAP] = u_dot[1] - 0.4 * cos(2 * q[0]) * u_dot[0] + 0.8 * sin(2 * q[0]) * u[0] * u[0];
}

/* M x - W (r_joint, r_contact, -mu r_contact): friction is that of slip forwards. */
static void balance(const double *q, const double *x, const double r[2], double *row) {
    const double all[ROWS] = {r[0], r[1], -mu * r[1]};
    slider_mass(d, q, x, row);
    slider_directions(d, q, all, ROWS, -1, row);
}

/* z = (u_dot, U, Q, kappa_g, kappa_N, Lambda_g, Lambda_N, lambda_g, lambda_N), closed and sliding forwards. */
static void one_step(const double *z, double *r) {
    const coefficients *c = &o.c;
    const double *u_dot = z, *U = z + N, *Q = z + 2 * N, *lambda = z + FORCE;
    double h[N], g[2], s[ROWS], P[2], friction[ROWS] = {0};
    for (int i = 0; i < N; i++) {
        double a1 = follow(c, o.a[i], o.u_dot[i], u_dot[i]);
        o.u1[i] = o.u[i] + dt * ((1 - c->gamma) * o.a[i] + c->gamma * a1) + U[i];
        o.q1[i] = o.q[i] + dt * o.u[i] + dt * dt * ((0.5 - c->beta) * o.a[i] + c->beta * a1) + Q[i];
    }
    for (int k = 0; k < 2; k++)
        P[k] = z[LAMBDA + k] + dt * ((1 - c->gamma) * o.l[k] + c->gamma * follow(c, o.l[k], o.lambda[k], lambda[k]));
    o.PN = P[1];
    slider_forces(d, o.t + dt, o.q1, o.u1, h);
    balance(o.q1, u_dot, lambda, r);
    for (int i = 0; i < N; i++) r[i] -= h[i];
    /* P_F = -mu P_N and lambda_F = -mu lambda_N make Lambda_F = -mu Lambda_N, as l_F = -mu l_N from the start */
    balance(o.q1, U, z + LAMBDA, r + N);
    slider_mass(d, o.q1, Q, r + 2 * N);
    slider_directions(d, o.q1, z + KAPPA, 2, -1, r + 2 * N);
    friction[SLIP] = -mu * z[LAMBDA + 1];
    slider_directions(d, o.q1, friction, ROWS, -dt / 2, r + 2 * N);
    complex_position(&slider, o.t + dt, o.q1, g);
    complex_velocity(&slider, o.t + dt, o.q1, o.u1, s);
    r[KAPPA] = g[0], r[KAPPA + 1] = g[1], r[LAMBDA] = s[JOINT], r[LAMBDA + 1] = s[GAP];
    second_rates(o.q1, o.u1, u_dot, r + FORCE);
}

static void start_rates(const double *z, double *r) {
    double h[N];
    balance(o.q, z, z + N, r);
    slider_forces(d, o.t, o.q, o.u, h);
    for (int i = 0; i < N; i++) r[i] -= h[i];
    second_rates(o.q, o.u, z, r + N);
}

static void advance(void) {
    double z[MOST_EQUATIONS] = {0};
    solve_equations(UNKNOWNS, one_step, z);
    for (int i = 0; i < N; i++) {
        o.a[i] = follow(&o.c, o.a[i], o.u_dot[i], z[i]), o.u_dot[i] = z[i];
        o.q[i] = o.q1[i], o.u[i] = o.u1[i];
    }
    for (int k = 0; k < 2; k++) o.l[k] = follow(&o.c, o.l[k], o.lambda[k], z[FORCE + k]), o.lambda[k] = z[FORCE + k];
    o.t += dt;
}

static void slides_as_by_hand(void **state) {
    (void)state;
    static const double radii[] = {0, 0.5, 0.9, 1};
    carom_model *model = complex_model(&slider);
    d = carom_model_get(model);
    for (int r = 0; r < 4; r++) {
        char options[48];
        snprintf(options, sizeof options, "rho_inf=%g", radii[r]);
        trial run = trial_model(model, "generalized_alpha", dt, 4 * dt, 1e-14, options);
        double z[MOST_EQUATIONS] = {0};
        o.c = coefficients_for(radii[r]), o.t = 0;
        memcpy(o.q, slider.q0, sizeof o.q), memcpy(o.u, slider.u0, sizeof o.u);
        solve_equations(N + 2, start_rates, z);
        memcpy(o.a, z, sizeof o.a), memcpy(o.u_dot, z, sizeof o.u_dot);
        memcpy(o.l, z + N, sizeof o.l), memcpy(o.lambda, z + N, sizeof o.lambda);
        for (int n = 0; n < 4; n++) {
            trial_step(&run);
            advance();
            assert_int_equal(carom_sim_contact(run.sim, 0), CAROM_SLIP); /* what the hand assumes */
            /* 1e-14 of the steps and round-off, over four steps */
            for (int i = 0; i < N; i++) assert_near(carom_sim_q(run.sim)[i], o.q[i], 1e-12);
            for (int i = 0; i < N; i++) assert_near(carom_sim_u(run.sim)[i], o.u[i], 1e-12);
            assert_near(carom_sim_percussion(run.sim)[GAP], o.PN, 1e-12);
            assert_near(carom_sim_percussion(run.sim)[SLIP], -mu * o.PN, 1e-12);
        }
        trial_close(&run);
    }
    carom_model_destroy(model);
}

/* ---------------------------------------------------------------- a free body that turns, variant: published */

static const double inertia[3] = {0.5, 0.7, 1.1}, h = 0.05;
static struct {
    coefficients c;
    double p[4], w[3], a[3], w_dot[3], p1[4], w1[3];
} top;

static void turn_rate(const double *w, double *rate) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        rate[i] = (inertia[j] - inertia[k]) * w[j] * w[k] / inertia[i];
    }
}

/* p o (0, w)/2 */
static void rate_of(const double *p, const double *w, double *rate) {
    rate[0] = -(p[1] * w[0] + p[2] * w[1] + p[3] * w[2]) / 2;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        rate[1 + i] = (p[0] * w[i] + p[1 + j] * w[k] - p[1 + k] * w[j]) / 2;
    }
}

/* (125) of the authors: q_0 + h q_dot + h^2/2 q_ddot with the weighted acceleration, all at the start of the step. */
static void turn(const double *w_dot, double *r) {
    double mean[3], p_dot[4], twice[4], by_rate[4];
    for (int i = 0; i < 3; i++) {
        double a1 = follow(&top.c, top.a[i], top.w_dot[i], w_dot[i]);
        top.w1[i] = top.w[i] + h * ((1 - top.c.gamma) * top.a[i] + top.c.gamma * a1);
        mean[i] = (1 - 2 * top.c.beta) * top.a[i] + 2 * top.c.beta * a1;
    }
    rate_of(top.p, top.w, p_dot);
    rate_of(p_dot, top.w, twice);
    rate_of(top.p, mean, by_rate);
    double length = 0;
    for (int i = 0; i < 4; i++) {
        top.p1[i] = top.p[i] + h * p_dot[i] + h * h / 2 * (twice[i] + by_rate[i]);
        length += top.p1[i] * top.p1[i];
    }
    for (int i = 0; i < 4; i++) top.p1[i] /= sqrt(length);
    turn_rate(top.w1, r);
    for (int i = 0; i < 3; i++) r[i] = w_dot[i] - r[i];
}

static void turns_as_printed(void **state) {
    (void)state;
    trial run = trial_text("carom: 1\nmodel:\n  bodies: {top: {type: spatial, mass: 1, inertia: [0.5, 0.7, 1.1], "
                           "angular_velocity: [1, 2, -3]}}\n"
                           "run: {integrator: generalized_alpha, variant: published, rho_inf: 0.6, dt: 0.05, until: 1, "
                           "tolerance: 1e-14}\n");
    static const double w0[] = {1, 2, -3};
    top.c = coefficients_for(0.6);
    memcpy(top.p, (double[]){1, 0, 0, 0}, sizeof top.p);
    memcpy(top.w, w0, sizeof top.w);
    turn_rate(top.w, top.a), turn_rate(top.w, top.w_dot);
    for (int n = 0; n < 20; n++) {
        double z[MOST_EQUATIONS] = {0};
        trial_step(&run);
        solve_equations(3, turn, z);
        for (int i = 0; i < 3; i++) {
            top.a[i] = follow(&top.c, top.a[i], top.w_dot[i], z[i]), top.w_dot[i] = z[i];
            top.w[i] = top.w1[i];
        }
        memcpy(top.p, top.p1, sizeof top.p);
        for (int i = 0; i < 4; i++) assert_near(carom_sim_q(run.sim)[3 + i], top.p[i], 1e-12);
        for (int i = 0; i < 3; i++) assert_near(carom_sim_u(run.sim)[3 + i], top.w[i], 1e-12);
    }
    trial_close(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(slides_as_by_hand), cmocka_unit_test(turns_as_printed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
