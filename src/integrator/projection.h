/* The nearest motion that constraints allow, in the metric of the mass matrix (docs/theory/mechanics.md):
 *
 *     M d - W l = f,    W^T d + eps l = r                                                                       (Q1)
 *
 * in units in which M has a unit diagonal and the rows of W^T have length one. eps > 0 lets rows depend on each other.
 */
#ifndef CAROM_PROJECTION_H
#define CAROM_PROJECTION_H

#include "integrator/integrator.h"
#include "integrator/vectors.h"
#include "linalg/csr.h"
#include "linalg/linear.h"

typedef struct projection {
    const carom_model *m;
    int rows;           /* constraints: the first of s */
    double *unit, *row; /* [nu], [rows] the units: 1/sqrt(M_jj), 1/|W_i^T| */
    double *M, *WT;     /* entries in these units */
    double *z;          /* [nu + rows] (f, r), then (d, l) */
    double *memory;     /* these vectors in one piece */
    unit_matrix diagonal;
    csr K;
    csr_block block[4];
    linear *linear;
} projection;

bool projection_create(projection *p, const carom_model *model, int rows); /* false: out of memory */
void projection_destroy(projection *p);

/* M and W^T as the model gives them; held: which rows count, NULL: all. False: M has no positive diagonal, or the
 * equations are singular, as they are with eps = 0 where rows depend on each other. */
bool projection_factor(projection *p, const double *M, const double *WT, const bool *held, double eps);
/* (Q1): p->z = (f, r) becomes (d, l). Rows that are not held have l = 0. */
void projection_solve(projection *p);

/* Which of the first rows of s a motion keeps, and their number: joints. If the states of contacts are given, also gaps
 * of closed contacts and, for velocities, slips of sticking ones. */
int projection_hold(const carom_model *m, const double *contact, bool velocities, bool *held);
/* The row of c = (g, g_N) whose rate is this row of s. */
int projection_position(const carom_model *m, int row);

/* Moves u to the nearest velocity with W^T u = 0, by (Q2). Returns the largest error left in a row, in the units above.
 */
double projection_nearest(projection *p, double *u);

#endif
