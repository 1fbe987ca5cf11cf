/* Derivatives of functions of one number from differences, to compare exact ones with. */
#ifndef CAROM_DIFFERENCE_H
#define CAROM_DIFFERENCE_H

#include <stdbool.h>

/* The values of the function where its argument is moved by this much. False: there are none to compare with. */
typedef bool difference_function(void *context, double by, double *values);

/* Ridders: central differences with steps that are halved, extrapolated; of each value the one that changes least with
 * the next column, and by how much it may be off, noise of the function included ((SE60), (SE61) in
 * docs/theory/sensitivity.md). NaN: no two differences in a row could be taken. False: out of memory. */
bool difference_extrapolate(difference_function *f, void *context, double step, int size, double *slope, double *error);

#endif
