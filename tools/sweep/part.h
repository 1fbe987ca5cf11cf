/* A part of a sweep: its runs by several processes, into a file that survives them. */
#ifndef CAROM_PART_H
#define CAROM_PART_H

#include "sweep/sweep.h"

/* One of several tasks, possibly on several machines, with the runs number, number + of, number + 2 of, ...; both count
 * from 0. */
typedef struct sweep_task {
    int number, of;
} sweep_task;

typedef struct sweep_progress {
    long first, done, total, failed; /* runs of the task; how many an earlier command had done */
} sweep_progress;

/* Called many times a second. false: stop. */
typedef bool (*sweep_watch)(void *context, const sweep_progress *progress);

/* "OUT.part", or "OUT.part3of8"; to be freed. The reasons of failed runs are beside it, with ".failed" at the end. */
char *part_path(const char *out, sweep_task task);

/* Computes the runs of a task that its file does not have yet, workers at a time (0: one per processor). The content of
 * the file does not depend on their number. Any other status than CAROM_OK: the file cannot be written, it belongs to
 * another sweep, or watch gave up; the same call goes on from there. */
carom_status part_compute(const sweep_question *q, sweep_task task, const char *path, int workers, sweep_watch watch,
                          void *context, carom_error *error);

#endif
