/* What is reported of contacts that are found: those that touch, or act in a step, with percussions added up over its
 * parts. */
#ifndef CAROM_FOUND_TOLD_H
#define CAROM_FOUND_TOLD_H

#include "integrator/integrator.h"
#include "model/found/found_model.h"

/* Vectors in the order of s have, for a found contact, a place for the gap and two for the slips. */
enum { FOUND_ROWS = 3 };

typedef struct told_contact {
    found_contact of;
    carom_found now;
} told_contact;

typedef struct told_list {
    told_contact *at; /* ascending */
    int count, room;
    double time; /* at the end of the step; NaN: none was taken */
} told_list;

/* Reports contact k of the list: place, normal, gap and state as they are; percussions are added. */
typedef void told_describe(void *context, int k, carom_found *x);
/* The contacts of a part that ended here. False: out of memory. */
bool told_add(told_list *t, const finder *f, const contact_list *list, double time, told_describe *describe,
              void *context);

#endif
