#include "result/table.h"

#include "result/legend.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_ROWS = 32 };

/* ---- memory */

size_t table_choose_chunk(int columns, size_t most) {
    size_t chunk = most;
    while (chunk > LEAST_ROWS && chunk * (size_t)columns * sizeof(double) > TABLE_BYTES) chunk /= 2;
    return chunk;
}

bool table_reserve(table *t, size_t chunk) {
    t->chunk = chunk;
    t->open = calloc(chunk * (size_t)t->columns, sizeof *t->open);
    t->deflater = deflater_create(chunk, 1);
    return t->open && t->deflater;
}

void table_destroy(table *t) {
    free(t->open);
    deflater_destroy(t->deflater);
}

/* ---- a new table */

static bool make_values(table *t, hid_t group) {
    const hsize_t columns = (hsize_t)t->columns, chunk[2] = {t->chunk, 1};
    hid_t space = H5Screate_simple(2, (hsize_t[]){0, columns}, (hsize_t[]){H5S_UNLIMITED, columns});
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    bool fine = H5Pset_chunk(creation, 2, chunk) >= 0 && H5Pset_shuffle(creation) >= 0 &&
                H5Pset_deflate(creation, 1) >= 0 && H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &(double){0}) >= 0;
    if (fine) t->values = H5Dcreate2(group, TABLE, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(creation);
    return fine && t->values >= 0;
}

bool table_make(table *t, store *s, hid_t group, const char *const *names, const char *const *units) {
    t->views = (views){.store = s, .group = group, .columns = t->columns};
    return make_values(t, group) && legend_put(group, t->columns, names, units) &&
           views_make(&t->views, names, units, t->chunk);
}

/* ---- writing */

/* Whether all bits are zero, signs as well. */
static bool all_zero(const double *values, size_t count) {
    static const double zero;
    for (size_t i = 0; i < count; i++)
        if (memcmp(&values[i], &zero, sizeof zero) != 0) return false;
    return true;
}

/* A chunk of zeros, as of contacts that stay open, is not stored: HDF5 returns zeros where nothing is stored. A chunk
 * that will be written again is stored uncompressed; it is compressed once it is complete. If compression does not make
 * it smaller, it stays uncompressed: when HDF5 writes a chunk again with the same size, it keeps the mask of filters,
 * and would read compressed bytes as numbers. */
static bool write_column(table *t, int c, bool last) {
    enum { COMPRESSED = 0, PLAIN = 3 }; /* masks of the filters that were left out */
    const hsize_t first[2] = {(hsize_t)t->rows - t->filled, (hsize_t)c};
    const double *values = t->open + (size_t)c * t->chunk;
    if (all_zero(values, t->filled)) return true;
    size_t plain = t->chunk * sizeof *values, size = plain;
    const void *bytes = values;
    if (last) bytes = deflater_run(t->deflater, values, t->filled, &size);
    if (size >= plain) return H5Dwrite_chunk(t->values, H5P_DEFAULT, PLAIN, first, plain, values) >= 0;
    return H5Dwrite_chunk(t->values, H5P_DEFAULT, COMPRESSED, first, size, bytes) >= 0;
}

bool table_write_rest(table *t, bool last) {
    if (t->filled == 0) return true;
    bool fine = H5Dset_extent(t->values, (hsize_t[]){(hsize_t)t->rows, (hsize_t)t->columns}) >= 0;
    for (int c = 0; fine && c < t->columns; c++) fine = write_column(t, c, last);
    if (t->filled == t->chunk) t->filled = 0;
    return fine;
}

bool table_show(table *t, bool last) {
    return views_show(&t->views, t->values, t->rows, t->chunk, last);
}

bool table_append(table *t, const double *rows, size_t count) {
    size_t columns = (size_t)t->columns;
    bool fine = true;
    for (size_t part; fine && count > 0; count -= part, rows += part * columns) {
        part = t->chunk - t->filled < count ? t->chunk - t->filled : count;
        for (size_t c = 0; c < columns; c++) {
            double *to = t->open + c * t->chunk + t->filled;
            for (size_t i = 0; i < part; i++) to[i] = rows[i * columns + c];
        }
        t->rows += (long)part;
        t->filled += part;
        if (t->filled == t->chunk) fine = table_write_rest(t, true);
    }
    return fine;
}

/* ---- a table that exists */

bool table_open(table *t, store *s, hid_t group) {
    hsize_t size[2] = {0};
    t->views = (views){.store = s, .group = group, .columns = t->columns};
    if ((t->values = H5Dopen2(group, TABLE, H5P_DEFAULT)) < 0) return false;
    hid_t space = H5Dget_space(t->values);
    bool fine = H5Sget_simple_extent_ndims(space) == 2 && H5Sget_simple_extent_dims(space, size, NULL) == 2 &&
                size[1] == (hsize_t)t->columns;
    H5Sclose(space);
    return fine && views_open(&t->views);
}

bool table_fit(table *t, long *found) {
    hid_t space = H5Dget_space(t->values);
    hsize_t size[2] = {0};
    H5Sget_simple_extent_dims(space, size, NULL);
    H5Sclose(space);
    *found = (long)size[0];
    size[0] = (hsize_t)t->rows;
    return *found == t->rows || (*found > t->rows && H5Dset_extent(t->values, size) >= 0);
}

size_t table_stored_chunk(const table *t) {
    hsize_t chunk[2] = {0};
    hid_t creation = H5Dget_create_plist(t->values);
    H5Pget_chunk(creation, 2, chunk);
    H5Pclose(creation);
    return (size_t)chunk[0];
}

bool table_read_rest(table *t) {
    t->filled = (size_t)t->rows % t->chunk;
    const hsize_t first[2] = {(hsize_t)t->rows - t->filled, 0}, count[2] = {t->filled, 1};
    if (t->filled == 0) return true;
    hid_t memory = H5Screate_simple(1, count, NULL), space = H5Dget_space(t->values);
    bool fine = true;
    for (int c = 0; c < t->columns && fine; c++) {
        H5Sselect_hyperslab(space, H5S_SELECT_SET, (hsize_t[]){first[0], (hsize_t)c}, NULL, count, NULL);
        fine = H5Dread(t->values, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, t->open + (size_t)c * t->chunk) >= 0;
    }
    H5Sclose(memory);
    H5Sclose(space);
    return fine;
}
