/* The bodies behind W where they are known, W = C A^-1 B, in blocks of three unknowns: translations and rotations of
 * bodies in space, all unknowns of bodies in the plane. */
#ifndef CAROM_FRICTION_BODY_BLOCKS_H
#define CAROM_FRICTION_BODY_BLOCKS_H

#include "friction/condense.h"
#include "friction/friction.h"

typedef struct body_blocks {
    int count;
    int *start, *touched; /* contact a touches blocks touched[start[a]...], ascending */
    block3 *A;            /* [count] A has no other blocks */
    block3 *B, *C;        /* of these: what percussions add to A x, and x to velocities */
} body_blocks;

/* From (FC6). *made: NULL if D is not zero or A is no positive definite symmetric matrix of such blocks. False: out of
 * memory. */
bool body_blocks_create(const linear_map *m, int dimension, int contacts, body_blocks **made);
void body_blocks_destroy(body_blocks *b);
/* Those that the contacts of a list touch; place: [count] room, -1 before and after. NULL: out of memory. */
body_blocks *body_blocks_of(const body_blocks *b, const int *list, int contacts, int *place);

#endif
