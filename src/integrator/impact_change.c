#include "integrator/impact_change.h"

#include <stdlib.h>
#include <string.h>

#include "integrator/vectors.h"

static double *rows_of(const impact_change *c, int column) {
    const problem *p = &c->impact->problem;
    return c->rows + column * (p->n + p->looks);
}

const double *impact_change_of(const impact_change *c, int column) {
    return rows_of(c, column);
}

/* - W' (P - counted) + W counted' */
static void add_percussions(impact_change *c, const impact_rate *r, double *rows) {
    const impact *i = c->impact;
    const carom_pattern *WT = &i->m->def.WT;
    const double *P = impact_percussion(i), *rate = r->WT ? r->WT : c->WT;
    for (int j = 0; j < i->m->ns; j++) c->percussion[j] = P[j] - (r->counted ? r->counted[j] : 0);
    pattern_multiply_transposed(WT, rate, -1, c->percussion, rows);
    if (r->counted_rate) pattern_multiply_transposed(WT, i->WT, 1, r->counted_rate, rows);
}

/* e' s^- + e s^-', where a rebound is in effect */
static void add_rebounds(const impact_change *c, int column, const impact_rate *r, double *y) {
    const impact *i = c->impact;
    const carom_model *m = i->m;
    for (int k = 0; k < m->def.contacts; k++)
        for (int which = 0; which < 2; which++) {
            const int first = which ? m->F + m->slip[k] : m->N + k, last = which ? m->F + m->slip[k + 1] : first + 1;
            const double e = i->e[k][which], e_rate = e > 0 ? variation_coefficient(c->v, column, k, 1 + which) : 0;
            for (int j = first; j < last; j++)
                y[j] += e_rate * i->before[j] + (r->before && i->before[j] != 0 ? e * r->before[j] : 0);
        }
}

/* What is taken off P_N */
static void add_given(const impact_change *c, const impact_rate *r, double *radius) {
    impact *i = c->impact;
    const carom_model *m = i->m;
    for (int k = 0; k < m->def.contacts && r->given; k++) {
        const problem_law *l = law_of_friction(&i->problem, m, 0, k);
        if (l) radius[l - i->problem.law] -= l->mu * l->G * r->given[m->N + k];
    }
}

static rub rubbing_of(impact_change *c) {
    impact *i = c->impact;
    return (rub){&i->problem, 0, i->z, rub_rows(i->m, &i->problem, i->z, c->at)};
}

bool impact_change_column(impact_change *c, int column, const carom_place *at, const carom_place *rate,
                          const impact_rate *r) {
    const impact *i = c->impact;
    const carom_model *m = i->m;
    double *rows = rows_of(c, column), *y = rows + i->balance.unknowns;
    memset(rows, 0, (size_t)(i->problem.n + i->problem.looks) * sizeof *rows);
    const carom_tangent wanted = {.s = r->laws ? NULL : y, .WT = c->WT};
    if (m->ns && !r->WT && !variation_tangent(c->v, column, at, rate, &wanted)) return false;
    if (r->s) memcpy(y, r->s, (size_t)m->ns * sizeof *y);
    memcpy(rows, r->balance, (size_t)m->def.nu * sizeof *rows);
    add_percussions(c, r, rows);
    if (r->laws) memcpy(y, r->laws, (size_t)m->ns * sizeof *y);
    else if (impact_rebounds(i)) add_rebounds(c, column, r, y);
    if (r->direction) memcpy(rows + i->problem.n, r->direction, (size_t)m->slips * sizeof *rows);
    double *radius = c->radius + column * i->problem.laws;
    variation_radius(c->v, column, &c->impact->problem, i->z, radius);
    add_given(c, r, radius);
    if (!m->def.friction) return true;
    const rub x = rubbing_of(c);
    return rub_change(&x, c->v, column, rate, r->slips, radius);
}

solver_change impact_change_solve(impact_change *c) {
    impact *i = c->impact;
    return solver_rates(c->solver, c->of, &i->problem, i->z, variation_count(c->v), c->rows, c->radius);
}

/* ---------------------------------------------------------------- transposed */

int impact_room(const impact *i) {
    const carom_model *m = i->m;
    return problem_room(&i->problem) + i->problem.n + 2 * m->def.contacts + m->ns + m->slips;
}

double *impact_keep(const impact *i, double *to) {
    const carom_model *m = i->m;
    to = keep(problem_keep(&i->problem, to), i->z, i->problem.n);
    for (int k = 0; k < m->def.contacts; k++) *to++ = i->e[k][0], *to++ = i->e[k][1];
    return keep(keep(to, i->before, m->ns), i->direction, m->slips);
}

const double *impact_put_back(impact *i, double *before, const double *from) {
    const carom_model *m = i->m;
    from = put_back(i->z, problem_put_back(&i->problem, from), i->problem.n);
    for (int k = 0; k < m->def.contacts; k++) i->e[k][0] = *from++, i->e[k][1] = *from++;
    i->before = before;
    return put_back(i->direction, put_back(before, from, m->ns), m->slips);
}

/* add_rebounds transposed. */
static void pull_rebounds(const impact_change *c, adjoint *a, const double *y, double *before) {
    const impact *i = c->impact;
    const carom_model *m = i->m;
    for (int k = 0; k < m->def.contacts; k++)
        for (int which = 0; which < 2; which++) {
            const int first = which ? m->F + m->slip[k] : m->N + k, last = which ? m->F + m->slip[k + 1] : first + 1;
            const double e = i->e[k][which];
            for (int j = first; j < last; j++) {
                if (e > 0) a->coefficient[3 * k + 1 + which] += y[j] * i->before[j];
                if (before && i->before[j] != 0) before[j] += e * y[j];
            }
        }
}

bool impact_pull(impact_change *c, adjoint *a, double t, const double *u, const double *P, double *before) {
    impact *i = c->impact;
    const int nu = i->m->def.nu;
    bool redundant;
    if (!adjoint_linearise(a, c->solver, &i->problem, i->z, t, &redundant)) return false;
    memset(c->rows, 0, (size_t)i->problem.n * sizeof *c->rows);
    if (u) memcpy(c->rows, u, (size_t)nu * sizeof *u);
    if (P) memcpy(c->rows + nu, P, (size_t)i->m->ns * sizeof *P);
    adjoint_pull(a, c->solver, &i->problem, i->z, redundant, c->rows, c->radius);
    pull_rebounds(c, a, c->rows + nu, before);
    return true;
}

bool impact_pull_rub(impact_change *c, adjoint *a, double *t, double *q, double *slips) {
    if (!c->impact->m->def.friction) return true;
    const rub x = rubbing_of(c);
    return rub_pull(&x, a, c->radius, t, q, slips);
}

/* ---------------------------------------------------------------- setup */

bool impact_change_create(impact_change *c, impact *i, const variation *v) {
    const problem *p = &i->problem;
    const int columns = v->columns + 1;
    *c = (impact_change){.impact = i, .v = v, .solver = solver_create(p)};
    const vector_part parts[] = {{&c->rows, columns * (p->n + p->looks)},
                                 {&c->radius, columns * p->laws},
                                 {&c->WT, pattern_nnz(&i->m->def.WT)},
                                 {&c->percussion, i->m->ns},
                                 {&c->at, p->n + p->looks}};
    c->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    return c->solver && c->memory;
}

void impact_change_destroy(impact_change *c) {
    solver_destroy(c->solver);
    free(c->memory);
}
