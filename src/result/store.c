#include "result/store.h"

#include "error.h"
#include "result/disk.h"
#include "result/journal.h"
#include "result/signature.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

_Static_assert((int)STORE_HEAD == (int)SEAL_HEAD, "the content begins after the head");

enum { MOST_PAGES = 8192 }; /* with readers around, up to 32 MB of pages stay in the journal */

struct store {
    char *name;                /* as given: for messages */
    char *path, *journal_path; /* behind links */
    char *created;             /* where a new file is until its first commit; NULL: in its place */
    store_mode mode;
    int file, journal;          /* descriptors; journal < 0 when reading */
    journal_head head;          /* of the journal */
    bool ours;                  /* the journal is one of carom's, or was empty */
    uint64_t id;                /* 0: a file without checksums */
    bool sealed;                /* the head as last written says so */
    bool unsealed;              /* opened through the journal */
    bool spent;                 /* the journal has done its work */
    uint64_t size;              /* of the content as the user sees it */
    uint64_t committed, length; /* sizes of the committed content and of its file, which may hold more */
    uint64_t base;              /* page boundary: below it changes go to pages, from it on in place */
    page_set pages;             /* those that differ from the file */
    seal_sums sums;
    int failure;
};

static uint64_t page_end(uint64_t size) {
    return (size + PAGE - 1) / PAGE * PAGE;
}

static bool fail(store *s) {
    if (!s->failure) s->failure = errno ? errno : EIO;
    s->base = UINT64_MAX;
    return false;
}

/* ---- locks */

static bool try_lock(int file, int operation) {
    return flock(file, operation | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR);
}

/* Waits for at most two seconds: readers of carom come and go, others may stay. */
static bool lock(int file, int operation) {
    for (int i = 0; i < 200; i++) {
        if (try_lock(file, operation)) return true;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return false;
}

/* ---- reading and writing through the pages */

static bool read_content(void *context, uint64_t at, size_t size, void *bytes) {
    const store *s = context;
    unsigned char *to = bytes;
    if (!disk_read(s->file, at, size, bytes)) return false;
    for (uint64_t number = at / PAGE; s->pages.count && number * PAGE < at + size; number++) {
        const page *p = page_find(&s->pages, number);
        if (!p) continue;
        uint64_t from = number * PAGE < at ? at : number * PAGE, end = (number + 1) * PAGE;
        if (end > at + size) end = at + size;
        memcpy(to + (from - at), p->image.bytes + (from - number * PAGE), end - from);
    }
    return true;
}

bool store_read(store *s, uint64_t at, size_t size, void *bytes) {
    return read_content(s, at, size, bytes) || fail(s);
}

static bool write_page(store *s, uint64_t at, size_t size, const unsigned char *from) {
    uint64_t number = at / PAGE;
    page *p = page_find(&s->pages, number);
    if (!p) {
        if (!(p = page_add(&s->pages, number))) return errno = ENOMEM, fail(s);
        if (!disk_read(s->file, number * PAGE, PAGE, p->image.bytes)) return fail(s);
    }
    memcpy(p->image.bytes + at % PAGE, from, size);
    return true;
}

/* Head and sums are no content. */
static bool write_any(store *s, uint64_t at, size_t size, const void *bytes) {
    const unsigned char *from = bytes;
    while (size > 0 && at < s->base) {
        size_t part = PAGE - at % PAGE;
        if (part > size) part = size;
        if (!write_page(s, at, part, from)) return false;
        from += part, at += part, size -= part;
    }
    if (size == 0 || disk_write(s->file, at, size, from)) return true;
    fail(s);
    return write_any(s, at, size, from); /* to memory, now */
}

bool store_write(store *s, uint64_t at, size_t size, const void *bytes) {
    if (at + size > s->size) s->size = at + size;
    seal_forget(&s->sums, at, size);
    return write_any(s, at, size, bytes);
}

/* ---- commits */

/* Blocks that end with the content have other sums when it ends elsewhere. */
static bool sum_content(store *s) {
    if (s->size != s->committed) {
        seal_forget(&s->sums, s->committed ? s->committed - 1 : 0, 1);
        seal_forget(&s->sums, s->size ? s->size - 1 : 0, 1);
    }
    return seal_complete(&s->sums, s->size, read_content, s);
}

static bool append_record(store *s, uint64_t length) {
    journal_record record = {.size = s->size, .length = length};
    if (disk_size(s->file) < length && ftruncate(s->file, (off_t)length) != 0) return false;
    if (!journal_append(s->journal, &s->head, s->id, record, &s->pages, &s->sums)) return false;
    s->committed = s->size;
    s->length = length;
    if (s->base < page_end(length)) s->base = page_end(length);
    return true;
}

/* Writes the committed pages in place. */
static bool apply(store *s) {
    for (size_t i = 0; i < s->pages.slots; i++)
        if (s->pages.slot[i] &&
            !disk_write(s->file, s->pages.slot[i]->image.number * PAGE, PAGE, s->pages.slot[i]->image.bytes))
            return false;
    if (disk_size(s->file) != s->length && ftruncate(s->file, (off_t)s->length) != 0) return false;
    s->base = page_end(s->length);
    page_clear(&s->pages);
    return true;
}

/* A new file comes to its place with its first content; whoever still reads the old one keeps it. What it replaces may
 * be the only result there is: the new one is on the disk first. */
static bool put_in_place(store *s) {
    if (!s->created) return true;
    if (access(s->path, F_OK) == 0 && !disk_sync(s->file)) return false;
    if (rename(s->created, s->path) != 0) return false;
    free(s->created);
    s->created = NULL;
    return true;
}

/* size 0: the file is not sealed */
static void write_head(store *s, uint64_t size, uint64_t sums) {
    seal_head head = seal_make(s->id, size, sums);
    s->sealed = size > 0;
    write_any(s, 0, sizeof head, &head);
}

bool store_commit(store *s) {
    if (s->failure) return false;
    if (!sum_content(s)) return fail(s);
    if (s->sealed) write_head(s, 0, 0);
    if (s->failure) return false;
    if (!append_record(s, s->size)) return fail(s);
    if (try_lock(s->file, LOCK_EX) || s->pages.count > MOST_PAGES) {
        bool applied = apply(s);
        flock(s->file, LOCK_UN);
        if (!applied) return fail(s);
    }
    return put_in_place(s) || fail(s);
}

bool store_seal(store *s) {
    if (s->failure) return false;
    if (!sum_content(s)) return fail(s);
    size_t bytes = s->sums.count * sizeof *s->sums.of;
    write_any(s, s->size, bytes, s->sums.of);
    write_head(s, s->size, seal_sum(s->id, s->sums.of, bytes));
    if (s->failure) return false;
    if (!append_record(s, s->size + bytes)) return fail(s);
    lock(s->file, LOCK_EX);
    bool applied = apply(s);
    flock(s->file, LOCK_UN);
    s->spent = applied && disk_sync(s->file) && put_in_place(s) && disk_sync_folder(s->path);
    return s->spent || fail(s);
}

/* ---- opening: the content and whether it is whole */

static carom_status open_error(const char *path, carom_error *error) {
    char reason[128];
    return carom_error_set(error, CAROM_DATA, "%s: %s", path, store_reason(errno, reason, sizeof reason));
}

static carom_status not_readable(const store *s, carom_error *error) {
    return errno == ENOMEM ? carom_error_memory(error) : open_error(s->name, error);
}

static carom_status truncated(const store *s, uint64_t length, carom_error *error) {
    return carom_error_set(error, CAROM_DATA, "%s is truncated: %" PRIu64 " of %" PRIu64 " bytes are left", s->name,
                           disk_size(s->file), length);
}

static carom_status compare_sums(store *s, carom_error *error) {
    size_t block;
    if (!seal_compare(&s->sums, s->size, read_content, s, &block)) return not_readable(s, error);
    if (block == s->sums.count) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA, "%s is damaged: what was written after its first %zu bytes has changed",
                           s->name, block * (size_t)SEAL_BLOCK);
}

/* HDF5's superblock of versions 2 and 3 tells where its file ends. Another program that changed a sealed file has cut
 * off the sums: the file ends there. */
static bool others_changed(const store *s) {
    unsigned char head[36];
    uint64_t end = 0;
    if (!disk_read(s->file, STORE_HEAD, sizeof head, head) || memcmp(head, HDF5_SIGNATURE, HDF5_SIGNATURE_BYTES) != 0)
        return false;
    for (int i = 7; i >= 0; i--) end = end << 8 | head[28 + i];
    return (head[8] == 2 || head[8] == 3) && end == disk_size(s->file);
}

static carom_status read_sealed(store *s, const seal_head *head, carom_error *error) {
    uint64_t bytes = seal_blocks(head->size) * sizeof *s->sums.of, length = disk_size(s->file);
    s->size = head->size;
    s->sealed = true;
    s->length = head->size + bytes;
    bool complete = length >= s->length; /* more: by a process killed before its first commit */
    if (complete && (!seal_fit(&s->sums, s->size) || !disk_read(s->file, s->size, bytes, s->sums.of)))
        return not_readable(s, error);
    if (complete && seal_sum(s->id, s->sums.of, bytes) == head->sums) return compare_sums(s, error);
    seal_clear(&s->sums);
    if (!complete && !others_changed(s)) return truncated(s, s->length, error);
    s->size = s->length = length;
    if (others_changed(s)) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA, "%s is damaged: its checksums have changed", s->name);
}

static carom_status bad_journal(const store *s, const char *how, carom_error *error) {
    return carom_error_set(error, CAROM_DATA, "%s cannot be read: the journal that completes it, %s, is %s", s->name,
                           s->journal_path, how);
}

/* Forgets pages that are in place. */
static bool drop_applied(store *s) {
    unsigned char bytes[PAGE];
    page_set behind = {0};
    for (size_t i = 0; i < s->pages.slots; i++) {
        const page *p = s->pages.slot[i];
        if (!p) continue;
        if (!disk_read(s->file, p->image.number * PAGE, PAGE, bytes)) return false;
        if (memcmp(bytes, p->image.bytes, PAGE) == 0) continue;
        page *copy = page_add(&behind, p->image.number);
        if (!copy) return page_clear(&behind), errno = ENOMEM, false;
        copy->image = p->image;
    }
    page_clear(&s->pages);
    s->pages = behind;
    return true;
}

static carom_status read_record(store *s, int journal, const journal_slot *slot, carom_error *error) {
    journal_record record;
    if (!journal_load(journal, slot, &record, &s->pages, &s->sums))
        return errno == ENOMEM ? carom_error_memory(error) : bad_journal(s, "damaged", error);
    s->size = record.size;
    s->length = record.length;
    s->sealed = record.length > record.size;
    if (disk_size(s->file) < record.length) return truncated(s, record.length, error);
    carom_status status = compare_sums(s, error);
    if (!status && !drop_applied(s)) status = not_readable(s, error);
    return status;
}

/* A file without checksums: by others, or by a carom that had none. */
static carom_status read_plain(store *s, int journal, const seal_head *head, carom_error *error) {
    char bytes[HDF5_SIGNATURE_BYTES];
    bool old = memcmp(head, HDF5_SIGNATURE, HDF5_SIGNATURE_BYTES) == 0;
    s->size = s->length = disk_size(s->file);
    if (old && journal >= 0 && disk_size(journal) > 0 && disk_read(journal, 0, sizeof bytes, bytes) &&
        memcmp(bytes, "caromj1", 8) == 0)
        return bad_journal(s, "that of an older carom: read it with that one first", error);
    if (!disk_read(s->file, STORE_HEAD, sizeof bytes, bytes)) return not_readable(s, error);
    if (!old && memcmp(bytes, HDF5_SIGNATURE, HDF5_SIGNATURE_BYTES) == 0)
        return carom_error_set(error, CAROM_DATA, "%s is damaged in its first bytes, or not a result of carom",
                               s->name);
    if (s->mode == STORE_READ) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA,
                           old ? "%s is by a carom that wrote no checksums, which alone goes on with it"
                               : "%s is not a result of carom",
                           s->name);
}

static carom_status read_state(store *s, int journal, carom_error *error) {
    seal_head head;
    journal_state state = JOURNAL_FOREIGN;
    page_clear(&s->pages);
    seal_clear(&s->sums);
    if (!disk_read(s->file, 0, sizeof head, &head)) return not_readable(s, error);
    if (memcmp(head.magic, SEAL_MAGIC, sizeof head.magic) != 0) return read_plain(s, journal, &head, error);
    if (!seal_is_whole(&head))
        return carom_error_set(error, CAROM_DATA, "%s is damaged: its head has changed", s->name);
    s->id = head.id;
    if (journal >= 0) state = journal_look(journal, &s->head);
    if (state == JOURNAL_DAMAGED) return bad_journal(s, "damaged", error);
    const journal_slot *slot = state == JOURNAL_WHOLE ? journal_find(&s->head, s->id) : NULL;
    s->unsealed = slot != NULL;
    if (slot) return read_record(s, journal, slot, error);
    return head.size > 0 ? read_sealed(s, &head, error) : bad_journal(s, "missing or another one", error);
}

/* What changes when a writer at work commits. */
typedef struct marks {
    seal_head file;
    journal_head journal;
} marks;

static marks look(const store *s, int journal) {
    marks m;
    memset(&m, 0, sizeof m);
    disk_read(s->file, 0, sizeof m.file, &m.file);
    if (journal >= 0) disk_read(journal, 0, sizeof m.journal, &m.journal);
    return m;
}

static int open_to_read(const char *path) {
    struct stat info;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 || (fstat(file, &info) == 0 && S_ISREG(info.st_mode))) return file;
    close(file);
    return -1;
}

/* Once more, if a writer has committed meanwhile. */
static carom_status read_shared(store *s, carom_error *error) {
    enum { TIMES = 50 };
    for (int i = 0;; i++) {
        int journal = open_to_read(s->journal_path);
        marks before = look(s, journal);
        carom_status status = read_state(s, journal, error);
        marks after = look(s, journal);
        if (journal >= 0) close(journal);
        if (status == CAROM_OK || i == TIMES || memcmp(&before, &after, sizeof before) == 0) return status;
    }
}

/* ---- opening and closing */

static carom_status in_the_way(const store *s, const char *path, const char *what, carom_error *error) {
    return carom_error_set(error, CAROM_DATA, "%s cannot be written: %s is %s; move it away", s->name, path, what);
}

/* Holding the lock of a journal that has just been removed means nothing: look again. */
static carom_status lock_journal(store *s, carom_error *error) {
    for (;;) {
        s->journal = open(s->journal_path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (s->journal < 0 && errno == ELOOP) return in_the_way(s, s->journal_path, "a symbolic link", error);
        if (s->journal < 0 && errno == EISDIR) return in_the_way(s, s->journal_path, "a directory", error);
        if (s->journal < 0) return open_error(s->name, error);
        bool locked = try_lock(s->journal, LOCK_EX);
        if (locked && disk_same(s->journal, s->journal_path)) return CAROM_OK;
        close(s->journal);
        s->journal = -1;
        if (!locked) return carom_error_set(error, CAROM_DATA, "%s is being written by another process", s->name);
    }
}

/* A damaged journal is of no use to a new file; one that goes on with its file needs it. */
static carom_status open_journal(store *s, carom_error *error) {
    struct stat info;
    carom_status status = lock_journal(s, error);
    if (status) return status;
    if (fstat(s->journal, &info) != 0) return open_error(s->name, error);
    const char *kind = disk_kind(info.st_mode);
    if (kind) return in_the_way(s, s->journal_path, kind, error);
    journal_state state = journal_look(s->journal, &s->head);
    if (state == JOURNAL_FOREIGN) return in_the_way(s, s->journal_path, "not a journal of this carom", error);
    s->ours = true;
    bool fresh = info.st_size == 0 || (state == JOURNAL_DAMAGED && s->mode == STORE_CREATE);
    return !fresh || journal_start(s->journal, &s->head) ? CAROM_OK : open_error(s->name, error);
}

/* What a killed process has left of a file that was not yet in its place. */
static carom_status remove_leftover(store *s, carom_error *error) {
    struct stat info;
    char magic[8] = "";
    if (lstat(s->created, &info) != 0) return errno == ENOENT ? CAROM_OK : open_error(s->name, error);
    if (S_ISLNK(info.st_mode)) return in_the_way(s, s->created, "a symbolic link", error);
    if (disk_kind(info.st_mode)) return in_the_way(s, s->created, disk_kind(info.st_mode), error);
    int file = open_to_read(s->created);
    bool ours = file >= 0 && disk_read(file, 0, sizeof magic, magic) &&
                (info.st_size == 0 || memcmp(magic, SEAL_MAGIC, sizeof magic) == 0);
    if (file >= 0) close(file);
    if (!ours) return in_the_way(s, s->created, "not by this carom", error);
    return unlink(s->created) == 0 ? CAROM_OK : open_error(s->name, error);
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

/* Another name until the first commit: a process killed before leaves what was there. */
static carom_status create_file(store *s, carom_error *error) {
    struct stat info;
    carom_status status = stat(s->path, &info) == 0 ? check_kind(s, info.st_mode, error) : CAROM_OK;
    if (!status) status = open_journal(s, error);
    if (status) return status;
    if (asprintf(&s->created, "%s.new", s->path) < 0) return s->created = NULL, carom_error_memory(error);
    status = remove_leftover(s, error);
    if (!status && (s->file = open(s->created, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) < 0)
        status = open_error(s->name, error);
    s->id = random_id();
    if (!status) write_head(s, 0, 0);
    if (s->failure) errno = s->failure, status = open_error(s->name, error);
    return status;
}

static carom_status open_file(store *s, carom_error *error) {
    struct stat info;
    s->file = open(s->path, (s->mode == STORE_READ ? O_RDONLY : O_RDWR) | O_NONBLOCK | O_CLOEXEC);
    if (s->file < 0 && errno == EISDIR) return check_kind(s, S_IFDIR, error);
    if (s->file < 0 || fstat(s->file, &info) != 0) return open_error(s->name, error);
    carom_status status = check_kind(s, info.st_mode, error);
    if (!status && s->mode == STORE_READ && !lock(s->file, LOCK_SH))
        return carom_error_set(error, CAROM_DATA, "%s is locked by another process", s->name);
    if (!status && s->mode == STORE_UPDATE) status = open_journal(s, error);
    if (!status) status = s->mode == STORE_READ ? read_shared(s, error) : read_state(s, s->journal, error);
    s->committed = s->size;
    s->base = page_end(s->length);
    return status;
}

static void release(store *s) {
    if (s->journal >= 0 && s->ours && (s->spent || journal_is_empty(&s->head))) unlink(s->journal_path);
    if (s->journal >= 0) close(s->journal);
    if (s->file >= 0) close(s->file);
    page_clear(&s->pages);
    seal_clear(&s->sums);
    free(s->name);
    free(s->path);
    free(s->journal_path);
    free(s->created);
    free(s);
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
    else release(s);
    return status;
}

/* Back to the committed content, and all of it into the file. */
static void settle(store *s) {
    journal_record record;
    const journal_slot *slot = journal_find(&s->head, s->id);
    page_clear(&s->pages);
    if (!slot) {
        if (disk_size(s->file) > s->length && ftruncate(s->file, (off_t)s->length) != 0) fail(s);
        return;
    }
    if (!journal_load(s->journal, slot, &record, &s->pages, &s->sums)) return;
    s->size = s->committed = record.size;
    store_seal(s);
}

/* The space that a failed commit took; if that fails as well, nothing else is lost. */
static void give_back(store *s) {
    bool given = ftruncate(s->file, (off_t)s->length) == 0 && ftruncate(s->journal, (off_t)journal_end(&s->head)) == 0;
    (void)given;
}

void store_close(store *s) {
    if (s->created) unlink(s->created);
    else if (s->mode != STORE_READ && s->failure) give_back(s);
    else if (s->mode != STORE_READ && !s->spent) settle(s);
    release(s);
}

int store_errno(const store *s) {
    return s->failure;
}
uint64_t store_size(const store *s) {
    return s->size;
}
void store_resize(store *s, uint64_t size) {
    s->size = size;
}
uint64_t store_id(const store *s) {
    return s->id;
}
bool store_is_unsealed(const store *s) {
    return s->unsealed;
}
size_t store_behind(const store *s) {
    return s->pages.count;
}
const char *store_reason(int number, char *text, size_t size) {
    snprintf(text, size, "%s", strerror(number));
    if (isupper((unsigned char)text[0]) && islower((unsigned char)text[1])) text[0] = (char)tolower(text[0]);
    return text;
}
