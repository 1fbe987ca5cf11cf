/* Which runs end in the same cycle. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sweep/attractors.h"

enum { RUNS = 6, POINTS = 12 };

/* Run 0 and 4 have the cycle (0, 1, 3), from different points on and after other beginnings; run 1 rests at 2; run 2
 * has (0, 3, 1), the same points in another order; run 3 has no cycle; run 5 has no points. */
static void cycles_are_told_apart(void **state) {
    (void)state;
    static const double cycle[2][3] = {{0, 1, 3}, {0, 3, 1}};
    double point[5][POINTS], period[RUNS], number[RUNS];
    long first[RUNS + 1] = {0, 12, 24, 36, 48, 60, 60};
    for (int i = 0; i < POINTS; i++) {
        point[0][i] = i < 3 ? 2.5 : cycle[0][i % 3];
        point[1][i] = 2 + pow(0.2, i);
        point[2][i] = cycle[1][i % 3];
        point[3][i] = 1 + sin(i * i);
        point[4][i] = cycle[0][(i + 1) % 3] + 1e-4 * sin(i);
    }
    const sections s = {.runs = RUNS, .first = first, .size = 1, .point = point[0]};
    assert_true(attractors_find(&s, 1e-3, period, number));
    const double periods[RUNS] = {3, 1, 3, 0, 3, 0}, numbers[RUNS] = {1, 2, 3, 0, 1, 0};
    for (int run = 0; run < RUNS; run++) {
        assert_true(period[run] == periods[run]);
        assert_true(number[run] == numbers[run]);
    }
    assert_true(attractors_find(&s, 1e-6, period, number)); /* now 4 does not repeat */
    assert_true(period[4] == 0 && number[4] == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cycles_are_told_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
