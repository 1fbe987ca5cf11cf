/* Bad results get one sentence and nothing on the terminal, and do no harm. */
#include "folder.h"
#include "result/store.h"
#include "sample_result.h"

#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foreign_files_are_named),
        cmocka_unit_test(strange_contents_are_named),
        cmocka_unit_test(truncated_files_are_named),
        cmocka_unit_test(damaged_files_do_no_harm),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
