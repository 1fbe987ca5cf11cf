/* Located events of contacts that are found (docs/theory/contacts.md). The run knows the base alone, so it gets
 * instants with the rows of the base, and events with the entry of the scene and the bodies of the contact. */
#include <stdlib.h>

#include "error.h"
#include "integrator/found_inside.h"

int found_number(const found_scheme *f, int contact) {
    const carom_model_def *b = &f->base->def;
    if (contact < b->contacts) return contact;
    return b->contacts + b->latches + f->search.list.at[contact - b->contacts].law;
}

static void name_event(const found_scheme *f, carom_event *e) {
    const int number = e->contact - f->base->def.contacts;
    e->contact = found_number(f, e->contact);
    if (number < 0) return;
    const found_contact *c = &f->search.list.at[number];
    e->bodies[0] = c->first, e->bodies[1] = c->second;
}

/* One side of an instant, with the percussions of the base in P. */
static motion side_of(const found_scheme *f, const instant *x, int k, double *P) {
    found_part_rows(f, x->P[k], P, f->rows);
    return (motion){.t = *x->t[k], .q = x->q, .u = x->u[k], .P = P, .contact = x->contact[k]};
}

/* Another contact of the same two shapes takes over: nothing opens. */
static bool goes_over(const found_scheme *f, const instant *x, const carom_event *e) {
    const int base = f->base->def.contacts;
    if (e->kind != CAROM_OPENING || e->contact < base) return false;
    const found_contact *at = f->search.list.at, *c = &at[e->contact - base];
    for (int k = 0; k < f->search.list.count; k++)
        if (at[k].a == c->a && at[k].b == c->b && x->contact[0][base + k] == CAROM_OPEN &&
            x->contact[1][base + k] != CAROM_OPEN)
            return true;
    return false;
}

static bool add_instant(found_scheme *f, const event_log *from, int number, double *P, int *held) {
    const instant x = event_log_instant(from, number);
    for (int k = 0; k < 2; k++) {
        const int *side = x.side[k][0] != 0 ? held : NULL;
        const motion at = side_of(f, &x, k, P);
        for (int j = 0; j < f->base->def.switches; j++) held[j] = (int)x.side[k][1 + j];
        if (!(k == 0 ? event_log_begin(&f->log, &at, side, P) : event_log_end(&f->log, &at, side, P))) return false;
        for (int i = 0; i < from->events && k == 0; i++) {
            carom_event e = from->event[i];
            if (e.instant != number || goes_over(f, &x, &e)) continue;
            name_event(f, &e);
            event_log_add(&f->log, e);
        }
    }
    return true;
}

bool found_tell_events(found_scheme *f) {
    const event_log *from = f->scheme->events(f->self);
    const carom_model *b = f->base;
    bool ok = true;
    event_log_clear(&f->log);
    f->log.model = b;
    double *P = from->instants ? malloc(((size_t)b->ns + 1) * sizeof *P) : NULL;
    int *held = from->instants ? malloc(((size_t)b->def.switches + 1) * sizeof *held) : NULL;
    if (from->instants) ok = P && held;
    for (int i = 0; i < from->instants && ok; i++) ok = add_instant(f, from, i, P, held);
    free(P), free(held);
    return ok;
}

/* Features last, or change at borders that the step locates. */
static bool follows(const core *a, const core *b) {
    if (borders_apply(a, b)) return true;
    if (a->rim > 0 || b->rim > 0) return false;
    return a->half_space || b->half_space || (a->faces == 0 && b->faces == 0);
}

carom_status found_check_located(const found_scheme *f, carom_error *error) {
    const finder *of = f->finder;
    for (int a = 0; a < of->solids; a++)
        for (int b = 0; b < a; b++)
            if (!follows(&of->solid[a].core, &of->solid[b].core) && finder_law_of(of, a, b) >= 0)
                return carom_error_set(
                    error, CAROM_DATA,
                    "%s with 'events: locate' follows found contacts ('among') of cylinders with planes, spheres, "
                    "capsules, boxes and hulls alone: '%s' and '%s' make others; 'events: capture' takes them, or "
                    "'points' on the rims",
                    f->scheme->info.name, of->body[of->solid[b].body].name, of->body[of->solid[a].body].name);
    return CAROM_OK;
}
