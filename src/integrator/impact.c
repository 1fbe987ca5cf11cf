#include "integrator/impact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/sets.h"

/* M (u - v) - f */
static int mass_balance(void *self, const csr_block *block, const double *u, double *rows, csr *J) {
    const impact *i = self;
    if (rows) {
        balance_momentum(i->m, i->M, i->WT, u, i->v, NULL, rows);
        for (int j = 0; j < i->m->def.nu; j++) rows[j] -= i->f[j];
    }
    if (J) csr_add(J, block, 1, i->M);
    return 0;
}

static void law_rows(const impact *i, const double *u, double *y) {
    const carom_model *m = i->m;
    memcpy(y, i->chi, (size_t)m->ns * sizeof *y);
    pattern_multiply(&m->def.WT, i->WT, 1, u, y);
    for (int k = 0; k < m->def.contacts; k++) {
        y[m->N + k] += i->e[k][0] * i->before[m->N + k];
        for (int l = m->F + m->slip[k]; l < m->F + m->slip[k + 1]; l++) y[l] += i->e[k][1] * i->before[l];
    }
}

static int evaluate(void *self, const double *z, double *rows, bool jacobian) {
    impact *i = self;
    const carom_pattern *WT = &i->m->def.WT;
    const double *forces = i->forces ? i->forces : i->WT;
    const impact_balance *b = &i->balance;
    csr *J = jacobian ? &i->problem.J : NULL;
    const csr_block *laws = i->block + b->blocks;
    if (J) {
        csr_zero(J);
        csr_add(J, &laws[0], -1, forces);
        csr_add(J, &laws[1], 1, i->WT);
    }
    if (b->evaluate(b->context, i->block, z, rows, J)) return 1;
    if (rows) {
        pattern_multiply_transposed(WT, forces, -1, z + b->unknowns, rows);
        law_rows(i, z, rows + b->unknowns);
        memcpy(rows + i->problem.n, i->direction, (size_t)i->m->slips * sizeof *rows);
    }
    return 0;
}

bool impact_create_with(impact *i, const carom_model *m, const impact_balance *own) {
    const carom_model_def *d = &m->def;
    int nF = own->unknowns, blocks = own->blocks;
    *i = (impact){.m = m, .balance = *own, .weight = {.penalty = 1}};
    memcpy(i->block, own->block, sizeof own->block);
    i->block[blocks] = (csr_block){&d->WT, 0, m->ns, 0, nF, true, NULL};
    i->block[blocks + 1] = (csr_block){&d->WT, 0, m->ns, nF, 0, false, NULL};
    i->f = calloc((size_t)d->nu, sizeof *i->f);
    i->chi = calloc((size_t)m->ns + 1, sizeof *i->chi);
    i->z = calloc((size_t)(nF + m->ns), sizeof *i->z);
    i->direction = calloc((size_t)m->slips + 1, sizeof *i->direction);
    problem_shape shape = {
        .balances = 1, .updates = nF > d->nu, .copies = 1, .looks = m->slips, .velocity_level = true};
    i->e = calloc((size_t)d->contacts + 1, sizeof *i->e);
    i->dulled = calloc((size_t)d->contacts + 1, sizeof *i->dulled);
    i->island = calloc((size_t)d->nu, sizeof *i->island);
    if (!i->direction || !i->f || !i->chi || !i->z || !i->e || !i->dulled || !i->island ||
        !problem_build(&i->problem, m, shape, i->block, blocks + 2))
        return false;
    i->problem.context = i;
    i->problem.evaluate = evaluate;
    return (i->solver = solver_create(&i->problem)) != NULL;
}

bool impact_create(impact *i, const carom_model *m) {
    return impact_create_with(i, m,
                              &(impact_balance){.unknowns = m->def.nu,
                                                .blocks = 1,
                                                .block = {{.pattern = &m->def.M, .last = m->def.nu}},
                                                .context = i,
                                                .evaluate = mass_balance});
}

void impact_destroy(impact *i) {
    solver_destroy(i->solver);
    problem_free(&i->problem);
    csr_blocks_free(i->block, IMPACT_BLOCKS + 2);
    free(i->f);
    free(i->chi);
    free(i->direction);
    free(i->e);
    free(i->dulled);
    free(i->island);
    free(i->z);
}

void impact_set_chi(impact *i, const double *s, const double *u) {
    memcpy(i->chi, s, (size_t)i->m->ns * sizeof *s);
    pattern_multiply(&i->m->def.WT, i->WT, -1, u, i->chi);
}

void impact_close(impact *i, int contact, bool closed) {
    problem_law *friction = law_of_friction(&i->problem, i->m, 0, contact);
    problem_law *normal = law_of_contact(&i->problem, i->m, 0, contact);
    normal->enabled = closed;
    normal->fixed = false;
    if (friction) friction->given = 0, friction->directed = friction->fixed = false;
}

/* The rows that direct the slip of a contact, with the direction in them. */
static int directing_rows(impact *i, int contact, const double *direction) {
    int first = i->m->slip[contact], slips = i->m->def.contact[contact].slips;
    memcpy(i->direction + first, direction, (size_t)slips * sizeof *direction);
    return i->problem.n + first;
}

void impact_join(impact *i, int contact, const double *direction) {
    impact_close(i, contact, true);
    if (!direction) return;
    contact_fix(&i->problem, i->m, 0, contact, CAROM_SLIP, directing_rows(i, contact, direction));
    law_of_contact(&i->problem, i->m, 0, contact)->fixed = false;
}

void impact_press(impact *i, int contact) {
    problem_law *normal = law_of_contact(&i->problem, i->m, 0, contact);
    impact_close(i, contact, true);
    normal->fixed = true;
    normal->given_branch = LAW_HOLD;
}

void impact_fix(impact *i, int contact, carom_contact_state state, const double *direction) {
    impact_close(i, contact, true);
    contact_fix(&i->problem, i->m, 0, contact, state, directing_rows(i, contact, direction));
}

void impact_guide(impact *i, int contact, bool closed) {
    impact_close(i, contact, true);
    contact_fix(&i->problem, i->m, 0, contact, CAROM_OPEN, 0);
    if (closed) law_of_contact(&i->problem, i->m, 0, contact)->given_branch = LAW_HOLD;
}

void impact_slide_on(impact *i, int contact, double given, const double *direction, double still) {
    problem_law *friction = law_of_friction(&i->problem, i->m, 0, contact);
    friction->given = given;
    friction->directed = true;
    friction->still = still;
    friction->direction = directing_rows(i, contact, direction);
}

/* No law has a choice. */
static bool is_fixed(const problem *p) {
    for (int k = 0; k < p->laws; k++)
        if (p->law[k].enabled && !p->law[k].fixed && p->law[k].law != &law_bilateral) return false;
    return true;
}

/* ---------------------------------------------------------------- restitution */

/* (L3) */
static void set_restitution(impact *i, double tolerance) {
    const carom_model *m = i->m;
    i->weakened = 0, i->lost = 0;
    memset(i->dulled, 0, (size_t)m->def.contacts * sizeof *i->dulled);
    for (int k = 0; k < m->def.contacts; k++) {
        const carom_model_contact *c = &m->def.contact[k];
        double rest = c->rest > 0 ? c->rest : 100 * tolerance / law_of_contact(&i->problem, m, 0, k)->level;
        i->e[k][0] = c->restitution * fabs(i->before[m->N + k]) > rest ? c->restitution : 0;
        i->e[k][1] = c->tangential_restitution;
    }
}

/* All velocities of a row into the island of one of them. */
static void join(impact *i, const carom_pattern *rows, int row, int velocity) {
    for (int e = rows->start[row]; e < rows->start[row + 1]; e++) sets_join(i->island, rows->index[e], velocity);
}

/* The first velocity of a row of s; -1: none moves it. */
static int velocity_of(const impact *i, int row) {
    const carom_pattern *WT = &i->m->def.WT;
    return WT->start[row] < WT->start[row + 1] ? WT->index[WT->start[row]] : -1;
}

/* Velocities belong together if masses, constraints or closed contacts couple them. */
static void find_islands(impact *i) {
    const carom_model *m = i->m;
    sets_start(i->island, m->def.nu);
    for (int j = 0; j < m->def.nu; j++) join(i, &m->def.M, j, j);
    for (int row = 0; row < m->N; row++)
        if (velocity_of(i, row) >= 0) join(i, &m->def.WT, row, velocity_of(i, row));
    for (int k = 0; k < m->def.contacts; k++) {
        int velocity = velocity_of(i, m->N + k);
        if (!law_of_contact(&i->problem, m, 0, k)->enabled || velocity < 0) continue;
        join(i, &m->def.WT, m->N + k, velocity);
        for (int l = m->F + m->slip[k]; l < m->F + m->slip[k + 1]; l++) join(i, &m->def.WT, l, velocity);
    }
}

/* (L4) for the contacts of an island, or, root -1, for all: true if one of them had a rebound to lose. */
static bool drop_rebounds(impact *i, int root) {
    const carom_model *m = i->m;
    bool any = false;
    for (int k = 0; k < m->def.contacts; k++) {
        int velocity = velocity_of(i, m->N + k);
        if (!law_of_contact(&i->problem, m, 0, k)->enabled || velocity < 0) continue;
        if (root >= 0 && set_of(i->island, velocity) != root) continue;
        double rebound = i->e[k][0] * fabs(i->before[m->N + k]), drawn = 0;
        for (int l = m->F + m->slip[k]; l < m->F + m->slip[k + 1]; l++) drawn += i->e[k][1] * fabs(i->before[l]);
        i->e[k][0] = i->e[k][1] = 0;
        if (rebound + drawn == 0) continue;
        i->weakened++;
        i->lost = fmax(i->lost, rebound);
        i->dulled[k] = any = true;
    }
    return any;
}

/* The contacts that hang together with what was missed worst lose their rebound; if they have none, all do. */
static bool weaken(impact *i, int worst) {
    const int row = (worst < i->problem.nF ? worst : i->problem.law[worst - i->problem.nF].row) - i->problem.nF;
    const int velocity = row >= 0 ? velocity_of(i, row) : worst < i->m->def.nu ? worst : -1;
    find_islands(i);
    return (velocity >= 0 && drop_rebounds(i, set_of(i->island, velocity))) || drop_rebounds(i, -1);
}

bool impact_solve(impact *i, double tolerance, solver_report *report) {
    *report = (solver_report){.singular = true};
    bool sound = problem_set_units(&i->problem, i->m, i->M, i->WT, &(law_gain){.velocity = 1}, i->dt);
    problem_set_floor(&i->problem, i->m, i->v, i->q, i->dt, i->stiff.value ? &i->stiff : NULL);
    if (i->known) problem_raise_floor(&i->problem, i->m, i->WT, i->known, i->known_over);
    set_restitution(i, tolerance);
    tolerance /= contacts_weigh(&i->problem, i->m, i->weight, i->dt);
    solver_way *solve = is_fixed(&i->problem) ? solver_solve_fixed : solver_solve;
    bool solved = sound && solve(i->solver, &i->problem, i->z, tolerance, report);
    while (sound && !solved && !report->undefined && weaken(i, report->worst)) {
        int spent = report->iterations;
        solved = solve(i->solver, &i->problem, i->z, tolerance, report);
        report->iterations += spent;
    }
    bool may_give_way = sound && !report->undefined && solve == solver_solve;
    return solved || (may_give_way && solver_give_way(i->solver, &i->problem, i->z, tolerance, report));
}

void impact_count(const impact *i, step_report *report) {
    report->weakened += i->weakened;
    report->lost = fmax(report->lost, i->lost);
}

void impact_tell(const impact *i, step_report *report) {
    impact_count(i, report);
    for (int k = 0; k < i->m->def.contacts && report->dulled; k++)
        report->dulled[k] = fmax(report->dulled[k], i->dulled[k]);
}

void impact_velocities(const impact *i, double *s) {
    memcpy(s, i->chi, (size_t)i->m->ns * sizeof *s);
    pattern_multiply(&i->m->def.WT, i->WT, 1, i->z, s);
}
