/* Laws: the projections are checked as projections, the branches as equivalents of the normal cone inclusion, the
 * derivatives against differences. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "law/law.h"

extern const law law_coulomb_contensou; /* no scheme knows it by name */

static uint64_t seed = 1;

static double signed_random(void) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

static bool inside(const law *l, int n, const double *x, double radius) {
    double size = 0;
    for (int i = 0; i < n; i++) size += x[i] * x[i];
    if (l == &law_bilateral) return true;
    if (l == &law_signorini) return x[0] <= 0;
    return sqrt(size) <= fmax(radius, 0) * (1 + 1e-15); /* one rounding of the length */
}

/* p = prox(x) lies in C, and (x - p)^T (c - p) <= 0 for every c in C. */
static void check_projection(const law *l, int n) {
    for (int trial = 0; trial < 2000; trial++) {
        double x[3], p[3], radius = trial % 10 ? signed_random() + 0.5 : 0;
        for (int i = 0; i < n; i++) x[i] = 2 * signed_random();
        l->prox(n, x, radius, p);
        assert_true(inside(l, n, p, radius));
        for (int k = 0; k < 20; k++) {
            double c[3], y[3] = {2 * signed_random(), 2 * signed_random(), 2 * signed_random()}, dot = 0;
            l->prox(n, y, radius, c);
            for (int i = 0; i < n; i++) dot += (x[i] - p[i]) * (c[i] - p[i]);
            assert_true(dot <= 1e-14); /* products of numbers below 4, rounded */
        }
    }
}

static void projections(void **state) {
    (void)state;
    check_projection(&law_bilateral, 1);
    check_projection(&law_signorini, 1);
    for (int n = 1; n <= 2; n++) check_projection(&law_coulomb, n);
    check_projection(&law_coulomb_contensou, 3);
}

/* The branch rows have the derivatives they claim: central differences of step 1e-6, error 1e-12 plus round-off 1e-10.
 */
static void check_derivatives(const law *l, int n) {
    const double step = 1e-6;
    int slides = 0;
    for (int trial = 0; trial < 1000; trial++) {
        double v[3], w[3], radius = fabs(signed_random()) + 0.1;
        for (int i = 0; i < n; i++) v[i] = signed_random(), w[i] = signed_random();
        law_row row, plus, minus;
        l->linearise(n, v, w, radius, &row);
        slides += row.branch == LAW_SLIDE;
        for (int j = 0; j < 2 * n + 1; j++) {
            double *x = j < n ? &v[j] : j < 2 * n ? &w[j - n] : &radius, kept = *x;
            *x = kept + step;
            l->linearise(n, v, w, radius, &plus);
            *x = kept - step;
            l->linearise(n, v, w, radius, &minus);
            *x = kept;
            if (plus.branch != row.branch || minus.branch != row.branch) continue;
            for (int i = 0; i < n; i++) {
                double exact = j < n ? row.v[i][j] : j < 2 * n ? row.w[i][j - n] : row.radius[i];
                assert_true(fabs((plus.row[i] - minus.row[i]) / (2 * step) - exact) < 1e-8);
            }
        }
    }
    if (l == &law_coulomb || l == &law_coulomb_contensou) assert_true(slides > 100);
}

static void derivatives(void **state) {
    (void)state;
    check_derivatives(&law_bilateral, 1);
    check_derivatives(&law_signorini, 1);
    for (int n = 1; n <= 2; n++) check_derivatives(&law_coulomb, n);
    check_derivatives(&law_coulomb_contensou, 3);
}

/* The natural map vanishes exactly on the graph of the law: points made to obey it, and points made to break it. */
static void natural_map(void **state) {
    (void)state;
    double zero[3] = {0}, one[3] = {1, 0, 0}, minus[3] = {-1, 0, 0}, half[3] = {0.3, -0.4, 0};
    assert_true(law_error(&law_signorini, 1, one, zero, 0) == 0);     /* open */
    assert_true(law_error(&law_signorini, 1, zero, one, 0) == 0);     /* closed, pressing */
    assert_true(law_error(&law_signorini, 1, minus, zero, 0) == 1);   /* penetrating with velocity 1 */
    assert_true(law_error(&law_signorini, 1, zero, minus, 0) == 1);   /* pulling */
    assert_true(law_error(&law_signorini, 1, one, one, 0) == 1);      /* pressing at a distance */
    assert_true(law_error(&law_coulomb, 2, zero, half, 0.6) < 1e-15); /* stick inside the disk, |half| = 0.5 */
    assert_true(fabs(law_error(&law_coulomb, 2, zero, half, 0.4) - 0.08) < 1e-15); /* outside: 0.8 of it allowed */
    double slip[3] = {-3, 4, 0};                                                   /* against half: slip of size 5 */
    assert_true(law_error(&law_coulomb, 2, slip, half, 0.5) < 1e-15);
    double along[3] = {3, -4, 0}; /* friction that pushes along the slip */
    assert_true(law_error(&law_coulomb, 2, along, half, 0.5) > 0.5);
    assert_true(law_error(&law_bilateral, 1, one, half, 0) == 1);
}

/* Without normal percussion there is no friction, also for the negative radius of an iterate. */
static void no_pressure_no_friction(void **state) {
    (void)state;
    double v[2] = {1, 2}, w[2] = {0.5, 0};
    law_row row;
    law_coulomb.linearise(2, v, w, 0, &row);
    assert_int_equal(row.branch, LAW_OPEN);
    law_coulomb.linearise(2, v, w, -1, &row);
    assert_int_equal(row.branch, LAW_OPEN);
    assert_true(row.row[0] == 0.5 && row.w[0][0] == 1 && row.v[0][0] == 0);
}

static void registry(void **state) {
    (void)state;
    assert_true(carom_laws() >= 4);
    for (int i = 0; i < carom_laws(); i++) assert_non_null(carom_law(i)->name);
}

/* How far an expansion goes changes as expand_by says: central differences with h = 1e-5 miss h^2 and 1e-16/h, each
 * with third derivatives of up to 1e3 where the root is near zero, which these numbers keep above 0.1. */
static void expansions(void **state) {
    const law *of[] = {law_of_impact(&(carom_model_contact){.impact = "poisson"}),
                       law_of_impact(&(carom_model_contact){.impact = "energetic"})};
    enum { NUMBERS = sizeof(carom_expansion) / sizeof(double) };
    (void)state;
    for (int trial = 0; trial < 200; trial++) {
        carom_expansion x = {0.5, 1, 1, 1, 0.1, 0.1, 1, 0.3}, by;
        double *number = (double *)&x, slope[NUMBERS];
        for (int i = 0; i < NUMBERS; i++) number[i] *= 1 + 0.3 * signed_random();
        for (int l = 0; l < 2; l++) {
            const double h = 1e-5;
            of[l]->expand_by(&x, &by);
            memcpy(slope, &by, sizeof slope);
            for (int i = 0; i < NUMBERS; i++) {
                const double at = number[i];
                number[i] = at + h;
                const double above = of[l]->expand(&x);
                number[i] = at - h;
                const double below = of[l]->expand(&x);
                number[i] = at;
                assert_true(fabs((above - below) / (2 * h) - slope[i]) <= 1e-7);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projections), cmocka_unit_test(derivatives),
        cmocka_unit_test(natural_map), cmocka_unit_test(no_pressure_no_friction),
        cmocka_unit_test(registry),    cmocka_unit_test(expansions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
