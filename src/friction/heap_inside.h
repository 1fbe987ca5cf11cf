/* What the files of heaps share. */
#ifndef CAROM_FRICTION_HEAP_INSIDE_H
#define CAROM_FRICTION_HEAP_INSIDE_H

#include "friction/heap.h"

enum { LANES = 4 };
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

/* Four contacts without a body in common that moves. */
struct heap_block {
    int a[LANES], b[LANES], contact[LANES]; /* contact -1: none */
    four n[3], arm[2], d[3], own[2], give[2], mu, scale, p[3], before[3];
};

static inline bool heap_moves(const heap_body *b) {
    return b->light > 0;
}

#endif
