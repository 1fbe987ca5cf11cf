/* Shared by the parts of found: found.c takes steps, found_held.c carries contacts from list to list, found_work.c adds
 * up their work, found_events.c reports located events. */
#ifndef CAROM_FOUND_INSIDE_H
#define CAROM_FOUND_INSIDE_H

#include "integrator/event_log.h"
#include "integrator/found.h"
#include "integrator/found_told.h"
#include "integrator/heap_step.h"

/* What belongs to the contacts of a list. */
typedef struct holding {
    contact_list list;
    int room, vectors; /* contacts and vectors that there is room for */
    double *vector;    /* [vectors][count][FOUND_ROWS]: percussions, those of the scheme's memory, senses of slip */
    double *state;     /* [count] */
    border_list borders;
    double *side; /* of the borders */
} holding;

/* The memory of a scheme: numbers of its own, vectors in the order of s, and, where it locates events, the modes of
 * locate: a state for every contact, a sense for every slip, and numbers again. */
typedef struct found_scheme {
    const integrator *scheme;
    const carom_model *base;
    const finder *finder; /* that of the base, or its own ... */
    finder *with;         /* ... with the present values of parameters */
    const carom_run_def *run;
    search search;
    kind_table kinds;
    found_model *model;
    const carom_model *m;                /* it */
    void *self;                          /* the scheme on it */
    int base_memory;                     /* of the scheme without found contacts */
    int head, vectors;                   /* its memory: so many numbers, then so many vectors */
    bool located;                        /* then modes */
    holding held;                        /* after the last step ... */
    double held_at;                      /* ... at this time; NaN: nothing is held */
    double *now[3], *next[3], *fresh[3]; /* P, contact and memory of a motion */
    double *dulled, *s[2], *rows;        /* rows: [contacts][FOUND_ROWS] */
    double *room;                        /* all of these */
    told_list told;
    found_work work;
    event_log log;   /* located events of the last step, of the base and of found contacts */
    bool current;    /* the scheme is made for the present contacts */
    heap_step *heap; /* takes steps of heaps without the scheme; NULL: the model is none */
    bool heaped;     /* it took the last one ... */
    double untold;   /* ... which ended at this time, and is not told yet; NaN: it is */
} found_scheme;

/* found.c: why a step failed; false. */
bool found_no_memory(step_report *report);

/* found_held.c */
/* A motion at the same state with rows for the found contacts, in f->now, f->next or f->fresh. */
motion found_with(const motion *x, double *own[3]);
/* What the scheme would start with at this state, in f->fresh. */
bool found_start_afresh(found_scheme *f, const motion *now, motion *fresh, step_report *report);
/* A motion of the base with rows for the found contacts: what they hold, else what the scheme starts with. */
bool found_begin_step(found_scheme *f, const motion *now, motion *x, step_report *report);
/* The base's part of a motion. */
void found_finish_step(const found_scheme *f, const motion *x, motion *next);
/* After a step: what the next one begins with. False: out of memory. */
bool found_hold(found_scheme *f, const motion *end);
double *found_held_vector(const holding *h, int v);
/* A vector in the order of s divided into that of the base (NULL: not wanted) and the rows of found contacts. */
void found_part_rows(const found_scheme *f, const double *all, double *base, double *found);

/* found_work.c: what found contacts did from start to end. False: the model is not defined there. */
bool found_account(found_scheme *f, const motion *start, const motion *end);

/* found_events.c */
/* A contact of the model as a run numbers it: contacts of the base, its latches, then entries of found contacts. */
int found_number(const found_scheme *f, int contact);
/* The events of the step for a run that knows the base alone. False: out of memory. */
bool found_tell_events(found_scheme *f);
/* Pairs whose features change are not located. */
carom_status found_check_located(const found_scheme *f, carom_error *error);

#endif
