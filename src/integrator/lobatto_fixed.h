/* Steps of the Lobatto scheme with fixed states of its contacts, for located events (docs/theory/events.md). With two
 * stages the scheme captures steps that more stages cannot solve. With 2s-1 stages it follows slip in several
 * directions that has begun lately, (V28). */
#ifndef CAROM_LOBATTO_FIXED_H
#define CAROM_LOBATTO_FIXED_H

#include "integrator/dense.h"
#include "integrator/fixed_scheme.h"
#include "integrator/lobatto_change.h"
#include "integrator/lobatto_other.h"

typedef struct lobatto_fixed {
    lobatto_scheme *own;  /* borrowed */
    lobatto_other *rough; /* with two stages, borrowed; NULL: own has no more */
    bool has_fine;
    lobatto_other fine; /* with 2s-1 stages */
    lobatto_scheme *by; /* took the last step with fixed states, or by laws */
    lobatto_change own_change, fine_change;
    double *ended;    /* [nu + ns] the solution of the end of that, with fixed states */
    double *last;     /* [ns] R of the last stage of that */
    dense all, later; /* between all stages of the fine one, and without the first */
    double *weights;
    double *shown; /* [s][nq + nu + nc + slips + ns] what the fine one has at the nodes of its own */
    double *memory;
} lobatto_fixed;

/* own: made with given senses of slip. False: out of memory; it is to be destroyed all the same. */
bool lobatto_fixed_create(lobatto_fixed *f, lobatto_scheme *own, lobatto_other *rough);
void lobatto_fixed_destroy(lobatto_fixed *f);
void lobatto_fixed_forget(lobatto_fixed *f);
/* Steps carry the variation along; NULL: none. False: out of memory. */
bool lobatto_fixed_vary(lobatto_fixed *f, variation *v);

/* What located events know of it. */
fixed_scheme lobatto_fixed_scheme(lobatto_fixed *f);

#endif
