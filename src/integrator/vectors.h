/* The vectors and matrices of a scheme in one piece of memory. */
#ifndef CAROM_VECTORS_H
#define CAROM_VECTORS_H

#include <stdbool.h>
#include <stddef.h>

#include "carom/carom.h"

typedef struct vector_part {
    double **vector;
    int size;
} vector_part;

/* Zeros for all parts, which are set to point into the piece; to be freed by the caller. NULL: out of memory. */
double *vectors_create(const vector_part *parts, size_t count);

/* The unit matrix of n rows. */
typedef struct unit_matrix {
    carom_pattern pattern;
    int *index;
    double *value;
} unit_matrix;

bool unit_create(unit_matrix *unit, int n); /* false: out of memory (free with unit_destroy) */
void unit_destroy(unit_matrix *unit);

#endif
