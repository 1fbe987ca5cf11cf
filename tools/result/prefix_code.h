/* Prefix codes as deflate has them (RFC 1951): no longer than 15 bits, given by the lengths of their words alone. */
#ifndef CAROM_PREFIX_CODE_H
#define CAROM_PREFIX_CODE_H

#include <stdint.h>

enum { CODE_SYMBOLS = 288, CODE_LONGEST = 15 };

typedef struct prefix_code {
    unsigned char bits[CODE_SYMBOLS]; /* 0: the symbol does not occur */
    uint16_t word[CODE_SYMBOLS];      /* its first bit is the lowest one */
} prefix_code;

/* The lengths of a short code of symbols that occur so often; two of them at least occur. It is hardly longer than
 * Huffman's, and made without a tree. */
void prefix_code_choose(prefix_code *code, const uint32_t count[CODE_SYMBOLS]);
/* The words that belong to the lengths. */
void prefix_code_assign(prefix_code *code);

#endif
