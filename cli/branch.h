/* Branches of periodic motions, for carom orbit. */
#ifndef CAROM_CLI_BRANCH_H
#define CAROM_CLI_BRANCH_H

#include "cli.h"
#include "derivative/orbit.h"

/* Follows the branch that --continue asks for, prints it, and writes its files. */
carom_status continue_orbit(const arguments *a, const orbit_question *orbit, carom_error *error);

/* Reads a whole number, least or above, if the option is given. */
carom_status read_count(const arguments *a, const char *name, int least, int *count, carom_error *error);

#endif
