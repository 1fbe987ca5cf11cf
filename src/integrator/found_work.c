/* What contacts that are found do to the energy, as run/work.c accounts for others. */
#include "integrator/found_inside.h"

static bool is_closed(const motion *x, int k) {
    return x->contact[k] != CAROM_OPEN;
}

/* Whether all contacts that act were closed and are: else the step has an impact, and holds nothing, (W9c). */
static bool all_held(const found_scheme *f, const motion *start, const motion *end) {
    bool all = true;
    for (int k = 0; k < f->m->def.contacts && all; k++)
        all = end->P[f->m->N + k] == 0 || (is_closed(start, k) && is_closed(end, k));
    return all;
}

/* 1/2 P (s_0 + s_1), (W6), over the step. */
static void add_step(found_scheme *f, const double *s0, const double *s1, const motion *start, const motion *end) {
    const carom_model *m = f->m;
    const double *P = end->P;
    const bool held = all_held(f, start, end);
    for (int k = f->base->def.contacts; k < m->def.contacts; k++) {
        const int N = m->N + k;
        const double normal = P[N] * (s0[N] + s1[N]) / 2;
        f->work.normal += normal;
        if (held && is_closed(start, k) && is_closed(end, k)) f->work.held += normal;
        for (int i = m->F + m->slip[k]; i < m->F + m->slip[k + 1]; i++) f->work.friction += P[i] * (s0[i] + s1[i]) / 2;
    }
}

static bool velocities(const found_scheme *f, double t, const double *q, const double *u, double *s) {
    const carom_model_def *d = &f->m->def;
    return !d->velocity(d->context, t, q, u, s, NULL, NULL);
}

/* Located steps have added it up from trial step to trial step, and across instants (W9e). */
static void add_located(found_scheme *f, const motion *start, const motion *end, const event_log *log) {
    const carom_model *m = f->m;
    for (int k = f->base->def.contacts; k < m->def.contacts; k++) {
        const double normal = log->work[m->N + k];
        f->work.normal += normal;
        if (log->instants == 0 && is_closed(start, k) && is_closed(end, k)) f->work.held += normal;
        for (int i = m->F + m->slip[k]; i < m->F + m->slip[k + 1]; i++) f->work.friction += log->work[i];
    }
}

/* Schemes that kick have both sides where the step ends, (W9a). */
bool found_account(found_scheme *f, const motion *start, const motion *end) {
    const bool kicks = f->scheme->kicks;
    const int at = f->head + (f->scheme->rates - 1) * f->m->ns;
    f->work = (found_work){0};
    if (f->m->def.contacts == f->base->def.contacts) return true;
    if (f->located) return add_located(f, start, end, f->scheme->events(f->self)), true;
    if (f->scheme->rates > 0) return add_step(f, start->memory + at, end->memory + at, start, end), true;
    if (!velocities(f, end->t, end->q, end->u, f->s[1]) ||
        !velocities(f, kicks ? end->t : start->t, kicks ? end->q : start->q, start->u, f->s[0]))
        return false;
    add_step(f, f->s[0], f->s[1], start, end);
    return true;
}
