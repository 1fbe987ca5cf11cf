/* Derivatives of the percussions of an impact that is a process (docs/theory/sensitivity.md, (SE73), (SE74)), along the
 * operations that the process has recorded. */
#ifndef CAROM_PROCESS_CHANGE_H
#define CAROM_PROCESS_CHANGE_H

#include "integrator/impact_change.h"
#include "integrator/process_inside.h"

/* Rates of what a process holds, or weights of them: parts of one vector. */
typedef struct process_rates {
    double *s, *P, *ds, *dP;                                            /* [ns] */
    double *work, *expanded, *compression, *absorbed, *e, *rise, *rate; /* [contacts] */
} process_rates;

typedef struct process_change {
    process *process;
    const variation *v;
    process_record record;
    impact_change inner; /* of the problems that tell rates */
    int size;            /* of process_rates */
    int first, last;     /* columns that go along now, last excluded */
    double *x;           /* [columns + 1][size] */
    double *M, *WT;      /* [columns + 1][nnz] rates, or weights in the first of each */
    double *place;       /* [columns + 1][1 + nq] of the place of the impact */
    double *stage; /* [columns + 1][1 + 2 stages][ns] of s at the start of a piece, and of ds and dP at its stages */
    double *by_length, *spare; /* [size] the end of a piece by its length; room for one column */
    double *most;              /* [columns + 1] the largest rate of s so far */
    double *before, *balance, *laws, *counted, *counted_rate, *given; /* room */
    double *memory;
} process_change;

process_change *process_change_create(process *p, const variation *v); /* NULL: out of memory */
void process_change_destroy(process_change *c);
process_rates process_rates_of(const process_change *c, int column);
static inline double *process_mass_by(const process_change *c, int column) {
    return c->M + column * pattern_nnz(&c->process->m->def.M);
}
static inline double *process_direction_by(const process_change *c, int column) {
    return c->WT + column * pattern_nnz(&c->process->m->def.WT);
}

static inline double *process_stage_by(const process_change *c, int column) {
    return c->stage + column * (1 + 2 * PROCESS_STAGES) * c->process->m->ns;
}

/* How the place and s before change along a column. taken_up: s of before is zero where a scheme has taken it up.
 * False: not defined. */
bool process_change_begin(process_change *c, int column, const carom_place *rate, const double *s, bool taken_up);
/* Over all operations, for all columns that have begun: those of the percussions are in process_rates_of(column).P. */
solver_change process_change_run(process_change *c);

/* Transposed: from weights P[ns] of the percussions to those of s before [ns], of the place (t, q) and of coefficients.
 * False: not defined. */
bool process_pull(process_change *c, adjoint *a, const double *P, double *s, double *t, double *q);

/* Inside: shared by both directions. */
typedef struct process_piece {
    const double *s, *ds, *dP, *rate;
    carom_expansion x, by;
} process_piece;
process_piece process_piece_of(const process_change *c, const process_op *op);
/* Of the restitutions with which an impact begins. */
rebound process_rebound_of(const process_change *c, const process_op *op);
/* Rates at s, (SE73), and the transpose; pieces that turn (process_curve.c). */
solver_change process_rates_change(process_change *c, const process_op *op);
bool process_rates_pull(process_change *c, const process_op *op, adjoint *a, double *t, double *q);
solver_change process_curve_change(process_change *c, const process_op *op);
bool process_curve_pull(process_change *c, const process_op *op, adjoint *a, double *t, double *q);
/* A problem as it was; what follows it. */
const double *process_put_back(process_change *c, const process_op *op);

#endif
