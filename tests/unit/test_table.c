/* Tables of results: what is written is what is read, whatever the chunks compress to. */
#include "result/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "folder.h"

enum { COLUMNS = 1500, CHUNK = 32 };

/* Numbers of any bits but few lengths of the mantissa, so that chunks compress to all sizes around their own. */
static double any_number(unsigned *seed, int column) {
    *seed = *seed * 1664525u + 1013904223u;
    double x = (double)(*seed >> 4) / (1 << 28);
    for (int i = 0; i < column % 3; i++) x *= x;
    return x - 0.5;
}

static void name_columns(const char **names, char (*text)[16]) {
    for (int c = 0; c < COLUMNS; c++) {
        snprintf(text[c], sizeof text[c], "x%d", c);
        names[c] = text[c];
    }
}

/* Columns under their names, as any program that reads HDF5 sees them. */
static void check_rows(const char *path, const char *const *names, const double *rows, size_t count) {
    double column[CHUNK];
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    for (int c = 0; c < COLUMNS; c++) {
        hid_t data = H5Dopen2(file, names[c], H5P_DEFAULT);
        assert_true(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, column) >= 0);
        for (size_t i = 0; i < count; i++)
            assert_memory_equal(&column[i], &rows[i * COLUMNS + (size_t)c], sizeof *column);
        H5Dclose(data);
    }
    H5Fclose(file);
}

static void commit(table *t, h5_file *file, bool last) {
    assert_true(table_write_rest(t, last) && H5Fflush(file->id, H5F_SCOPE_GLOBAL) >= 0);
    assert_true(table_show(t, last) && h5_commit(file));
}

static void create(const char *path, table *t, h5_file *file, size_t chunk, const char *const *names) {
    carom_error error;
    assert_int_equal(h5_create(path, file, &error), CAROM_OK);
    assert_true(table_reserve(t, chunk) && table_make(t, file->store, file->id, names, NULL));
}

/* A chunk of so many rows, written as one that goes on, then as the last one. */
static void write_and_check(const char *path, const double *rows, size_t count) {
    static const char *names[COLUMNS];
    static char text[COLUMNS][16];
    h5_file file;
    table t = {.columns = COLUMNS};
    name_columns(names, text);
    h5_enter();
    create(path, &t, &file, CHUNK, names);
    assert_true(table_append(&t, rows, count));
    commit(&t, &file, false);
    commit(&t, &file, true);
    table_destroy(&t);
    h5_close(&file);
    check_rows(path, names, rows, count);
    h5_leave();
}

static void last_chunks_are_read_as_written(void **state) {
    (void)state;
    static double rows[CHUNK * COLUMNS];
    unsigned seed = 1;
    for (size_t count = 20; count < CHUNK; count += 2) {
        for (size_t i = 0; i < count * COLUMNS; i++) rows[i] = any_number(&seed, (int)(i % COLUMNS));
        write_and_check(in_folder("table.h5"), rows, count);
    }
}

/* ---- many chunks: an index has several levels, chunks of zeros are missing, columns are shown in parts */

enum { LONG_COLUMNS = 600, LONG_CHUNK = 16, LONG_ROWS = 20010 };

static double long_value(size_t row, size_t column) {
    const size_t block = row / LONG_CHUNK;
    if (column % 50 == 0) return (double)row + 0.1 * (double)column;
    return block % 97 == column % 97 ? -1.5 * (double)row : 0; /* a chunk now and then */
}

static void append_long(table *t, size_t first, size_t end) {
    double rows[LONG_CHUNK][LONG_COLUMNS];
    for (size_t count; first < end; first += count) {
        count = end - first < LONG_CHUNK ? end - first : LONG_CHUNK;
        for (size_t i = 0; i < count; i++)
            for (size_t c = 0; c < LONG_COLUMNS; c++) rows[i][c] = long_value(first + i, c);
        assert_true(table_append(t, rows[0], count));
    }
}

/* Rows from any place on, so that HDF5 looks for their chunks in the index. */
static void check_long(const char *path, const char *const *names, size_t rows) {
    static double column[LONG_ROWS];
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    for (size_t c = 0; c < LONG_COLUMNS; c++) {
        hsize_t first = c * 31 % rows, count = rows - first, all;
        hid_t data = H5Dopen2(file, names[c], H5P_DEFAULT), space = H5Dget_space(data);
        hid_t memory = H5Screate_simple(1, &count, NULL);
        H5Sget_simple_extent_dims(space, &all, NULL);
        assert_int_equal(all, rows);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &count, NULL);
        assert_true(H5Dread(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, column) >= 0);
        for (size_t i = 0; i < count; i++) assert_true(column[i] == long_value(first + i, c));
        H5Sclose(memory);
        H5Sclose(space);
        H5Dclose(data);
    }
    H5Fclose(file);
}

/* After every commit, also within a chunk: names never lag behind the table. */
static void long_tables_are_read_by_names(void **state) {
    (void)state;
    enum { COMMITS = 5 };
    static const size_t rows[COMMITS] = {150, 500, 600, 1000, LONG_ROWS};
    static const char *names[COLUMNS];
    static char text[COLUMNS][16];
    const char *path = in_folder("long.h5");
    h5_file file;
    table t = {.columns = LONG_COLUMNS};
    name_columns(names, text);
    h5_enter();
    create(path, &t, &file, LONG_CHUNK, names);
    for (int i = 0; i < COMMITS; i++) {
        append_long(&t, (size_t)t.rows, rows[i]);
        commit(&t, &file, i == COMMITS - 1);
        check_long(path, names, rows[i]);
    }
    table_destroy(&t);
    h5_close(&file);
    check_long(path, names, LONG_ROWS);
    h5_leave();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(last_chunks_are_read_as_written),
                                       cmocka_unit_test(long_tables_are_read_by_names)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
