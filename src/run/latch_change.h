/* How what lets go changes the derivatives of a motion (docs/theory/sensitivity.md, (SE71), (SE72)): when it does so,
 * and for the adjoint which inputs held before. */
#ifndef CAROM_LATCH_CHANGE_H
#define CAROM_LATCH_CHANGE_H

#include "integrator/load_change.h"
#include "run/latch_load.h"

typedef struct latch_change {
    carom_sim *sim;
    variation *v;
    load_change load;
    bool followed;   /* the piece ended with its event, and what lets go is no event of its own */
    double *rate;    /* [columns + 1] of the function that is zero where a joint breaks, or of the instant */
    double *weights; /* [ns] of forces */
    double *memory;
} latch_change;

bool latch_change_create(latch_change *c, carom_sim *sim, variation *v); /* false: out of memory */
void latch_change_destroy(latch_change *c);

/* The piece ends at x where a joint reaches what it bears, or a contact is no longer pressed. load: room. */
void latch_change_break(latch_change *c, const motion *x, latch_load *load, int latch);
/* The piece ends a given time after the last event, and moves with it. */
void latch_change_follow(latch_change *c, const motion *x);
/* Inputs are about to change; afterwards, whether the instant is one of the log. */
void latch_change_begin(latch_change *c, const double *state);
void latch_change_end(latch_change *c, const motion *x, bool logged);

#endif
