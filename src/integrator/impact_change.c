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
    const double *P = impact_percussion(i);
    pattern_multiply_transposed(WT, c->WT, -1, P, rows);
    if (r->counted) pattern_multiply_transposed(WT, c->WT, 1, r->counted, rows);
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

bool impact_change_column(impact_change *c, int column, const carom_place *at, const carom_place *rate,
                          const impact_rate *r) {
    const impact *i = c->impact;
    const carom_model *m = i->m;
    double *rows = rows_of(c, column), *y = rows + i->balance.unknowns;
    memset(rows, 0, (size_t)(i->problem.n + i->problem.looks) * sizeof *rows);
    const carom_tangent wanted = {.s = r->laws ? NULL : y, .WT = c->WT};
    if (m->ns && !variation_tangent(c->v, column, at, rate, &wanted)) return false;
    memcpy(rows, r->balance, (size_t)m->def.nu * sizeof *rows);
    add_percussions(c, r, rows);
    if (r->laws) memcpy(y, r->laws, (size_t)m->ns * sizeof *y);
    else add_rebounds(c, column, r, y);
    if (r->direction) memcpy(rows + i->problem.n, r->direction, (size_t)m->slips * sizeof *rows);
    double *radius = c->radius + column * i->problem.laws;
    variation_radius(c->v, column, &c->impact->problem, i->z, radius);
    add_given(c, r, radius);
    return true;
}

solver_change impact_change_solve(impact_change *c) {
    impact *i = c->impact;
    return solver_rates(c->solver, &i->problem, i->z, variation_count(c->v), c->rows, c->radius);
}

bool impact_change_create(impact_change *c, impact *i, const variation *v) {
    const problem *p = &i->problem;
    const int columns = v->columns + 1;
    *c = (impact_change){.impact = i, .v = v, .solver = solver_create(p)};
    const vector_part parts[] = {
        {&c->rows, columns * (p->n + p->looks)}, {&c->radius, columns * p->laws}, {&c->WT, pattern_nnz(&i->m->def.WT)}};
    c->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    return c->solver && c->memory;
}

void impact_change_destroy(impact_change *c) {
    solver_destroy(c->solver);
    free(c->memory);
}
