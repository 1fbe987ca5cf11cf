/* The end of a state: a function that is positive while the state lasts falls to zero (docs/theory/events.md, (V7)):
 *     STRIKE   g_N             of an open contact
 *     STOP     d . gamma_F     of a sliding one, d its sense
 *     BREAK    whether some forces keep the states of all closed ones, (V30), which is not asked of one: LOAD */
#ifndef CAROM_CANDIDATE_H
#define CAROM_CANDIDATE_H

#include "carom/plugin.h"

enum { JUMP = -1, LOAD = -2, SWITCH = -3 };

typedef struct candidate {
    carom_event_kind kind;
    int contact;     /* JUMP: none, a velocity that jumps by itself */
    double tau;      /* its first zero, from the start of the trial step: of forces, the last time before it, */
    double after;    /* and the first one after it, where they may have jumped */
    int which, side; /* SWITCH: the argument of this one leaves its cell, to this side */
    const double *state, *sense; /* LOAD: what follows, as the watcher keeps it; NULL: not known */
} candidate;

typedef carom_doubt doubt;

static inline void doubt_add(doubt *sum, doubt more) {
    long count = sum->count + more.count;
    if (!sum->count) *sum = more;
    sum->count = count;
}

#endif
