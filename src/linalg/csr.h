/* Sparse matrices by rows, assembled from blocks. The places of the entries are found once. */
#ifndef CAROM_CSR_H
#define CAROM_CSR_H

#include "carom/carom.h"

typedef struct csr {
    int rows, cols;
    int *start, *index;
    double *value;
} csr;

/* Rows [first, last) of a pattern, placed with their first entry at (row, col) of the whole; transposed on request.
 * After csr_assemble, place[e - start[first]] is where entry e goes. */
typedef struct csr_block {
    const carom_pattern *pattern;
    int first, last;
    int row, col;
    bool transposed;
    int *place;
} csr_block;

/* Builds the matrix that holds all the blocks (they may overlap) and fills their places. False: out of memory. */
bool csr_assemble(csr *matrix, int rows, int cols, csr_block *blocks, int count);
void csr_free(csr *matrix);
void csr_blocks_free(csr_block *blocks, int count);

/* Numbers, ascending. */
void csr_sort(int *index, int count);
void csr_zero(csr *matrix);
/* matrix += scale * values, values in the order of the block's whole pattern. */
void csr_add(csr *matrix, const csr_block *block, double scale, const double *values);

/* y += scale * A x and y += scale * A^T x, A given by its pattern and values. */
void pattern_multiply(const carom_pattern *a, const double *values, double scale, const double *x, double *y);
void pattern_multiply_transposed(const carom_pattern *a, const double *values, double scale, const double *x,
                                 double *y);

#endif
