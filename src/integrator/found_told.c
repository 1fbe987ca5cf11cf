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

/* Percussions add up over the parts of a step, the rest is that of the last part. */
static void describe(const finder *f, const found_model *m, int k, const found_contact *c, const double *q,
                     const double *P, carom_found *x) {
    double place[4][3];
    found_model_place(m, k, q, place);
    x->contact = f->law[c->law].contact.name;
    x->first = f->body[c->first].name, x->second = f->body[c->second].name;
    x->entry = c->law, x->bodies[0] = c->first, x->bodies[1] = c->second;
    x->kind = (int)c->features.kind;
    x->features[0] = c->features.first, x->features[1] = c->features.second;
    x->gap = found_model_gap(m, k, q);
    memcpy(x->point, place[0], sizeof x->point);
    memcpy(x->normal, place[1], sizeof x->normal);
    x->PN += P[0];
    for (int i = 0; i < 3; i++) x->P[i] += P[0] * place[1][i] + P[1] * place[2][i] + P[2] * place[3][i];
}

bool told_add(told_list *t, const finder *f, const found_model *m, const contact_list *list, const double *P,
              const double *state, const motion *end) {
    const int so_far = t->count;
    for (int i = 0; i < so_far; i++) t->at[i].now.state = CAROM_OPEN; /* unless it is there again */
    for (int k = 0; k < list->count; k++, P += FOUND_ROWS) {
        if (state[k] == CAROM_OPEN && P[0] == 0) continue;
        told_contact *x = told_of(t, so_far, &list->at[k]);
        if (!x) return false;
        describe(f, m, k, &list->at[k], end->q, P, &x->now);
        x->now.state = (carom_contact_state)state[k];
    }
    if (t->count > so_far) qsort(t->at, (size_t)t->count, sizeof *t->at, by_identity);
    t->time = end->t;
    return true;
}
