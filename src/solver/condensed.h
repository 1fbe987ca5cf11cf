/* A step problem linearised at z, without its smooth unknowns and bilateral percussions, (S7). A problem of the
 * contacts alone is left,
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

/* s must have worked on p. Sets the percussions of idle laws to zero (disabled ones, those told to stay open, contacts
 * too far off to close within the step), then linearises p at z. False: there are no contacts, or they have more than
 * 600 unknowns; out of memory; or the eliminated part is singular. */
bool condensed_create(condensed *c, solver *s, problem *p, double *z);
void condensed_destroy(condensed *c);
/* v = v0 + A w */
void condensed_velocities(const condensed *c, const double *w, double *v);
/* z at the percussions c->w; the eliminated unknowns follow from them. */
void condensed_recover(const condensed *c, const solver *s, const problem *p, double *z);

/* From c->w, a better w: block Gauss-Seidel, or Lemke's pivots, which start from zero. False: it did not change. */
bool gauss_seidel_improve(condensed *c, double tolerance);
bool lemke_improve(condensed *c);

/* Ways to solve the contacts alone, in the order in which they are tried. c->w is the guess and becomes the solution.
 * The last entry has no solve. */
typedef struct contact_cure {
    const char *name;
    newton_result (*solve)(condensed *c, double tolerance, solver_report *report);
} contact_cure;
extern const contact_cure contact_cures[];

#endif
