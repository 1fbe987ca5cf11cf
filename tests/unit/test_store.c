/* What a result needs around it: nothing foreign is touched, a finished result is on the disk, results without
 * checksums are read; what is written in pieces is read as it was written. */
#include "result/result.h"
#include "result/store.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"

/* ---- in place of the library's: what is called in which order, and failures on demand */

static char calls[200];
static int failing; /* fsync of this number fails; 0: none */

static void note(const char *call) {
    snprintf(calls + strlen(calls), sizeof calls - strlen(calls), "%s ", call);
}

static int times(const char *call) {
    int count = 0;
    for (const char *c = calls; (c = strstr(c, call)); c++) count++;
    return count;
}

int fsync(int file) {
    struct stat info;
    fstat(file, &info);
    note(S_ISDIR(info.st_mode) ? "folder" : "file");
    if (failing && times("fi") + times("fo") == failing) return errno = EIO, -1;
    return (int)syscall(SYS_fsync, file);
}

int rename(const char *from, const char *to) {
    note("rename");
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlink(const char *path) {
    if (strstr(path, ".journal")) note("remove");
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

static int writes;

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) {
    writes++;
    return syscall(SYS_pwrite64, file, bytes, size, at);
}

/* ---- results */

static const char *const names[] = {"t", "x"};
static const result_info info = {.scene = "carom: 1\n", .integrator = "moreau"};

static carom_status create(const char *path, result_writer **w, carom_error *error) {
    return result_create(path, &info, 2, names, NULL, 1, w, error);
}

static carom_status write_result(const char *path, const char *status, carom_error *error) {
    result_writer *w;
    carom_status created = create(path, &w, error);
    if (created) return created;
    for (int i = 0; i < 100; i++)
        assert_int_equal(result_append(w, (double[]){i, 0.5 * i}, (double[]){i}, i, NULL), CAROM_OK);
    return result_finish(w, &(result_summary){.status = status}, error);
}

static void expect_rows(const char *path) {
    result_reader *r;
    carom_error error;
    double x[100];
    if (result_open(path, &r, &error)) fail_msg("%s", error.message);
    assert_int_equal(result_rows(r), 100);
    assert_int_equal(result_read(r, 1, 0, 100, x, NULL), CAROM_OK);
    for (int i = 0; i < 100; i++) assert_true(x[i] == 0.5 * i);
    result_close(r);
}

static bool there(const char *path) {
    struct stat file;
    return lstat(path, &file) == 0;
}

/* ---- power cuts */

/* One fsync of the file and one of its folder, when everything is in place; the journal goes last. A result that is
 * replaced stays until the new one is on the disk. */
static void finished_results_are_on_the_disk(void **state) {
    (void)state;
    const char *path = in_folder("power.h5");
    calls[0] = '\0';
    assert_int_equal(write_result(path, "finished", NULL), CAROM_OK);
    assert_string_equal(calls, "rename file folder remove ");
    calls[0] = '\0';
    assert_int_equal(write_result(path, "finished", NULL), CAROM_OK);
    assert_string_equal(calls, "file rename file folder remove ");
    expect_rows(path);
}

/* A disk that fails is told, whichever fsync it is; the run is not called finished, and nothing is lost. */
static void a_failing_disk_is_told(void **state) {
    (void)state;
    const char *path = in_folder("failing.h5");
    for (failing = 1; failing <= 2; failing++) {
        carom_error error = {0};
        calls[0] = '\0';
        assert_int_equal(write_result(path, "finished", &error), CAROM_FAILED);
        assert_non_null(strstr(error.message, "failing.h5: input/output error after 100 rows"));
        assert_null(strstr(calls, "remove"));
        int which = failing;
        failing = 0;
        expect_rows(path);
        unlink(path);
        failing = which;
    }
    failing = 0;
}

/* ---- pieces */

enum { PIECES = 1 << 16, MOST_PIECE = 1200, CONTENT = 48 << 20 }; /* more than what waits in memory */

static uint64_t seed = 1;

static size_t any_below(size_t end) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((seed >> 33) % end);
}

static void write_piece(store *s, unsigned char *model, size_t at, size_t size) {
    for (size_t i = 0; i < size; i++) model[at + i] = (unsigned char)any_below(256);
    assert_true(store_write(s, at, size, model + at));
}

static void expect_content(store *s, const unsigned char *model, size_t at, size_t size) {
    unsigned char *bytes = malloc(size);
    assert_true(store_read(s, at, size, bytes));
    assert_memory_equal(bytes, model + at, size);
    free(bytes);
}

/* Pieces anywhere, and a large one at times, as HDF5 writes and reads them: what is read is what was written, before
 * and after commits, and when the file is opened again. */
static void pieces_are_what_was_written(void **state) {
    (void)state;
    const char *path = in_folder("pieces");
    unsigned char *model = calloc(CONTENT, 1);
    store *s;
    assert_int_equal(store_open(path, STORE_CREATE, &s, NULL), CAROM_OK);
    store_resize(s, CONTENT);
    for (int i = 0; i < PIECES; i++) {
        const size_t size = 1 + any_below(i % 100 ? MOST_PIECE : 40 * MOST_PIECE);
        write_piece(s, model, STORE_HEAD + any_below(CONTENT - STORE_HEAD - size), size);
        expect_content(s, model, STORE_HEAD + any_below(CONTENT - STORE_HEAD - MOST_PIECE), MOST_PIECE);
        if (i == PIECES / 2) assert_true(store_commit(s));
    }
    expect_content(s, model, STORE_HEAD, CONTENT - STORE_HEAD);
    assert_true(store_seal(s));
    store_close(s);
    assert_int_equal(store_open(path, STORE_READ, &s, NULL), CAROM_OK);
    expect_content(s, model, STORE_HEAD, CONTENT - STORE_HEAD);
    store_close(s);
    free(model);
}

/* Neighbouring pieces go to the file together, in either direction: here 64 pages at a time, and a few calls more for
 * heads, journal and sums. */
static void neighbours_are_written_together(void **state) {
    (void)state;
    enum { SIZE = 256, COUNT = 64 * 1024, AT_ONCE = 64 * 4096, FEW = 20 };
    const unsigned char piece[SIZE] = {1};
    store *s;
    assert_int_equal(store_open(in_folder("neighbours"), STORE_CREATE, &s, NULL), CAROM_OK);
    for (int backwards = 0; backwards < 2; backwards++) {
        const size_t begin = store_size(s) > STORE_HEAD ? store_size(s) : STORE_HEAD;
        writes = 0;
        for (size_t i = 0; i < COUNT; i++)
            assert_true(store_write(s, begin + SIZE * (backwards ? COUNT - 1 - i : i), SIZE, piece));
        assert_true(store_commit(s));
        print_message("%d calls for %d pieces\n", writes, COUNT);
        assert_true(writes <= COUNT * SIZE / AT_ONCE + FEW);
    }
    store_close(s);
}

/* ---- neighbours */

static void put_text(const char *path) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("a letter", file);
    fclose(file);
}

static void expect_text(const char *path) {
    char text[20] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    assert_string_equal(text, "a letter");
    fclose(file);
}

static void expect_refusal(const char *path, const char *neighbour, const char *what) {
    result_writer *w;
    carom_error error = {0};
    char expected[900];
    snprintf(expected, sizeof expected, "%s cannot be written: %s is %s; move it away", path, neighbour, what);
    assert_int_equal(create(path, &w, &error), CAROM_DATA);
    assert_string_equal(error.message, expected);
    assert_false(there(path));
    assert_true(there(neighbour));
}

/* What is called like carom's own files and is not carom's stays, and nothing is written through links. */
static void foreign_neighbours_stay(void **state) {
    (void)state;
    static const char *const endings[] = {".journal", ".new"};
    static const char *const strange[] = {"not a journal of this carom", "not by this carom"};
    const char *path = in_folder("x.h5"), *letter = in_folder("letter");
    put_text(letter);
    for (int i = 0; i < 2; i++) {
        char neighbour[400];
        snprintf(neighbour, sizeof neighbour, "%s%s", path, endings[i]);
        put_text(neighbour);
        expect_refusal(path, neighbour, strange[i]);
        expect_text(neighbour);
        unlink(neighbour);
        assert_int_equal(symlink(letter, neighbour), 0);
        expect_refusal(path, neighbour, "a symbolic link");
        expect_text(letter);
        unlink(neighbour);
        assert_int_equal(symlink("nowhere", neighbour), 0);
        expect_refusal(path, neighbour, "a symbolic link");
        unlink(neighbour);
        assert_int_equal(mkfifo(neighbour, 0666), 0);
        expect_refusal(path, neighbour, "a FIFO");
        unlink(neighbour);
        assert_int_equal(mkdir(neighbour, 0777), 0);
        expect_refusal(path, neighbour, "a directory");
        rmdir(neighbour);
    }
    assert_int_equal(write_result(path, "finished", NULL), CAROM_OK);
    expect_rows(path);
}

/* Reading leaves them alone as well. */
static void readers_leave_neighbours_alone(void **state) {
    (void)state;
    const char *path = in_folder("read.h5"), *journal = in_folder("read.h5.journal"), *letter = in_folder("letter2");
    assert_int_equal(write_result(path, "interrupted", NULL), CAROM_OK);
    put_text(letter);
    assert_int_equal(symlink(letter, journal), 0);
    expect_rows(path);
    expect_text(letter);
    unlink(journal);
    assert_int_equal(mkfifo(journal, 0666), 0);
    expect_rows(path); /* and nobody waits for the other end */
    unlink(journal);
    put_text(journal);
    expect_rows(path);
    expect_text(journal);
}

/* A run that was to replace a result and was killed before its first commit leaves one: going on removes it. */
static void resuming_removes_a_leftover(void **state) {
    (void)state;
    const char *path = in_folder("goes_on.h5"), *leftover = in_folder("goes_on.h5.new"), *other = in_folder("other.h5");
    result_writer *w;
    carom_error error;
    double checkpoint;
    long step;
    bool finished;
    for (int foreign = 0; foreign < 2; foreign++) {
        assert_int_equal(write_result(path, "interrupted", NULL), CAROM_OK);
        assert_int_equal(write_result(other, "interrupted", NULL), CAROM_OK);
        assert_int_equal(rename(other, leftover), 0);
        if (foreign) put_text(leftover);
        expect_rows(path);
        assert_true(there(leftover)); /* who only reads removes nothing */
        assert_int_equal(result_resume(path, &info, 2, names, 1, &w, &checkpoint, &step, &finished, &error), CAROM_OK);
        assert_int_equal(there(leftover), foreign);
        assert_int_equal(result_finish(w, &(result_summary){.status = "finished"}, &error), CAROM_OK);
        expect_rows(path);
    }
    expect_text(leftover);
}

static void strange_files_are_named(void **state) {
    (void)state;
    const char *fifo = in_folder("fifo.h5");
    assert_int_equal(mkfifo(fifo, 0666), 0);
    const char *const paths[] = {fifo, the_folder(), "/dev/null"}, *const sentences[] = {
                                                                       "fifo.h5 is a FIFO, not a file",
                                                                       " is a directory, not a file",
                                                                       "/dev/null is a device, not a file"};
    for (int i = 0; i < 3; i++) {
        result_reader *r;
        result_writer *w;
        carom_error error = {0};
        assert_int_equal(result_open(paths[i], &r, &error), CAROM_DATA);
        assert_non_null(strstr(error.message, sentences[i]));
        assert_int_equal(create(paths[i], &w, &error), CAROM_DATA);
        assert_non_null(strstr(error.message, sentences[i]));
    }
}

/* ---- results without checksums */

/* As a carom without checksums wrote them: HDF5 from the first byte to the last. */
static void make_old(const char *from, const char *to) {
    static char bytes[1 << 20];
    FILE *file = fopen(from, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    uint64_t content;
    memcpy(&content, bytes + 16, sizeof content); /* of the head: where the checksums begin */
    assert_true(content > STORE_HEAD && content < size);
    file = fopen(to, "wb");
    fwrite(bytes + STORE_HEAD, 1, (size_t)content - STORE_HEAD, file);
    fclose(file);
}

static void old_results_are_read(void **state) {
    (void)state;
    const char *path = in_folder("now.h5"), *old = in_folder("old.h5");
    result_writer *w;
    carom_error error;
    double checkpoint;
    long step;
    bool finished;
    assert_int_equal(write_result(path, "interrupted", NULL), CAROM_OK);
    make_old(path, old);
    expect_rows(old);
    assert_int_equal(result_resume(old, &info, 2, names, 1, &w, &checkpoint, &step, &finished, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "old.h5 was begun by an older carom, which wrote no checksums"));
    expect_rows(old);
    assert_false(there(in_folder("old.h5.journal")));
    assert_int_equal(write_result(old, "finished", NULL), CAROM_OK); /* it may be replaced */
    expect_rows(old);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finished_results_are_on_the_disk),
        cmocka_unit_test(a_failing_disk_is_told),
        cmocka_unit_test(pieces_are_what_was_written),
        cmocka_unit_test(neighbours_are_written_together),
        cmocka_unit_test(foreign_neighbours_stay),
        cmocka_unit_test(readers_leave_neighbours_alone),
        cmocka_unit_test(resuming_removes_a_leftover),
        cmocka_unit_test(strange_files_are_named),
        cmocka_unit_test(old_results_are_read),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
