/* A node of the Moreau-type schemes (docs/theory/moreau.md): at (t, q) the velocity jumps from v to u,
 *
 *     M (u - v) = w0 h(t,q,v) + w1 h(t,q,u) + W P                        (N1)
 *     laws (I2)-(I4) with s^- = s(t,q,v), for contacts with g_N <= 0     (N2)
 *
 * or with a balance of the scheme's own in place of (N1). Between nodes positions move by (K1) with u, or, where joints
 * are kept closed, by (H1)-(H3). */
#ifndef CAROM_NODE_H
#define CAROM_NODE_H

#include "integrator/closure.h"
#include "integrator/impact.h"
#include "integrator/kinematics.h"
#include "integrator/rehearsal.h"

typedef struct node {
    const carom_model *m;
    impact impact;
    kinematics kinematics;
    closure *closure; /* NULL: joints drift, or the scheme closes them itself */
    bool drifts;
    bool weighed; /* M is known, which may be constant */
    double *M, *WT, *c, *before, *h, *h_u;
    double *u, *P, *contact; /* after the half kick of a first step */
    double *memory;          /* these vectors in one piece */
    /* of the present kick */
    double t, w1;
    const double *q;
} node;

/* own: the scheme's balance, or (N1) by node_implicit; NULL: (N1) with w1 = 0. False: out of memory. */
bool node_create(node *n, const carom_model *model, const impact_balance *own);
impact_balance node_implicit(node *n, const carom_model *model);
void node_destroy(node *n);

/* Reads what the run asks for: the error at which contacts are accepted, and whether joints are kept closed. Joints
 * that do not fit together otherwise are kept closed, too. */
carom_status node_read_options(node *n, const carom_run_def *run, carom_error *error);
#define NODE_OPTIONS JOINTS_OPTION("positions are kept on the joints", "; others drift open by O(dt)"), ACCEPT_OPTIONS

/* W, s^-, and the contacts that are closed at (t, q). False: the model is not defined there. */
bool node_visit(node *n, double t, const double *q, const double *v);
/* Solves from the guess u = v and P; False: report says why. */
bool node_solve(node *n, bool defined, const double *P, double tolerance, step_report *report);
/* (N1), (N2) in one. */
bool node_kick(node *n, double t, const double *q, const double *v, double w0, double w1, const double *P,
               double tolerance, step_report *report);
/* q_1 from q_0 with the velocity u. */
bool node_advance(node *n, const motion *now, const double *u, motion *next, double dt, double tolerance,
                  step_report *report);
/* Velocities, percussions and contact states of the solution. */
void node_read(node *n, motion *next);

/* The step of schemes that are centred at their nodes: a kick with half a step of force on either side, (M4), (M7). The
 * first step begins with half a kick at the initial state, (M5), (M8). memory[0]: the run has started. */
typedef bool node_kicks(void *scheme, double t, const double *q, const double *v, double w0, double w1, const double *P,
                        double tolerance, step_report *report);
bool node_centred_step(node *n, void *scheme, node_kicks *kick, const motion *now, motion *next, double dt,
                       double tolerance, step_report *report);

/* Functions of integrators whose self begins with a node, the only stage of their step: no memory to start; stage; s;
 * forget; and destroy for those that have nothing else. */
bool node_start(void *self, motion *first, step_report *report);
problem *node_stage(void *self, int stage, const double **z);
bool node_velocities(const void *self, double *s);
void node_forget(void *self);
void node_free(void *self);

#endif
