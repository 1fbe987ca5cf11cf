/* Watching a step with fixed states for its first event (docs/theory/events.md, (V7)). */
#ifndef CAROM_WATCH_H
#define CAROM_WATCH_H

#include "integrator/locate.h"

/* A function that is positive while the state of its contact lasts:
 *     STRIKE   g_N             of an open contact
 *     OPENING  lambda_N        of a closed one
 *     STOP     d . gamma_F     of a sliding one, d its sense
 *     BREAK    mu lambda_N - |lambda_F|   of a sticking one */
typedef struct watch {
    carom_event_kind kind;
    int contact;  /* JUMP: none, a velocity that jumps by itself */
    double tau;   /* its first zero, from the start of the trial step: of forces, the last time before it, */
    double after; /* and the first one after it, where they may have jumped */
} watch;

enum { JUMP = -1 };

/* What counts as zero: a gap, a velocity, for the present state. */
double zero_gap(const locate *l);
double zero_velocity(const locate *l, double tolerance);

/* Slip of a contact along its sense; slip: all slips of the model. */
double watch_slip(const locate *l, int contact, const double *slip);
/* The function at (t, q, u), and on the dense output of the trial step; NaN where it is not defined. */
double watch_at(locate *l, const watch *w, double t, const double *q, const double *u);
double watch_inside(locate *l, const watch *w, double theta);
/* The earliest zero in the trial step. False: none. */
bool watch_first(locate *l, watch *first, double tolerance);

/* Whether the percussions of the trial step obey the laws of the states it kept; and whether they break them by more
 * than the scheme may err, (V14). */
bool watch_obeys(const locate *l);
bool watch_broken(locate *l, double tolerance);

#endif
