/* How events change the derivatives of a motion (docs/theory/sensitivity.md): when they happen, (SE7), and what they do
 * to the velocities, (SE8). */
#ifndef CAROM_EVENT_CHANGE_H
#define CAROM_EVENT_CHANGE_H

#include "integrator/attempt.h"
#include "integrator/blow.h"
#include "integrator/candidate.h"
#include "integrator/load_change.h"

typedef struct event_change {
    variation *v; /* NULL: not made */
    const carom_model *m;
    blow *blow;
    impact_change impact;
    load_change load;
    bool tied;      /* contacts struck one after the other in the present instant */
    double *before; /* [columns + 1][ns] rates of s^- */
    double *rate;   /* [columns + 1] of the function that is zero at the event */
    double *c, *c_q, *s, *a, *M, *WT, *balance, *q_dot, *B;
    double *memory;
} event_change;

bool event_change_create(event_change *c, const carom_model *model, variation *v, blow *b); /* false: out of memory */
void event_change_destroy(event_change *c);

/* The trial step ends where the function of the candidate is zero; or it already begins there. */
void event_change_meet(event_change *c, const candidate *x, const attempt *a);
void event_change_meet_start(event_change *c, const candidate *x, const attempt *a);

/* A start at x whose closed contacts are moved, (SE64), (SE65) (start_change.c). */
void event_change_start(event_change *c, const phase *x);

/* Before an event at x, or where the model has gone over to another side: s^- changes. */
void event_change_begin(event_change *c, const phase *x);
/* After the impact problem of the blow is solved, at x with the velocities before it. struck: contacts that take part.
 */
void event_change_strike(event_change *c, const phase *x, const bool *struck);
/* Slip that is over: what is left of it goes, other states are kept, by problems as event.c has set them in the blow.
 */
void event_change_rest(event_change *c, const phase *x);
/* After a step by rates whose positions were corrected, (V15): they change along what joints and closed contacts leave.
 */
void event_change_place(event_change *c, const phase *x);
/* After a step by rates: velocities that keep all states of x, (V16). */
void event_change_settle(event_change *c, const phase *x);
/* After an event at time t, whether its instant is one of the log. */
void event_change_end(event_change *c, double t, bool logged);

/* Inside: (V15) changes by what it corrects, (SE23); or, rubs, (SE65). */
solver_change event_change_correct(event_change *c, const phase *x, bool rubs);
/* Inside: the rows of column k for the blow as it is solved. False: not defined. */
bool event_change_jump_column(event_change *c, int k, const phase *x, bool rebounds);

/* Inside: what each of these leaves in the trace (event_adjoint.c). */
void event_trace_meet(event_change *c, const candidate *x, const attempt *a, const phase *end);
void event_trace_begin(event_change *c, const phase *x);
void event_trace_jump(event_change *c, const phase *x, bool rebounds);
void event_trace_place(event_change *c, const phase *x);
void event_trace_instant(event_change *c);

#endif
