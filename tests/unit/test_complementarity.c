/* The complementarity problem of frictionless contacts: its solution satisfies it, unique or not. */
#include "linalg/complementarity.h"
#include "support/random_scene.h"
#include "support/trial.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 40 };

/* x >= 0, rows >= 0, and no row times x, all relative to the sizes of what is added up. */
static void check(int n, const double *A, const double *b, const double *x, double slack) {
    for (int i = 0; i < n; i++) {
        double row = b[i], size = fabs(b[i]) + 1e-300;
        for (int j = 0; j < n; j++) row += A[i * n + j] * x[j], size += fabs(A[i * n + j] * x[j]);
        assert_at_least(x[i], 0);
        assert_at_least(row, -slack * size);
        if (x[i] > 0) assert_at_most(row, slack * size);
    }
}

/* A = W^T W with n contacts of so many coordinates. Where these are fewer A is singular; then b = W^T v, for which
 * there always is a solution: a percussion may stop everything. Slack: condition of A up to 1e6 times round-off. */
static void random_problems(void **state) {
    (void)state;
    random_numbers r = {7};
    double *work = malloc(complementarity_work(MOST) * sizeof *work);
    for (int trial_number = 0; trial_number < 400; trial_number++) {
        int n = 1 + (int)random_between(&r, 0, MOST - 0.01), coordinates = 1 + (int)random_between(&r, 0, 1.5 * n);
        double W[MOST][2 * MOST], A[MOST * MOST], b[MOST], x[MOST], v[2 * MOST];
        for (int k = 0; k < coordinates; k++) v[k] = random_between(&r, -1, 1);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < coordinates; k++) W[i][k] = random_between(&r, -1, 1);
        for (int i = 0; i < n; i++) {
            b[i] = 0;
            for (int k = 0; k < coordinates; k++) b[i] += W[i][k] * v[k];
            for (int j = 0; j < n; j++) {
                A[i * n + j] = 0;
                for (int k = 0; k < coordinates; k++) A[i * n + j] += W[i][k] * W[j][k];
            }
        }
        assert_true(complementarity_solve(n, A, b, x, work));
        check(n, A, b, x, 1e-9);
    }
    free(work);
}

/* Four corners of a table, one more than it needs: pressed evenly or not, the sum carries the load. And a wedge, whose
 * walls all but cancel each other. */
static void redundant_and_nearly_dependent(void **state) {
    (void)state;
    const double corner[4][2] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}, e = 2e-3;
    double A[16], b[4] = {-1, -1, -1, -1}, x[4], work[32], sum = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) A[4 * i + j] = 1 + 2 * (corner[i][0] * corner[j][0] + corner[i][1] * corner[j][1]);
    assert_true(complementarity_work(4) <= 32);
    assert_true(complementarity_solve(4, A, b, x, work));
    check(4, A, b, x, 1e-13);
    for (int i = 0; i < 4; i++) sum += x[i];
    assert_near(sum, 1, 1e-14);
    const double wedge[4] = {1 + e * e, -1 + e * e, -1 + e * e, 1 + e * e}, push[2] = {-2 * e, -2 * e};
    assert_true(complementarity_solve(2, wedge, push, x, work));
    for (int i = 0; i < 2; i++) assert_near(x[i], 1 / e, 1e-9 / e); /* 2 e^2 x = 2 e; condition 1/e^2 */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_problems),
                                       cmocka_unit_test(redundant_and_nearly_dependent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
