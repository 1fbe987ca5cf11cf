#include "hash.h"
#include "result/store_inside.h"

#include "result/disk.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PAGES = 8192 }; /* while others read, up to 32 MB of pages stay in the journal */

bool store_fail(store *s) {
    if (!s->failure) s->failure = errno ? errno : EIO;
    return false;
}

/* ---- locks */

bool store_try_lock(int file, int operation) {
    return flock(file, operation | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR);
}

bool store_lock(int file, int operation) {
    for (int i = 0; i < 200; i++) {
        if (store_try_lock(file, operation)) return true;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return false;
}

/* ---- reading and writing through the pages */

static void copy_pages(const page_set *set, uint64_t at, size_t size, unsigned char *to) {
    for (uint64_t number = at / PAGE; set->count && number * PAGE < at + size; number++) {
        const page *p = page_find(set, number);
        if (!p) continue;
        uint64_t from = number * PAGE < at ? at : number * PAGE, end = (number + 1) * PAGE;
        if (end > at + size) end = at + size;
        memcpy(to + (from - at), p->bytes + (from - number * PAGE), end - from);
    }
}

/* Whether the file is not needed to read so much: it lies in one page that is in memory. */
static bool in_page(const store *s, uint64_t at, size_t size) {
    const uint64_t number = at / PAGE;
    return at % PAGE + size <= PAGE && (page_find(&s->fresh, number) || page_find(&s->pages, number));
}

bool store_content(void *context, uint64_t at, size_t size, void *bytes) {
    const store *s = context;
    if (!in_page(s, at, size) && !disk_read(s->file, at, size, bytes)) return false;
    copy_pages(&s->pages, at, size, bytes);
    copy_pages(&s->fresh, at, size, bytes);
    return true;
}

bool store_read(store *s, uint64_t at, size_t size, void *bytes) {
    return store_content(s, at, size, bytes) || store_fail(s);
}

static bool write_page(store *s, uint64_t at, size_t size, const unsigned char *from) {
    uint64_t number = at / PAGE;
    page *p = page_find(&s->pages, number);
    if (!p) {
        if (!(p = page_add(&s->pages, number))) return errno = ENOMEM, store_fail(s);
        if (size < PAGE && !disk_read(s->file, number * PAGE, PAGE, p->bytes)) return store_fail(s);
    }
    memcpy(p->bytes + at % PAGE, from, size);
    return true;
}

/* Writes content, or the head and the sums beside it. */
static bool write_any(store *s, uint64_t at, size_t size, const void *bytes) {
    const unsigned char *from = bytes;
    while (size > 0 && at < s->base) {
        size_t part = PAGE - at % PAGE;
        if (part > size) part = size;
        if (!write_page(s, at, part, from)) return false;
        from += part, at += part, size -= part;
    }
    return store_write_fresh(s, at, size, from);
}

bool store_write(store *s, uint64_t at, size_t size, const void *bytes) {
    if (at + size > s->size) s->size = at + size;
    seal_forget(&s->sums, at, size);
    return write_any(s, at, size, bytes);
}

/* ---- commits */

/* The last block changes its sum when the content gets another end. */
static bool sum_content(store *s) {
    if (s->size != s->committed) {
        seal_forget(&s->sums, s->committed ? s->committed - 1 : 0, 1);
        seal_forget(&s->sums, s->size ? s->size - 1 : 0, 1);
    }
    return seal_complete(&s->sums, s->size, store_content, s);
}

static bool append_record(store *s, uint64_t length) {
    journal_record record = {.size = s->size, .length = length};
    if (!store_flush_fresh(s)) return false;
    if (disk_size(s->file) < length && ftruncate(s->file, (off_t)length) != 0) return false;
    if (!journal_append(s->journal, &s->head, s->id, record, &s->pages, &s->sums)) return false;
    s->committed = s->size;
    s->length = length;
    if (s->base < page_end(length)) s->base = page_end(length);
    return true;
}

/* Writes the committed pages in place. */
static bool write_committed(store *s) {
    if (!store_write_pages(s, &s->pages)) return false;
    if (disk_size(s->file) != s->length && ftruncate(s->file, (off_t)s->length) != 0) return false;
    s->base = page_end(s->length);
    page_clear(&s->pages);
    return true;
}

/* A new file gets its name only with its first content, so whoever reads the old file keeps it. The old file may be the
 * only result there is: the new one must be on the disk first. */
static bool put_in_place(store *s) {
    if (!s->created) return true;
    if (access(s->path, F_OK) == 0 && !disk_sync(s->file)) return false;
    if (rename(s->created, s->path) != 0) return false;
    free(s->created);
    s->created = NULL;
    return true;
}

void store_write_head(store *s, uint64_t size, uint64_t sums) {
    seal_head head = seal_make(s->id, size, sums);
    s->sealed = size > 0;
    write_any(s, 0, sizeof head, &head);
}

bool store_commit(store *s) {
    if (s->failure) return false;
    if (!sum_content(s)) return store_fail(s);
    if (s->sealed) store_write_head(s, 0, 0);
    if (s->failure) return false;
    if (!append_record(s, s->size)) return store_fail(s);
    if (store_try_lock(s->file, LOCK_EX) || s->pages.count > MOST_PAGES) {
        bool applied = write_committed(s);
        flock(s->file, LOCK_UN);
        if (!applied) return store_fail(s);
    }
    return put_in_place(s) || store_fail(s);
}

bool store_seal(store *s) {
    if (s->failure) return false;
    if (!sum_content(s)) return store_fail(s);
    size_t bytes = s->sums.count * sizeof *s->sums.of;
    write_any(s, s->size, bytes, s->sums.of);
    store_write_head(s, s->size, hash_bytes(s->id, s->sums.of, bytes));
    if (s->failure) return false;
    if (!append_record(s, s->size + bytes)) return store_fail(s);
    store_lock(s->file, LOCK_EX);
    bool applied = write_committed(s);
    flock(s->file, LOCK_UN);
    s->spent = applied && disk_sync(s->file) && put_in_place(s) && disk_sync_folder(s->path);
    return s->spent || store_fail(s);
}

/* ---- closing */

void store_release(store *s) {
    if (s->journal >= 0 && s->ours && (s->spent || journal_is_empty(&s->head))) unlink(s->journal_path);
    if (s->journal >= 0) close(s->journal);
    if (s->file >= 0) close(s->file);
    page_clear(&s->pages);
    page_clear(&s->fresh);
    seal_clear(&s->sums);
    free(s->name);
    free(s->path);
    free(s->journal_path);
    free(s->created);
    free(s);
}

/* Returns to the committed content, and puts all of it into the file. */
static void return_to_committed(store *s) {
    journal_record record;
    const journal_slot *slot = journal_find(&s->head, s->id);
    page_clear(&s->pages);
    page_clear(&s->fresh);
    if (!slot) {
        if (disk_size(s->file) > s->length && ftruncate(s->file, (off_t)s->length) != 0) store_fail(s);
        return;
    }
    if (!journal_load(s->journal, slot, &record, &s->pages, &s->sums)) return;
    s->size = s->committed = record.size;
    store_seal(s);
}

/* Frees the space that a failed commit took. If this fails as well, nothing else is lost. */
static void give_back(store *s) {
    bool given = ftruncate(s->file, (off_t)s->length) == 0 && ftruncate(s->journal, (off_t)journal_end(&s->head)) == 0;
    (void)given;
}

void store_close(store *s) {
    if (s->created) unlink(s->created);
    else if (s->mode != STORE_READ && s->failure) give_back(s);
    else if (s->mode != STORE_READ && !s->spent) return_to_committed(s);
    store_release(s);
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
bool store_is_checked(const store *s) {
    return s->sums.count > 0;
}
size_t store_behind(const store *s) {
    return s->pages.count;
}
const char *store_reason(int number, char *text, size_t size) {
    snprintf(text, size, "%s", strerror(number));
    if (isupper((unsigned char)text[0]) && islower((unsigned char)text[1])) text[0] = (char)tolower(text[0]);
    return text;
}
