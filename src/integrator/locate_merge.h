/* The events of parts that took a step on their own, in the order of their times, each with the state of all. */
#ifndef CAROM_LOCATE_MERGE_H
#define CAROM_LOCATE_MERGE_H

#include "integrator/locate.h"
#include "integrator/locate_parts.h"

typedef struct merger {
    attempt_look look; /* where all is at an instant */
    double *q, *u;     /* [nq], [nu] the same of a part */
    double *P, *contact;
    int *side;
    int *next; /* [reserved] the next instant of each part */
    int reserved;
    double *memory;
} merger;

bool merger_create(merger *x, const locate *l); /* false: out of memory */
void merger_destroy(merger *x);

/* Adds them to the log of l. quiet: the trial step of everything else, from the present state; NULL: there is nothing
 * else. False: out of memory. */
bool merger_tell(merger *x, locate *l, const island_step *part, int parts, const attempt *quiet, double end);

#endif
