/* The shapes of bodies: what inertia is computed from, what touches, what is drawn. */
#ifndef CAROM_SHAPE_H
#define CAROM_SHAPE_H

#include "polytope.h"

#include <stdbool.h>

typedef enum shape_kind {
    SHAPE_POINT,
    SHAPE_SPHERE,
    SHAPE_CAPSULE,   /* everything within radius of a segment of the given length along the axis */
    SHAPE_CYLINDER,  /* radius, length along the axis */
    SHAPE_DISK,      /* radius; its normal is the axis. What touches is the rim. */
    SHAPE_BOX,       /* edges size[] along the axes of the shape */
    SHAPE_PLANE,     /* the half space below: its outer normal is the axis */
    SHAPE_ELLIPSOID, /* half axes size[] along the axes of the shape */
    SHAPE_HULL,      /* the convex hull of points */
    SHAPE_KINDS
} shape_kind;

enum { SHAPE_POINTS_LEAST = 3, SHAPE_POINTS_MOST = 64 };

typedef struct shape {
    shape_kind kind;
    bool planar;          /* a figure in the plane of x and y (form_flattened) */
    int points;           /* of a disk or cylinder: what touches of a rim, from the first axis on; 0: all of it */
    const polytope *hull; /* of SHAPE_HULL; it outlives the shape */
    double radius, length, size[3];
    double r[3], A[3][3]; /* its centre and its axes (columns) in the body; the axis of a shape is the third */
} shape;

/* Its numbers in one list: sizes, place, axes by rows. */
enum { SHAPE_NUMBERS = 5 + 3 + 9 };
void shape_set(shape *s, const double x[SHAPE_NUMBERS]);

extern const char *const shape_names[SHAPE_KINDS + 1]; /* "point", ..., NULL */

/* Axes (columns) of which the third is the unit vector n; the first lies in the plane of x and y where n does. */
void shape_axes(const double n[3], double A[3][3]);

#endif
