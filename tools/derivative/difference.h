/* Derivatives of functions of one number by differences, for comparison with exact derivatives. */
#ifndef CAROM_DIFFERENCE_H
#define CAROM_DIFFERENCE_H

#include <stdbool.h>

/* The values of the function after its argument was changed by the amount. False: this value must not be compared. */
typedef bool difference_function(void *context, double by, double *values);

/* Ridders' method: central differences with steps that are halved, extrapolated, (SE60), (SE61) in
 * docs/theory/sensitivity.md. slope: of each value the entry that changes least from column to column; error: how far
 * it may be off, with the noise of the function. NaN: no two differences in a row were available. False: out of
 * memory. */
bool difference_extrapolate(difference_function *f, void *context, double step, int size, double *slope, double *error);

#endif
