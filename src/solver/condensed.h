/* A step problem linearised at z, with the smooth unknowns and the bilateral percussions eliminated, (S7): what is left
 * is a problem of the contacts alone,
 *
 *     v = v0 + A w,    v_k in N_{C_k}(-w_k)
 *
 * with a full matrix A. It is a step problem like any other, small enough to try hard. */
#ifndef CAROM_CONDENSED_H
#define CAROM_CONDENSED_H

#include "solver/solver_inside.h"

typedef struct condensed {
    problem contacts; /* its J.value is A, by rows, then the rows that direct slip; every unit is a velocity */
    solver *solver;
    int n, m;       /* eliminated unknowns; contact unknowns */
    double *v0;     /* [2 m] velocities for w = 0, then the rows that direct slip */
    double *w;      /* [m] guess, then solution */
    double *v, *x;  /* [m] for the cures: velocities, steps */
    double *X;      /* [m + 1][n] eliminated unknowns for a unit of each w; last: for none */
    double *start;  /* z at the linearisation */
    double *memory; /* holds them all */
    int *place;     /* [unknowns] where they are among the eliminated ones; -1: not there */
    int *mark;      /* and in w */
} condensed;

/* s has worked on p. Linearises p at z, after the percussions of laws that stay away are set to zero: disabled ones,
 * those told to stay open, and contacts that are too far off to close within the step. False: no contacts or more than
 * 600 unknowns of them, out of memory, or the eliminated part is singular. */
bool condensed_create(condensed *c, solver *s, problem *p, double *z);
void condensed_destroy(condensed *c);
/* v = v0 + A w */
void condensed_velocities(const condensed *c, const double *w, double *v);
/* z at the percussions c->w, the eliminated unknowns following. */
void condensed_recover(const condensed *c, const solver *s, const problem *p, double *z);

/* From c->w, a better w: block Gauss-Seidel, or Lemke's pivots, which start from zero. False: it did not change. */
bool gauss_seidel_improve(condensed *c, double tolerance);
bool lemke_improve(condensed *c);

/* Ways to solve the contacts alone, in the order in which they are tried; the last entry has no solve. From c->w, the
 * guess, to c->w. */
typedef struct contact_cure {
    const char *name;
    newton_result (*solve)(condensed *c, double tolerance, solver_report *report);
} contact_cure;
extern const contact_cure contact_cures[];

#endif
