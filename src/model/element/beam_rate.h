/* How fast the strain of a beam changes, as expressions: for damping (docs/theory/elements.md, (DB14)). */
#ifndef CAROM_BEAM_RATE_H
#define CAROM_BEAM_RATE_H

#include "body.h"

/* The rate of the strain between two nodes, each a body in the plane or in space, times the length: that of omega, then
 * that of gamma (DB1). */
void beam_strain_rate(graph *g, const body *a, const body *b, expr rate[6]);
/* 1/2 sum of viscosity rate^2 over a length (DB15) */
expr beam_dissipation(graph *g, const body *a, const body *b, expr length, const expr viscosity[6]);

#endif
