/* Gaps of rims as expressions: docs/theory/contacts.md, (CF23) to (CF27), (CF44) to (CF47), (CF49) to (CF53). */
#ifndef CAROM_KIND_RIMS_H
#define CAROM_KIND_RIMS_H

#include "features.h"
#include "model/element/contact.h"

/* Points and directions of both features in the world, as in kind_numbers. */
typedef struct rim_form {
    vec x, e, y, d;
    expr radius[2]; /* of the first and the second, if it is a rim; negative: the other side of it */
    expr R;
    expr side; /* +1 or -1: where the normal across two tangents points; the sign of (CF44) */
    vec along; /* of borders: the direction against which a normal or a place is held */
} rim_form;

/* The point of the second, a rim, that is nearest to x (CF24). */
vec rim_nearest(graph *g, const rim_form *f);

/* The gap of any other kind, and its place. */
expr rim_derive(graph *g, gap_kind kind, const rim_form *f, contact_place *place);

/* kind_feet.c: the axis of a capsule, the first, and a rim; and their borders, which have no place. */
expr foot_derive(graph *g, gap_kind kind, const rim_form *f, contact_place *place);

/* kind_crossings.c: edges, the first, that cross rims and sides; and their borders, which have no place. */
expr crossing_derive(graph *g, gap_kind kind, const rim_form *f, contact_place *place);

#endif
