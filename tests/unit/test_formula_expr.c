/* Expressions: thousands of random ones, their values and first and second derivatives compared with hyper-dual numbers
 * in long double, carried through the unsimplified tree by rules written down here; and single rules by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/formula/expr.h"
#include "model/formula/knots.h"

typedef long double real;

/* ---------------------------------------------------------------- hyper-dual numbers f + f1 e1 + f2 e2 + f12 e1 e2 */

typedef struct dual {
    real f, f1, f2, f12;
} dual;

static real largest; /* value or derivative met since the last reset: how far rounding may be amplified */
static bool kink;    /* an argument too near to a jump or corner for a fair comparison */

static real note(real x) {
    if (!(fabsl(x) <= largest)) largest = isnan(x) ? INFINITY : fabsl(x);
    return x;
}

static dual noted(dual x) {
    note(x.f), note(x.f1), note(x.f2), note(x.f12);
    return x;
}

/* phi(a) with phi' = d, phi'' = dd */
static dual chain(dual a, real phi, real d, real dd) {
    note(d), note(dd);
    return noted((dual){phi, d * a.f1, d * a.f2, d * a.f12 + dd * a.f1 * a.f2});
}

static dual constant(real x) {
    return (dual){x, 0, 0, 0};
}

static dual plus(dual a, dual b) {
    return noted((dual){a.f + b.f, a.f1 + b.f1, a.f2 + b.f2, a.f12 + b.f12});
}

static dual times(dual a, dual b) {
    return noted((dual){a.f * b.f, a.f1 * b.f + a.f * b.f1, a.f2 * b.f + a.f * b.f2,
                        a.f12 * b.f + a.f1 * b.f2 + a.f2 * b.f1 + a.f * b.f12});
}

static dual inverse(dual a) {
    return chain(a, 1 / a.f, -1 / (a.f * a.f), 2 / (a.f * a.f * a.f));
}

static bool is_constant(dual a) {
    return a.f1 == 0 && a.f2 == 0 && a.f12 == 0;
}

static dual power(dual a, dual b) {
    if (is_constant(b)) /* x^n without logarithms */
        return chain(a, powl(a.f, b.f), b.f == 0 ? 0 : b.f * powl(a.f, b.f - 1),
                     b.f == 0 || b.f == 1 ? 0 : b.f * (b.f - 1) * powl(a.f, b.f - 2));
    dual exponent = times(b, chain(a, logl(a.f), 1 / a.f, -1 / (a.f * a.f)));
    return chain(exponent, expl(exponent.f), expl(exponent.f), expl(exponent.f));
}

/* Notes whether x is so near to zero that rounding decides between two branches. */
static real away(real x, real size) {
    if (!(fabsl(x) >= 1e-9L * (1 + size))) kink = true;
    return x;
}

/* Is x true? Zero itself is a proper answer (comparisons give it), nearly zero is not. */
static bool truth(real x) {
    if (x != 0) away(x, 0);
    return x != 0;
}

static dual arctangent2(dual a, dual b) {
    if (b.f <= 0) away(a.f, fabsl(b.f)); /* the cut */
    real r = a.f * a.f + b.f * b.f, fa = b.f / r, fb = -a.f / r, fab = (fb * fb - fa * fa), faa = 2 * fa * fb;
    note(faa), note(fab);
    return noted(
        (dual){atan2l(a.f, b.f), fa * a.f1 + fb * b.f1, fa * a.f2 + fb * b.f2,
               fa * a.f12 + fb * b.f12 + faa * a.f1 * a.f2 - faa * b.f1 * b.f2 + fab * (a.f1 * b.f2 + a.f2 * b.f1)});
}

static dual unary(op operation, dual a) {
    real x = a.f, s, c;
    switch (operation) {
    case OP_NEG:
        return chain(a, -x, -1, 0);
    case OP_SIN:
        return chain(a, sinl(x), cosl(x), -sinl(x));
    case OP_COS:
        return chain(a, cosl(x), -sinl(x), -cosl(x));
    case OP_TAN:
        c = cosl(x);
        return chain(a, tanl(x), 1 / (c * c), 2 * tanl(x) / (c * c));
    case OP_ASIN:
        s = 1 - x * x;
        return chain(a, asinl(x), 1 / sqrtl(s), x / (s * sqrtl(s)));
    case OP_ACOS:
        s = 1 - x * x;
        return chain(a, acosl(x), -1 / sqrtl(s), -x / (s * sqrtl(s)));
    case OP_ATAN:
        s = 1 + x * x;
        return chain(a, atanl(x), 1 / s, -2 * x / (s * s));
    case OP_SINH:
        return chain(a, sinhl(x), coshl(x), sinhl(x));
    case OP_COSH:
        return chain(a, coshl(x), sinhl(x), coshl(x));
    case OP_TANH:
        c = coshl(x);
        return chain(a, tanhl(x), 1 / (c * c), -2 * tanhl(x) / (c * c));
    case OP_ASINH:
        s = 1 + x * x;
        return chain(a, asinhl(x), 1 / sqrtl(s), -x / (s * sqrtl(s)));
    case OP_ACOSH:
        s = x * x - 1;
        return chain(a, acoshl(x), 1 / sqrtl(s), -x / (s * sqrtl(s)));
    case OP_ATANH:
        s = 1 - x * x;
        return chain(a, atanhl(x), 1 / s, 2 * x / (s * s));
    case OP_EXP:
        return chain(a, expl(x), expl(x), expl(x));
    case OP_LOG:
        return chain(a, logl(x), 1 / x, -1 / (x * x));
    case OP_SQRT:
        s = sqrtl(x);
        return chain(a, s, 1 / (2 * s), -1 / (4 * s * s * s));
    case OP_ABS:
        return away(x, 0) < 0 ? chain(a, -x, -1, 0) : a;
    case OP_SIGN:
        return constant(away(x, 0) < 0 ? -1 : 1);
    case OP_FLOOR:
        away(x - roundl(x), fabsl(x));
        return constant(floorl(x));
    case OP_CEIL:
        away(x - roundl(x), fabsl(x));
        return constant(ceill(x));
    case OP_ROUND:
        away(x - floorl(x) - 0.5L, fabsl(x));
        return constant(roundl(x));
    case OP_NOT:
        return constant(!truth(x));
    default:
        abort();
    }
}

/* What fmod leaves, moved to the side of b: a less a whole number of b. */
static dual modulo(dual a, dual b) {
    real rest = fmodl(a.f, b.f), n = roundl((a.f - rest) / b.f);
    if (rest != 0 && (rest < 0) != (b.f < 0)) n--;
    away(rest / b.f - roundl(rest / b.f), fabsl(n));
    return plus(a, times(constant(-n), b));
}

static dual binary(op operation, dual a, dual b) {
    switch (operation) {
    case OP_ADD:
        return plus(a, b);
    case OP_SUB:
        return plus(a, unary(OP_NEG, b));
    case OP_MUL:
        return times(a, b);
    case OP_DIV:
        return times(a, inverse(b));
    case OP_POW:
        return power(a, b);
    case OP_ATAN2:
        return arctangent2(a, b);
    case OP_MOD:
        return modulo(a, b);
    default:
        break;
    }
    if (operation == OP_AND || operation == OP_OR) {
        bool x = truth(a.f), y = truth(b.f);
        return constant(operation == OP_AND ? x && y : x || y);
    }
    bool less = away(a.f - b.f, fabsl(a.f) + fabsl(b.f)) < 0;
    switch (operation) {
    case OP_MIN:
        return less ? a : b;
    case OP_MAX:
        return less ? b : a;
    case OP_LT:
    case OP_LE:
        return constant(less);
    case OP_EQ:
        return constant(0);
    default:
        abort();
    }
}

/* ---------------------------------------------------------------- random trees */

enum { SYMBOLS = 4, TREE_MAX = 400 };

typedef struct tree {
    int size;
    struct {
        op operation;
        int child[3], symbol;
        double number;
    } node[TREE_MAX]; /* children first */
} tree;

static uint64_t seed;

static int choose(int n) { /* 0 .. n-1 */
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)n);
}

static double uniform(double from, double to) {
    return from + (to - from) * choose(1 << 20) / (1 << 20);
}

static int leaf(tree *t) {
    static const double numbers[] = {0, 1, 2, -1, 0.5, 3, -2, 1.5, 0.1, -0.5, 10, 7};
    int k = t->size++;
    bool number = choose(4) == 0;
    t->node[k].operation = number ? OP_NUMBER : OP_SYMBOL;
    t->node[k].number = numbers[choose((int)(sizeof numbers / sizeof *numbers))];
    t->node[k].symbol = choose(SYMBOLS);
    return k;
}

/* Sums and products are common, powers have constant exponents half of the time, subtrees are sometimes used again. */
static int grow(tree *t, int depth) {
    if (t->size > 0 && choose(6) == 0) return choose(t->size);
    if (depth == 0 || t->size > TREE_MAX - 40 || choose(8) == 0) return leaf(t);
    op operation = choose(2) ? (op)(OP_ADD + choose(4)) : (op)(OP_ADD + choose(OP_PLACE - OP_ADD));
    int child[3] = {-1, -1, -1};
    for (int i = 0; i < op_arity(operation); i++) child[i] = grow(t, depth - 1);
    if (operation == OP_POW && choose(2)) {
        child[1] = leaf(t);
        t->node[child[1]].operation = OP_NUMBER;
    }
    int k = t->size++;
    t->node[k].operation = operation;
    memcpy(t->node[k].child, child, sizeof child);
    return k;
}

/* Only what is needed is evaluated: the branch of an if that is not taken may be anything. */
typedef struct evaluation {
    const tree *t;
    const double *x;
    int i, j; /* differentiate by these symbols */
    bool done[TREE_MAX];
    dual value[TREE_MAX];
} evaluation;

static dual evaluate(evaluation *v, int k) {
    const int *c = v->t->node[k].child, symbol = v->t->node[k].symbol;
    op operation = v->t->node[k].operation;
    if (v->done[k]) return v->value[k];
    dual result;
    if (operation == OP_NUMBER) result = constant(v->t->node[k].number);
    else if (operation == OP_SYMBOL) result = (dual){v->x[symbol], symbol == v->i, symbol == v->j, 0};
    else if (operation == OP_IF) result = evaluate(v, truth(evaluate(v, c[0]).f) ? c[1] : c[2]);
    else if (op_arity(operation) == 1) result = unary(operation, evaluate(v, c[0]));
    else if (operation == OP_POW && v->t->node[c[1]].operation != OP_NUMBER && evaluate(v, c[0]).f <= 0)
        kink = true, result = constant(0); /* real for integers only */
    else result = binary(operation, evaluate(v, c[0]), evaluate(v, c[1]));
    v->done[k] = true;
    return v->value[k] = result;
}

static dual tree_dual(const tree *t, int root, const double *x, int i, int j) {
    evaluation v = {.t = t, .x = x, .i = i, .j = j};
    return evaluate(&v, root);
}

static expr tree_expr(graph *g, const tree *t, int root) {
    expr e[TREE_MAX];
    for (int k = 0; k <= root; k++) {
        expr child[3] = {-1, -1, -1};
        for (int i = 0; i < op_arity(t->node[k].operation); i++) child[i] = e[t->node[k].child[i]];
        e[k] = t->node[k].operation == OP_NUMBER   ? expr_number(g, t->node[k].number)
               : t->node[k].operation == OP_SYMBOL ? expr_symbol(g, t->node[k].symbol)
                                                   : expr_build(g, t->node[k].operation, child);
    }
    return e[root];
}

/* ---------------------------------------------------------------- evaluation of the graph in long double */

static real expr_real(graph *g, expr e, const double *x) {
    int length;
    const expr *order = graph_order(g, &e, 1, &length);
    assert_non_null(order);
    real *v = calloc((size_t)length, sizeof *v);
    assert_non_null(v);
    for (int k = 0; k < length; k++) {
        op operation = expr_op(g, order[k]);
        double number;
        dual c[3] = {constant(0), constant(0), constant(0)};
        for (int i = 0; i < op_arity(operation); i++) c[i].f = v[graph_place(g, expr_child(g, order[k], i))];
        if (expr_is_number(g, order[k], &number)) v[k] = number;
        else if (operation == OP_SYMBOL) v[k] = x[expr_symbol_of(g, order[k])];
        else if (operation == OP_IF) v[k] = c[0].f != 0 ? c[1].f : c[2].f;
        else if (operation == OP_EQ) v[k] = c[0].f == c[1].f;
        else if (operation == OP_NOT) v[k] = c[0].f == 0;
        else if (operation == OP_POW) v[k] = powl(c[0].f, c[1].f);
        else v[k] = op_arity(operation) == 1 ? unary(operation, c[0]).f : binary(operation, c[0], c[1]).f;
    }
    real result = v[length - 1];
    free(v);
    return result;
}

/* ---------------------------------------------------------------- property tests */

/* Numbers are folded in double (1e-16) and rounding grows by the largest derivative on the way, which is kept below 1e3
 * (second derivatives see its square); wrong formulas are off by their own size. */
static const real amplification = 1e3L, tolerance = 1e-9L;

static void compare(const char *what, int trial, real got, real expected) {
    if (!(fabsl(got - expected) <= tolerance * (1 + fabsl(expected))))
        fail_msg("%s of random expression %d is %.15Lg, expected %.15Lg", what, trial, got, expected);
}

static void test_random_expressions(void **state) {
    (void)state;
    int compared = 0, used[OP_COUNT] = {0};
    for (int trial = 0; trial < 40000; trial++) {
        seed = (uint64_t)trial * 977 + 1;
        tree t = {.size = 0};
        int root = grow(&t, 2 + trial % 4);
        double x[SYMBOLS];
        for (int i = 0; i < SYMBOLS; i++) x[i] = uniform(-2.0, 2.0);
        int i = choose(SYMBOLS), j = choose(SYMBOLS);
        largest = 0, kink = false;
        dual expected = tree_dual(&t, root, x, i, j);
        if (kink || largest > amplification) continue;

        graph *g = graph_create();
        assert_non_null(g);
        expr e = tree_expr(g, &t, root), e_i = expr_derivative(g, e, i), gradient[SYMBOLS];
        assert_true(expr_gradient(g, e, 0, SYMBOLS, gradient));
        expr e_ij = expr_derivative(g, e_i, j), e_ji = expr_derivative(g, gradient[j], i);
        compare("value", trial, expr_real(g, e, x), expected.f);
        compare("value in double", trial, (real)expr_value(g, e, x), expected.f);
        compare("derivative", trial, expr_real(g, e_i, x), expected.f1);
        compare("gradient", trial, expr_real(g, gradient[j], x), expected.f2);
        compare("second derivative", trial, expr_real(g, e_ij, x), expected.f12);
        compare("second derivative, other order", trial, expr_real(g, e_ji, x), expected.f12);
        compare("second derivative in double", trial, (real)expr_value(g, e_ij, x), expected.f12);
        if (!expr_depends(g, e, i, i)) assert_true(expr_equals(g, e_i, 0));
        for (int k = 0; k <= root; k++) used[t.node[k].operation]++;
        compared++;
        graph_destroy(g);
    }
    /* the comparison must not have been skipped for everything, nor for any operation */
    assert_in_range(compared, 10000, 40000);
    for (int k = 0; k < OP_PLACE; k++)
        if (used[k] < 100) fail_msg("operation %d occurs only %d times", k, used[k]);
}

/* Substituting y for a symbol is evaluating at the value of y. */
static void test_substitution(void **state) {
    (void)state;
    int compared = 0;
    for (int trial = 0; trial < 4000; trial++) {
        seed = (uint64_t)trial * 31 + 7;
        tree t = {.size = 0}, r = {.size = 0};
        int root = grow(&t, 4), by = grow(&r, 2);
        double x[SYMBOLS];
        for (int i = 0; i < SYMBOLS; i++) x[i] = uniform(-2.0, 2.0);
        graph *g = graph_create();
        assert_non_null(g);
        expr e = tree_expr(g, &t, root), y = tree_expr(g, &r, by), z = expr_substitute(g, e, 1, 1, &y);
        double xs[SYMBOLS] = {x[0], expr_value(g, y, x), x[2], x[3]};
        largest = 0, kink = false;
        tree_dual(&t, root, xs, 0, 0);
        if (!kink && largest <= amplification && isfinite(xs[1])) {
            compare("substitution", trial, (real)expr_value(g, z, x), (real)expr_value(g, e, xs));
            compared++;
        }
        assert_int_equal(expr_substitute(g, e, SYMBOLS, 5, NULL), e);
        graph_destroy(g);
    }
    assert_in_range(compared, 1000, 4000);
}

/* ---------------------------------------------------------------- single rules */

static graph *g;
static expr x, y, zero, one;

static int setup(void **state) {
    (void)state;
    g = graph_create();
    if (!g) return -1;
    x = expr_symbol(g, 0), y = expr_symbol(g, 1), zero = expr_number(g, 0), one = expr_number(g, 1);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    graph_destroy(g);
    return 0;
}

static expr number(double v) {
    return expr_number(g, v);
}
static expr add(expr a, expr b) {
    return expr_binary(g, OP_ADD, a, b);
}
static expr sub(expr a, expr b) {
    return expr_binary(g, OP_SUB, a, b);
}
static expr mul(expr a, expr b) {
    return expr_binary(g, OP_MUL, a, b);
}
static expr over(expr a, expr b) {
    return expr_binary(g, OP_DIV, a, b);
}
static expr pow_of(expr a, double n) {
    return expr_binary(g, OP_POW, a, number(n));
}
static expr apply(op operation, expr a) {
    return expr_unary(g, operation, a);
}
static expr when(expr c, expr a, expr b) {
    return expr_if(g, c, a, b);
}
static double at(expr e, double vx, double vy) {
    return expr_value(g, e, (double[]){vx, vy});
}

static void test_simplification(void **state) {
    (void)state;
    assert_int_equal(add(x, zero), x);
    assert_int_equal(mul(x, one), x);
    assert_int_equal(mul(zero, x), zero);
    assert_int_equal(sub(x, x), zero);
    assert_int_equal(over(x, x), one);
    assert_int_equal(apply(OP_NEG, apply(OP_NEG, x)), x);
    assert_int_equal(add(x, y), add(y, x));
    assert_int_equal(sub(x, apply(OP_NEG, y)), add(x, y));
    assert_int_equal(apply(OP_NEG, sub(x, y)), sub(y, x));
    assert_int_equal(mul(apply(OP_NEG, x), apply(OP_NEG, y)), mul(x, y));
    assert_int_equal(add(x, x), mul(number(2), x));
    assert_int_equal(sub(mul(number(3), x), mul(x, number(2))), x);
    assert_int_equal(mul(number(0.5), mul(number(2), x)), x);
    assert_int_equal(pow_of(x, 2), mul(x, x));
    assert_int_equal(pow_of(x, 0), one);
    assert_int_equal(pow_of(x, 0.5), apply(OP_SQRT, x));
    assert_int_equal(pow_of(x, -1), over(one, x));
    assert_int_equal(mul(apply(OP_SQRT, x), apply(OP_SQRT, x)), x);
    assert_int_equal(when(one, x, y), x);
    assert_int_equal(when(x, y, y), y);
    assert_int_equal(expr_derivative(g, mul(number(3), mul(x, x)), 0), mul(number(6), x));
    assert_true(expr_equals(g, expr_derivative(g, expr_derivative(g, mul(number(0.5), mul(x, x)), 0), 0), 1));
}

/* Numbers are not gathered where that would overflow on the way to a finite result. */
static void test_extreme_numbers(void **state) {
    (void)state;
    expr small = number(1e-200), large = number(1e200);
    assert_true(at(mul(mul(small, x), mul(small, y)), 1e200, 1e200) == 1);
    assert_true(at(mul(large, mul(small, x)), 5, 0) == 5);
    assert_true(fabs(at(mul(mul(small, x), mul(small, y)), 1e250, 1e250) / 1e100 - 1) < 1e-15);
    assert_true(at(over(mul(small, x), small), 3, 0) == 3);
    assert_true(at(add(mul(number(1.5e308), x), mul(number(1.5e308), x)), 1e-10, 0) == 2 * (1.5e308 * 1e-10));
    /* signs of coefficients too large to be gathered */
    expr a = mul(number(-1e30), x), b = mul(number(-1e30), y);
    assert_true(at(add(a, b), 1, 2) == -1e30 - 2e30);
    assert_true(at(sub(apply(OP_NEG, a), b), 1, 2) == 1e30 + 2e30);
}

/* What is not defined in the branch that is not taken stays out of the derivatives. */
static void test_branches(void **state) {
    (void)state;
    expr positive = expr_binary(g, OP_LT, zero, x), beyond = expr_binary(g, OP_LT, one, x), root = apply(OP_SQRT, x);
    expr once = when(positive, root, zero), twice = add(once, when(beyond, mul(y, root), zero));
    expr other = when(positive, zero, apply(OP_SQRT, apply(OP_NEG, x)));
    assert_true(at(expr_derivative(g, once, 0), -1, 0) == 0);
    assert_true(at(expr_derivative(g, once, 0), 4, 0) == 0.25);
    assert_true(at(expr_derivative(g, expr_derivative(g, once, 0), 0), -1, 0) == 0);
    assert_true(at(expr_derivative(g, twice, 0), -1, 3) == 0);
    assert_true(at(expr_derivative(g, twice, 0), 0.25, 3) == 1);
    assert_true(at(expr_derivative(g, twice, 0), 4, 3) == 1);
    assert_true(at(expr_derivative(g, other, 0), 4, 0) == 0);
    assert_true(at(expr_derivative(g, other, 0), -4, 0) == -0.25);
    assert_true(at(expr_derivative(g, add(once, other), 0), -4, 0) == -0.25);
    assert_true(at(expr_derivative(g, add(once, other), 0), 4, 0) == 0.25);
    expr hertz = pow_of(expr_binary(g, OP_MAX, x, zero), 1.5); /* a unilateral spring of Hertz */
    assert_true(at(expr_derivative(g, hertz, 0), -1, 0) == 0);
    assert_true(at(expr_derivative(g, hertz, 0), 4, 0) == 3);
}

/* At isolated points where a careless rule gives NaN. */
static void test_special_points(void **state) {
    (void)state;
    assert_true(at(expr_derivative(g, pow_of(x, 3), 0), 0, 0) == 0);
    assert_true(at(expr_derivative(g, pow_of(x, 2), 0), -3, 0) == -6);
    assert_true(at(expr_derivative(g, pow_of(x, 12), 0), -1, 0) == -12);
    assert_true(at(expr_derivative(g, pow_of(x, -2), 0), -2, 0) == 0.25);
    assert_true(at(expr_derivative(g, pow_of(x, 2.5), 0), 0, 0) == 0);
    assert_true(at(expr_derivative(g, expr_binary(g, OP_POW, x, y), 1), 0, 2) == 0);
    assert_true(at(expr_derivative(g, expr_binary(g, OP_POW, x, y), 0), 3, 2) == 6);
    assert_true(at(expr_derivative(g, apply(OP_ABS, x), 0), -2, 0) == -1);
    assert_true(at(expr_derivative(g, apply(OP_ABS, x), 0), 0, 0) == 0);
    assert_true(at(expr_derivative(g, apply(OP_TANH, x), 0), 400, 0) == 0);
    assert_true(at(expr_derivative(g, apply(OP_FLOOR, x), 0), 2.5, 0) == 0);
    assert_true(isnan(at(expr_binary(g, OP_MIN, x, y), NAN, 1)) && isnan(at(expr_binary(g, OP_MAX, x, y), 1, NAN)));
}

/* At jumps, and of either sign. */
static void test_integers(void **state) {
    (void)state;
    const double third = 1. / 3, ceil_round[][3] = {{2, 2, 2},   {2.5, 3, 3},   {-2.5, -2, -2}, {-0.3, 0, 0},
                                                    {0.7, 1, 1}, {-0.7, 0, -1}, {0.2, 1, 0}};
    for (size_t i = 0; i < sizeof ceil_round / sizeof *ceil_round; i++) {
        assert_true(at(apply(OP_CEIL, x), ceil_round[i][0], 0) == ceil_round[i][1]);
        assert_true(at(apply(OP_ROUND, x), ceil_round[i][0], 0) == ceil_round[i][2]);
    }
    expr left = expr_binary(g, OP_MOD, x, y);
    assert_true(at(left, 7, 4) == 3 && at(left, -7, 4) == 1 && at(left, 7, -4) == -1 && at(left, -7, -4) == -3);
    assert_true(at(left, 8, 4) == 0 && at(left, -8, 4) == 0 && fabs(at(left, 1, third)) <= 1e-15);
    assert_true(isnan(at(left, 1, 0)) && isnan(at(left, NAN, 1)));
    assert_true(at(expr_derivative(g, left, 0), 7, 4) == 1 && at(expr_derivative(g, left, 1), -7, 4) == 2);
}

/* The corner of a length: its derivative is x/|x|, and 0 at 0, where the second derivatives are finite as well. What is
 * no sum of squares keeps its infinite slope. */
static void test_lengths(void **state) {
    (void)state;
    expr square = add(mul(x, x), mul(expr_number(g, 9), mul(y, y))), length = apply(OP_SQRT, square);
    expr by_y = expr_derivative(g, length, 1), by_yy = expr_derivative(g, by_y, 1);
    assert_true(at(by_y, 0, 0) == 0 && isfinite(at(by_yy, 0, 0)));
    assert_true(fabs(at(by_y, 4, 1) - 9. / 5) < 1e-15);
    assert_true(fabs(at(by_yy, 4, 1) - 9 * 16. / 125) < 1e-15);
    assert_true(at(expr_derivative(g, apply(OP_SQRT, x), 0), 0, 0) == INFINITY);
}

static void test_queries(void **state) {
    (void)state;
    expr far = expr_symbol(g, 1000000), e = add(mul(far, y), apply(OP_SIN, x));
    int symbols[3];
    assert_int_equal(expr_support(g, e, symbols, 3), 3);
    assert_int_equal(symbols[0], 0);
    assert_int_equal(symbols[1], 1);
    assert_int_equal(symbols[2], 1000000);
    assert_int_equal(expr_support(g, e, symbols, 1), 3);
    assert_true(expr_depends(g, e, 1, 5));
    assert_false(expr_depends(g, e, 2, 999999));
    assert_int_equal(expr_symbol_of(g, far), 1000000);
    assert_int_equal(expr_symbol_of(g, e), -1);
    expr_entry entries[3];
    assert_int_equal(expr_gradient_sparse(g, e, 1, 1000000, entries), 2);
    assert_int_equal(entries[0].index, 0);
    assert_int_equal(entries[0].value, far);
    assert_int_equal(entries[1].index, 999999);
    assert_int_equal(entries[1].value, y);
    assert_int_equal(expr_binary(g, OP_ADD, x, -1), -1); /* out of memory poisons */
    assert_int_equal(expr_derivative(g, -1, 0), -1);
}

/* A sum over 10^6 symbols has depth 10^6: nothing recurses, and one gradient gives all derivatives. */
static void test_deep_expression(void **state) {
    (void)state;
    enum { N = 1000000 };
    expr e = zero, *gradient = malloc(N * sizeof *gradient);
    assert_non_null(gradient);
    for (int i = 0; i < N; i++) e = add(e, pow_of(expr_symbol(g, i), 2));
    assert_true(expr_gradient(g, e, 0, N, gradient));
    for (int i = 0; i < N; i += 99999) assert_int_equal(gradient[i], mul(number(2), expr_symbol(g, i)));
    for (int i = 0; i < N; i++) gradient[i] = one;
    assert_true(expr_equals(g, expr_substitute(g, e, 0, N, gradient), N));
    free(gradient);
}

/* A table at a number is a number, at knots, between them and outside: points of a beam cost no look into its spline.
 */
static void test_tables_at_numbers(void **state) {
    static const double place[] = {0, 1, 3}, height[] = {2, 4, 0}, at[] = {-1, 0, 0.5, 1, 2, 3, 9},
                        is[] = {2, 2, 3, 4, 2, 0, 0};
    double row[4 * KNOT_ROW], room[6], value;
    int table;
    (void)state;
    knots_fill(3, place, height, KNOTS_LINEAR, row, room);
    const knots k = {3, row};
    assert_true(graph_add_table(g, &k, &table));
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        assert_true(expr_is_number(g, expr_table(g, table, number(at[i])), &value));
        assert_true(fabs(value - is[i]) <= 1e-15);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_expressions),
        cmocka_unit_test(test_substitution),
        cmocka_unit_test_setup_teardown(test_simplification, setup, teardown),
        cmocka_unit_test_setup_teardown(test_extreme_numbers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_branches, setup, teardown),
        cmocka_unit_test_setup_teardown(test_special_points, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lengths, setup, teardown),
        cmocka_unit_test_setup_teardown(test_integers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_queries, setup, teardown),
        cmocka_unit_test_setup_teardown(test_deep_expression, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tables_at_numbers, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
