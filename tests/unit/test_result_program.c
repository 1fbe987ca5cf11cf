/* Results that a program writes: they hold what the simulation gave, with its events, and say how it ended. */
#include "carom/result.h"
#include "result/result.h"
#include "support/folder.h"
#include "support/misuse.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static const char *path(void) {
    return in_folder("program.h5");
}

static double value(result_reader *r, const char *name, long row) {
    double x = NAN;
    int column = result_find(r, name);
    assert_true(column >= 0);
    assert_int_equal(result_read(r, column, row, 1, &x, NULL), CAROM_OK);
    return x;
}

static result_reader *reopen(const char *status) {
    result_reader *r = NULL;
    assert_int_equal(result_open(path(), &r, NULL), CAROM_OK);
    assert_string_equal(result_text(r, "status"), status);
    return r;
}

/* A ball with located impacts, every second step. */
static void run_is_recorded(void **state) {
    (void)state;
    carom_result *result;
    trial run =
        trial_text("carom: 1\ntitle: Ball\nmodel:\n  coordinates: {y: {start: 1, unit: m}}\n  kinetic: y_dot^2/2\n"
                   "  potential: 9.81*y\n  contacts: {floor: {gap: y, restitution: 0.5}}\n"
                   "run: {integrator: lobatto, events: locate, dt: 0.02, until: 1, every: 2, record: [y, E]}\n");
    double y[MOST];
    int rows = 0, strikes = 0, count;
    assert_int_equal(carom_result_create_run(path(), run.scene, run.sim, &result, NULL), CAROM_OK);
    y[rows++] = carom_sim_q(run.sim)[0];
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        carom_sim_events(run.sim, &count);
        strikes += count;
        if (carom_sim_steps(run.sim) % 2 == 0) y[rows++] = carom_sim_q(run.sim)[0];
        assert_int_equal(carom_result_take(result, NULL), CAROM_OK);
    }
    assert_int_equal(carom_result_finish(result, NULL, NULL), CAROM_OK);
    trial_close(&run);

    result_reader *r = reopen("finished");
    assert_string_equal(result_text(r, "title"), "Ball");
    assert_int_equal(result_columns(r), 3); /* t, y, E */
    assert_int_equal(result_rows(r), rows);
    for (int i = 0; i < rows; i++) assert_true(value(r, "y", i) == y[i]);
    assert_string_equal(result_unit(r, result_find(r, "y")), "m");
    assert_true(strikes > 0);
    assert_int_equal(result_rows(result_events(r)), strikes);
    result_close(r);
}

/* A program that keeps the rows and events itself gets what a result holds. */
static void recordings_are_results(void **state) {
    (void)state;
    carom_result *result;
    carom_recording *kept;
    trial run = trial_text("carom: 1\nmodel:\n  coordinates: {y: {start: 1, unit: m}}\n  kinetic: y_dot^2/2\n"
                           "  potential: 9.81*y\n  contacts: {floor: {gap: y, restitution: 0.5}}\n"
                           "run: {integrator: lobatto, events: locate, dt: 0.02, until: 0.5, record: [y]}\n");
    double rows[MOST][2], events[4][MOST];
    int count = 0, strikes = 0, now;
    assert_int_equal(carom_result_create_run(path(), run.scene, run.sim, &result, NULL), CAROM_OK);
    assert_int_equal(carom_recording_create(run.scene, run.sim, &kept, NULL), CAROM_OK);
    assert_int_equal(carom_recording_columns(kept, CAROM_ROWS), 2); /* t, y */
    assert_int_equal(carom_recording_row(kept, rows[count++], NULL), CAROM_OK);
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        assert_int_equal(carom_result_take(result, NULL), CAROM_OK);
        assert_int_equal(carom_recording_row(kept, rows[count++], NULL), CAROM_OK);
        carom_sim_events(run.sim, &now);
        for (int i = 0; i < now; i++)
            assert_int_equal(carom_recording_event(kept, i, events[strikes++], NULL), CAROM_OK);
    }
    assert_int_equal(carom_result_finish(result, NULL, NULL), CAROM_OK);
    result_reader *r = reopen("finished"), *told = result_events(r);
    assert_int_equal(result_rows(r), count);
    assert_int_equal(result_rows(told), strikes);
    assert_true(strikes > 0);
    for (int c = 0; c < 2; c++) {
        assert_string_equal(carom_recording_name(kept, CAROM_ROWS, c), result_name(r, c));
        assert_string_equal(carom_recording_unit(kept, CAROM_ROWS, c), result_unit(r, c));
        for (int i = 0; i < count; i++) assert_true(rows[i][c] == value(r, result_name(r, c), i));
    }
    assert_int_equal(carom_recording_columns(kept, CAROM_EVENTS), result_columns(told));
    for (int c = 0; c < result_columns(told); c++)
        assert_true(events[0][c] == value(told, carom_recording_name(kept, CAROM_EVENTS, c), 0));
    carom_recording_destroy(kept);
    result_close(r);
    trial_close(&run);
}

static void ends_are_told(void **state) {
    (void)state;
    static const char *const ends[] = {"interrupted", "failed: the motor broke"}, *const reasons[] = {
                                                                                      NULL, "the motor broke"};
    for (int k = 0; k < 2; k++) {
        carom_result *result;
        trial run = trial_text("carom: 1\nmodel:\n  coordinates: {x: {velocity: 1}}\n  kinetic: x_dot^2/2\n"
                               "run: {integrator: moreau, dt: 0.1, until: 1}\n");
        assert_int_equal(carom_result_create_run(path(), run.scene, run.sim, &result, NULL), CAROM_OK);
        trial_step(&run);
        assert_int_equal(carom_result_take(result, NULL), CAROM_OK);
        assert_int_equal(carom_result_finish(result, reasons[k], NULL), CAROM_OK);
        trial_close(&run);
        result_reader *r = reopen(ends[k]);
        assert_int_equal(result_rows(r), 2);
        result_close(r);
    }
}

/* Programs read what they wrote: names, units, numbers, events, texts. */
static void results_are_read(void **state) {
    (void)state;
    carom_result *result;
    carom_reader *r;
    carom_error error;
    double y[3], times[MOST];
    trial run =
        trial_text("carom: 1\ntitle: Ball\nmodel:\n  coordinates: {y: {start: 1, unit: m}}\n"
                   "  kinetic: y_dot^2/2\n  potential: 9.81*y\n  contacts: {floor: {gap: y}}\n"
                   "run: {integrator: lobatto, events: locate, dt: 0.25, until: 0.5, record: [y]}\nplot: [y]\n");
    assert_int_equal(carom_result_create_run(path(), run.scene, run.sim, &result, NULL), CAROM_OK);
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        assert_int_equal(carom_result_take(result, NULL), CAROM_OK);
    }
    assert_int_equal(carom_result_finish(result, NULL, NULL), CAROM_OK);
    trial_close(&run);

    assert_int_equal(carom_reader_open(path(), &r, NULL), CAROM_OK);
    assert_int_equal(carom_reader_rows(r, CAROM_ROWS), 3);
    assert_int_equal(carom_reader_columns(r, CAROM_ROWS), 2);
    assert_string_equal(carom_reader_name(r, CAROM_ROWS, 1), "y");
    assert_string_equal(carom_reader_unit(r, CAROM_ROWS, 1), "m");
    assert_int_equal(carom_reader_read(r, CAROM_ROWS, 1, y, NULL), CAROM_OK);
    assert_true(y[0] == 1 && fabs(y[1] - (1 - 9.81 / 32)) < 1e-14 && fabs(y[2]) < 1e-14); /* no rebound */
    const long events = carom_reader_rows(r, CAROM_EVENTS);
    assert_true(events >= 1 && events < MOST);
    assert_string_equal(carom_reader_name(r, CAROM_EVENTS, 0), "t");
    assert_int_equal(carom_reader_read(r, CAROM_EVENTS, 0, times, NULL), CAROM_OK);
    assert_true(fabs(times[0] - sqrt(2 / 9.81)) < 1e-13);
    assert_string_equal(carom_reader_contact(r, 0), "floor");
    assert_null(carom_reader_contact(r, 1));
    assert_string_equal(carom_reader_kind(r, CAROM_STRIKE), "strike");
    assert_string_equal(carom_reader_text(r, "title"), "Ball");
    assert_null(carom_reader_text(r, "colour"));
    assert_int_equal(carom_reader_plots(r), 1);
    assert_string_equal(carom_reader_plot(r, 0), "y");
    carom_reader_close(r);
    assert_int_equal(carom_reader_open(in_folder("none.h5"), &r, &error), CAROM_DATA);
    assert_null(r);
    carom_reader_close(NULL);
}

static void table_is_recorded(void **state) {
    (void)state;
    static const char *const names[] = {"t", "power"}, *const units[] = {"s", NULL}, *const plot[] = {"power"};
    carom_result_def def = carom_default_result_def();
    trial run = trial_text("carom: 1\nmodel:\n  coordinates: {x: {velocity: 1}}\n  kinetic: x_dot^2/2\n"
                           "run: {integrator: moreau, dt: 0.125, until: 1}\n");
    def.scene = run.scene;
    def.title = "Measured", def.columns = 2, def.names = names, def.units = units, def.plot = plot, def.plots = 1;
    carom_result *result;
    assert_int_equal(carom_result_create(path(), &def, &result, NULL), CAROM_OK);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(carom_result_append(result, (double[]){0.1 * i, sqrt(i)}, NULL), CAROM_OK);
    assert_int_equal(carom_result_finish(result, NULL, NULL), CAROM_OK);
    result_reader *r = reopen("finished");
    assert_int_equal(result_rows(r), 1000);
    for (int i = 0; i < 1000; i += 111) assert_true(value(r, "power", i) == sqrt(i));
    assert_string_equal(result_unit(r, 0), "s");
    assert_string_equal(result_unit(r, 1), "");
    assert_int_equal(result_plots(r), 1);
    assert_string_equal(result_text(r, "scene"), carom_scene_text(run.scene));
    assert_string_equal(result_text(r, "integrator"), "moreau");
    assert_string_equal(result_text(r, "title"), "Measured");
    trial_close(&run);
    result_close(r);
}

/* A table with events of its own, and formulas of its columns on both sides of them. */
static void events_of_a_table(void **state) {
    (void)state;
    static const char *const names[] = {"t", "x"}, *const contact[] = {"wall"}, *const kind[] = {"bump"};
    static const char *const event_names[] = {"t", "contact", "kind", "before/x", "after/x"};
    carom_result_def def = carom_default_result_def();
    def.columns = 2, def.names = names;
    def.event_columns = 5, def.event_names = event_names;
    def.contacts = def.kinds = 1, def.contact = contact, def.kind = kind;
    carom_result *result;
    carom_reader *r;
    carom_error error;
    int column;
    double values[2];
    assert_int_equal(carom_result_create(path(), &def, &result, NULL), CAROM_OK);
    assert_int_equal(carom_result_append(result, (double[]){0, 3}, NULL), CAROM_OK);
    assert_int_equal(carom_result_append_event(result, (double[]){0.5, 0, 0, 5, 7}, NULL), CAROM_OK);
    assert_int_equal(carom_result_append(result, (double[]){1, 11}, NULL), CAROM_OK);
    assert_int_equal(carom_result_finish(result, NULL, NULL), CAROM_OK);
    assert_int_equal(carom_reader_open(path(), &r, NULL), CAROM_OK);
    assert_string_equal(carom_reader_contact(r, 0), "wall");
    assert_string_equal(carom_reader_kind(r, 0), "bump");
    assert_int_equal(carom_reader_quantity(r, "x^2 + t", &column, NULL), CAROM_OK);
    assert_int_equal(carom_reader_read(r, CAROM_ROWS, column, values, NULL), CAROM_OK);
    assert_true(values[0] == 9 && values[1] == 122);
    for (int side = 0; side < 2; side++) {
        int at = carom_reader_side(r, column, side);
        assert_int_equal(carom_reader_read(r, CAROM_EVENTS, at, values, NULL), CAROM_OK);
        assert_true(values[0] == (side ? 49.5 : 25.5));
    }
    assert_int_equal(carom_reader_quantity(r, "x + xx", &column, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "there is no 'xx', did you mean 'x'?"));
    carom_reader_close(r);
}

/* Names of any characters but those that a file of HDF5 cannot hold, which are refused before there is a file. */
static void names_of_columns(void **state) {
    (void)state;
    static const char *const odd = "<b>a, \"\xc3\xbc\"; 'x'\n";
    static const char *const bad[] = {"", ".", "#events", "</script>"};
    const char *names[] = {"t", odd};
    carom_result_def def = carom_default_result_def();
    def.columns = 2, def.names = names;
    carom_result *result;
    carom_error error;
    assert_int_equal(carom_result_create(path(), &def, &result, NULL), CAROM_OK);
    assert_int_equal(carom_result_append(result, (double[]){0, 3}, NULL), CAROM_OK);
    assert_int_equal(carom_result_finish(result, NULL, NULL), CAROM_OK);
    result_reader *r = reopen("finished");
    assert_true(value(r, odd, 0) == 3);
    result_close(r);
    remove(path());
    for (int i = 0; i < 4; i++) {
        names[1] = bad[i];
        assert_int_equal(carom_result_create(path(), &def, &result, &error), CAROM_DATA);
        assert_non_null(strstr(error.message, "a column cannot be called"));
        assert_null(fopen(path(), "r"));
    }
}

static void other_files_are_kept(void **state) {
    (void)state;
    static const char *const names[] = {"t"};
    FILE *file = fopen(path(), "w");
    assert_non_null(file);
    fputs("dear diary", file);
    fclose(file);
    carom_result_def def = carom_default_result_def();
    def.columns = 1, def.names = names;
    carom_result *result;
    carom_error error;
    assert_int_equal(carom_result_create(path(), &def, &result, &error), CAROM_DATA);
    assert_null(result);
    assert_non_null(strstr(error.message, "exists and is not a result of carom: choose another name"));
    assert_int_equal(carom_result_finish(NULL, NULL, NULL), CAROM_OK);
}

/* ---- misuse. What ends in a child is created in it: the thread that writes a result stays in the parent. */

static carom_result *small_result(void) {
    static const char *const names[] = {"t", "x"};
    carom_result *result;
    carom_result_def def = carom_default_result_def();
    def.columns = 2, def.names = names;
    assert_int_equal(carom_result_create(in_folder("misuse.h5"), &def, &result, NULL), CAROM_OK);
    assert_int_equal(carom_result_append(result, (const double[]){0, 1}, NULL), CAROM_OK);
    return result;
}

static carom_reader *small_reader(void) {
    carom_reader *reader;
    assert_int_equal(carom_result_finish(small_result(), NULL, NULL), CAROM_OK);
    assert_int_equal(carom_reader_open(in_folder("misuse.h5"), &reader, NULL), CAROM_OK);
    return reader;
}

static void take_from_a_table(void *on) {
    (void)on;
    (void)!carom_result_take(small_result(), NULL);
}
static void read_a_missing_column(void *on) {
    (void)on;
    carom_reader_name(small_reader(), CAROM_ROWS, 2);
}
static void read_missing_events(void *on) {
    (void)on;
    carom_reader_unit(small_reader(), CAROM_EVENTS, 0);
}
static void read_a_missing_panel(void *on) {
    (void)on;
    carom_reader_plot(small_reader(), 0);
}
static void finish_what_another_process_writes(void *result) {
    (void)!carom_result_finish(result, NULL, NULL);
}
#ifndef CAROM_SANITIZED /* which sees it before the assertion does */
static void append_after_the_end(void *on) {
    (void)on;
    carom_result *result = small_result();
    (void)!carom_result_finish(result, NULL, NULL);
    (void)!carom_result_append(result, (const double[]){1, 2}, NULL);
}
static void finish_twice(void *on) {
    (void)on;
    carom_result *result = small_result();
    (void)!carom_result_finish(result, NULL, NULL);
    (void)!carom_result_finish(result, NULL, NULL);
}
static void read_after_the_end(void *on) {
    (void)on;
    carom_reader *reader = small_reader();
    carom_reader_close(reader);
    carom_reader_rows(reader, CAROM_ROWS);
}
static void use_a_destroyed_recording(void *on) {
    const trial *run = on;
    carom_recording *recording;
    (void)!carom_recording_create(run->scene, run->sim, &recording, NULL);
    carom_recording_destroy(recording);
    carom_recording_columns(recording, CAROM_ROWS);
}
#endif

static void misuse_is_asserted(void **state) {
    (void)state;
    static void (*const misuses[])(void *) = {
        take_from_a_table,    read_a_missing_column, read_missing_events, read_a_missing_panel,
#ifndef CAROM_SANITIZED
        append_after_the_end, finish_twice,          read_after_the_end,  use_a_destroyed_recording,
#endif
    };
    trial run = trial_text("carom: 1\nmodel: {coordinates: {y: {start: 1}}, kinetic: y_dot^2/2}\n"
                           "run: {integrator: moreau, dt: 0.1, until: 1}\n");
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++) assert_true(is_asserted(misuses[i], &run));
    trial_close(&run);
    carom_result *result = small_result();
    assert_true(is_asserted(finish_what_another_process_writes, result));
    assert_int_equal(carom_result_finish(result, NULL, NULL), CAROM_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_is_recorded),    cmocka_unit_test(recordings_are_results),
        cmocka_unit_test(ends_are_told),      cmocka_unit_test(results_are_read),
        cmocka_unit_test(table_is_recorded),  cmocka_unit_test(events_of_a_table),
        cmocka_unit_test(names_of_columns),   cmocka_unit_test(other_files_are_kept),
        cmocka_unit_test(misuse_is_asserted),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
