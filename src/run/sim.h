/* A simulation: a model, an integrator, and the state in one vector. */
#ifndef CAROM_SIM_H
#define CAROM_SIM_H

#include "integrator/integrator.h"

struct carom_sim {
    const carom_model *model;
    const integrator *integrator;
    void *self; /* of the integrator */
    double dt, tolerance;
    long total;
    size_t size;                /* of a state */
    double *now, *next, *other; /* states: counters, statistics, then those of motion */
    double *P;                  /* percussions summed over divided steps */
    char **name;                /* of the columns */
    int columns;
    double *c, *s; /* position and velocity functions of a row */
};

/* The head of a state. Statistics per stage follow: last, largest, sum of Newton iterations. */
enum { STATE_TIME, STATE_STEPS, STATE_DIVIDED, STATE_RESIDUAL, STATE_NEWTON };

bool columns_create(carom_sim *sim); /* false: out of memory */
void columns_destroy(carom_sim *sim);

#endif
