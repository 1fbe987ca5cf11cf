/* The friction problems of one step of a scene, as FCLIB's files. */
#ifndef CAROM_FCLIB_EXPORT_H
#define CAROM_FCLIB_EXPORT_H

#include "carom/carom.h"

/* Computes the scene up to the step that ends nearest to the time, and writes each problem of contacts that the step
 * solves, linearised at its solution, with this solution: FOLDER/NAME-iSTEP-NUMBER.hdf5, NUMBER from 0. *written:
 * how many there are. */
carom_status friction_export(const carom_scene *scene, double time, const char *folder, const char *name, int *written,
                             carom_error *error);

#endif
