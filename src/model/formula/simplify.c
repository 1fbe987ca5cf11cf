/* Building expressions, with simplification (docs/theory/formulas.md, "What is simplified").
 *
 * Normal form: a product carries its number and sign in front, c*(x*y), and what is still behind it, c*(s*(x*y)); sums
 * have no negative second term, x + -2*y is x - 2*y; what is zero outside a condition is if(c, x, 0) with c taken
 * through products, quotients and signs: if(c, x, 0)*y = if(c, x*y, 0). The last keeps a branch that is not taken (and
 * may be NaN there) out of derivatives.
 */
#include "graph.h"

enum { POWER_MAX = 8 }; /* integer powers up to here become products */

static expr add(graph *g, expr a, expr b);
static expr multiply(graph *g, expr a, expr b);

static expr make(graph *g, op operation, expr a, expr b, expr c) {
    return graph_node(g, &(node){.operation = operation, .child = {a, b, c}});
}

/* Operands in one order, where the order does not matter. */
static expr make_commutative(graph *g, op operation, expr a, expr b) {
    return a < b ? make(g, operation, a, b, -1) : make(g, operation, b, a, -1);
}

double expr_coefficient(const graph *g, expr e, expr *rest) {
    const node *n = graph_at(g, e);
    double c;
    *rest = e;
    if (n->operation == OP_NEG) return *rest = n->child[0], -1;
    if (n->operation != OP_MUL) return 1;
    for (int i = 0; i < 2; i++)
        if (expr_is_number(g, n->child[i], &c)) return *rest = n->child[1 - i], c;
    return 1;
}

/* Numbers are gathered only while c*x and x differ by no more than 2^64: no overflow is brought in from afar. */
static bool moderate(double c) {
    return fabs(c) >= 0x1p-64 && fabs(c) <= 0x1p64;
}

static bool is_op(const graph *g, expr e, op operation) {
    return graph_at(g, e)->operation == operation;
}

/* if(c, x, 0) */
static bool is_guarded(const graph *g, expr e) {
    return is_op(g, e, OP_IF) && expr_equals(g, expr_child(g, e, 2), 0);
}

static expr guard_like(graph *g, expr guarded, expr value) {
    return expr_if(g, expr_child(g, guarded, 0), value, expr_number(g, 0));
}

/* c*x */
static expr scale(graph *g, double c, expr x) {
    double number;
    expr rest;
    if (x < 0) return -1;
    if (expr_is_number(g, x, &number)) return expr_number(g, c * number);
    if (is_guarded(g, x)) return guard_like(g, x, scale(g, c, expr_child(g, x, 1)));
    double inner = expr_coefficient(g, x, &rest);
    if (fabs(c) == 1 || (moderate(inner) && moderate(c * inner))) c *= inner, x = rest;
    if (c == 0) return expr_number(g, 0);
    if (c == 1) return x;
    if (c == -1)
        return is_op(g, x, OP_SUB) ? make(g, OP_SUB, expr_child(g, x, 1), expr_child(g, x, 0), -1)
                                   : make(g, OP_NEG, x, -1, -1);
    expr front = expr_number(g, c);
    return front < 0 ? -1 : make_commutative(g, OP_MUL, front, x);
}

static expr negate(graph *g, expr a) {
    return scale(g, -1, a);
}

/* a + sign*b with sign = 1 or -1: like terms together, signs to the front. */
static expr combine(graph *g, expr a, expr b, double sign) {
    expr x, y;
    if (expr_equals(g, b, 0)) return a;
    if (expr_equals(g, a, 0)) return sign > 0 ? b : negate(g, b);
    double c = expr_coefficient(g, a, &x), d = sign * expr_coefficient(g, b, &y);
    if (x == y && (c + d == 0 || moderate(c + d))) return scale(g, c + d, x);
    if (d < 0) b = sign > 0 ? negate(g, b) : b;
    else b = sign > 0 ? b : negate(g, b); /* now d*y = b for d > 0, -b for d < 0 */
    if (c < 0 && d < 0) return negate(g, add(g, negate(g, a), b));
    if (c < 0) a = negate(g, a);
    if (a < 0 || b < 0) return -1;
    if (c < 0) return make(g, OP_SUB, b, a, -1);
    return d < 0 ? make(g, OP_SUB, a, b, -1) : make_commutative(g, OP_ADD, a, b);
}

static expr add(graph *g, expr a, expr b) {
    return a < 0 || b < 0 ? -1 : combine(g, a, b, 1);
}

/* Still factors that are no numbers are collected behind the number: c*(s*(x*y)), with s computed when a parameter is
 * set (F22). */
static bool is_still(const graph *g, expr e) {
    expr_rank rank = expr_rank_of(g, e);
    return rank != RANK_MOVING && rank != RANK_NUMBER;
}

/* e = s*rest with s still, or -1 and the rest is e. */
static expr still_factor(const graph *g, expr e, expr *rest) {
    *rest = e;
    if (!is_op(g, e, OP_MUL) || expr_rank_of(g, e) != RANK_MOVING) return -1;
    for (int i = 0; i < 2; i++)
        if (is_still(g, expr_child(g, e, i))) return *rest = expr_child(g, e, 1 - i), expr_child(g, e, i);
    return -1;
}

/* a*b, both without a number in front; -1: neither has a still factor to collect. */
static expr gather_stills(graph *g, expr a, expr b) {
    expr x, y, s = still_factor(g, a, &x), r = still_factor(g, b, &y);
    if (is_still(g, a) && r >= 0) return multiply(g, multiply(g, a, r), y);
    if (is_still(g, b) && s >= 0) return multiply(g, multiply(g, b, s), x);
    if (is_still(g, a) || is_still(g, b) || (s < 0 && r < 0)) return -1;
    expr front = s < 0 ? r : r < 0 ? s : multiply(g, s, r), behind = multiply(g, x, y);
    return multiply(g, front, behind);
}

static expr multiply(graph *g, expr a, expr b) {
    double c;
    expr x, y;
    if (a < 0 || b < 0) return -1;
    if (expr_equals(g, a, 0) || expr_equals(g, b, 0)) return expr_number(g, 0);
    if (expr_is_number(g, a, &c)) return scale(g, c, b);
    if (expr_is_number(g, b, &c)) return scale(g, c, a);
    if (is_guarded(g, a)) return guard_like(g, a, multiply(g, expr_child(g, a, 1), b));
    if (is_guarded(g, b)) return guard_like(g, b, multiply(g, a, expr_child(g, b, 1)));
    double ca = expr_coefficient(g, a, &x), cb = expr_coefficient(g, b, &y);
    if ((x != a || y != b) && moderate(ca) && moderate(cb) && moderate(ca * cb))
        return scale(g, ca * cb, multiply(g, x, y));
    expr gathered = gather_stills(g, a, b);
    if (gathered >= 0) return gathered;
    if (a == b && is_op(g, a, OP_SQRT)) return expr_child(g, a, 0);
    if (a == b && is_op(g, a, OP_ABS)) return multiply(g, expr_child(g, a, 0), expr_child(g, a, 0));
    if (is_op(g, a, OP_DIV) && expr_equals(g, expr_child(g, a, 0), 1))
        return expr_binary(g, OP_DIV, b, expr_child(g, a, 1));
    if (is_op(g, b, OP_DIV) && expr_equals(g, expr_child(g, b, 0), 1))
        return expr_binary(g, OP_DIV, a, expr_child(g, b, 1));
    return make_commutative(g, OP_MUL, a, b);
}

static expr divide(graph *g, expr a, expr b) {
    double d;
    expr x, y;
    if (a < 0 || b < 0) return -1;
    if (expr_equals(g, a, 0)) return a;
    if (is_guarded(g, a)) return guard_like(g, a, divide(g, expr_child(g, a, 1), b));
    double c = expr_coefficient(g, a, &x), cb = expr_coefficient(g, b, &y);
    if (x == y) return expr_number(g, c / cb);
    if (expr_is_number(g, b, &d)) {
        int exponent;
        bool exact = fabs(frexp(d, &exponent)) == 0.5; /* a power of two: 1/d is as good */
        if (moderate(d) && moderate(c / d) && (exact || x != a)) return scale(g, c / d, x);
        return make(g, OP_DIV, a, b, -1);
    }
    expr s = is_still(g, b) ? still_factor(g, x, &y) : -1; /* (s*y)/b is (s/b)*y */
    if (s >= 0) return scale(g, c, multiply(g, divide(g, s, b), y));
    if (c < 0) return negate(g, divide(g, negate(g, a), b));
    if (cb < 0) return negate(g, divide(g, a, negate(g, b)));
    return make(g, OP_DIV, a, b, -1);
}

static expr integer_power(graph *g, expr a, int n) {
    if (n == 0) return expr_number(g, 1);
    if (n % 2) return multiply(g, a, integer_power(g, a, n - 1));
    expr half = integer_power(g, a, n / 2);
    return multiply(g, half, half);
}

static expr power(graph *g, expr a, expr b) {
    double n;
    if (expr_equals(g, a, 1)) return a;
    bool number = expr_is_number(g, b, &n), integer = number && fabs(n) <= POWER_MAX && n == floor(n);
    if (!integer && !(number && fabs(n) == 0.5)) return make(g, OP_POW, a, b, -1);
    expr absolute = integer ? integer_power(g, a, (int)fabs(n)) : expr_unary(g, OP_SQRT, a);
    return n < 0 ? expr_binary(g, OP_DIV, expr_number(g, 1), absolute) : absolute;
}

/* ceil, round and mod by floor: their derivatives, ranges and switches are its own, (F30). */
static expr ceiling(graph *g, expr a) {
    return negate(g, expr_unary(g, OP_FLOOR, negate(g, a)));
}
static expr nearest_integer(graph *g, expr a) {
    expr half = expr_number(g, 0.5);
    return expr_unary(g, OP_FLOOR, combine(g, a, half, 1));
}
static expr remainder_of(graph *g, expr a, expr b) {
    expr whole = expr_unary(g, OP_FLOOR, divide(g, a, b));
    return combine(g, a, multiply(g, b, whole), -1);
}

expr expr_unary(graph *g, op operation, expr a) {
    double x;
    if (a < 0) return -1;
    if (expr_is_number(g, a, &x)) return expr_number(g, op_value(operation, x, 0, 0));
    if (operation == OP_NEG) return negate(g, a);
    if (operation == OP_CEIL) return ceiling(g, a);
    if (operation == OP_ROUND) return nearest_integer(g, a);
    if (operation == OP_ABS && is_op(g, a, OP_ABS)) return a;
    if (operation == OP_ABS && is_op(g, a, OP_NEG)) return make(g, OP_ABS, expr_child(g, a, 0), -1, -1);
    return make(g, operation, a, -1, -1);
}

expr expr_binary(graph *g, op operation, expr a, expr b) {
    double x, y;
    if (a < 0 || b < 0) return -1;
    if (operation == OP_PLACE || operation == OP_ENTRY) return make(g, operation, a, b, -1); /* of a table */
    if (expr_is_number(g, a, &x) && expr_is_number(g, b, &y)) return expr_number(g, op_value(operation, x, y, 0));
    switch (operation) {
    case OP_ADD:
        return combine(g, a, b, 1);
    case OP_SUB:
        return combine(g, a, b, -1);
    case OP_MUL:
        return multiply(g, a, b);
    case OP_DIV:
        return divide(g, a, b);
    case OP_POW:
        return power(g, a, b);
    case OP_MOD:
        return remainder_of(g, a, b);
    case OP_MIN:
    case OP_MAX:
        return a == b ? a : make_commutative(g, operation, a, b);
    case OP_EQ:
    case OP_AND:
    case OP_OR:
        return make_commutative(g, operation, a, b);
    default:
        return make(g, operation, a, b, -1);
    }
}

/* Where c is zero. */
static expr opposite(graph *g, expr c) {
    return is_op(g, c, OP_NOT) ? expr_child(g, c, 0) : expr_unary(g, OP_NOT, c);
}

expr expr_if(graph *g, expr condition, expr a, expr b) {
    double c;
    if (condition < 0 || a < 0 || b < 0) return -1;
    if (a == b) return a;
    if (expr_is_number(g, condition, &c)) return c != 0 ? a : b;
    if (expr_equals(g, a, 0)) return expr_if(g, opposite(g, condition), b, a);
    if (is_op(g, condition, OP_NOT) && !expr_equals(g, b, 0)) return expr_if(g, opposite(g, condition), b, a);
    if (!is_guarded(g, a) || !expr_equals(g, b, 0)) return make(g, OP_IF, condition, a, b);
    if (expr_child(g, a, 0) == condition) return a;
    return expr_if(g, expr_binary(g, OP_AND, condition, expr_child(g, a, 0)), expr_child(g, a, 1), b);
}

expr expr_foot(graph *g, expr k, expr j, expr P) {
    if (k < 0 || j < 0 || P < 0) return -1;
    return make(g, OP_FOOT, k, j, P);
}

expr expr_build(graph *g, op operation, const expr child[]) {
    switch (op_arity(operation)) {
    case 1:
        return expr_unary(g, operation, child[0]);
    case 2:
        return expr_binary(g, operation, child[0], child[1]);
    default:
        return (operation == OP_FOOT ? expr_foot : expr_if)(g, child[0], child[1], child[2]);
    }
}

expr expr_not_zero(graph *g, expr e) {
    expr zero = expr_number(g, 0), is_zero = expr_binary(g, OP_EQ, e, zero);
    return expr_binary(g, OP_ADD, e, is_zero);
}
