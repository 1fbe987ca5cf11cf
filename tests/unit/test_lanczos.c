/* Lanczos' method against matrices whose largest eigenvalue is known. */
#include "linalg/lanczos.h"
#include "support/trial.h"

#include <math.h>
#include <stdlib.h>

/* A = M^-1 K with K tridiagonal, -1 2 -1, and M = mass. */
typedef struct chain {
    int n;
    double mass, stiffness;
} chain;

static void apply(void *context, const double *x, double *y) {
    const chain *c = context;
    for (int i = 0; i < c->n; i++)
        y[i] = c->stiffness / c->mass * (2 * x[i] - (i > 0 ? x[i - 1] : 0) - (i < c->n - 1 ? x[i + 1] : 0));
}

static double product(void *context, const double *x, const double *y) {
    const chain *c = context;
    double sum = 0;
    for (int i = 0; i < c->n; i++) sum += x[i] * c->mass * y[i];
    return sum;
}

/* The largest eigenvalue, and by how much A x misses it times x, relative to it. */
static double largest(chain *c, double *miss) {
    const lanczos_operator a = {.n = c->n, .context = c, .apply = apply, .product = product};
    double *x = test_calloc((size_t)(LANCZOS_WORK + 1) * (size_t)c->n, sizeof *x), *work = x + c->n;
    for (int i = 0; i < c->n; i++) x[i] = cos(3.1 * i * i + 0.2);
    const double value = lanczos_largest(&a, 0, x, work);
    apply(c, x, work);
    *miss = 0;
    for (int i = 0; i < c->n; i++) *miss += c->mass * pow(work[i] - value * x[i], 2);
    *miss = sqrt(*miss) / fabs(value);
    test_free(x);
    return value;
}

static double exact(const chain *c) {
    return 4 * c->stiffness / c->mass * pow(cos(3.14159265358979 / (2 * (c->n + 1))), 2);
}

static void chains(void **state) {
    (void)state;
    double miss;
    for (int n = 1; n <= 40; n += 3) { /* as many vectors as unknowns: exact to round-off */
        chain c = {n, 0.7, 3};
        assert_near(largest(&c, &miss) / exact(&c), 1, 1e-12);
        assert_at_most(miss, 1e-6); /* the root of what round-off leaves in the value */
    }
    /* where eigenvalues crowd: from below, by a part of 1e-4 at most. Its vector mixes neighbours that differ by less
     */
    for (int n = 100; n <= 10000; n *= 10) {
        chain c = {n, 0.7, 3};
        const double part = largest(&c, &miss) / exact(&c);
        assert_at_most(part, 1 + 1e-12);
        assert_at_least(part, 1 - 1e-4);
        assert_at_most(miss, 1e-2);
    }
}

static void degenerate(void **state) {
    (void)state;
    double miss;
    chain pushing = {5, 1, -1}, none = {5, 1, 0}, broken = {5, 1, NAN}, faint = {5, 1, 1e-162};
    const double slowest = -4 * pow(sin(3.14159265358979 / 12), 2);
    assert_near(largest(&pushing, &miss), slowest, 1e-12);
    assert_true(largest(&none, &miss) == 0);
    assert_true(largest(&faint, &miss) == 0); /* its square is */
    assert_true(isnan(largest(&broken, &miss)));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains), cmocka_unit_test(degenerate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
