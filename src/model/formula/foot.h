/* Where a line is nearest to a circle: docs/theory/contacts.md, (CF49) to (CF51). The circle has the radius 1, the line
 * starts at the foot of its centre. */
#ifndef CAROM_FOOT_H
#define CAROM_FOOT_H

#include "jet.h"

/* The place s on the line; k, j, P as in (CF49). Of two that are nearest to parts of the circle, the one farther along
 * the line. */
double foot_value(double k, double j, double P);
/* Its derivatives by k, j and P, where it is s. */
void foot_slopes(double k, double j, double P, double s, double slope[3]);
jet foot_jet(const jet *k, const jet *j, const jet *P);

#endif
