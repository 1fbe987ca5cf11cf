/* Ways to keep a growing result whole when its writer is killed: HDF5's own and the store (tools/result/store.h).
 *
 *     stores [KILLS [FOLDER]]
 *
 * Each way writes rows of many columns and commits them again and again. Writers are killed at random moments; then the
 * file is opened and every row that was committed is compared. The time of a commit is measured without kills, for a
 * small file with compressed columns and for a large one. DESIGN.md draws the conclusion. */
#include "result/driver.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COLUMNS = 40 };
typedef enum way { FLUSH, FLUSH_LATEST, SWMR, RENAMED, STORE, WAYS } way;
static const char *const names[WAYS] = {"H5Fflush", "H5Fflush, latest format", "SWMR", "renamed copies", "store"};
typedef enum verdict { WHOLE, CLOSED, WRONG, RAGGED, VERDICTS } verdict;

typedef struct writer {
    way way;
    const char *path;
    char work[4096]; /* the file that is written; another one than path where copies are renamed */
    hid_t file, column[COLUMNS];
    store *store;
    int batch; /* rows in a commit, and in a chunk of the file */
    long rows;
    bool compressed;
} writer;

static double value_of(long row, int column) {
    return (double)row + 0.001 * column;
}

static void open_columns(writer *w) {
    for (int i = 0; i < COLUMNS; i++) w->column[i] = H5Dopen2(w->file, (char[]){(char)('0' + i), 0}, H5P_DEFAULT);
}

static void create(writer *w) {
    hsize_t none = 0, any = H5S_UNLIMITED, chunk = (hsize_t)w->batch * (w->compressed ? 8 : 1);
    hid_t creation = H5Pcreate(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS),
          kind = H5Pcreate(H5P_DATASET_CREATE);
    carom_error error;
    snprintf(w->work, sizeof w->work, "%s%s", w->path, w->way == RENAMED ? ".work" : "");
    if (w->way == FLUSH_LATEST || w->way == SWMR) H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    if (w->way == STORE) {
        if (store_open(w->path, STORE_CREATE, &w->store, &error)) puts(error.message), exit(1);
        access = driver_access(w->store);
        H5Pset_userblock(creation, STORE_HEAD);
    }
    w->file = H5Fcreate(w->work, H5F_ACC_TRUNC, creation, access);
    H5Pset_chunk(kind, 1, &chunk);
    if (w->compressed) H5Pset_deflate(kind, 1);
    hid_t space = H5Screate_simple(1, &none, &any);
    for (int i = 0; i < COLUMNS; i++)
        H5Dclose(H5Dcreate2(w->file, (char[]){(char)('0' + i), 0}, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, kind,
                            H5P_DEFAULT));
    open_columns(w);
    if (w->way == SWMR && H5Fstart_swmr_write(w->file) < 0) puts("no SWMR"), exit(1);
}

static void append(writer *w) {
    double *values = malloc((size_t)w->batch * sizeof *values);
    hsize_t at = (hsize_t)w->rows, count = (hsize_t)w->batch, size = at + count;
    for (int i = 0; i < COLUMNS; i++) {
        for (int k = 0; k < w->batch; k++) values[k] = value_of(w->rows + k, i);
        H5Dset_extent(w->column[i], &size);
        hid_t space = H5Dget_space(w->column[i]), memory = H5Screate_simple(1, &count, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &at, NULL, &count, NULL);
        H5Dwrite(w->column[i], H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values);
        H5Sclose(space), H5Sclose(memory);
    }
    w->rows += w->batch;
    free(values);
}

static void copy(const char *from, const char *to) {
    struct stat info;
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    fstat(in, &info);
    for (off_t at = 0; at < info.st_size && copy_file_range(in, &at, out, NULL, (size_t)(info.st_size - at), 0) > 0;) {
    }
    close(in), close(out);
}

static void rename_copy(writer *w) {
    char fresh[4096];
    snprintf(fresh, sizeof fresh, "%s.copy", w->path);
    for (int i = 0; i < COLUMNS; i++) H5Dclose(w->column[i]);
    H5Fclose(w->file);
    copy(w->work, fresh);
    rename(fresh, w->path);
    w->file = H5Fopen(w->work, H5F_ACC_RDWR, H5P_DEFAULT);
    open_columns(w);
}

static void commit(writer *w) {
    if (w->way == RENAMED) rename_copy(w);
    else if (w->way == SWMR)
        for (int i = 0; i < COLUMNS; i++) H5Dflush(w->column[i]);
    else H5Fflush(w->file, H5F_SCOPE_GLOBAL);
    if (w->way == STORE && !store_commit(w->store)) puts("no commit"), exit(1);
}

/* ---------------------------------------------------------------- what a killed writer leaves */

static verdict judge_column(hid_t file, int i, long committed, hsize_t *size) {
    hid_t column = H5Dopen2(file, (char[]){(char)('0' + i), 0}, H5P_DEFAULT);
    if (column < 0) return WRONG;
    H5Sget_simple_extent_dims(H5Dget_space(column), size, NULL);
    double *values = malloc((*size + 1) * sizeof *values);
    bool right =
        *size >= (hsize_t)committed && H5Dread(column, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    for (long k = 0; right && k < committed; k++) right = values[k] == value_of(k, i);
    free(values);
    return right ? WHOLE : WRONG;
}

static verdict judge(const writer *w, long committed) {
    carom_error error;
    store *s;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (w->way == STORE) {
        if (store_open(w->path, STORE_READ, &s, &error)) return CLOSED;
        access = driver_access(s);
    }
    hid_t file = H5Fopen(w->path, H5F_ACC_RDONLY | (w->way == SWMR ? H5F_ACC_SWMR_READ : 0), access);
    if (file < 0) return CLOSED;
    hsize_t first = 0, size = 0;
    for (int i = 0; i < COLUMNS; i++) {
        if (judge_column(file, i, committed, &size) != WHOLE) return WRONG;
        if (i == 0) first = size;
        if (size != first) return RAGGED;
    }
    return WHOLE;
}

/* In a process of its own: HDF5 may crash on what it finds. */
static verdict judge_apart(const writer *w, long committed) {
    int status;
    pid_t reader = fork();
    if (reader == 0) alarm(20), _exit((int)judge(w, committed));
    waitpid(reader, &status, 0);
    return WIFEXITED(status) ? (verdict)WEXITSTATUS(status) : CLOSED;
}

static verdict kill_writer(writer *w, _Atomic long *committed, int wait) {
    char journal[4096];
    snprintf(journal, sizeof journal, "%s.journal", w->path);
    unlink(journal), unlink(w->path);
    *committed = 0;
    pid_t child = fork();
    if (child == 0)
        for (create(w);; *committed = w->rows) append(w), commit(w);
    while (*committed == 0) usleep(100);
    usleep((useconds_t)wait);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return judge_apart(w, *committed);
}

/* ---------------------------------------------------------------- figures */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void time_commits(writer w, int commits) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct stat info;
        const double start = now();
        create(&w);
        for (int i = 0; i < commits; i++) append(&w), commit(&w);
        const double seconds = now() - start;
        stat(w.path, &info);
        printf(" %9.1f %8.1f", 1e3 * seconds / commits, (double)info.st_size / 1e6);
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

int main(int count, char **words) {
    const int kills = count > 1 ? atoi(words[1]) : 100;
    char path[4096];
    _Atomic long *committed = mmap(NULL, sizeof *committed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    srand(1);
    printf("%-24s %6s %6s %6s %6s %9s %8s %9s %8s\n", "of killed writers", "whole", "closed", "wrong", "ragged",
           "ms/commit", "MB", "ms/commit", "MB");
    for (way k = 0; k < WAYS; k++) {
        snprintf(path, sizeof path, "%s/stores%d.h5", count > 2 ? words[2] : "/tmp", (int)k);
        writer small = {.way = k, .path = path, .batch = 64, .compressed = true},
               large = {.way = k, .path = path, .batch = 8192};
        int found[VERDICTS] = {0};
        for (int i = 0; i < kills; i++) found[kill_writer(&small, committed, rand() % 60000) % VERDICTS]++;
        printf("%-24s", names[k]);
        for (int i = 0; i < VERDICTS; i++) printf(" %6d", found[i]);
        time_commits(small, 400);
        time_commits(large, 80);
        puts("");
        unlink(path), unlink(small.work);
    }
    return 0;
}
