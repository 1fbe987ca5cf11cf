/* Events of results: they come back, by carom and by plain HDF5, also those of a resumed run. */
#include "folder.h"
#include "result/h5.h"
#include "sample_result.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_back),
        cmocka_unit_test(plain_hdf5_reads_events),
        cmocka_unit_test(resumed_events_are_the_same),
        cmocka_unit_test(thousands_of_contacts_have_names),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
