/* Springs and loads on poses. docs/theory/elements.md, (DF1) to (DF5). */
#ifndef CAROM_FORCE_H
#define CAROM_FORCE_H

#include "pose.h"

/* A straight line from a point of one pose to a point of another. */
typedef struct span {
    vec x[2];          /* its ends, in the world */
    vec n;             /* unit vector from the first to the second (DF1) */
    expr length, rate; /* l and l_dot (DF2) */
} span;

/* end[i]: the point, in the coordinates of on[i] */
span span_between(graph *g, const pose *const on[2], const vec end[2]);

/* k/2 (l - l0)^2 and c/2 l_dot^2 (DF3) */
expr spring_potential(graph *g, const span *s, expr stiffness, expr length);
expr spring_dissipation(graph *g, const span *s, expr damping);
/* The force on end i of a line under tension (DF4) */
vec span_pull(graph *g, const span *s, expr tension, int i);

#endif
