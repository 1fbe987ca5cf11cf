/* The numbers of a contact: its features in the coordinates of their bodies. */
#ifndef CAROM_FOUND_NUMBERS_H
#define CAROM_FOUND_NUMBERS_H

#include "kind.h"

/* All but the tangents. The cores are in the coordinates of their bodies. */
void numbers_of(const core *first, const core *second, const meeting *m, kind_numbers *n);
/* The point of an edge that (CF44) starts from. */
void numbers_start(const core *first, int from, kind_numbers *n);
/* The normal across two edges or tangents points the other way. */
void numbers_turn(const meeting *m, kind_numbers *n);

#endif
