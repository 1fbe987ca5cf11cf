/* Many runs, each in a process of its own, several at a time. */
#ifndef CAROM_RUNS_H
#define CAROM_RUNS_H

#include "study/track.h"

typedef struct runs_progress {
    int finished; /* runs */
    long steps;   /* of all runs so far, with those that are repeated for their time */
} runs_progress;

/* Called about five times a second. false: stop. */
typedef bool (*runs_watch)(void *context, const runs_progress *progress);

/* Executes all jobs in order, workers at a time (0: one per processor), and fills a track for each; results do not
 * depend on the number of workers. A run that fails has its reason in its track, the others go on. watch may be NULL.
 * Not OK: processes could not be started, or watch gave up ("interrupted"); all children have ended then, and tracks
 * are as far as they came. Tracks are the caller's to destroy in any case.
 * The children are copies of this process: it should have no other threads. */
carom_status runs_execute(const run_job *jobs, int count, int workers, runs_watch watch, void *context, track *tracks,
                          carom_error *error);

#endif
