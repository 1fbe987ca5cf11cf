/* carom: laws and integrators of a program's own, by the descriptors that carom's own have.
 *
 * A descriptor is registered once, before other threads use the library, and must live as long as the process. Then it
 * is listed (carom_law, carom_integrator), scenes and models may name it, and carom_law_check or carom_integrator_check
 * hold it to what it says.
 * SPDX-License-Identifier: MIT */
#ifndef CAROM_PLUGIN_H
#define CAROM_PLUGIN_H

#include <carom/carom.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- laws
 *
 * A set-valued law  y in N_C(-r)  (docs/theory/laws.md) only knows its convex set C, which contains 0. It works with
 * velocities throughout: v is the velocity of the contact, w = G r the percussion times the inverse effective mass G.
 * Then C has the size of a velocity too:
 *
 *     v in N_C(-w)   <=>   w + prox_C(v - w) = 0                                                            (L1)
 *
 * The set of friction grows with the radius mu G P_N: C(radius) = radius C(1). Contacts name a law of friction in the
 * field or key 'law', a law of impact in 'impact'.
 *
 * A contact that slides has the force that C has for the direction of its slip; it sticks as long as -w is in C. With
 * one slip C is an interval, whose ends are the two forces, and prox tells them. With several slips the functions
 * support and gauge do, (L27), (L28): every set whose edge is smooth and curved everywhere has them. Every integrator
 * with friction takes such a law, captured and located, and impacts by poisson and energetic. A set with facets or
 * corners has several forces for one direction, or one force for many: located events ('events: locate'),
 * generalized_alpha and these impacts prescribe the force by the direction, and refuse it. multisymplectic has no
 * friction.
 */

enum { CAROM_LAW_SIZE = 3 }; /* most components of a law */

typedef enum carom_law_branch {
    CAROM_LAW_OPEN, /* w = 0 */
    CAROM_LAW_HOLD, /* v = 0 */
    CAROM_LAW_SLIDE /* w on the boundary of C */
} carom_law_branch;

/* The branch a Newton step takes and its equation: row = 0 with derivatives by v, w and the radius of C. */
typedef struct carom_law_row {
    carom_law_branch branch;
    double row[CAROM_LAW_SIZE];
    double v[CAROM_LAW_SIZE][CAROM_LAW_SIZE], w[CAROM_LAW_SIZE][CAROM_LAW_SIZE], radius[CAROM_LAW_SIZE];
} carom_law_row;

/* The expansion of an impact, as a law of impact sees it (docs/theory/laws.md, (L8)-(L10)). The normal percussion of
 * the contact grows; compression ended where its gap_dot had come to zero. */
typedef struct carom_expansion {
    double restitution; /* e_N */
    double speed;       /* -gN_dot before the impact */
    double compression; /* percussion of the compression, and the work that it took */
    double absorbed;
    double expansion; /* percussion of the expansion so far, and the work that it gave */
    double released;
    double gap_dot; /* now, and what a unit of percussion adds to it */
    double slope;
} carom_expansion;

/* A law of friction has a set; a law of impact has an expansion. */
typedef struct carom_law_def {
    carom_law_info info;
    int least, most; /* slips of the contacts that may have it; most = 0: it is no law of friction */
    /* p: the point of C(radius) nearest to x, both with n components. Without a radius C is {0}. */
    void (*prox)(int n, const double *x, double radius, double *p);
    /* The active-set form of (L1): row = w + prox(v - w), which is v where v - w is in C. */
    void (*linearise)(int n, const double *v, const double *w, double radius, carom_law_row *row);
    /* Both or none, for sets of two or three slips. p: the point of C(1) at which y, of any length, is the outward
     * normal, with its derivatives by y. */
    void (*support)(int n, const double *y, double *p, double p_y[CAROM_LAW_SIZE][CAROM_LAW_SIZE]);
    /* The radius with which C(radius) has x on its edge, with its derivatives by x, which point outwards. x is not 0.
     */
    double (*gauge)(int n, const double *x, double *gauge_x);
    /* Of a law of impact, which has no set: the percussion that the expansion still adds if gap_dot keeps its slope;
     * not above 0: it is over, by so much. Where slip turns gap_dot has no such slope, and the end is found by it. */
    double (*expand)(const carom_expansion *now);
    /* For sensitivities: its derivatives by each of the numbers, not held at 0 where the expansion is over. Optional.
     */
    void (*expand_by)(const carom_expansion *now, carom_expansion *by);
} carom_law_def;

/* The rows v = 0 and w = 0, with their derivatives. */
CAROM_API void carom_law_hold(int n, const double *v, carom_law_row *row);
CAROM_API void carom_law_open(int n, const double *w, carom_law_row *row);

/* Refuses names that are taken, and descriptors that lack something. */
CAROM_API CAROM_CHECK carom_status carom_law_register(const carom_law_def *law, carom_error *error);

/* Is prox the projection on a convex set that grows with the radius, is the row (L1), are its derivatives those of the
 * row? Of a law of impact: does the expansion end, and does it release what its statement on energy allows? Returns the
 * number of findings; at most max are written. */
CAROM_API int carom_law_check(const carom_law_def *law, carom_finding *findings, int max);

/* ---------------------------------------------------------------- integrators */

enum { CAROM_MOST_STAGES = 8 };

/* The state between two steps. memory is the integrator's own: everything the next step depends on is in here. */
typedef struct carom_motion {
    double t;
    double *q, *u, *P; /* P: percussions of the step that ended here, in the order of s */
    double *contact;   /* [contacts] carom_contact_state */
    double *memory;
} carom_motion;

/* Parts of steps in which a gap could not be shown to stay open. */
typedef struct carom_doubt {
    long count;
    int contact; /* of the first one */
    double time;
} carom_doubt;

typedef struct carom_step_report {
    int newton[CAROM_MOST_STAGES]; /* iterations per stage */
    double residual;
    int weakened;      /* contacts whose impact law had no solution with their rebound, (L4) */
    double lost;       /* velocity of the fastest of these rebounds */
    double *dulled;    /* [contacts] 1: it is one of these and in no log of events yet; NULL: not asked for */
    double yielded;    /* velocity by which contacts gave way, (L5) */
    bool captured;     /* events of the step could not all be located */
    bool reduced;      /* (a part of) it was taken in a simpler form, since its own found no solution, (B19), (A14) */
    int switched;      /* sides of formulas that were left */
    carom_doubt doubt; /* parts of it in which a gap may have closed unseen */
    bool exhausted;    /* it failed for want of memory: do not try it again in parts, which would be another motion */
    char reason[320];  /* why a step failed */
    const char *hint;  /* what to do about it: "; try ...". Prefer a reason that carries a hint. */
} carom_step_report;

/* How long steps may be: dt^2 omega^2 + damping dt delta <= x^2 for every small motion with frequency omega and damping
 * delta (docs/theory/stability.md). x = 0: as long as they like. divided: dt omega up to which a step that is divided
 * changes the motion by little. */
typedef struct carom_stability_limit {
    double x, damping, divided;
} carom_stability_limit;

struct problem;   /* of carom's own schemes: the problem of a stage ... */
struct event_log; /* ... located events ... */
struct variation; /* ... and derivatives of the motion */

typedef struct carom_integrator_def {
    carom_integrator_info info;
    int stages;
    bool whole;    /* steps are tied to each other by dt: one that fails cannot be taken in parts */
    bool kicks;    /* percussions act where the step ends, on the velocity of its start */
    bool any_laws; /* contacts may have any law of friction, also with several forces for one direction of slip */
    bool finds; /* contacts may come and go between steps: its memory is numbers of its own, then vectors in the order
                 * of s, and what start writes into these is right for a contact that comes */
    bool turns; /* of a scheme that finds: it asks for d(W r)/dq */
    int rates;  /* 1 + the number of the vector of its memory that holds s(t, q, u) at the end of a step; 0: none */
    /* *memory: doubles of memory wanted. A scheme that fails to be created is destroyed all the same. */
    carom_status (*create)(const carom_model *model, const carom_run_def *run, void **self, int *memory,
                           carom_error *error);
    void (*destroy)(void *self); /* self may be NULL */
    /* Fills the memory at the initial state, and corrects its contacts where it knows better. False: report says why;
     * without a reason the model is not defined there. */
    bool (*start)(void *self, carom_motion *first, carom_step_report *report);
    /* From now to next, over dt; next->t is set. False: report says why, and next is not to be used. */
    bool (*step)(void *self, const carom_motion *now, carom_motion *next, double dt, double tolerance,
                 carom_step_report *report);
    /* Forget history that is not in the memory, so that the coming steps depend on the state alone. */
    void (*forget)(void *self);

    /* All below may be NULL or 0. */
    carom_stability_limit (*limit)(const void *self);
    bool within; /* refuses to step beyond it */
    /* p at a state as the scheme itself carries it; NULL: dL/du at (t, q, u). Not 0: the model is not defined there. */
    int (*momentum)(void *self, const carom_motion *now, double *p);
    /* Counts and numbers of its own, the first values of the memory: shown in the summary of a run. */
    int figures;
    const char *const *figure_names;
    /* Columns of its own at a state, in the order of the names. Not 0: the model is not defined there. */
    int columns;
    const char *const *column_names;
    int (*column)(void *self, const carom_motion *now, double *values);

    /* Of carom's own schemes. The problem of a stage and its solution in the step taken last, which tests compare with
     * differences; located events, whether no gap can close unseen then, and the sides of the model's switches that the
     * step ended on. */
    struct problem *(*stage)(void *self, int stage, const double **z);
    const struct event_log *(*events)(void *self);
    bool (*certifies)(void *self);
    const int *(*sides)(void *self);
    /* s(t, q, u) at the end of the step taken last, as its problem knows it. False: it does not. */
    bool (*velocities)(const void *self, double *s);
    /* From now on steps carry these derivatives along; NULL: none. False: out of memory. */
    bool (*vary)(void *self, struct variation *variation);
} carom_integrator_def;

CAROM_API CAROM_CHECK carom_status carom_integrator_register(const carom_integrator_def *integrator,
                                                             carom_error *error);

/* Runs an integrator that is registered on small problems with known solutions, and holds it to its promises: orders,
 * joints, impacts, friction, energy, the same bits after a checkpoint. */
CAROM_API int carom_integrator_check(const char *name, carom_finding *findings, int max);

/* What any integrator with contacts needs: at (t, q) the velocity jumps from v to u,
 *
 *     M (u - v) = w0 h(t,q,v) + w1 h(t,q,u) + W P                        (N1)
 *     laws of all joints, and of the contacts with g_N <= 0              (N2)
 *
 * solved to the criterion of carom's own schemes. */
typedef struct carom_node carom_node;
CAROM_API carom_node *carom_node_create(const carom_model *model); /* NULL: out of memory */
CAROM_API void carom_node_destroy(carom_node *node);
CAROM_API void carom_node_forget(carom_node *node);
/* (N1), (N2), from the guess P. */
CAROM_API bool carom_node_kick(carom_node *node, double t, const double *q, const double *v, double w0, double w1,
                               const double *P, double tolerance, carom_step_report *report);
/* Velocities, percussions and contact states of the last kick. */
CAROM_API void carom_node_read(carom_node *node, carom_motion *next);
/* next->q from now->q with the constant velocity u, for any kinematics. */
CAROM_API bool carom_node_advance(carom_node *node, const carom_motion *now, const double *u, carom_motion *next,
                                  double dt, double tolerance, carom_step_report *report);

#ifdef __cplusplus
}
#endif
#endif
