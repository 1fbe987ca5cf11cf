/* Extrapolated differences, (SE60) and (SE61) of docs/theory/sensitivity.md: what they say of their own error holds,
 * also where the function is noisy. Functions with known derivatives, rounded to a grain that plays the part of the
 * noise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "derivative/difference.h"

typedef struct rounded {
    double x, grain; /* 0: as the machine rounds */
} rounded;

static bool beside(void *context, double by, double *value) {
    const rounded *r = context;
    const double y = sin(r->x + by) * exp(r->x + by);
    *value = r->grain > 0 ? r->grain * rint(y / r->grain) : y;
    return true;
}

/* By Ridders' rule alone one in eight of these is off by more than ten times what is told, and one in twenty is told to
 * be exact. The step 4e-3 leaves an error of nu/h = grain/4e-3 at best, and noise in 4 rows of 8 values is at most a
 * few times that: 100 grain/4e-3 is no use any more. */
static void error_holds(void **state) {
    static const double grains[] = {0, 1e-15, 1e-13, 1e-12};
    (void)state;
    for (int g = 0; g < 4; g++)
        for (int i = 0; i < 5000; i++) {
            rounded r = {0.1 + 3e-4 * i, grains[g]};
            const double exact = (sin(r.x) + cos(r.x)) * exp(r.x), noise = fmax(r.grain, 1e-15);
            double slope, error;
            assert_true(difference_extrapolate(beside, &r, 4e-3, 1, &slope, &error));
            assert_true(error > 0 && error <= 100 * noise / 4e-3);
            assert_true(fabs(slope - exact) <= 10 * error);
        }
}

/* The function is there on one side of a step only, or nowhere. */
static bool near_zero(void *context, double by, double *value) {
    *value = by * by + 3 * by;
    return fabs(by) < *(const double *)context;
}

static void short_steps_do(void **state) {
    double slope, error, reach = 1e-3;
    (void)state;
    assert_true(difference_extrapolate(near_zero, &reach, 4e-3, 1, &slope, &error));
    assert_true(fabs(slope - 3) <= 10 * error && error < 1e-9);
    reach = 0;
    assert_true(difference_extrapolate(near_zero, &reach, 4e-3, 1, &slope, &error));
    assert_true(isnan(slope) && isnan(error));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(error_holds), cmocka_unit_test(short_steps_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
