/* Blocks of deflate (RFC 1951) for bytes that repeat others at a given distance, if any. */
#ifndef CAROM_BLOCKS_H
#define CAROM_BLOCKS_H

#include "result/bits.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct packer packer;

/* For blocks of at most so many bytes; distance at most 32768. NULL: out of memory. */
packer *packer_create(size_t most, size_t distance);
void packer_destroy(packer *p);

/* Finds the shortest block for count bytes. back: how many bytes before them they may repeat. Returns its bits. */
size_t packer_find(packer *p, const unsigned char *bytes, size_t count, size_t back);
/* Writes the block that was found. last: of a stream. */
void packer_put(packer *p, bits *to, bool last);

/* Bytes as they are, in as many blocks as it takes: of at most STORED_MOST bytes, and STORED_HEAD more. */
enum { STORED_MOST = 65535, STORED_HEAD = 5 };
void put_stored(bits *to, const unsigned char *bytes, size_t count, bool last);

#endif
