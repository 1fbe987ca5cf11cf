/* Small motions about an equilibrium: rates and shapes (docs/theory/modes.md). */
#ifndef CAROM_MODES_H
#define CAROM_MODES_H

#include <complex.h>

#include "modes/equilibrium.h"

/* The motion shape e^(rate t), and its conjugate where the rate is not real. */
typedef struct mode {
    double complex rate;
    double complex *shape; /* [nu]: velocities; of any size */
} mode;

typedef struct modes_answer {
    equilibrium at;
    double t;
    int free;    /* motions that constraints and contacts leave */
    bool damped; /* forces depend on velocities, or have no potential */
    int count;
    mode *mode; /* lowest first */
} modes_answer;

/* The first `most` of them, about the equilibrium near q. */
carom_status modes_find(const carom_model *model, double t, const double *q, int most, modes_answer *answer,
                        carom_error *error);
void modes_free(modes_answer *answer);

/* How the coordinates move, [nq]: q_dot of the shape, scaled so that the largest is 1. Not 0: it is not defined, or
 * there is no memory. */
int modes_coordinates(const carom_model *model, const modes_answer *answer, int k, double complex *by);

#endif
