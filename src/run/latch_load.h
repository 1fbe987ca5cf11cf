/* The loads of joints that break, as forces at a state: (L22). Of located runs, whose contacts keep their states from
 * one event to the next. */
#ifndef CAROM_LATCH_LOAD_H
#define CAROM_LATCH_LOAD_H

#include "integrator/rates.h"
#include "run/sim.h"

typedef struct latch_load {
    rates rates;
    double *excess; /* [latches] of the state looked at last: the load over what the joint bears, less 1 */
    double worst;   /* the largest of them */
    double first;   /* that at the beginning of the piece, which whoever looks keeps here */
    double *state, *sense;
    double *q_dot[2], *u_dot[2], *q, *u; /* room: of two states, and of one between them */
    double *memory;
} latch_load;

typedef struct latch_place {
    double t;
    const double *q, *u, *contact;
} latch_place;

bool latch_load_create(latch_load *l, const carom_model *model); /* false: out of memory */
void latch_load_destroy(latch_load *l);

/* States of contacts and senses of slip at a place. */
void latch_load_read(latch_load *l, const carom_model *model, const latch_place *at);
/* The length of so many components. */
double latch_length(const double *x, int first, int count);
/* Loads at a place; which joints are whole, the inputs of the state say. False: no joint is, or forces are not known.
 */
bool latch_load_at(latch_load *l, const carom_sim *sim, const latch_place *at, const double *state);
/* The time from a to an earlier place than b in the step between them where a joint bears too little; infinite: none is
 * seen. Looks at both sides of instants, and at three places between two of them. */
double latch_load_within(latch_load *l, const carom_sim *sim, const motion *a, const motion *b, const double *state);

#endif
