#include "result/store.h"

#include "error.h"
#include "result/page.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PAGES = 8192 }; /* with readers around, up to 32 MB of pages stay in the journal */

static const char MAGIC[8] = "caromj1";

/* The journal is a sequence of records: a header and its images of pages. */
typedef struct header {
    char magic[8];
    uint64_t id, size, pages, sum; /* of the file after the commit; sum over id, size and images */
} header;

struct store {
    char *name;                /* as given: for messages */
    char *path, *journal_path; /* behind links */
    char *created;             /* where a new file is until its first commit; NULL: in its place */
    store_mode mode;
    int file, journal; /* descriptors; journal < 0 when reading */
    bool trusted;      /* the journal is known to belong to the file, and changes are welcome */
    uint64_t id;
    uint64_t size;        /* as the user sees it */
    uint64_t committed;   /* size of the committed content */
    uint64_t base;        /* page boundary: below it changes go to pages, from it on in place */
    uint64_t journal_end; /* bytes of complete records */
    page_set pages;       /* those that differ from the file */
    int failure;
};

/* ---- files */

static uint64_t page_end(uint64_t size) {
    return (size + PAGE - 1) / PAGE * PAGE;
}

/* What lies past the end of the file reads as zeros. */
static bool read_at(int file, uint64_t at, size_t size, void *bytes) {
    unsigned char *to = bytes;
    while (size > 0) {
        ssize_t n = pread(file, to, size, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        if (n == 0) {
            memset(to, 0, size);
            return true;
        }
        to += n, at += (uint64_t)n, size -= (size_t)n;
    }
    return true;
}

static bool write_at(int file, uint64_t at, size_t size, const void *bytes) {
    const unsigned char *from = bytes;
    while (size > 0) {
        ssize_t n = pwrite(file, from, size, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        from += n, at += (uint64_t)n, size -= (size_t)n;
    }
    return true;
}

static uint64_t file_size(int file) {
    struct stat info;
    return fstat(file, &info) == 0 ? (uint64_t)info.st_size : 0;
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

/* ---- the journal */

static uint64_t sum(uint64_t h, const void *bytes, size_t size) {
    const unsigned char *from = bytes;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word;
        memcpy(&word, from + i, 8);
        h = (h ^ word) * 0x9E3779B97F4A7C15u;
        h ^= h >> 32;
    }
    return h;
}

static uint64_t sum_header(const header *h) {
    return sum(sum(0, &h->id, 8), &h->size, 8);
}

/* The record at the end of the journal's valid part, if it is complete. */
static bool read_record(store *s, int journal, header *h, image *buffer) {
    if (!read_at(journal, s->journal_end, sizeof *h, h) || memcmp(h->magic, MAGIC, sizeof MAGIC) != 0) return false;
    if (h->pages > file_size(journal) / sizeof(image)) return false;
    uint64_t total = sum_header(h), at = s->journal_end + sizeof *h;
    for (uint64_t i = 0; i < h->pages; i++, at += sizeof(image)) {
        if (!read_at(journal, at, sizeof(image), buffer)) return false;
        total = sum(total, buffer, sizeof(image));
    }
    return total == h->sum;
}

static bool load_record(store *s, int journal, const header *h) {
    uint64_t at = s->journal_end + sizeof *h;
    for (uint64_t i = 0; i < h->pages; i++, at += sizeof(image)) {
        uint64_t number;
        if (!read_at(journal, at, sizeof number, &number)) return false;
        page *p = page_find(&s->pages, number);
        if (!p && !(p = page_add(&s->pages, number))) return false;
        if (!read_at(journal, at, sizeof(image), &p->image)) return false;
    }
    s->id = h->id;
    s->size = h->size;
    s->journal_end = at;
    return true;
}

static bool load_journal(store *s, int journal) {
    header h;
    image *buffer = malloc(sizeof *buffer);
    bool fine = buffer != NULL;
    while (fine && read_record(s, journal, &h, buffer)) fine = load_record(s, journal, &h);
    free(buffer);
    return fine;
}

static bool append_record(store *s) {
    header h = {.id = s->id, .size = s->size};
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    h.sum = sum_header(&h);
    uint64_t at = s->journal_end + sizeof h;
    for (size_t i = 0; i < s->pages.slots; i++) {
        page *p = s->pages.slot[i];
        if (!p || !p->dirty) continue;
        if (!write_at(s->journal, at, sizeof p->image, &p->image)) return false;
        h.sum = sum(h.sum, &p->image, sizeof p->image);
        h.pages++;
        at += sizeof p->image;
    }
    if (!write_at(s->journal, s->journal_end, sizeof h, &h)) return false;
    s->journal_end = at;
    for (size_t i = 0; i < s->pages.slots; i++)
        if (s->pages.slot[i]) s->pages.slot[i]->dirty = false;
    return true;
}

/* Writes the committed pages in place and empties the journal. */
static bool apply(store *s) {
    for (size_t i = 0; i < s->pages.slots; i++)
        if (s->pages.slot[i] &&
            !write_at(s->file, s->pages.slot[i]->image.number * PAGE, PAGE, s->pages.slot[i]->image.bytes))
            return false;
    if (file_size(s->file) != s->size && ftruncate(s->file, (off_t)s->size) != 0) return false;
    if (s->journal_end > 0 && ftruncate(s->journal, 0) != 0) return false;
    s->journal_end = 0;
    s->base = page_end(s->size);
    page_clear(&s->pages);
    return true;
}

/* A new file comes to its place with its first content; whoever still reads the old one keeps it. The journal is that
 * of the old one till then: its id tells a process killed in between that it is of no use any more. */
static bool put_in_place(store *s) {
    if (!s->created) return true;
    if (rename(s->created, s->path) != 0) return false;
    free(s->created);
    s->created = NULL;
    return ftruncate(s->journal, 0) == 0;
}

bool store_commit(store *s) {
    if (s->failure || !s->trusted) return false;
    if (file_size(s->file) < s->size && ftruncate(s->file, (off_t)s->size) != 0) return fail(s);
    if (s->pages.count > 0 && !append_record(s)) return fail(s);
    s->committed = s->size;
    if (s->base < page_end(s->size)) s->base = page_end(s->size);
    if (try_lock(s->file, LOCK_EX) || s->pages.count > MOST_PAGES) {
        bool applied = apply(s);
        flock(s->file, LOCK_UN);
        if (!applied) return fail(s);
    }
    return put_in_place(s) || fail(s);
}

/* ---- reading and writing through the pages */

bool store_read(store *s, uint64_t at, size_t size, void *bytes) {
    unsigned char *to = bytes;
    if (!read_at(s->file, at, size, bytes)) return fail(s);
    for (uint64_t number = at / PAGE; s->pages.count && number * PAGE < at + size; number++) {
        const page *p = page_find(&s->pages, number);
        if (!p) continue;
        uint64_t from = number * PAGE < at ? at : number * PAGE, end = (number + 1) * PAGE;
        if (end > at + size) end = at + size;
        memcpy(to + (from - at), p->image.bytes + (from - number * PAGE), end - from);
    }
    return true;
}

static bool write_page(store *s, uint64_t at, size_t size, const unsigned char *from) {
    uint64_t number = at / PAGE;
    page *p = page_find(&s->pages, number);
    if (!p) {
        if (!(p = page_add(&s->pages, number))) return errno = ENOMEM, fail(s);
        if (!read_at(s->file, number * PAGE, PAGE, p->image.bytes)) return fail(s);
    }
    memcpy(p->image.bytes + at % PAGE, from, size);
    p->dirty = true;
    return true;
}

bool store_write(store *s, uint64_t at, size_t size, const void *bytes) {
    const unsigned char *from = bytes;
    if (at + size > s->size) s->size = at + size;
    while (size > 0 && at < s->base) {
        size_t part = PAGE - at % PAGE;
        if (part > size) part = size;
        if (!write_page(s, at, part, from)) return false;
        from += part, at += part, size -= part;
    }
    if (size == 0 || write_at(s->file, at, size, from)) return true;
    fail(s);
    return store_write(s, at, size, from); /* to memory, now */
}

/* ---- opening and closing */

static carom_status open_error(const char *path, carom_error *error) {
    char reason[128];
    return carom_error_set(error, CAROM_DATA, "%s: %s", path, store_reason(errno, reason, sizeof reason));
}

static carom_status not_regular(const store *s, carom_error *error) {
    return carom_error_set(error, CAROM_DATA, "%s is not a regular file", s->name);
}

static bool same_file(int file, const char *path) {
    struct stat a, b;
    return fstat(file, &a) == 0 && stat(path, &b) == 0 && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/* Holding the lock of a journal that has just been removed means nothing: look again. */
static carom_status open_journal(store *s, carom_error *error) {
    for (;;) {
        s->journal = open(s->journal_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (s->journal < 0) return open_error(s->name, error);
        bool locked = try_lock(s->journal, LOCK_EX);
        if (locked && same_file(s->journal, s->journal_path)) return CAROM_OK;
        close(s->journal);
        s->journal = -1;
        if (!locked) return carom_error_set(error, CAROM_DATA, "%s is being written by another process", s->name);
    }
}

/* Another name until the first commit: a process killed before leaves what was there. */
static carom_status create_file(store *s, carom_error *error) {
    struct stat info;
    if (stat(s->path, &info) == 0 && !S_ISREG(info.st_mode)) return not_regular(s, error);
    carom_status status = open_journal(s, error);
    if (status != CAROM_OK) return status;
    if (asprintf(&s->created, "%s.new", s->path) < 0) return s->created = NULL, carom_error_memory(error);
    if (unlink(s->created) != 0 && errno != ENOENT) return open_error(s->name, error);
    s->file = open(s->created, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (s->file < 0) return open_error(s->name, error);
    s->trusted = true;
    return CAROM_OK;
}

static carom_status open_file(store *s, carom_error *error) {
    struct stat info;
    s->file = open(s->path, (s->mode == STORE_READ ? O_RDONLY : O_RDWR) | O_CLOEXEC);
    if (s->file < 0 || fstat(s->file, &info) != 0) return open_error(s->name, error);
    if (!S_ISREG(info.st_mode)) return not_regular(s, error);
    if (s->mode == STORE_READ) {
        if (!lock(s->file, LOCK_SH))
            return carom_error_set(error, CAROM_DATA, "%s is locked by another process", s->name);
    } else {
        carom_status status = open_journal(s, error);
        if (status != CAROM_OK) return status;
    }
    s->size = file_size(s->file);
    int journal = s->journal >= 0 ? s->journal : open(s->journal_path, O_RDONLY | O_CLOEXEC);
    bool fine = journal < 0 || load_journal(s, journal);
    if (journal >= 0 && journal != s->journal) close(journal);
    s->committed = s->size;
    s->base = page_end(s->size);
    return fine ? CAROM_OK : carom_error_memory(error);
}

static void release(store *s) {
    if (s->journal >= 0 && file_size(s->journal) == 0) unlink(s->journal_path); /* ours, and done */
    if (s->journal >= 0) close(s->journal);
    if (s->file >= 0) close(s->file);
    page_clear(&s->pages);
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
    page_clear(&s->pages);
    s->size = s->committed;
    s->journal_end = 0;
    if (!load_journal(s, s->journal) || (s->journal_end == 0 && file_size(s->file) == s->size)) return;
    lock(s->file, LOCK_EX);
    apply(s);
}

/* The space that a failed commit took; if that fails as well, nothing else is lost. */
static void give_back(store *s) {
    bool given = ftruncate(s->file, (off_t)s->committed) == 0 && ftruncate(s->journal, (off_t)s->journal_end) == 0;
    (void)given;
}

void store_close(store *s) {
    if (s->created) unlink(s->created);
    else if (s->trusted && s->failure) give_back(s);
    else if (s->trusted) settle(s);
    release(s);
}

void store_trust(store *s, uint64_t id) {
    if (s->mode != STORE_READ && s->journal_end == 0 && ftruncate(s->journal, 0) != 0) fail(s);
    s->trusted = s->mode != STORE_READ;
    s->id = id;
}

void store_ignore_journal(store *s) {
    page_clear(&s->pages);
    s->journal_end = 0;
    s->committed = s->size = file_size(s->file);
    s->base = page_end(s->size);
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
bool store_has_journal(const store *s) {
    return s->journal_end > 0;
}
uint64_t store_id(const store *s) {
    return s->id;
}
const char *store_reason(int number, char *text, size_t size) {
    snprintf(text, size, "%s", strerror(number));
    if (isupper((unsigned char)text[0]) && islower((unsigned char)text[1])) text[0] = (char)tolower(text[0]);
    return text;
}
