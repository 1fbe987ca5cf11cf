/* Whole numbers as HDF5 puts them into files, the lowest byte first. */
#ifndef CAROM_LITTLE_ENDIAN_H
#define CAROM_LITTLE_ENDIAN_H

#include <stdint.h>

/* Returns the place after them. */
static inline unsigned char *put_number(unsigned char *to, uint64_t number, int bytes) {
    for (int i = 0; i < bytes; i++, number >>= 8) *to++ = (unsigned char)number;
    return to;
}

static inline uint64_t get_number(const unsigned char *from, int bytes) {
    uint64_t number = 0;
    while (bytes-- > 0) number = number << 8 | from[bytes];
    return number;
}

#endif
