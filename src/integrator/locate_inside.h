/* Parts of locate (locate.h) that its files share. */
#ifndef CAROM_LOCATE_INSIDE_H
#define CAROM_LOCATE_INSIDE_H

#include "integrator/locate.h"

enum { LEAST_IN_VAIN = 50 }; /* what a trial step that led to nothing costs at least */

/* ---- trial steps (locate_trial.c) */
/* Shorter steps are lost in the round-off of time. */
double least_step(const locate *l);
/* Until the next call the model's functions take these sides of its switches; NULL: by their arguments. */
void hold_sides(const locate *l, const int *side);
/* A trial step of length h from the present state. */
bool try_step(locate *l, double h, step_report *report);
/* The same trial step again, by forces that obey their laws. */
bool try_by_laws(locate *l, step_report *report);
/* The trial step is accepted, and ends at an event, or at a given time (NULL). */
void go_on_to(locate *l, const candidate *event);
void go_on(locate *l); /* to a given time */
/* Slip in several directions begins from rest. */
bool slip_begins(locate *l);

/* ---- how far to go (locate_length.c) */
typedef enum outcome { LOST, STUCK, MOVING, AT_REST } outcome;

/* Takes the longest step towards the end that keeps the states of all contacts: a step that cannot be solved is
 * shortened. *resting: the contact whose slip is as good as over, by its time or by its size. */
outcome try_longest_step(locate *l, double end, step_report *report, int *resting);
/* A trial step that ends at the event x, or at an earlier one that takes its place. *inside: false if it turns out to
 * lie beyond the whole step. */
bool step_to_first(locate *l, candidate *x, step_report *report, bool *inside);

/* ---- what cannot be followed (locate_capture.c) */
/* (V36): trial steps that led to nothing have cost more than a step may, after others that did. */
bool is_vain(const locate *l);
/* Events that accumulate, and states that cannot be followed: the rest of the step is captured. */
bool capture_rest(locate *l, double end, step_report *report);
/* (V36): if a step was captured after much work, the next one is likely to be captured, too. So it is captured at once,
 * and more and more steps with it, before events are looked for again. */
void impose_pause(locate *l);
/* If no accelerations tell the states at the start of a step, it is captured, too. */
void pause_where_unknown(locate *l);

#endif
