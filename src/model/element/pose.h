/* A frame that is carried along: where it is, how it is turned, how it moves. Everything that is attached to bodies
 * (joints, springs, contacts) is written in terms of poses, and never sees coordinates. docs/theory/elements.md. */
#ifndef CAROM_POSE_H
#define CAROM_POSE_H

#include "vec.h"

typedef struct pose {
    vec r, v; /* position and velocity of the origin, in the world */
    mat A;    /* the axes of the frame, in the world */
    vec w;    /* angular velocity, in the world */
} pose;

pose pose_world(graph *g);
/* Moving by formulas of the time: v = r', w^ = A' A^T (D2). */
pose pose_moving(graph *g, vec r, const mat *A);
/* A frame fixed in another one at local position r, turned by A (D3). */
pose pose_fixed(graph *g, const pose *in, vec r, const mat *A);

/* The velocity of the material point of the pose that is at x in the world now: v + w x (x - r). */
vec pose_velocity(graph *g, const pose *p, vec x);

#endif
