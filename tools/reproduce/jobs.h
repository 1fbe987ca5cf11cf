/* The computations behind the sources of recipes: each once, kept from call to call, several at a time. */
#ifndef CAROM_JOBS_H
#define CAROM_JOBS_H

#include "reproduce/recipe.h"

#include <stdio.h>

/* Keys begin with those of the program that computed. */
enum { KEY_LENGTH = 32, KEY_VERSION = 8 };

/* The motion of a run in the report. */
typedef enum motion { MOTION_UNTRIED, MOTION_SHOWN, MOTION_NONE } motion;

typedef struct job {
    const source *source; /* one of those it computes */
    const char *figure;   /* "rattle/fig8" */
    char key[KEY_LENGTH + 1];
    const char *output, *done, *log; /* paths: the result or folder; there when it is complete; messages */
    const char *table, *picture;     /* of a study; NULL: a run */
    double minutes;
    const char **words; /* of the command, once it is at work */
    bool at_work;
    double started, seconds;
    bool cached, finished;
    const char *failure; /* NULL: none */
    motion motion;
} job;

typedef struct jobs {
    arena memory;
    const char *program, *root, *cache;
    char version[KEY_LENGTH + 1]; /* the key of the program */
    FILE *lock;                   /* of the cache: one set of jobs at a time; NULL: none yet */
    job **all;
    int count, cached;
} jobs;

typedef struct jobs_progress {
    int finished, count;
    double left;      /* seconds, about */
    const job *ended; /* just now; NULL: none */
} jobs_progress;

/* Called several times a second, and when a job ends. False: give up. */
typedef bool (*jobs_watch)(void *context, const jobs_progress *progress);

/* The jobs of all sources that are not left out; program: the path of carom; cache: a folder that is there, where no
 * other process may be at work. */
carom_status jobs_create(recipes *r, const char *program, const char *cache, jobs *j, carom_error *error);
/* Those that are not cached, workers at a time, the longest first. A job that fails has its reason, the others go on.
 * Not OK: processes could not be started, or watch gave up; all of them have ended then. */
carom_status jobs_execute(jobs *j, int workers, jobs_watch watch, void *context, carom_error *error);
/* Removes from the cache what other versions of the program have computed: it would never be used again. Returns how
 * many computations that were. */
int jobs_forget_others(const jobs *j);
void jobs_destroy(jobs *j);

#endif
