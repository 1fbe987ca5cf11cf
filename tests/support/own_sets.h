/* Laws of friction of a program's own with several slips. The ellipsoid is off its centre, so that friction differs by
 * direction and to either side; the copy is Coulomb's ball with functions of its own. */
#ifndef CAROM_TEST_OWN_SETS_H
#define CAROM_TEST_OWN_SETS_H

#include "carom/plugin.h"

/* C(1) = centre + {sum of (x_i/axis_i)^2 <= 1} */
extern const double own_axis[CAROM_LAW_SIZE], own_centre[CAROM_LAW_SIZE];
extern const carom_law_def own_ellipsoid, own_copy;

#endif
