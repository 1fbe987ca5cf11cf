/* The one hash function: names and expressions in tables, states, keys of computations, checksums of files. Each step
 * is one to one both in the hash before it and in the next word. So a change of a single word always changes the hash.
 * It guards against accidents, not against attacks. */
#ifndef CAROM_HASH_H
#define CAROM_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hash_word(uint64_t before, uint64_t word) {
    const uint64_t h = (before ^ word) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 32;
}

static inline uint64_t hash_bytes(uint64_t before, const void *bytes, size_t size) {
    const unsigned char *from = bytes, *end = from + size / 8 * 8;
    uint64_t h = before ^ size, word;
    for (; from < end; from += 8) {
        memcpy(&word, from, 8);
        h = hash_word(h, word);
    }
    word = 0;
    memcpy(&word, from, size % 8);
    return size % 8 ? hash_word(h, word) : h;
}

#endif
