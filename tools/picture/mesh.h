/* Surfaces made of convex polygons with three or four corners. */
#ifndef CAROM_MESH_H
#define CAROM_MESH_H

#include "model/element/shape.h"

#include <stdbool.h>

typedef struct mesh {
    int points, faces;
    double (*x)[3];
    int (*face)[4];      /* counterclockwise seen from outside; a triangle has -1 last */
    int (*neighbour)[4]; /* the face across the edge that starts at each corner; -1: none */
    bool *tinted;        /* every other quarter about the axis: a pattern that shows how the body turns */
    bool closed;         /* has an inside */
} mesh;

/* In the axes of the shape, which is not a plane; round: corners of a circle, a multiple of four. False: out of memory.
 */
bool mesh_shape(mesh *m, const shape *s, int round);
/* A part of a plane, in its axes. */
bool mesh_plane(mesh *m, const double low[2], const double high[2]);
/* Around a curve. */
bool mesh_tube(mesh *m, const double (*x)[3], int count, double radius, int round);
void mesh_free(mesh *m);

#endif
