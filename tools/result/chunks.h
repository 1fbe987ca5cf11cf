/* Where HDF5 has put the chunks of a table, which are one column wide. HDF5 tells this in a time that grows with the
 * square of their number, so carom reads the index of chunks itself. */
#ifndef CAROM_CHUNKS_H
#define CAROM_CHUNKS_H

#include "result/store.h"

#include <hdf5.h>

/* Nodes of an index have twice as many entries. With 32 of HDF5's own choice they would take 2 KB per column. */
enum { CHUNKS_RANK = 4 };

typedef struct chunk {
    uint64_t row, column; /* its first row */
    uint64_t at;          /* an address of HDF5: from the end of the head on */
    uint32_t size, mask;  /* bytes; of the filters that were left out */
} chunk;

typedef void chunk_visitor(void *context, const chunk *c);
/* Visits the stored chunks of a dataset by rows. HDF5 must have flushed it. False: not readable. */
bool chunks_visit(store *s, hid_t values, chunk_visitor *visit, void *context);

#endif
