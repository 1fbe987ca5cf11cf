/* The inside of a store: store.c changes it, store_open.c opens files, store_state.c reads what they hold. */
#ifndef CAROM_STORE_INSIDE_H
#define CAROM_STORE_INSIDE_H

#include "result/journal.h"
#include "result/store.h"

#include <stdbool.h>

struct store {
    char *name;                /* as given: for messages */
    char *path, *journal_path; /* behind links */
    char *created;             /* where a new file is until its first commit; NULL: in its place */
    store_mode mode;
    int file, journal;          /* descriptors; journal < 0 when reading */
    journal_head head;          /* of the journal */
    bool ours;                  /* the journal is one by carom, or was empty */
    uint64_t id;                /* 0: a file without checksums */
    bool sealed;                /* the head that was written last says sealed */
    bool unsealed;              /* opened through the journal */
    bool spent;                 /* the journal has done its work */
    uint64_t size;              /* of the content as the user sees it */
    uint64_t committed, length; /* sizes of the committed content and of its file, which may hold more */
    uint64_t base;              /* page boundary: below it changes go to pages, from it on into the file */
    page_set pages;             /* those that differ from the file */
    page_set fresh;             /* from the base on: those on their way into the file */
    seal_sums sums;
    int failure;
};

/* Keeps errno as the failure; returns false. */
bool store_fail(store *s);
/* Writes from the base on. Whole pages go to the file at once; HDF5 comes back to parts of pages, which wait in memory.
 */
bool store_write_fresh(store *s, uint64_t at, size_t size, const unsigned char *from);
/* Puts pages into the file, in their order. */
bool store_write_pages(const store *s, const page_set *set);
/* Those that wait. */
bool store_flush_fresh(store *s);
/* flock. Where the file system has none, all is granted. */
bool store_try_lock(int file, int operation);
/* Waits for at most two seconds: a reader of carom is quick, another one may stay. */
bool store_lock(int file, int operation);
/* Content through the pages, for sums of it: a seal_reader of a store. */
bool store_content(void *context, uint64_t at, size_t size, void *bytes);
/* size 0: the file is not sealed */
void store_write_head(store *s, uint64_t size, uint64_t sums);
/* Frees a store; an empty or spent journal is removed. */
void store_release(store *s);

/* "name: no such file or directory" */
carom_status store_error(const store *s, carom_error *error);
/* The committed content of an opened file, compared with its checksums. */
carom_status store_read_state(store *s, int journal, carom_error *error);
/* The same without the lock of the journal: tries again if a writer has committed meanwhile. */
carom_status store_read_shared(store *s, carom_error *error);
/* A regular file that is no link; -1: there is none. */
int store_open_to_read(const char *path);

#endif
