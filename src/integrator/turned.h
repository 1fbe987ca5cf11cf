/* Steps in which a contact turns so far that it closes on its other side, with energy that nothing gave
 * (docs/theory/solver.md, (S28)). */
#ifndef CAROM_TURNED_H
#define CAROM_TURNED_H

#include "integrator/integrator.h"
#include "problem/problem.h"

/* z: the solution of the problem of the step, with the velocities that carry bodies from q[0] to q[1]; h: forces; WT:
 * rows at the start; P: percussions; gaps: [2 nc] room. */
typedef struct turned_step {
    double t, dt;
    const double *z, *h, *WT, *P, *q[2];
    double *gaps;
} turned_step;

/* With the reason. Not asked of models that move by themselves: their drives are causes, too. */
bool turned_without_cause(const carom_model *m, problem *p, const turned_step *x, double tolerance,
                          step_report *report);

#endif
