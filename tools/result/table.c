#include "result/table.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_ROWS = 16 };

/* ---- memory */

bool table_create(table *t, int columns) {
    *t = (table){.columns = columns};
    t->dataset = calloc((size_t)columns + 1, sizeof *t->dataset);
    return t->dataset != NULL;
}

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
    free(t->dataset);
    free(t->open);
    deflater_destroy(t->deflater);
}

/* ---- a new table */

hid_t table_group(hid_t place, const char *name) {
    if (H5Lexists(place, name, H5P_DEFAULT) > 0) return H5Gopen2(place, name, H5P_DEFAULT);
    hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED); /* attributes above 64 KB need it: names of contacts */
    hid_t group = H5Gcreate2(place, name, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    return group;
}

static hid_t make_column(hid_t place, const char *name, hid_t space, hid_t creation) {
    const char *slash = strchr(name, '/');
    if (!slash) return H5Dcreate2(place, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    char *prefix = strndup(name, (size_t)(slash - name));
    hid_t group = prefix ? table_group(place, prefix) : H5I_INVALID_HID;
    hid_t column = group >= 0 ? make_column(group, slash + 1, space, creation) : H5I_INVALID_HID;
    if (group >= 0) H5Gclose(group);
    free(prefix);
    return column;
}

bool table_make(table *t, hid_t group, const char *const *names, const char *const *units) {
    hsize_t chunk = t->chunk;
    hid_t space = H5Screate_simple(1, &(hsize_t){0}, &(hsize_t){H5S_UNLIMITED});
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    bool fine = H5Pset_chunk(creation, 1, &chunk) >= 0 && H5Pset_shuffle(creation) >= 0 &&
                H5Pset_deflate(creation, 1) >= 0 && H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &(double){0}) >= 0;
    for (int c = 0; fine && c < t->columns; c++) {
        t->dataset[c] = make_column(group, names[c], space, creation);
        fine = t->dataset[c] >= 0 && h5_put_text(t->dataset[c], "unit", units ? units[c] : "");
    }
    H5Sclose(space);
    H5Pclose(creation);
    return fine;
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
    hsize_t total = (hsize_t)t->rows, first = total - t->filled;
    const double *values = t->open + (size_t)c * t->chunk;
    if (H5Dset_extent(t->dataset[c], &total) < 0) return false;
    if (all_zero(values, t->filled)) return true;
    size_t plain = t->chunk * sizeof *values, size = plain;
    const void *bytes = values;
    if (last) bytes = deflater_run(t->deflater, values, t->filled, &size);
    if (size >= plain) return H5Dwrite_chunk(t->dataset[c], H5P_DEFAULT, PLAIN, &first, plain, values) >= 0;
    return H5Dwrite_chunk(t->dataset[c], H5P_DEFAULT, COMPRESSED, &first, size, bytes) >= 0;
}

bool table_write_rest(table *t, bool last) {
    bool fine = true;
    for (int c = 0; t->filled > 0 && fine && c < t->columns; c++) fine = write_column(t, c, last);
    if (t->filled == t->chunk) t->filled = 0;
    return fine;
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

bool table_fit(table *t, int column, long *found) {
    hid_t space = H5Dget_space(t->dataset[column]);
    hsize_t rows = 0, wanted = (hsize_t)t->rows;
    H5Sget_simple_extent_dims(space, &rows, NULL);
    H5Sclose(space);
    *found = (long)rows;
    return rows == wanted || (rows > wanted && H5Dset_extent(t->dataset[column], &wanted) >= 0);
}

size_t table_stored_chunk(const table *t) {
    hsize_t chunk = 0;
    hid_t creation = H5Dget_create_plist(t->dataset[0]);
    H5Pget_chunk(creation, 1, &chunk);
    H5Pclose(creation);
    return (size_t)chunk;
}

int table_read_rest(table *t) {
    t->filled = (size_t)t->rows % t->chunk;
    if (t->filled == 0) return -1;
    hsize_t count = t->filled, first = (hsize_t)t->rows - count;
    hid_t memory = H5Screate_simple(1, &count, NULL), space = H5Screate_simple(1, &(hsize_t){(hsize_t)t->rows}, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &count, NULL);
    int c = 0;
    while (c < t->columns &&
           H5Dread(t->dataset[c], H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, t->open + (size_t)c * t->chunk) >= 0)
        c++;
    H5Sclose(memory);
    H5Sclose(space);
    return c < t->columns ? c : -1;
}
