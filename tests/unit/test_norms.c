/* Norms of sequences whose norms are known, orders of exact powers, and what counts as round-off. */
#include "study/norms.h"
#include "support/trial.h"

#include <math.h>

enum { STEPS = 100, M = 2 };

static const norm *named(const char *name) {
    assert_true(norm_find(name) >= 0);
    return &norms[norm_find(name)];
}

/* e_n = (n, -2n)/N, dt = 1/N, T = 1: the sums are those of the first integers and squares. */
static void of_a_ramp(void **state) {
    (void)state;
    double e[(STEPS + 1) * M], dt = 1.0 / STEPS;
    for (int n = 0; n <= STEPS; n++) e[n * M] = n * dt, e[n * M + 1] = -2 * n * dt;
    const double N = STEPS, first = (N + 1) / 2 / N, squares = (N + 1) * (2 * N + 1) / 6 / (N * N);
    const double round_off = 1e-14;
    assert_near(norm_of(named("max"), dt, STEPS + 1, M, e, 50), 2, round_off);
    assert_near(norm_of(named("lobatto"), dt, STEPS + 1, M, e, 50), 3 * first, round_off);
    assert_near(norm_of(named("rattle"), dt, STEPS + 1, M, e, 50), 2 * first, round_off);
    assert_near(norm_of(named("l2"), dt, STEPS + 1, M, e, 50), sqrt(5 * squares), round_off);
    assert_near(norm_of(named("moreau"), dt, STEPS + 1, M, e, 50), 5 * (squares - dt / 2), round_off);
    /* relative to values whose sum is 50: the step size does not count; relative to nothing: unknown */
    assert_near(norm_of(named("nsga"), dt, STEPS + 1, M, e, 50), 3 * first * N / 50, round_off);
    assert_true(isnan(norm_of(named("nsga"), dt, STEPS + 1, M, e, 0)));
    assert_int_equal(norm_find("euclid"), -1);
}

/* What is said about constant errors is what the norms give; sums over n = 1..N. */
static void of_a_constant(void **state) {
    (void)state;
    double e[(STEPS + 1) * M], dt = 0.03;
    for (int i = 0; i < (STEPS + 1) * M; i++) e[i] = i % 2 ? 0.7 : -0.7;
    for (int k = 0; k < NORMS; k++) {
        double value = norm_of(&norms[k], dt, STEPS + 1, M, e, 50);
        assert_near(norm_of_constant(&norms[k], dt, STEPS + 1, M, 0.7, 50), value, 1e-13 * value);
    }
}

/* A missing value does not get lost in a maximum. */
static void of_nothing(void **state) {
    (void)state;
    double e[] = {0, 0, 1, NAN, 1, 2};
    for (int k = 0; k < NORMS; k++) assert_true(isnan(norm_of(&norms[k], 0.1, 3, M, e, 50)));
}

/* error = c dt^(power p) has order p, in every norm and with points left out. */
static void orders_of_powers(void **state) {
    (void)state;
    enum { COUNT = 5 };
    for (int k = 0; k < NORMS; k++)
        for (int p = 1; p <= 8; p++) {
            double dt[COUNT], error[COUNT];
            bool use[COUNT] = {true, true, true, true, false};
            for (int i = 0; i < COUNT; i++) dt[i] = 0.3 / (1 << i), error[i] = 7 * pow(dt[i], norms[k].power * p);
            assert_near(order_between(&norms[k], dt[0], error[0], dt[3], error[3]), p, 1e-12);
            assert_near(order_of(&norms[k], COUNT, dt, error, NULL), p, 1e-12);
            error[COUNT - 1] = 1;
            error[1] = NAN;
            assert_near(order_of(&norms[k], COUNT, dt, error, use), p, 1e-12);
        }
    const double one = 1, two[] = {1, 0};
    assert_true(isnan(order_of(&norms[0], 1, &one, &one, NULL)));
    assert_true(isnan(order_of(&norms[0], 2, two, two, NULL)));
    assert_true(isnan(order_between(&norms[0], 1, 1, 0.5, 0)));
}

/* A sixth order that ends in noise: the noise is marked. One that falls off to 3.3 has not ended. A first order that
 * wobbles, or stops above what round-off can do, is left alone. */
static void finds_the_floor(void **state) {
    (void)state;
    enum { COUNT = 8 };
    double dt[COUNT], tiny[COUNT], small[COUNT];
    for (int i = 0; i < COUNT; i++) dt[i] = 1.0 / (1 << i), tiny[i] = 1e-15, small[i] = 2e-13;
    const double sixth[COUNT] = {1e-4, 1.5e-6, 2.4e-8, 3.8e-10, 6e-12, 9e-14, 3e-14, 8e-14};
    const bool noise[COUNT] = {0, 0, 0, 0, 0, 0, 1, 1};
    const double slower[COUNT] = {1e-10, 1.6e-12, 1.6e-13, 1.6e-14, 1.6e-15, 1.6e-15, 1.6e-15, 1.6e-15};
    const bool stalled[COUNT] = {0, 0, 0, 0, 0, 1, 1, 1};
    const double wobbling[COUNT] = {1e-2, 6e-3, 8e-3, 1e-3, 1.1e-3, 4e-4, 3e-5, 9e-5};
    const double stopped[COUNT] = {1e-2, 2.5e-3, 6e-4, 5e-4, 5e-4, 5e-4, 5e-4, 5e-4};
    const double nothing[COUNT] = {0, 1e-16, 4e-16, 0, 0, 0, 0, NAN};
    bool floor[COUNT];
    const norm *max = named("max");
    mark_floor(max, COUNT, dt, sixth, tiny, small, floor);
    for (int i = 0; i < COUNT; i++) assert_int_equal(floor[i], noise[i]);
    mark_floor(max, COUNT, dt, slower, tiny, small, floor);
    for (int i = 0; i < COUNT; i++) assert_int_equal(floor[i], stalled[i]);
    mark_floor(max, COUNT, dt, wobbling, tiny, small, floor);
    for (int i = 0; i < COUNT; i++) assert_false(floor[i]);
    mark_floor(max, COUNT, dt, stopped, tiny, small, floor);
    for (int i = 0; i < COUNT; i++) assert_false(floor[i]);
    mark_floor(max, COUNT, dt, nothing, tiny, small, floor);
    for (int i = 0; i < COUNT - 1; i++) assert_true(floor[i]);
}

/* An error of order 2 beside that of a reference, 1e-6: it goes on falling, or it does not. */
static void notices_a_bad_reference(void **state) {
    (void)state;
    const norm *max = &norms[norm_find("max")];
    const double dt[] = {8e-3, 4e-3, 2e-3, 1e-3};
    double good[4], bad[4];
    bool floor[4] = {false};
    for (int i = 0; i < 4; i++) good[i] = dt[i] * dt[i], bad[i] = fmax(1e-2 * good[i], 1e-6);
    assert_false(order_stalls(max, 4, dt, good, floor));
    assert_true(order_stalls(max, 4, dt, bad, floor));
    assert_false(order_stalls(max, 2, dt, bad, floor)); /* two may be chance */
    floor[3] = true;
    assert_false(order_stalls(max, 4, dt, bad, floor)); /* round-off is told elsewhere */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_ramp),       cmocka_unit_test(of_a_constant),
        cmocka_unit_test(of_nothing),      cmocka_unit_test(orders_of_powers),
        cmocka_unit_test(finds_the_floor), cmocka_unit_test(notices_a_bad_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
