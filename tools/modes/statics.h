/* The balance of forces at rest, and its derivatives, at a place q with some rows of s held (docs/theory/modes.md).
 * Velocities are counted in units of 1/sqrt(M_jj), in which M has a unit diagonal, and rows have length one. */
#ifndef CAROM_STATICS_H
#define CAROM_STATICS_H

#include "model/model.h"

typedef struct statics {
    const carom_model *m;
    double t;
    int n;          /* velocities */
    bool *held;     /* [ns] which rows of s act: joints, contacts that are closed, slips that stick */
    int *row, rows; /* those, in order; rows of c among them have an entry in position */
    int *position;  /* [ns] row of c, or -1 */
    double *unit;   /* [n] */
    double *length; /* [ns] of rows, in these units */
    double *M, *h;  /* [n][n], [n] */
    double *K, *D;  /* [n][n] -d(h + W P)/dq B and -dh/du */
    double *terms;  /* [n][n] the terms of K, added up without their signs */
    double *Q; /* [n][n] unit vectors: the first `rank` are forces of held rows, the others motions that are free */
    int rank;
    double *A;     /* [rows][n] the held rows along them */
    double *G;     /* [rank][rank] Cholesky factor of sum A_i A_i^T */
    double *force; /* [ns] P with the least squares that balances h along the first vectors */
    double *rest;  /* [n - rank] h along the others */
    double *c;     /* [nc] */
    double blur;   /* what round-off in q makes of h at most */
    /* what the model writes into */
    double *M_of, *h_q, *h_u, *B, *WT, *Wr_q, *s, *zero, *work;
    double *memory;
} statics;

carom_status statics_create(statics *s, const carom_model *model, double t, carom_error *error);
void statics_destroy(statics *s);

/* Everything but K and D at q, with the rows that are held. */
carom_status statics_balance(statics *s, const double *q, carom_error *error);
/* K, D and blur, for the forces that are there. */
carom_status statics_derive(statics *s, const double *q, carom_error *error);

/* q moves by x, along the unit vectors. */
int statics_move(statics *s, double *q, const double *x);
/* q moves onto the held position rows, along the first vectors. */
carom_status statics_restore(statics *s, double *q, carom_error *error);
/* The held rows of c at most, in their units. */
double statics_miss(const statics *s);

#endif
