/* A file that changes only by whole commits, even if the process is killed in between, and that detects damage.
 *
 * Bytes past the committed end are written in place, at the latest by the next commit: nobody looks there yet. Changes
 * below it stay in memory, page by page, until a commit puts them into PATH.journal together with the checksums of the
 * whole content; only then are they written in place. A process killed before the record is complete leaves the old
 * content, one killed later leaves a journal that gives the new content: every opening reads through it. A sealed file
 * needs no journal: its checksums are in the file (seal.h). Opening compares all of them before the caller sees a byte.
 * A new file is PATH.new until its first commit, and what it replaces stays till then.
 *
 * A reader holds a shared lock on the file and sees the content as of its opening; while there are readers, commits
 * stay in the journal. The writer holds the journal's lock. Where the file system has no locks, there are none.
 *
 * Files that carom did not write, or wrote before it had checksums, can be read as they are. */
#ifndef CAROM_STORE_H
#define CAROM_STORE_H

#include "carom/carom.h"
#include "result/seal.h"

#include <stdint.h>

typedef struct store store;

typedef enum store_mode {
    STORE_CREATE, /* replaces what was there */
    STORE_UPDATE,
    STORE_READ
} store_mode;

enum { STORE_HEAD = SEAL_HEAD }; /* the content begins there */

carom_status store_open(const char *path, store_mode mode, store **opened, carom_error *error);

/* The first failure of the file system is kept (store_errno). From then on writes go to memory only, so that whoever
 * writes can come to an orderly end, and commits fail: the file keeps its last committed content. */
bool store_read(store *s, uint64_t at, size_t size, void *bytes);
bool store_write(store *s, uint64_t at, size_t size, const void *bytes);
bool store_commit(store *s);
/* A commit that is on the disk, also after a power cut, and needs no journal. */
bool store_seal(store *s);
int store_errno(const store *s); /* 0: none */
/* An errno as the end of a sentence: "no space left on device". */
const char *store_reason(int number, char *text, size_t size);

uint64_t store_size(const store *s);
void store_resize(store *s, uint64_t size);
uint64_t store_id(const store *s); /* a random number that tells files apart; 0: not a file of a store */
/* The content was left to the journal by a process that was killed or is at work. */
bool store_is_unsealed(const store *s);
/* The content has checksums: no other program has changed it. */
bool store_is_checked(const store *s);
/* Pages of the last commit that are not in place. */
size_t store_behind(const store *s);

/* Uncommitted changes are lost; the last commit is sealed. */
void store_close(store *s);

#endif
