/* What the files of heaps share. */
#ifndef CAROM_FRICTION_HEAP_INSIDE_H
#define CAROM_FRICTION_HEAP_INSIDE_H

#include "friction/heap.h"

enum { LANES = 4, PART = 32 };
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

/* Four contacts without a body in common that moves. */
struct heap_block {
    int a[LANES], b[LANES], contact[LANES]; /* contact -1: none */
    four n[3], arm[2], d[3], own[2], give[2], mu, scale, p[3], before[3];
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
