/* A model in the making: what build_names.c collects and build_model.c turns into a formula model. */
#ifndef CAROM_DRAFT_H
#define CAROM_DRAFT_H

#include "scene.h"

typedef struct draft {
    carom_scene *scene;
    names *n;
    const node *model;
    int nq, nu, own; /* own: velocities that are x_dot of a coordinate; the declared ones follow */
    const char **q_names, **u_names;
    double *q0, *u0;
    symbol **rate; /* [nq] x_dot: a velocity of its own or, by kinematics, a formula */
} draft;

/* Parameters, coordinates, velocities and definitions; settles them all. */
carom_status draft_names(draft *d);

/* count zeros from the scene's memory; NULL: out of memory. */
static inline void *zeros(draft *d, int count, size_t size) {
    return arena_get(&d->scene->memory, (size_t)(count > 0 ? count : 1) * size);
}

#endif
