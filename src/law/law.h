/* Set-valued laws  y in N_C(-r)  (docs/theory/laws.md); carom/plugin.h says what a law is. */
#ifndef CAROM_LAW_H
#define CAROM_LAW_H

#include "carom/plugin.h"

enum { LAW_SIZE = CAROM_LAW_SIZE };
#define LAW_OPEN CAROM_LAW_OPEN
#define LAW_HOLD CAROM_LAW_HOLD
#define LAW_SLIDE CAROM_LAW_SLIDE

typedef carom_law_branch law_branch;
typedef carom_law_row law_row;
typedef carom_law_def law;

/* The laws that schemes and solvers treat in ways of their own; law.c lists all of them. */
extern const law law_bilateral, law_signorini, law_coulomb, law_newton, law_plastic;

/* The row of a law of one number: x, which is v where the law holds and w where it is open. */
static inline void law_set_row(law_row *row, law_branch branch, double x) {
    row->branch = branch;
    row->row[0] = x, row->radius[0] = 0;
    row->v[0][0] = branch == LAW_HOLD, row->w[0][0] = branch == LAW_OPEN;
}
/* The two laws that most of a problem are, in one number. Inline, since they are asked more often than all others. */
static inline void bilateral_row(double v, law_row *row) {
    law_set_row(row, LAW_HOLD, v);
}
static inline void signorini_row(double v, double w, law_row *row) {
    if (v - w <= 0) law_set_row(row, LAW_HOLD, v);
    else law_set_row(row, LAW_OPEN, w);
}

/* A law by its name; NULL: there is none. */
const law *law_find(const char *name);
/* The law of friction of a contact. NULL: it has a name that no law has, or one that is not for its slips. */
const law *law_of_slips(const carom_model_contact *contact);
/* It has one force for every direction of slip, so that schemes can prescribe the force by the direction, (L27). */
bool law_follows_direction(const carom_model_contact *contact);
double law_length(int n, const double *x); /* where squares may underflow */
/* (L27): the point of C(1) for the direction of y, with its derivatives by y. */
void law_support(const law *l, int n, const double *y, double *p, double p_y[LAW_SIZE][LAW_SIZE]);
/* (L28): how far x is from the edge of C(radius), positive inside. */
double law_margin(const law *l, int n, const double *x, double radius);
/* The outward unit normal at x, on the edge of C(radius) or near it; false: x or the radius is zero. */
bool law_normal(const law *l, int n, const double *x, double radius, double *normal);
/* The law of impact of a contact. NULL: it has a name that no such law has. */
const law *law_of_impact(const carom_model_contact *contact);

/* Largest component of the natural map (L1). */
double law_error(const law *l, int n, const double *v, const double *w, double radius);

#endif
