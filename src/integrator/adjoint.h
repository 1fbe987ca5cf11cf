/* Weights of a motion, carried backwards (docs/theory/sensitivity.md, (SE50)): one number that depends on the motion is
 * known by the weights of a later state, and they are pulled back, part by part, to an earlier one. What a part needs
 * for that it keeps in the trace of the run as it is taken. */
#ifndef CAROM_ADJOINT_H
#define CAROM_ADJOINT_H

#include "integrator/variation.h"

typedef struct adjoint {
    const carom_model *m;
    double t, *q, *u;    /* of the present state */
    double *sense;       /* [slips] of the directions in which slip begins next, (SE21) */
    double *before;      /* [ns] of s^- of the event that is being passed */
    double *coefficient; /* [contacts][3] of friction and restitutions, */
    double *bound;       /* [latches][3] of what latches bear, */
    double *constants;   /* and of the constants of the model: sums over the whole motion, or until inputs change */
    double *instant;     /* [instants] of times of events, in the order of the trace */
    int instants;
    bool redundant;      /* rows depended on each other, and were taken to agree, */
    double redundant_at; /* first at this time */
    solver_change found; /* CHANGE_FOUND, or why some equations have no solution, */
    double failed_at;    /* at this time */
    double *M, *WT;      /* room for weights of them, in their patterns, */
    double *fixed;       /* [nu] and for those that nothing asks for */
    double *memory;
} adjoint;

bool adjoint_create(adjoint *a, const carom_model *model); /* false: out of memory */
void adjoint_destroy(adjoint *a);

/* Weights of rates at a place are added to those given for its time, positions and velocities (u NULL: these are
 * fixed), and to those of the constants. False: not defined there. */
bool adjoint_place(adjoint *a, const carom_place *at, const carom_tangent *weight, double *t, double *q, double *u);

/* (SE51) for a problem whose solution is z at time t, in two parts as solver_linearise and solver_pull. Weights of the
 * radii mu G (P_N - given) are taken on to the coefficients. */
bool adjoint_linearise(adjoint *a, solver *s, problem *p, const double *z, double t, bool *redundant);
void adjoint_pull(adjoint *a, solver *s, problem *p, const double *z, bool redundant, double *rates, double *radius);

/* factor P_r w_j added to the weights of W^T, as those of w^T W' P come. */
void adjoint_add_turn(const carom_model *m, double factor, const double *P, const double *w, double *WT);

/* ---- the trace */

/* Takes the weights back over a part of the motion, from what it kept. False: not defined there. */
typedef bool trace_way(void *self, const double *kept, adjoint *a);

typedef struct trace_entry {
    trace_way *pull;
    void *self;
    size_t at; /* of what it kept, after the sides of switches */
} trace_entry;

typedef struct trace {
    trace_entry *entry;
    int entries, room;
    double *kept;
    size_t used, size; /* doubles */
} trace;

void trace_destroy(trace *t);
void trace_clear(trace *t);
/* An entry with room for size doubles, on the sides that are held now; entries of a part that was given up are gone.
 * NULL: nothing is traced, or the derivatives are lost. */
double *trace_add(variation *v, trace_way *pull, void *self, size_t size);
/* All of the trace, the last entry first. Instants of the log are those from the last on. */
bool trace_pull(const trace *t, adjoint *a);

/* Copies to what is kept and from it; returned is what follows. */
double *keep(double *to, const double *from, int count);
const double *put_back(double *to, const double *from, int count);
/* The same for the units and the laws of a problem, in problem_room doubles. */
int problem_room(const problem *p);
double *problem_keep(const problem *p, double *to);
const double *problem_put_back(problem *p, const double *from);

#endif
