/* Watching a trial step for the first event that ends one of its states (docs/theory/events.md, (V7)). Watchers read
 * the step, and change nothing but their own room. */
#ifndef CAROM_WATCH_H
#define CAROM_WATCH_H

#include "integrator/attempt.h"
#include "integrator/candidate.h"
#include "integrator/certify.h"
#include "integrator/rates.h"
#include "integrator/scales.h"

typedef struct watcher {
    const carom_model *m;
    int samples; /* of the dense output, where nothing bounds what is watched */
    certifier certifier;
    rates *rates;      /* borrowed */
    scales *scales;    /* borrowed; measured at the start of the step */
    attempt_look look; /* room */
    double *c, *s, *forces;
    bool ends;             /* the states, where forces were asked for last */
    double *state, *sense; /* [contacts], [slips] that follow where forces end them */
    double *memory;
} watcher;

/* a: any trial step of the same scheme, for its size. False: out of memory. */
bool watcher_create(watcher *w, const attempt *a, int samples, rates *r, scales *z);
void watcher_destroy(watcher *w);

/* Whether percussions of the step and of its nodes are in their cones, up to what counts as zero; asks no dense output.
 */
bool watch_obeys(watcher *w, const attempt *a);
/* The earliest event of the step. False: none. */
bool watch_first(watcher *w, const attempt *a, candidate *first);
/* The earliest strike or switch, as far as the model bounds them; and what it could not settle in the step looked at
 * last. */
bool watch_bounded(watcher *w, const attempt *a, candidate *first);
doubt watch_doubt(const watcher *w);
/* Contacts and switches whose states may end in the step: those of every event, and some others. */
void watch_suspects(watcher *w, const attempt *a, bool *contact, bool *switched);
/* Where positions are in the step: [nq]. */
void watch_range(watcher *w, const attempt *a, carom_range *q);
/* Whether the forces at the end of the step are unique, where its percussions are not those of its stages. */
bool watch_unique(watcher *w, const attempt *a);
/* The function of a candidate at the end of the step, and its rate there by the length of the step, (V8). NaN where it
 * is not defined. */
double watch_end(watcher *w, const attempt *a, const candidate *x);
double watch_slope(watcher *w, const attempt *a, const candidate *x, double at_end);
/* Whether percussions break the laws of the states by more than the scheme may err, (V14). */
bool watch_broken(watcher *w, const attempt *a);

#endif
