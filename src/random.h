/* Numbers drawn at random, the same ones on every machine: the mixing of Steele, Lea, Flood 2014 (splitmix64). */
#ifndef CAROM_RANDOM_H
#define CAROM_RANDOM_H

#include <stdint.h>

static inline uint64_t random_word(uint64_t *seed) {
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* In [0, 1). */
static inline double random_part(uint64_t *seed) {
    return (double)(random_word(seed) >> 11) * 0x1p-53;
}

/* In [-1, 1). */
static inline double random_signed(uint64_t *seed) {
    return 2 * random_part(seed) - 1;
}

#endif
