/* What the rest of result/ needs of a reader beyond result.h. */
#ifndef CAROM_READER_H
#define CAROM_READER_H

#include "result/result.h"

const char *result_path(const result_reader *reader);
/* A further column, beyond result_columns: a formula of recorded quantities, parameters, dt, and forces (percussions
 * over dt: "wall.FN" of "wall.PN"). */
carom_status result_derive(result_reader *reader, const char *text, int *column, carom_error *error);
/* The column of its events that is this one "before" or "after" each of them; -1: there is none. */
int result_side(result_reader *reader, int column, const char *side);
/* Complains that there is no such quantity, and suggests one. */
carom_status result_unknown(const result_reader *reader, const char *name, carom_error *error);

#endif
