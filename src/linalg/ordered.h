/* Systems of a step problem whose entries differ by any factor (docs/theory/solver.md, (S12)): updates of positions are
 * eliminated first, then the rows of laws, then balances. */
#ifndef CAROM_ORDERED_H
#define CAROM_ORDERED_H

#include <stdbool.h>

typedef struct ordered ordered;

/* Products that a factorisation may take: where it fills in more, others are asked. */
#define ORDERED_WORK 2e7

ordered *ordered_create(int most); /* NULL: out of memory */
void ordered_destroy(ordered *o);

typedef enum ordered_verdict {
    ORDERED_REGULAR,
    ORDERED_NOT, /* singular, or laws depend on each other, or too much work */
    ORDERED_NO_MEMORY
} ordered_verdict;

/* Factorises A by rows: balances, then updates, and from first on laws. */
ordered_verdict ordered_factor(ordered *o, int n, int balances, int first, const int *start, const int *index,
                               const double *value);
void ordered_solve(ordered *o, double *b);            /* b becomes x */
void ordered_solve_transposed(ordered *o, double *b); /* the same of A^T x = b */

double ordered_factor_work(const ordered *o); /* products */
double ordered_solve_work(const ordered *o);

#endif
