/* Arithmetic with ranges, rounded outward: the result holds every real and every computed value. Never NaN. */
#ifndef CAROM_RANGE_H
#define CAROM_RANGE_H

#include "carom/carom.h"

#include <float.h>
#include <math.h>

#define RANGE_ALL ((carom_range){-INFINITY, INFINITY})
static const carom_range range_still = {0, 0};

/* A bound below x, which was rounded: two units in the last place lower, where half a unit may be lost. NaN becomes
 * unknown. */
static inline double below(double x) {
    double y = x - (fabs(x) * 0x1p-51 + DBL_MIN);
    return y == y ? y : x > 0 ? DBL_MAX : -INFINITY;
}
static inline double above(double x) {
    double y = x + (fabs(x) * 0x1p-51 + DBL_MIN);
    return y == y ? y : x < 0 ? -DBL_MAX : INFINITY;
}
static inline carom_range outward(double least, double most) {
    return (carom_range){below(least), above(most)};
}

static inline bool is_zero(carom_range a) {
    return a.least == 0 && a.most == 0;
}
static inline bool is_point(carom_range a) {
    return a.least == a.most;
}
static inline bool contains(carom_range a, double x) {
    return a.least <= x && x <= a.most;
}
static inline bool is_bounded(carom_range a) {
    return a.most - a.least <= DBL_MAX;
}
static inline double least_of(double x, double y) {
    return x < y ? x : y;
}
static inline double most_of(double x, double y) {
    return x > y ? x : y;
}
static inline carom_range hull(carom_range a, carom_range b) {
    return (carom_range){least_of(a.least, b.least), most_of(a.most, b.most)};
}
/* The common part of two ranges that hold the same value. */
static inline carom_range common(carom_range a, carom_range b) {
    carom_range c = {most_of(a.least, b.least), least_of(a.most, b.most)};
    return c.least <= c.most ? c : a;
}

/* Zeros stay exact: what does not move has a rate of [0, 0]. */
static inline carom_range range_add(carom_range a, carom_range b) {
    if (is_zero(a)) return b;
    if (is_zero(b)) return a;
    return outward(a.least + b.least, a.most + b.most);
}
static inline carom_range range_negate(carom_range a) {
    return (carom_range){-a.most, -a.least};
}
static inline carom_range range_subtract(carom_range a, carom_range b) {
    return range_add(a, range_negate(b));
}

/* 0 * infinity is 0: an end of a range is no value. */
static inline double times(double x, double y) {
    double p = x * y;
    return p == p ? p : 0;
}
static inline carom_range range_multiply(carom_range a, carom_range b) {
    if (is_zero(a) || is_zero(b)) return (carom_range){0, 0};
    double w = times(a.least, b.least), x = times(a.least, b.most), y = times(a.most, b.least),
           z = times(a.most, b.most);
    return outward(least_of(least_of(w, x), least_of(y, z)), most_of(most_of(w, x), most_of(y, z)));
}
/* c a for a number c > 0 */
static inline carom_range range_scale(double c, carom_range a) {
    return is_zero(a) ? a : outward(c * a.least, c * a.most);
}

/* |a| */
static inline carom_range range_magnitude(carom_range a) {
    if (a.least >= 0) return a;
    if (a.most <= 0) return range_negate(a);
    return (carom_range){0, most_of(-a.least, a.most)};
}
static inline carom_range range_square(carom_range a) {
    carom_range m = range_magnitude(a);
    carom_range s = outward(m.least * m.least, m.most * m.most);
    return (carom_range){most_of(s.least, 0), s.most};
}

carom_range range_inverse(carom_range a); /* 1/a */
carom_range range_divide(carom_range a, carom_range b);
carom_range range_sqrt(carom_range a); /* of what is not negative in a */
carom_range range_sin(carom_range a);
carom_range range_cos(carom_range a);
carom_range range_rising(double (*f)(double), carom_range a); /* of a function that grows */
carom_range range_falling(double (*f)(double), carom_range a);
carom_range range_power(carom_range a, carom_range b); /* a^b */
carom_range range_atan2(carom_range y, carom_range x); /* in [-pi, pi], all of it if the negative axis is met */
bool range_meets_cut(carom_range y, carom_range x);    /* whether it is, or the origin */

#endif
