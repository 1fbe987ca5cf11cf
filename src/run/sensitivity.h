/* The derivatives that a run carries along, for the files that keep them (docs/theory/sensitivity.md). */
#ifndef CAROM_SENSITIVITY_H
#define CAROM_SENSITIVITY_H

#include "integrator/variation.h"
#include "run/sim.h"

/* Columns by name come first, then those along directions of the start. */
typedef struct sensitivity {
    variation work;                 /* goes along with the pieces of a step */
    variation step, piece;          /* at the start of the step, and of the piece */
    int named;                      /* columns by name */
    int *component;                 /* [named] of the start: place in (q, u); -1: a parameter */
    char **name;                    /* [named] as they were asked for */
    double *along;                  /* [columns - named][1 + nq + nu] directions of (t, q, u) */
    double *c, *s, *q_dot, *WT, *M; /* room */
    bool *held;                     /* [ns] which rows a direction must keep */
    double *memory;
} sensitivity;

/* The columns at the start, (SE1), (SE14). initial: the state is that of the model, which parameters may move. */
carom_status sensitivity_start(carom_sim *sim, bool initial, carom_error *error);

#endif
