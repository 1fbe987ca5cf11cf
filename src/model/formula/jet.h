/* Arithmetic with ranges, and jets: the range of a value along a curve together with that of its rate. Rounded outward,
 * never NaN; what is unknown is RANGE_ALL. docs/theory/formulas.md, F19 to F21. */
#ifndef CAROM_JET_H
#define CAROM_JET_H

#include "carom/carom.h"
#include "expr.h"

typedef struct jet {
    carom_range v, r; /* value and rate */
    double root;      /* v >= 0, and the square of the rate of sqrt(v) is at most this; INFINITY: not known (F21) */
    bool partial;     /* the value may be undefined (NaN) somewhere, which comparisons take for false */
} jet;

jet jet_number(double value);
jet jet_symbol(carom_range value, carom_range rate);
jet jet_sum(const jet *a, const jet *b);
jet jet_difference(const jet *a, const jet *b);
jet jet_product(const jet *a, const jet *b);
jet jet_square(const jet *a);
void jet_sincos(const jet *a, jet *sine, jet *cosine);
/* Any other operation; one that switches, on the given side of its argument (F18). */
jet jet_operation(op operation, const jet *a, const jet *b, const jet *c);
jet jet_on_side(op operation, const jet *a, const jet *b, int side);

#endif
