/* Many jobs, each in a child process of its own, several at a time. */
#ifndef CAROM_POOL_H
#define CAROM_POOL_H

#include "carom/carom.h"

typedef struct pool {
    int count, workers; /* jobs, which start in their order; how many run at a time */
    int stop;           /* the signal that ends a child when its parent ends or gives up: SIGTERM or SIGKILL */
    int period;         /* milliseconds between two calls of watch at most */
    void *context;
    carom_status (*begin)(void *context, int job, carom_error *error); /* before the child is there */
    void (*work)(void *context, int job);            /* in the child, which then ends with exit code 0 */
    void (*end)(void *context, int job, int status); /* after the child has ended; status is that of waitpid */
    bool (*watch)(void *context);                    /* false: give up */
} pool;

/* Any other status than CAROM_OK: begin failed, a process could not be started, or watch gave up ("interrupted"); all
 * children have ended then. Children are copies of this process, which should have no other threads. */
carom_status pool_run(const pool *p, carom_error *error);

/* Processors this process may use. */
int pool_processors(void);

#endif
