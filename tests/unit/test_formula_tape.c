/* Tapes compute what the graph says: random graphs with shared nodes against node-by-node evaluation, and the layout of
 * inputs and results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/formula/tape.h"

enum { T = 0, Q = 1, U = 4, W = 6, SYMBOLS = 9 }; /* t, q[3], u[2], w[3] */
static const tape_layout layout = {{T, Q, U, W, SYMBOLS}};

static uint64_t seed;

static int choose(int n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)n);
}

static graph *new_graph(void) {
    graph *g = graph_create();
    assert_non_null(g);
    return g;
}

/* Runs a tape on the values of all symbols, with work space that is exactly as large as promised. */
static void run(graph *g, const tape_array *arrays, int count, const double *values, double *const results[]) {
    tape *t = tape_compile(g, arrays, count, &layout);
    assert_non_null(t);
    double *work = malloc(((size_t)tape_registers(t) + 1) * sizeof *work);
    assert_non_null(work);
    work[tape_registers(t)] = 12345;
    tape_run(t, (const double *[TAPE_BLOCKS]){values + T, values + Q, values + U, values + W}, work, results);
    assert_true(work[tape_registers(t)] == 12345);
    free(work);
    tape_destroy(t);
}

/* Node by node, with products and negatives as tapes form them: without negative zeros. */
static double value_of(graph *g, expr e, const double *values) {
    int length;
    const expr *order = graph_order(g, &e, 1, &length);
    assert_non_null(order);
    double *v = malloc((size_t)length * sizeof *v), number;
    assert_non_null(v);
    for (int k = 0; k < length; k++) {
        op operation = expr_op(g, order[k]);
        double x[3] = {0, 0, 0};
        for (int i = 0; i < op_arity(operation); i++) x[i] = v[graph_place(g, expr_child(g, order[k], i))];
        if (expr_is_number(g, order[k], &number)) v[k] = number;
        else if (operation == OP_SYMBOL) v[k] = values[expr_symbol_of(g, order[k])];
        else v[k] = op_value(operation, x[0], x[1], x[2]);
        if (operation == OP_MUL || operation == OP_NEG) v[k] += 0.0;
    }
    double result = v[length - 1];
    free(v);
    return result;
}

/* The same operations on the same numbers give the same bits (sine and cosine found together are those found alone). */
static void check(double got, double expected, int trial) {
    if (isnan(expected) ? !isnan(got) : got != expected)
        fail_msg("random graph %d: %.17g instead of %.17g", trial, got, expected);
}

static void test_random_graphs(void **state) {
    (void)state;
    enum { NODES = 120, FIRST = 30, SECOND = 20 };
    int seen[OP_COUNT] = {0};
    for (int trial = 0; trial < 3000; trial++) {
        seed = (uint64_t)trial + 99;
        graph *g = new_graph();
        expr pool[NODES], roots[FIRST + SECOND];
        double values[SYMBOLS], first[FIRST], second[SECOND];
        for (int i = 0; i < SYMBOLS; i++) values[i] = 0.2 + choose(1000) / 600.0;
        for (int k = 0; k < NODES; k++) {
            expr child[3];
            for (int i = 0; i < 3; i++) child[i] = k > 0 ? pool[choose(k)] : 0;
            op operation = (op)(OP_ADD + choose(OP_PLACE - OP_ADD));
            pool[k] = k < SYMBOLS       ? expr_symbol(g, k)
                      : k < SYMBOLS + 3 ? expr_number(g, k - 10.5)
                      : choose(3)       ? expr_build(g, (op)(OP_ADD + choose(3)), child)
                                        : expr_build(g, operation, child);
            seen[expr_op(g, pool[k])]++;
        }
        for (int k = 0; k < FIRST + SECOND; k++) roots[k] = pool[choose(NODES)]; /* repetitions and leaves included */
        const tape_array arrays[] = {{roots, FIRST}, {roots + FIRST, SECOND}};
        run(g, arrays, 2, values, (double *[TAPE_ARRAYS]){first, second});
        for (int k = 0; k < FIRST; k++) check(first[k], value_of(g, roots[k], values), trial);
        for (int k = 0; k < SECOND; k++) check(second[k], value_of(g, roots[FIRST + k], values), trial);
        graph_destroy(g);
    }
    for (int k = 0; k < OP_CEIL; k++) assert_true(seen[k] > 0);
}

/* Constant results and copies of inputs are runs, not one instruction each; arrays that are not there are not written.
 */
static void test_copies(void **state) {
    (void)state;
    graph *g = new_graph();
    double values[SYMBOLS] = {0.5, 1, 2, 3, 4, 5, 6, 7, 8}, result[200];
    expr roots[200];
    for (int k = 0; k < 100; k++) roots[k] = expr_number(g, k % 7);
    for (int k = 0; k < 100; k++) roots[100 + k] = expr_symbol(g, W + k % 3);
    tape *t = tape_compile(g, &(tape_array){roots, 100}, 1, &layout);
    assert_non_null(t);
    assert_int_equal(tape_length(t), 0);
    tape_destroy(t);
    run(g, &(tape_array){roots, 200}, 1, values, (double *[TAPE_ARRAYS]){result});
    for (int k = 0; k < 100; k++) assert_true(result[k] == k % 7 && result[100 + k] == 6 + k % 3);
    result[0] = 99;
    run(g, (tape_array[]){{NULL, 0}, {roots + 1, 1}}, 2, values, (double *[TAPE_ARRAYS]){NULL, result + 1});
    assert_true(result[0] == 99 && result[1] == 1);
    graph_destroy(g);
}

/* sum of (sin q_i + cos q_i)^2 = n + sum of sin 2q_i, with q_i = i q: registers are reused, sine and cosine shared,
 * squares computed within the sum. */
static void test_registers(void **state) {
    (void)state;
    enum { N = 1000 };
    graph *g = new_graph();
    expr q = expr_symbol(g, Q), angle = expr_number(g, 0), sum = angle;
    double values[SYMBOLS] = {0}, result, exact = N;
    values[Q] = 0.3;
    for (int i = 1; i <= N; i++) {
        angle = expr_binary(g, OP_ADD, q, angle);
        if (i == 2) angle = expr_binary(g, OP_ADD, q, expr_unary(g, OP_ABS, q)); /* 2*q would start another chain */
        expr both = expr_binary(g, OP_ADD, expr_unary(g, OP_SIN, angle), expr_unary(g, OP_COS, angle));
        sum = expr_binary(g, OP_ADD, sum, expr_binary(g, OP_MUL, both, both));
        exact += sin(2 * i * 0.3);
    }
    tape *t = tape_compile(g, &(tape_array){&sum, 1}, 1, &layout);
    assert_non_null(t);
    assert_in_range(tape_registers(t), 1, 9);      /* two constants, a result, an input, and what is alive: 5 */
    assert_in_range(tape_length(t), 1, 4 * N + 2); /* angle, sine with cosine, their sum, the large sum */
    double work[9];
    tape_run(t, (const double *[TAPE_BLOCKS]){values, values + Q, values + U, values + W}, work,
             (double *[TAPE_ARRAYS]){&result});
    assert_true(fabs(result - exact) < 1e-9); /* a thousand sines of angles up to 600, each good to 1e-13 */
    tape_destroy(t);
    graph_destroy(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_graphs),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
