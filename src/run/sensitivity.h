/* The derivatives that a run carries along, for the files that keep them (docs/theory/sensitivity.md). */
#ifndef CAROM_SENSITIVITY_H
#define CAROM_SENSITIVITY_H

#include "integrator/adjoint.h"
#include "run/sim.h"

/* Columns by name come first, then those along directions of the start. */
typedef struct sensitivity {
    variation work;                 /* goes along with the pieces of a step */
    variation step, piece;          /* at the start of the step, and of the piece */
    variation *asked;               /* the columns that were asked for: work, or */
    variation first;                /* where the motion is traced, those at its start alone */
    struct tracing *tracing;        /* its trace (gradient.c); NULL: columns go along */
    int named;                      /* columns by name */
    int *component;                 /* [named] of the start: place in (q, u); -1: a parameter */
    char **name;                    /* [named] as they were asked for */
    double *along;                  /* [columns - named][1 + nq + nu] directions of (t, q, u) */
    double *c, *s, *q_dot, *WT, *M; /* room */
    bool *begins;                   /* [contacts] which slip begins from rest */
    bool *held;                     /* [ns] which rows a direction must keep */
    double *memory;
} sensitivity;

/* The columns at the start, (SE1), (SE14). initial: the state is that of the model, which parameters may move. */
carom_status sensitivity_start(carom_sim *sim, bool initial, carom_error *error);

/* What goes along instead of columns where a trace was asked for; memory: doubles. False: out of memory. */
bool tracing_create(carom_sim *sim, size_t memory);
void tracing_destroy(struct tracing *t);
/* The motion begins here. */
void tracing_restart(struct tracing *t);
/* After a step that was taken: what is weighed there. */
void tracing_end_step(carom_sim *sim);

/* Weights of constants are taken to what was asked for, with the inputs of now: before these change. */
void tracing_settle(carom_sim *sim, adjoint *a);

/* How derivatives are computed. */
typedef struct sensitivity_kind {
    bool traced;   /* by the adjoint, with a trace of so many */
    size_t memory; /* bytes */
    int from;      /* the side, (SE63); 0: both */
} sensitivity_kind;

/* What was asked for, before the first step; along: directions, or NULL. */
carom_status sensitivity_ask(carom_sim *sim, const char *const *by, int count, const double *along, int directions,
                             const sensitivity_kind *kind, carom_error *error);

/* Anchors follow the other coordinates, (SE9): at the start, and after every step. */
void sensitivity_anchor(carom_sim *sim, const motion *end);

#endif
