/* Bits on their way into bytes, the lowest first. */
#ifndef CAROM_BITS_H
#define CAROM_BITS_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

typedef struct bits {
    unsigned char *to;
    uint64_t waiting;
    int count; /* of those that wait, below 32 */
} bits;

/* At most 32 of them. Room for 4 bytes more than they are must be there. */
static inline void bits_put(bits *b, uint32_t word, int count) {
    b->waiting |= (uint64_t)word << b->count;
    b->count += count;
    if (b->count < 32) return;
    const uint32_t full = htole32((uint32_t)b->waiting);
    memcpy(b->to, &full, sizeof full);
    b->to += sizeof full;
    b->waiting >>= 32;
    b->count -= 32;
}

/* Fills the last byte with zeros. */
static inline void bits_end(bits *b) {
    for (; b->count > 0; b->count -= 8, b->waiting >>= 8) *b->to++ = (unsigned char)b->waiting;
    b->count = 0;
}

#endif
