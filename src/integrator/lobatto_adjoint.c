/* A step of the Lobatto scheme transposed (docs/theory/sensitivity.md, (SE53)): weights of its end become weights of
 * its start. The stage_change of a stage holds the weights of its rates here, in the order of lobatto_change.c
 * reversed. */
#include <string.h>

#include "integrator/lobatto_change.h"

/* What a step keeps, and its weights. */
typedef struct part {
    double t, dt, follows;
    const double *q, *u;        /* at its start */
    const double *end;          /* of its velocity problem */
    double t_weight, dt_weight; /* of the start's time, and of the length */
} part;

/* ---------------------------------------------------------------- what is kept */

enum { T, DT, FOLLOWS, BY_RATES, KEPT, WHOLE, HEAD };

static bool pull_step(void *self, const double *kept, adjoint *a);

void lobatto_change_trace(lobatto_change *c, const motion *now) {
    const carom_model *m = c->l->m;
    const lobatto_stages *st = &c->l->stages;
    const int senses = st->sense ? m->slips : 0, size = HEAD + m->def.nq + m->def.nu + m->nc + senses + st->problem.n +
                                                        problem_room(&st->problem) + m->ns +
                                                        impact_room(&c->l->end.impact);
    double *to = trace_add(c->v, pull_step, c, (size_t)size);
    if (!to) return;
    to[T] = now->t, to[DT] = st->dt, to[FOLLOWS] = c->v->follows;
    to[BY_RATES] = st->problem.velocity_level, to[KEPT] = st->kept != NULL, to[WHOLE] = c->l->end.whole;
    to = keep(keep(to + HEAD, now->q, m->def.nq), now->u, m->def.nu);
    to = st->kept ? keep(to, st->kept, m->nc) : to + m->nc;
    if (st->sense) to = keep(to, st->sense, senses);
    to = problem_keep(&st->problem, keep(to, st->z, st->problem.n));
    impact_keep(&c->l->end.impact, keep(to, c->l->end.counted, m->ns));
}

/* The stages as they were. */
static bool put_back_stages(lobatto_change *c, const double *kept, part *x) {
    const carom_model *m = c->l->m;
    lobatto_stages *st = &c->l->stages;
    const double *from = kept + HEAD + m->def.nq + m->def.nu;
    *x = (part){.t = kept[T], .dt = kept[DT], .follows = kept[FOLLOWS]};
    x->q = kept + HEAD, x->u = x->q + m->def.nq;
    if (!lobatto_stages_place(st, x->t, x->q, x->u, x->dt, kept[BY_RATES] != 0)) return false;
    st->kept = kept[KEPT] != 0 ? from : NULL;
    from += m->nc;
    if (st->sense) from = put_back(st->sense, from, m->slips);
    x->end = problem_put_back(&st->problem, put_back(st->z, from, st->problem.n));
    c->l->end.whole = kept[WHOLE] != 0;
    return true;
}

/* The end of the step, after the stages have their values. */
static bool put_back_end(lobatto_change *c, const part *x) {
    ending *e = &c->l->end;
    if (!lobatto_balance_end(c->l)) return false;
    impact_put_back(&e->impact, e->before, put_back(e->counted, x->end, c->l->m->ns));
    return true;
}

/* ---------------------------------------------------------------- weights of the stages */

static void zero(double *x, int n) {
    memset(x, 0, (size_t)n * sizeof *x);
}

static void clear_stage(const carom_model *m, stage_change *x) {
    zero(x->p, m->def.nu), zero(x->b, m->def.nu), zero(x->V, m->def.nu);
    zero(x->Q, m->def.nq), zero(x->q_dot, m->def.nq);
    zero(x->c, m->nc), zero(x->s, m->ns), zero(x->WT, pattern_nnz(&m->def.WT));
}

/* Of F^i = dt b + W R at fixed unknowns: weights of dt, b and W^T. */
static void pull_force(lobatto_change *c, part *p, int i) {
    const lobatto_stages *st = &c->l->stages;
    stage_change *x = &c->stage[i];
    for (int n = 0; n < c->l->m->def.nu; n++) {
        p->dt_weight += x->F[n] * st->stage[i].b[n];
        x->b[n] = st->dt * x->F[n];
    }
    if (i < st->s - 1) adjoint_add_turn(c->l->m, 1, lobatto_percussions(st, i), x->F, x->WT);
}

/* Of Q^i = q_n + dt sum_j a_ij V^j where q_dot = u: those of q_n and dt; V takes its share in gather. */
static void pull_position(lobatto_change *c, part *p, int i, adjoint *a) {
    const carom_model *m = c->l->m;
    const lobatto_stages *st = &c->l->stages;
    const double *Q = c->stage[i].Q;
    for (int n = 0; n < m->def.nq && (i == 0 || m->trivial); n++) {
        a->q[n] += Q[n];
        for (int j = 0; j < st->s && i > 0; j++) p->dt_weight += Q[n] * st->a[i * st->s + j] * st->stage[j].V[n];
    }
}

/* The time of stage i: t_n + c_i dt. */
static void pull_time(const lobatto_change *c, part *p, int i, double t) {
    p->t_weight += t;
    p->dt_weight += c->l->stages.c[i] * t;
}

static bool pull_stage(lobatto_change *c, part *p, int i, const carom_tangent *weight, adjoint *a) {
    const lobatto_stages *st = &c->l->stages;
    const carom_place at = {st->stage[i].t, st->stage[i].Q, st->stage[i].V};
    double t = 0;
    const bool done = adjoint_place(a, &at, weight, &t, c->stage[i].Q, c->stage[i].V);
    pull_time(c, p, i, t);
    return done;
}

/* Of mu by slip where the percussions of stage i act. */
static bool pull_rub(lobatto_change *c, part *p, int i, adjoint *a) {
    lobatto_stages *st = &c->l->stages;
    double t = 0;
    if (!c->l->m->def.friction || i == st->s - 1) return true;
    const rub x = {&st->problem, i, st->z, c->at};
    const bool done = rub_pull(&x, a, c->radius, &t, c->stage[i].Q, NULL);
    pull_time(c, p, i, t);
    return done;
}

/* ---------------------------------------------------------------- the end, (SE5) */

/* Weights of F^i, of the percussions and slips of the stages, of p, s at the start and of the last place. */
static bool pull_end(lobatto_change *c, part *p, adjoint *a) {
    const carom_model *m = c->l->m;
    const lobatto_stages *st = &c->l->stages;
    const int nu = m->def.nu, last = st->s - 1;
    const carom_place at = {st->stage[last].t, st->stage[last].Q, c->l->end.impact.z};
    double *balance = c->end.impact.rows, t = 0;
    const ending_weight parts = {c->earlier, c->slips, c->s_n, &t, c->stage[last].Q};
    if (!ending_pull(&c->end, a, at.t, &parts)) return false;
    const carom_tangent weight = {.p = balance, .s = m->ns ? balance + nu : NULL, .WT = m->ns ? a->WT : NULL};
    if (!adjoint_place(a, &at, &weight, &t, c->stage[last].Q, NULL)) return false;
    p->t_weight += t;
    p->dt_weight += t;
    for (int n = 0; n < nu; n++) {
        c->p_n[n] = -balance[n];
        for (int j = 0; j < st->s; j++) c->stage[j].F[n] = -st->b[j] * balance[n];
    }
    return true;
}

/* The stages as the end sees them: what it says of the unknowns, in rows, and of the rest. dQ: of the part of Q^i that
 * is an unknown, or follows from some. */
static bool pull_from_end(lobatto_change *c, part *p, int i, adjoint *a) {
    const carom_model *m = c->l->m;
    const carom_model_def *d = &m->def;
    const lobatto_stages *st = &c->l->stages;
    const lobatto_stage *at = &st->stage[i];
    stage_change *x = &c->stage[i];
    double *dQ = x->q_dot, *R = c->rows + st->problem.nF + i * m->ns;
    const bool last = i == st->s - 1, turns = model_slips_count(m);
    for (int j = 0; j < m->slips && turns; j++) x->s[m->F + j] = st->pi[(st->s - 1) * st->s + i] * c->slips[j];
    if (last) pull_force(c, p, i);
    const carom_tangent weight = {.b = last ? x->b : NULL, .s = turns ? x->s : NULL};
    if ((last || turns) && !pull_stage(c, p, i, &weight, a)) return false;
    pull_position(c, p, i, a);
    if (last) return true;
    for (int n = 0; n < m->ns; n++) R[n] = st->b[i] * c->earlier[n];
    pattern_multiply(&d->WT, at->WT, 1, x->F, R);
    pattern_multiply_transposed(&d->b_u, at->b_u, st->dt, x->F, x->V);
    if (i == 0) return true;
    pattern_multiply_transposed(&d->b_q, at->b_q, st->dt, x->F, dQ);
    pattern_multiply_transposed(&d->Wr_q, at->Wr_q, 1, x->F, dQ);
    return true;
}

/* Weights of the unknowns V and Q, those of Q inserted where q_dot = u. */
static void gather(lobatto_change *c) {
    const carom_model *m = c->l->m;
    const lobatto_stages *st = &c->l->stages;
    const int nu = m->def.nu, nq = m->def.nq;
    for (int i = 0; i < st->s; i++) {
        const stage_change *x = &c->stage[i];
        double *V = c->rows + i * nu, *Q = c->rows + st->s * nu + (i - 1) * nq;
        for (int n = 0; n < nu; n++) {
            V[n] = x->V[n];
            for (int j = 1; j < st->s && m->trivial; j++)
                V[n] += st->dt * st->a[j * st->s + i] * (c->stage[j].Q[n] + c->stage[j].q_dot[n]);
        }
        for (int n = 0; n < nq && i > 0 && !m->trivial; n++) Q[n] = x->Q[n] + x->q_dot[n];
    }
}

/* ---------------------------------------------------------------- the stages at fixed unknowns, (SE4) */

static void pull_balances(lobatto_change *c) {
    const lobatto_stages *st = &c->l->stages;
    const int nu = c->l->m->def.nu;
    for (int i = 0; i < st->s; i++)
        for (int n = 0; n < nu; n++) {
            const double weight = c->rows[i * nu + n];
            c->stage[i].p[n] = weight;
            c->p_n[n] -= weight;
            for (int j = 0; j < st->s - 1; j++) c->stage[j].F[n] -= st->a_hat[i * st->s + j] * weight;
        }
}

static void pull_updates(lobatto_change *c, part *p, adjoint *a) {
    const lobatto_stages *st = &c->l->stages;
    const int nq = c->l->m->def.nq;
    const double *rows = c->rows + st->s * c->l->m->def.nu;
    for (int i = 1; i < st->s; i++)
        for (int n = 0; n < nq; n++) {
            const double weight = rows[(i - 1) * nq + n];
            a->q[n] -= weight;
            for (int j = 0; j < st->s; j++) {
                p->dt_weight -= st->a[i * st->s + j] * weight * st->stage[j].q_dot[n];
                c->stage[j].q_dot[n] -= st->dt * st->a[i * st->s + j] * weight;
            }
        }
}

/* Of y_i of the rows [first, last) of s. */
static void pull_projection(lobatto_change *c, int i, int first, int last, const double *y) {
    const lobatto_stages *st = &c->l->stages;
    for (int n = first; n < last; n++)
        for (int j = 0; j < st->s; j++) c->stage[j].s[n] += st->pi[i * st->s + j] * y[n - first];
}

static void pull_laws(lobatto_change *c, adjoint *a) {
    const carom_model *m = c->l->m;
    const lobatto_stages *st = &c->l->stages;
    for (int i = 1; i < st->s; i++) {
        double *y = c->rows + st->problem.nF + (i - 1) * m->ns;
        for (int n = 0; n < m->nc && !st->problem.velocity_level; n++) {
            double *row = y + (n < m->def.ng ? n : m->N + n - m->def.ng);
            c->stage[i].c[n] += *row;
            if (position_is_kept(m, st->kept, n)) c->c_n[n] -= *row;
            *row = 0;
        }
        pull_projection(c, i, 0, m->ns, y);
    }
    if (st->problem.looks) pull_projection(c, 0, m->F, m->ns, c->rows + lobatto_slip_row(st, 0, 0));
    if (st->sense) memcpy(a->sense, c->rows + lobatto_sense_row(st, 0), (size_t)m->slips * sizeof *a->sense);
}

static bool pull_stages(lobatto_change *c, part *p, adjoint *a) {
    const carom_model *m = c->l->m;
    const lobatto_stages *st = &c->l->stages;
    for (int i = 0; i < st->s; i++) clear_stage(m, &c->stage[i]);
    zero(c->stage[st->s - 1].F, m->def.nu);
    zero(a->sense, m->slips);
    pull_balances(c);
    if (!m->trivial) pull_updates(c, p, a);
    pull_laws(c, a);
    for (int i = 0; i < st->s; i++) {
        stage_change *x = &c->stage[i];
        pull_force(c, p, i);
        const carom_tangent weight = {.p = x->p,
                                      .b = x->b,
                                      .c = m->nc && i > 0 ? x->c : NULL,
                                      .s = m->ns ? x->s : NULL,
                                      .WT = m->ns && i < st->s - 1 ? x->WT : NULL,
                                      .q_dot = m->trivial ? NULL : x->q_dot};
        if (!pull_stage(c, p, i, &weight, a) || !pull_rub(c, p, i, a)) return false;
        pull_position(c, p, i, a);
    }
    return true;
}

/* ---------------------------------------------------------------- the step */

static bool pull_start(lobatto_change *c, part *p, adjoint *a) {
    const carom_model *m = c->l->m;
    const carom_place at = {p->t, p->q, p->u};
    const carom_tangent weight = {
        .p = c->p_n, .s = m->ns ? c->s_n : NULL, .c = m->nc && c->l->stages.kept ? c->c_n : NULL};
    return adjoint_place(a, &at, &weight, &p->t_weight, a->q, a->u);
}

static bool pull_step(void *self, const double *kept, adjoint *a) {
    lobatto_change *c = self;
    const carom_model *m = c->l->m;
    lobatto_stages *st = &c->l->stages;
    bool redundant;
    part p;
    if (!put_back_stages(c, kept, &p) || !adjoint_linearise(a, c->solver, &st->problem, st->z, p.t, &redundant) ||
        !put_back_end(c, &p))
        return false;
    for (int i = 0; i < st->s; i++) clear_stage(m, &c->stage[i]);
    zero(c->rows, st->problem.n), zero(c->s_n, m->ns), zero(c->c_n, m->nc);
    zero(c->earlier, m->ns), zero(c->slips, m->slips);
    memcpy(c->stage[st->s - 1].Q, a->q, (size_t)m->def.nq * sizeof *a->q);
    zero(a->q, m->def.nq);
    bool done = pull_end(c, &p, a);
    zero(a->u, m->def.nu);
    for (int i = st->s - 1; i >= 0 && done; i--) done = pull_from_end(c, &p, i, a);
    gather(c);
    adjoint_pull(a, c->solver, &st->problem, st->z, redundant, c->rows, c->radius);
    rub_rows(m, &st->problem, st->z, c->at);
    if (!done || !pull_stages(c, &p, a) || !pull_start(c, &p, a)) return false;
    a->t = p.t_weight + (p.follows - 1) * p.dt_weight + p.follows * a->t;
    return true;
}
