/* Ranges that the dense output of a trial step, and its rate, do not leave over a part of the step
 * (docs/theory/events.md, (V19), (V20)). */
#ifndef CAROM_ENCLOSE_H
#define CAROM_ENCLOSE_H

#include "integrator/attempt.h"

/* A vector of polynomials in y = theta - 1/2. */
typedef struct polynomials {
    int size, degree;
    double *weight;      /* [values][degree + 1] what each value adds to the coefficients */
    double growth;       /* the largest sum of |weights| / 2^k of a value */
    double *coefficient; /* [size][degree + 1] but for the first value */
    double *round_off;   /* [size] of a value */
    double *shifted;     /* [degree + 1] room */
} polynomials;

typedef struct enclosure {
    const carom_model *m;
    polynomials position, velocity;
    const attempt *of;
    carom_range t[2], *q, *q_rate, *u, *u_rate; /* of the part asked for last; [1]: the rate */
    carom_range *memory;
} enclosure;

bool enclosure_create(enclosure *e, const attempt *a); /* a: any of the same scheme. False: out of memory */
void enclosure_destroy(enclosure *e);
/* Whether rounding leaves anything to tell: not with dozens of stages. */
bool enclosure_is_sharp(const enclosure *e);

/* Of this step from now on, which is borrowed. */
void enclosure_begin(enclosure *e, const attempt *a);
/* Over [left, right] within [0, 1]: t, q and q_rate; with velocities u and u_rate as well. */
void enclose(enclosure *e, double left, double right, bool velocities);

#endif
