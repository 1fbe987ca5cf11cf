/* Results: what goes in comes out, bit by bit, by carom, by plain HDF5 and as CSV. */
#include "folder.h"
#include "result/h5.h"
#include "result/writer.h"
#include "sample_result.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what goes in comes out */

static void rows_come_back(void **state) {
    (void)state;
    const long counts[] = {0, 1, 2, 4095, 4096, 4097, 20000}; /* around the size of a chunk */
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const char *path = in_folder("rows.h5");
        write_result(path, counts[i], "finished");
        check_result(path, counts[i]);
    }
    assert_int_not_equal(access(in_folder("rows.h5.journal"), F_OK), 0);
}

/* Contacts that stay open record zeros. 2000 columns of them, each with a name, a unit and its place in the index of
 * HDF5, take 0.4 KB each; columns of which one row in chunk two is not zero have what they were given. */
static void zeros_are_not_stored(void **state) {
    (void)state;
    enum { MANY = 2000, ROWS = 1500, LATE = 1200 };
    const char *path = in_folder("zeros.h5"), *name[MANY], *unit[MANY];
    char text[MANY][16];
    static double row[MANY], read[ROWS];
    result_info info = example();
    result_writer *w;
    struct stat file;
    for (int c = 0; c < MANY; c++) snprintf(text[c], sizeof text[c], "c%d.PN", c), name[c] = text[c], unit[c] = "N s";
    assert_int_equal(result_create(path, &info, MANY, name, unit, 0, &w, NULL), CAROM_OK);
    for (int i = 0; i < ROWS; i++) {
        row[7] = i == LATE ? 3 : 0;
        row[8] = i == 2 ? -0.0 : 0;
        assert_int_equal(result_append(w, row, NULL, i, NULL), CAROM_OK);
    }
    finish(w, "finished");
    assert_int_equal(stat(path, &file), 0);
    assert_true(file.st_size < 600L * MANY);
    result_reader *r = open_result(path);
    for (int c = 0; c < 20; c++) {
        assert_int_equal(result_read(r, c, 0, ROWS, read, NULL), CAROM_OK);
        for (int i = 0; i < ROWS; i++)
            assert_true(same_bits(read[i], c == 7 && i == LATE ? 3 : c == 8 && i == 2 ? -0.0 : 0.0));
    }
    result_close(r);
}

static long milliseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static long deadline_of(result_writer *w) {
    pthread_mutex_lock(&w->mutex);
    const long deadline = w->deadline;
    pthread_mutex_unlock(&w->mutex);
    return deadline;
}

/* Making a file of many columns and committing them takes some tenths of a second. After it the thread rests ten times
 * as long, which is more than the second between commits of few columns. */
static void long_commits_are_rare(void **state) {
    (void)state;
    enum { MANY = 60000, SECOND = 1000, ROUNDED = 20 };
    const char **name = calloc(MANY, sizeof *name);
    char(*text)[16] = calloc(MANY, sizeof *text);
    double *row = calloc(MANY, sizeof *row);
    result_info info = example();
    result_writer *w;
    assert_true(name && text && row);
    for (int c = 0; c < MANY; c++) snprintf(text[c], sizeof text[c], "c%d", c), name[c] = text[c], row[c] = c + 0.1;
    const long begun = milliseconds();
    assert_int_equal(result_create(in_folder("many.h5"), &info, MANY, name, NULL, 0, &w, NULL), CAROM_OK);
    assert_true(w->making > SECOND / 10);
    assert_true(deadline_of(w) >= begun + 11 * w->making - ROUNDED);
    assert_int_equal(result_append(w, row, NULL, 1, NULL), CAROM_OK);
    pthread_mutex_lock(&w->mutex);
    w->deadline = 0;
    pthread_cond_signal(&w->work);
    pthread_mutex_unlock(&w->mutex);
    while (deadline_of(w) == 0) usleep(1000);
    assert_int_equal(w->committed, 1);
    assert_true(deadline_of(w) > milliseconds() + SECOND);
    finish(w, "finished");
    free(name), free(text), free(row);
}

/* Scenes may be longer than HDF5's 64 KB for attributes that stand in the head of an object. */
static void long_texts_come_back(void **state) {
    (void)state;
    enum { LONG = 300000 };
    const char *path = in_folder("long.h5");
    char *scene = malloc(LONG + 1);
    assert_non_null(scene);
    for (int i = 0; i < LONG; i++) scene[i] = (char)('a' + i % 26);
    scene[LONG] = '\0';
    result_info info = example();
    result_writer *w;
    info.scene = scene;
    assert_int_equal(result_create(path, &info, COLUMNS, names, units, STATE, &w, NULL), CAROM_OK);
    append_rows(w, 0, 3);
    finish(w, "finished");
    result_reader *r = open_result(path);
    assert_string_equal(result_text(r, "scene"), scene);
    assert_string_equal(result_text(r, "title"), info.title);
    result_close(r);
    free(scene);
}

static void any_part_can_be_read(void **state) {
    (void)state;
    const char *path = in_folder("part.h5");
    write_result(path, 9000, "finished");
    result_reader *r = open_result(path);
    double values[300];
    for (long first = 0; first + 300 <= 9000; first += 277) {
        assert_int_equal(result_read(r, 1, first, 300, values, NULL), CAROM_OK);
        for (long i = 0; i < 300; i++) assert_true(same_bits(values[i], value(first + i, 1)));
    }
    assert_int_equal(result_read(r, 1, 9000, 0, values, NULL), CAROM_OK);
    assert_int_equal(result_read(r, 1, 8999, 2, values, NULL), CAROM_DATA);
    assert_int_equal(result_read(r, 1, -1, 2, values, NULL), CAROM_DATA);
    assert_int_equal(result_find(r, "floor.gap"), 2);
    assert_int_equal(result_find(r, "floor"), -1);
    result_close(r);
}

static void the_run_is_described(void **state) {
    (void)state;
    const char *path = in_folder("described.h5");
    write_result(path, 3, "finished");
    result_reader *r = open_result(path);
    const char *const texts[][2] = {{"format", "carom result"},
                                    {"format_version", "2"},
                                    {"carom_version", carom_version()},
                                    {"carom_revision", carom_revision()},
                                    {"title", "Ball über dem Boden"},
                                    {"scene", "carom: 1\nrun: {dt: 1e-3}\n"},
                                    {"scene_path", "scenes/ball.yaml"},
                                    {"integrator", "moreau"},
                                    {"dt", "0.1"},
                                    {"until", "20"},
                                    {"every", "3"},
                                    {"status", "finished"},
                                    {"hash", "0123456789abcdef"},
                                    {"wall_seconds", "1.5"},
                                    {"impacts", "150"},
                                    {"CFL number", "0.026"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_string_equal(result_text(r, texts[i][0]), texts[i][1]);
        assert_ptr_equal(result_text(r, texts[i][0]), result_text(r, texts[i][0]));
    }
    assert_null(result_text(r, "nothing"));
    assert_int_equal(result_plots(r), 2);
    assert_string_equal(result_plot(r, 1), "x:t");
    result_close(r);
}

/* Scenes may be longer than the 64 KB that HDF5's attributes used to hold. */
static void long_scenes_fit(void **state) {
    (void)state;
    enum { LONG = 300000 };
    char *scene = malloc(LONG + 1);
    for (int i = 0; i < LONG; i++) scene[i] = (char)(i % 80 ? 'a' + i % 26 : '\n');
    scene[LONG] = '\0';
    result_info info = example();
    info.scene = scene;
    result_writer *w;
    const char *path = in_folder("long.h5");
    assert_int_equal(result_create(path, &info, COLUMNS, names, units, STATE, &w, NULL), CAROM_OK);
    finish(w, "finished");
    result_reader *r = open_result(path);
    assert_string_equal(result_text(r, "scene"), scene);
    result_close(r);
    free(scene);
}

static void thousands_of_columns_fit(void **state) {
    (void)state;
    enum { MANY = 3000, ROWS = 1500 }; /* more than a chunk, which is small then */
    char(*text)[16] = calloc(MANY, sizeof *text);
    const char **many = calloc(MANY, sizeof *many);
    double *row = calloc(MANY, sizeof *row);
    for (int c = 0; c < MANY; c++) many[c] = (snprintf(text[c], sizeof text[c], "m%d.x", c), text[c]);
    result_info info = example();
    result_writer *w;
    const char *path = in_folder("many.h5");
    assert_int_equal(result_create(path, &info, MANY, many, NULL, 0, &w, NULL), CAROM_OK);
    for (long i = 0; i < ROWS; i++) {
        for (int c = 0; c < MANY; c++) row[c] = (double)i + c / 4096.0;
        assert_int_equal(result_append(w, row, NULL, i, NULL), CAROM_OK);
    }
    finish(w, "finished");
    result_reader *r = open_result(path);
    assert_int_equal(result_columns(r), MANY);
    for (int c = 0; c < MANY; c += 371) {
        double values[ROWS];
        assert_string_equal(result_name(r, c), many[c]);
        assert_int_equal(result_read(r, c, 0, ROWS, values, NULL), CAROM_OK);
        for (long i = 0; i < ROWS; i++) assert_true(values[i] == (double)i + c / 4096.0);
    }
    result_close(r);
    free(text);
    free(many);
    free(row);
}

/* ---- the file for others */

static int count_names(hid_t group, const char *name, const H5L_info_t *link, void *count) {
    (void)group, (void)link;
    *(int *)count += name[0] != '#';
    return 0;
}

static void plain_hdf5_reads_it(void **state) {
    (void)state;
    const char *path = in_folder("plain.h5");
    write_result(path, 5000, "finished");
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    int links = 0;
    H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, count_names, &links);
    assert_int_equal(links, COLUMNS); /* and the table, whose parts begin with a # */
    hid_t data = H5Dopen2(file, "floor.gap", H5P_DEFAULT), space = H5Dget_space(data);
    hsize_t size, most, chunk;
    assert_int_equal(H5Sget_simple_extent_ndims(space), 1);
    H5Sget_simple_extent_dims(space, &size, &most);
    assert_int_equal(size, 5000);
    assert_true(most == H5S_UNLIMITED);
    hid_t creation = H5Dget_create_plist(data);
    unsigned flags, config;
    size_t values = 0;
    assert_int_equal(H5Pget_chunk(creation, 1, &chunk), 1);
    assert_int_equal(H5Pget_filter2(creation, 0, &flags, &values, NULL, 0, NULL, &config), H5Z_FILTER_SHUFFLE);
    values = 0;
    assert_int_equal(H5Pget_filter2(creation, 1, &flags, &values, NULL, 0, NULL, &config), H5Z_FILTER_DEFLATE);
    assert_true(H5Aexists(data, "unit") > 0);
    double read[5000];
    assert_true(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, read) >= 0);
    for (long i = 0; i < 5000; i++) assert_true(same_bits(read[i], value(i, 2)));
    H5Pclose(creation);
    H5Sclose(space);
    H5Dclose(data);
    H5Fclose(file);
}

/* ---- CSV */

static void csv_gives_every_bit(void **state) {
    (void)state;
    const char *path = in_folder("table.h5"), *csv = in_folder("table.csv");
    write_result(path, 5000, "finished");
    result_reader *r = open_result(path);
    const int columns[] = {3, 1, 0};
    assert_int_equal(result_export_csv(r, csv, columns, 3, NULL), CAROM_OK);
    FILE *file = fopen(csv, "r");
    char line[300];
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "\"say \"\"hi\"\", x\",x,t\n");
    for (long i = 0; i < 5000; i++) {
        assert_non_null(fgets(line, sizeof line, file));
        char *rest = line;
        for (int k = 0; k < 3; k++, rest++) {
            double expected = value(i, columns[k]), read = strtod(rest, &rest);
            if (isnan(expected)) assert_true(isnan(read));
            else assert_true(same_bits(read, expected));
            assert_int_equal(*rest, k < 2 ? ',' : '\n');
        }
    }
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
    result_close(r);
}

static void csv_tells_when_it_cannot(void **state) {
    (void)state;
    const char *path = in_folder("cannot.h5");
    write_result(path, 5000, "finished");
    result_reader *r = open_result(path);
    const int columns[] = {0, 1};
    carom_error error;
    assert_int_equal(result_export_csv(r, "/dev/full", columns, 2, &error), CAROM_FAILED);
    assert_string_equal(error.message, "/dev/full: no space left on device");
    assert_int_equal(result_export_csv(r, in_folder("no/where.csv"), columns, 2, &error), CAROM_DATA);
    assert_int_equal(result_export_csv(r, "", columns, 2, &error), CAROM_DATA);
    assert_string_equal(error.message, "the name of the CSV file is empty");
    assert_int_equal(result_export_csv(r, path, columns, 2, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "is the result itself"));
    assert_int_equal(result_export_csv(r, "-", columns, 0, &error), CAROM_DATA);
    fflush(stdout);
    int saved = dup(1);
    close(1);
    carom_status status = result_export_csv(r, "-", columns, 2, &error);
    dup2(saved, 1);
    close(saved);
    clearerr(stdout);
    assert_int_equal(status, CAROM_FAILED);
    assert_string_equal(error.message, "standard output: bad file descriptor");
    result_close(r);
    check_result(path, 5000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_back),           cmocka_unit_test(zeros_are_not_stored),
        cmocka_unit_test(long_texts_come_back),     cmocka_unit_test(any_part_can_be_read),
        cmocka_unit_test(the_run_is_described),     cmocka_unit_test(long_scenes_fit),
        cmocka_unit_test(thousands_of_columns_fit), cmocka_unit_test(plain_hdf5_reads_it),
        cmocka_unit_test(csv_gives_every_bit),      cmocka_unit_test(csv_tells_when_it_cannot),
        cmocka_unit_test(long_commits_are_rare),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
