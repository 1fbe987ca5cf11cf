/* What happens at an event (docs/theory/events.md): impacts, stops, breaks, openings, and the states that follow. An
 * event takes the state before it and makes the state after it. */
#ifndef CAROM_EVENT_H
#define CAROM_EVENT_H

#include "integrator/blow.h"
#include "integrator/candidate.h"
#include "integrator/event_log.h"
#include "integrator/phase.h"
#include "integrator/rates.h"
#include "integrator/scales.h"

typedef struct event_handler {
    const carom_model *m;
    rates *rates;   /* borrowed, as those that follow */
    scales *scales; /* measured at the state before the event */
    blow *blow;
    event_log log;               /* of the step */
    double *struck, *after;      /* [ns] s before and after the event */
    double *c, *gap;             /* [nc] gaps, and those before a switch */
    phase guess;                 /* states after it, to see whether it is over soon */
    bool *touches;               /* [contacts] in an impact */
    bool *pressed;               /* [contacts] to stay closed through it */
    bool pulled;                 /* one of these pulled for that, in some impact of the step, (V9) */
    bool jumped;                 /* velocities did, at a switch */
    bool aims;                   /* slip in several directions begins against the force of its instant, (SE21) */
    bool unsolved;               /* no percussions were found for an impact, or no accelerations after an event */
    struct event_change *change; /* derivatives that go along, borrowed; NULL: none */
    double *memory;
} event_handler;

bool event_handler_create(event_handler *e, const carom_model *model, int memory, int s_at, rates *r, scales *z,
                          blow *b);
void event_handler_destroy(event_handler *e);

/* The event at the state x, which becomes the state after it. work: solutions and iterations are added. False: the
 * reason is in the report. */
bool event_happen(event_handler *e, const candidate *what, phase *x, double tolerance, long *work, step_report *report);

/* Slip, stick, or opening at once, of the closed contacts of x, by the step problem at acceleration level. */
bool event_states(event_handler *e, phase *x, step_report *report);
/* Sides of the model's switches at x, by their arguments. False: not defined. */
bool event_sides(const carom_model *model, phase *x, double *room);
/* s at a state. */
bool event_velocities(const carom_model *model, const motion *x, double *s);
/* The reason of a step that ends where the model is not defined; false. */
bool event_undefined(double t, step_report *report);

#endif
