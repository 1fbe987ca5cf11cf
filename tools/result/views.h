/* Columns under their own names. A table is one dataset, whose chunks are one column wide. A view is a dataset of one
 * column: it has a header and an index of its own, and its chunks are those of the table. HDF5 has no means to make
 * such datasets, and would take as long for each of them as for a table. So carom writes their headers and indices, in
 * the format of HDF5 1.8, into two datasets of bytes, and HDF5 links the headers under their names.
 *
 * docs/guide/results.md tells what users see. */
#ifndef CAROM_VIEWS_H
#define CAROM_VIEWS_H

#include "result/store.h"

#include <hdf5.h>

typedef struct views {
    store *store;
    hid_t group;
    int columns;
    size_t header; /* bytes of one */
    uint64_t headers, nodes;
    size_t room; /* bytes for nodes of indices */
} views;

/* All of these stand between h5_enter and h5_leave, and return false where HDF5 fails. */

/* Names without rows; "before/x" is x in a group of its own. */
bool views_make(views *v, const char *const *names, const char *const *units, size_t chunk_rows);
/* Those of a file that exists. */
bool views_open(views *v);
/* Shows what the dataset holds so far, which HDF5 must have flushed. This takes time in proportion to all its chunks.
 */
bool views_show(views *v, hid_t values, long rows, size_t chunk_rows, bool last);
/* Whether names still show what the table holds: no other program has changed numbers under their names. */
bool views_are_intact(hid_t group);

#endif
