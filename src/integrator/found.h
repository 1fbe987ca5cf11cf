/* Contacts that are found, for any scheme. Between steps carom lists the contacts near the present state and makes the
 * scheme for a model that has them. Percussions and states go from list to list by the identities of contacts
 * (docs/theory/contacts.md, (CF14)). The run sees the model without these contacts. */
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
/* A new step begins: what contacts do adds up over its parts from here on. */
void found_begin(void *self);
/* Contacts that touch or did something in the step that ended at t; 0: it is not the last one taken. */
int found_count(void *self, double t);
carom_found found_look(void *self, int k);

#endif
