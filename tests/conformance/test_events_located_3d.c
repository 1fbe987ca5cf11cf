/* Slip in two directions that comes to rest, and that begins from rest, with events located by lobatto: order 2s-2
 * to rest, although the direction of slip is not smooth there; what a break from rest costs. */
#include "support/phased.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- rest on an inclined plane steeper than it seems
 * The velocity makes an angle psi with the line of fall; with a = g sin(slope), k = mu/tan(slope) > 1
 *     v_dot = a (cos psi - k),   v psi_dot = -a sin psi.
 * With p = tan(psi/2), dv/dp and dt/dp integrate to
 *     v = v0/2 p^(k-1) (1 + p^2),   stop - t = v0/(2 a) (p^(k-1)/(k-1) + p^(k+1)/(k+1))
 * from p = 1 (across the line of fall) to p = 0, and so do x and y:
 *     x = X(1) - X(p),  X = v0^2/(2 a) (p^(2k-1)/(2k-1) + p^(2k+1)/(2k+1))      across
 *     y = Y(1) - Y(p),  Y = v0^2/(4 a) (p^(2k-2)/(2k-2) - p^(2k+2)/(2k+2))      down */
typedef struct plane {
    real a, k, v0;
} plane;

static real time_left(const plane *s, real p) {
    return s->v0 / (2 * s->a) * (powl(p, s->k - 1) / (s->k - 1) + powl(p, s->k + 1) / (s->k + 1));
}
static real across(const plane *s, real p) {
    real n = 2 * s->k;
    return s->v0 * s->v0 / (2 * s->a) * (powl(p, n - 1) / (n - 1) + powl(p, n + 1) / (n + 1));
}
static real down(const plane *s, real p) {
    real n = 2 * s->k;
    return s->v0 * s->v0 / (4 * s->a) * (powl(p, n - 2) / (n - 2) - powl(p, n + 2) / (n + 2));
}

static void plane_exact(real t, double *q, double *u) {
    const plane s = {(real)9.81 * sinl((real)0.45), (real)0.7 / tanl((real)0.45), 3};
    real low = 0, high = 1, left = time_left(&s, 1) - t;
    for (int i = 0; i < 200 && left > 0; i++) {
        real middle = (low + high) / 2;
        if (time_left(&s, middle) < left) low = middle;
        else high = middle;
    }
    real p = left > 0 ? high : 0;
    q[0] = (double)(across(&s, 1) - across(&s, p)), q[1] = (double)(down(&s, 1) - down(&s, p));
    u[0] = (double)(s.v0 * powl(p, s.k)), u[1] = (double)(s.v0 / 2 * powl(p, s.k - 1) * (1 - p * p));
}

/* ---------------------------------------------------------------- time measured by the way
 * Near rest the direction turns ever faster in time, but not along ds = dt/|v|: y = (x, y, x_dot, y_dot, t) and
 *     dy/ds = |v| (x_dot, y_dot, x_dotdot, y_dotdot, 1),   where  |v| (x_dotdot, y_dotdot) = ... - mu N (x_dot, y_dot)
 * is smooth in s. Rest is where s goes to infinity, and |v| to zero exponentially. */
static const real g = 9.81;

/* The bowl z = f(x, y): accelerations of test_lobatto_orders.c, N/m = (g + f''(v, v))/w. */
static void bowl_rhs(real s, const real *y, real *dy, const void *context) {
    (void)s, (void)context;
    const real kx = 1, ky = 0.7, mu = 0.15, fx = kx * y[0], fy = ky * y[1], z_dot = fx * y[2] + fy * y[3];
    const real w2 = 1 + fx * fx + fy * fy, N = (g + kx * y[2] * y[2] + ky * y[3] * y[3]) / sqrtl(w2);
    const real v = sqrtl(y[2] * y[2] + y[3] * y[3] + z_dot * z_dot);
    dy[0] = v * y[2], dy[1] = v * y[3];
    dy[2] = -v * N * fx / sqrtl(w2) - mu * N * y[2];
    dy[3] = -v * N * fy / sqrtl(w2) - mu * N * y[3];
    dy[4] = v;
}

/* The floor, pulled by rate t (cos w t, sin w t), m = 1. */
static const real pull_rate = 2, pull_w = 0.8, pull_mu = 0.3;
static void pull_rhs(real s, const real *y, real *dy, const void *context) {
    (void)s, (void)context;
    const real v = sqrtl(y[2] * y[2] + y[3] * y[3]), F = pull_rate * y[4];
    dy[0] = v * y[2], dy[1] = v * y[3];
    dy[2] = v * F * cosl(pull_w * y[4]) - pull_mu * g * y[2];
    dy[3] = v * F * sinl(pull_w * y[4]) - pull_mu * g * y[3];
    dy[4] = v;
}

/* The same in time, for later: fast slip makes steps of s long. */
static void pull_in_time(real t, const real *y, real *dy, const void *context) {
    (void)t;
    pull_rhs(0, y, dy, context);
    for (int i = 0; i < 5; i++) dy[i] /= sqrtl(y[2] * y[2] + y[3] * y[3]);
}

typedef struct moment {
    real t, y[5];
} moment;
static real time_left_to(int k, real s, const real *y, const void *context) {
    (void)k, (void)s;
    return ((const moment *)context)->t - y[4];
}
static void keep(int k, real s, real *y, void *context) {
    (void)k, (void)s;
    moment *m = context;
    memcpy(m->y, y, sizeof m->y);
    m->t = INFINITY;
}

/* y at time t, from y at its own time. */
static void follow(smooth_rhs *rhs, real t, real *y) {
    moment m = {.t = t};
    phased p = {
        .n = 5, .watched = 1, .rhs = rhs, .watch = time_left_to, .happen = keep, .context = &m, .stride = 0.25L};
    memcpy(p.y, y, sizeof m.y);
    while (!p.events) phased_advance(&p, p.t + p.stride);
    memcpy(y, m.y, sizeof m.y);
}

/* Slip begins at t_b, rate t_b = mu g. A little later, tau = t - t_b, it lags behind the force by v w/F:
 *     v = rate tau^2/2,   direction w t - rate w tau^2/(2 mu g);   the next terms are tau^5 and tau^3. */
static void pull_begin(real tau, real *y) {
    const real begin = pull_mu * g / pull_rate, t = begin + tau, v = pull_rate * tau * tau / 2;
    const real angle = pull_w * t - pull_w * v / (pull_mu * g), middle = pull_w * (begin + tau * 3 / 4);
    y[0] = v * tau / 3 * cosl(middle), y[1] = v * tau / 3 * sinl(middle);
    y[2] = v * cosl(angle), y[3] = v * sinl(angle), y[4] = t;
}

/* ---------------------------------------------------------------- orders */
enum { SIZES = 3, TIMES = 2 };

typedef struct problem {
    const char *scene, *override;
    double t[TIMES]; /* where q and u are compared */
    int steps[4];    /* until t[0], of s = 2, 3, 4, 5; then twice and four times as many */
    double q[TIMES][2], u[TIMES][2];
} problem;

static problem problems[] = {
    {"gallery/turning_slide", "parameters.mu=0.7", {0.5, 1.5}, {10, 10, 5, 5}, {{0}}, {{0}}},
    {"gallery/bowl", "parameters.mu=0.15", {1, 5}, {20, 20, 10, 10}, {{0}}, {{0}}},
    {"gallery/pulled_block", "parameters.mu=0.3", {2, 4}, {10, 10, 10, 10}, {{0}}, {{0}}},
};
enum { PLANE, BOWL, PULL, PROBLEMS };

static void set(problem *p, int k, const real *y) {
    for (int i = 0; i < 2; i++) p->q[k][i] = (double)y[i], p->u[k][i] = (double)y[2 + i];
}

static void fill(void) {
    real bowl[8] = {0.8, 0, 0, 2, 0}, pull[8];
    for (int k = 0; k < TIMES; k++) plane_exact(problems[PLANE].t[k], problems[PLANE].q[k], problems[PLANE].u[k]);
    follow(bowl_rhs, problems[BOWL].t[0], bowl);
    set(&problems[BOWL], 0, bowl);
    smooth_solve(5, bowl_rhs, NULL, 0, 60, bowl);
    assert_near((double)hypotl(bowl[2], bowl[3]), 0, 1e-18);
    set(&problems[BOWL], 1, bowl);
    pull_begin(2e-3L, pull);
    follow(pull_rhs, problems[PULL].t[0], pull);
    set(&problems[PULL], 0, pull);
    smooth_solve(5, pull_in_time, NULL, problems[PULL].t[0], problems[PULL].t[1], pull);
    set(&problems[PULL], 1, pull);
}

static void measure(const problem *p, int s, int steps, double *error) {
    int events = 0, count;
    trial run = trial_located(p->scene, s, p->t[0] / steps, p->t[1], p->override, NULL);
    for (int k = 0; k < TIMES; k++) {
        while (carom_sim_time(run.sim) < p->t[k] - 1e-9) {
            trial_stride(&run);
            carom_sim_events(run.sim, &count);
            events += count;
        }
        error[k] = 0;
        for (int i = 0; i < 2; i++) {
            error[k] = fmax(error[k], fabs(carom_sim_q(run.sim)[i] - p->q[k][i]));
            error[k] = fmax(error[k], fabs(carom_sim_u(run.sim)[i] - p->u[k][i]));
        }
    }
    assert_int_equal(events, 1);
    trial_close(&run);
}

/* The order at each of the times. */
static void study(const problem *p, int s, double *order) {
    double dt[SIZES], error[SIZES][TIMES];
    printf("%-22s s = %d:", p->scene, s);
    for (int k = 0; k < SIZES; k++) {
        int steps = p->steps[s - 2] << k;
        dt[k] = p->t[0] / steps;
        measure(p, s, steps, error[k]);
    }
    for (int i = 0; i < TIMES; i++) {
        double e[SIZES];
        for (int k = 0; k < SIZES; k++) e[k] = error[k][i];
        order[i] = observed_order(SIZES, dt, e);
        printf("   t = %g: %.1e %.1e %.1e order %.2f", p->t[i], e[0], e[1], e[2], order[i]);
    }
    printf("\n");
}

/* While it slips, and at rest. Where the steps before the stop fall changes with dt, and with it the error by a part.
 */
static void order_2s_minus_2_to_rest(void **state) {
    (void)state;
    for (int k = PLANE; k <= BOWL; k++)
        for (int s = 2; s <= 5; s++) {
            double order[TIMES];
            study(&problems[k], s, order);
            for (int i = 0; i < TIMES; i++) assert_at_least(order[i], 2 * s - 2 - 0.5);
        }
}

/* Slip that begins follows the force without delay at first: its direction is a stiff variable, at a rate F/v with
 * v = 0, docs/theory/events.md, (V26) to (V29). The force turns with w = 0.8 per second, so that errors of order 2s-2
 * are (w dt)^(2s-2) of the velocity. Steps solved to 1e-13 add up to 1e-10 in 320 steps and 4 s. */
static void break_in_two_directions(void **state) {
    (void)state;
    const problem *p = &problems[PULL];
    const double speed = hypot(p->u[1][0], p->u[1][1]);
    for (int s = 2; s <= 5; s++) {
        double error[TIMES], h[5], most[5];
        for (int steps = 10, k = 0; steps <= 160; steps *= 2, k++) {
            double dt = p->t[0] / steps;
            measure(p, s, steps, error);
            h[k] = dt, most[k] = fmax(error[0], error[1]);
            printf("pulled block, s = %d, dt = %.4f: %.1e, at most %.1e\n", s, dt, most[k],
                   speed * pow(0.8 * dt, 2 * s - 2) + 1e-10);
            assert_at_most(most[k], speed * pow(0.8 * dt, 2 * s - 2) + 1e-10);
        }
        if (s == 2) assert_at_least(observed_order(5, h, most), 1.5); /* the others are next to round-off */
    }
    trial run = trial_located(p->scene, 3, 0.07, 2, NULL, NULL);
    const carom_event *e = NULL;
    for (int count = 0; !count; e = carom_sim_events(run.sim, &count)) trial_stride(&run);
    assert_int_equal(e->kind, CAROM_BREAK);
    assert_near(e->time, (double)(pull_mu * g / pull_rate), 1e-11); /* forces are known to 1e-12 of themselves */
    trial_close(&run);
}

int main(void) {
    fill();
    const struct CMUnitTest tests[] = {cmocka_unit_test(order_2s_minus_2_to_rest),
                                       cmocka_unit_test(break_in_two_directions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
