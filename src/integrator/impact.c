#include "integrator/impact.h"

#include <stdlib.h>
#include <string.h>

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
        const carom_contact_def *c = &m->def.contact[k];
        y[m->N + k] += c->restitution * i->before[m->N + k];
        for (int l = m->F + m->slip[k]; l < m->F + m->slip[k + 1]; l++)
            y[l] += c->tangential_restitution * i->before[l];
    }
}

static int evaluate(void *self, const double *z, double *rows, bool jacobian) {
    impact *i = self;
    const carom_pattern *WT = &i->m->def.WT;
    const impact_balance *b = &i->balance;
    csr *J = jacobian ? &i->problem.J : NULL;
    const csr_block *laws = i->block + b->blocks;
    if (J) {
        csr_zero(J);
        csr_add(J, &laws[0], -1, i->WT);
        csr_add(J, &laws[1], 1, i->WT);
    }
    if (b->evaluate(b->context, i->block, z, rows, J)) return 1;
    if (rows) {
        pattern_multiply_transposed(WT, i->WT, -1, z + b->unknowns, rows);
        law_rows(i, z, rows + b->unknowns);
        memcpy(rows + i->problem.n, i->direction, (size_t)i->m->nF * sizeof *rows);
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
    i->direction = calloc((size_t)m->nF + 1, sizeof *i->direction);
    problem_shape shape = {.balances = 1, .updates = nF > d->nu, .copies = 1, .looks = m->nF, .velocity_level = true};
    if (!i->direction || !i->f || !i->chi || !i->z || !problem_build(&i->problem, m, shape, i->block, blocks + 2))
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

bool impact_solve(impact *i, double tolerance, solver_report *report) {
    *report = (solver_report){.singular = true};
    bool sound = problem_set_units(&i->problem, i->m, i->M, i->WT, &(law_gain){.velocity = 1}, i->dt);
    problem_set_floor(&i->problem, i->m, i->v, i->q, i->dt, i->stiff.value ? &i->stiff : NULL);
    if (i->known) problem_raise_floor(&i->problem, i->m, i->WT, i->known, i->known_over);
    tolerance /= contacts_weigh(&i->problem, i->m, i->weight, i->dt);
    bool (*solve)(solver *, problem *, double *, double, solver_report *) =
        is_fixed(&i->problem) ? solver_solve_fixed : solver_solve;
    return sound && solve(i->solver, &i->problem, i->z, tolerance, report);
}

void impact_velocities(const impact *i, double *s) {
    memcpy(s, i->chi, (size_t)i->m->ns * sizeof *s);
    pattern_multiply(&i->m->def.WT, i->WT, 1, i->z, s);
}
