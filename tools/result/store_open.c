/* Opening a store: the file and its journal. Refuses whatever is there that carom did not write. */
#include "result/store_inside.h"

#include "error.h"
#include "result/disk.h"
#include "scene/signature.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static carom_status in_the_way(const store *s, const char *path, const char *what, carom_error *error) {
    return carom_error_set(error, CAROM_DATA, "%s cannot be written: %s is %s; move it away", s->name, path, what);
}

/* The journal may have been removed between open and lock. Such a lock means nothing: try again. */
static carom_status lock_journal(store *s, carom_error *error) {
    struct stat info;
    for (;;) {
        s->journal = open(s->journal_path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (s->journal < 0 && errno == ELOOP) return in_the_way(s, s->journal_path, "a symbolic link", error);
        if (s->journal < 0 && errno == EISDIR) return in_the_way(s, s->journal_path, "a directory", error);
        if (s->journal < 0) return store_error(s, error);
        bool locked = store_try_lock(s->journal, LOCK_EX);
        if (locked && fstat(s->journal, &info) == 0 && disk_names(s->journal_path, &info)) return CAROM_OK;
        close(s->journal);
        s->journal = -1;
        if (!locked) return carom_error_set(error, CAROM_DATA, "%s is being written by another process", s->name);
    }
}

/* A new file replaces a damaged journal. A file that goes on needs its journal. */
static carom_status open_journal(store *s, carom_error *error) {
    struct stat info;
    carom_status status = lock_journal(s, error);
    if (status) return status;
    if (fstat(s->journal, &info) != 0) return store_error(s, error);
    const char *kind = disk_kind(info.st_mode);
    if (kind) return in_the_way(s, s->journal_path, kind, error);
    journal_state state = journal_look(s->journal, &s->head);
    if (state == JOURNAL_FOREIGN) return in_the_way(s, s->journal_path, "not a journal of this carom", error);
    s->ours = true;
    bool fresh = info.st_size == 0 || (state == JOURNAL_DAMAGED && s->mode == STORE_CREATE);
    return !fresh || journal_start(s->journal, &s->head) ? CAROM_OK : store_error(s, error);
}

/* Whether a killed process has left this file, before it could get its proper name. */
static bool is_leftover(const char *path, off_t size) {
    char magic[8] = "";
    int file = store_open_to_read(path);
    bool ours = file >= 0 && disk_read(file, 0, sizeof magic, magic) &&
                (size == 0 || memcmp(magic, SEAL_MAGIC, sizeof magic) == 0);
    if (file >= 0) close(file);
    return ours;
}

static carom_status remove_leftover(store *s, carom_error *error) {
    struct stat info;
    if (lstat(s->created, &info) != 0) return errno == ENOENT ? CAROM_OK : store_error(s, error);
    if (S_ISLNK(info.st_mode)) return in_the_way(s, s->created, "a symbolic link", error);
    if (disk_kind(info.st_mode)) return in_the_way(s, s->created, disk_kind(info.st_mode), error);
    if (!is_leftover(s->created, info.st_size)) return in_the_way(s, s->created, "not by this carom", error);
    return unlink(s->created) == 0 ? CAROM_OK : store_error(s, error);
}

/* Removes the new file of a run that was killed before it could replace this one. A file that carom did not write
 * stays: it is in nobody's way. */
static void clear_leftover(const store *s) {
    char *path;
    struct stat info;
    if (asprintf(&path, "%s.new", s->path) < 0) return;
    if (lstat(path, &info) == 0 && S_ISREG(info.st_mode) && is_leftover(path, info.st_size)) unlink(path);
    free(path);
}

static uint64_t random_id(void) {
    uint64_t id = 0;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    if (getrandom(&id, sizeof id, GRND_NONBLOCK) != sizeof id) id = (uint64_t)t.tv_nsec << 32 ^ (uint64_t)t.tv_sec;
    return id | 1; /* 0 means none */
}

static carom_status check_kind(const store *s, mode_t mode, carom_error *error) {
    const char *kind = disk_kind(mode);
    return kind ? carom_error_set(error, CAROM_DATA, "%s is %s, not a file", s->name, kind) : CAROM_OK;
}

/* The file has another name until its first commit: if the process is killed before, the older file is still there. */
static carom_status create_file(store *s, carom_error *error) {
    struct stat info;
    carom_status status = stat(s->path, &info) == 0 ? check_kind(s, info.st_mode, error) : CAROM_OK;
    if (!status) status = open_journal(s, error);
    if (status) return status;
    if (asprintf(&s->created, "%s.new", s->path) < 0) return s->created = NULL, carom_error_memory(error);
    status = remove_leftover(s, error);
    if (!status && (s->file = open(s->created, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) < 0)
        status = store_error(s, error);
    s->id = random_id();
    if (!status) store_write_head(s, 0, 0);
    if (!status && !store_flush_fresh(s)) store_fail(s); /* from now on it can be told from files of others */
    if (s->failure) errno = s->failure, status = store_error(s, error);
    return status;
}

static carom_status open_file(store *s, carom_error *error) {
    struct stat info;
    s->file = open(s->path, (s->mode == STORE_READ ? O_RDONLY : O_RDWR) | O_NONBLOCK | O_CLOEXEC);
    if (s->file < 0 && errno == EISDIR) return check_kind(s, S_IFDIR, error);
    if (s->file < 0 || fstat(s->file, &info) != 0) return store_error(s, error);
    carom_status status = check_kind(s, info.st_mode, error);
    if (!status && s->mode == STORE_READ && !store_lock(s->file, LOCK_SH))
        return carom_error_set(error, CAROM_DATA, "%s is locked by another process", s->name);
    if (!status && s->mode == STORE_UPDATE) status = open_journal(s, error);
    if (!status && s->mode == STORE_UPDATE) clear_leftover(s);
    if (!status) status = s->mode == STORE_READ ? store_read_shared(s, error) : store_read_state(s, s->journal, error);
    s->committed = s->size;
    s->base = page_end(s->length);
    return status;
}

carom_status store_open(const char *path, store_mode mode, store **opened, carom_error *error) {
    *opened = NULL;
    if (!*path) return carom_error_set(error, CAROM_DATA, "the name of the result is empty");
    store *s = calloc(1, sizeof *s);
    if (!s) return carom_error_memory(error);
    s->file = s->journal = -1;
    s->mode = mode;
    s->name = strdup(path);
    s->path = realpath(path, NULL); /* a link keeps pointing to its target */
    if (!s->path) s->path = strdup(path);
    if (s->path && asprintf(&s->journal_path, "%s.journal", s->path) < 0) s->journal_path = NULL;
    carom_status status = !s->name || !s->journal_path ? carom_error_memory(error)
                          : mode == STORE_CREATE       ? create_file(s, error)
                                                       : open_file(s, error);
    if (status == CAROM_OK) *opened = s;
    else store_release(s);
    return status;
}
