/* Interrupted results go on with the same bits, and new ones take the place of old ones as a whole. */
#include "folder.h"
#include "result/h5.h"
#include "result/store.h"
#include "sample_result.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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
    snprintf(sentence, sizeof sentence,
             " was begun by another version, carom %s (0123456789ab), and this is %s (%s): resume it with that one, "
             "start it again, or "
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_resumed_run_is_the_same),
        cmocka_unit_test(another_run_is_refused),
        cmocka_unit_test(one_writer_at_a_time),
        cmocka_unit_test(foreign_files_are_not_replaced),
        cmocka_unit_test(a_new_file_replaces_with_its_first_commit),
        cmocka_unit_test(a_journal_lasts_as_long_as_its_file),
        cmocka_unit_test(a_link_keeps_its_target),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
