/* Convex shapes as everything within a radius of a polytope, their core: a sphere about a vertex, a capsule about an
 * edge, boxes and hulls with radius 0; and half spaces, whose core is one face without an edge.
 * docs/theory/contacts.md, (CF1). */
#ifndef CAROM_CORE_H
#define CAROM_CORE_H

#include "model/element/shape.h"

#include <stdbool.h>

typedef struct core {
    double radius;
    bool half_space;
    int vertices, edges, faces;
    double (*vertex)[3];
    int (*edge)[2];
    polytope_face *face; /* that of a half space has no corners */
    int *corner;
    double centre[3], reach; /* no point of the shape is farther from the centre than reach */
    double thin;             /* radius of the largest ball in the shape */
} core;

/* The core of a shape, in the coordinates of a body whose origin is at the given place of the shape's frame. False: out
 * of memory. Shapes without a core (core_exists) are misuse. */
bool core_create(core *c, const shape *s, const double origin[3]);
bool core_exists(const shape *s);
void core_destroy(core *c);

/* The same polytope elsewhere: x -> r + A x. The copy borrows edges and corners. */
typedef struct core_pose {
    double r[3], A[3][3];
} core_pose;
void core_place(const core *c, const core_pose *at, core *placed); /* placed has room for vertices and faces */
void pose_point(const core_pose *at, const double x[3], double y[3]);
void pose_direction(const core_pose *at, const double x[3], double y[3]);

#endif
