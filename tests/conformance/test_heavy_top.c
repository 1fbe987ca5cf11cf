/* The heavy top of the literature on integrators for rotations (scenes/gallery/heavy_top.yaml): order of rotations and
 * velocities with a ball joint, and energy and vertical angular momentum over many turns. */
#include "support/smooth.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- by hand
 * Euler's equations about the tip, centre of mass at e_2: J w' = J w x w + e_2 x R^T (0, 0, -m g), p' = p o (0, w)/2;
 * y = (p, w). */
static void top_ode(real t, const real *y, real *dy, const void *context) {
    (void)t, (void)context;
    const real *v = y + 1, *w = y + 4, square = y[0] * y[0] + v[0] * v[0] + v[1] * v[1] + v[2] * v[2],
               weight = 15 * 9.81L;
    const real J[3] = {15.234375L, 0.46875L, 15.234375L};
    const real up_1 = 2 * (v[0] * v[2] - y[0] * v[1]) / square,
               up_3 = (y[0] * y[0] - v[0] * v[0] - v[1] * v[1] + v[2] * v[2]) / square;
    const real torque[3] = {-weight * up_3, 0, weight * up_1};
    dy[0] = -(v[0] * w[0] + v[1] * w[1] + v[2] * w[2]) / 2;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        dy[1 + i] = (y[0] * w[i] + v[j] * w[k] - v[k] * w[j]) / 2;
        dy[4 + i] = ((J[j] - J[k]) * w[j] * w[k] + torque[i]) / J[i];
    }
}

static const double T = 0.1; /* 15 rad */
static void exactly(double p[4], double w[3]) {
    real y[7] = {1, 0, 0, 0, 0, 150, -4.61538L};
    for (int i = 0; i < 100; i++) smooth_solve(7, top_ode, NULL, i * (real)T / 100, (i + 1) * (real)T / 100, y);
    for (int i = 0; i < 4; i++) p[i] = (double)y[i];
    for (int i = 0; i < 3; i++) w[i] = (double)y[4 + i];
}

static trial start(const char *scheme, double dt, double until) {
    char set[3][48];
    const char *option = strchr(scheme, ':');
    snprintf(set[0], sizeof *set, "run.integrator=%.*s", (int)strcspn(scheme, ":"), scheme);
    snprintf(set[1], sizeof *set, "run.dt=%.17g", dt);
    snprintf(set[2], sizeof *set, "run.until=%.17g", until);
    return trial_scene("gallery/heavy_top", set[0], set[1], set[2], "run.tolerance=1e-12", option ? option + 1 : NULL,
                       NULL);
}

/* ---- orders */

static void errors(const char *scheme, double dt, const double p[4], const double w[3], double *rotation,
                   double *velocity) {
    trial run = start(scheme, dt, T);
    while (!carom_sim_done(run.sim)) trial_stride(&run);
    const double *q = carom_sim_q(run.sim) + 3, *u = carom_sim_u(run.sim) + 3;
    double same = 0;
    for (int i = 0; i < 4; i++) same += q[i] * p[i];
    *rotation = *velocity = 0;
    for (int i = 0; i < 4; i++) *rotation = fmax(*rotation, fabs(q[i] - (same > 0 ? p[i] : -p[i])));
    for (int i = 0; i < 3; i++) *velocity = fmax(*velocity, fabs(u[i] - w[i]));
    trial_close(&run);
}

enum { SIZES = 4 };
static void orders(void **state) {
    (void)state;
    static const struct {
        const char *scheme;
        double dt, order;
    } list[] = {{"symmetric_moreau", 1e-4, 1},
                {"variational_moreau", 1e-4, 1},
                {"rattle", 1e-3, 2},
                {"nsga", 1e-3, 2},
                {"generalized_alpha", 1e-3, 2},
                {"lobatto:run.stages=2", 1e-3, 2},
                {"lobatto:run.stages=3", 4e-3, 4},
                {"lobatto:run.stages=4", 1e-2, 6}};
    double p[4], w[3];
    exactly(p, w);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        double h[SIZES], error[2][SIZES];
        for (int i = 0; i < SIZES; i++) {
            h[i] = list[k].dt / (1 << i);
            errors(list[k].scheme, h[i], p, w, &error[0][i], &error[1][i]);
        }
        double found[2] = {observed_order(SIZES, h, error[0]), observed_order(SIZES, h, error[1])};
        printf("%-20s rotation %.1e .. %.1e, order %.2f; velocity %.1e .. %.1e, order %.2f\n", list[k].scheme,
               error[0][0], error[0][SIZES - 1], found[0], error[1][0], error[1][SIZES - 1], found[1]);
        for (int i = 0; i < 2; i++) assert_near(found[i], list[k].order, 0.2); /* turns of up to 1.5 rad in a step */
    }
}

/* ---- what is kept */

typedef struct errors_over_time {
    double E[2], L[2]; /* largest relative errors in the first and the second half */
} errors_over_time;

static errors_over_time keep(const char *scheme, double dt, double until) {
    trial run = start(scheme, dt, until);
    const double E = trial_value(&run, "E"), L = trial_value(&run, "Lz");
    errors_over_time worst = {{0}, {0}};
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        int half = carom_sim_time(run.sim) > until / 2;
        worst.E[half] = fmax(worst.E[half], fabs(trial_value(&run, "E") / E - 1));
        worst.L[half] = fmax(worst.L[half], fabs(trial_value(&run, "Lz") / L - 1));
    }
    printf("%-20s dt = %.0e: E %.1e, %.1e; Lz %.1e, %.1e\n", scheme, dt, worst.E[0], worst.E[1], worst.L[0],
           worst.L[1]);
    trial_close(&run);
    return worst;
}

/* 10 s, 13 swings and 240 turns: both halves see the same errors, up to their sampling, and these fall with the order
 * of the scheme. */
static void no_drift(void **state) {
    (void)state;
    static const struct {
        const char *scheme;
        double order;
    } list[] = {{"rattle", 2}, {"lobatto:run.stages=2", 2}, {"lobatto:run.stages=3", 4}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        errors_over_time fine = keep(list[k].scheme, 1e-3, 10), coarse = keep(list[k].scheme, 2e-3, 10);
        assert_at_most(fine.E[1], 1.02 * fine.E[0]);
        assert_at_most(fine.L[1], 1.02 * fine.L[0]);
        assert_near(log2(coarse.L[0] / fine.L[0]), list[k].order, 0.1);
        assert_near(log2(coarse.E[0] / fine.E[0]), list[k].order, 0.1);
    }
}

/* nsga is not symmetric. Of its modified equation f + dt^2 f_2 + dt^3 f_3 + ..., f_2 respects the reversal of time and
 * lets the energy waver, f_3 does not: energy goes steadily with the third power of dt. With its joint on velocity
 * level nothing grows faster than that, without damping either: what is lost adds up, and the second half ends with
 * at most twice the error of the first. */
static void steady_loss(void **state) {
    (void)state;
    static const char *const schemes[] = {"nsga:run.rho_inf=0.8", "nsga:run.rho_inf=1"};
    for (int k = 0; k < 2; k++) {
        errors_over_time fine = keep(schemes[k], 2e-3, 10), coarse = keep(schemes[k], 4e-3, 10);
        assert_near(log2(coarse.E[1] / fine.E[1]), 3, 0.2); /* turns of 0.6 rad in a step: dt^4 shows */
        assert_at_most(coarse.E[1], 2 * coarse.E[0]);
        assert_at_most(fine.E[1], 2 * fine.E[0]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders), cmocka_unit_test(no_drift),
                                       cmocka_unit_test(steady_loss)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
