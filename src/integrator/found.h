/* Contacts that are found, for any scheme: between steps the contacts near the present state are listed, the scheme is
 * made for a model that has them, and what belongs to contacts is carried over by their identities
 * (docs/theory/contacts.md, (CF14)). Whoever runs the scheme sees the model without them. */
#ifndef CAROM_FOUND_H
#define CAROM_FOUND_H

#include "integrator/integrator.h"
#include "model/found/finder.h"

/* The scheme, for models that look for contacts. */
integrator found_integrator(const integrator *scheme);

/* A contact that the last step had, at its end: PN and, in the world, the whole percussion P on the first body. */
typedef struct found_state {
    int a, b;          /* solids */
    int first, second; /* bodies; the percussion acts on the first */
    int law;
    int feature[3]; /* kind, numbers in the first and second solid */
    carom_contact_state state;
    double gap, point[3], normal[3], PN, P[3];
} found_state;

/* What the found contacts did in the step taken last, as run/work.c accounts for contacts, (W6) and (W9c). */
typedef struct found_work {
    double normal, friction, held;
} found_work;
found_work found_worked(void *self);
/* How many contacts were listed in the last step, and the k-th of them at its end. */
int found_count(void *self);
bool found_look(void *self, int k, const motion *now, found_state *state); /* false: open all through the step */

#endif
