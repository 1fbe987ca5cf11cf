/* Memory that is freed all at once. */
#ifndef CAROM_POOL_H
#define CAROM_POOL_H

#include <stddef.h>

typedef struct pool {
    struct pool_block *first;
} pool;

/* count zeros of the given size; NULL: out of memory. */
void *pool_get(pool *p, size_t count, size_t size);
void pool_free(pool *p);

#endif
