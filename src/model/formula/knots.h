/* Tables of one variable: between knots x_0 < x_1 < ... a polynomial each, before the first and after the last a
 * constant (docs/theory/formulas.md, F24). */
#ifndef CAROM_KNOTS_H
#define CAROM_KNOTS_H

#include "carom/carom.h"

typedef struct knots {
    int count;         /* of knots, at least two */
    const double *row; /* [count + 1][KNOT_ROW]: before the first knot, after it, after the second, ... */
} knots;

/* The numbers of an interval: where it begins, the coefficients of its polynomial, 1/length. */
enum { KNOT_X, KNOT_C0, KNOT_C1, KNOT_C2, KNOT_C3, KNOT_RATE, KNOT_ROW };
enum { KNOT_COLUMNS = 8 }; /* a column of a table is table*KNOT_COLUMNS + column */

typedef enum knot_method { KNOTS_LINEAR, KNOTS_STEP, KNOTS_CUBIC } knot_method;
/* Fills row[count + 1][KNOT_ROW] for ascending x; room[2 * count]. */
void knots_fill(int count, const double *x, const double *y, knot_method method, double *row, double *room);

/* n + (x - x_n)/(x_n+1 - x_n) in interval n: its floor is n. At least -1, less than count. */
double knots_place(const knots *k, double x);
/* A number of interval n. */
double knots_entry(const knots *k, double n, int column);

/* The operations PLACE and ENTRY on tables, in numbers and in ranges; NaN for what is no table. */
double knots_value(const knots *const *tables, bool place, double a, double b);
carom_range knots_place_range(const knots *k, carom_range x, carom_range *slope);
carom_range knots_entry_range(const knots *k, carom_range n, int column);

#endif
