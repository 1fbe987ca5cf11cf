/* Least squares within bounds, their spread, Student's distribution. */
#include "identify/least_squares.h"
#include "identify/spread.h"
#include "support/trial.h"

#include <math.h>
#include <string.h>

/* Fisher and Yates, Statistical Tables, table III; and the exact t = tan(pi part/2) of one degree of freedom,
 * part sqrt(2/(1 - part^2)) of two. */
static void test_student(void **state) {
    (void)state;
    static const struct {
        int freedom;
        double t;
    } table[] = {{3, 3.182}, {4, 2.776}, {5, 2.571}, {10, 2.228}, {29, 2.045}, {30, 2.042}, {60, 2.000}, {120, 1.980}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_true(fabs(student_quantile(0.95, table[i].freedom) - table[i].t) <= 0.5001e-3);
    assert_true(fabs(student_quantile(0.95, 1) - tan(M_PI / 2 * 0.95)) < 1e-9);
    assert_true(fabs(student_quantile(0.95, 2) - 0.95 * sqrt(2 / (1 - 0.95 * 0.95))) < 1e-12);
    assert_true(fabs(student_quantile(0.95, 1000000) - 1.959964) < 1e-5);
}

/* A line a + b t at t = 1 .. 5: the variances are sum t^2/(m sum (t - mean)^2) = 55/50 and 1/sum (t - mean)^2 = 1/10,
 * the covariance -mean/sum (t - mean)^2 = -3/10. Residuals 1, -2, 1, 0, 0 have the part 0 along 1 and -3 along t, whose
 * length across 1 is sqrt(10). */
static void test_spread_of_a_line(void **state) {
    (void)state;
    const double by[10] = {1, 1, 1, 1, 1, 1, 2, 3, 4, 5}, r[5] = {1, -2, 1, 0, 0};
    const double exact[4] = {1.1, -0.3, -0.3, 0.1};
    spread s;
    carom_error error;
    assert_int_equal(spread_compute(5, 2, r, by, &s, &error), CAROM_OK);
    for (int i = 0; i < 4; i++) assert_true(fabs(s.covariance[i] - exact[i]) < 1e-13);
    assert_true(s.offset < 1e-14); /* sum r = 0, sum r t = 1 - 4 + 3 = 0 */
    spread_destroy(&s);

    const double slanted[5] = {1, -2, 1, 0, 1}; /* sum r = 1, sum r (t - mean) = 2 */
    assert_int_equal(spread_compute(5, 2, slanted, by, &s, &error), CAROM_OK);
    assert_true(fabs(s.offset - sqrt(1.0 / 5 + 4.0 / 10)) < 1e-14);
    spread_destroy(&s);
}

/* Columns a, b and a + b: the combination (1, 1, -1) is not determined; a column of zeros is none. */
static void test_weakest(void **state) {
    (void)state;
    const double by[12] = {1, 0, 2, 1, 0, 3, 1, 0, 1, 3, 3, 1}, r[4] = {0};
    spread s;
    carom_error error;
    assert_int_equal(spread_compute(4, 3, r, by, &s, &error), CAROM_OK);
    assert_true(s.least < 1e-12);
    const double *w = s.weakest; /* of columns of length 1: (|a|, |b|, -|a + b|) */
    assert_true(fabs(w[0] / sqrt(6) - w[1] / sqrt(10)) < 1e-9 && fabs(w[0] / sqrt(6) + w[2] / sqrt(20)) < 1e-9);
    spread_destroy(&s);

    const double zero[8] = {1, 2, 3, 4};
    assert_int_equal(spread_compute(4, 2, r, zero, &s, &error), CAROM_OK);
    assert_true(s.least == 0 && s.weakest[0] == 0 && s.weakest[1] == 1);
    spread_destroy(&s);
}

/* ---------------------------------------------------------------- bounds */

/* r = (x + y - 3, x - y - 1, 2 y): without bounds the least is where r^T r_x = r^T r_y = 0, at (2, 1/3). */
static carom_status plane(void *context, const double *x, double *r, double *by, carom_error *error) {
    (void)context, (void)error;
    const double slopes[6] = {1, 1, 0, 1, -1, 2};
    r[0] = x[0] + x[1] - 3, r[1] = x[0] - x[1] - 1, r[2] = 2 * x[1];
    memcpy(by, slopes, sizeof slopes);
    return CAROM_OK;
}

static void expect_least(residual_function function, const double low[2], const double high[2], const double guess[2],
                         const double least[2], int held) {
    double x[2] = {guess[0], guess[1]}, r[3], by[6];
    bool is_held[2];
    carom_error error;
    least_squares s = {
        .function = function, .m = 3, .n = 2, .low = low, .high = high, .x = x, .r = r, .by = by, .held = is_held};
    assert_int_equal(least_squares_solve(&s, &error), CAROM_OK);
    for (int k = 0; k < 2; k++) {
        assert_true(fabs(x[k] - least[k]) < 1e-8);
        assert_int_equal(is_held[k], k == held);
    }
}

/* With x <= 1 the other is y = 1/3 still (r^T r_y = 6 y - 2 is free of x); with y <= 0 it is x = 2. Guesses on a bound
 * that is not in effect leave it. */
static void test_bounds(void **state) {
    (void)state;
    if (!least_squares_there()) skip();
    const double none[2] = {-INFINITY, -INFINITY}, far[2] = {INFINITY, INFINITY}, third = 1.0 / 3;
    expect_least(plane, none, far, (const double[]){10, -7}, (const double[]){2, third}, -1);
    expect_least(plane, none, (const double[]){1, INFINITY}, (const double[]){0, 0}, (const double[]){1, third}, 0);
    expect_least(plane, none, (const double[]){1, INFINITY}, (const double[]){1, 0}, (const double[]){1, third}, 0);
    expect_least(plane, none, (const double[]){INFINITY, 0}, (const double[]){0, -1}, (const double[]){2, 0}, 1);
    expect_least(plane, (const double[]){-5, -5}, (const double[]){5, 5}, (const double[]){-5, 5},
                 (const double[]){2, third}, -1);
}

/* Rosenbrock's valley beyond which nothing is defined: a trial there is shortened. */
static carom_status valley(void *context, const double *x, double *r, double *by, carom_error *error) {
    (void)context;
    if (x[0] > 1.5) {
        strcpy(error->message, "too far");
        return CAROM_FAILED;
    }
    const double slopes[6] = {-20 * x[0], -1, 0, 10, 0, 0};
    r[0] = 10 * (x[1] - x[0] * x[0]), r[1] = 1 - x[0], r[2] = 0;
    memcpy(by, slopes, sizeof slopes);
    return CAROM_OK;
}

static void test_refused_trials(void **state) {
    (void)state;
    if (!least_squares_there()) skip();
    const double none[2] = {-INFINITY, -INFINITY}, far[2] = {INFINITY, INFINITY};
    expect_least(valley, none, far, (const double[]){-1.2, 1}, (const double[]){1, 1}, -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_student), cmocka_unit_test(test_spread_of_a_line),
                                       cmocka_unit_test(test_weakest), cmocka_unit_test(test_bounds),
                                       cmocka_unit_test(test_refused_trials)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
