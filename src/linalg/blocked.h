/* Sparse systems of bodies and laws, eliminated in dense blocks in an order that their pattern alone determines
 * (docs/theory/solver.md, (S23)). */
#ifndef CAROM_BLOCKED_H
#define CAROM_BLOCKED_H

#include <stdbool.h>

#include "linalg/blocked_order.h"
#include "linalg/linear.h"

typedef struct blocked blocked;

/* Rows of an n by n pattern: balances, then updates of positions, from first on laws. *made is NULL where another way
 * is better, and where memory runs out. */
blocked_result blocked_create(int n, int balances, int first, const int *start, const int *index, blocked **made);
void blocked_destroy(blocked *b);

typedef enum blocked_verdict {
    BLOCKED_REGULAR,
    BLOCKED_SINGULAR, /* rows depend on each other: what is left of one is round-off */
    BLOCKED_DOUBTFUL  /* other pivots may tell more */
} blocked_verdict;

/* Factorises A by rows, of the pattern of blocked_create. Up to so many laws, no more than LINEAR_DEPENDENT, may depend
 * on others: their rows are left out, and solutions have zeros in their place, (S25). */
blocked_verdict blocked_factor(blocked *b, const double *value, int dependent);
int blocked_left_out(const blocked *b); /* how many are */
/* The percussions that do nothing and are 1 at the k-th of these laws, and 0 at the others. */
void blocked_null(const blocked *b, int k, double *x);
/* The sum of rows that is zero, with factor 1 at the k-th of these laws, and 0 at the others. */
void blocked_null_transposed(const blocked *b, int k, double *x);
void blocked_solve(blocked *b, double *x);            /* x: right-hand side on entry */
void blocked_solve_transposed(blocked *b, double *x); /* the same of A^T x = b */

double blocked_factor_work(const blocked *b); /* multiplications */
double blocked_solve_work(const blocked *b);

#endif
