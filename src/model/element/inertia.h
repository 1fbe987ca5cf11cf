/* Mass, centre of mass and inertia of shapes, as expressions of parameters. docs/theory/elements.md, (D8) and (D9). */
#ifndef CAROM_INERTIA_H
#define CAROM_INERTIA_H

#include "form.h"

typedef struct inertia {
    expr mass;
    vec center;   /* in the frame of the body */
    expr J[3][3]; /* about the centre of mass, in the axes of that frame; planar: J[2][2] alone */
} inertia;

inertia inertia_none(graph *g);
/* Of density one: per volume, but per area for disks, boxes of two edges, and everything in the plane. Points, planes
 * and, in the plane, cylinders have no mass. */
inertia inertia_of_form(graph *g, const form *f, bool planar);
/* Both together, or, with sign -1, without b (D9). */
inertia inertia_sum(graph *g, const inertia *a, const inertia *b, double sign);
/* Of numbers, ascending. */
void inertia_principal(const double J[3][3], double moment[3]);

#endif
