/* What happens at an event (docs/theory/events.md): impacts, stops, breaks, openings, and the states that follow. */
#ifndef CAROM_EVENT_H
#define CAROM_EVENT_H

#include "integrator/watch.h"

void event_copy(const locate *l, motion *to, const motion *from);

/* s at a state: evaluated (false: not defined there), and as the scheme keeps it in the memory. */
bool event_velocities(const locate *l, const motion *x, double *s);
double *event_stored(const locate *l, const motion *x);
/* |gamma_F| of a contact */
double event_slip(const locate *l, int contact, const double *s);
/* The sense of slip: a vector of some length, or, with a negative length, against it. */
void event_sense(locate *l, int contact, const double *vector, double length);

/* The event at the present state, which becomes the state after it. False: the reason is in the report. */
bool event_happen(locate *l, const watch *w, double tolerance, step_report *report);
/* The parts of it that other steps need. Those that touch and do not part, into trial.contact: */
void event_closed(locate *l, double tolerance);
/* the reason of a step that ends where the model is not defined: */
bool event_undefined(const locate *l, step_report *report);
/* slip or stick, or opening at once, of closed contacts: */
bool event_states(locate *l, double tolerance, step_report *report);

#endif
