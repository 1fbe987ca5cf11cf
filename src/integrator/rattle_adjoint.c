/* A step of RATTLE transposed (docs/theory/sensitivity.md, (SE54)): weights of its end become weights of its start. The
 * place_change of an end of the step holds the weights of its rates here. */
#include <string.h>

#include "integrator/rattle_change.h"

/* A step, and the weights of its times: of both ends, and of its length. */
typedef struct part {
    double t, dt, follows;
    const double *q, *u, *end;
    double t_weight, dt_weight;
} part;

/* ---------------------------------------------------------------- what is kept */

enum { T, DT, END, FOLLOWS, BY_RATES, KEPT, WHOLE, HEAD };

static bool pull_step(void *self, const double *kept, adjoint *a);

void rattle_change_trace(rattle_change *c, const motion *now) {
    const rattle_stage *r = c->stage;
    const carom_model *m = r->m;
    const int size = HEAD + m->def.nq + m->def.nu + rattle_memory(m) + m->nc + m->slips + r->problem.n +
                     problem_room(&r->problem) + m->ns + impact_room(&c->end.e->impact);
    double *to = trace_add(c->v, pull_step, c, (size_t)size);
    if (!to) return;
    to[T] = now->t, to[DT] = r->dt, to[END] = r->t1, to[FOLLOWS] = c->v->follows;
    to[BY_RATES] = r->problem.velocity_level, to[KEPT] = r->kept != NULL, to[WHOLE] = c->end.e->whole;
    to = keep(keep(keep(to + HEAD, now->q, m->def.nq), now->u, m->def.nu), now->memory, rattle_memory(m));
    to = keep(r->kept ? keep(to, r->kept, m->nc) : to + m->nc, r->sense, m->slips);
    to = problem_keep(&r->problem, keep(to, r->z, r->problem.n));
    impact_keep(&c->end.e->impact, keep(to, c->end.e->counted, m->ns));
}

static bool put_back_stage(rattle_change *c, const double *kept, part *x) {
    rattle_stage *r = c->stage;
    const carom_model *m = r->m;
    const double *q = kept + HEAD, *u = q + m->def.nq, *memory = u + m->def.nu, *from = memory + rattle_memory(m);
    const motion now = {.t = kept[T], .q = (double *)q, .u = (double *)u, .memory = (double *)memory};
    *x = (part){.t = kept[T], .dt = kept[DT], .follows = kept[FOLLOWS], .q = q, .u = u};
    if (!rattle_stage_place(r, &now, kept[END], kept[DT], kept[BY_RATES] != 0, kept[KEPT] != 0 ? from : NULL))
        return false;
    from = put_back(r->sense, from + m->nc, m->slips);
    x->end = problem_put_back(&r->problem, put_back(r->z, from, r->problem.n));
    c->end.e->whole = kept[WHOLE] != 0;
    return true;
}

static bool put_back_end(rattle_change *c, const part *x) {
    rattle_stage *r = c->stage;
    const carom_model_def *d = &r->m->def;
    ending *e = c->end.e;
    impact *i = &e->impact;
    if (!rattle_stage_end(r) || d->force(d->context, r->t1, rattle_stage_position(r), r->z, c->h1, NULL, NULL))
        return false;
    i->M = r->at1.M, i->WT = r->at1.WT, i->v = r->z;
    i->problem.at = (friction_place){r->t1, r->at1.q};
    impact_set_chi(i, r->s, r->z);
    impact_put_back(i, e->before, put_back(e->counted, x->end, r->m->ns));
    return true;
}

/* ---------------------------------------------------------------- weights of the ends */

static void zero(double *x, int n) {
    memset(x, 0, (size_t)n * sizeof *x);
}

static void clear(const carom_model *m, place_change *x) {
    zero(x->q, m->def.nq), zero(x->M, pattern_nnz(&m->def.M)), zero(x->h, m->def.nu), zero(x->c, m->nc);
    zero(x->s, m->ns), zero(x->WT, pattern_nnz(&m->def.WT)), zero(x->q_dot, m->def.nq);
}

/* At the start or the end of the step, with the velocity of the stage, whose weights are added to u (NULL: fixed). */
static bool pull_place(rattle_change *c, part *p, bool end, double *u, adjoint *a) {
    const rattle_stage *r = c->stage;
    const carom_model *m = r->m;
    place_change *x = end ? &c->at1 : &c->at0;
    const carom_place at = {end ? r->t1 : p->t, end ? rattle_stage_position(r) : p->q, r->z};
    const carom_tangent weight = {.M = x->M,
                                  .h = x->h,
                                  .c = m->nc && end ? x->c : NULL,
                                  .s = m->ns ? x->s : NULL,
                                  .WT = m->ns ? x->WT : NULL,
                                  .q_dot = m->trivial ? NULL : x->q_dot};
    double t = 0;
    const bool done = adjoint_place(a, &at, &weight, &t, end ? x->q : a->q, u);
    p->t_weight += t;
    if (end) p->dt_weight += t;
    return done;
}

/* Of q_1 = q_0 + dt u where q_dot = u. */
static void pull_position(rattle_change *c, part *p, adjoint *a) {
    const rattle_stage *r = c->stage;
    for (int i = 0; i < r->m->def.nq && r->m->trivial; i++) {
        a->q[i] += c->at1.q[i];
        p->dt_weight += c->at1.q[i] * r->z[i];
    }
}

/* Of M (v - w) and -dt/2 h in a balance. */
static void pull_balance(const rattle_change *c, place_change *x, part *p, const double *balance, const double *v,
                         const double *w, const double *h) {
    const carom_pattern *M = &c->stage->m->def.M;
    for (int i = 0; i < c->stage->m->def.nu; i++) {
        x->h[i] = -p->dt / 2 * balance[i];
        p->dt_weight -= balance[i] * h[i] / 2;
        for (int e = M->start[i]; e < M->start[i + 1]; e++) x->M[e] = balance[i] * (v[M->index[e]] - w[M->index[e]]);
    }
}

/* Of the rows [first, last) of s: at the end, or the mean of both ends. */
static void pull_velocities(rattle_change *c, int first, int last, const double *y) {
    const double share = c->stage->published ? 1 : 0.5;
    for (int n = first; n < last; n++) {
        c->at1.s[n] += share * y[n - first];
        c->at0.s[n] += (1 - share) * y[n - first];
    }
}

/* ---------------------------------------------------------------- stage 2 */

/* What the end says of the unknowns (u, q_1, P') of stage 1, into rows, and of the rest. */
static bool pull_end(rattle_change *c, part *p, adjoint *a) {
    const rattle_stage *r = c->stage;
    const carom_model *m = r->m;
    const int nu = m->def.nu;
    const carom_place at = {r->t1, rattle_stage_position(r), c->end.e->impact.z};
    double *balance = c->end.impact.rows, t = 0;
    const ending_weight parts = {c->rows + r->nF, c->slips, c->s_n, &t, c->at1.q};
    if (!ending_pull(&c->end, a, r->t1, &parts)) return false;
    const carom_tangent weight = {.s = m->ns ? balance + nu : NULL, .WT = m->ns ? a->WT : NULL};
    if (m->ns && !adjoint_place(a, &at, &weight, &t, c->at1.q, NULL)) return false;
    p->t_weight += t;
    p->dt_weight += t;
    pull_balance(c, &c->at1, p, balance, c->end.e->impact.z, r->z, c->h1);
    pattern_multiply_transposed(&m->def.M, r->at1.M, -1, balance, c->rows);
    pull_velocities(c, m->F, m->ns, c->slips);
    if (!pull_place(c, p, true, c->rows, a) || (m->slips && !pull_place(c, p, false, c->rows, a))) return false;
    pull_position(c, p, a);
    for (int i = 0; i < m->def.nq; i++) c->rows[m->trivial ? i : nu + i] += (m->trivial ? p->dt : 1) * c->at1.q[i];
    return true;
}

/* ---------------------------------------------------------------- stage 1 at fixed unknowns */

static void pull_update(rattle_change *c, part *p, adjoint *a) {
    const rattle_stage *r = c->stage;
    const double *rows = c->rows + r->m->def.nu;
    for (int i = 0; i < r->m->def.nq; i++) {
        a->q[i] -= rows[i];
        p->dt_weight -= rows[i] * (r->q_dot0[i] + r->q_dot1[i]) / 2;
        c->at0.q_dot[i] = c->at1.q_dot[i] = -p->dt / 2 * rows[i];
    }
}

static void pull_laws(rattle_change *c) {
    const rattle_stage *r = c->stage;
    const carom_model *m = r->m;
    double *y = c->rows + r->nF;
    for (int n = 0; n < m->nc && !r->problem.velocity_level; n++) {
        double *row = y + (n < m->def.ng ? n : m->N + n - m->def.ng);
        c->at1.c[n] = *row;
        c->c_n[n] = position_is_kept(m, r->kept, n) ? -*row : 0;
        *row = 0;
    }
    pull_velocities(c, 0, m->ns, y);
}

static bool pull_stage(rattle_change *c, part *p, adjoint *a) {
    const rattle_stage *r = c->stage;
    const carom_model *m = r->m;
    const carom_place start = {p->t, p->q, p->u};
    const carom_tangent weight = {.s = m->ns ? c->s_n : NULL, .c = m->nc ? c->c_n : NULL};
    clear(m, &c->at0), clear(m, &c->at1), zero(c->c_n, m->nc);
    pull_balance(c, &c->at0, p, c->rows, r->z, p->u, r->h);
    pattern_multiply_transposed(&m->def.M, r->at0.M, -1, c->rows, a->u);
    adjoint_add_turn(m, -1, rattle_stage_percussion(r), c->rows, c->at0.WT);
    if (!m->trivial) pull_update(c, p, a);
    pull_laws(c);
    const rub x = {&c->stage->problem, 0, r->z, c->at};
    if (m->def.friction && !rub_pull(&x, a, c->radius, &p->t_weight, a->q, NULL)) return false;
    if (!pull_place(c, p, false, NULL, a) || !pull_place(c, p, true, NULL, a)) return false;
    pull_position(c, p, a);
    return !m->ns || adjoint_place(a, &start, &weight, &p->t_weight, a->q, a->u);
}

/* ---------------------------------------------------------------- the step */

static bool pull_step(void *self, const double *kept, adjoint *a) {
    rattle_change *c = self;
    rattle_stage *r = c->stage;
    const carom_model *m = r->m;
    bool redundant;
    part p;
    if (!put_back_stage(c, kept, &p) || !adjoint_linearise(a, c->solver, &r->problem, r->z, p.t, &redundant) ||
        !put_back_end(c, &p))
        return false;
    clear(m, &c->at0), clear(m, &c->at1);
    zero(c->rows, r->problem.n), zero(c->s_n, m->ns), zero(c->slips, m->slips);
    memcpy(c->at1.q, a->q, (size_t)m->def.nq * sizeof *a->q);
    zero(a->q, m->def.nq);
    if (!pull_end(c, &p, a)) return false;
    zero(a->u, m->def.nu);
    adjoint_pull(a, c->solver, &r->problem, r->z, redundant, c->rows, c->radius);
    rub_rows(m, &r->problem, r->z, c->at);
    if (!pull_stage(c, &p, a)) return false;
    a->t = p.t_weight + (p.follows - 1) * p.dt_weight + p.follows * a->t;
    return true;
}
