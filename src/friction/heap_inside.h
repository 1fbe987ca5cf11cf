/* What the files of heaps share. */
#ifndef CAROM_FRICTION_HEAP_INSIDE_H
#define CAROM_FRICTION_HEAP_INSIDE_H

#include "friction/heap.h"

/* Written once, compiled for round bodies and for others. */
#define HEAP_ALWAYS __attribute__((always_inline))

/* LANES numbers are a line of the cache, and a register of AVX-512. */
enum { LANES = 8, PART = 16 };
typedef double lanes[LANES] __attribute__((aligned(64)));

/* Contacts without a body in common that moves. */
struct heap_block {
    int a[LANES] __attribute__((aligned(64))), b[LANES];
    lanes n[3], arm[2], d[3], give[2], mu, p[3], before[3], own[2], scale;
    lanes narrow;       /* 1/span; 0: no matter */
    int contact[LANES]; /* -1: none */
};

/* Of the same contacts, where bodies are not round: l; what makes a block of W is filled in when it is swept. */
struct heap_arms {
    lanes l[2][3];
    lanes turn[2][3][3];    /* of both bodies K l x */
    lanes A[6], inverse[6]; /* the block and its inverse: entries 11, 22, 33, 23, 31, 12 */
    lanes slide;            /* 1/largest value of the block across n */
};

/* Squares of the change and of the percussions, as velocities; the product of the change with that since the last
 * sweep. */
typedef struct sweep_effect {
    lanes change, size, onward;
} sweep_effect;

typedef struct law_error {
    lanes missed, size, worst;
    lanes sunk; /* how fast a contact approaches at most, beside its span */
} law_error;

/* At most PART blocks of one colour, and what the last sweep and the last look found there. */
struct heap_part {
    sweep_effect effect;
    law_error error;
    int first, end;
};

/* Zeros, from the beginning of a line of the cache on; the size in whole lines. */
void *heap_lines(size_t count, size_t size);

static inline bool heap_moves(const heap_body *b) {
    return b->light > 0;
}

#endif
