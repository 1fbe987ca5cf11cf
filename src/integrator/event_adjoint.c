/* Events transposed (docs/theory/sensitivity.md, (SE55)): weights of the state after them become weights of the state
 * before. */
#include <string.h>

#include "integrator/event_change.h"

static void zero(double *x, int n) {
    memset(x, 0, (size_t)n * sizeof *x);
}

/* ---------------------------------------------------------------- when it happens, (SE7) */

enum { T, KIND, INDEX, RATE, HEAD }; /* KIND: a gap, a slip, or a switch */
enum { GAP, SLIP, SIDE };

static bool pull_meet(void *self, const double *kept, adjoint *a);

void event_trace_meet(event_change *c, const candidate *x, const attempt *a, const phase *end) {
    const carom_model *m = c->m;
    const int nq = m->def.nq, nu = m->def.nu;
    const carom_place flow = variation_column(c->v, c->v->columns);
    double *to = trace_add(c->v, pull_meet, c, (size_t)(HEAD + 2 * (nq + nu) + m->slips));
    if (!to) return;
    to[T] = end->x.t, to[KIND] = x->contact < 0 ? SIDE : x->kind == CAROM_STRIKE ? GAP : SLIP;
    to[INDEX] = x->contact < 0 ? x->which : x->contact, to[RATE] = c->rate[c->v->columns];
    to = keep(keep(keep(keep(to + HEAD, end->x.q, nq), end->x.u, nu), flow.q, nq), flow.u, nu);
    keep(to, a->start.sense, m->slips);
}

/* t' = -e'/e_t moves the state along (1, q_t, u_t): the weight of e' is what that motion weighs, over -e_t. */
static bool pull_meet(void *self, const double *kept, adjoint *a) {
    event_change *c = self;
    const carom_model *m = c->m;
    const int nq = m->def.nq, nu = m->def.nu, kind = (int)kept[KIND], k = (int)kept[INDEX];
    const double *q = kept + HEAD, *u = q + nq, *q_t = u + nu, *u_t = q_t + nq, *sense = u_t + nu;
    double moved = a->t;
    for (int i = 0; i < nq; i++) moved += a->q[i] * q_t[i];
    for (int i = 0; i < nu; i++) moved += a->u[i] * u_t[i];
    const double e = -moved / kept[RATE];
    zero(c->c, m->nc), zero(c->s, m->ns), zero(c->a, m->def.switches);
    if (kind == GAP) c->c[m->def.ng + k] = e;
    for (int j = m->slip[kind == SLIP ? k : 0]; kind == SLIP && j < m->slip[k + 1]; j++) c->s[m->F + j] = e * sense[j];
    if (kind == SIDE) c->a[k] = e;
    const carom_tangent weight = {
        .c = kind == GAP ? c->c : NULL, .s = kind == SLIP ? c->s : NULL, .a = kind == SIDE ? c->a : NULL};
    return adjoint_place(a, &(carom_place){kept[T], q, u}, &weight, &a->t, a->q, a->u);
}

static bool pull_instant(void *self, const double *kept, adjoint *a) {
    (void)self;
    const int k = (int)kept[0];
    if (k < a->instants) a->t += a->instant[k];
    return true;
}

void event_trace_instant(event_change *c) {
    double *to = trace_add(c->v, pull_instant, c, 1);
    if (to) *to = c->v->instants - 1;
}

/* ---------------------------------------------------------------- what it does, (SE8) */

static bool pull_begin(void *self, const double *kept, adjoint *a) {
    const event_change *c = self;
    const carom_model *m = c->m;
    const double *q = kept + 1, *u = q + m->def.nq;
    const bool done = m->ns == 0 || adjoint_place(a, &(carom_place){kept[0], q, u}, &(carom_tangent){.s = a->before},
                                                  &a->t, a->q, a->u);
    zero(a->before, m->ns);
    return done;
}

void event_trace_begin(event_change *c, const phase *x) {
    const carom_model_def *d = &c->m->def;
    double *to = trace_add(c->v, pull_begin, c, (size_t)(1 + d->nq + d->nu));
    if (!to) return;
    *to++ = x->x.t;
    keep(keep(to, x->x.q, d->nq), x->x.u, d->nu);
}

static bool pull_jump(void *self, const double *kept, adjoint *a) {
    event_change *c = self;
    const carom_model *m = c->m;
    const carom_pattern *M = &m->def.M;
    const double *q = kept + 2, *v = q + m->def.nq;
    impact *i = &c->blow->impact;
    if (!blow_begin(c->blow, kept[0], q, v)) return false;
    impact_put_back(i, c->blow->before, v + m->def.nu);
    if (!impact_pull(&c->impact, a, kept[0], a->u, NULL, kept[1] != 0 ? a->before : NULL)) return false;
    double *balance = c->impact.rows;
    zero(a->u, m->def.nu), zero(a->WT, pattern_nnz(&m->def.WT));
    pattern_multiply_transposed(M, i->M, -1, balance, a->u);
    for (int r = 0; r < m->def.nu; r++)
        for (int e = M->start[r]; e < M->start[r + 1]; e++) a->M[e] = balance[r] * (i->z[M->index[e]] - v[M->index[e]]);
    adjoint_add_turn(m, -1, impact_percussion(i), balance, a->WT);
    const carom_tangent weight = {.M = a->M, .s = balance + m->def.nu, .WT = a->WT};
    return impact_pull_place(&c->impact, a, &a->t, a->q, NULL) &&
           adjoint_place(a, &(carom_place){kept[0], q, i->z}, &weight, &a->t, a->q, NULL);
}

void event_trace_jump(event_change *c, const phase *x, bool rebounds) {
    const carom_model_def *d = &c->m->def;
    const impact *i = &c->blow->impact;
    double *to = trace_add(c->v, pull_jump, c, (size_t)(2 + d->nq + d->nu + impact_room(i)));
    if (!to) return;
    *to++ = x->x.t, *to++ = rebounds;
    impact_keep(i, keep(keep(to, x->x.q, d->nq), i->v, d->nu));
}

/* ---------------------------------------------------------------- positions held by rates, (SE23) */

/* B^T of weights of positions. */
static bool pull_displacement(event_change *c, double t, const double *q, const double *weight, double *u) {
    const carom_model_def *d = &c->m->def;
    zero(u, d->nu);
    if (c->m->trivial) memcpy(u, weight, (size_t)d->nu * sizeof *u);
    else if (d->kinematics(d->context, t, q, c->blow->zero, NULL, c->B, NULL)) return false;
    else pattern_multiply_transposed(&d->B, c->B, 1, weight, u);
    return true;
}

static bool pull_place(void *self, const double *kept, adjoint *a) {
    event_change *c = self;
    const carom_model *m = c->m;
    const carom_model_def *d = &m->def;
    const double *q = kept + 1, *state = q + d->nq, *laws = c->impact.rows + d->nu;
    if (!blow_begin_displacement(c->blow, kept[0], q) || !pull_displacement(c, kept[0], q, a->q, c->balance))
        return false;
    impact_put_back(&c->blow->impact, c->blow->before, state + d->contacts);
    if (!impact_pull(&c->impact, a, kept[0], c->balance, NULL, NULL)) return false;
    zero(c->c, m->nc);
    for (int i = 0; i < m->nc; i++)
        if (i < d->ng || state[i - d->ng] != CAROM_OPEN) c->c[i] = laws[i < d->ng ? i : m->N + i - d->ng];
    return adjoint_place(a, &(carom_place){kept[0], q, c->blow->zero}, &(carom_tangent){.c = c->c}, &a->t, a->q, NULL);
}

void event_trace_place(event_change *c, const phase *x) {
    const carom_model_def *d = &c->m->def;
    const impact *i = &c->blow->impact;
    double *to = trace_add(c->v, pull_place, c, (size_t)(1 + d->nq + d->contacts + impact_room(i)));
    if (!to) return;
    *to++ = x->x.t;
    impact_keep(i, keep(keep(to, x->x.q, d->nq), x->x.contact, d->contacts));
}
