/* A table of a result under way to its file: one dataset per column, written by chunks. */
#ifndef CAROM_TABLE_H
#define CAROM_TABLE_H

#include "result/deflate.h"
#include "result/h5.h"

typedef struct table {
    int columns;
    hid_t *dataset; /* [columns] */
    long rows;
    size_t chunk;  /* rows per chunk of the file */
    double *open;  /* [columns * chunk] the chunk that is not complete, by columns */
    size_t filled; /* its rows */
    deflater *deflater;
} table;

enum { TABLE_BYTES = 16 << 20 }; /* of a chunk with all its columns, at most */

/* False: out of memory. */
bool table_create(table *t, int columns);
/* Memory for chunks of so many rows: those of the file, or chosen for a new one. */
bool table_reserve(table *t, size_t chunk);
size_t table_choose_chunk(int columns, size_t most);
void table_destroy(table *t);

/* The rest stands between h5_enter and h5_leave, and returns false where HDF5 fails. */

/* Datasets in a group; "before/x" is x in a group of its own. */
bool table_make(table *t, hid_t group, const char *const *names, const char *const *units);
/* A group that keeps the order of what it holds; one that exists is opened. */
hid_t table_group(hid_t place, const char *name);

/* Rows, stored by rows. Chunks are written when they are complete. */
bool table_append(table *t, const double *rows, size_t count);
/* Writes the chunk that is not complete; last: it will not be written again. */
bool table_write_rest(table *t, bool last);

/* Drops the rows of an opened table past its number of rows. False: there are fewer, *found of them. */
bool table_fit(table *t, int column, long *found);
/* Reads the chunk that is not complete, to write it again. -1, or the column that cannot be read. */
int table_read_rest(table *t);
size_t table_stored_chunk(const table *t);

#endif
