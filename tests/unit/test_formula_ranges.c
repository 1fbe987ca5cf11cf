/* Ranges along curves hold every value and every difference quotient: random expressions of every operation on random
 * curves, ranges that shrink with the piece of the curve, lengths near zero, sides that are held. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "model/formula/tape.h"

enum { SYMBOLS = 6, SAMPLES = 24 }; /* t, q[3], u[2] */
static const tape_layout layout = {{0, 1, 4, SYMBOLS, SYMBOLS}};

static uint64_t seed;

static int choose(int n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)n);
}

static double between(double least, double most) {
    return least + (most - least) * choose(1 << 20) / (1 << 20);
}

static graph *new_graph(void) {
    graph *g = graph_create();
    assert_non_null(g);
    return g;
}

/* ---------------------------------------------------------------- curves */

/* Parabolas a + b s + c s^2 of 0 <= s <= h: values between those at the ends and at the vertex, rates between those at
 * the ends. */
typedef struct curve {
    double a[SYMBOLS], b[SYMBOLS], c[SYMBOLS], h;
} curve;

static void at(const curve *x, double s, double values[SYMBOLS]) {
    for (int i = 0; i < SYMBOLS; i++) values[i] = x->a[i] + s * (x->b[i] + s * x->c[i]);
}

/* Room for the rounding of the samples: 1e-13 in differences of 1e-3 h. */
static void ranges_of(const curve *x, carom_range v[SYMBOLS], carom_range r[SYMBOLS]) {
    for (int i = 0; i < SYMBOLS; i++) {
        double end = x->a[i] + x->h * (x->b[i] + x->h * x->c[i]), vertex = -x->b[i] / (2 * x->c[i]);
        double rate = x->b[i] + 2 * x->c[i] * x->h;
        v[i] = (carom_range){fmin(x->a[i], end), fmax(x->a[i], end)};
        if (vertex > 0 && vertex < x->h) {
            double extreme = x->a[i] + vertex * (x->b[i] + vertex * x->c[i]);
            v[i] = (carom_range){fmin(v[i].least, extreme), fmax(v[i].most, extreme)};
        }
        r[i] = (carom_range){fmin(x->b[i], rate), fmax(x->b[i], rate)};
        v[i].least -= 1e-14, v[i].most += 1e-14;
        r[i].least -= 1e-9, r[i].most += 1e-9;
    }
}

static curve random_curve(double h) {
    curve x = {.h = h};
    for (int i = 0; i < SYMBOLS; i++) {
        x.a[i] = choose(4) ? between(-2, 2) : choose(5) - 2; /* integers: on switches, and at zeros */
        x.b[i] = choose(8) ? between(-2, 2) : 0;
        x.c[i] = between(-2, 2);
    }
    return x;
}

/* ---------------------------------------------------------------- tapes */

static void bound(const tape *t, const carom_range *v, const carom_range *r, const int *side, carom_range *value,
                  carom_range *rate) {
    jet *work = malloc((size_t)tape_registers(t) * sizeof *work);
    assert_non_null(work);
    const tape_ranges blocks[TAPE_BLOCKS] = {{v, r}, {v + 1, r ? r + 1 : NULL}, {v + 4, r ? r + 4 : NULL}};
    tape_bound(t, tape_image(t), blocks, side, work, value, rate);
    free(work);
}

/* The range of one expression. */
static carom_range range_of(graph *g, expr e, const carom_range *v, const carom_range *r, carom_range *rate) {
    tape *t = tape_compile(g, &(tape_array){&e, 1}, 1, &layout);
    assert_non_null(t);
    carom_range value;
    bound(t, v, r, NULL, &value, rate);
    tape_destroy(t);
    return value;
}

static void run(const tape *t, const double *values, double *result) {
    double *work = malloc((size_t)tape_registers(t) * sizeof *work);
    assert_non_null(work);
    tape_run(t, (const double *[TAPE_BLOCKS]){values, values + 1, values + 4, NULL}, work,
             (double *[TAPE_ARRAYS]){result});
    free(work);
}

/* ---------------------------------------------------------------- soundness */

enum { NODES = 40, ROOTS = 20 };

static void random_roots(graph *g, expr roots[ROOTS], int seen[OP_COUNT]) {
    expr pool[NODES];
    for (int k = 0; k < NODES; k++) {
        expr child[3];
        for (int i = 0; i < 3; i++) child[i] = k > 0 ? pool[choose(k)] : 0;
        op operation = (op)(OP_ADD + choose(OP_PLACE - OP_ADD));
        pool[k] = k < SYMBOLS       ? expr_symbol(g, k)
                  : k < SYMBOLS + 4 ? expr_number(g, k - 7.5)
                  : choose(3) == 0  ? expr_build(g, (op)(OP_ADD + choose(3)), child)
                                    : expr_build(g, operation, child);
        seen[expr_op(g, pool[k])]++;
    }
    for (int k = 0; k < ROOTS; k++) roots[k] = pool[NODES - 1 - k];
}

static bool is_sane(carom_range a) {
    return a.least <= a.most && a.least < INFINITY && a.most > -INFINITY;
}

/* Exact values lie in the ranges of points, so do the differences of exact values in those of ranges. */
static void check_samples(const tape *t, const curve *x, const carom_range *value, const carom_range *rate, int trial) {
    double s[SAMPLES], values[SYMBOLS], f[SAMPLES][ROOTS];
    carom_range exact[SAMPLES][ROOTS];
    for (int i = 0; i < SAMPLES; i++) {
        s[i] = x->h * (i + between(0, 0.9)) / SAMPLES;
        at(x, s[i], values);
        carom_range point[SYMBOLS];
        for (int k = 0; k < SYMBOLS; k++) point[k] = (carom_range){values[k], values[k]};
        run(t, values, f[i]);
        bound(t, point, NULL, NULL, exact[i], NULL);
        for (int k = 0; k < ROOTS; k++) {
            if (!isfinite(f[i][k])) continue; /* not defined there */
            if (!(value[k].least <= f[i][k] && f[i][k] <= value[k].most))
                fail_msg("trial %d, root %d: %.17g is not in [%.17g, %.17g]", trial, k, f[i][k], value[k].least,
                         value[k].most);
            if (!(exact[i][k].least <= f[i][k] && f[i][k] <= exact[i][k].most))
                fail_msg("trial %d, root %d: %.17g is not in its own range", trial, k, f[i][k]);
        }
    }
    for (int i = 0; i < SAMPLES; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < ROOTS; k++) {
                if (!isfinite(f[i][k]) || !isfinite(f[j][k])) continue;
                double h = s[i] - s[j], least = (exact[i][k].least - exact[j][k].most) / h,
                       most = (exact[i][k].most - exact[j][k].least) / h;
                if (!isnan(least) && !isnan(most) && !(least <= rate[k].most && most >= rate[k].least))
                    fail_msg("trial %d, root %d: the rate [%.17g, %.17g] is not in [%.17g, %.17g]", trial, k, least,
                             most, rate[k].least, rate[k].most);
            }
}

static void test_soundness(void **state) {
    (void)state;
    static const double lengths[] = {2, 0.5, 0.1, 0.01};
    int seen[OP_COUNT] = {0}, bounded = 0, all = 0;
    for (int trial = 0; trial < 20000; trial++) {
        seed = (uint64_t)trial * 7919 + 5;
        graph *g = new_graph();
        expr roots[ROOTS];
        random_roots(g, roots, seen);
        tape *t = tape_compile(g, &(tape_array){roots, ROOTS}, 1, &layout);
        assert_non_null(t);
        curve x = random_curve(lengths[trial % 4]);
        carom_range v[SYMBOLS], r[SYMBOLS], value[ROOTS], rate[ROOTS];
        ranges_of(&x, v, r);
        bound(t, v, r, NULL, value, rate);
        for (int k = 0; k < ROOTS; k++) {
            assert_true(is_sane(value[k]) && is_sane(rate[k]));
            bounded += isfinite(value[k].most - value[k].least) && isfinite(rate[k].most - rate[k].least), all++;
        }
        check_samples(t, &x, value, rate, trial);
        for (int k = 0; k < SYMBOLS; k++) v[k] = r[k] = (carom_range){-INFINITY, INFINITY};
        bound(t, v, r, NULL, value, rate); /* nothing known: nothing learned, but numbers */
        for (int k = 0; k < ROOTS; k++) assert_true(is_sane(value[k]) && is_sane(rate[k]));
        tape_destroy(t);
        graph_destroy(g);
    }
    for (int k = 0; k < OP_CEIL; k++) assert_true(seen[k] > 0);
    assert_true(bounded > all / 2); /* infinite ranges would be sound as well */
}

/* ---------------------------------------------------------------- tightness */

/* A gap of a rotating box's corner over a round hill: with h the ranges of values shrink as h, those of rates as well,
 * so that value(middle) + rate (s - middle) exceeds the values by h^2. */
static void test_orders(void **state) {
    (void)state;
    graph *g = new_graph();
    expr x = expr_symbol(g, 1), y = expr_symbol(g, 2), phi = expr_symbol(g, 3);
    expr c = expr_unary(g, OP_COS, phi), s = expr_unary(g, OP_SIN, phi), half = expr_number(g, 0.5);
    expr px = expr_add(g, x, expr_mul(g, half, expr_sub(g, c, s))),
         py = expr_add(g, y, expr_mul(g, half, expr_add(g, c, s)));
    expr gap = expr_sub(g, expr_unary(g, OP_SQRT, expr_add(g, expr_mul(g, px, px), expr_mul(g, py, py))), half);
    curve at_one = {.a = {0, 1, 1, 0.3}, .b = {1, -0.7, 0.4, 2}, .c = {0.1, 0.3, -0.5, 0.2, 0.1, 0.1}};
    double width[2], spread[2];
    for (int i = 0; i < 2; i++) {
        carom_range v[SYMBOLS], r[SYMBOLS], rate;
        at_one.h = i ? 0.001 : 0.01;
        ranges_of(&at_one, v, r);
        carom_range value = range_of(g, gap, v, r, &rate);
        width[i] = value.most - value.least, spread[i] = rate.most - rate.least;
    }
    assert_true(width[1] < width[0] / 9 && width[1] > width[0] / 11);
    assert_true(spread[1] < spread[0] / 9 && spread[1] > spread[0] / 11);
    graph_destroy(g);
}

/* Squares are not negative; the rate of a distance is at most the speed, also where the distance may be zero. */
static void test_squares(void **state) {
    (void)state;
    graph *g = new_graph();
    expr x = expr_symbol(g, 1), y = expr_symbol(g, 2), z = expr_symbol(g, 3), four = expr_number(g, 4);
    const carom_range v[SYMBOLS] = {{0, 1}, {-1, 2}, {-0.5, 1}, {-2, 2}},
                      r[SYMBOLS] = {{1, 1}, {2, 3}, {-6, 4}, {-1, 1}};
    carom_range rate, value = range_of(g, expr_mul(g, x, x), v, r, &rate);
    assert_true(value.least == 0 && value.most >= 4 && value.most < 4 + 1e-14);
    value = range_of(g, expr_binary(g, OP_POW, x, four), v, r, &rate);
    assert_true(value.least == 0 && value.most >= 16 && value.most < 16 + 1e-13);
    expr square = expr_add(g, expr_add(g, expr_mul(g, x, x), expr_mul(g, y, y)), expr_mul(g, four, expr_mul(g, z, z)));
    value = range_of(g, expr_unary(g, OP_SQRT, square), v, r, &rate);
    assert_true(value.least == 0 && value.most >= sqrt(4 + 1 + 16) && value.most < sqrt(21) + 1e-13);
    double speed = sqrt(9 + 36 + 4);
    assert_true(rate.most >= speed && rate.most < speed + 1e-13 && rate.least == -rate.most);
    graph_destroy(g);
}

typedef struct single {
    op operation;
    carom_range a, b, value, rate; /* of a and b at rates [1, 1] and [0, 0] */
} single;

/* What is not defined somewhere, jumps or has a kink; INFINITY where nothing can be known. */
static void test_singular(void **state) {
    (void)state;
    const double i = INFINITY, pi = acos(-1);
    const single cases[] = {
        {OP_DIV, {1, 2}, {-1, 1}, {-i, i}, {-i, i}},
        {OP_DIV, {1, 2}, {0, 1}, {-i, i}, {-i, i}},
        {OP_DIV, {1, 2}, {-4, -2}, {-1, -0.25}, {-0.5, -0.25}},
        {OP_SQRT, {-1, 4}, {0, 0}, {0, 2}, {0.25, i}},
        {OP_SQRT, {-2, -1}, {0, 0}, {-i, i}, {-i, i}},
        {OP_LOG, {0, 1}, {0, 0}, {-i, 0}, {1, i}},
        {OP_ABS, {-1, 3}, {0, 0}, {0, 3}, {-1, 1}},
        {OP_ABS, {-2, -1}, {0, 0}, {1, 2}, {-1, -1}},
        {OP_SIGN, {-2, -1}, {0, 0}, {-1, -1}, {0, 0}},
        {OP_SIGN, {-2, 1}, {0, 0}, {-1, 1}, {-i, i}},
        {OP_FLOOR, {1.5, 1.7}, {0, 0}, {1, 1}, {0, 0}},
        {OP_FLOOR, {1.5, 2}, {0, 0}, {1, 2}, {-i, i}},
        {OP_MIN, {0, 3}, {1, 2}, {0, 2}, {0, 1}},
        {OP_MAX, {0, 1}, {2, 2}, {2, 2}, {0, 0}},
        {OP_LT, {0, 1}, {2, 3}, {1, 1}, {0, 0}},
        {OP_LT, {0, 2}, {2, 3}, {0, 1}, {-i, i}},
        {OP_SIN, {1, 2}, {0, 0}, {sin(1), 1}, {cos(2), cos(1)}},
        {OP_COS, {-7, 7}, {0, 0}, {-1, 1}, {-1, 1}},
        {OP_TAN, {1, 2}, {0, 0}, {-i, i}, {-i, i}},
        {OP_ASIN, {0, 1}, {0, 0}, {0, pi / 2}, {1, i}},
        {OP_ACOS, {-2, 0}, {0, 0}, {pi / 2, pi}, {-i, -1}},
        {OP_ATAN2, {-1, 1}, {-2, -1}, {-pi, pi}, {-i, i}},
        {OP_ATAN2, {-1, 1}, {1, 1}, {-pi / 4, pi / 4}, {0.5, 1}},
        {OP_POW, {-2, 3}, {3, 3}, {-8, 27}, {0, 27}},
        {OP_POW, {0, 4}, {0.5, 0.5}, {0, 2}, {0.25, i}},
        {OP_POW, {-1, 1}, {-1, -1}, {-i, i}, {-i, i}},
    };
    graph *g = new_graph();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const single *c = &cases[k];
        expr child[] = {expr_symbol(g, 1), expr_symbol(g, 2)};
        carom_range v[SYMBOLS] = {{0, 0}, c->a, c->b}, r[SYMBOLS] = {{1, 1}, {1, 1}, {0, 0}}, rate;
        carom_range value = range_of(g, expr_build(g, c->operation, child), v, r, &rate);
        const carom_range got[] = {value, rate}, expected[] = {c->value, c->rate};
        for (int j = 0; j < 2; j++) {
            double least = got[j].least - expected[j].least, most = got[j].most - expected[j].most;
            bool right = (got[j].least == expected[j].least || (least <= 0 && least > -1e-10)) &&
                         (got[j].most == expected[j].most || (most >= 0 && most < 1e-10));
            if (!right)
                fail_msg("case %d: [%.17g, %.17g] instead of [%.17g, %.17g]", (int)k, got[j].least, got[j].most,
                         expected[j].least, expected[j].most);
        }
    }
    graph_destroy(g);
}

/* A table and its place: their ranges hold the values at points of the range, and the place its quotients. */
static void test_tables(void **state) {
    (void)state;
    enum { KNOTS = 6 };
    const double x[KNOTS] = {-1, -0.5, 0.1, 0.3, 1.2, 2}, y[KNOTS] = {0, 2, -1, 1, 1, 3};
    double row[(KNOTS + 1) * KNOT_ROW], room[2 * KNOTS];
    seed = 5;
    for (int trial = 0; trial < 600; trial++) {
        graph *g = new_graph();
        knots_fill(KNOTS, x, y, (knot_method)(trial % 3), row, room);
        const knots table = {KNOTS, row};
        int number;
        assert_true(graph_add_table(g, &table, &number));
        expr t = expr_symbol(g, 0), value = expr_table(g, number, t), which = expr_number(g, number);
        expr place = expr_binary(g, OP_PLACE, t, which);
        const double from = between(-2, 3), to = from + between(0, 1);
        const carom_range v[SYMBOLS] = {{from, to}}, r[SYMBOLS] = {{1, 1}};
        carom_range rate, of_value = range_of(g, value, v, r, &rate), of_place = range_of(g, place, v, r, &rate);
        double before = NAN, last = NAN;
        for (int k = 0; k <= SAMPLES; k++) {
            double at = k == SAMPLES ? to : from + (to - from) * k / SAMPLES, p = expr_value(g, place, &at);
            double f = expr_value(g, value, &at);
            assert_true(f >= of_value.least && f <= of_value.most && p >= of_place.least && p <= of_place.most);
            if (k)
                assert_true(p - before >= (at - last) * rate.least - 1e-14 &&
                            p - before <= (at - last) * rate.most + 1e-14);
            before = p, last = at;
        }
        graph_destroy(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soundness), cmocka_unit_test(test_orders), cmocka_unit_test(test_squares),
        cmocka_unit_test(test_singular),  cmocka_unit_test(test_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
