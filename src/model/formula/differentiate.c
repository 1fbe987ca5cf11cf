/* Exact derivatives by one reverse sweep over the graph, and substitution.
 *
 * The adjoint of a node x is y_x = dy/dx for the differentiated y. Parents hand down to child i (F1)
 *     y_child += y_parent * d(parent)/d(child)
 * An if hands its adjoint to a branch only where that branch is taken: if(c, y, 0). Such guarded adjoints stay guarded
 * through products (simplify.c) and through sums (accumulate), so that a branch that is not defined where it is not
 * taken leaves no 0 * NaN behind. */
#include "graph.h"

#include <stdlib.h>

static expr add(graph *g, expr a, expr b) {
    return expr_binary(g, OP_ADD, a, b);
}
static expr subtract(graph *g, expr a, expr b) {
    return expr_binary(g, OP_SUB, a, b);
}
static expr multiply(graph *g, expr a, expr b) {
    return expr_binary(g, OP_MUL, a, b);
}
static expr divide(graph *g, expr a, expr b) {
    return expr_binary(g, OP_DIV, a, b);
}
static expr negate(graph *g, expr a) {
    return expr_unary(g, OP_NEG, a);
}
static expr square(graph *g, expr a) {
    return multiply(g, a, a);
}
static expr root(graph *g, expr a) {
    return expr_unary(g, OP_SQRT, a);
}
static expr number(graph *g, double value) {
    return expr_number(g, value);
}

static expr guard(graph *g, expr condition, expr a) {
    return expr_if(g, condition, a, number(g, 0));
}

static expr guard_not(graph *g, expr condition, expr a) {
    return expr_if(g, condition, number(g, 0), a);
}

/* y * d(a^b)/da, y * d(a^b)/db. At a = 0 the factor log(a) is left out, since a^b does not change with b there. */
static expr power_part(graph *g, expr e, int i, expr y) {
    expr a = expr_child(g, e, 0), b = expr_child(g, e, 1);
    if (i == 0) return multiply(g, y, multiply(g, b, expr_binary(g, OP_POW, a, subtract(g, b, number(g, 1)))));
    expr nothing = expr_binary(g, OP_EQ, a, number(g, 0));
    return guard_not(g, nothing, multiply(g, y, multiply(g, e, expr_unary(g, OP_LOG, a))));
}

/* Whether e is a sum of at most TERMS squares with coefficients that are not negative. */
enum { TERMS = 32 };
static bool is_sum_of_squares(const graph *g, expr e) {
    expr open[TERMS], rest;
    int count = 0, met = 0;
    open[count++] = e;
    while (count > 0) {
        e = open[--count];
        if (++met > 2 * TERMS || expr_coefficient(g, e, &rest) < 0) return false;
        bool sum = expr_op(g, rest) == OP_ADD;
        if (!sum && !(expr_op(g, rest) == OP_MUL && expr_child(g, rest, 0) == expr_child(g, rest, 1))) return false;
        if (!sum) continue;
        if (count + 2 > TERMS) return false;
        for (int i = 0; i < 2; i++) open[count++] = expr_child(g, rest, i);
    }
    return true;
}

/* y * d sqrt(a)/da. A length sqrt(x^2 + y^2) has a corner where it is zero. Its derivative there is 0, as that of abs:
 * the factor x of d(x^2)/dx is 0. */
static expr root_part(graph *g, expr e, expr y) {
    expr length = is_sum_of_squares(g, expr_child(g, e, 0)) ? expr_not_zero(g, e) : e;
    return divide(g, y, multiply(g, number(g, 2), length));
}

/* y * d atan2(a, b) / d(a or b) */
static expr atan2_part(graph *g, expr e, int i, expr y) {
    expr a = expr_child(g, e, 0), b = expr_child(g, e, 1);
    expr aa = square(g, a), bb = square(g, b), distance = add(g, aa, bb);
    return i == 0 ? multiply(g, y, divide(g, b, distance)) : negate(g, multiply(g, y, divide(g, a, distance)));
}

/* (1 - a) (1 + a), which loses no digits near 1 */
static expr one_less_square(graph *g, expr one, expr a) {
    expr less = subtract(g, one, a), more = add(g, one, a);
    return multiply(g, less, more);
}

/* sqrt(a - 1) sqrt(a + 1) */
static expr root_of_square_less_one(graph *g, expr one, expr a) {
    expr less = root(g, subtract(g, a, one)), more = root(g, add(g, a, one));
    return multiply(g, less, more);
}

static expr place_rate(graph *g, expr e) {
    double table = 0;
    expr_is_number(g, expr_child(g, e, 1), &table);
    expr n = expr_unary(g, OP_FLOOR, e), column = number(g, table * KNOT_COLUMNS + KNOT_RATE);
    return expr_binary(g, OP_ENTRY, n, column);
}

/* The square of R, held away from 0, and 1 - M/R^3, how steep G is, (CF50). */
static expr foot_square(graph *g, expr s) {
    expr k = expr_child(g, s, 0), P = expr_child(g, s, 2), two_j = expr_scale(g, 2, expr_child(g, s, 1));
    expr back = subtract(g, multiply(g, k, s), two_j), least = number(g, 1e-20);
    return graph_exempt(g, expr_binary(g, OP_MAX, add(g, P, multiply(g, s, back)), least));
}
static expr foot_steepness(graph *g, expr s, expr R2, expr R) {
    expr k = expr_child(g, s, 0), square_of_j = square(g, expr_child(g, s, 1)), one = number(g, 1);
    expr M = subtract(g, multiply(g, k, expr_child(g, s, 2)), square_of_j), cube = multiply(g, R, R2);
    expr steep = subtract(g, one, divide(g, M, cube)), least = number(g, 1e-6);
    return graph_exempt(g, expr_binary(g, OP_MAX, steep, least));
}

/* By the implicit function theorem (CF51). */
static expr foot_part(graph *g, expr s, int i, expr y) {
    expr R2 = foot_square(g, s), R = root(g, R2), s2 = divide(g, square(g, s), R2), half = expr_scale(g, 0.5, s), part;
    if (i == 0) half = multiply(g, half, s2), part = subtract(g, divide(g, s, R), half);
    else if (i == 1) half = divide(g, number(g, 1), R), part = subtract(g, s2, half);
    else part = negate(g, divide(g, half, R2));
    return multiply(g, y, divide(g, part, foot_steepness(g, s, R2, R)));
}

/* y * de/d(child i); -1: out of memory. Where the derivative is zero the result is the number 0. (F2) */
static expr part(graph *g, expr e, int i, expr y) {
    expr a = expr_child(g, e, 0), b = op_arity(expr_op(g, e)) > 1 ? expr_child(g, e, 1) : a, one = number(g, 1);
    switch (expr_op(g, e)) {
    case OP_ADD:
        return y;
    case OP_SUB:
        return i == 0 ? y : negate(g, y);
    case OP_MUL:
        return multiply(g, y, i == 0 ? b : a);
    case OP_DIV:
        return i == 0 ? divide(g, y, b) : negate(g, multiply(g, y, divide(g, e, b)));
    case OP_POW:
        return power_part(g, e, i, y);
    case OP_NEG:
        return negate(g, y);
    case OP_PLACE: /* the rate of the interval */
        if (i > 0) return number(g, 0);
        return multiply(g, y, place_rate(g, e));
    case OP_ENTRY:
        return number(g, 0);
    case OP_SIN:
        return multiply(g, y, expr_unary(g, OP_COS, a));
    case OP_COS:
        return negate(g, multiply(g, y, expr_unary(g, OP_SIN, a)));
    case OP_TAN:
        return multiply(g, y, add(g, one, square(g, e)));
    case OP_ASIN:
        return divide(g, y, root(g, one_less_square(g, one, a)));
    case OP_ACOS:
        return negate(g, divide(g, y, root(g, one_less_square(g, one, a))));
    case OP_ATAN:
        return divide(g, y, add(g, one, square(g, a)));
    case OP_ATAN2:
        return atan2_part(g, e, i, y);
    case OP_SINH:
        return multiply(g, y, expr_unary(g, OP_COSH, a));
    case OP_COSH:
        return multiply(g, y, expr_unary(g, OP_SINH, a));
    case OP_TANH:
        return divide(g, y, square(g, expr_unary(g, OP_COSH, a)));
    case OP_ASINH:
        return divide(g, y, root(g, add(g, one, square(g, a))));
    case OP_ACOSH:
        return divide(g, y, root_of_square_less_one(g, one, a));
    case OP_ATANH:
        return divide(g, y, one_less_square(g, one, a));
    case OP_EXP:
        return multiply(g, y, e);
    case OP_LOG:
        return divide(g, y, a);
    case OP_SQRT:
        return root_part(g, e, y);
    case OP_ABS:
        return multiply(g, y, expr_unary(g, OP_SIGN, a));
    case OP_MIN:
        return (i == 0 ? guard_not : guard)(g, expr_binary(g, OP_LT, b, a), y);
    case OP_MAX:
        return (i == 0 ? guard_not : guard)(g, expr_binary(g, OP_LT, a, b), y);
    case OP_FOOT:
        return foot_part(g, e, i, y);
    case OP_IF:
        return i == 0 ? number(g, 0) : (i == 1 ? guard : guard_not)(g, a, y);
    default:
        return number(g, 0); /* sign, floor, comparisons, logic: constant wherever differentiable */
    }
}

static bool is_guarded(const graph *g, expr e) {
    return e >= 0 && expr_op(g, e) == OP_IF && expr_equals(g, expr_child(g, e, 2), 0);
}

static bool opposite(const graph *g, expr c, expr d) {
    return expr_op(g, d) == OP_NOT && expr_child(g, d, 0) == c;
}

/* x + y; if(c, a, 0) + if(d, b, 0) = if(c or d, if(c, a, 0) + if(d, b, 0), 0) */
static expr accumulate(graph *g, expr x, expr y) {
    if (!is_guarded(g, x) || !is_guarded(g, y)) return add(g, x, y);
    expr c = expr_child(g, x, 0), d = expr_child(g, y, 0), a = expr_child(g, x, 1), b = expr_child(g, y, 1);
    if (c == d) return guard(g, c, add(g, a, b));
    if (opposite(g, c, d)) return expr_if(g, c, a, b);
    if (opposite(g, d, c)) return expr_if(g, d, b, a);
    expr either = expr_binary(g, OP_OR, c, d);
    return guard(g, either, add(g, x, y));
}

static int by_index(const void *x, const void *y) {
    int a = ((const expr_entry *)x)->index, b = ((const expr_entry *)y)->index;
    return (a > b) - (a < b);
}

enum {
    PASSIVE = -3,
    NONE = -2
}; /* adjoint of a node that is above no wanted symbol; of one that was not reached yet */

/* Adjoints of order[0..length), the last being the differentiated node. False: out of memory. */
static bool sweep(graph *g, const expr *order, int length, int first, int count, expr *adjoint) {
    for (int k = 0; k < length; k++) {
        int symbol = expr_symbol_of(g, order[k]);
        bool active = symbol >= first && symbol - first < count;
        for (int i = 0; i < op_arity(expr_op(g, order[k])); i++)
            active |= adjoint[graph_place(g, expr_child(g, order[k], i))] != PASSIVE;
        adjoint[k] = active ? NONE : PASSIVE;
    }
    if (adjoint[length - 1] == NONE) adjoint[length - 1] = number(g, 1);
    for (int k = length; k-- > 0;) {
        if (adjoint[k] == PASSIVE || adjoint[k] == NONE || expr_equals(g, adjoint[k], 0)) continue;
        for (int i = 0; i < op_arity(expr_op(g, order[k])); i++) {
            expr *child = &adjoint[graph_place(g, expr_child(g, order[k], i))];
            if (*child == PASSIVE) continue;
            expr more = part(g, order[k], i, adjoint[k]);
            if (expr_equals(g, more, 0)) continue;
            *child = *child == NONE ? more : accumulate(g, *child, more);
            if (*child < 0) return false;
        }
    }
    return true;
}

int expr_gradient_sparse(graph *g, expr e, int first_symbol, int count, expr_entry *entries) {
    int length, found = 0;
    const expr *order = graph_order(g, &e, 1, &length);
    expr *adjoint = order ? graph_memory(g, NULL, (size_t)length, sizeof *adjoint) : NULL;
    bool done = adjoint && sweep(g, order, length, first_symbol, count, adjoint);
    for (int k = 0; done && k < length; k++)
        if (expr_symbol_of(g, order[k]) >= 0 && adjoint[k] >= 0 && !expr_equals(g, adjoint[k], 0))
            entries[found++] = (expr_entry){expr_symbol_of(g, order[k]) - first_symbol, adjoint[k]};
    free(adjoint);
    if (!done) return -1;
    qsort(entries, (size_t)found, sizeof *entries, by_index);
    return found;
}

bool expr_gradient(graph *g, expr e, int first_symbol, int count, expr *gradient) {
    expr zero = number(g, 0);
    expr_entry *entries = graph_memory(g, NULL, (size_t)count + 1, sizeof *entries);
    int found = entries && zero >= 0 ? expr_gradient_sparse(g, e, first_symbol, count, entries) : -1;
    for (int i = 0; i < count; i++) gradient[i] = zero;
    for (int k = 0; k < found; k++) gradient[entries[k].index] = entries[k].value;
    free(entries);
    return found >= 0;
}

expr expr_derivative(graph *g, expr e, int symbol) {
    expr derivative;
    return expr_gradient(g, e, symbol, 1, &derivative) ? derivative : -1;
}

expr expr_substitute(graph *g, expr e, int first, int count, const expr *by) {
    int length;
    const expr *order = graph_order(g, &e, 1, &length);
    expr *image = order ? graph_memory(g, NULL, (size_t)length, sizeof *image) : NULL;
    if (!image) return -1;
    for (int k = 0; k < length; k++) {
        int symbol = expr_symbol_of(g, order[k]);
        int arity = op_arity(expr_op(g, order[k]));
        expr child[3];
        bool changed = false;
        for (int i = 0; i < arity; i++) {
            child[i] = image[graph_place(g, expr_child(g, order[k], i))];
            changed |= child[i] != expr_child(g, order[k], i);
        }
        image[k] = symbol >= first && symbol - first < count ? by[symbol - first]
                   : changed                                 ? expr_build(g, expr_op(g, order[k]), child)
                                                             : order[k];
    }
    expr result = image[length - 1];
    free(image);
    return result;
}
