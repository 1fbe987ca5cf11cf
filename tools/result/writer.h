/* The inside of a result writer. */
#ifndef CAROM_WRITER_H
#define CAROM_WRITER_H

#include "result/result.h"
#include "result/table.h"

#include <pthread.h>
#include <time.h>

/* Tables beside the rows. */
typedef enum side_table { RESULT_EVENTS, RESULT_FOUND, RESULT_SIDES } side_table;
const result_events_info *side_info(const result_info *info, int side);

/* Events or contacts, stored by rows; as many as come. */
typedef struct side_list {
    double *rows;
    size_t count, room;
} side_list;

/* Rows on their way to the file, stored by rows, with their events and contacts, and the state after the last row. */
typedef struct block {
    double *rows, *state;
    size_t count;
    side_list side[RESULT_SIDES];
    long step;
} block;

struct result_writer {
    char *path;
    h5_file file;
    table rows, side[RESULT_SIDES];
    int time; /* column of t, -1: none */
    hid_t checkpoint;
    size_t state_size;
    side_list pending[RESULT_SIDES]; /* since the last row */

    pthread_t thread; /* owns the file between start and finish */
    pthread_mutex_t mutex;
    pthread_cond_t work, room;
    block front, back;   /* filled by append; emptied by the thread */
    size_t front_size;   /* rows that complete a chunk of the file */
    bool handed, stop;   /* back holds rows; no more rows will come */
    long period;         /* of commits, in milliseconds, unless they take long */
    long deadline;       /* of the next one, in milliseconds of the clock */
    long making;         /* how long it took to make the file, which counts as a commit; 0: it was there */
    carom_error failure; /* status CAROM_OK: none */

    double *state; /* [state_size] after the last row, at the given step */
    long step;
    long committed;                   /* rows */
    double last_time, committed_time; /* NaN: unknown */
};

/* A writer without a file. columns > 0. */
carom_status writer_create(const char *path, const result_info *info, int columns, const char *const *names,
                           size_t state_size, result_writer **writer, carom_error *error);
/* The names of the tables in the file, and of what kinds are there. */
extern const char *const side_groups[RESULT_SIDES], *const side_kinds[RESULT_SIDES];
/* Memory for rows, events and contacts, in chunks of so many rows. */
carom_status writer_reserve(result_writer *w, size_t rows, const size_t side[RESULT_SIDES], carom_error *error);
/* Commits what the file holds so far and starts the thread. */
carom_status writer_start(result_writer *w, carom_error *error);
/* Frees a writer whose thread does not run. opened: closes its file without a commit. */
void writer_abandon(result_writer *w, bool opened);

#endif
