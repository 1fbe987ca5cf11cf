/* A file that changes only by whole commits, whatever kills the process in between.
 *
 * Bytes past the committed end are written in place: nobody looks there yet. Changes below it stay in memory, page by
 * page, until a commit appends them to PATH.journal as one checksummed record; only then are they written in place and
 * the journal emptied. A process killed before the record is complete leaves the old content, one killed later leaves
 * a journal that gives the new content: every opening reads through it. A new file is PATH.new until its first commit,
 * and what it replaces stays till then.
 *
 * A reader holds a shared lock on the file and sees the content as of its opening; while there are readers, commits
 * stay in the journal. The writer holds the journal's lock. Where the file system has no locks, there are none. */
#ifndef CAROM_STORE_H
#define CAROM_STORE_H

#include "carom/carom.h"

#include <stdint.h>

typedef struct store store;

typedef enum store_mode {
    STORE_CREATE, /* replaces what was there */
    STORE_UPDATE,
    STORE_READ
} store_mode;

carom_status store_open(const char *path, store_mode mode, store **opened, carom_error *error);

/* The first failure of the file system is kept (store_errno). From then on writes go to memory only, so that whoever
 * writes can come to an orderly end, and commits fail: the file keeps its last committed content. */
bool store_read(store *s, uint64_t at, size_t size, void *bytes);
bool store_write(store *s, uint64_t at, size_t size, const void *bytes);
bool store_commit(store *s);
int store_errno(const store *s); /* 0: none */
/* An errno as the end of a sentence: "no space left on device". */
const char *store_reason(int number, char *text, size_t size);

uint64_t store_size(const store *s);
void store_resize(store *s, uint64_t size);

/* The journal carries the identity of its file, since it may have been left behind by another one. Nothing is changed
 * in an opened file before its user has seen the content and trusts it, with or without the journal. */
bool store_has_journal(const store *s);
uint64_t store_id(const store *s); /* of the journal's file */
void store_ignore_journal(store *s);
void store_trust(store *s, uint64_t id);

/* Uncommitted changes are lost; an empty journal is removed. */
void store_close(store *s);

#endif
