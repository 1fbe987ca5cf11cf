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
    uint64_t size; /* of the content with the head; 0: not sealed */
    uint64_t sums; /* the sum of the sums */
    uint64_t sum;  /* of the above */
} seal_head;

seal_head seal_make(uint64_t id, uint64_t size, uint64_t sums);
bool seal_is_whole(const seal_head *head);

/* The sum of each block, by hash_bytes; 0: not known. A change within eight aligned bytes always changes it. Any other
 * change goes unseen with probability 2^-64. */
typedef struct seal_sums {
    uint64_t *of;
    size_t count, room;
} seal_sums;

size_t seal_blocks(uint64_t size);
/* As many as a content of this size has; new ones are not known. False: out of memory. */
bool seal_fit(seal_sums *sums, uint64_t size);
/* The content changed there. */
void seal_forget(seal_sums *sums, uint64_t at, uint64_t size);
void seal_clear(seal_sums *sums);

/* Reads content for the sums below. */
typedef bool seal_reader(void *context, uint64_t at, size_t size, void *bytes);
/* Computes those not known. False: out of memory or not readable. */
bool seal_complete(seal_sums *sums, uint64_t size, seal_reader *read, void *context);
/* The first block whose content does not have its sum, or the number of blocks. */
bool seal_compare(const seal_sums *sums, uint64_t size, seal_reader *read, void *context, size_t *block);

#endif
