/* The journal of a file: what its last commit changed, until that is in place, and the checksums of the content after
 * it.
 *
 * It has a head with two slots, then records. A commit writes its record beside the last one, and then its slot in
 * place of the older slot. So whenever a process is killed, the newest slot has a complete record. */
#ifndef CAROM_JOURNAL_H
#define CAROM_JOURNAL_H

#include "result/page.h"
#include "result/seal.h"

#define JOURNAL_MAGIC "caromj2"

typedef struct journal_slot {
    uint64_t number; /* of the commit; 0: none yet */
    uint64_t id;     /* of the file */
    uint64_t at, bytes, record;
    uint64_t sum; /* of the above; record: that of the record */
} journal_slot;

typedef struct journal_head {
    char magic[8];
    journal_slot slot[2];
} journal_head;

typedef struct journal_record {
    uint64_t size, length; /* of the content; of the file, which may have its sums at its end */
    uint64_t pages, sums;  /* that follow */
} journal_record;

typedef enum journal_state {
    JOURNAL_FOREIGN, /* not a journal of carom */
    JOURNAL_DAMAGED,
    JOURNAL_WHOLE
} journal_state;

/* The head of a journal; the head of an empty file counts as complete. */
journal_state journal_look(int journal, journal_head *head);
/* An empty journal. */
bool journal_start(int journal, journal_head *head);
bool journal_is_empty(const journal_head *head);
/* Where its records end. */
uint64_t journal_end(const journal_head *head);

/* The last commit of the file with this id; NULL: there is none. */
const journal_slot *journal_find(const journal_head *head, uint64_t id);
/* The pages and sums of a commit. False: it is damaged, or memory is exhausted (errno is ENOMEM). */
bool journal_load(int journal, const journal_slot *slot, journal_record *record, page_set *pages, seal_sums *sums);
/* A commit; record.pages and record.sums are counted here. */
bool journal_append(int journal, journal_head *head, uint64_t id, journal_record record, const page_set *pages,
                    const seal_sums *sums);

#endif
