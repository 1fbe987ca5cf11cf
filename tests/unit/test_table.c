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

/* From datasets that are opened anew: HDF5 remembers where it has just written. */
static void check_rows(hid_t file, const char *const *names, const double *rows, size_t count) {
    double column[CHUNK];
    for (int c = 0; c < COLUMNS; c++) {
        hid_t data = H5Dopen2(file, names[c], H5P_DEFAULT);
        assert_true(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, column) >= 0);
        for (size_t i = 0; i < count; i++)
            assert_memory_equal(&column[i], &rows[i * COLUMNS + (size_t)c], sizeof *column);
        H5Dclose(data);
    }
}

/* A chunk of so many rows, written as one that goes on, then as the last one. */
static void write_and_check(const char *path, const double *rows, size_t count) {
    static const char *names[COLUMNS];
    static char text[COLUMNS][16];
    carom_error error;
    h5_file file;
    table t;
    name_columns(names, text);
    h5_enter();
    assert_int_equal(h5_create(path, &file, &error), CAROM_OK);
    assert_true(table_create(&t, COLUMNS) && table_reserve(&t, CHUNK) && table_make(&t, file.id, names, NULL));
    assert_true(table_append(&t, rows, count));
    assert_true(table_write_rest(&t, false) && h5_commit(&file));
    assert_true(table_write_rest(&t, true) && h5_commit(&file));
    for (int c = 0; c < COLUMNS; c++) H5Dclose(t.dataset[c]);
    check_rows(file.id, names, rows, count);
    table_destroy(&t);
    h5_close(&file);
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(last_chunks_are_read_as_written)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
