/* Set-valued laws  y in N_C(-r)  (docs/theory/laws.md).
 *
 * A law only knows its set C. It works with velocities throughout: v is the contact velocity (a gap divided by the
 * step, at position level), w = G r the percussion times the inverse effective mass G of the contact. Then C has the
 * size of a velocity too, and the parameter of the projection, r in the papers, is one:
 *
 *     v in N_C(-w)   <=>   w + prox_C(v - w) = 0                                                            (L1) */
#ifndef CAROM_LAW_H
#define CAROM_LAW_H

#include "carom/carom.h"

enum { LAW_SIZE = 3 }; /* most components of a law */

typedef enum law_branch {
    LAW_OPEN, /* w = 0 */
    LAW_HOLD, /* v = 0 */
    LAW_SLIDE /* w on the boundary of C */
} law_branch;

/* The branch a Newton step takes and its equation: row = 0 with derivatives by v, w and the radius of C. */
typedef struct law_row {
    law_branch branch;
    double row[LAW_SIZE];
    double v[LAW_SIZE][LAW_SIZE], w[LAW_SIZE][LAW_SIZE], radius[LAW_SIZE];
} law_row;

typedef struct law {
    carom_law_info info;
    void (*prox)(int n, const double *x, double radius, double *p);
    /* The active-set form of (L1): the row is v, w or w + radius d itself. */
    void (*linearise)(int n, const double *v, const double *w, double radius, law_row *row);
} law;

extern const law law_bilateral, law_signorini, law_coulomb, law_coulomb_contensou;

/* Largest component of the natural map (L1). */
double law_error(const law *l, int n, const double *v, const double *w, double radius);

/* The rows v = 0 and w = 0. */
void law_hold(int n, const double *v, law_row *row);
void law_open(int n, const double *w, law_row *row);

#endif
