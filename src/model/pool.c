#include "model/pool.h"

#include <stdlib.h>

struct pool_block {
    struct pool_block *next;
    max_align_t data[];
};

void *pool_get(pool *p, size_t count, size_t size) {
    struct pool_block *block = calloc(1, sizeof *block + count * size);
    if (!block) return NULL;
    block->next = p->first;
    p->first = block;
    return block->data;
}

void pool_free(pool *p) {
    while (p->first) {
        struct pool_block *next = p->first->next;
        free(p->first);
        p->first = next;
    }
}
