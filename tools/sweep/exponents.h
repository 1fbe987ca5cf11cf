/* Lyapunov exponents of a motion, from its derivatives by the start. */
#ifndef CAROM_EXPONENTS_H
#define CAROM_EXPONENTS_H

#include "carom/carom.h"

typedef struct exponents {
    int n, count;   /* components of a direction; directions */
    double *vector; /* [count][n] orthonormal, or zero: joints leave no such direction */
    double *sum;    /* [count] sums of the logarithms of growth */
    double since;   /* start of the averages; NaN: not reached yet */
} exponents;

/* Asks the simulation for its derivatives. */
carom_status exponents_create(exponents *e, carom_sim *sim, carom_error *error);
void exponents_destroy(exponents *e);
/* At the start of a run, and after each step; counted: the transient is over. */
carom_status exponents_begin(exponents *e, carom_sim *sim, bool counted, carom_error *error);
carom_status exponents_follow(exponents *e, carom_sim *sim, bool counted, carom_error *error);
/* The largest exponents; NaN where there are fewer directions. */
void exponents_read(const exponents *e, const carom_sim *sim, int wanted, double *largest);

#endif
