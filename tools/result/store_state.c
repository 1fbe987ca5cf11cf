/* What a file and its journal hold, and whether it is whole. */
#include "hash.h"
#include "result/store_inside.h"

#include "error.h"
#include "result/disk.h"
#include "scene/signature.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

carom_status store_error(const store *s, carom_error *error) {
    char reason[128];
    return carom_error_set(error, CAROM_DATA, "%s: %s", s->name, store_reason(errno, reason, sizeof reason));
}

static carom_status not_readable(const store *s, carom_error *error) {
    return errno == ENOMEM ? carom_error_memory(error) : store_error(s, error);
}

static carom_status truncated(const store *s, uint64_t length, carom_error *error) {
    return carom_error_set(error, CAROM_DATA, "%s is truncated: %" PRIu64 " of %" PRIu64 " bytes are left", s->name,
                           disk_size(s->file), length);
}

static carom_status compare_sums(store *s, carom_error *error) {
    size_t block;
    if (!seal_compare(&s->sums, s->size, store_content, s, &block)) return not_readable(s, error);
    if (block == s->sums.count) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA, "%s is damaged: what was written after its first %zu bytes has changed",
                           s->name, block * (size_t)SEAL_BLOCK);
}

/* The superblock of HDF5, version 2 or 3, says where HDF5's content ends. If another program changed a sealed file, it
 * has cut off the sums, and the file ends there. */
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
    bool complete = length >= s->length; /* more: bytes beyond it, by a process killed before its first commit */
    if (complete && (!seal_fit(&s->sums, s->size) || !disk_read(s->file, s->size, bytes, s->sums.of)))
        return not_readable(s, error);
    if (complete && hash_bytes(s->id, s->sums.of, bytes) == head->sums) return compare_sums(s, error);
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
        if (!disk_read(s->file, p->number * PAGE, PAGE, bytes)) return false;
        if (memcmp(bytes, p->bytes, PAGE) == 0) continue;
        page *copy = page_add(&behind, p->number);
        if (!copy) return page_clear(&behind), errno = ENOMEM, false;
        *copy = *p;
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
    return carom_error_set(
        error, CAROM_DATA,
        old ? "%s was begun by an older carom, which wrote no checksums: only that version can resume it"
            : "%s is not a result of carom",
        s->name);
}

carom_status store_read_state(store *s, int journal, carom_error *error) {
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

/* Changes whenever a writer at work commits. */
typedef struct marks {
    seal_head file;
    journal_head journal;
} marks;

static marks read_marks(const store *s, int journal) {
    marks m;
    memset(&m, 0, sizeof m);
    disk_read(s->file, 0, sizeof m.file, &m.file);
    if (journal >= 0) disk_read(journal, 0, sizeof m.journal, &m.journal);
    return m;
}

int store_open_to_read(const char *path) {
    struct stat info;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 || (fstat(file, &info) == 0 && S_ISREG(info.st_mode))) return file;
    close(file);
    return -1;
}

carom_status store_read_shared(store *s, carom_error *error) {
    enum { TIMES = 50 };
    for (int i = 0;; i++) {
        int journal = store_open_to_read(s->journal_path);
        marks before = read_marks(s, journal);
        carom_status status = store_read_state(s, journal, error);
        marks after = read_marks(s, journal);
        if (journal >= 0) close(journal);
        if (status == CAROM_OK || i == TIMES || memcmp(&before, &after, sizeof before) == 0) return status;
    }
}
