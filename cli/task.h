/* Which part of the work is this process's own, where a launcher or a batch system starts many. */
#ifndef CAROM_TASK_H
#define CAROM_TASK_H

#include "sweep/part.h"

typedef struct task_found {
    sweep_task task;
    bool launched; /* by mpirun or srun: one process per processor */
} task_found;

/* text: "3/8", "array" for the index of an array job, or NULL: what mpirun or srun say, or else all of it. */
carom_status task_find(const char *text, task_found *found, carom_error *error);

#endif
