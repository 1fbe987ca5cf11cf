/* Which part of the work belongs to this process, if a launcher or a batch system starts many. */
#ifndef CAROM_TASK_H
#define CAROM_TASK_H

#include "sweep/part.h"

typedef struct task_found {
    sweep_task task;
    bool launched; /* by mpirun or srun: one process per processor */
} task_found;

/* text: "3/8", "array" for the index of an array job, or NULL: as mpirun or srun say, or else everything. */
carom_status task_find(const char *text, task_found *found, carom_error *error);

#endif
