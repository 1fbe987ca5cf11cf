/* Sparse LU of matrices of 3 x 3 blocks with a symmetric pattern, pivots within blocks only. Order and pattern are
 * found once. */
#ifndef CAROM_BLOCK_LU_H
#define CAROM_BLOCK_LU_H

#include "friction/friction.h"

typedef struct block_lu block_lu;

/* For matrices with block rows start, index [n + 1], made symmetric. NULL: out of memory, or a factorisation takes more
 * products of blocks than most. */
block_lu *block_lu_create(int n, const int *start, const int *index, double most);
void block_lu_destroy(block_lu *l);
double block_lu_work(const block_lu *l); /* products of blocks in a factorisation */

/* rows: blocks in that order. A singular pivot is replaced. */
void block_lu_factor(block_lu *l, const int *start, const int *index, const block3 *rows);
double block_lu_orientation(const block_lu *l); /* the sign of the determinant */
void block_lu_solve(block_lu *l, double *b);    /* [3 n] b becomes x */

#endif
