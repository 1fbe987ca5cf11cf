/* Sparse LU of matrices of 3 x 3 blocks with a symmetric pattern, pivots within blocks only. Order and pattern are
 * found once. */
#ifndef CAROM_BLOCK_LU_H
#define CAROM_BLOCK_LU_H

#include "friction/friction.h"

typedef struct block_lu block_lu;

/* For matrices with the pattern of W, made symmetric. NULL: out of memory. */
block_lu *block_lu_create(const friction_problem *p);
void block_lu_destroy(block_lu *l);
double block_lu_work(const block_lu *l); /* products of blocks in a factorisation */

/* rows: blocks in the order of W. A singular pivot is replaced. */
void block_lu_factor(block_lu *l, const friction_problem *p, const block3 *rows);
void block_lu_solve(block_lu *l, double *b); /* [3 contacts] b becomes x */

#endif
