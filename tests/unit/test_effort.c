/* Work and precision: a method of order p needs time in proportion to error^(-1/p). */
#include "study/effort.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { N = 5 };

typedef struct runs {
    double error[N], seconds[N];
} runs;

/* Steps halved: twice the time, 2^p times less error. */
static runs runs_of(double order, double error, double floor) {
    runs r;
    for (int i = 0; i < N; i++) {
        r.error[i] = error * pow(2, -order * i) + floor;
        r.seconds[i] = 0.01 * pow(2, i);
    }
    return r;
}

/* Everything is a few logarithms and powers: 1e-12 is rounding. */
static void expect(double wanted, const runs *r, double seconds, bool extrapolated) {
    effort w = effort_for(wanted, r->error, r->seconds, N);
    assert_float_equal(w.seconds / seconds, 1, 1e-12);
    assert_int_equal(w.extrapolated, extrapolated);
}

static void follows_the_order(void **state) {
    (void)state;
    for (int order = 1; order <= 6; order++) {
        runs r = runs_of(order, 1e-3, 0);
        expect(1e-3 * pow(2, -2.5 * order), &r, 0.01 * pow(2, 2.5), false);
        expect(1e-3 * pow(2, -3.0 * order) * (1 + 1e-14), &r, 0.01 * pow(2, 3), false);
        expect(1e-3 * pow(2, -7.0 * order), &r, 0.01 * pow(2, 7), true); /* finer than any run */
        expect(1e-3 * pow(2, 2.0 * order), &r, 0.01 * pow(2, -2), true); /* coarser than any run */
    }
}

static void round_off_has_no_order(void **state) {
    (void)state;
    runs r = runs_of(4, 1e-3, 1e-5); /* the last runs do not get better than 1e-5 */
    assert_true(isnan(effort_for(1e-8, r.error, r.seconds, N).seconds));
    assert_false(isnan(effort_for(2e-4, r.error, r.seconds, N).seconds));
    runs worse = runs_of(-1, 1e-3, 0); /* errors that grow */
    assert_true(isnan(effort_for(1e-6, worse.error, worse.seconds, N).seconds));
    runs slow = runs_of(0.5, 1e-3, 0); /* 1e-12 would take 1e18 times as long */
    assert_true(isnan(effort_for(1e-12, slow.error, slow.seconds, N).seconds));
}

/* Errors that scatter by a factor of two about order 1: extrapolation by two runs would be off by orders of magnitude,
 * the mean slope of four is good to the scatter: each of the two slopes is off by no more than log10(2) over the 0.9
 * decades that four runs span, so over two decades the time is off by no more than a factor of 10. */
static void scatter_is_averaged(void **state) {
    (void)state;
    const double error[] = {1e-3, 1e-3, 2.5e-4, 1.8e-4}, seconds[] = {1, 2, 4, 8};
    effort w = effort_for(1e-6, error, seconds, 4);
    assert_true(w.extrapolated);
    assert_true(w.seconds > 1e2 && w.seconds < 1e4); /* order 1: 1000 */
}

static void cheapest_crossing_counts(void **state) {
    (void)state;
    /* errors may rise again below round-off; what has been reached stays reached */
    const double error[] = {1e-2, 1e-4, 1e-3, 1e-5}, seconds[] = {1, 10, 100, 1000};
    effort w = effort_for(1e-3, error, seconds, 4);
    assert_float_equal(w.seconds, pow(10, 0.5), 1e-12);
    assert_false(w.extrapolated);
}

static void failed_runs_do_not_count(void **state) {
    (void)state;
    const double error[] = {NAN, 1e-2, INFINITY, 0, 1e-4, NAN}, seconds[] = {1, 1, 5, 5, 100, 7};
    effort w = effort_for(1e-3, error, seconds, 6);
    assert_float_equal(w.seconds, 10, 1e-11);
    assert_false(w.extrapolated);
    assert_true(isnan(effort_for(1e-3, error, seconds, 2).seconds)); /* one run is no line */
    assert_true(isnan(effort_for(1e-3, error, seconds, 0).seconds));
    assert_float_equal(effort_for(1e-2, error, seconds, 2).seconds, 1, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_order),        cmocka_unit_test(round_off_has_no_order),
        cmocka_unit_test(scatter_is_averaged),      cmocka_unit_test(cheapest_crossing_counts),
        cmocka_unit_test(failed_runs_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
