/* Checksums of a file, block by block. They show damage before the bytes are interpreted.
 *
 * The file begins with a head, HDF5's user block. While the file changes, its sums are in the journal (journal.h). A
 * file at rest is sealed: the sums follow its content, and the head tells where the content ends and the sum of sums.
 */
#ifndef CAROM_SEAL_H
#define CAROM_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SEAL_HEAD = 512, SEAL_BLOCK = 1 << 16 };

typedef struct seal_head {
    char magic[8];
    uint64_t id;   /* tells files apart */
    uint64_t size; /* size of the content with the head; 0: the file is not sealed */
    uint64_t sums; /* the sum of the sums */
    uint64_t sum;  /* of the above */
} seal_head;

seal_head seal_make(uint64_t id, uint64_t size, uint64_t sums);
bool seal_is_whole(const seal_head *head);

/* The sum of each block, by hash_bytes; 0: unknown. A change within eight aligned bytes always changes the sum. Another
 * change goes unseen with probability 2^-64. */
typedef struct seal_sums {
    uint64_t *of;
    size_t count, room;
} seal_sums;

size_t seal_blocks(uint64_t size);
/* Adjusts the number of sums to the size of the content; new ones are unknown. False: out of memory. */
bool seal_fit(seal_sums *sums, uint64_t size);
/* Marks the sums of a changed part of the content as unknown. */
void seal_forget(seal_sums *sums, uint64_t at, uint64_t size);
void seal_clear(seal_sums *sums);

/* Reads content for the sums below. */
typedef bool seal_reader(void *context, uint64_t at, size_t size, void *bytes);
/* Computes the sums that are unknown. False: out of memory or not readable. */
bool seal_complete(seal_sums *sums, uint64_t size, seal_reader *read, void *context);
/* The first block whose content does not match its sum; the number of blocks: all match. */
bool seal_compare(const seal_sums *sums, uint64_t size, seal_reader *read, void *context, size_t *block);

#endif
