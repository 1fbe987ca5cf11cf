/* What contacts that are found do to the energy, as run/work.c accounts for others. */
#include "integrator/found_inside.h"

/* One side of a part of a step: velocities, and percussions since its start. */
typedef struct side {
    const double *s, *P; /* P NULL: none yet */
} side;

/* 1/2 P (s_0 + s_1), (W6), over a part of the step. */
static void add_part(found_scheme *f, const side *a, const side *b, const motion *start, const motion *end) {
    const carom_model *m = f->m;
    for (int k = f->base->def.contacts; k < m->def.contacts; k++) {
        const int N = m->N + k;
        const double normal = (b->P[N] - (a->P ? a->P[N] : 0)) * (a->s[N] + b->s[N]) / 2;
        f->work.normal += normal;
        if (start && start->contact[k] != CAROM_OPEN && end->contact[k] != CAROM_OPEN) f->work.held += normal;
        for (int i = m->F + m->slip[k]; i < m->F + m->slip[k + 1]; i++)
            f->work.friction += (b->P[i] - (a->P ? a->P[i] : 0)) * (a->s[i] + b->s[i]) / 2;
    }
}

static bool velocities(const found_scheme *f, double t, const double *q, const double *u, double *s) {
    const carom_model_def *d = &f->m->def;
    return !d->velocity(d->context, t, q, u, s, NULL, NULL);
}

/* From instant to instant, and across them. */
static bool account_located(found_scheme *f, const motion *start, const motion *end, const event_log *log) {
    int at = 0;
    side last = {f->s[at], NULL};
    if (!velocities(f, start->t, start->q, start->u, f->s[at])) return false;
    for (int i = 0; i <= log->instants; i++) {
        const instant x = i < log->instants ? event_log_instant(log, i) : (instant){0};
        for (int k = 0; k < (i < log->instants ? 2 : 1); k++) {
            double *s = f->s[at = !at];
            const bool ends = i == log->instants;
            if (!velocities(f, ends ? end->t : *x.t[k], ends ? end->q : x.q, ends ? end->u : x.u[k], s)) return false;
            const side next = {s, ends ? end->P : x.P[k]};
            add_part(f, &last, &next, ends && i == 0 ? start : NULL, end);
            last = next;
        }
    }
    return true;
}

/* Schemes that kick have both sides where the step ends, (W9a). */
bool found_account(found_scheme *f, const motion *start, const motion *end) {
    const bool kicks = f->scheme->kicks;
    const int at = f->head + (f->scheme->rates - 1) * f->m->ns;
    const side kept[] = {{start->memory + at, NULL}, {end->memory + at, end->P}};
    const side made[] = {{f->s[0], NULL}, {f->s[1], end->P}};
    f->work = (found_work){0};
    if (f->m->def.contacts == f->base->def.contacts) return true;
    if (f->located) return account_located(f, start, end, f->scheme->events(f->self));
    if (f->scheme->rates > 0) return add_part(f, &kept[0], &kept[1], start, end), true;
    if (!velocities(f, end->t, end->q, end->u, f->s[1]) ||
        !velocities(f, kicks ? end->t : start->t, kicks ? end->q : start->q, start->u, f->s[0]))
        return false;
    add_part(f, &made[0], &made[1], start, end);
    return true;
}
