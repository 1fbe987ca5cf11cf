/* Mass, centre of mass and inertia of shapes: numbers, no expressions. docs/theory/elements.md, (D8) and (D9). */
#ifndef CAROM_INERTIA_H
#define CAROM_INERTIA_H

#include "shape.h"

#include <stdbool.h>

typedef struct inertia {
    double mass, center[3]; /* in the frame of the body */
    double J[3][3];         /* about the centre of mass, in the axes of that frame; planar: J[2][2] alone */
} inertia;

/* Of density one: per volume, but per area for disks, boxes of two edges, and everything in the plane. Points, planes
 * and, in the plane, cylinders have no mass. */
inertia inertia_of_shape(const shape *s, bool planar);
/* Both together, or, with sign -1, without b (D9). */
inertia inertia_sum(const inertia *a, const inertia *b, double sign);
/* Ascending. */
void inertia_principal(const double J[3][3], double moment[3]);

#endif
