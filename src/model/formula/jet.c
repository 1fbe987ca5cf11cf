/* The rates of operations are those of their derivatives (F2), in ranges. An operation that jumps has the rate
 * RANGE_ALL where it may jump, one with a kink the hull of the rates on both sides (F20). */
#include "jet.h"

#include "foot.h"

static jet quotient(const jet *a, const jet *b) {
    carom_range v = range_divide(a->v, b->v), change = range_subtract(a->r, range_multiply(v, b->r));
    return jet_made(v, range_divide(change, b->v), a->partial || b->partial || contains(b->v, 0) || !is_bounded(v));
}

/* ---------------------------------------------------------------- functions of one operand */

static jet chain(const jet *a, carom_range v, carom_range slope) {
    return jet_made(v, range_multiply(slope, a->r), a->partial || !is_bounded(v));
}

/* f on that part of its domain [least, most] that a meets */
static jet on_domain(const jet *a, double least, double most, jet (*f)(const jet *)) {
    jet x = *a;
    x.v = (carom_range){most_of(a->v.least, least), least_of(a->v.most, most)};
    x.partial = a->partial || a->v.least < least || a->v.most > most;
    if (!(x.v.least <= x.v.most)) return jet_made(RANGE_ALL, RANGE_ALL, true);
    return f(&x);
}

static carom_range nonnegative(carom_range a) {
    return (carom_range){most_of(a.least, 0), most_of(a.most, 0)};
}

/* 1 + a^2, and 1 - a^2 = (1 - a)(1 + a), of magnitudes a */
static carom_range one_plus_square(carom_range m) {
    return outward(1 + m.least * m.least, 1 + m.most * m.most);
}
static carom_range one_minus_square(carom_range m) {
    return nonnegative(outward((1 - m.most) * (1 + m.most), (1 - m.least) * (1 + m.least)));
}
/* 1/a for a >= 0 */
static carom_range inverse_of_positive(carom_range a) {
    return (carom_range){most_of(below(1 / a.most), 0), a.least > 0 ? above(1 / a.least) : INFINITY};
}

void jet_sincos(const jet *a, jet *sine_of, jet *cosine_of) {
    carom_range s = range_sin(a->v), c = range_cos(a->v);
    *sine_of = jet_made(s, range_multiply(c, a->r), a->partial);
    *cosine_of = jet_made(c, range_multiply(range_negate(s), a->r), a->partial);
}

static jet sine(const jet *a) {
    jet s, c;
    jet_sincos(a, &s, &c);
    return s;
}
static jet cosine(const jet *a) {
    jet s, c;
    jet_sincos(a, &s, &c);
    return c;
}

static jet tangent(const jet *a) {
    carom_range c = range_cos(a->v);
    if (contains(c, 0)) return jet_made(RANGE_ALL, is_zero(a->r) ? range_still : RANGE_ALL, true);
    carom_range v = range_rising(tan, a->v);
    return chain(a, v, range_inverse(range_square(c)));
}

static jet arc_sine(const jet *a) {
    carom_range slope = inverse_of_positive(range_sqrt(one_minus_square(range_magnitude(a->v))));
    return chain(a, range_rising(asin, a->v), slope);
}
static jet arc_cosine(const jet *a) {
    carom_range slope = inverse_of_positive(range_sqrt(one_minus_square(range_magnitude(a->v))));
    return chain(a, range_falling(acos, a->v), range_negate(slope));
}
static jet arc_tangent(const jet *a) {
    return chain(a, range_rising(atan, a->v), inverse_of_positive(one_plus_square(range_magnitude(a->v))));
}

/* cosh of magnitudes grows */
static carom_range range_cosh(carom_range a) {
    return range_rising(cosh, range_magnitude(a));
}
static jet hyperbolic_sine(const jet *a) {
    return chain(a, range_rising(sinh, a->v), range_cosh(a->v));
}
static jet hyperbolic_cosine(const jet *a) {
    return chain(a, range_cosh(a->v), range_rising(sinh, a->v));
}
static jet hyperbolic_tangent(const jet *a) {
    return chain(a, range_rising(tanh, a->v), inverse_of_positive(range_square(range_cosh(a->v))));
}
static jet area_sine(const jet *a) {
    return chain(a, range_rising(asinh, a->v), inverse_of_positive(range_sqrt(one_plus_square(range_magnitude(a->v)))));
}
static jet area_cosine(const jet *a) {
    carom_range square = nonnegative(outward((a->v.least - 1) * (a->v.least + 1), (a->v.most - 1) * (a->v.most + 1)));
    return chain(a, range_rising(acosh, a->v), inverse_of_positive(range_sqrt(square)));
}
static jet area_tangent(const jet *a) {
    return chain(a, range_rising(atanh, a->v), inverse_of_positive(one_minus_square(range_magnitude(a->v))));
}

static jet exponential(const jet *a) {
    carom_range v = nonnegative(range_rising(exp, a->v));
    return chain(a, v, v);
}
static jet logarithm(const jet *a) {
    return chain(a, range_rising(log, a->v), inverse_of_positive(a->v));
}

/* The rate of a length is at most the length of the rate (F21). */
static jet square_root(const jet *a) {
    carom_range v = range_sqrt(a->v);
    jet y = chain(a, v, inverse_of_positive(range_scale(2, v)));
    double most = above(sqrt(a->root));
    y.r = common(y.r, (carom_range){-most, most});
    y.partial = a->partial;
    return y;
}

/* ---------------------------------------------------------------- functions of two operands */

/* a^(b-1), where b - 1 is rounded unless b is an integer */
static carom_range power_less_one(carom_range a, carom_range b) {
    if (is_point(b) && b.least == floor(b.least)) return range_power(a, (carom_range){b.least - 1, b.least - 1});
    return range_power(is_point(b) ? nonnegative(a) : a, range_subtract(b, (carom_range){1, 1}));
}

static jet power(const jet *a, const jet *b) {
    carom_range v = range_power(a->v, b->v), by_a = range_multiply(b->v, power_less_one(a->v, b->v));
    carom_range by_b = a->v.least > 0 ? range_multiply(v, range_rising(log, a->v)) : RANGE_ALL;
    carom_range r = range_add(range_multiply(by_a, a->r), range_multiply(by_b, b->r));
    bool integer = is_point(b->v) && b->v.least == floor(b->v.least);
    return jet_made(v, r, a->partial || b->partial || !is_bounded(v) || (a->v.least < 0 && !integer));
}

/* (x y' - y x')/(x^2 + y^2), at most the length of (x', y') over that of (x, y) */
static jet angle(const jet *y, const jet *x) {
    carom_range v = range_atan2(y->v, x->v), square = range_add(range_square(x->v), range_square(y->v));
    if (is_zero(x->r) && is_zero(y->r)) return jet_made(v, range_still, y->partial || x->partial);
    if (range_meets_cut(y->v, x->v)) return jet_made(v, RANGE_ALL, y->partial || x->partial);
    carom_range turn = range_subtract(range_multiply(x->v, y->r), range_multiply(y->v, x->r));
    carom_range speed = range_sqrt(range_add(range_square(x->r), range_square(y->r)));
    double most = square.least > 0 ? above(speed.most / below(sqrt(square.least))) : INFINITY;
    return jet_made(v, common(range_divide(turn, square), (carom_range){-most, most}), y->partial || x->partial);
}

/* ---------------------------------------------------------------- operations that switch */

static jet absolute(const jet *a) {
    carom_range back = range_negate(a->r);
    carom_range r = a->v.least >= 0 ? a->r : a->v.most <= 0 ? back : hull(a->r, back);
    return jet_made(range_magnitude(a->v), r, a->partial);
}

static jet negative(const jet *a) {
    return jet_made(range_negate(a->v), range_negate(a->r), a->partial);
}

static jet minimum(const jet *a, const jet *b) {
    carom_range v = {least_of(a->v.least, b->v.least), least_of(a->v.most, b->v.most)};
    carom_range r = a->v.most <= b->v.least ? a->r : b->v.most <= a->v.least ? b->r : hull(a->r, b->r);
    return jet_made(v, r, a->partial || b->partial);
}

static jet maximum(const jet *a, const jet *b) {
    carom_range v = {most_of(a->v.least, b->v.least), most_of(a->v.most, b->v.most)};
    carom_range r = a->v.most <= b->v.least ? b->r : b->v.most <= a->v.least ? a->r : hull(a->r, b->r);
    return jet_made(v, r, a->partial || b->partial);
}

/* A step function between two values. Its rate is zero where both are equal, or where nothing moves. */
static jet stairs(double least, double most, bool rests, bool partial) {
    return jet_made((carom_range){least, most}, least == most || rests ? range_still : RANGE_ALL, partial);
}

static jet sign_of(const jet *a) {
    double least = a->v.least > 0 ? 1 : a->v.least < 0 ? -1 : 0, most = a->v.most > 0 ? 1 : a->v.most < 0 ? -1 : 0;
    return stairs(least, most, is_zero(a->r), a->partial);
}

static jet round_down(const jet *a) {
    return stairs(floor(a->v.least), floor(a->v.most), is_zero(a->r), a->partial);
}

typedef enum truth { FALSE, TRUE, MAYBE } truth;

static jet from_truth(truth x, bool rests) {
    return stairs(x == TRUE, x != FALSE, rests, false);
}

/* As conditions, values other than zero are true, and so is NaN. */
static truth truth_of(const jet *a) {
    if (a->v.least > 0 || a->v.most < 0) return TRUE;
    return is_zero(a->v) && !a->partial ? FALSE : MAYBE;
}

static truth and (truth x, truth y) {
    return x == FALSE || y == FALSE ? FALSE : x == TRUE && y == TRUE ? TRUE : MAYBE;
}
static truth not(truth x) {
    return x == MAYBE ? MAYBE : x == TRUE ? FALSE : TRUE;
}

static jet negation(const jet *a) {
    return from_truth(not(truth_of(a)), is_zero(a->r));
}

static truth compare(op operation, const jet *a, const jet *b) {
    bool below_b = operation == OP_LT ? a->v.most < b->v.least : a->v.most <= b->v.least;
    bool above_b = operation == OP_LT ? a->v.least >= b->v.most : a->v.least > b->v.most;
    if (operation == OP_EQ) {
        below_b = is_point(a->v) && is_point(b->v) && a->v.least == b->v.least;
        above_b = a->v.least > b->v.most || a->v.most < b->v.least;
    }
    return above_b ? FALSE : below_b && !a->partial && !b->partial ? TRUE : MAYBE;
}

static jet choice(const jet *condition, const jet *a, const jet *b) {
    truth which = truth_of(condition);
    if (which != MAYBE) return which == TRUE ? *a : *b;
    bool rests = is_zero(condition->r);
    return jet_made(hull(a->v, b->v), rests ? hull(a->r, b->r) : RANGE_ALL, a->partial || b->partial);
}

jet jet_on_side(op operation, const jet *a, const jet *b, int side) {
    switch (operation) {
    case OP_ABS:
        return side < 0 ? negative(a) : *a;
    case OP_MIN:
        return side < 0 ? *a : *b;
    case OP_MAX:
        return side < 0 ? *b : *a;
    case OP_LT:
    case OP_LE:
        return jet_number(side < 0);
    default: /* sign, floor */
        return jet_number(side);
    }
}

/* ---------------------------------------------------------------- all of them */

/* Functions of one operand, and where they are defined. */
static const struct {
    jet (*f)(const jet *);
    bool everywhere;
    double least, most;
} function[OP_COUNT] = {
    [OP_NEG] = {.f = negative, .everywhere = true},
    [OP_SIN] = {.f = sine, .everywhere = true},
    [OP_COS] = {.f = cosine, .everywhere = true},
    [OP_TAN] = {.f = tangent, .everywhere = true},
    [OP_ASIN] = {.f = arc_sine, .least = -1, .most = 1},
    [OP_ACOS] = {.f = arc_cosine, .least = -1, .most = 1},
    [OP_ATAN] = {.f = arc_tangent, .everywhere = true},
    [OP_SINH] = {.f = hyperbolic_sine, .everywhere = true},
    [OP_COSH] = {.f = hyperbolic_cosine, .everywhere = true},
    [OP_TANH] = {.f = hyperbolic_tangent, .everywhere = true},
    [OP_ASINH] = {.f = area_sine, .everywhere = true},
    [OP_ACOSH] = {.f = area_cosine, .least = 1, .most = INFINITY},
    [OP_ATANH] = {.f = area_tangent, .least = -1, .most = 1},
    [OP_EXP] = {.f = exponential, .everywhere = true},
    [OP_LOG] = {.f = logarithm, .least = 0, .most = INFINITY},
    [OP_SQRT] = {.f = square_root, .least = 0, .most = INFINITY},
    [OP_ABS] = {.f = absolute, .everywhere = true},
    [OP_SIGN] = {.f = sign_of, .everywhere = true},
    [OP_FLOOR] = {.f = round_down, .everywhere = true},
    [OP_NOT] = {.f = negation, .everywhere = true},
};

jet jet_operation(op operation, const jet *a, const jet *b, const jet *c) {
    if (function[operation].everywhere) return function[operation].f(a);
    if (function[operation].f)
        return on_domain(a, function[operation].least, function[operation].most, function[operation].f);
    switch (operation) {
    case OP_ADD:
        return jet_sum(a, b);
    case OP_SUB:
        return jet_difference(a, b);
    case OP_MUL:
        return jet_product(a, b);
    case OP_DIV:
        return quotient(a, b);
    case OP_POW:
        return power(a, b);
    case OP_ATAN2:
        return angle(a, b);
    case OP_MIN:
        return minimum(a, b);
    case OP_MAX:
        return maximum(a, b);
    case OP_LT:
    case OP_LE:
    case OP_EQ:
        return from_truth(compare(operation, a, b), is_zero(a->r) && is_zero(b->r));
    case OP_AND:
        return from_truth(and(truth_of(a), truth_of(b)), is_zero(a->r) && is_zero(b->r));
    case OP_OR:
        return from_truth(not(and(not(truth_of(a)), not(truth_of(b)))), is_zero(a->r) && is_zero(b->r));
    case OP_IF:
        return choice(a, b, c);
    case OP_FOOT:
        return foot_jet(a, b, c);
    default:
        return jet_made(RANGE_ALL, RANGE_ALL, true);
    }
}
