/* A table of a result under way to its file: one dataset of rows and columns, written by chunks that are one column
 * wide, with names and units of the columns, and a view of each under its name. */
#ifndef CAROM_TABLE_H
#define CAROM_TABLE_H

#include "result/deflate.h"
#include "result/h5.h"
#include "result/views.h"

#define TABLE "#values"

typedef struct table {
    int columns;
    hid_t values;
    long rows;
    size_t chunk;  /* rows per chunk of the file */
    double *open;  /* [columns * chunk] the chunk that is not complete, by columns */
    size_t filled; /* its rows */
    deflater *deflater;
    views views;
} table;

enum { TABLE_BYTES = 16 << 20 }; /* of a chunk with all its columns, at most */

/* Memory for chunks of so many rows: those of the file, or chosen for a new one. False: out of memory. */
bool table_reserve(table *t, size_t chunk);
size_t table_choose_chunk(int columns, size_t most);
void table_destroy(table *t);

/* The rest stands between h5_enter and h5_leave, and returns false where HDF5 fails. */

/* A dataset in a group, the group in the store of its file; "before/x" is x in a group of its own. */
bool table_make(table *t, store *s, hid_t group, const char *const *names, const char *const *units);

/* Rows, stored by rows. Chunks are written when they are complete. */
bool table_append(table *t, const double *rows, size_t count);
/* Writes the chunk that is not complete; last: it will not be written again. */
bool table_write_rest(table *t, bool last);
/* Shows under the names of columns what has been written and flushed. */
bool table_show(table *t, bool last);

/* Opens a table that has so many columns. */
bool table_open(table *t, store *s, hid_t group);
/* Drops rows past t->rows; *found: the rows that were there. */
bool table_fit(table *t, long *found);
/* Rows of a chunk of a table that is there. */
size_t table_stored_chunk(const table *t);
/* Reads the chunk that is not complete. */
bool table_read_rest(table *t);

#endif
