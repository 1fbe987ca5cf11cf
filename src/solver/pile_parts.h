/* The smooth rows of a step problem fall into small systems A x = b, such as bodies and quaternions. Rows of one part
 * contain no unknowns of another. */
#ifndef CAROM_PILE_PARTS_H
#define CAROM_PILE_PARTS_H

#include "linalg/csr.h"

enum { PART_MOST = 12 }; /* rows of a part */

typedef struct parts {
    int offset, rows; /* rows and columns offset to offset + rows of a matrix */
    int count;
    int *start, *row; /* rows of part k, from offset on: row[start[k]...] */
    int *of;          /* [rows] part of a row */
    int *begin;       /* [count] where its inverse begins */
    double *inverse;  /* by rows */
} parts;

/* False: a part is too large, or out of memory. */
bool parts_create(parts *p, const csr *A, int offset, int rows);
void parts_destroy(parts *p);
/* False: a part is singular. */
bool parts_invert(parts *p, const csr *A);
/* y = A^-1 b of one part, both in the order of its rows. */
void parts_apply(const parts *p, int part, const double *b, double *y);

static inline int part_size(const parts *p, int part) {
    return p->start[part + 1] - p->start[part];
}

#endif
