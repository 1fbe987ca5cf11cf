/* How the solution of a velocity problem changes with what it is made of (docs/theory/sensitivity.md, (SE5)):
 *
 *     M (u - v) = f + W (P - counted)            as a balance whose rate at fixed (u, P) the scheme knows
 *     s(t, q, u) + e s^-                         the rows of the laws, e that in effect */
#ifndef CAROM_IMPACT_CHANGE_H
#define CAROM_IMPACT_CHANGE_H

#include "integrator/adjoint.h"
#include "integrator/impact.h"
#include "integrator/rebound_change.h"
#include "integrator/rub_change.h"

typedef struct impact_change {
    impact *impact;
    const variation *v;
    solver *solver;        /* its own, so that the motion does not depend on whether derivatives are asked for */
    solver *of;            /* the one that solves the problem just before; NULL: none does */
    double *rows, *radius; /* [columns + 1][n + looks], [columns + 1][laws] */
    double *WT;            /* rates of it */
    double *percussion;    /* [ns] less those that are counted already */
    struct process_change *process; /* of the impact that is a process; NULL: there is none */
    double *s, *P, *place; /* [ns], [ns], [1 + nq] weights of the process: of s before, of percussions, of the place */
    double *at;            /* [n + looks] the rows at the solution, where laws read slips from them */
    double *e, *rebound;   /* [contacts] rates or weights of the restitution, and room for it */
    double *memory;
} impact_change;

/* Rates of what the problem is made of, along one column; NULL: zero. */
typedef struct impact_rate {
    const double *balance;      /* [nu] of the balance at fixed (u, P), without its terms in W */
    const double *counted;      /* [ns] percussions taken off P in it, */
    const double *counted_rate; /* and their rates */
    const double *WT, *s;       /* of W^T, and of s at fixed u, where they are known; NULL: the model tells */
    const double *laws;         /* [ns] of the rows of laws, where they are not s + e s^-; else NULL, and */
    const double *before;       /* [ns] of s^- */
    const double *start;        /* [ns] of s from which a process starts; NULL: before */
    const double *direction;    /* [slips] of directions of slip that are given */
    const double *given;        /* [ns] of what is taken off P_N in the radius of friction */
    const double *slips;        /* [slips] of slips that friction follows and that are given */
} impact_rate;

bool impact_change_create(impact_change *c, impact *i, const variation *v); /* false: out of memory */
void impact_change_destroy(impact_change *c);

/* Does the law of impact of a contact tell how its expansion changes? */
bool impact_has_rates(const carom_model *model, int contact);
/* At the solution (t, q, u), which changes at the given rate with u fixed. False: not defined there. */
bool impact_change_column(impact_change *c, int column, const carom_place *at, const carom_place *rate,
                          const impact_rate *rates);
/* After all columns: those of the solution. */
solver_change impact_change_solve(impact_change *c);
const double *impact_change_of(const impact_change *c, int column);

/* ---- transposed. The problem as it is, for the trace, in impact_room doubles; and as it was. before: where it reads s
 * before. M, WT and chi are for the caller to set. */
int impact_room(const impact *i);
double *impact_keep(const impact *i, double *to);
const double *impact_put_back(impact *i, double *before, const double *from);

/* Weights of u and P (NULL: none) become those of the rows and the sets in rows[n + looks] and radius[laws], those of
 * the balance first; what they say of e, and e s^-' of s^- (before NULL: there is none), is added. False: not defined.
 */
bool impact_pull(impact_change *c, adjoint *a, double t, const double *u, const double *P, double *before);
/* After it: what mu by slip and a process say of the place (t, q) beside M, W^T and s, and mu of given slips (NULL). */
bool impact_pull_place(impact_change *c, adjoint *a, double *t, double *q, double *slips);

#endif
