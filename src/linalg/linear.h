/* Linear systems A x = b with A by rows: dense elimination for small ones, KLU for large ones.
 * The only place that names a linear algebra library. */
#ifndef CAROM_LINEAR_H
#define CAROM_LINEAR_H

#include <stdbool.h>

typedef struct linear linear;

/* Room for systems of up to n unknowns with up to nnz entries. NULL: out of memory. */
linear *linear_create(int n, int nnz);
/* Rows and columns: balances, then updates, from first on laws, so many of them of joints: (S23). */
linear *linear_create_joints(int n, int nnz, int balances, int first, int joints);
linear *linear_create_switched(int n, int nnz, int dense); /* dense up to this size, whatever the entries */
void linear_destroy(linear *l);

/* The largest system for dense elimination, and the largest of those of whose entries at least so many are not zero, in
 * percent; chosen by measurement. */
enum { LINEAR_DENSE = 24, LINEAR_FULL = 128, LINEAR_ENTRIES = 24 };

/* Factorises A (rows scaled to entries of order one by the caller). Same pattern as last time: nothing is allocated.
 * False: A is singular to working precision, that is, a pivot fell below 1e-11 times the largest, also with rows and
 * columns scaled to one, (S10). */
bool linear_factor(linear *l, int n, const int *start, const int *index, const double *value);
/* The same at less cost for small systems that fill in little: rows from first on are those of laws (linalg/planned.h).
 * False: another way is to factorise A, which may be regular. */
bool linear_factor_by_plan(linear *l, int n, int first, const int *start, const int *index, const double *value);
/* The same for matrices that it calls singular because masses differ by large factors: rows of balances, then of
 * updates, and from first on those of laws (linalg/ordered.h). Allocates when it is called first. */
bool linear_factor_laws(linear *l, int n, int balances, int first, const int *start, const int *index,
                        const double *value);
/* The same for systems of joints, some of which depend on others: their rows are left out, and solutions have zeros in
 * their place, (S25). Returns how many; -1: A is not of this kind. */
enum { LINEAR_DEPENDENT = 12 }; /* at most */
int linear_factor_dependent(linear *l, int n, const int *start, const int *index, const double *value);
/* The percussions that do nothing and are 1 at the k-th of these laws, and 0 at the others. */
void linear_null(const linear *l, int k, double *x);
/* The sum of rows that is zero, with factor 1 at the k-th of these laws, and 0 at the others. */
void linear_null_transposed(const linear *l, int k, double *x);
void linear_solve(linear *l, double *b);            /* b becomes x */
void linear_solve_transposed(linear *l, double *b); /* the same of A^T x = b */

/* An order of minimum degree in which symmetric elimination of this pattern fills in little. False: out of memory. */
bool linear_order(int n, const int *start, const int *index, int *order);

/* The last factorisation failed because memory ran out: it tells nothing of the matrix. */
bool linear_exhausted(const linear *l);

/* Multiplications that the last factorisation took (at most), and that a solution with its factors takes. */
double linear_factor_work(const linear *l);
double linear_solve_work(const linear *l);

/* Forget pivots: the next factorisation depends on its matrix alone. */
void linear_forget(linear *l);

#endif
