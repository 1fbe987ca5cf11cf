/* Convex shapes as everything within a radius of a polytope, their core: a sphere about a vertex, a capsule about an
 * edge, boxes and hulls with radius 0; half spaces, whose core is one face without an edge; cylinders, whose edge is
 * their axis and whose faces are disks; and figures in the plane. docs/theory/contacts.md, (CF1), (CF21). */
#ifndef CAROM_CORE_H
#define CAROM_CORE_H

#include "model/element/shape.h"

#include <stdbool.h>

typedef struct core {
    double radius;
    bool half_space;
    bool planar;         /* a figure in the plane of x and y: a polygon has vertices and, as faces, its sides */
    double rim;          /* of a cylinder: the radius of its rims about its vertices, the ends of its axis; else 0 */
    double across[2][3]; /* of a cylinder: unit vectors across its axis and each other */
    int vertices, edges, faces;
    double (*vertex)[3];
    int (*edge)[2];
    int (*side)[2];      /* the two faces of an edge; those of a round core have none */
    polytope_face *face; /* that of a half space has no corners */
    int *corner;
    double centre[3], reach; /* no point of the shape is farther from the centre than reach */
    double thin;             /* radius of the largest ball in the shape */
} core;

/* A vertex; of a cylinder beyond these, a point of a rim: RIM_POINTS of each are numbered, those of the first rim
 * first, from across[0] to across[1] (CF22). */
enum { RIM_POINTS = 1 << 20 };
void core_point(const core *c, int number, double x[3]);
/* The farthest point along n, whose length does not matter; not of half spaces, and of the core alone. */
void core_support(const core *c, const double n[3], double x[3]);

/* The core of a shape, in the coordinates of a body whose origin is at the given place of the shape's frame. False: out
 * of memory. Shapes without a core (core_exists) are misuse. */
bool core_create(core *c, const shape *s, const double origin[3]);
bool core_exists(const shape *s);
void core_destroy(core *c);

/* The same polytope elsewhere: x -> r + A x. The copy borrows edges, their sides and corners. */
typedef struct core_pose {
    double r[3], A[3][3];
} core_pose;
void core_place(const core *c, const core_pose *at, core *placed); /* placed has room for vertices and faces */
void pose_point(const core_pose *at, const double x[3], double y[3]);
void pose_direction(const core_pose *at, const double x[3], double y[3]);

#endif
