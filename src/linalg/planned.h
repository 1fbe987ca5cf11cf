/* Small sparse systems of a step problem, eliminated by a plan that their pattern alone determines
 * (docs/theory/solver.md, (S21)). */
#ifndef CAROM_PLANNED_H
#define CAROM_PLANNED_H

#include <stdbool.h>

typedef struct planned planned;

enum { PLANNED_MOST = 64, PLANNED_LESS = 4 }; /* unknowns; a plan pays with so many times fewer products than n^3/3 */

planned *planned_create(int n); /* room for up to n <= PLANNED_MOST unknowns; NULL: out of memory */
void planned_destroy(planned *p);

/* Factorises A by rows; those from first on belong to laws. False: the pivots of the plan do not suit this matrix, or
 * none pays for its pattern. */
bool planned_factor(planned *p, int n, int first, const int *start, const int *index, const double *value);
void planned_solve(planned *p, double *b);            /* b becomes x */
void planned_solve_transposed(planned *p, double *b); /* the same of A^T x = b */

#endif
