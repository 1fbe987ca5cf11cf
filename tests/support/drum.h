/* A point mass in a drum, |q| <= 1, drawn to the centre with the given stiffness: impacts on curved geometry whose
 * percussions are radial. */
#ifndef TEST_DRUM_H
#define TEST_DRUM_H

#include "complex_model.h"

enum { DRUM_MASS = 2 };

/* contact has one slip. */
complex_mechanics drum(const carom_model_contact *contact, const double *stiffness);

#endif
