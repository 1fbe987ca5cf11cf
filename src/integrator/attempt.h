/* A trial step with fixed states of its contacts: its ends, its nodes, and its dense output (docs/theory/events.md,
 * (V1), (V2)). It owns copies of everything it shows, and does not change once it is taken. */
#ifndef CAROM_ATTEMPT_H
#define CAROM_ATTEMPT_H

#include "integrator/dense.h"
#include "integrator/fixed_scheme.h"
#include "integrator/phase.h"

typedef struct attempt {
    const carom_model *m;
    double h;    /* its length */
    bool brief;  /* so short a part of the whole step that position functions show nothing but round-off */
    phase start; /* with the states it was taken with */
    phase end;   /* end.x.P: percussions of this step alone */
    bool obeys;  /* percussions of the step and of its nodes are in their cones, up to what counts as zero, */
    bool admits; /* or others are that lead to the same motion, and are those of the step, (V14) */
    int nodes;   /* of the scheme, at c */
    const double *c;
    scheme_node *node; /* [nodes] but for q and u, which the dense output has */
    double *shown;     /* [nodes][nc + slips + ns] what they point to */
    dense dense;
    double *position; /* [dense.s + 2][nq] at both ends and the nodes inside, then h q_dot at both ends */
    double *velocity; /* [dense.s][nu] */
    double *memory;
} attempt;

/* memory: doubles of scheme memory in a motion. False: out of memory. */
bool attempt_create(attempt *a, const carom_model *model, const fixed_scheme *scheme, int memory);
void attempt_destroy(attempt *a);

/* After the scheme has stepped from a->start to a->end: copies what it shows at its nodes, and, when a->end is final,
 * at both ends. False: the model is not defined at an end. */
void attempt_keep_nodes(attempt *a, const fixed_scheme *scheme);
bool attempt_keep_ends(attempt *a);

/* A place on the dense output, owned by the caller. */
typedef struct attempt_look {
    double t, *q, *u;
    double *weights;
    double *memory;
} attempt_look;
bool attempt_look_create(attempt_look *x, const attempt *a); /* false: out of memory */
void attempt_look_destroy(attempt_look *x);
void attempt_at(const attempt *a, double theta, attempt_look *x);

/* Slip of a contact along its sense; slip: all slips of the model. */
double attempt_slip(const attempt *a, int contact, const double *slip);
/* Over the step: P_N of a closed contact (OPENING), mu P_N - |P_F| of a sticking contact (BREAK), zero of others */
double attempt_margin(const attempt *a, carom_event_kind kind, int contact);
/* Whether one of these, or the friction of a sliding contact, is beyond its cone in the step or at a node. */
bool attempt_strains(const attempt *a, int contact);
/* Whether none of these is negative for given percussions, (V14) */
bool attempt_obeys(const attempt *a, const double *P);

#endif
