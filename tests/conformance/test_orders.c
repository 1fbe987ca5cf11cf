/* The order of every integrator while nothing changes its state: order and velocity_order without constraints,
 * joint_order, rolling_order and sliding_order with them, on every problem of support/problems.h. */
#include "support/problems.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

enum { SIZES = 4, SAMPLES = 4, MOST = 8 };

static int promised(const carom_promise *p, motion_kind kind) {
    const int order[] = {p->order, p->joint_order, p->rolling_order, p->sliding_order};
    return order[kind];
}

/* Numbers of steps for a scheme of order p: the coarsest resolves the motion (time scale about 0.3), the finest leaves
 * an error of 1e-5 to 1e-9, far above what solving to 1e-13 leaves. All are divisible by SAMPLES. */
static const int *step_counts(int p) {
    static const int low[SIZES] = {64, 128, 256, 512}, middle[SIZES] = {12, 24, 48, 96}, high[SIZES] = {8, 12, 16, 20};
    return p <= 2 ? low : p <= 4 ? middle : high;
}

typedef struct study {
    double dt[SIZES], e_q[SIZES], e_u[SIZES];
} study;

static double square_distance(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/* Errors of q and u at four times, root of the sum of squares. False: the integrator is not made for the model. */
static bool measure(const problem_of_motion *m, const char *integrator, int order, study *s) {
    carom_model *model = complex_model(m->mechanics);
    const int *count = step_counts(order);
    double q[SAMPLES][MOST], u[SAMPLES][MOST];
    bool offered = true;
    for (int i = 0; i < SAMPLES; i++) m->exact(m->T * (i + 1) / SAMPLES, q[i], u[i]);
    for (int k = 0; k < SIZES; k++) {
        trial run;
        s->dt[k] = m->T / count[k], s->e_q[k] = s->e_u[k] = 0;
        if (!(offered = trial_offer(&run, model, integrator, s->dt[k], m->T, 1e-13))) break;
        for (int i = 0; i < SAMPLES; i++) {
            for (int n = 0; n < count[k] / SAMPLES; n++) trial_stride(&run);
            s->e_q[k] += square_distance(m->mechanics->nq, carom_sim_q(run.sim), q[i]);
            s->e_u[k] += square_distance(m->mechanics->nu, carom_sim_u(run.sim), u[i]);
        }
        s->e_q[k] = sqrt(s->e_q[k]), s->e_u[k] = sqrt(s->e_u[k]);
        trial_close(&run);
    }
    carom_model_destroy(model);
    return offered;
}

/* The observed order, or the promised one where a run is exact to what the solver leaves. */
static double order_or_exact(const double *dt, const double *error, int order) {
    return error[SIZES - 1] < 1e-12 * SIZES ? order : observed_order(SIZES, dt, error);
}

static void promised_orders(void **state) {
    (void)state;
    int missed = 0;
    for (int i = 0; i < carom_integrators(); i++) {
        const carom_integrator_info *info = carom_integrator(i);
        int ran = 0;
        for (int k = 0; k < PROBLEMS; k++) {
            const problem_of_motion *m = problem_at(k);
            int order = promised(&info->promise, m->kind), order_u = info->promise.velocity_order;
            study s;
            if (order_u > order) order_u = order;
            if (order == 0 || !measure(m, info->name, order, &s)) continue;
            double q = order_or_exact(s.dt, s.e_q, order), u = order_or_exact(s.dt, s.e_u, order_u);
            /* 0.15: what terms of higher order do to the slope at the coarse end */
            bool kept = q >= order - 0.15 && u >= order_u - 0.15;
            printf("%-20s %-28s order %.2f of %d (q), %.2f of %d (u), errors %.0e, %.0e%s\n", info->name, m->name, q,
                   order, u, order_u, s.e_q[SIZES - 1], s.e_u[SIZES - 1], kept ? "" : "  MISSED");
            ran++;
            missed += !kept;
        }
        assert_true(ran > 0);
    }
    assert_int_equal(missed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(promised_orders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
