/* Results: what goes in comes out, bit by bit, by carom and by plain HDF5; interrupted runs go on; bad files get one
 * sentence and nothing on the terminal. */
#include "result/deflate.h"
#include "result/h5.h"
#include "result/result.h"
#include "result/store.h"

#include <hdf5.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "folder.h"

enum { COLUMNS = 5, STATE = 4 };
static const char *const names[COLUMNS] = {"t", "x", "floor.gap", "say \"hi\", x", "floor.state"};
static const char *const units[COLUMNS] = {"s", "m", "m", "", ""};
static const char *const plots[] = {"x,floor.gap", "x:t"};
static const char *const parameter_names[] = {"m", "mu"};
static const double parameter_values[] = {2.5, 0.3};

static result_info example(void) {
    return (result_info){.title = "Ball über dem Boden",
                         .scene = "carom: 1\nrun: {dt: 1e-3}\n",
                         .scene_path = "scenes/ball.yaml",
                         .integrator = "moreau",
                         .dt = 0.1,
                         .until = 20,
                         .every = 3,
                         .parameters = 2,
                         .parameter_names = parameter_names,
                         .parameter_values = parameter_values,
                         .plots = 2,
                         .plot = plots};
}

/* Every kind of double: smooth, noise, NaN, infinities, both zeros, the smallest. */
static double value(long row, int column) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 4.9e-324, 1.7976931348623157e308, -1.0 / 3};
    if (column == 3 && row % 5 == 0) return odd[row / 5 % 8];
    if (column == 4) return (double)(row / 7 % 3);
    return column == 0 ? (double)row * 1e-3 : sin((double)row * column) * exp(-1e-4 * (double)row);
}

static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static void append_rows(result_writer *w, long from, long to) {
    double row[COLUMNS], state[STATE];
    for (long i = from; i < to; i++) {
        for (int c = 0; c < COLUMNS; c++) row[c] = value(i, c);
        for (int k = 0; k < STATE; k++) state[k] = (double)i + k / 8.0;
        assert_int_equal(result_append(w, row, state, 3 * i, NULL), CAROM_OK);
    }
}

static result_writer *create(const char *path) {
    result_info info = example();
    result_writer *w;
    carom_error error;
    if (result_create(path, &info, COLUMNS, names, units, STATE, &w, &error) != CAROM_OK) fail_msg("%s", error.message);
    return w;
}

static void finish(result_writer *w, const char *status) {
    const int most[] = {7, 3};
    const double mean[] = {2.5, 1.25}, figures[] = {150, 0.026};
    static const char *const figure_names[] = {"impacts", "CFL number"};
    result_summary summary = {.status = status,
                              .hash = 0x0123456789abcdefu,
                              .wall_seconds = 1.5,
                              .stages = 2,
                              .newton_max = most,
                              .newton_mean = mean,
                              .figures = 2,
                              .figure_names = figure_names,
                              .figure_values = figures};
    assert_int_equal(result_finish(w, &summary, NULL), CAROM_OK);
}

static void write_result(const char *path, long rows, const char *status) {
    result_writer *w = create(path);
    append_rows(w, 0, rows);
    finish(w, status);
}

static result_reader *open_result(const char *path) {
    result_reader *r;
    carom_error error;
    if (result_open(path, &r, &error) != CAROM_OK) fail_msg("%s", error.message);
    return r;
}

static void check_result(const char *path, long rows) {
    result_reader *r = open_result(path);
    assert_int_equal(result_rows(r), rows);
    assert_int_equal(result_columns(r), COLUMNS);
    double *values = malloc((size_t)(rows + 1) * sizeof *values);
    for (int c = 0; c < COLUMNS; c++) {
        assert_string_equal(result_name(r, c), names[c]);
        assert_string_equal(result_unit(r, c), units[c]);
        assert_int_equal(result_read(r, c, 0, rows, values, NULL), CAROM_OK);
        for (long i = 0; i < rows; i++) assert_true(same_bits(values[i], value(i, c)));
    }
    free(values);
    result_close(r);
}

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
                                    {"format_version", "1"},
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

static int count_links(hid_t group, const char *name, const H5L_info_t *link, void *count) {
    (void)group, (void)name, (void)link;
    ++*(int *)count;
    return 0;
}

static void plain_hdf5_reads_it(void **state) {
    (void)state;
    const char *path = in_folder("plain.h5");
    write_result(path, 5000, "finished");
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    int links = 0;
    H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, count_links, &links);
    assert_int_equal(links, COLUMNS); /* nothing but the quantities */
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

/* What zlib makes of a chunk, sorted back from planes into doubles, is the chunk. */
static void check_chunk(deflater *d, const double *values, size_t count, unsigned char *noise, size_t *size) {
    enum { CHUNK = 1024 };
    static unsigned char planes[CHUNK * 8];
    uLongf length = sizeof planes;
    const unsigned char *bytes = deflater_run(d, values, count, noise, size);
    assert_int_equal(uncompress(planes, &length, bytes, *size), Z_OK);
    assert_int_equal(length, sizeof planes);
    for (size_t i = 0; i < CHUNK; i++) {
        double back;
        for (size_t k = 0; k < 8; k++) ((unsigned char *)&back)[k] = planes[k * CHUNK + i];
        assert_true(same_bits(back, i < count ? values[i] : 0.0));
    }
}

static void chunks_are_deflated(void **state) {
    (void)state;
    enum { CHUNK = 1024 };
    double sine[CHUNK], integers[CHUNK];
    for (int i = 0; i < CHUNK; i++) sine[i] = sin(i * 0.1), integers[i] = i;
    deflater *d = deflater_create(CHUNK);
    unsigned char sine_noise = 0, integer_noise = 0, mixed_noise = 0;
    for (int round = 0; round < 5; round++) {
        size_t size;
        check_chunk(d, sine, CHUNK, &sine_noise, &size);
        assert_true(size < sizeof sine); /* signs and exponents repeat */
        check_chunk(d, integers, CHUNK, &integer_noise, &size);
        assert_true(size < sizeof integers / 4); /* six of eight bytes are zero */
        check_chunk(d, round % 2 ? sine : integers, 700, &mixed_noise, &size);
    }
    assert_int_equal(sine_noise & 0x0f, 0x0f); /* the low bytes of a sine are noise */
    assert_int_equal(sine_noise & 0x80, 0);
    deflater_destroy(d);
}

/* ---- events */

enum { EVENT_COLUMNS = 4 };
static const char *const event_names[EVENT_COLUMNS] = {"t", "contact", "before/x", "after/x"};
static const char *const event_units[EVENT_COLUMNS] = {"s", "", "m", "m"};
static const char *const contacts[] = {"floor", "wall, left"};
static const char *const kinds[] = {"strike", "opening"};

static result_info eventful(void) {
    result_info info = example();
    info.events = (result_events_info){.columns = EVENT_COLUMNS,
                                       .names = event_names,
                                       .units = event_units,
                                       .contacts = 2,
                                       .kinds = 2,
                                       .contact = contacts,
                                       .kind = kinds};
    return info;
}

/* Events in the step before a row: none, some, or more than any chunk has. */
static long events_of(long row) {
    return row % 1000 == 999 ? 1500 : row % 7 == 3 ? 1 + row % 3 : 0;
}

static long events_before(long row) {
    long sum = 0;
    for (long i = 0; i < row; i++) sum += events_of(i);
    return sum;
}

static double event_value(long event, int column) {
    return column == 1 ? (double)(event % 2) : value(event, column == 0 ? 0 : column - 1);
}

static void append_events(result_writer *w, long *event, long count) {
    double numbers[EVENT_COLUMNS];
    for (long i = 0; i < count; i++, ++*event) {
        for (int c = 0; c < EVENT_COLUMNS; c++) numbers[c] = event_value(*event, c);
        assert_int_equal(result_append_event(w, numbers, NULL), CAROM_OK);
    }
}

/* Rows with the events before them; then events after the last row, whose row does not come. */
static void append_eventful(result_writer *w, long from, long to) {
    long event = events_before(from);
    for (long i = from; i < to; i++) {
        append_events(w, &event, events_of(i));
        append_rows(w, i, i + 1);
    }
    append_events(w, &event, 5);
}

static void check_events(const char *path, long rows) {
    check_result(path, rows);
    result_reader *r = open_result(path), *events = result_events(r);
    long count = events_before(rows);
    assert_non_null(events);
    assert_int_equal(result_rows(events), count);
    assert_int_equal(result_columns(events), EVENT_COLUMNS);
    double *values = malloc((size_t)(count + 1) * sizeof *values);
    for (int c = 0; c < EVENT_COLUMNS; c++) {
        assert_string_equal(result_name(events, c), event_names[c]);
        assert_string_equal(result_unit(events, c), event_units[c]);
        assert_int_equal(result_read(events, c, 0, count, values, NULL), CAROM_OK);
        for (long i = 0; i < count; i++) assert_true(same_bits(values[i], event_value(i, c)));
    }
    assert_string_equal(result_contact(events, 1), "wall, left");
    assert_string_equal(result_kind(events, 0), "strike");
    assert_null(result_contact(events, 2));
    assert_null(result_kind(events, -1));
    free(values);
    result_close(r);
}

static result_writer *create_eventful(const char *path) {
    result_info info = eventful();
    result_writer *w;
    assert_int_equal(result_create(path, &info, COLUMNS, names, units, STATE, &w, NULL), CAROM_OK);
    return w;
}

static void events_come_back(void **state) {
    (void)state;
    const long counts[] = {0, 1, 4, 1000, 4100}; /* no events, some, more than a chunk at once, more than one of rows */
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const char *path = in_folder("events.h5");
        result_writer *w = create_eventful(path);
        append_eventful(w, 0, counts[i]);
        finish(w, "finished");
        check_events(path, counts[i]);
    }
    write_result(in_folder("no_events.h5"), 3, "finished");
    result_reader *r = open_result(in_folder("no_events.h5"));
    assert_null(result_events(r));
    result_close(r);
}

static void plain_hdf5_reads_events(void **state) {
    (void)state;
    const char *path = in_folder("plain_events.h5");
    result_writer *w = create_eventful(path);
    append_eventful(w, 0, 1000);
    finish(w, "finished");
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t data = H5Dopen2(file, "/#events/after/x", H5P_DEFAULT);
    double *values = malloc((size_t)events_before(1000) * sizeof *values);
    assert_true(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    for (long i = 0; i < events_before(1000); i++) assert_true(same_bits(values[i], event_value(i, 3)));
    free(values);
    H5Dclose(data);
    H5Fclose(file);
}

/* An interrupted run has the events up to its last row, and goes on with the next one. */
static void resumed_events_are_the_same(void **state) {
    (void)state;
    const long cuts[] = {1, 4, 999, 1000, 4097};
    result_info info = eventful();
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        const char *path = in_folder("resumed_events.h5");
        result_writer *w = create_eventful(path);
        append_eventful(w, 0, cuts[i]);
        finish(w, "interrupted");
        check_events(path, cuts[i]);
        double checkpoint[STATE];
        long step;
        bool finished;
        assert_int_equal(result_resume(path, &info, COLUMNS, names, STATE, &w, checkpoint, &step, &finished, NULL),
                         CAROM_OK);
        append_eventful(w, cuts[i], 6000);
        finish(w, "finished");
        check_events(path, 6000);
    }
}

/* Attributes beyond 64 KB, a limit of HDF5's older formats. */
static void thousands_of_contacts_have_names(void **state) {
    (void)state;
    enum { MANY = 20000 };
    char(*texts)[16] = malloc(MANY * sizeof *texts);
    const char **many = malloc(MANY * sizeof *many);
    for (int i = 0; i < MANY; i++) snprintf(texts[i], sizeof texts[i], "contact[%d]", i), many[i] = texts[i];
    result_info info = eventful();
    info.events.contacts = MANY;
    info.events.contact = many;
    result_writer *w;
    const char *path = in_folder("contacts.h5");
    assert_int_equal(result_create(path, &info, COLUMNS, names, units, STATE, &w, NULL), CAROM_OK);
    append_eventful(w, 0, 5);
    finish(w, "finished");
    result_reader *r = open_result(path);
    assert_string_equal(result_contact(result_events(r), MANY - 1), "contact[19999]");
    result_close(r);
    free(texts);
    free(many);
}

/* ---- going on */

static void a_resumed_run_is_the_same(void **state) {
    (void)state;
    const long cuts[] = {1, 2, 4095, 4096, 4097, 6000};
    result_info info = example();
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        const char *path = in_folder("resumed.h5");
        write_result(path, cuts[i], "interrupted");
        result_writer *w;
        double checkpoint[STATE];
        long step;
        bool finished;
        assert_int_equal(result_resume(path, &info, COLUMNS, names, STATE, &w, checkpoint, &step, &finished, NULL),
                         CAROM_OK);
        assert_false(finished);
        assert_int_equal(step, 3 * (cuts[i] - 1));
        for (int k = 0; k < STATE; k++) assert_true(checkpoint[k] == (double)(cuts[i] - 1) + k / 8.0);
        append_rows(w, cuts[i], 9000);
        finish(w, "finished");
        check_result(path, 9000);
        assert_int_equal(result_resume(path, &info, COLUMNS, names, STATE, &w, checkpoint, &step, &finished, NULL),
                         CAROM_OK);
        assert_true(finished);
        assert_null(w);
    }
}

static void expect_refusal(const char *path, const result_info *info, int columns, const char *const *quantities,
                           size_t state_size, const char *sentence) {
    result_writer *w;
    double checkpoint[STATE + 1];
    long step;
    bool finished;
    carom_error error;
    assert_int_equal(
        result_resume(path, info, columns, quantities, state_size, &w, checkpoint, &step, &finished, &error),
        CAROM_DATA);
    char expected[600];
    snprintf(expected, sizeof expected, "%s%s", path, sentence);
    assert_string_equal(error.message, expected);
    assert_null(w);
}

/* As another program would have written it. */
static void set_revision(const char *path, const char *revision) {
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_true(h5_put_text(file, "carom_revision", revision));
    assert_true(H5Fclose(file) >= 0);
}

/* Who went on is told, who began is kept. */
static void go_on_with_another_version(const char *path, const result_info *info) {
    result_writer *w;
    double checkpoint[STATE];
    long step;
    bool finished;
    assert_int_equal(result_resume(path, info, COLUMNS, names, STATE, &w, checkpoint, &step, &finished, NULL),
                     CAROM_OK);
    append_rows(w, 10, 20);
    finish(w, "finished");
    result_reader *r = open_result(path);
    char by[100];
    snprintf(by, sizeof by, "%s (%s)", carom_version(), carom_revision());
    assert_string_equal(result_text(r, "resumed_by"), by);
    assert_string_equal(result_text(r, "carom_revision"), "0123456789ab");
    assert_int_equal(result_rows(r), 20);
    result_close(r);
}

static void another_run_is_refused(void **state) {
    (void)state;
    const char *path = in_folder("other.h5");
    result_info info = example();
    write_result(path, 0, "interrupted");
    expect_refusal(path, &info, COLUMNS, names, STATE, " was interrupted before its first checkpoint: start it again");
    write_result(path, 10, "interrupted");
    info.scene = "carom: 1\nrun: {dt: 1e-4}\n";
    expect_refusal(path, &info, COLUMNS, names, STATE,
                   " belongs to a different scene: line 2 was 'run: {dt: 1e-3}' and is now 'run: {dt: 1e-4}'");
    info.scene = "carom: 1\n";
    expect_refusal(path, &info, COLUMNS, names, STATE,
                   " belongs to a different scene: line 2 was 'run: {dt: 1e-3}' and is now ''");
    info = example();
    expect_refusal(path, &info, COLUMNS - 1, names, STATE, " also records 'floor.state', which is not recorded now");
    const char *others[COLUMNS] = {"t", "x", "floor.gap", "say \"hi\", x", "E"};
    expect_refusal(path, &info, COLUMNS, others, STATE, " does not record 'E'");
    expect_refusal(path, &info, COLUMNS, names, STATE + 1, " holds a state of 4 numbers, but this scene's has 5");
    info = eventful();
    expect_refusal(path, &info, COLUMNS, names, STATE, " does not record events");
    info = example();
    const char *old = in_folder("old.h5");
    write_result(old, 10, "interrupted");
    set_revision(old, "0123456789ab");
    char sentence[400];
    snprintf(
        sentence, sizeof sentence,
        " was begun by another carom, %s (0123456789ab), and this is %s (%s): go on with that one, start it again, or "
        "try --any-version",
        carom_version(), carom_version(), carom_revision());
    expect_refusal(old, &info, COLUMNS, names, STATE, sentence);
    info.any_version = true;
    expect_refusal(old, &info, COLUMNS, names, STATE + 1, " holds a state of 4 numbers, but this scene's has 5");
    go_on_with_another_version(old, &info);
    info = example();
    expect_refusal(in_folder("none.h5"), &info, COLUMNS, names, STATE, ": no such file or directory");
    assert_int_not_equal(access(in_folder("none.h5.journal"), F_OK), 0);
    assert_int_not_equal(access(in_folder("other.h5.journal"), F_OK), 0);
    check_result(path, 10); /* and it is still what it was */
}

static void one_writer_at_a_time(void **state) {
    (void)state;
    const char *path = in_folder("two.h5");
    result_writer *first = create(path), *second;
    result_info info = example();
    carom_error error;
    assert_int_equal(result_create(path, &info, COLUMNS, names, units, STATE, &second, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "two.h5 is being written by another process"));
    append_rows(first, 0, 100);
    finish(first, "finished");
    check_result(path, 100);
    finish(create(path), "finished"); /* free again */
}

/* ---- bad files: one sentence, nothing on the terminal */

static FILE *terminal;
static int real_terminal;

static void listen_to_terminal(void) {
    fflush(stderr);
    terminal = tmpfile();
    real_terminal = dup(2);
    dup2(fileno(terminal), 2);
}

static void expect_silence(void) {
    fflush(stderr);
    dup2(real_terminal, 2);
    close(real_terminal);
    fseek(terminal, 0, SEEK_END);
    assert_int_equal(ftell(terminal), 0);
    fclose(terminal);
}

static void expect_sentence(const char *path, const char *sentence) {
    result_reader *r;
    carom_error error;
    listen_to_terminal();
    carom_status status = result_open(path, &r, &error);
    expect_silence();
    assert_int_equal(status, CAROM_DATA);
    assert_null(r);
    char expected[600];
    snprintf(expected, sizeof expected, "%s%s", path, sentence);
    assert_string_equal(error.message, expected);
}

static void write_bytes(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void foreign_files_are_named(void **state) {
    (void)state;
    const char *path = in_folder("foreign.h5");
    expect_sentence(in_folder("none.h5"), ": no such file or directory");
    expect_sentence(the_folder(), " is a directory, not a file");
    write_bytes(path, "", 0);
    expect_sentence(path, " is not an HDF5 file");
    write_bytes(path, "just a text that happens to be here\n", 36);
    expect_sentence(path, " is not an HDF5 file");
    H5Fclose(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    expect_sentence(path, " is HDF5, but not a carom result");
    write_result(path, 10, "finished");
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    for (int c = 0; c < COLUMNS; c++) H5Ldelete(file, names[c], H5P_DEFAULT);
    H5Fclose(file);
    expect_sentence(path, " is damaged: it holds no quantities");
    result_reader *r;
    carom_error error;
    assert_int_equal(result_open("", &r, &error), CAROM_DATA);
    assert_string_equal(error.message, "the name of the result is empty");
}

/* Results that another program has changed are read as they are, if they make sense. */
static void strange_contents_are_named(void **state) {
    (void)state;
    const char *path = in_folder("strange.h5");
    result_writer *w = create_eventful(path);
    append_eventful(w, 0, 10);
    finish(w, "finished");
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Lcreate_hard(file, "/#events/before", file, "/#events/before/x2", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Fclose(file);
    expect_sentence(path, " is damaged: cannot open 'before/x2'");
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(file, "/#events/before/x2", H5P_DEFAULT) >= 0);
    H5Fclose(file);
    check_events(path, 10);
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t column = H5Dopen2(file, "floor.gap", H5P_DEFAULT);
    assert_true(H5Dset_extent(column, &(hsize_t){7}) >= 0);
    H5Dclose(column);
    H5Fclose(file);
    expect_sentence(path, " is damaged: 'floor.gap' has 7 rows, but 't' has 10");
}

static unsigned char *read_bytes(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    unsigned char *bytes = malloc(*size);
    rewind(file);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void truncated_files_are_named(void **state) {
    (void)state;
    const char *path = in_folder("whole.h5"), *cut = in_folder("cut.h5");
    write_result(path, 3000, "finished");
    size_t size;
    unsigned char *bytes = read_bytes(path, &size);
    for (size_t left = 100; left < size; left += size / 50) {
        char sentence[100];
        write_bytes(cut, bytes, left);
        snprintf(sentence, sizeof sentence, " is truncated: %zu of %zu bytes are left", left, size);
        expect_sentence(cut, sentence);
    }
    free(bytes);
}

static bool has_right_rows(result_reader *r) {
    static double values[3000];
    bool right = result_rows(r) == 3000 && result_columns(r) == COLUMNS;
    for (int c = 0; right && c < COLUMNS; c++) {
        right = result_read(r, c, 0, 3000, values, NULL) == CAROM_OK;
        for (long i = 0; right && i < 3000; i++) right = same_bits(values[i], value(i, c));
    }
    return right;
}

/* Opens and reads copies with one wrong byte each: the number of those that were refused; -1: wrong numbers were read.
 */
static int read_damaged(unsigned char *bytes, size_t size, int copies) {
    const char *damaged = in_folder("damaged.h5");
    uint64_t seed = 1;
    int refused = 0;
    for (int i = 0; i < copies; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        size_t at = (size_t)(seed >> 33) % size;
        unsigned char before = bytes[at];
        bytes[at] ^= (unsigned char)(1 + (seed >> 20) % 255);
        write_bytes(damaged, bytes, size);
        bytes[at] = before;
        result_reader *r;
        if (result_open(damaged, &r, NULL) != CAROM_OK) {
            refused++;
            continue;
        }
        bool right = has_right_rows(r);
        result_close(r);
        if (!right) return -1;
    }
    return refused;
}

/* Whatever is wrong in a file, opening, reading and closing end well. In a process of its own, which ends without
 * looking back: HDF5 loses memory over damaged files. */
static void damaged_files_do_no_harm(void **state) {
    (void)state;
    const char *path = in_folder("sound.h5");
    write_result(path, 3000, "finished");
    size_t size;
    unsigned char *bytes = read_bytes(path, &size);
    int channel[2], refused = -1;
    assert_int_equal(pipe(channel), 0);
    listen_to_terminal();
    pid_t child = fork();
    if (child == 0) {
        refused = read_damaged(bytes, size, 200);
        if (write(channel[1], &refused, sizeof refused) > 0) raise(SIGKILL);
    }
    close(channel[1]);
    waitpid(child, NULL, 0);
    expect_silence();
    assert_int_equal(read(channel[0], &refused, sizeof refused), sizeof refused); /* it has not crashed */
    assert_true(refused > 190); /* all bytes matter but those of the head that mean nothing */
    close(channel[0]);
    free(bytes);
}

static void foreign_files_are_not_replaced(void **state) {
    (void)state;
    const char *path = in_folder("letter.txt");
    result_info info = example();
    result_writer *w;
    carom_error error;
    write_bytes(path, "Dear Sir or Madam,\n", 19);
    assert_int_equal(result_create(path, &info, COLUMNS, names, units, STATE, &w, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "letter.txt exists and is not an HDF5 file: not overwritten"));
    assert_int_equal(result_create(the_folder(), &info, COLUMNS, names, units, STATE, &w, &error), CAROM_DATA);
    assert_int_equal(result_create(in_folder("no/such/folder.h5"), &info, COLUMNS, names, units, STATE, &w, &error),
                     CAROM_DATA);
    assert_non_null(strstr(error.message, "no/such/folder.h5: no such file or directory"));
    char journal[300]; /* none is left next to what could not be written */
    snprintf(journal, sizeof journal, "%s.journal", the_folder());
    assert_int_not_equal(access(journal, F_OK), 0);
    assert_int_equal(result_create(in_folder("empty.h5"), &info, 0, names, units, STATE, &w, &error), CAROM_DATA);
}

/* What a process does to a file before it is killed: changes that stay in the journal, since somebody reads the file;
 * or a new file in its place, not yet committed. */
static bool change_while_read(const char *path) {
    store *reader, *s;
    if (store_open(path, STORE_READ, &reader, NULL) || store_open(path, STORE_UPDATE, &s, NULL)) return false;
    return store_write(s, STORE_HEAD + 1, 3, "new") && store_commit(s);
}
static bool begin_anew(const char *path) {
    store *s;
    return !store_open(path, STORE_CREATE, &s, NULL) && store_write(s, STORE_HEAD, 5, "half ");
}

static void kill_after(bool (*what)(const char *path), const char *path) {
    int how;
    pid_t child = fork();
    if (child == 0) _exit(!what(path));
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
}

/* Killed before its first commit, a new file leaves what was there, and is in nobody's way. */
static void a_new_file_replaces_with_its_first_commit(void **state) {
    (void)state;
    const char *path = in_folder("replaced.h5"), *none = in_folder("nothing.h5");
    write_result(path, 5, "finished");
    const char *const paths[] = {path, none};
    for (int i = 0; i < 2; i++) kill_after(begin_anew, paths[i]);
    check_result(path, 5);
    assert_int_not_equal(access(none, F_OK), 0);
    for (int i = 0; i < 2; i++) {
        char created[300];
        write_result(paths[i], 7, "finished");
        check_result(paths[i], 7);
        snprintf(created, sizeof created, "%s.new", paths[i]);
        assert_int_not_equal(access(created, F_OK), 0);
    }
}

static void expect_content(const char *path, const char *content, bool journal) {
    store *s;
    char found[8] = "";
    assert_int_equal(store_open(path, STORE_READ, &s, NULL), CAROM_OK);
    assert_true(store_read(s, STORE_HEAD, 5, found));
    assert_string_equal(found, content);
    assert_int_equal(store_is_unsealed(s), journal);
    store_close(s);
}

/* What was killed with a part of it in the journal is whole as long as nothing has replaced it. */
static void a_journal_lasts_as_long_as_its_file(void **state) {
    (void)state;
    static const char old[10000] = "old old";
    const char *path = in_folder("journalled");
    store *s;
    assert_int_equal(store_open(path, STORE_CREATE, &s, NULL), CAROM_OK);
    assert_true(store_write(s, STORE_HEAD, sizeof old, old) && store_commit(s));
    store_close(s);
    kill_after(change_while_read, path);
    expect_content(path, "onewo", true);
    kill_after(begin_anew, path);
    expect_content(path, "onewo", true);
    assert_int_equal(store_open(path, STORE_CREATE, &s, NULL), CAROM_OK);
    assert_true(store_write(s, STORE_HEAD, 5, "whole"));
    store_close(s); /* never committed */
    expect_content(path, "onewo", true);
    assert_int_equal(store_open(path, STORE_CREATE, &s, NULL), CAROM_OK);
    assert_true(store_write(s, STORE_HEAD, 5, "whole") && store_commit(s));
    store_close(s);
    expect_content(path, "whole", false);
}

static void a_link_keeps_its_target(void **state) {
    (void)state;
    const char *target = in_folder("target.h5"), *link = in_folder("link.h5");
    write_result(target, 5, "finished");
    assert_int_equal(symlink(target, link), 0);
    write_result(link, 7, "finished");
    struct stat info;
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    check_result(target, 7);
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
        cmocka_unit_test(rows_come_back),
        cmocka_unit_test(zeros_are_not_stored),
        cmocka_unit_test(long_texts_come_back),
        cmocka_unit_test(any_part_can_be_read),
        cmocka_unit_test(the_run_is_described),
        cmocka_unit_test(long_scenes_fit),
        cmocka_unit_test(thousands_of_columns_fit),
        cmocka_unit_test(plain_hdf5_reads_it),
        cmocka_unit_test(chunks_are_deflated),
        cmocka_unit_test(a_resumed_run_is_the_same),
        cmocka_unit_test(another_run_is_refused),
        cmocka_unit_test(one_writer_at_a_time),
        cmocka_unit_test(foreign_files_are_named),
        cmocka_unit_test(strange_contents_are_named),
        cmocka_unit_test(truncated_files_are_named),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(foreign_files_are_not_replaced),
        cmocka_unit_test(a_new_file_replaces_with_its_first_commit),
        cmocka_unit_test(a_journal_lasts_as_long_as_its_file),
        cmocka_unit_test(a_link_keeps_its_target),
        cmocka_unit_test(csv_gives_every_bit),
        cmocka_unit_test(csv_tells_when_it_cannot),
        cmocka_unit_test(events_come_back),
        cmocka_unit_test(plain_hdf5_reads_events),
        cmocka_unit_test(resumed_events_are_the_same),
        cmocka_unit_test(thousands_of_contacts_have_names),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
