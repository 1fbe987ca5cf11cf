#include "integrator/impact.h"

#include <stdlib.h>
#include <string.h>

static int evaluate(void *self, const double *z, double *rows, bool jacobian) {
    impact *i = self;
    const carom_model *m = i->m;
    const carom_model_def *d = &m->def;
    if (rows) {
        double *y = rows + d->nu;
        balance_momentum(m, i->M, i->WT, z, i->v, z + d->nu, rows);
        for (int j = 0; j < d->nu; j++) rows[j] -= i->f[j];
        memcpy(y, i->chi, (size_t)m->ns * sizeof *y);
        pattern_multiply(&d->WT, i->WT, 1, z, y);
        for (int k = 0; k < d->contacts; k++) {
            const carom_contact_def *c = &d->contact[k];
            y[m->N + k] += c->restitution * i->before[m->N + k];
            for (int l = m->F + m->slip[k]; l < m->F + m->slip[k + 1]; l++)
                y[l] += c->tangential_restitution * i->before[l];
        }
        memcpy(rows + i->problem.n, i->direction, (size_t)m->nF * sizeof *rows);
    }
    if (jacobian) {
        csr *J = &i->problem.J;
        csr_zero(J);
        csr_add(J, &i->block[0], 1, i->M);
        csr_add(J, &i->block[1], -1, i->WT);
        csr_add(J, &i->block[2], 1, i->WT);
    }
    return 0;
}

bool impact_create(impact *i, const carom_model *m) {
    const carom_model_def *d = &m->def;
    csr_block block[] = {{&d->M, 0, d->nu, 0, 0, false, NULL},
                         {&d->WT, 0, m->ns, 0, d->nu, true, NULL},
                         {&d->WT, 0, m->ns, d->nu, 0, false, NULL}};
    *i = (impact){.m = m};
    memcpy(i->block, block, sizeof block);
    i->f = calloc((size_t)d->nu, sizeof *i->f);
    i->chi = calloc((size_t)m->ns + 1, sizeof *i->chi);
    i->z = calloc((size_t)(d->nu + m->ns), sizeof *i->z);
    i->direction = calloc((size_t)m->nF + 1, sizeof *i->direction);
    problem_shape shape = {.balances = 1, .copies = 1, .looks = m->nF};
    if (!i->direction || !i->f || !i->chi || !i->z || !problem_build(&i->problem, m, shape, i->block, 3)) return false;
    i->problem.context = i;
    i->problem.evaluate = evaluate;
    return (i->solver = solver_create(&i->problem)) != NULL;
}

void impact_destroy(impact *i) {
    solver_destroy(i->solver);
    problem_free(&i->problem);
    csr_blocks_free(i->block, 3);
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
    law_of_contact(&i->problem, i->m, 0, contact)->enabled = closed;
    if (friction) friction->given = 0, friction->directed = false;
}

void impact_slide_on(impact *i, int contact, double given, const double *direction) {
    problem_law *friction = law_of_friction(&i->problem, i->m, 0, contact);
    friction->given = given;
    friction->directed = true;
    friction->direction = i->problem.n + i->m->slip[contact];
    memcpy(i->direction + i->m->slip[contact], direction, (size_t)friction->size * sizeof *direction);
}

bool impact_solve(impact *i, double tolerance, solver_report *report) {
    *report = (solver_report){.singular = true};
    problem_set_floor(&i->problem, i->m, i->v, NULL, 0);
    return problem_set_units(&i->problem, i->m, i->M, i->WT, &(law_gain){1, 1}, 0) &&
           solver_solve(i->solver, &i->problem, i->z, tolerance, report);
}

void impact_velocities(const impact *i, double *s) {
    memcpy(s, i->chi, (size_t)i->m->ns * sizeof *s);
    pattern_multiply(&i->m->def.WT, i->WT, 1, i->z, s);
}
