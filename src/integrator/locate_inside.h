/* Shared by the files of locate.h. */
#ifndef CAROM_LOCATE_INSIDE_H
#define CAROM_LOCATE_INSIDE_H

#include "integrator/locate.h"

enum { LEAST_IN_VAIN = 50 }; /* the least cost of a trial step that led to nothing */

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

/* Takes the longest step towards the end that keeps the states of all contacts. Shortens steps that cannot be solved.
 * *resting: the contact whose slip is almost over, by its time or by its size. */
outcome try_longest_step(locate *l, double end, step_report *report, int *resting);
/* A trial step that ends at the event x, or at an earlier one that takes its place. *inside: false if it turns out to
 * lie beyond the whole step. */
bool step_to_first(locate *l, candidate *x, step_report *report, bool *inside);

/* The contact slides in several directions and comes to rest in the trial step, (V10). */
bool nears_rest(locate *l, int contact);
/* The trial step is longer than the gap of the contact allows, (CF41). */
bool is_too_far(const locate *l, int contact);

/* ---- islands on their own (locate_parts.c) */
enum { MODES_HOW = 2 }; /* the penalty and the pause, between contacts and sides */
/* A contact in the memory of motions: its state, how its island is held, and whether slip has begun there lately. One
 * number. */
typedef struct contact_mode {
    carom_contact_state state;
    hold_by hold;
    bool young;
} contact_mode;
contact_mode mode_of(double number);
double mode_number(contact_mode mode);
/* *parts: NULL if the model has no parts that may move on their own. False: out of memory. */
bool locate_parts_create(locate_parts **parts, const locate *l);
void locate_parts_destroy(locate_parts *parts);
/* QUIET: nothing happens in the trial step. WHOLE: there is one island only. UNTAKEN: some island cannot take the step
 * on its own; the trial step is another one now. TAKEN, or FAILED for a reason in the report. */
typedef enum division { QUIET, WHOLE, UNTAKEN, TAKEN, FAILED } division;
/* Takes the step to its end, each island with events on its own. tried: a trial step has been taken. */
division step_in_parts(locate *l, double end, bool tried, step_report *report);

/* ---- what cannot be followed (locate_capture.c) */
/* (V36): trial steps that led to nothing have cost more than a step may, after others that did. */
bool is_vain(const locate *l);
/* Captures the rest of the step if events accumulate or states cannot be followed. */
bool capture_rest(locate *l, double end, step_report *report);
/* (V36): if a step was captured after much work, the next one probably needs it, too. So it is captured at once, and
 * each time more steps with it before events are looked for again. */
void impose_pause(locate *l);
/* A step is captured, too, if there are no accelerations that decide the states at its start. */
void pause_where_unknown(locate *l);

#endif
