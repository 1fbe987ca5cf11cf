/* A writer killed at any moment leaves whole rows with the right bits, nothing older than two seconds is missing, and
 * the run can go on from there. Full disks and readers at work are here as well. */
#include "result/result.h"
#include "result/store.h"
#include "result/writer.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void pause_for(double seconds) {
    struct timespec t = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};
    nanosleep(&t, NULL);
}

/* Numbers between 0 and 1, the same on every machine. */
static double chance(void) {
    static uint64_t seed = 20240607;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}

/* ---- the store alone: every commit fills the same places with its number */

enum { PLACES = 40, STORE_KILLS = 300 };

static uint64_t place(uint64_t i) {
    return STORE_HEAD + i * 3001; /* some places share a page, some cross two */
}

/* Every other commit moves the end, to and fro. */
static uint64_t end_of(uint64_t number) {
    return place(PLACES) + number / 2 % 7 * 5000;
}

static bool fill(store *s, uint64_t number) {
    uint64_t words[64];
    for (int k = 0; k < 64; k++) words[k] = number;
    for (uint64_t i = 0; i < PLACES; i++)
        if (!store_write(s, place(i), sizeof words, words)) return false;
    store_resize(s, end_of(number));
    return store_write(s, end_of(number), sizeof words, words) && store_commit(s);
}

/* A child that outlives a failed test ends by itself. */
static pid_t fork_child(void) {
    pid_t child = fork();
    if (child == 0) alarm(60);
    return child;
}

static void fill_for_ever(const char *path, _Atomic uint64_t *done) {
    store *s;
    if (store_open(path, STORE_UPDATE, &s, NULL) != CAROM_OK) _exit(1);
    for (uint64_t n = *done + 1; fill(s, n); n++) *done = n;
    _exit(2);
}

/* The number that all places hold, and the end. */
static uint64_t content(store *s) {
    uint64_t words[64], number = 0;
    for (uint64_t i = 0; i <= PLACES; i++) {
        assert_true(store_read(s, i < PLACES ? place(i) : end_of(number), sizeof words, words));
        if (i == 0) number = words[0];
        for (int k = 0; k < 64; k++) assert_int_equal(words[k], number);
    }
    return number;
}

static void *shared(size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    return memory;
}

static void kill_child(pid_t child) {
    int status;
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status)); /* it had not ended by itself */
}

static void a_store_holds_whole_commits(void **state) {
    (void)state;
    const char *path = in_folder("store");
    _Atomic uint64_t *done = shared(sizeof *done);
    store *s;
    assert_int_equal(store_open(path, STORE_CREATE, &s, NULL), CAROM_OK);
    assert_true(fill(s, 1));
    store_close(s);
    *done = 1;
    int through_journal = 0;
    for (int i = 0; i < STORE_KILLS; i++) {
        uint64_t before = *done;
        pid_t child = fork_child();
        if (child == 0) fill_for_ever(path, done);
        while (*done == before) pause_for(0.0001);
        pause_for(0.003 * chance());
        kill_child(child);
        assert_int_equal(store_open(path, STORE_READ, &s, NULL), CAROM_OK);
        through_journal += store_behind(s) > 0;
        uint64_t number = content(s);
        assert_true(number == *done || number == *done + 1); /* killed between commit and its note */
        *done = number;
        store_close(s);
    }
    assert_true(through_journal > 0); /* some were hit while they changed the file */
}

static void a_reader_keeps_its_content(void **state) {
    (void)state;
    const char *path = in_folder("snapshot");
    store *writer, *reader;
    assert_int_equal(store_open(path, STORE_CREATE, &writer, NULL), CAROM_OK);
    assert_true(fill(writer, 1));
    for (uint64_t n = 2; n < 20; n++) {
        assert_int_equal(store_open(path, STORE_READ, &reader, NULL), CAROM_OK);
        for (int k = 0; k < 3; k++) assert_true(fill(writer, n));
        assert_int_equal(content(reader), n - 1);
        store_close(reader);
    }
    store_close(writer);
    assert_int_not_equal(access(in_folder("snapshot.journal"), F_OK), 0);
}

/* A file moved to where another one was killed does not take what the other's journal holds. */
static void a_strange_journal_changes_nothing(void **state) {
    (void)state;
    const char *path = in_folder("strange"), *other = in_folder("other");
    store *writer, *reader;
    assert_int_equal(store_open(other, STORE_CREATE, &writer, NULL), CAROM_OK);
    assert_true(fill(writer, 5));
    store_close(writer);
    assert_int_equal(store_open(path, STORE_CREATE, &writer, NULL), CAROM_OK);
    assert_true(fill(writer, 1));
    assert_int_equal(store_open(path, STORE_READ, &reader, NULL), CAROM_OK);
    assert_true(fill(writer, 2)); /* stays in the journal because of the reader */
    store_close(reader);
    assert_int_equal(store_open(path, STORE_READ, &reader, NULL), CAROM_OK);
    assert_true(store_behind(reader) > 0);
    assert_int_equal(content(reader), 2);
    store_close(reader);
    assert_int_equal(rename(other, path), 0);
    assert_int_equal(store_open(path, STORE_READ, &reader, NULL), CAROM_OK);
    assert_int_equal(store_behind(reader), 0);
    assert_int_equal(content(reader), 5);
    store_close(reader);
    store_close(writer);
}

/* ---- results. Every number of a row follows from the row: the state and all columns. */

enum { COLUMNS = 15, STATE = 9 };
static const char *const names[COLUMNS] = {"t", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"};
enum { EVENT_COLUMNS = 3 };
static const char *const event_names[EVENT_COLUMNS] = {"t", "before/a", "after/a"};
static const result_info info = {.title = "Killed",
                                 .scene = "carom: 1\n",
                                 .scene_path = "x.yaml",
                                 .integrator = "moreau",
                                 .dt = 1,
                                 .until = 1,
                                 .events = {.columns = EVENT_COLUMNS, .names = event_names}};

static double value(long row, int column) {
    return column == 0 ? (double)row * 1e-3 : sin((double)row * 0.1 * column) + column;
}

/* Before every third row there are two events: so many come before a row. */
static long events_before(long row) {
    return (row + 2) / 3 * 2;
}

static carom_status append(result_writer *w, long row, carom_error *error) {
    double values[COLUMNS], state[STATE];
    for (long i = events_before(row); i < events_before(row + 1); i++) {
        for (int c = 0; c < EVENT_COLUMNS; c++) values[c] = value(i, c);
        if (result_append_event(w, values, error) != CAROM_OK) return error->status;
    }
    for (int c = 0; c < COLUMNS; c++) values[c] = value(row, c);
    for (int k = 0; k < STATE; k++) state[k] = (double)row * k + 0.5;
    return result_append(w, values, state, 10 * row, error);
}

static carom_status resume(const char *path, result_writer **w, long *next, carom_error *error) {
    double state[STATE];
    bool finished;
    carom_status status = result_resume(path, &info, COLUMNS, names, STATE, w, state, next, &finished, error);
    if (status != CAROM_OK) return status;
    long row = *next / 10;
    for (int k = 0; k < STATE; k++) assert_true(state[k] == (double)row * k + 0.5);
    *next = row + 1;
    return CAROM_OK;
}

/* Exactly the events that belong to the rows. */
static void check_events(result_reader *events, long rows) {
    long count = events_before(rows);
    double *values = malloc((size_t)(count + 1) * sizeof *values);
    assert_int_equal(result_rows(events), count);
    for (int c = 0; c < EVENT_COLUMNS; c++) {
        assert_int_equal(result_read(events, c, 0, count, values, NULL), CAROM_OK);
        for (long i = 0; i < count; i++)
            if (values[i] != value(i, c)) fail_msg("event %ld has %s = %g", i, event_names[c], values[i]);
    }
    free(values);
}

/* The rows of a result, all of them checked bit by bit. */
static long check_rows(const char *path) {
    result_reader *r;
    carom_error error;
    if (result_open(path, &r, &error) != CAROM_OK) fail_msg("%s", error.message);
    long rows = result_rows(r);
    double *values = malloc((size_t)(rows + 1) * sizeof *values);
    assert_int_equal(result_columns(r), COLUMNS);
    for (int c = 0; c < COLUMNS; c++) {
        assert_int_equal(result_read(r, c, 0, rows, values, NULL), CAROM_OK);
        for (long i = 0; i < rows; i++)
            if (values[i] != value(i, c)) fail_msg("row %ld of %s is %g", i, names[c], values[i]);
    }
    free(values);
    check_events(result_events(r), rows);
    result_close(r);
    return rows;
}

/* Rows as anybody else finds them; -1: not readable. */
static long plain_rows(const char *path) {
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) return -1;
    hid_t data = H5Dopen2(file, names[COLUMNS - 1], H5P_DEFAULT), space = H5Dget_space(data);
    long rows = (long)H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    H5Dclose(data);
    H5Fclose(file);
    return rows;
}

typedef struct board { /* what a child tells its parent */
    _Atomic long rows;
} board;

static void set_period(result_writer *w, long milliseconds) {
    pthread_mutex_lock(&w->mutex);
    w->period = milliseconds;
    w->deadline = 0;
    pthread_cond_signal(&w->work);
    pthread_mutex_unlock(&w->mutex);
}

/* period 0: the usual one */
static void append_for_ever(const char *path, long period, double rest, board *b) {
    result_writer *w;
    carom_error error;
    long next = 0;
    carom_status status = access(path, F_OK) == 0 ? resume(path, &w, &next, &error)
                                                  : result_create(path, &info, COLUMNS, names, NULL, STATE, &w, &error);
    if (status != CAROM_OK) _exit(1);
    if (period) set_period(w, period);
    for (; append(w, next, &error) == CAROM_OK; next++) {
        b->rows = next + 1;
        if (next % 64 == 0) pause_for(rest);
    }
    _exit(2);
}

/* A hundred kills in a row of one run, with commits all the time, then to its end. */
static void a_run_survives_a_hundred_kills(void **state) {
    (void)state;
    const char *path = in_folder("killed.h5");
    board *b = shared(sizeof *b);
    result_writer *w;
    carom_error error;
    assert_int_equal(result_create(path, &info, COLUMNS, names, NULL, STATE, &w, &error), CAROM_OK);
    assert_int_equal(append(w, 0, &error), CAROM_OK);
    assert_int_equal(result_finish(w, &(result_summary){.status = "interrupted"}, &error), CAROM_OK);
    long before = 1, grew = 0;
    for (int i = 0; i < 120; i++) {
        b->rows = 0;
        pid_t child = fork_child();
        if (child == 0) append_for_ever(path, 1, 0.001, b);
        while (b->rows == 0) pause_for(0.001);
        pause_for(0.03 * chance());
        kill_child(child);
        long rows = check_rows(path);
        assert_true(rows >= before && rows <= b->rows + 1);
        assert_int_equal(plain_rows(path), rows); /* opening it has finished what the writer could not */
        grew += rows > before;
        before = rows;
    }
    assert_true(grew > 10); /* children had time to commit, even in a slow machine */
    long next;
    if (resume(path, &w, &next, &error) != CAROM_OK) fail_msg("%s", error.message);
    assert_int_equal(next, before);
    for (; next < before + 10000; next++) assert_int_equal(append(w, next, &error), CAROM_OK);
    assert_int_equal(result_finish(w, &(result_summary){.status = "finished"}, &error), CAROM_OK);
    assert_int_equal(check_rows(path), before + 10000);
}

enum { RUNS = 12, SAMPLES = 4000 };

typedef struct victim {
    pid_t child;
    char path[300];
    board *board;
    double death;
    long sampled[SAMPLES]; /* rows handed over, every 2 ms */
    int samples;
} victim;

/* With the usual second between commits: what a run had handed over two seconds before its death is there. */
static void nothing_older_than_two_seconds_is_lost(void **state) {
    (void)state;
    victim *v = calloc(RUNS, sizeof *v);
    assert_non_null(v);
    double start = now();
    for (int i = 0; i < RUNS; i++) {
        snprintf(v[i].path, sizeof v[i].path, "%s/old%d.h5", the_folder(), i);
        v[i].board = shared(sizeof(board));
        v[i].death = start + 2.5 + 1.5 * chance();
        v[i].child = fork_child();
        if (v[i].child == 0) append_for_ever(v[i].path, 0, 0.002, v[i].board);
    }
    for (int alive = RUNS; alive > 0; pause_for(0.002))
        for (int i = 0; i < RUNS; i++) {
            if (!v[i].child) continue;
            v[i].sampled[v[i].samples++] = v[i].board->rows;
            if (now() < v[i].death && v[i].samples < SAMPLES) continue;
            kill_child(v[i].child);
            double age = (now() - start) / v[i].samples; /* of a sample, on average */
            long old = v[i].samples - (long)(2 / age) - 1;
            assert_true(old > 0 && v[i].sampled[old] > 0);
            assert_true(check_rows(v[i].path) >= v[i].sampled[old]);
            v[i].child = 0;
            alive--;
        }
    free(v);
}

/* A row followed by silence is committed as well: a step that takes a minute must not keep its predecessors. */
static void the_last_row_does_not_wait_for_the_next(void **state) {
    (void)state;
    const char *path = in_folder("silent.h5");
    pid_t child = fork_child();
    if (child == 0) {
        result_writer *w;
        if (result_create(path, &info, COLUMNS, names, NULL, STATE, &w, NULL) != CAROM_OK) _exit(1);
        for (long i = 0; i < 3; i++) append(w, i, NULL);
        pause_for(60);
        _exit(2);
    }
    pause_for(2);
    kill_child(child);
    assert_int_equal(check_rows(path), 3);
}

static void readers_see_a_growing_run(void **state) {
    (void)state;
    const char *path = in_folder("live.h5");
    board *b = shared(sizeof *b);
    pid_t child = fork_child();
    if (child == 0) append_for_ever(path, 1, 0.01, b);
    while (b->rows == 0) pause_for(0.001);
    long before = 0, grew = 0;
    for (double end = now() + 30; grew < 10 && now() < end; pause_for(0.005)) {
        long rows = check_rows(path);
        assert_true(rows >= before);
        grew += rows > before;
        before = rows;
    }
    assert_int_equal(grew, 10);
    result_writer *w;
    carom_error error;
    long next;
    assert_int_equal(resume(path, &w, &next, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "is being written by another process"));
    assert_int_equal(result_create(path, &info, COLUMNS, names, NULL, STATE, &w, &error), CAROM_DATA);
    kill_child(child);
}

/* ---- full disks */

/* Appends until the disk is full; the sentence goes to the parent. */
static void append_until_full(const char *path, char *message) {
    result_writer *w;
    carom_error error;
    if (result_create(path, &info, COLUMNS, names, NULL, STATE, &w, &error) != CAROM_OK) _exit(1);
    set_period(w, 20);
    carom_status status = CAROM_OK;
    for (long i = 0; status == CAROM_OK; i++) {
        status = append(w, i, &error);
        if (i % 500 == 0) pause_for(0.01);
    }
    snprintf(message, 800, "%s", error.message);
    carom_status end = result_finish(w, &(result_summary){.status = "failed: disk full"}, &error);
    _exit(status == CAROM_FAILED && end == CAROM_FAILED ? 0 : 3);
}

static void check_full(const char *path, const char *reason, void (*limit)(void)) {
    char *message = shared(800);
    pid_t child = fork_child();
    if (child == 0) {
        if (limit) limit();
        append_until_full(path, message);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    long rows = check_rows(path);
    assert_true(rows > 0);
    char sentence[800];
    snprintf(sentence, sizeof sentence, "%s: %s after %ld rows; rows up to t=%g are kept", path, reason, rows,
             value(rows - 1, 0));
    assert_string_equal(message, sentence);
}

static void limit_file_size(void) {
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){1500000, 1500000});
}

static void a_size_limit_keeps_what_is_there(void **state) {
    (void)state;
    const char *path = in_folder("limit.h5");
    check_full(path, "file too large", limit_file_size);
    result_writer *w; /* without the limit the run goes on */
    carom_error error;
    long next;
    assert_int_equal(resume(path, &w, &next, &error), CAROM_OK);
    for (long end = next + 5000; next < end; next++) assert_int_equal(append(w, next, &error), CAROM_OK);
    assert_int_equal(result_finish(w, &(result_summary){.status = "finished"}, &error), CAROM_OK);
    assert_int_equal(check_rows(path), next);
}

static void a_full_disk_keeps_what_is_there(void **state) {
    (void)state;
    const char *disk = in_folder("disk");
    assert_int_equal(mkdir(disk, 0777), 0);
    if (mount("none", disk, "tmpfs", 0, "size=1500k") != 0) skip(); /* takes a privilege */
    check_full(in_folder("disk/full.h5"), "no space left on device", NULL);
    assert_int_equal(umount(disk), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_holds_whole_commits),
        cmocka_unit_test(a_reader_keeps_its_content),
        cmocka_unit_test(a_strange_journal_changes_nothing),
        cmocka_unit_test(a_run_survives_a_hundred_kills),
        cmocka_unit_test(nothing_older_than_two_seconds_is_lost),
        cmocka_unit_test(the_last_row_does_not_wait_for_the_next),
        cmocka_unit_test(readers_see_a_growing_run),
        cmocka_unit_test(a_size_limit_keeps_what_is_there),
        cmocka_unit_test(a_full_disk_keeps_what_is_there),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
