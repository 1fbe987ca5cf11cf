/* Integrators that promise to be symmetric in time. A motion of a symmetric scheme, read backwards, is a motion of the
 * scheme. Where u_n belongs to the node, it starts back with -u_n. Where u_n belongs to the coming element, with the
 * velocity that leads to q_{n-1} in its first step; a symmetric scheme then goes on to q_{n-2}, ..., q_0. */
#include "support/problems.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double tolerance = 1e-13; /* of a step: what it misses adds up over a run */
enum { BACK = 50, MOST = 6 };
static const double back_dt = 0.02;

static void stretch(complex_mechanics *m, const double *q0, const double *u0, const char *scheme, int steps,
                    double (*q)[MOST], double *u_end) {
    m->q0 = q0, m->u0 = u0;
    carom_model *model = complex_model_anywhere(m);
    trial run = trial_model(model, scheme, back_dt, steps * back_dt, tolerance, NULL);
    for (int n = 0; n <= steps; n++) {
        memcpy(q[n], carom_sim_q(run.sim), (size_t)m->nq * sizeof *q[n]);
        if (n < steps) trial_stride(&run);
    }
    memcpy(u_end, carom_sim_u(run.sim), (size_t)m->nu * sizeof *u_end);
    trial_close(&run);
    carom_model_destroy(model);
}

/* The k-th column of B at q. */
static void direction(const complex_mechanics *m, const double *q, int k, double *column) {
    cx Q[MOST], u[MOST] = {0}, fast[MOST], slow[MOST];
    for (int i = 0; i < m->nq; i++) Q[i] = q[i], column[i] = i == k;
    if (!m->kinematics) return;
    m->kinematics(0, Q, u, slow, m->parameter);
    u[k] = 1;
    m->kinematics(0, Q, u, fast, m->parameter);
    for (int i = 0; i < m->nq; i++) column[i] = creal(fast[i] - slow[i]);
}

/* Velocity u at q0 that leads to q1 in one step. One step is q0 + dt B u + O(dt^2), and the columns of B are orthogonal
 * here, so correcting u by what is missing contracts by O(dt). */
static void aim(complex_mechanics *m, const double *q0, const double *q1, const char *scheme, double *u) {
    double q[2][MOST], end[MOST], column[MOST];
    for (int n = 0; n < 30; n++) {
        stretch(m, q0, u, scheme, 1, q, end);
        for (int k = 0; k < m->nu; k++) {
            double missing = 0, length = 0;
            direction(m, q0, k, column);
            for (int i = 0; i < m->nq; i++) missing += column[i] * (q1[i] - q[1][i]), length += column[i] * column[i];
            u[k] += missing / (length * back_dt);
        }
    }
}

static double distance(int n, const double *a, const double *b) {
    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

static double way_back(const complex_mechanics *mechanics, const carom_integrator_info *info) {
    static double there[BACK + 1][MOST], back[BACK + 1][MOST];
    complex_mechanics m = *mechanics;
    double u[MOST], q_end[MOST], u_end[MOST], worst = 0;
    stretch(&m, mechanics->q0, mechanics->u0, info->name, BACK, there, u);
    for (int i = 0; i < m.nu; i++) u[i] = -u[i];
    memcpy(q_end, there[BACK], sizeof q_end);
    if (info->promise.velocity_order < info->promise.order) aim(&m, q_end, there[BACK - 1], info->name, u);
    stretch(&m, q_end, u, info->name, BACK, back, u_end);
    for (int n = 0; n <= BACK; n++) worst = fmax(worst, distance(m.nq, back[n], there[BACK - n]));
    if (info->promise.velocity_order < info->promise.order) return worst;
    for (int i = 0; i < m.nu; i++) u_end[i] = -u_end[i];
    return fmax(worst, distance(m.nu, u_end, mechanics->u0));
}

static bool offered(const complex_mechanics *m, const char *scheme) {
    carom_model *model = complex_model(m);
    trial run;
    bool made = trial_offer(&run, model, scheme, back_dt, 1, tolerance);
    if (made) trial_close(&run);
    carom_model_destroy(model);
    return made;
}

static void symmetry_in_time(void **state) {
    (void)state;
    static const struct {
        const char *name;
        const complex_mechanics *mechanics;
    } systems[] = {{"M(q), polar", &polar}, {"joint", &fixed_support},     {"knife edge", &knife},
                   {"quaternion", &body},   {"quaternion, heavy", &heavy}, {"rolling ball", &ball}};
    int missed = 0;
    for (int i = 0; i < carom_integrators(); i++) {
        const carom_integrator_info *info = carom_integrator(i);
        int ran = 0;
        for (int k = 0; k < 6 && info->promise.symmetric; k++) {
            const complex_mechanics *m = systems[k].mechanics;
            if (m->ng + m->ngamma + m->contacts > 0 && !info->promise.positions) continue;
            if (!offered(m, info->name)) continue;
            double gap = way_back(m, info);
            bool kept = gap <= 2 * BACK * 2 * BACK * tolerance; /* regular motions: errors grow no faster than time */
            printf("%-20s %-28s comes back to %.0e%s\n", info->name, systems[k].name, gap, kept ? "" : "  MISSED");
            ran++;
            missed += !kept;
        }
        assert_true(ran > 0 || !info->promise.symmetric);
    }
    assert_int_equal(missed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(symmetry_in_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
