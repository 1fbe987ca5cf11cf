/* The balance of forces at rest, and its derivatives, at a place q with some rows of s held (docs/theory/modes.md).
 * Velocities are measured in units of 1/sqrt(M_jj), in which the diagonal of M is 1. Rows have length one. */
#ifndef CAROM_STATICS_H
#define CAROM_STATICS_H

#include "model/model.h"

typedef struct statics {
    const carom_model *m;
    double t;
    int n;          /* velocities */
    bool *held;     /* [ns] which rows of s act: joints, contacts that are closed, slips that stick */
    int *row, rows; /* these rows in order; rows that belong to c have an entry in position */
    int *position;  /* [ns] row of c, or -1 */
    double *unit;   /* [n] */
    double *length; /* [ns] of rows, in these units */
    double *M, *h;  /* [n][n], [n] */
    double *K, *D;  /* [n][n] -d(h + W P)/dq B and -dh/du */
    double *terms;  /* [n][n] the absolute values of the terms of K, added up */
    double *Q; /* [n][n] unit vectors: the first `rank` span the forces of held rows, the others the motions that are
                  free */
    int rank;
    double *A;     /* [rows][n] the held rows along them */
    double *G;     /* [rank][rank] Cholesky factor of sum A_i A_i^T */
    double *force; /* [ns] the forces of least squares that balance h along the first vectors */
    double *rest;  /* [n - rank] h along the others */
    double *c;     /* [nc] */
    double blur;   /* a bound on the part of h that round-off in q makes */
    /* what the model writes into */
    double *M_of, *h_q, *h_u, *B, *WT, *Wr_q, *s, *zero, *work;
    double *memory;
} statics;

carom_status statics_create(statics *s, const carom_model *model, double t, carom_error *error);
void statics_destroy(statics *s);

/* Everything at q but K and D, with the rows that are held. */
carom_status statics_balance(statics *s, const double *q, carom_error *error);
/* K, D and blur, for the forces that are there. */
carom_status statics_derive(statics *s, const double *q, carom_error *error);

/* Moves q by x, given along the unit vectors. */
int statics_move(statics *s, double *q, const double *x);
/* Moves q onto the held position rows, along the first vectors. */
carom_status statics_restore(statics *s, double *q, carom_error *error);
/* The largest of the held rows of c, in their units. */
double statics_miss(const statics *s);

#endif
