/* The computations behind the sources of recipes. Each is computed once and kept from call to call; several run at a
 * time. */
#ifndef CAROM_JOBS_H
#define CAROM_JOBS_H

#include "reproduce/recipe.h"

#include <stdio.h>

/* A key begins with the key of the program that computed. */
enum { KEY_LENGTH = 32, KEY_VERSION = 8 };

/* The motion of a run in the report. */
typedef enum motion { MOTION_UNTRIED, MOTION_SHOWN, MOTION_NONE } motion;

typedef struct job {
    const source *source; /* one of those it computes */
    const char *figure;   /* "rattle/fig8" */
    char key[KEY_LENGTH + 1];
    const char *output, *done,
        *log; /* paths of the result or folder, of the file that is there once it is complete, and of its messages */
    const char *table, *picture; /* of a study; NULL: a run */
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

/* Called several times a second, and whenever a job ends. Returns false to give up. */
typedef bool (*jobs_watch)(void *context, const jobs_progress *progress);

/* The jobs of all sources that are not left out. program: the path of carom; cache: a folder that exists and that no
 * other process uses. */
carom_status jobs_create(recipes *r, const char *program, const char *cache, jobs *j, carom_error *error);
/* Computes those that are not cached, workers at a time, the longest first. A job that fails says why, and the others
 * go on. Any other status than CAROM_OK: no process could be started, or watch gave up; all processes have ended
 * then. */
carom_status jobs_execute(jobs *j, int workers, jobs_watch watch, void *context, carom_error *error);
/* Removes from the cache what other versions of the program have computed, since this version never uses it. Returns
 * the number of computations removed. */
int jobs_forget_others(const jobs *j);
void jobs_destroy(jobs *j);

#endif
