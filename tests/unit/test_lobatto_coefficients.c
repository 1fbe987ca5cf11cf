/* The Lobatto IIIA-IIIB pair against the tables of the literature (Hairer, Lubich, Wanner: Geometric Numerical
 * Integration, II.1.4; Jay: Lobatto methods) and, for more stages, against the conditions that define it. */
#include "integrator/lobatto_coefficients.h"
#include "support/trial.h"

#include <float.h>
#include <math.h>

enum { MOST = 12 };

typedef struct pair {
    double c[MOST], b[MOST], a[MOST * MOST], a_hat[MOST * MOST], pi[MOST * MOST];
} pair;

static pair pair_of(int s) {
    pair p;
    assert_true(lobatto_coefficients(s, p.c, p.b, p.a, p.a_hat, p.pi));
    return p;
}

/* Every table entry is rounded once, and computed here with a few roundings of numbers below 1. */
static void assert_table(int n, const double *values, const long double *table) {
    for (int i = 0; i < n; i++) assert_near(values[i], (double)table[i], 2 * DBL_EPSILON);
}

static void two_stages(void **state) {
    (void)state;
    pair p = pair_of(2);
    assert_table(2, p.c, (const long double[]){0, 1});
    assert_table(2, p.b, (const long double[]){0.5L, 0.5L});
    assert_table(4, p.a, (const long double[]){0, 0, 0.5L, 0.5L});
    assert_table(4, p.a_hat, (const long double[]){0.5L, 0, 0.5L, 0});
    assert_table(4, p.pi, (const long double[]){0.5L, 0.5L, 0.5L, 0.5L}); /* the mean */
}

static void three_stages(void **state) {
    (void)state;
    pair p = pair_of(3);
    assert_table(3, p.c, (const long double[]){0, 0.5L, 1});
    assert_table(3, p.b, (const long double[]){1 / 6.L, 2 / 3.L, 1 / 6.L});
    assert_table(9, p.a, (const long double[]){0, 0, 0, 5 / 24.L, 1 / 3.L, -1 / 24.L, 1 / 6.L, 2 / 3.L, 1 / 6.L});
    assert_table(9, p.a_hat, (const long double[]){1 / 6.L, -1 / 6.L, 0, 1 / 6.L, 1 / 3.L, 0, 1 / 6.L, 5 / 6.L, 0});
}

static void four_stages(void **state) {
    (void)state;
    pair p = pair_of(4);
    const long double r = sqrtl(5);
    const long double a[] = {0,
                             0,
                             0,
                             0, /**/
                             (11 + r) / 120,
                             (25 - r) / 120,
                             (25 - 13 * r) / 120,
                             (-1 + r) / 120,
                             (11 - r) / 120,
                             (25 + 13 * r) / 120,
                             (25 + r) / 120,
                             (-1 - r) / 120,
                             1 / 12.L,
                             5 / 12.L,
                             5 / 12.L,
                             1 / 12.L};
    const long double a_hat[] = {1 / 12.L, (-1 - r) / 24,       (-1 + r) / 24,       0, /**/
                                 1 / 12.L, (25 + r) / 120,      (25 - 13 * r) / 120, 0,
                                 1 / 12.L, (25 + 13 * r) / 120, (25 - r) / 120,      0,
                                 1 / 12.L, (11 - r) / 24,       (11 + r) / 24,       0};
    assert_table(4, p.c, (const long double[]){0, (5 - r) / 10, (5 + r) / 10, 1});
    assert_table(4, p.b, (const long double[]){1 / 12.L, 5 / 12.L, 5 / 12.L, 1 / 12.L});
    assert_table(16, p.a, a);
    assert_table(16, p.a_hat, a_hat);
}

static void five_stages(void **state) {
    (void)state;
    pair p = pair_of(5);
    const long double r = sqrtl(21);
    const long double a[] = {0,
                             0,
                             0,
                             0,
                             0, /**/
                             (119 + 3 * r) / 1960,
                             (343 - 9 * r) / 2520,
                             (392 - 96 * r) / 2205,
                             (343 - 69 * r) / 2520,
                             (-21 + 3 * r) / 1960, /**/
                             13 / 320.L,
                             (392 + 105 * r) / 2880,
                             8 / 45.L,
                             (392 - 105 * r) / 2880,
                             3 / 320.L, /**/
                             (119 - 3 * r) / 1960,
                             (343 + 69 * r) / 2520,
                             (392 + 96 * r) / 2205,
                             (343 + 9 * r) / 2520,
                             (-21 - 3 * r) / 1960, /**/
                             1 / 20.L,
                             49 / 180.L,
                             16 / 45.L,
                             49 / 180.L,
                             1 / 20.L};
    assert_table(5, p.c, (const long double[]){0, (7 - r) / 14, 0.5L, (7 + r) / 14, 1});
    assert_table(5, p.b, (const long double[]){1 / 20.L, 49 / 180.L, 16 / 45.L, 49 / 180.L, 1 / 20.L});
    assert_table(25, p.a, a);
}

/* ---------------------------------------------------------------- conditions, s = 2 .. 12
 * Sums of at most 12 rounded terms that stay below 1 in size (pi and a^ reach a few units): 1e-15 for each unit. */
static double power(double x, int k) {
    return k == 0 ? 1 : pow(x, k);
}

static void quadrature_and_collocation(void **state) {
    (void)state;
    for (int s = 2; s <= MOST; s++) {
        pair p = pair_of(s);
        assert_true(p.c[0] == 0 && p.c[s - 1] == 1);
        for (int i = 1; i < s; i++) assert_true(p.c[i] > p.c[i - 1] && p.b[i] > 0);
        for (int k = 0; k <= 2 * s - 3; k++) { /* B(2s-2) */
            double sum = 0;
            for (int i = 0; i < s; i++) sum += p.b[i] * power(p.c[i], k);
            assert_near(sum, 1. / (k + 1), 1e-15);
        }
        for (int i = 0; i < s; i++)
            for (int k = 1; k <= s; k++) { /* C(s) */
                double sum = 0;
                for (int j = 0; j < s; j++) sum += p.a[i * s + j] * power(p.c[j], k - 1);
                assert_near(sum, power(p.c[i], k) / k, 1e-15);
            }
    }
}

/* a_1j = 0, a_sj = b_j, a^_i1 = b_1, a^_is = 0: exactly, the scheme is built on it. b_i a^_ij + b_j a_ji = b_i b_j
 * makes the pair symplectic. */
static void symplectic_and_structure(void **state) {
    (void)state;
    for (int s = 2; s <= MOST; s++) {
        pair p = pair_of(s);
        for (int i = 0; i < s; i++) {
            assert_true(p.a[i] == 0 && p.a[(s - 1) * s + i] == p.b[i]);
            assert_true(p.a_hat[i * s + s - 1] == 0);
            assert_near(p.a_hat[i * s], p.b[0], 1e-16);
            for (int j = 0; j < s; j++)
                assert_near(p.b[i] * p.a_hat[i * s + j] + p.b[j] * p.a[j * s + i], p.b[i] * p.b[j], 1e-16);
        }
    }
}

/* The pair is its own adjoint: c_i + c_{s+1-i} = 1, a_ij + a_{s+1-i,s+1-j} = b_j, and so for a^. */
static void symmetric(void **state) {
    (void)state;
    for (int s = 2; s <= MOST; s++) {
        pair p = pair_of(s);
        for (int i = 0; i < s; i++) {
            assert_near(p.c[i] + p.c[s - 1 - i], 1, 2e-16);
            for (int j = 0; j < s; j++) {
                int other = (s - 1 - i) * s + s - 1 - j;
                assert_near(p.a[i * s + j] + p.a[other], p.b[j], 2e-16);
                assert_near(p.a_hat[i * s + j] + p.a_hat[other], p.b[j], 1e-15);
            }
        }
    }
}

/* Pi projects along P_{s-1} on the values of polynomials of degree s-2: it keeps those, swallows P_{s-1}, and leaves
 * the moments sum b_i c_i^k y_i, k <= s-2, as they are. So Pi gamma = 0 says that the moments of gamma vanish. */
static double legendre(int n, double x) {
    double before = 1, now = x;
    for (int k = 1; k < n; k++) {
        double next = ((2 * k + 1) * x * now - k * before) / (k + 1);
        before = now, now = next;
    }
    return now;
}

static void projection(void **state) {
    (void)state;
    for (int s = 2; s <= MOST; s++) {
        pair p = pair_of(s);
        for (int i = 0; i < s; i++)
            for (int k = 0; k <= s - 2; k++) {
                double kept = 0, moment = 0;
                for (int j = 0; j < s; j++) {
                    kept += p.pi[i * s + j] * power(p.c[j], k);
                    moment += p.b[j] * power(p.c[j], k) * p.pi[j * s + i];
                }
                assert_near(kept, power(p.c[i], k), 2e-15);
                assert_near(moment, p.b[i] * power(p.c[i], k), 1e-15);
            }
        for (int i = 0; i < s; i++) {
            double swallowed = 0;
            for (int j = 0; j < s; j++) swallowed += p.pi[i * s + j] * legendre(s - 1, 2 * p.c[j] - 1);
            assert_near(swallowed, 0, 2e-15);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_stages),
        cmocka_unit_test(three_stages),
        cmocka_unit_test(four_stages),
        cmocka_unit_test(five_stages),
        cmocka_unit_test(quadrature_and_collocation),
        cmocka_unit_test(symplectic_and_structure),
        cmocka_unit_test(symmetric),
        cmocka_unit_test(projection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
