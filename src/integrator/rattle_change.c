#include "integrator/rattle_change.h"

#include <stdlib.h>
#include <string.h>

/* Rates that are wanted at a place with the velocity u of the stage, whose rate is u_rate. */
static bool differentiate(rattle_change *c, int index, const place_change *x, const carom_tangent *wanted, double t,
                          const double *q, double t_rate, const double *u_rate) {
    const carom_place at = {t, q, c->stage->z}, rate = {t_rate, x->q, u_rate};
    return variation_tangent(c->v, index, &at, &rate, wanted);
}

/* ---------------------------------------------------------------- stage 1 at fixed unknowns, (SE12) */

/* M, W^T and what position functions are kept at, where that is not zero, at the start; s, where something strikes. */
static bool differentiate_start(rattle_change *c, const span *k, const motion *now) {
    const carom_model *m = c->stage->m;
    const double *rest = c->v->rest + m->def.nq;
    const carom_place at = {now->t, now->q, rest}, rate = {k->start.t, k->start.q, rest};
    const carom_tangent wanted = {.M = junction_mass(&c->place, k->index),
                                  .s = m->ns ? junction_chi(&c->place, k->index) : NULL,
                                  .WT = m->ns ? junction_direction(&c->place, k->index) : NULL,
                                  .c = m->nc && c->stage->kept ? c->c_n + k->index * m->nc : NULL};
    if ((!junction_goes_on(&c->place, k) || gaps_are_kept(m, c->stage->kept)) &&
        !variation_tangent(c->v, k->index, &at, &rate, &wanted))
        return false;
    if (c->end.e->impact.struck || impact_rebounds(&c->end.e->impact))
        junction_slip_along(&c->place, k->index, c->stage->at0.WT, now->u, k->start.u, c->s_n + k->index * m->ns);
    return true;
}

/* M_0' (u - u_0) - M_0 u_0' - dt/2 h' - dt'/2 h - W_0' P' */
static void balance_rows(const rattle_change *c, const span *k, const motion *now, double *rows) {
    const rattle_stage *r = c->stage;
    const carom_model_def *d = &r->m->def;
    const double *M = junction_mass(&c->place, k->index);
    for (int i = 0; i < d->nu; i++) {
        rows[i] = -(r->dt * c->at0.h[i] + k->dt * r->h[i]) / 2;
        for (int e = d->M.start[i]; e < d->M.start[i + 1]; e++) {
            const int j = d->M.index[e];
            rows[i] += M[e] * (r->z[j] - now->u[j]) - r->at0.M[e] * k->start.u[j];
        }
    }
    pattern_multiply_transposed(&d->WT, junction_direction(&c->place, k->index), -1, rattle_stage_percussion(r), rows);
}

static void update_rows(const rattle_change *c, const span *k, double *rows) {
    const rattle_stage *r = c->stage;
    for (int i = 0; i < r->m->def.nq; i++)
        rows[i] =
            -k->start.q[i] - (k->dt * (r->q_dot0[i] + r->q_dot1[i]) + r->dt * (c->at0.q_dot[i] + c->at1.q_dot[i])) / 2;
}

/* Rows [first, last) of s: at the end, or the mean of both ends. */
static void velocity_rows(const rattle_change *c, int first, int last, double *y) {
    for (int n = first; n < last; n++)
        y[n - first] = c->stage->published ? c->at1.s[n] : (c->at0.s[n] + c->at1.s[n]) / 2;
}

static void law_rows(const rattle_change *c, int index, double *y) {
    const rattle_stage *r = c->stage;
    const carom_model *m = r->m;
    const double *c_n = c->c_n + index * m->nc;
    if (!r->positions_only) velocity_rows(c, 0, m->ns, y);
    for (int n = 0; n < m->nc && !r->problem.velocity_level; n++)
        y[n < m->def.ng ? n : m->N + n - m->def.ng] = c->at1.c[n] - (position_is_kept(m, r->kept, n) ? c_n[n] : 0);
}

static double *rows_of(const rattle_change *c, int index) {
    const problem *p = &c->stage->problem;
    return c->rows + index * (p->n + p->looks);
}

/* q_1' = q_0' + dt' u + dt u' where q_dot = u; else an unknown. z: NULL at fixed unknowns. */
static void place(rattle_change *c, const span *k, const double *z) {
    const rattle_stage *r = c->stage;
    const carom_model_def *d = &r->m->def;
    memcpy(c->at0.q, k->start.q, (size_t)d->nq * sizeof *c->at0.q);
    if (r->m->trivial)
        for (int i = 0; i < d->nq; i++) c->at1.q[i] = k->start.q[i] + k->dt * r->z[i] + (z ? r->dt * z[i] : 0);
    else if (z) memcpy(c->at1.q, z + d->nu, (size_t)d->nq * sizeof *z);
    else memset(c->at1.q, 0, (size_t)d->nq * sizeof *c->at1.q);
}

/* Whether a law that is not open has rows of slips or spins, or position functions are closed by their rates. */
static bool needs_velocity_rows(const rattle_stage *r) {
    const carom_model *m = r->m;
    const problem *p = &r->problem;
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        const int row = l->row - r->nF;
        const bool position = row < m->def.ng || (row >= m->N && row < m->N + m->def.contacts);
        if (l->enabled && (l->fixed ? l->given_branch : l->branch) != LAW_OPEN && (!position || p->velocity_level))
            return true;
    }
    return false;
}

/* At both ends at fixed unknowns: what the rows of stage 1 are made of. */
static bool differentiate_ends(rattle_change *c, const span *k, const motion *now) {
    const rattle_stage *r = c->stage;
    const carom_model *m = r->m;
    const double *rest = c->v->rest + m->def.nq;
    const bool known = pattern_nnz(&m->def.h_u) == 0 && junction_goes_on(&c->place, k);
    const carom_tangent first = {.h = known ? NULL : c->at0.h, .q_dot = m->trivial ? NULL : c->at0.q_dot},
                        last = {.c = m->nc ? c->at1.c : NULL,
                                .s = m->ns && !r->positions_only ? c->at1.s : NULL,
                                .q_dot = m->trivial ? NULL : c->at1.q_dot};
    junction_slip(&c->place, k->index, r->z, c->at0.s);
    if (known) memcpy(c->at0.h, junction_force(&c->place, k->index), (size_t)m->def.nu * sizeof *c->at0.h);
    place(c, k, NULL);
    return ((known && m->trivial) || differentiate(c, k->index, &c->at0, &first, now->t, now->q, k->start.t, rest)) &&
           differentiate(c, k->index, &c->at1, &last, r->t1, r->at1.q, k->start.t + k->dt, rest);
}

/* With the rates z of the unknowns: the balance of stage 2, and slips where laws look at them; the place of the end
 * takes that of the start. */
static bool advance_ends(rattle_change *c, const span *k, const double *z) {
    const rattle_stage *r = c->stage;
    const carom_model *m = r->m;
    const double *rest = c->v->rest + m->def.nq, t_rate = k->start.t + k->dt;
    const carom_place at = {r->t1, r->at1.q, rest}, rate = {t_rate, c->at1.q, rest};
    double *h = junction_force(&c->place, k->index);
    const carom_tangent force = {.h = h}, wanted = {.M = junction_mass(&c->place, k->index),
                                                    .s = m->ns ? junction_chi(&c->place, k->index) : NULL,
                                                    .WT = m->ns ? junction_direction(&c->place, k->index) : NULL};
    place(c, k, z);
    if (model_slips_count(m)) junction_slip_along(&c->place, k->index, r->at0.WT, r->z, z, c->at0.s);
    junction_move(&c->place, k->index, t_rate, c->at1.q);
    if (!differentiate(c, k->index, &c->at1, &force, r->t1, r->at1.q, t_rate, z) ||
        !variation_tangent(c->v, k->index, &at, &rate, &wanted))
        return false;
    if (model_slips_count(m)) junction_slip_along(&c->place, k->index, r->at1.WT, r->z, z, c->at1.s);
    return true;
}

static bool stage_rows(rattle_change *c, const span *k, const motion *now) {
    rattle_stage *r = c->stage;
    double *rows = rows_of(c, k->index);
    memset(rows, 0, (size_t)(r->problem.n + r->problem.looks) * sizeof *rows);
    if (!differentiate_start(c, k, now) || !differentiate_ends(c, k, now)) return false;
    balance_rows(c, k, now, rows);
    if (!r->m->trivial) update_rows(c, k, rows + r->m->def.nu);
    law_rows(c, k->index, rows + r->nF);
    double *radius = c->radius + k->index * r->problem.laws;
    variation_radius(c->v, k->index, &r->problem, r->z, radius);
    const rub x = {&r->problem, 0, r->z, c->at};
    return !r->m->def.friction || rub_change(&x, c->v, k->index, &k->start, NULL, radius);
}

/* ---------------------------------------------------------------- stage 2 */

/* M_1' (u_1 - u) - M_1 u' - dt/2 h' - dt'/2 h */
static void end_balance(rattle_change *c, const span *k, const double *z) {
    const rattle_stage *r = c->stage;
    const carom_model_def *d = &r->m->def;
    const double *u1 = c->end.e->impact.z, *M = junction_mass(&c->place, k->index),
                 *h = junction_force(&c->place, k->index);
    for (int i = 0; i < d->nu; i++) {
        c->balance[i] = -(r->dt * h[i] + k->dt * c->h1[i]) / 2;
        for (int e = d->M.start[i]; e < d->M.start[i + 1]; e++) {
            const int j = d->M.index[e];
            c->balance[i] += M[e] * (u1[j] - r->z[j]) - r->at1.M[e] * z[j];
        }
    }
}

static bool end_rows(rattle_change *c, const span *k) {
    const rattle_stage *r = c->stage;
    const carom_model *m = r->m;
    const double *z = rows_of(c, k->index);
    const carom_place at = {r->t1, r->at1.q, c->end.e->impact.z},
                      rate = {k->start.t + k->dt, c->at1.q, c->v->rest + m->def.nq};
    if (!advance_ends(c, k, z)) return false;
    end_balance(c, k, z);
    if (model_slips_count(m)) velocity_rows(c, m->F, m->ns, c->slips);
    junction_slip(&c->place, k->index, at.u, c->at1.s);
    return ending_change_column(&c->end, k->index, &at, &rate,
                                &(ending_rate){.balance = c->balance,
                                               .WT = junction_direction(&c->place, k->index),
                                               .s = c->at1.s,
                                               .earlier = z + r->nF,
                                               .slips = c->slips,
                                               .before = c->s_n + k->index * m->ns});
}

/* ---------------------------------------------------------------- the step */

static bool all_stage_rows(rattle_change *c, const motion *now) {
    for (int k = 0; k < variation_count(c->v); k++) {
        const span x = variation_span(c->v, k);
        if (!stage_rows(c, &x, now)) return false;
    }
    return true;
}

/* Forces at the end count where the length of the step changes. */
static bool find_end_forces(rattle_change *c) {
    const carom_model_def *d = &c->stage->m->def;
    bool changes = false;
    for (int k = 0; k < variation_count(c->v); k++) changes = changes || variation_span(c->v, k).dt != 0;
    return !changes || !d->force(d->context, c->stage->t1, c->stage->at1.q, c->stage->z, c->h1, NULL, NULL);
}

/* With the positions that follow into the variation: nothing asks for those at the start any more. */
static bool all_end_rows(rattle_change *c) {
    const carom_model_def *d = &c->stage->m->def;
    if (!find_end_forces(c)) return false;
    for (int k = 0; k < variation_count(c->v); k++) {
        const span x = variation_span(c->v, k);
        if (!end_rows(c, &x)) return false;
        memcpy(c->v->q + k * d->nq, c->at1.q, (size_t)d->nq * sizeof *c->v->q);
    }
    return true;
}

void rattle_change_step(rattle_change *c, const motion *now) {
    variation *v = c->v;
    rattle_stage *r = c->stage;
    if (v->lost) return;
    solver_change found = CHANGE_UNDEFINED;
    junction_find(&c->place, now);
    r->positions_only = !needs_velocity_rows(r);
    r->ended = true;
    rub_rows(r->m, &r->problem, r->z, c->at);
    if (all_stage_rows(c, now))
        found = solver_rates(c->solver, r->solver, &r->problem, r->z, variation_count(v), c->rows, c->radius);
    r->positions_only = r->ended = false;
    variation_lose_change(v, r->t1, found, "the positions");
    if (v->lost) return;
    found = all_end_rows(c) ? ending_change_read(&c->end, v) : CHANGE_UNDEFINED;
    variation_lose_change(v, r->t1, found, "the velocities");
    junction_keep(&c->place, r->t1, r->at1.q);
    rattle_change_trace(c, now);
}

/* ---------------------------------------------------------------- setup */

static bool create_place(place_change *x, const carom_model *m) {
    const carom_model_def *d = &m->def;
    const vector_part parts[] = {{&x->q, d->nq}, {&x->M, pattern_nnz(&d->M)},   {&x->h, d->nu},    {&x->c, m->nc},
                                 {&x->s, m->ns}, {&x->WT, pattern_nnz(&d->WT)}, {&x->q_dot, d->nq}};
    return (x->memory = vectors_create(parts, sizeof parts / sizeof *parts)) != NULL;
}

bool rattle_change_create(rattle_change *c, rattle_stage *stage, ending *end, variation *v) {
    const carom_model *m = stage->m;
    const problem *p = &stage->problem;
    const int columns = v->columns + 1;
    *c = (rattle_change){.stage = stage, .v = v, .solver = solver_create(p)};
    const vector_part parts[] = {{&c->rows, columns * (p->n + p->looks)},
                                 {&c->radius, columns * p->laws},
                                 {&c->at, p->n + p->looks},
                                 {&c->s_n, columns * m->ns},
                                 {&c->c_n, columns * m->nc},
                                 {&c->h1, m->def.nu},
                                 {&c->balance, m->def.nu},
                                 {&c->slips, m->slips}};
    c->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    bool ok = ending_change_create(&c->end, end, v) && c->memory && c->solver;
    ok = create_place(&c->at0, m) && ok;
    ok = junction_create(&c->place, m, v) && ok;
    return create_place(&c->at1, m) && ok;
}

void rattle_change_destroy(rattle_change *c) {
    if (!c->stage) return;
    ending_change_destroy(&c->end);
    solver_destroy(c->solver);
    free(c->at0.memory);
    free(c->at1.memory);
    junction_destroy(&c->place);
    free(c->memory);
    c->stage = NULL;
}
