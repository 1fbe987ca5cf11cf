/* What happened in a step: its events, and the state on both sides of each instant at which something did. */
#ifndef CAROM_EVENT_LOG_H
#define CAROM_EVENT_LOG_H

#include "integrator/integrator.h"

enum { INSTANT_WORKS = 4 };

/* Several contacts may take part in one instant: an impact. [2]: before and after. */
typedef struct instant {
    double *t[2], *q; /* t differs by round-off where something jumps by itself */
    double *u[2], *contact[2];
    double *P[2];    /* percussions since the start of the step */
    double *work[2]; /* [INSTANT_WORKS], for the run to fill (run/work.c) */
    double *side[2]; /* [1 + switches] whether sides of switches are held, and which */
    double *own[2];  /* [own] columns of the integrator, for it to fill between begin and end; NaN unless it does */
} instant;

typedef struct event_log {
    const carom_model *model;
    int own; /* columns of the integrator */
    carom_event *event;
    double *memory; /* of the instants */
    double *scale;  /* [slips] room, if the model has slip_scale */
    int events, instants;
    size_t event_room, instant_room;
    int first;                 /* event of the present instant */
    bool full;                 /* no memory: an event is missing */
    const struct trail *trail; /* the motion between them; NULL: it is not kept */
    const double *work;        /* [ns] what percussions have done in the step, row by row, (W9e) */
} event_log;

instant event_log_instant(const event_log *log, int i);
void event_log_clear(event_log *log);
void event_log_destroy(event_log *log);

/* An instant begins with the state before it, gets its events, and ends with the state after it. An instant without
 * events, percussions and switches is dropped. side: of the switches; NULL: they are not held. The log grows with the
 * busiest step of a run. False: out of memory. */
bool event_log_begin(event_log *log, const motion *before, const int *side, const double *P);
void event_log_add(event_log *log, carom_event event);
bool event_log_end(event_log *log, const motion *after, const int *side, const double *P);

bool event_log_no_room(step_report *report); /* false, with the reason */

bool event_log_append(event_log *log, const event_log *more);

#endif
