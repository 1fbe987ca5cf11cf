/* Branches of periodic motions as tables and as a picture. */
#ifndef CAROM_BRANCH_OUTPUT_H
#define CAROM_BRANCH_OUTPUT_H

#include "derivative/branch.h"

/* A row for each point and visit: comma-separated values, or a result in HDF5. */
carom_status branch_write_csv(const branch_question *q, const branch_list *found, const char *path, carom_error *error);
carom_status branch_write_result(const branch_question *q, const branch_list *found, const char *path,
                                 carom_error *error);
/* The bifurcation diagram of the first coordinate that does not advance, and the sizes of the multipliers. */
carom_status branch_draw(const branch_question *q, const branch_list *found, const char *path, carom_error *error);

#endif
