/* Point mass on the slope y = exp(-x) (lobatto, 6.3), against equations reduced by hand.
 *
 * With f = exp(-x), w = sqrt(1 + f^2), tangent (1, -f)/w, normal (f, 1)/w, curvature k = f/w^3 and v > 0 the speed down
 * the slope, x_dot = v/w and v_dot = g f/w - mu (k v^2 + g/w). From y0 > 1 the mass falls for tau = sqrt(2 (y0 - 1)/g)
 * to (0, 1), where the inelastic impact leaves v = (1 - mu) g tau/sqrt(2). Up to t = 1.6 it slides. */
#include "support/smooth.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

static const double g = 10, mu = 0.3, window = 1.6;

static void sliding(real t, const real *y, real *dy, const void *context) {
    (void)t, (void)context;
    real f = expl(-y[0]), w = sqrtl(1 + f * f);
    dy[0] = y[1] / w;
    dy[1] = (10 * f - 0.3L * (10 + f / (w * w) * y[1] * y[1])) / w;
}

/* The exact motion, asked for at increasing times. */
typedef struct motion {
    double y0;
    real fall, t, state[2]; /* duration of the fall; (x, v) at time t >= fall */
} motion;

static motion start_at(double y0) {
    real fall = sqrtl(2 * ((real)y0 - 1) / 10);
    return (motion){y0, fall, fall, {0, 0.7L * 10 * fall / sqrtl(2)}};
}

static void exact(motion *m, double t, double *q, double *u) {
    if (t <= m->fall) {
        q[0] = u[0] = 0;
        q[1] = m->y0 - g / 2 * t * t, u[1] = -g * t;
        return;
    }
    smooth_solve(2, sliding, NULL, m->t, t, m->state);
    m->t = t;
    real f = expl(-m->state[0]), w = sqrtl(1 + f * f);
    q[0] = (double)m->state[0], q[1] = (double)f;
    u[0] = (double)(m->state[1] / w), u[1] = (double)(-f * m->state[1] / w);
}

static trial open_scene(int number, int s, const char *variant, double dt, const char *option) {
    char scene[64], stages[32], step[64];
    snprintf(scene, sizeof scene, "paper/lobatto/slope_%d", number);
    snprintf(stages, sizeof stages, "run.stages=%d", s);
    snprintf(step, sizeof step, "run.dt=%.17g", dt);
    return trial_scene(scene, stages, variant, step, option, NULL);
}

/* Norm (74) over the whole steps in [0, 1.6]. */
static void measure(int number, int s, double dt, double *e_q, double *e_u) {
    trial run = open_scene(number, s, "run.variant=cured", dt, "run.tolerance=1e-14");
    motion m = start_at(number == 1 ? 1 : 1.5);
    *e_q = *e_u = 0;
    for (int n = 1; n <= (int)(window / dt + 1e-9); n++) {
        double q[2], u[2];
        trial_step(&run);
        exact(&m, n * dt, q, u);
        for (int i = 0; i < 2; i++) {
            *e_q += dt * fabs(carom_sim_q(run.sim)[i] - q[i]);
            *e_u += dt * fabs(carom_sim_u(run.sim)[i] - u[i]);
        }
    }
    trial_close(&run);
}

enum { SIZES = 8 };

/* dt = 4.096e-1 ... 3.2e-3, as in the paper; from first to last the sizes that show the order. */
static void study(int number, int s, int first, int last, double *order_q, double *order_u, double *floor) {
    double dt[SIZES], e_q[SIZES], e_u[SIZES];
    *floor = 1;
    printf("slope_%d, s = %d\n        dt       e_q       e_u\n", number, s);
    for (int k = 0; k <= last; k++) {
        dt[k] = 3.2e-3 * (128 >> k);
        measure(number, s, dt[k], &e_q[k], &e_u[k]);
        *floor = fmin(*floor, fmax(e_q[k], e_u[k]));
        printf("%10.3e %.3e %.3e\n", dt[k], e_q[k], e_u[k]);
    }
    int n = last - first + 1;
    *order_q = observed_order(n, dt + first, e_q + first);
    *order_u = observed_order(n, dt + first, e_u + first);
    printf("orders     %9.3f %9.3f\n", *order_q, *order_u);
}

/* Case 1 is smooth: order 2s-2. */
static void order_2s_minus_2_while_sliding(void **state) {
    (void)state;
    static const int first[] = {2, 2, 1, 1}, last[] = {7, 6, 4, 3};
    for (int s = 2; s <= 5; s++) {
        double order_q, order_u, floor;
        study(1, s, first[s - 2], last[s - 2], &order_q, &order_u, &floor);
        assert_near(order_q, 2 * s - 2, 0.25); /* higher terms at the large steps */
        assert_near(order_u, 2 * s - 2, 0.25);
    }
}

/* Steps solved to 1e-14 add up to no more than 1e-13 over 1.6 s, in the sum of two components. */
static void errors_down_to_round_off(void **state) {
    (void)state;
    for (int s = 4; s <= 5; s++) {
        double order_q, order_u, floor;
        study(1, s, 0, s == 4 ? 5 : 4, &order_q, &order_u, &floor);
        assert_at_most(floor, 1e-13);
    }
}

/* Case 2 meets its impact up to one step off: first order for every s, not monotone. */
static void first_order_across_the_impact(void **state) {
    (void)state;
    for (int s = 2; s <= 5; s++) {
        double order_q, order_u, floor;
        study(2, s, 2, 7, &order_q, &order_u, &floor);
        assert_near(order_q, 1.1, 0.4);
        assert_near(order_u, 1.1, 0.4);
    }
}

/* ---------------------------------------------------------------- impacts in the very step in which a stage closes
 * The flight is integrated exactly, so the first stage after t = tau closes, at the latest the end of the step that
 * contains tau, and gap_dot = 0 at that end. Its velocity is u_n + dt (0, -g) with the normal part taken out, and mu
 * times that of the tangential one; so is the exact one, but for the turn of the normal over the distance between their
 * contact points: at most k g tau dt, k = 0.385 being the largest curvature. The velocities differ by (1 + mu) k (g
 * tau)^2 dt at most. Where an inner stage closed, the end of the step may be left a gap d above the slope. The mass
 * sinks back with the acceleration a = g/w + k v^2 and strikes with sqrt(2 a d) at most, having missed mu times that of
 * friction. A late impact is off by the whole jump, at least 1.8. */
typedef struct drop {
    bool late, lost;
    double gap_dot, gap, error; /* after the impact step; gap over what is fallen in a step, error over its bound */
} drop;

static drop fall_from(double y0, int s, const char *variant) {
    const double dt = 1e-2;
    char option[64];
    snprintf(option, sizeof option, "parameters.y0=%.17g", y0);
    trial run = open_scene(2, s, variant, dt, option);
    motion m = start_at(y0);
    const double tau = (double)m.fall, speed = g * tau, turned = (1 + mu) * 0.385 * speed * speed * dt;
    const int impact = (int)ceil(tau / dt), PN = trial_column(&run, "slope.PN"), gap = trial_column(&run, "slope.gap"),
              gap_dot = trial_column(&run, "slope.gap_dot");
    const bool cured = variant[sizeof "run.variant=" - 1] == 'c';
    drop d = {0};
    double sum = 0, bound = turned;
    for (int n = 1; n <= (int)(window / dt); n++) {
        double q[2], u[2];
        trial_step(&run);
        exact(&m, n * dt, q, u);
        const double *computed = carom_sim_u(run.sim), error = hypot(computed[0] - u[0], computed[1] - u[1]);
        assert_at_least(run.row[gap], -1e-12);
        if (cured) assert_at_least(run.row[PN], -1e-12);
        if (n < impact) assert_near(error, 0, 1e-11); /* at most 38 steps of 1e-12 */
        if (n >= impact) d.error = fmax(d.error, error / bound);
        if (n <= impact + 5) sum += run.row[PN];
        if (n != impact) continue;
        d.gap_dot = fabs(run.row[gap_dot]);
        d.gap = run.row[gap] / (speed * dt);
        bound += (1 + mu) * sqrt(2 * (g + 0.385 * speed * speed) * fmax(0, run.row[gap]));
    }
    d.late = d.gap_dot > 1e-6;
    d.lost = sum < speed / sqrt(2) / 2; /* half of the exact percussion, m = 1 */
    trial_close(&run);
    return d;
}

enum { DROPS = 25 };

static void drops(int s, const char *variant, int *late, int *lost, drop *worst) {
    *late = *lost = 0;
    *worst = (drop){0};
    for (int k = 0; k < DROPS; k++) {
        drop d = fall_from(1.3 + 0.4 * k / (DROPS - 1), s, variant);
        *late += d.late, *lost += d.lost;
        worst->gap_dot = fmax(worst->gap_dot, d.gap_dot);
        worst->gap = fmax(worst->gap, d.gap);
        worst->error = fmax(worst->error, d.error);
    }
    printf(
        "s = %d, %s: %d of %d impacts late, %d lost; after the impact gap_dot <= %.1e, gap <= %.3f of a step's fall, "
        "error of u <= %.2f of its bound\n",
        s, variant, *late, DROPS, *lost, worst->gap_dot, worst->gap, worst->error);
}

static void no_impact_is_late(void **state) {
    (void)state;
    int late, lost;
    drop worst;
    for (int s = 2; s <= 5; s++) {
        drops(s, "run.variant=cured", &late, &lost, &worst);
        assert_int_equal(lost, 0);
        assert_near(worst.gap_dot, 0, 1e-11); /* solved to 1e-12 */
        assert_at_most(worst.error, 1);
        assert_at_most(worst.gap, s <= 3 ? 1e-11 : 1); /* up to three stages the end is the last to close */
    }
}

/* (56) looks at the end of the step only. For s >= 4 an inner stage may close and push the end clear of the wall. */
static void published_impacts_are_late(void **state) {
    (void)state;
    int late, lost;
    drop worst;
    for (int s = 2; s <= 5; s++) {
        drops(s, "run.variant=published", &late, &lost, &worst);
        assert_int_equal(late > 0, s >= 4);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_2s_minus_2_while_sliding), cmocka_unit_test(errors_down_to_round_off),
        cmocka_unit_test(first_order_across_the_impact),  cmocka_unit_test(no_impact_is_late),
        cmocka_unit_test(published_impacts_are_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
