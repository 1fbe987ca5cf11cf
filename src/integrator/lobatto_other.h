/* The scheme of a run with another number of stages, for single steps: two if more find no solution, 2s-1 if slip
 * turns.
 */
#ifndef CAROM_LOBATTO_OTHER_H
#define CAROM_LOBATTO_OTHER_H

#include "integrator/lobatto_scheme.h"

typedef struct lobatto_other {
    const lobatto_scheme *own; /* the one of the run, borrowed */
    lobatto_scheme scheme;
    double *from, *to; /* memories of its motions before and after a step */
    double *memory;
} lobatto_other;

/* False: out of memory; it is to be destroyed all the same. */
bool lobatto_other_create(lobatto_other *o, const lobatto_scheme *own, int s);
void lobatto_other_destroy(lobatto_other *o);

/* The motion of the run as the other scheme keeps it. */
motion lobatto_other_from(const lobatto_other *o, const motion *now);
motion lobatto_other_to(const lobatto_other *o, const motion *next);
/* After its step: the motion as the run keeps it, with guesses for the next step. */
void lobatto_other_read(const lobatto_other *o, const motion *to, motion *next, double dt);
/* Guesses for the next step of own from the percussions of this one. */
void lobatto_keep_percussions(const lobatto_scheme *own, motion *next, double dt);

/* Captures whatever happens in the step at its end. The report says that the step was reduced. */
bool lobatto_other_capture(lobatto_other *o, const motion *now, motion *next, double dt, double tolerance,
                           step_report *report);

#endif
