/* A step problem linearised at z, with the smooth unknowns and the bilateral percussions eliminated: what is left for
 * the contacts is  v = v0 + A w  with a full matrix A, (S7). For the cures that look at contacts one by one. */
#ifndef CAROM_CONDENSED_H
#define CAROM_CONDENSED_H

#include "solver/solver.h"

typedef struct condensed {
    int n, m;       /* eliminated unknowns, contact unknowns */
    double *A;      /* [m][m], by rows */
    double *v, *w;  /* [m] contact velocities and percussions; v belongs to w */
    double *X;      /* [m + 1][n] eliminated unknowns for a unit of each w; last: for none */
    double *memory; /* holds them all */
} condensed;

/* The laws that take part: enabled contacts that can close within the step. Their place in w is s->mark[col]; those
 * that stay away have percussion zero. */
bool condensed_keeps(const solver *s, const problem_law *l);

/* Linearises at z, after the percussions of laws that stay away are set to zero. False: no contacts or more than 600
 * unknowns of them, out of memory, or the eliminated part is singular. */
bool condensed_create(condensed *c, solver *s, problem *p, double *z);
void condensed_destroy(condensed *c);
/* z at the percussions c->w, the eliminated unknowns following. */
void condensed_recover(const condensed *c, const solver *s, const problem *p, double *z);

/* Radius of a friction law at c->w. */
double condensed_radius(const condensed *c, const solver *s, const problem_law *l);

#endif
