/* Contacts that are found, for any scheme: between steps the contacts near the present state are listed, the scheme is
 * made for a model that has them, and what belongs to contacts is carried over by their identities
 * (docs/theory/contacts.md, (CF14)). Whoever runs the scheme sees the model without them. */
#ifndef CAROM_FOUND_H
#define CAROM_FOUND_H

#include "integrator/integrator.h"
#include "model/found/finder.h"

/* The scheme, for models that look for contacts. */
integrator found_integrator(const integrator *scheme);

/* What the found contacts did in the step taken last, as run/work.c accounts for contacts, (W6) and (W9c). */
typedef struct found_work {
    double normal, friction, held;
} found_work;
found_work found_worked(void *self);
/* A new step begins: what is told of contacts adds up over its parts from here on. */
void found_begin(void *self);
/* Contacts that touch or did something in the step that ended at t; 0: it is not the last one taken. */
int found_count(void *self, double t);
carom_found found_look(void *self, int k);

#endif
