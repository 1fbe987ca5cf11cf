/* The equations of nsga as printed, but for their corrections (docs/theory/nsga.md), solved by another Newton method
 * with differences for derivatives: three problems in a row, on a system in which every term counts. q = (x, y, z),
 * M(q), h(t,q,u), a joint and a contact that slides on curved ground. Once more with the joint of the smooth motion on
 * position level, joints: closed. */
#include "support/slider.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = SLIDER, ROWS = SLIDER_ROWS, MOST = 6 };
static const double mu = SLIDER_FRICTION, dt = 0.05;

/* ---------------------------------------------------------------- the scheme */
static const carom_model_def *d; /* the model, for M and W^T */
static struct {
    bool closed;
    double rho, t, q[N], v[N], a[N], v_dot[N];                     /* at t_n */
    double v_smooth[N], q_smooth[N], rate[N], lambda, U[N], q1[N]; /* of the step */
} o;

static void multiply_mass(const double *q, const double *x, double *Mx) {
    slider_mass(d, q, x, Mx);
}
static void forces(double t, const double *q, const double *v, double *h) {
    slider_forces(d, t, q, v, h);
}
static void add_directions(const double *q, const double *r, int rows, double factor, double *f) {
    slider_directions(d, q, r, rows, factor, f);
}

/* (3)-(5) with z = (a_{n+1}, lambda~); closed: g in place of g_dot */
static void smooth_motion(const double *z, double *r) {
    const double am = (2 * o.rho - 1) / (o.rho + 1), af = o.rho / (o.rho + 1), gamma = 0.5 + af - am,
                 beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
    double h[N], c[2], s[ROWS];
    for (int i = 0; i < N; i++) {
        o.q_smooth[i] = o.q[i] + dt * o.v[i] + dt * dt * ((0.5 - beta) * o.a[i] + beta * z[i]);
        o.v_smooth[i] = o.v[i] + dt * ((1 - gamma) * o.a[i] + gamma * z[i]);
        o.rate[i] = ((1 - am) * z[i] + am * o.a[i] - af * o.v_dot[i]) / (1 - af);
    }
    o.lambda = z[N];
    multiply_mass(o.q_smooth, o.rate, r);
    forces(o.t + dt, o.q_smooth, o.v_smooth, h);
    for (int i = 0; i < N; i++) r[i] -= h[i];
    add_directions(o.q_smooth, &o.lambda, 1, -1, r);
    complex_position(&slider, o.t, o.q_smooth, c);
    complex_velocity(&slider, o.t, o.q_smooth, o.v_smooth, s);
    r[N] = o.closed ? c[0] : s[JOINT];
}

/* h and lambda~ at (q, v) less those of the smooth motion */
static void excess(const double *q, const double *v, double *f) {
    double h[N];
    forces(o.t + dt, q, v, f);
    forces(o.t + dt, o.q_smooth, o.v_smooth, h);
    for (int i = 0; i < N; i++) f[i] -= h[i];
    add_directions(q, &o.lambda, 1, 1, f);
    add_directions(o.q_smooth, &o.lambda, 1, -1, f);
}

/* Closed and sliding forwards: all three percussions are forces, the last is -mu times the second. (8), (9) with
 * z = (U, nu_g, nu_N) */
static void position_correction(const double *z, double *r) {
    double f[N], c[2], nu[ROWS] = {z[N], z[N + 1], -mu * z[N + 1]};
    for (int i = 0; i < N; i++) o.U[i] = z[i], o.q1[i] = o.q_smooth[i] + z[i];
    multiply_mass(o.q_smooth, o.U, r);
    excess(o.q1, o.v_smooth, f);
    for (int i = 0; i < N; i++) r[i] -= dt * dt * f[i];
    add_directions(o.q1, nu, ROWS, -1, r);
    complex_position(&slider, o.t, o.q1, c);
    r[N] = c[0], r[N + 1] = c[1];
}

/* (13), (14) with z = (W, Lambda_g, Lambda_N); forces of the contact in the mean of both directions, (G27) */
static void velocity_jump(const double *z, double *r) {
    double f[N], v[N], s[ROWS], here[N], there[N], Lambda[ROWS] = {z[N], z[N + 1], -mu * z[N + 1]};
    const double contact[ROWS] = {0, Lambda[GAP], Lambda[SLIP]};
    for (int i = 0; i < N; i++) v[i] = o.v_smooth[i] + z[i];
    multiply_mass(o.q1, z, r);
    excess(o.q1, v, f);
    multiply_mass(o.q1, o.rate, here);
    multiply_mass(o.q_smooth, o.rate, there);
    for (int i = 0; i < N; i++) r[i] -= dt * (f[i] - here[i] + there[i]);
    add_directions(o.q1, Lambda, 1, -1, r);
    add_directions(o.q, contact, ROWS, -0.5, r);
    add_directions(o.q1, contact, ROWS, -0.5, r);
    complex_velocity(&slider, o.t, o.q1, v, s);
    r[N] = s[JOINT], r[N + 1] = s[GAP];
}

/* M v_dot = h + W_g lambda, g_dotdot = 0: no contact. */
static void start_rates(const double *z, double *r) {
    double h[N];
    multiply_mass(o.q, z, r);
    forces(o.t, o.q, o.v, h);
    for (int i = 0; i < N; i++) r[i] -= h[i];
    add_directions(o.q, z + N, 1, -1, r);
    r[N] = z[2] - o.q[0] * z[0] - o.v[0] * o.v[0];
}

static void step_by_hand(double *Lambda) {
    const double am = (2 * o.rho - 1) / (o.rho + 1), af = o.rho / (o.rho + 1);
    double z[MOST] = {0};
    solve_equations(N + 1, smooth_motion, z);
    double jump[MOST] = {0}, correction[MOST] = {0};
    solve_equations(N + 2, position_correction, correction);
    solve_equations(N + 2, velocity_jump, jump);
    for (int i = 0; i < N; i++) {
        o.a[i] = ((1 - af) * o.rate[i] + af * o.v_dot[i] - am * o.a[i]) / (1 - am);
        o.v_dot[i] = o.rate[i];
        o.q[i] = o.q1[i], o.v[i] = o.v_smooth[i] + jump[i];
    }
    o.t += dt;
    *Lambda = jump[N + 1];
}

/* ---------------------------------------------------------------- side by side */

static void steps_by_hand(bool closed) {
    static const double radii[] = {0, 0.5, 0.8, 1};
    carom_model *model = complex_model(&slider);
    d = carom_model_get(model);
    for (int r = 0; r < 4; r++) {
        char options[48];
        snprintf(options, sizeof options, "rho_inf=%g,joints=%s", radii[r], closed ? "closed" : "auto");
        trial run = trial_model(model, "nsga", dt, 4 * dt, 1e-14, options);
        double z[MOST] = {0}, Lambda;
        o.closed = closed, o.rho = radii[r], o.t = 0;
        memcpy(o.q, slider.q0, sizeof o.q);
        memcpy(o.v, slider.u0, sizeof o.v);
        solve_equations(N + 1, start_rates, z);
        memcpy(o.a, z, sizeof o.a), memcpy(o.v_dot, z, sizeof o.v_dot);
        for (int n = 0; n < 4; n++) {
            trial_step(&run);
            step_by_hand(&Lambda);
            assert_int_equal(carom_sim_contact(run.sim, 0), CAROM_SLIP); /* what the hand assumes */
            /* 1e-14 of the steps and round-off, over four steps */
            for (int i = 0; i < N; i++) assert_near(carom_sim_q(run.sim)[i], o.q[i], 1e-12);
            for (int i = 0; i < N; i++) assert_near(carom_sim_u(run.sim)[i], o.v[i], 1e-12);
            assert_near(carom_sim_percussion(run.sim)[GAP], Lambda, 1e-12);
            assert_near(carom_sim_percussion(run.sim)[SLIP], -mu * Lambda, 1e-12);
        }
        trial_close(&run);
    }
    carom_model_destroy(model);
}

static void as_printed(void **state) {
    (void)state;
    steps_by_hand(false);
}

static void with_closed_joints(void **state) {
    (void)state;
    steps_by_hand(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_printed), cmocka_unit_test(with_closed_joints)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
