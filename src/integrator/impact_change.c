#include "integrator/impact_change.h"

#include <stdlib.h>
#include <string.h>

#include "integrator/process_change.h"
#include "integrator/vectors.h"

bool impact_has_rates(const carom_model *m, int contact) {
    const law *l = law_of_impact(&m->def.contact[contact]);
    return !l->expand || l->expand_by;
}

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

static rebound rebound_of(const impact_change *c) {
    return (rebound){c->impact->before, &c->impact->e[0][0], 2, c->rebound};
}

/* e' s^- + e s^-', where a rebound is in effect */
static bool add_rebounds(const impact_change *c, int column, const impact_rate *r, double *y) {
    const impact *i = c->impact;
    const carom_model *m = i->m;
    const rebound normal = rebound_of(c);
    if (!rebound_change(&normal, c->v, column, r->before, c->e)) return false;
    for (int k = 0; k < m->def.contacts; k++)
        for (int which = 0; which < 2; which++) {
            const int first = which ? m->F + m->slip[k] : m->N + k, last = which ? m->F + m->slip[k + 1] : first + 1;
            const double e = i->e[k][which], drawn = e > 0 ? variation_coefficient(c->v, column, k, 2) : 0,
                         e_rate = which ? drawn : c->e[k];
            for (int j = first; j < last; j++)
                y[j] += e_rate * i->before[j] + (r->before && i->before[j] != 0 ? e * r->before[j] : 0);
        }
    return true;
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

/* The rows of one column, with the percussions that are left. */
static bool fill_column(impact_change *c, int column, const carom_place *at, const carom_place *rate,
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
    else if (impact_rebounds(i) && !add_rebounds(c, column, r, y)) return false;
    if (r->direction) memcpy(rows + i->problem.n, r->direction, (size_t)m->slips * sizeof *rows);
    double *radius = c->radius + column * i->problem.laws;
    variation_radius(c->v, column, &c->impact->problem, i->z, radius);
    add_given(c, r, radius);
    if (!m->def.friction) return true;
    const rub x = rubbing_of(c);
    return rub_change(&x, c->v, column, rate, r->slips, radius);
}

/* The problem that follows a process has the percussions that are left, (L13). */
static void shift_process(impact_change *c, int sign) {
    impact *i = c->impact;
    if (i->struck) process_shift(i->process, &i->problem, i->z + i->balance.unknowns, sign);
}

bool impact_change_column(impact_change *c, int column, const carom_place *at, const carom_place *rate,
                          const impact_rate *r) {
    const impact *i = c->impact;
    shift_process(c, -1);
    bool defined = fill_column(c, column, at, rate, r);
    shift_process(c, 1);
    if (!i->struck) return defined;
    pattern_multiply_transposed(&i->m->def.WT, r->WT ? r->WT : c->WT, -1, i->process->now.P, rows_of(c, column));
    return defined && process_change_begin(c->process, column, rate, r->start ? r->start : r->before, !r->start);
}

/* - W P^I', for all columns */
static solver_change add_process(impact_change *c) {
    const impact *i = c->impact;
    const solver_change found = process_change_run(c->process);
    for (int k = 0; k < variation_count(c->v) && found == CHANGE_FOUND; k++)
        pattern_multiply_transposed(&i->m->def.WT, i->WT, -1, process_rates_of(c->process, k).P, rows_of(c, k));
    return found;
}

solver_change impact_change_solve(impact_change *c) {
    impact *i = c->impact;
    solver_change found = i->struck ? add_process(c) : CHANGE_FOUND;
    shift_process(c, -1);
    if (found == CHANGE_FOUND)
        found = solver_rates(c->solver, c->of, &i->problem, i->z, variation_count(c->v), c->rows, c->radius);
    shift_process(c, 1);
    return found;
}

/* ---------------------------------------------------------------- transposed */

int impact_room(const impact *i) {
    const carom_model *m = i->m;
    const int more = i->process ? 1 + process_room(i->process) : 0;
    return problem_room(&i->problem) + i->problem.n + 2 * m->def.contacts + m->ns + m->slips + more;
}

double *impact_keep(const impact *i, double *to) {
    const carom_model *m = i->m;
    to = keep(problem_keep(&i->problem, to), i->z, i->problem.n);
    for (int k = 0; k < m->def.contacts; k++) *to++ = i->e[k][0], *to++ = i->e[k][1];
    to = keep(keep(to, i->before, m->ns), i->direction, m->slips);
    if (!i->process) return to;
    *to++ = i->struck;
    return process_save(i->process, to);
}

const double *impact_put_back(impact *i, double *before, const double *from) {
    const carom_model *m = i->m;
    from = put_back(i->z, problem_put_back(&i->problem, from), i->problem.n);
    for (int k = 0; k < m->def.contacts; k++) i->e[k][0] = *from++, i->e[k][1] = *from++;
    i->before = before;
    from = put_back(i->direction, put_back(before, from, m->ns), m->slips);
    if (!i->process) return from;
    i->struck = *from++ != 0;
    return process_load(i->process, from);
}

/* add_rebounds transposed. */
static bool pull_rebounds(const impact_change *c, adjoint *a, const double *y, double *before) {
    const impact *i = c->impact;
    const carom_model *m = i->m;
    const rebound normal = rebound_of(c);
    for (int k = 0; k < m->def.contacts; k++) {
        c->e[k] = y[m->N + k] * i->before[m->N + k];
        for (int which = 0; which < 2; which++) {
            const int first = which ? m->F + m->slip[k] : m->N + k, last = which ? m->F + m->slip[k + 1] : first + 1;
            const double e = i->e[k][which];
            for (int j = first; j < last; j++) {
                if (which && e > 0) a->coefficient[3 * k + 2] += y[j] * i->before[j];
                if (before && i->before[j] != 0) before[j] += e * y[j];
            }
        }
    }
    return rebound_pull(&normal, a, c->e, before);
}

/* The problem as it is, or, after a process, with the percussions that are left. */
static bool pull_problem(impact_change *c, adjoint *a, double t, const double *u, const double *P, double *before) {
    impact *i = c->impact;
    const int nu = i->m->def.nu;
    bool redundant;
    if (!adjoint_linearise(a, c->solver, &i->problem, i->z, t, &redundant)) return false;
    memset(c->rows, 0, (size_t)i->problem.n * sizeof *c->rows);
    if (u) memcpy(c->rows, u, (size_t)nu * sizeof *u);
    if (P) memcpy(c->rows + nu, P, (size_t)i->m->ns * sizeof *P);
    adjoint_pull(a, c->solver, &i->problem, i->z, redundant, c->rows, c->radius);
    return pull_rebounds(c, a, c->rows + nu, before);
}

/* Of - W P^I' in the balance. */
static bool pull_process(impact_change *c, adjoint *a, double *before) {
    const impact *i = c->impact;
    const carom_model *m = i->m;
    double *P = c->P, *s = c->s;
    memset(P, 0, (size_t)m->ns * sizeof *P), memset(s, 0, (size_t)m->ns * sizeof *s);
    pattern_multiply(&m->def.WT, i->WT, -1, c->rows, P);
    memset(c->place, 0, (size_t)(1 + m->def.nq) * sizeof *c->place);
    if (!process_pull(c->process, a, P, s, c->place, c->place + 1)) return false;
    for (int j = m->N; j < m->ns && before; j++)
        if (i->start || i->process->begun[j] != 0) before[j] += s[j];
    return true;
}

bool impact_pull(impact_change *c, adjoint *a, double t, const double *u, const double *P, double *before) {
    impact *i = c->impact;
    if (i->struck) process_repeat(i->process, i);
    shift_process(c, -1);
    const bool done = pull_problem(c, a, t, u, P, before);
    shift_process(c, 1);
    return done && (!i->struck || pull_process(c, a, before));
}

bool impact_pull_place(impact_change *c, adjoint *a, double *t, double *q, double *slips) {
    const impact *i = c->impact;
    for (int j = 0; j < i->m->def.nq && i->struck; j++) q[j] += c->place[1 + j];
    if (i->struck) *t += c->place[0];
    if (!i->m->def.friction) return true;
    shift_process(c, -1);
    const rub x = rubbing_of(c);
    const bool done = rub_pull(&x, a, c->radius, t, q, slips);
    shift_process(c, 1);
    return done;
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
                                 {&c->at, p->n + p->looks},
                                 {&c->s, i->m->ns},
                                 {&c->P, i->m->ns},
                                 {&c->place, 1 + i->m->def.nq},
                                 {&c->e, i->m->def.contacts},
                                 {&c->rebound, rebound_room(i->m)}};
    c->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    if (i->process) c->process = process_change_create(i->process, v);
    return c->solver && c->memory && (c->process || !i->process);
}

void impact_change_destroy(impact_change *c) {
    process_change_destroy(c->process);
    solver_destroy(c->solver);
    free(c->memory);
}
