#include "integrator/lobatto_change.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- rates of the stages */

/* Rates of the model's functions at stage i, whose t, Q and V change at the rates that are there; and
 * F' = dt' b + dt b' + W' R. */
static bool differentiate_stage(lobatto_change *c, const span *k, int i) {
    const carom_model *m = c->l->m;
    const lobatto_stages *st = &c->l->stages;
    const lobatto_stage *at = &st->stage[i];
    stage_change *x = &c->stage[i];
    const carom_place place = {at->t, at->Q, at->V}, rate = {k->start.t + st->c[i] * k->dt, x->Q, x->V};
    const bool first = i == 0, pressed = m->ns && i < st->s - 1;
    const double *WT = first ? junction_direction(&c->place, k->index) : x->WT;
    const carom_tangent wanted = {.p = x->p,
                                  .b = x->b,
                                  .c = m->nc && !first ? x->c : NULL,
                                  .s = m->ns && !first ? x->s : NULL,
                                  .WT = pressed && !first ? x->WT : NULL,
                                  .q_dot = m->trivial ? NULL : x->q_dot};
    if (!variation_tangent(c->v, k->index, &place, &rate, &wanted)) return false;
    if (first) junction_slip(&c->place, k->index, at->V, x->s);
    for (int j = 0; j < m->def.nu; j++) x->F[j] = k->dt * at->b[j] + st->dt * x->b[j];
    if (pressed) pattern_multiply_transposed(&m->def.WT, WT, 1, lobatto_percussions(st, i), x->F);
    return true;
}

/* q_n' + dt' sum_j a_ij V^j + dt sum_j a_ij V'^j where q_dot = u; V' NULL: at fixed unknowns. */
static void insert_position(lobatto_change *c, const span *k, int i, const double *V_rate) {
    const lobatto_stages *st = &c->l->stages;
    const int nu = c->l->m->def.nu;
    double *Q = c->stage[i].Q;
    memcpy(Q, k->start.q, (size_t)nu * sizeof *Q);
    for (int j = 0; j < st->s; j++) {
        const double a = st->a[i * st->s + j], *V = st->stage[j].V;
        for (int n = 0; n < nu && k->dt != 0; n++) Q[n] += a * k->dt * V[n];
        for (int n = 0; n < nu && V_rate; n++) Q[n] += a * st->dt * V_rate[j * nu + n];
    }
}

/* Rates of the stages themselves: at fixed unknowns (z NULL), or with them. */
static void place_stages(lobatto_change *c, const span *k, const double *z) {
    const carom_model *m = c->l->m;
    const lobatto_stages *st = &c->l->stages;
    const int nq = m->def.nq, nu = m->def.nu;
    for (int i = 0; i < st->s; i++) {
        stage_change *x = &c->stage[i];
        memset(x->V, 0, (size_t)nu * sizeof *x->V);
        memset(x->Q, 0, (size_t)nq * sizeof *x->Q);
        if (z) memcpy(x->V, z + i * nu, (size_t)nu * sizeof *z);
        if (i == 0) memcpy(x->Q, k->start.q, (size_t)nq * sizeof *x->Q);
        else if (m->trivial) insert_position(c, k, i, z);
        else if (z) memcpy(x->Q, z + st->s * nu + (i - 1) * nq, (size_t)nq * sizeof *z);
    }
}

static double *force_of(const lobatto_change *c, int index, int i) {
    return c->F + (index * c->l->stages.s + i) * c->l->m->def.nu;
}

/* At fixed unknowns. */
static bool differentiate_stages(lobatto_change *c, const span *k) {
    const size_t size = (size_t)c->l->m->def.nu * sizeof *c->F;
    place_stages(c, k, NULL);
    for (int i = 0; i < c->l->stages.s; i++) {
        if (!differentiate_stage(c, k, i)) return false;
        memcpy(force_of(c, k->index, i), c->stage[i].F, size);
    }
    return true;
}

/* ---------------------------------------------------------------- the rows of the stages at fixed unknowns, (SE4) */

static bool differentiate_start(lobatto_change *c, const span *k, const motion *now) {
    const carom_model *m = c->l->m;
    const carom_place place = {now->t, now->q, now->u};
    const double *WT = c->l->stages.stage[0].WT;
    double *s_n = c->s_n + k->index * m->ns;
    const bool kept = m->nc && c->l->stages.kept,
               new = !junction_goes_on(&c->place, k) || gaps_are_kept(m, c->l->stages.kept);
    const carom_tangent wanted = {.p = c->p_n + k->index * m->def.nu,
                                  .s = new && m->ns ? s_n : NULL,
                                  .WT = new && m->ns ? junction_direction(&c->place, k->index) : NULL,
                                  .c = new &&kept ? c->c_n + k->index * m->nc : NULL};
    if (!variation_tangent(c->v, k->index, &place, &k->start, &wanted)) return false;
    if (new) junction_split(&c->place, k->index, WT, s_n, now->u, k->start.u);
    else junction_slip_along(&c->place, k->index, WT, now->u, k->start.u, s_n);
    return true;
}

static void balance_rows(const lobatto_change *c, const span *k, double *rows) {
    const lobatto_stages *st = &c->l->stages;
    const int nu = c->l->m->def.nu;
    for (int i = 0; i < st->s; i++)
        for (int n = 0; n < nu; n++) {
            double sum = c->stage[i].p[n] - c->p_n[k->index * nu + n];
            for (int j = 0; j < st->s - 1; j++) sum -= st->a_hat[i * st->s + j] * c->stage[j].F[n];
            rows[i * nu + n] = sum;
        }
}

static void update_rows(const lobatto_change *c, const span *k, double *rows) {
    const lobatto_stages *st = &c->l->stages;
    const int nq = c->l->m->def.nq;
    for (int i = 1; i < st->s; i++)
        for (int n = 0; n < nq; n++) {
            double sum = 0;
            for (int j = 0; j < st->s; j++)
                sum += st->a[i * st->s + j] * (k->dt * st->stage[j].q_dot[n] + st->dt * c->stage[j].q_dot[n]);
            rows[(i - 1) * nq + n] = -k->start.q[n] - sum;
        }
}

/* y_i of the rows [first, last) of s */
static void project(const lobatto_change *c, int i, int first, int last, double *y) {
    const lobatto_stages *st = &c->l->stages;
    for (int n = first; n < last; n++) {
        *y = 0;
        for (int j = 0; j < st->s; j++) *y += st->pi[i * st->s + j] * c->stage[j].s[n];
        y++;
    }
}

static void law_rows(const lobatto_change *c, int index, double *rows) {
    const carom_model *m = c->l->m;
    const double *c_n = c->c_n + index * m->nc;
    const lobatto_stages *st = &c->l->stages;
    for (int i = 1; i < st->s; i++) {
        double *y = rows + st->problem.nF + (i - 1) * m->ns;
        project(c, i, 0, m->ns, y);
        for (int n = 0; n < m->nc && !st->problem.velocity_level; n++)
            y[n < m->def.ng ? n : m->N + n - m->def.ng] =
                c->stage[i].c[n] - (position_is_kept(m, st->kept, n) ? c_n[n] : 0);
    }
    if (st->looks) project(c, 0, m->F, m->ns, rows + lobatto_slip_row(st, 0, 0));
}

static double *rows_of(const lobatto_change *c, int index) {
    const problem *p = &c->l->stages.problem;
    return c->rows + index * (p->n + p->looks);
}

/* mu by slip where the percussions of the stages act. */
static bool rub_stages(lobatto_change *c, const span *k) {
    lobatto_stages *st = &c->l->stages;
    bool defined = true;
    for (int i = 0; i < st->s - 1 && defined && c->l->m->def.friction; i++) {
        const carom_place rate = {k->start.t + st->c[i] * k->dt, c->stage[i].Q, NULL};
        const rub x = {&st->problem, i, st->z, c->at};
        defined = rub_change(&x, c->v, k->index, &rate, NULL, c->radius + k->index * st->problem.laws);
    }
    return defined;
}

static bool stage_rows(lobatto_change *c, const span *k, const motion *now) {
    const problem *p = &c->l->stages.problem;
    const size_t slips = (size_t)c->l->m->slips * sizeof *c->rows;
    double *rows = rows_of(c, k->index);
    memset(rows, 0, (size_t)(p->n + p->looks) * sizeof *rows);
    if (!differentiate_start(c, k, now) || !differentiate_stages(c, k)) return false;
    balance_rows(c, k, rows);
    if (!c->l->m->trivial) update_rows(c, k, rows + c->l->stages.s * c->l->m->def.nu);
    law_rows(c, k->index, rows);
    if (c->l->stages.sense) memcpy(rows + lobatto_sense_row(&c->l->stages, 0), variation_sense(c->v, k->index), slips);
    variation_radius(c->v, k->index, &c->l->stages.problem, c->l->stages.z, c->radius + k->index * p->laws);
    return rub_stages(c, k);
}

/* ---------------------------------------------------------------- the end of the step, (SE5) */

/* What the unknowns add to F' of a stage before the last, by the blocks of the matrix of (SE3):
 * dt (b_q dQ + b_u V') + (W R)_q dQ + W R', with dQ = dt sum_j a_ij V'^j where q_dot = u, else the unknown itself. */
static void advance_force(lobatto_change *c, const span *k, int i, const double *z) {
    const carom_model_def *d = &c->l->m->def;
    const lobatto_stages *st = &c->l->stages;
    const lobatto_stage *at = &st->stage[i];
    stage_change *x = &c->stage[i];
    double *dQ = x->q_dot; /* room */
    memcpy(x->F, force_of(c, k->index, i), (size_t)d->nu * sizeof *x->F);
    pattern_multiply(&d->b_u, at->b_u, st->dt, x->V, x->F);
    pattern_multiply_transposed(&d->WT, at->WT, 1, z + st->problem.nF + i * c->l->m->ns, x->F);
    if (i == 0) return;
    for (int n = 0; n < d->nq; n++) {
        dQ[n] = c->l->m->trivial ? 0 : x->Q[n];
        for (int j = 0; j < st->s && c->l->m->trivial; j++) dQ[n] += st->dt * st->a[i * st->s + j] * c->stage[j].V[n];
    }
    pattern_multiply(&d->b_q, at->b_q, st->dt, dQ, x->F);
    pattern_multiply(&d->Wr_q, at->Wr_q, 1, dQ, x->F);
}

/* Rates of the stages with those of the unknowns. */
static bool advance_stages(lobatto_change *c, const span *k, const double *z) {
    const lobatto_stages *st = &c->l->stages;
    const carom_model *m = c->l->m;
    const bool slips = model_slips_count(m);
    place_stages(c, k, z);
    if (slips) junction_slip_along(&c->place, k->index, st->stage[0].WT, st->stage[0].V, c->stage[0].V, c->stage[0].s);
    for (int i = 0; i < st->s; i++) {
        stage_change *x = &c->stage[i];
        const bool last = i == st->s - 1;
        const carom_place at = {st->stage[i].t, st->stage[i].Q, st->stage[i].V},
                          rate = {k->start.t + st->c[i] * k->dt, x->Q, x->V};
        const carom_tangent wanted = {.b = last ? x->b : NULL,
                                      .s = m->ns && (slips || last) ? x->s : NULL,
                                      .WT = m->ns && last ? junction_direction(&c->place, k->index) : NULL};
        if ((last || (slips && i > 0)) && !variation_tangent(c->v, k->index, &at, &rate, &wanted)) return false;
        if (!last) advance_force(c, k, i, z);
        for (int j = 0; j < m->def.nu && last; j++) x->F[j] = k->dt * st->stage[i].b[j] + st->dt * x->b[j];
        if (last) junction_split(&c->place, k->index, st->stage[i].WT, x->s, st->stage[i].V, x->V);
        if (last) junction_move(&c->place, k->index, rate.t, x->Q);
    }
    return true;
}

/* Of the percussions of the stages. */
static void differentiate_earlier(lobatto_change *c, const double *z) {
    const lobatto_stages *st = &c->l->stages;
    const int ns = c->l->m->ns;
    for (int n = 0; n < ns; n++) {
        c->earlier[n] = 0;
        for (int j = 0; j < st->s - 1; j++) c->earlier[n] += st->b[j] * z[st->problem.nF + j * ns + n];
    }
}

/* p_{n+1}' - p_n' - sum_j b_j F'^j, with the rates of R in F' */
static bool differentiate_balance(lobatto_change *c, const span *k, const carom_place *at, const carom_place *rate) {
    const lobatto_stages *st = &c->l->stages;
    const int nu = c->l->m->def.nu;
    if (!variation_tangent(c->v, k->index, at, rate, &(carom_tangent){.p = c->balance})) return false;
    for (int j = 0; j < st->s; j++)
        for (int n = 0; n < nu; n++) c->balance[n] -= st->b[j] * c->stage[j].F[n];
    for (int n = 0; n < nu; n++) c->balance[n] -= c->p_n[k->index * nu + n];
    return true;
}

static bool end_rows(lobatto_change *c, const span *k) {
    const carom_model *m = c->l->m;
    const lobatto_stages *st = &c->l->stages;
    const double *z = rows_of(c, k->index);
    if (!advance_stages(c, k, z)) return false;
    const lobatto_stage *last = &st->stage[st->s - 1];
    const carom_place at = {last->t, last->Q, c->l->end.impact.z},
                      rate = {k->start.t + k->dt, c->stage[st->s - 1].Q, c->v->rest + m->def.nq};
    if (!differentiate_balance(c, k, &at, &rate)) return false;
    differentiate_earlier(c, z);
    if (model_slips_count(m)) project(c, st->s - 1, m->F, m->ns, c->slips);
    junction_slip(&c->place, k->index, at.u, c->s);
    return ending_change_column(&c->end, k->index, &at, &rate,
                                &(ending_rate){.balance = c->balance,
                                               .WT = junction_direction(&c->place, k->index),
                                               .s = c->s,
                                               .earlier = c->earlier,
                                               .slips = c->slips,
                                               .before = c->s_n + k->index * m->ns});
}

/* ---------------------------------------------------------------- the step */

static bool all_stage_rows(lobatto_change *c, const motion *now) {
    for (int k = 0; k < variation_count(c->v); k++) {
        const span x = variation_span(c->v, k);
        if (!stage_rows(c, &x, now)) return false;
    }
    return true;
}

/* With the positions that follow into the variation: nothing asks for those at the start any more. */
static bool all_end_rows(lobatto_change *c) {
    const int nq = c->l->m->def.nq;
    for (int k = 0; k < variation_count(c->v); k++) {
        const span x = variation_span(c->v, k);
        if (!end_rows(c, &x)) return false;
        memcpy(c->v->q + k * nq, c->stage[c->l->stages.s - 1].Q, (size_t)nq * sizeof *c->v->q);
    }
    return true;
}

void lobatto_change_step(lobatto_change *c, const motion *now) {
    variation *v = c->v;
    lobatto_stages *st = &c->l->stages;
    const double end = st->stage[st->s - 1].t;
    if (v->lost) return;
    solver_change found = CHANGE_UNDEFINED;
    junction_find(&c->place, now);
    rub_rows(c->l->m, &st->problem, st->z, c->at);
    if (all_stage_rows(c, now))
        found = solver_rates(c->solver, st->solver, &st->problem, st->z, variation_count(v), c->rows, c->radius);
    variation_lose_change(v, end, found, "the stages");
    if (v->lost) return;
    found = all_end_rows(c) ? ending_change_read(&c->end, v) : CHANGE_UNDEFINED;
    variation_lose_change(v, end, found, "the velocities");
    junction_keep(&c->place, end, st->stage[st->s - 1].Q);
    lobatto_change_trace(c, now);
    memset(v->sense, 0, (size_t)((v->columns + 1) * c->l->m->slips) * sizeof *v->sense);
}

/* ---------------------------------------------------------------- setup */

static bool create_stage(stage_change *x, const carom_model *m) {
    const carom_model_def *d = &m->def;
    const vector_part parts[] = {{&x->p, d->nu},     {&x->b, d->nu}, {&x->F, d->nu},
                                 {&x->V, d->nu},     {&x->c, m->nc}, {&x->s, m->ns},
                                 {&x->q_dot, d->nq}, {&x->Q, d->nq}, {&x->WT, pattern_nnz(&d->WT)}};
    return (x->memory = vectors_create(parts, sizeof parts / sizeof *parts)) != NULL;
}

bool lobatto_change_create(lobatto_change *c, lobatto_scheme *l, variation *v) {
    const carom_model *m = l->m;
    const problem *p = &l->stages.problem;
    const int columns = v->columns + 1;
    *c = (lobatto_change){.l = l, .v = v, .solver = solver_create(p)};
    const vector_part parts[] = {{&c->rows, columns * (p->n + p->looks)},
                                 {&c->radius, columns * p->laws},
                                 {&c->at, p->n + p->looks},
                                 {&c->F, columns * l->stages.s * m->def.nu},
                                 {&c->p_n, columns * m->def.nu},
                                 {&c->s_n, columns * m->ns},
                                 {&c->c_n, columns * m->nc},
                                 {&c->balance, m->def.nu},
                                 {&c->earlier, m->ns},
                                 {&c->s, m->ns},
                                 {&c->slips, m->slips}};
    c->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    c->stage = calloc((size_t)l->stages.s, sizeof *c->stage);
    bool ok = ending_change_create(&c->end, &l->end, v) && c->memory && c->stage && c->solver;
    ok = junction_create(&c->place, m, v) && ok;
    for (int i = 0; i < l->stages.s && ok; i++) ok = create_stage(&c->stage[i], m);
    return ok;
}

void lobatto_change_destroy(lobatto_change *c) {
    if (!c->l) return;
    for (int i = 0; i < c->l->stages.s && c->stage; i++) free(c->stage[i].memory);
    free(c->stage);
    ending_change_destroy(&c->end);
    junction_destroy(&c->place);
    solver_destroy(c->solver);
    free(c->memory);
    c->l = NULL;
}
