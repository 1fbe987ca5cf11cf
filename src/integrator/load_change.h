/* How the force changes that ends a state: of the contact whose force leaves its cone first at the end of a step,
 * (SE11) in docs/theory/sensitivity.md. */
#ifndef CAROM_LOAD_CHANGE_H
#define CAROM_LOAD_CHANGE_H

#include "integrator/attempt.h"
#include "integrator/impact_change.h"
#include "integrator/rates.h"

typedef struct load_change {
    variation *v;
    rates rates; /* its own, as the solvers of derivatives are */
    impact_change impact;
    double *M, *h, *zeta, *WT, *balance, *laws, *slips;
    int contact; /* the last one whose force left its cone, */
    bool opens;  /* its normal force */
    double *memory;
} load_change;

bool load_change_create(load_change *c, const carom_model *model, variation *v); /* false: out of memory */
void load_change_destroy(load_change *c);

/* Forces at a place, free: contacts may change their states, as rates_solve finds them; and their rates [ns] along the
 * columns of the variation, (SE11). False: they are not found. */
bool load_change_forces(load_change *c, const rates_place *place, bool free);
const double *load_change_of(const load_change *c, int column);
/* Transposed, with the forces as they were in rates: weights [ns] of them, taken back to the place. */
bool load_change_pull(load_change *c, const carom_place *at, const double *weights, adjoint *a);

/* rate[columns + 1] of the margin of that force at the end of the state, along the columns of the variation. False: it
 * has none, since forces are not found, or do not end the state smoothly. */
bool load_change_rates(load_change *c, const attempt *a, const motion *end, double *rate);

/* Transposed: what the end of the state keeps in the trace, after load_change_rates, rate[columns]: that by its time;
 * and the weights of the instant taken back to the state before. */
void load_change_trace(load_change *c, const attempt *a, const motion *end, double rate);

#endif
