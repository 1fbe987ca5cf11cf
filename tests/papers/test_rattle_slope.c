/* Point mass on the slope y = exp(-x) with friction (rattle, 5.3), against a reference that shares nothing with carom.
 *
 * With f = exp(-x), s = sqrt(1 + f^2), tangent (1, -f)/s, normal (f, 1)/s, curvature f/s^3 and v the speed along the
 * slope, x_dot = v/s,   lambda_N = m (f/s^3 v^2 + g/s) > 0,   lambda_F = -mu lambda_N sign(v),   v_dot = g f/s +
 * lambda_F/m; the mass never lifts off, and sticks where v = 0 and f <= mu. CVODE integrates each phase and locates v =
 * 0. Case 4 falls freely to (0, 1) first, where Lambda_N = -m u.n and the slip 1 : mu > 1 keeps sliding: v+ = u.t - mu
 * Lambda_N/m. */
#include "support/ode.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double m = 3.14159265358979323846, g = 10, mu = 0.3, grid = 2e-4;
enum { GRID = 16384 }; /* grid * GRID = 3.2768, the end time of the paper */

/* Reference at the grid times: position, velocity, and the impulses of the contact since t = 0. */
typedef struct sample {
    double q[2], u[2], P[2];
} sample;
typedef struct reference {
    sample at[GRID + 1];
    double t_stick, x_stick;
} reference;

typedef struct slope {
    double f, s, curvature;
} slope;

static slope slope_at(double x) {
    double f = exp(-x), s = sqrt(1 + f * f);
    return (slope){f, s, f / (s * s * s)};
}

/* y = (x, v, P_N, P_F), context the direction of sliding. */
static void sliding(double t, const double *y, double *dy, const void *direction) {
    (void)t;
    slope c = slope_at(y[0]);
    double N = m * (c.curvature * y[1] * y[1] + g / c.s), F = -mu * N * *(const double *)direction;
    dy[0] = y[1] / c.s;
    dy[1] = g * c.f / c.s + F / m;
    dy[2] = N;
    dy[3] = F;
}

static double speed(double t, const double *y, const void *direction) {
    (void)t, (void)direction;
    return y[1];
}

static sample on_slope(const double *y) {
    slope c = slope_at(y[0]);
    return (sample){{y[0], c.f}, {y[1] / c.s, -c.f * y[1] / c.s}, {y[2], y[3]}};
}

/* Fills the grid from index *i on; returns when the mass stops. y is the state there, *t the time. */
static void slide(reference *r, int *i, double *t, double *y, double direction) {
    ode *phase = ode_open(4, sliding, speed, &direction, *t, y);
    for (; *i <= GRID; ++*i) {
        if (ode_advance(phase, *i * grid, t, y)) break;
        r->at[*i] = on_slope(y);
    }
    ode_close(phase);
    y[1] = 0;
}

/* Rest: gravity is balanced, lambda_N = m g/s, lambda_F = -m g f/s. */
static void stick(reference *r, int i, double t, const double *y) {
    slope c = slope_at(y[0]);
    assert_true(c.f < mu);
    r->t_stick = t;
    r->x_stick = y[0];
    for (; i <= GRID; i++) {
        double dt = i * grid - t;
        r->at[i] = on_slope((const double[]){y[0], 0, y[2] + m * g / c.s * dt, y[3] - m * g * c.f / c.s * dt});
    }
}

static reference *make_reference(int number) {
    reference *r = calloc(1, sizeof *r);
    assert_non_null(r);
    double t = 0, y[4] = {0};
    int i = 0;
    if (number == 2) y[1] = 1;
    if (number == 3) y[1] = -1, slide(r, &i, &t, y, -1);
    if (number == 4) {
        double fall = sqrt(2 * 0.5 / g), normal = m * g * fall / sqrt(2);
        for (; i * grid < fall; i++)
            r->at[i] = (sample){{0, 1.5 - g / 2 * (i * grid) * (i * grid)}, {0, -g * i * grid}, {0, 0}};
        t = fall;
        y[1] = (1 - mu) * g * fall / sqrt(2), y[2] = normal, y[3] = -mu * normal;
    }
    slide(r, &i, &t, y, 1);
    stick(r, i, t, y);
    return r;
}

/* The reference checks itself: with w = v^2/2 sliding down is linear in w over x,
 *     w' = g f - mu g - 2 mu f/s^2 w,  integrating factor exp(-2 mu atan f),
 * so from (x0, w0) to rest at x:  w0 e^{-2 mu atan f(x0)} + integral of e^{-2 mu atan f} (g f - mu g) = 0. */
static double rest_condition(double x0, double w0, double x) {
    enum { N = 2000 }; /* Simpson; error below 1e-12 for this smooth integrand */
    double h = (x - x0) / N, sum = 0;
    for (int i = 0; i <= N; i++) {
        double f = exp(-(x0 + i * h)), weight = i == 0 || i == N ? 1 : i % 2 ? 4 : 2;
        sum += weight * exp(-2 * mu * atan(f)) * g * (f - mu);
    }
    return w0 * exp(-2 * mu * atan(exp(-x0))) + sum * h / 3;
}

static void reference_stops_where_quadrature_says(void **state) {
    (void)state;
    static const double v0[] = {0, 1, 0, 0.7 * 2.2360679774997897};
    for (int number = 1; number <= 4; number++) {
        if (number == 3) continue; /* its down phase starts where its up phase ends, found by the same root finding */
        reference *r = make_reference(number);
        assert_near(rest_condition(0, v0[number - 1] * v0[number - 1] / 2, r->x_stick), 0, 1e-10);
        assert_true(r->t_stick < GRID * grid);
        free(r);
    }
}

typedef struct errors {
    double q, u, PN, PF;
} errors;

/* Norm (56) with p = 1, largest over components; percussions against the reference summed over the same step. */
static errors measure(int number, int factor, const reference *r) {
    char scene[64], dt_text[64];
    const double dt = factor * grid;
    snprintf(scene, sizeof scene, "paper/rattle/slope_%d", number);
    snprintf(dt_text, sizeof dt_text, "run.dt=%.17g", dt);
    trial run = trial_scene(scene, dt_text, "run.until=3.2768", "run.tolerance=1e-12", NULL);
    const int x = trial_column(&run, "x"), y = trial_column(&run, "y"), x_dot = trial_column(&run, "x_dot"),
              y_dot = trial_column(&run, "y_dot"), PN = trial_column(&run, "slope.PN"),
              PF = trial_column(&run, "slope.PF"), gap = trial_column(&run, "slope.gap");
    double q[2] = {0}, u[2] = {0}, P[2] = {0};
    for (int n = 1; n * factor <= GRID; n++) {
        trial_step(&run);
        const sample *now = &r->at[n * factor], *before = &r->at[(n - 1) * factor];
        const double *row = run.row;
        assert_at_least(row[gap], -1e-11); /* tolerance 1e-12 of the step problem */
        q[0] += dt * fabs(row[x] - now->q[0]), q[1] += dt * fabs(row[y] - now->q[1]);
        u[0] += dt * fabs(row[x_dot] - now->u[0]), u[1] += dt * fabs(row[y_dot] - now->u[1]);
        P[0] += dt * fabs(row[PN] - (now->P[0] - before->P[0]));
        P[1] += dt * fabs(row[PF] - (now->P[1] - before->P[1]));
    }
    assert_true(carom_sim_done(run.sim));
    trial_close(&run);
    return (errors){fmax(q[0], q[1]), fmax(u[0], u[1]), P[0], P[1]};
}

enum { SIZES = 8 }; /* dt = 2.56e-2 ... 2e-4, as in the paper */

typedef struct orders {
    double q, u, PN, PF;
} orders;

static orders study(int number) {
    reference *r = make_reference(number);
    double dt[SIZES], q[SIZES], u[SIZES], PN[SIZES], PF[SIZES];
    printf("slope_%d, stick at t = %.6f\n        dt       e_q       e_u      e_PN      e_PF\n", number, r->t_stick);
    for (int k = 0; k < SIZES; k++) {
        errors e = measure(number, 128 >> k, r);
        dt[k] = (128 >> k) * grid, q[k] = e.q, u[k] = e.u, PN[k] = e.PN, PF[k] = e.PF;
        printf("%10.2e %.3e %.3e %.3e %.3e\n", dt[k], q[k], u[k], PN[k], PF[k]);
    }
    /* Percussion errors of order 3 reach the accuracy of the reference below 1.6e-3: the first five sizes count. */
    orders o = {observed_order(SIZES, dt, q), observed_order(SIZES, dt, u), observed_order(5, dt, PN),
                observed_order(5, dt, PF)};
    printf("orders     %9.3f %9.3f %9.3f %9.3f\n", o.q, o.u, o.PN, o.PF);
    free(r);
    return o;
}

/* Second order although the slip ends in stick: v is O(dt) in the one step that differs, its share of e_u O(dt^2). That
 * share depends on where in its step the mass stops, so the fitted slope may be off 2 by a few percent. */
static void second_order_without_jumps(void **state) {
    (void)state;
    for (int number = 1; number <= 2; number++) {
        orders o = study(number);
        assert_near(o.q, 2, 0.1);
        assert_near(o.u, 2, 0.1);
        assert_at_least(o.PN, 2.75);
        assert_at_least(o.PF, 2.75);
    }
}

/* A reversal of slip (case 3) or an impact (case 4) happens up to one step off: first order, not monotone, because the
 * factor depends on where in its step the event falls. */
static void first_order_across_events(void **state) {
    (void)state;
    for (int number = 3; number <= 4; number++) {
        orders o = study(number);
        assert_at_least(o.q, 0.75);
        assert_at_least(o.u, 0.75);
        assert_at_most(o.q, 1.5);
        assert_at_most(o.u, 1.5);
    }
}

/* The end of case 1 at the scene's own dt: rest at the reference point, gravity balanced by the percussions of a step.
 */
static void rests_where_it_stopped(void **state) {
    (void)state;
    reference *r = make_reference(1);
    trial run = trial_scene("paper/rattle/slope_1", NULL);
    trial_finish(&run);
    slope c = slope_at(trial_value(&run, "x"));
    assert_near(trial_value(&run, "x"), r->x_stick, 10 * 1e-2 * 1e-2);    /* second order at dt = 1e-2 */
    assert_near(trial_value(&run, "slope.PN"), m * g / c.s * 1e-2, 1e-8); /* tolerance of the scene */
    assert_near(trial_value(&run, "slope.PF"), -m * g * c.f / c.s * 1e-2, 1e-8);
    assert_int_equal((int)trial_value(&run, "slope.state"), CAROM_STICK);
    trial_close(&run);
    free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_stops_where_quadrature_says),
        cmocka_unit_test(second_order_without_jumps),
        cmocka_unit_test(first_order_across_events),
        cmocka_unit_test(rests_where_it_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
