/* Errors that come again, (S22): every period up to four is seen after three errors in a row that repeat, or as many as
 * the period; errors that fall by one percent, or that are alike by chance, are none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solver/repetition.h"

static void cycles_are_found(void **state) {
    static const double cycle[] = {7, 0.1, 3e5, 20};
    (void)state;
    for (int period = 1; period <= REPETITION_LONGEST; period++) {
        const int before = 5, due = before + period + (period > 3 ? period : 3);
        repetition r = {0};
        for (int i = 0; i <= due; i++) {
            const double error = i < before ? 1e9 / (1 + i) : cycle[(i - before) % period] * (1 + 1e-4 * sin(i));
            assert_int_equal(repetition_add(&r, error), i < due - 1 ? 0 : period);
        }
    }
}

static void progress_is_none(void **state) {
    (void)state;
    repetition falling = {0}, chance = {0};
    for (int i = 0; i < 1000; i++) assert_int_equal(repetition_add(&falling, pow(0.99, i)), 0);
    for (int i = 0; i < 1000; i++) assert_int_equal(repetition_add(&chance, i % 3 < 2 ? 1 : 2 + i), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cycles_are_found), cmocka_unit_test(progress_is_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
