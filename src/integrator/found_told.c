#include "integrator/found_told.h"

#include <stdlib.h>
#include <string.h>

static int by_identity(const void *x, const void *y) {
    return contact_order(&((const told_contact *)x)->of, &((const told_contact *)y)->of);
}

static told_contact *told_of(told_list *t, int so_far, const found_contact *c) {
    const told_contact key = {.of = *c};
    told_contact *known = so_far ? bsearch(&key, t->at, (size_t)so_far, sizeof key, by_identity) : NULL;
    if (known) return known;
    if (t->count == t->room) {
        const int room = t->room ? 2 * t->room : 64;
        told_contact *more = realloc(t->at, (size_t)room * sizeof *more);
        if (!more) return NULL;
        t->at = more, t->room = room;
    }
    t->at[t->count] = key;
    return &t->at[t->count++];
}

static void identify(const finder *f, const found_contact *c, carom_found *x) {
    x->contact = f->law[c->law].contact.name;
    x->first = f->body[c->first].name, x->second = f->body[c->second].name;
    x->entry = c->law, x->bodies[0] = c->first, x->bodies[1] = c->second;
    x->kind = (int)c->features.kind;
    x->features[0] = c->features.first, x->features[1] = c->features.second;
}

/* Percussions add up over the parts of a step, the rest is that of the last part. */
bool told_add(told_list *t, const finder *f, const contact_list *list, double time, told_describe *describe,
              void *context) {
    const int so_far = t->count;
    for (int i = 0; i < so_far; i++) t->at[i].now.state = CAROM_OPEN; /* unless it is found again */
    for (int k = 0; k < list->count; k++) {
        carom_found now = {0};
        describe(context, k, &now);
        if (now.state == CAROM_OPEN && now.PN == 0) continue;
        told_contact *x = told_of(t, so_far, &list->at[k]);
        if (!x) return false;
        identify(f, &list->at[k], &x->now);
        describe(context, k, &x->now);
    }
    if (t->count > so_far) qsort(t->at, (size_t)t->count, sizeof *t->at, by_identity);
    t->time = time;
    return true;
}
