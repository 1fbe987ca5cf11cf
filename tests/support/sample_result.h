/* A result of five columns that holds every kind of double. */
#ifndef CAROM_SAMPLE_RESULT_H
#define CAROM_SAMPLE_RESULT_H

#include "result/result.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COLUMNS = 5, STATE = 4 };
static const char *const names[COLUMNS] = {"t", "x", "floor.gap", "say \"hi\", x", "floor.state"};
static const char *const units[COLUMNS] = {"s", "m", "m", "", ""};
static const char *const plots[] = {"x,floor.gap", "x:t"};
static const char *const parameter_names[] = {"m", "mu"};
static const double parameter_values[] = {2.5, 0.3};

static inline result_info example(void) {
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
static inline double value(long row, int column) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 4.9e-324, 1.7976931348623157e308, -1.0 / 3};
    if (column == 3 && row % 5 == 0) return odd[row / 5 % 8];
    if (column == 4) return (double)(row / 7 % 3);
    return column == 0 ? (double)row * 1e-3 : sin((double)row * column) * exp(-1e-4 * (double)row);
}

static inline bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static inline void append_rows(result_writer *w, long from, long to) {
    double row[COLUMNS], state[STATE];
    for (long i = from; i < to; i++) {
        for (int c = 0; c < COLUMNS; c++) row[c] = value(i, c);
        for (int k = 0; k < STATE; k++) state[k] = (double)i + k / 8.0;
        assert_int_equal(result_append(w, row, state, 3 * i, NULL), CAROM_OK);
    }
}

static inline result_writer *create(const char *path) {
    result_info info = example();
    result_writer *w;
    carom_error error;
    if (result_create(path, &info, COLUMNS, names, units, STATE, &w, &error) != CAROM_OK) fail_msg("%s", error.message);
    return w;
}

static inline void finish(result_writer *w, const char *status) {
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

static inline void write_result(const char *path, long rows, const char *status) {
    result_writer *w = create(path);
    append_rows(w, 0, rows);
    finish(w, status);
}

static inline result_reader *open_result(const char *path) {
    result_reader *r;
    carom_error error;
    if (result_open(path, &r, &error) != CAROM_OK) fail_msg("%s", error.message);
    return r;
}

static inline void check_result(const char *path, long rows) {
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

/* ---- events */

enum { EVENT_COLUMNS = 4 };
static const char *const event_names[EVENT_COLUMNS] = {"t", "contact", "before/x", "after/x"};
static const char *const event_units[EVENT_COLUMNS] = {"s", "", "m", "m"};
static const char *const contacts[] = {"floor", "wall, left"};
static const char *const kinds[] = {"strike", "opening"};

static inline result_info eventful(void) {
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
static inline long events_of(long row) {
    return row % 1000 == 999 ? 1500 : row % 7 == 3 ? 1 + row % 3 : 0;
}

static inline long events_before(long row) {
    long sum = 0;
    for (long i = 0; i < row; i++) sum += events_of(i);
    return sum;
}

static inline double event_value(long event, int column) {
    return column == 1 ? (double)(event % 2) : value(event, column == 0 ? 0 : column - 1);
}

static inline void append_events(result_writer *w, long *event, long count) {
    double numbers[EVENT_COLUMNS];
    for (long i = 0; i < count; i++, ++*event) {
        for (int c = 0; c < EVENT_COLUMNS; c++) numbers[c] = event_value(*event, c);
        assert_int_equal(result_append_event(w, numbers, NULL), CAROM_OK);
    }
}

/* Rows with the events before them; then events after the last row, whose row does not come. */
static inline void append_eventful(result_writer *w, long from, long to) {
    long event = events_before(from);
    for (long i = from; i < to; i++) {
        append_events(w, &event, events_of(i));
        append_rows(w, i, i + 1);
    }
    append_events(w, &event, 5);
}

static inline void check_events(const char *path, long rows) {
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

static inline result_writer *create_eventful(const char *path) {
    result_info info = eventful();
    result_writer *w;
    assert_int_equal(result_create(path, &info, COLUMNS, names, units, STATE, &w, NULL), CAROM_OK);
    return w;
}

static inline void write_bytes(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

#endif
