/* What the files of heaps share. */
#ifndef CAROM_FRICTION_HEAP_INSIDE_H
#define CAROM_FRICTION_HEAP_INSIDE_H

#include "friction/heap.h"

/* Written once, compiled for round bodies and for others. */
#define HEAP_ALWAYS __attribute__((always_inline))

enum { LANES = 4, PART = 32 };
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

/* Four contacts without a body in common that moves. */
struct heap_block {
    int a[LANES], b[LANES], contact[LANES]; /* contact -1: none */
    four n[3], arm[2], d[3], own[2], give[2], mu, scale, p[3], before[3];
};

/* Of the same contacts, where bodies are not round: l; what makes a block of W is filled in when it is swept. */
struct heap_arms {
    four l[2][3];
    four turn[2][3][3];    /* of both bodies K l x */
    four A[6], inverse[6]; /* the block and its inverse: entries 11, 22, 33, 23, 31, 12 */
    four slide;            /* 1/largest value of the block across n */
};

/* Squares of the change and of the percussions, as velocities; the product of the change with that since the last
 * sweep. */
typedef struct sweep_effect {
    four change, size, onward;
} sweep_effect;

typedef struct law_error {
    four missed, size, worst;
} law_error;

/* At most PART blocks of one colour, and what the last sweep and the last look found there. */
struct heap_part {
    int first, end;
    sweep_effect effect;
    law_error error;
};

static inline bool heap_moves(const heap_body *b) {
    return b->light > 0;
}

#endif
