#include "integrator/locate_merge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/vectors.h"

/* ---------------------------------------------------------------- where all is at an instant */

/* Everything that takes the step as one. */
static void place_quiet(merger *x, const locate *l, const attempt *quiet, double t) {
    const carom_model *m = l->m;
    memcpy(x->contact, l->at.x.contact, (size_t)m->def.contacts * sizeof *x->contact);
    memcpy(x->side, l->at.side, (size_t)m->def.switches * sizeof *x->side);
    memset(x->P, 0, (size_t)m->ns * sizeof *x->P);
    memcpy(x->look.q, l->at.x.q, (size_t)m->def.nq * sizeof *x->look.q);
    memcpy(x->look.u, l->at.x.u, (size_t)m->def.nu * sizeof *x->look.u);
    if (!quiet) return;
    const double theta = fmin((t - quiet->start.x.t) / quiet->h, 1);
    attempt_at(quiet, theta, &x->look);
    for (int k = 0; k < m->ns; k++) x->P[k] = theta * quiet->end.x.P[k];
}

/* What a part shows between two of its instants: percussions grow evenly from one to the next. */
static void place_between(merger *x, const island_step *i, double t) {
    const event_log *log = i->log;
    const model_part *p = i->part;
    int before = 0;
    while (before < log->instants && *event_log_instant(log, before).t[1] <= t) before++;
    const instant last = before > 0 ? event_log_instant(log, before - 1) : (instant){0};
    const instant next = before < log->instants ? event_log_instant(log, before) : (instant){0};
    const double from = before > 0 ? *last.t[1] : i->now.t, to = before < log->instants ? *next.t[0] : i->next.t;
    const double *P0 = before > 0 ? last.P[1] : NULL, *P1 = before < log->instants ? next.P[0] : i->next.P;
    const double part = to > from ? fmin((t - from) / (to - from), 1) : 1;
    for (int k = 0; k < p->s.count; k++) {
        const double start = P0 ? P0[k] : 0;
        x->P[p->s.at[k]] = start + part * (P1[k] - start);
    }
    part_scatter(&p->contact, before > 0 ? last.contact[1] : i->now.contact, x->contact);
    for (int j = 0; j < p->switched.count && before > 0; j++) x->side[p->switched.at[j]] = (int)last.side[1][1 + j];
    if (!log->trail || !trail_at(log->trail, t, x->q, x->u, x->look.weights)) return;
    part_scatter(&p->q, x->q, x->look.q), part_scatter(&p->u, x->u, x->look.u);
}

/* The part whose instant it is. */
static void place_own(merger *x, const island_step *i, const instant *own, int side) {
    const model_part *p = i->part;
    part_scatter(&p->q, own->q, x->look.q), part_scatter(&p->u, own->u[side], x->look.u);
    part_scatter(&p->s, own->P[side], x->P), part_scatter(&p->contact, own->contact[side], x->contact);
    for (int j = 0; j < p->switched.count; j++) x->side[p->switched.at[j]] = (int)own->side[side][1 + j];
}

/* ---------------------------------------------------------------- one after the other */

/* The part with the earliest instant that is left; -1: none. */
static int earliest(const merger *x, const island_step *part, int parts) {
    int first = -1;
    double least = INFINITY;
    for (int i = 0; i < parts; i++) {
        if (x->next[i] == part[i].log->instants) continue;
        const double t = *event_log_instant(part[i].log, x->next[i]).t[0];
        if (t < least) least = t, first = i;
    }
    return first;
}

static bool tell_instant(merger *x, locate *l, const island_step *i, int number) {
    event_log *log = &l->events.log;
    const instant own = event_log_instant(i->log, number);
    for (int side = 0; side < 2; side++) {
        place_own(x, i, &own, side);
        const motion at = {.t = *own.t[side], .q = x->look.q, .u = x->look.u, .P = x->P, .contact = x->contact};
        if (!(side == 0 ? event_log_begin(log, &at, x->side, x->P) : event_log_end(log, &at, x->side, x->P)))
            return false;
        for (int k = 0; k < i->log->events && side == 0; k++) {
            carom_event e = i->log->event[k];
            if (e.instant != number) continue;
            e.contact = i->part->contact.at[e.contact];
            event_log_add(log, e);
        }
    }
    return true;
}

static bool reserve(merger *x, int parts) {
    if (parts <= x->reserved) return true;
    int *more = realloc(x->next, (size_t)parts * sizeof *more);
    if (more) x->next = more, x->reserved = parts;
    return more != NULL;
}

bool merger_tell(merger *x, locate *l, const island_step *part, int parts, const attempt *quiet, double end) {
    if (!reserve(x, parts)) return false;
    for (int i = 0; i < parts; i++) {
        x->next[i] = 0;
        if (part[i].log->full) return false;
    }
    for (int first; (first = earliest(x, part, parts)) >= 0;) {
        const double t = fmin(*event_log_instant(part[first].log, x->next[first]).t[0], end);
        place_quiet(x, l, quiet, t);
        for (int i = 0; i < parts; i++)
            if (i != first) place_between(x, &part[i], t);
        if (!tell_instant(x, l, &part[first], x->next[first]++)) return false;
    }
    return true;
}

/* ---------------------------------------------------------------- setup */

bool merger_create(merger *x, const locate *l) {
    const carom_model *m = l->m;
    *x = (merger){0};
    const vector_part parts[] = {
        {&x->q, m->def.nq}, {&x->u, m->def.nu}, {&x->P, m->ns}, {&x->contact, m->def.contacts}};
    x->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    x->side = calloc((size_t)m->def.switches + 1, sizeof *x->side);
    return attempt_look_create(&x->look, &l->attempt) && x->memory && x->side;
}

void merger_destroy(merger *x) {
    attempt_look_destroy(&x->look);
    free(x->memory), free(x->side), free(x->next);
}
