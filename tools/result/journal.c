#include "result/journal.h"
#include "hash.h"

#include "result/disk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 4096 }; /* place of the first record */

/* ---- the head */

static uint64_t slot_sum(const journal_slot *slot) {
    return hash_bytes(1, slot, offsetof(journal_slot, sum));
}

static int newest(const journal_head *head) {
    return head->slot[1].number > head->slot[0].number;
}

journal_state journal_look(int journal, journal_head *head) {
    if (disk_size(journal) == 0) return journal_start(-1, head), JOURNAL_WHOLE;
    if (!disk_read(journal, 0, sizeof *head, head)) return JOURNAL_DAMAGED;
    if (memcmp(head->magic, JOURNAL_MAGIC, sizeof head->magic) != 0) return JOURNAL_FOREIGN;
    for (int i = 0; i < 2; i++)
        if (head->slot[i].sum != slot_sum(&head->slot[i])) return JOURNAL_DAMAGED;
    return JOURNAL_WHOLE;
}

bool journal_start(int journal, journal_head *head) {
    *head = (journal_head){0};
    memcpy(head->magic, JOURNAL_MAGIC, sizeof head->magic);
    for (int i = 0; i < 2; i++) head->slot[i].sum = slot_sum(&head->slot[i]);
    return journal < 0 || disk_write(journal, 0, sizeof *head, head);
}

bool journal_is_empty(const journal_head *head) {
    return head->slot[0].number == 0 && head->slot[1].number == 0;
}

uint64_t journal_end(const journal_head *head) {
    uint64_t end = sizeof *head;
    for (int i = 0; i < 2; i++)
        if (head->slot[i].at + head->slot[i].bytes > end) end = head->slot[i].at + head->slot[i].bytes;
    return end;
}

const journal_slot *journal_find(const journal_head *head, uint64_t id) {
    int last = newest(head);
    for (int i = 0; i < 2; i++) {
        const journal_slot *slot = &head->slot[i ? !last : last];
        if (slot->number > 0 && slot->id == id) return slot;
    }
    return NULL;
}

/* ---- reading a record */

static bool is_plausible(const journal_record *r, uint64_t bytes) {
    uint64_t most = bytes / sizeof(uint64_t);
    return r->pages <= most / (sizeof(page) / 8) && r->sums <= most && r->sums == seal_blocks(r->size) &&
           bytes == sizeof *r + r->pages * sizeof(page) + r->sums * 8;
}

static bool load_pages(int journal, uint64_t at, uint64_t count, page_set *pages, uint64_t *sum) {
    for (uint64_t i = 0; i < count; i++, at += sizeof(page)) {
        uint64_t number;
        if (!disk_read(journal, at, sizeof number, &number)) return false;
        page *p = page_find(pages, number);
        if (!p && !(p = page_add(pages, number))) return errno = ENOMEM, false;
        if (!disk_read(journal, at, sizeof(page), p)) return false;
        if (p->number != number) return errno = 0, false; /* a writer is about to overwrite it */
        *sum = hash_bytes(*sum, p, sizeof(page));
    }
    return true;
}

bool journal_load(int journal, const journal_slot *slot, journal_record *record, page_set *pages, seal_sums *sums) {
    errno = 0;
    if (disk_size(journal) < slot->at + slot->bytes || slot->bytes < sizeof *record ||
        !disk_read(journal, slot->at, sizeof *record, record) || !is_plausible(record, slot->bytes))
        return false;
    uint64_t sum = hash_bytes(slot->id, record, sizeof *record), at = slot->at + sizeof *record;
    if (!load_pages(journal, at, record->pages, pages, &sum)) return false;
    seal_clear(sums);
    if (!seal_fit(sums, record->size)) return false;
    at += record->pages * sizeof(page);
    if (!disk_read(journal, at, record->sums * 8, sums->of)) return false;
    return hash_bytes(sum, sums->of, record->sums * 8) == slot->record;
}

/* ---- writing one */

/* Where the next record goes: before the last one if there is room, else after it. */
static uint64_t free_place(const journal_head *head, uint64_t bytes) {
    const journal_slot *last = &head->slot[newest(head)];
    return last->number == 0 || FIRST + bytes <= last->at ? FIRST : last->at + last->bytes;
}

static bool write_record(int journal, journal_slot *slot, const journal_record *r, const page_set *pages,
                         const seal_sums *sums) {
    uint64_t at = slot->at + sizeof *r;
    slot->record = hash_bytes(slot->id, r, sizeof *r);
    if (!disk_write(journal, slot->at, sizeof *r, r)) return false;
    for (size_t i = 0; i < pages->slots; i++) {
        if (!pages->slot[i]) continue;
        const page *copy = pages->slot[i];
        if (!disk_write(journal, at, sizeof *copy, copy)) return false;
        slot->record = hash_bytes(slot->record, copy, sizeof *copy);
        at += sizeof *copy;
    }
    slot->record = hash_bytes(slot->record, sums->of, r->sums * 8);
    return disk_write(journal, at, r->sums * 8, sums->of);
}

bool journal_append(int journal, journal_head *head, uint64_t id, journal_record record, const page_set *pages,
                    const seal_sums *sums) {
    int last = newest(head);
    record.pages = pages->count;
    record.sums = sums->count;
    journal_slot slot = {.number = head->slot[last].number + 1,
                         .id = id,
                         .bytes = sizeof record + record.pages * sizeof(page) + record.sums * 8};
    slot.at = free_place(head, slot.bytes);
    if (!write_record(journal, &slot, &record, pages, sums)) return false;
    slot.sum = slot_sum(&slot);
    if (!disk_write(journal, offsetof(journal_head, slot) + (size_t)!last * sizeof slot, sizeof slot, &slot))
        return false;
    head->slot[!last] = slot;
    return true;
}
