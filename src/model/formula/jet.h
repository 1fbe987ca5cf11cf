/* Jets: the range of a value along a curve, and the range of its rate (docs/theory/formulas.md, (F19) to (F21)). Bounds
 * are rounded outward and never NaN; what is unknown is RANGE_ALL. */
#ifndef CAROM_JET_H
#define CAROM_JET_H

#include "expr.h"
#include "range.h"

typedef struct jet {
    carom_range v, r; /* value and rate */
    double root;      /* v >= 0, and the square of the rate of sqrt(v) is at most this; INFINITY: not known (F21) */
    bool partial;     /* the value may be undefined (NaN) somewhere, which comparisons take for false */
} jet;

static inline jet jet_made(carom_range v, carom_range r, bool partial) {
    return (jet){v, r, v.least >= 0 && is_zero(r) ? 0 : INFINITY, partial};
}

static inline jet jet_number(double value) {
    carom_range v = isnan(value) ? RANGE_ALL : (carom_range){least_of(value, DBL_MAX), most_of(value, -DBL_MAX)};
    return jet_made(v, range_still, isnan(value));
}

static inline jet jet_symbol(carom_range value, carom_range rate) {
    return jet_made(value, rate, false);
}

/* sqrt(x + y) moves at most by the root of the sum of the squares by which sqrt(x) and sqrt(y) do (F21). */
static inline jet jet_sum(const jet *a, const jet *b) {
    jet y = {range_add(a->v, b->v), range_add(a->r, b->r), above(a->root + b->root), a->partial || b->partial};
    if (y.root < INFINITY) y.v.least = most_of(y.v.least, 0);
    return y;
}

static inline jet jet_difference(const jet *a, const jet *b) {
    return jet_made(range_subtract(a->v, b->v), range_subtract(a->r, b->r), a->partial || b->partial);
}

static inline jet jet_product(const jet *a, const jet *b) {
    jet y = {.v = range_multiply(a->v, b->v),
             .r = range_add(range_multiply(a->r, b->v), range_multiply(a->v, b->r)),
             .root = INFINITY,
             .partial = a->partial || b->partial};
    if (a->root == 0 && is_zero(a->r)) y.root = above(times(a->v.most, b->root));
    else if (b->root == 0 && is_zero(b->r)) y.root = above(times(b->v.most, a->root));
    y.partial = y.partial || !is_bounded(a->v) || !is_bounded(b->v) || !is_bounded(y.v);
    return y;
}

static inline jet jet_square(const jet *a) {
    carom_range rate = range_magnitude(a->r);
    return (jet){range_square(a->v), range_scale(2, range_multiply(a->v, a->r)),
                 is_zero(rate) ? 0 : above(rate.most * rate.most), a->partial};
}

void jet_sincos(const jet *a, jet *sine_of, jet *cosine_of);
/* Any operation. Operands beyond those that it has are ignored. */
jet jet_operation(op operation, const jet *a, const jet *b, const jet *c);
/* An operation that switches, on the given side of its argument (F18). */
jet jet_on_side(op operation, const jet *a, const jet *b, int side);

#endif
