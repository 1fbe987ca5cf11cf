/* Coordinates and velocities that move together: q_dot of a coordinate depends on its own component alone. A planar
 * body has three components of one coordinate each; the quaternion of a spatial body is one of four. An anchor follows
 * others, which do not know of it: it is a component of its own, though its rate depends on theirs. */
#ifndef CAROM_COMPONENTS_H
#define CAROM_COMPONENTS_H

#include "formula_model.h"
#include "model/pool.h"

typedef struct components {
    int count;
    int *of;                /* [nq + nu] the component of a coordinate or velocity */
    int *place;             /* [nq + nu] its number among those of its component */
    int *first_q, *first_u; /* [count + 1] */
    int *q, *u;             /* [nq], [nu] by component, ascending */
} components;

/* False: out of memory, of the pool. */
bool components_find(const formula_def *def, pool *memory, components *c);

#endif
