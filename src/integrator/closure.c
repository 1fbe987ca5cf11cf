#include "integrator/closure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/vectors.h"

/* ---------------------------------------------------------------- the update */

static int evaluate(void *self, const double *z, double *rows, bool jacobian) {
    closure *c = self;
    const carom_model *m = c->m;
    const carom_model_def *d = &m->def;
    const double *q = path_read(&c->path, z);
    if (d->position(d->context, c->path.t1, q, rows ? c->c : NULL, jacobian ? c->c_q : NULL)) return 1;
    if (rows) {
        double *y = rows + c->problem.nF;
        balance_momentum(m, c->M, c->WT, z, c->v, z + c->problem.nF, rows);
        memset(y, 0, (size_t)m->ns * sizeof *y);
        memcpy(y, c->c, (size_t)d->ng * sizeof *y);
        if (path_rows(&c->path, q, rows)) return 1;
    }
    if (jacobian) {
        csr *J = &c->problem.J;
        csr_zero(J);
        csr_add(J, &c->block[CLOSURE_MASS], 1, c->M);
        csr_add(J, &c->block[CLOSURE_PERCUSSION], -1, c->WT);
        csr_add(J, &c->block[CLOSURE_JOINT], path_by_q(&c->path), c->c_q);
        if (path_jacobian(&c->path, c->block + CLOSURE_PATH, q, J)) return 1;
    }
    return 0;
}

bool closure_advance(closure *c, const motion *now, const double *v, motion *next, double dt, double tolerance,
                     step_report *report) {
    const carom_model *m = c->m;
    const carom_model_def *d = &m->def;
    solver_report found = {.undefined = true};
    c->v = v;
    memset(c->z, 0, (size_t)c->problem.n * sizeof *c->z);
    memcpy(c->z, v, (size_t)d->nu * sizeof *v);
    if (!m->trivial) memcpy(c->z + d->nu, now->q, (size_t)d->nq * sizeof *c->z);
    bool solved = !d->mass(d->context, now->t, now->q, c->M) &&
                  !d->velocity(d->context, now->t, now->q, v, NULL, c->WT, NULL) &&
                  !path_begin(&c->path, now, next->t, dt, 1);
    if (solved) {
        found = (solver_report){.singular = true};
        solved = problem_set_units(&c->problem, m, c->M, c->WT, &(law_gain){1, 1}, dt);
        problem_set_floor(&c->problem, m, v, now->q, dt, NULL);
        solved = solved && solver_solve(c->solver, &c->problem, c->z, tolerance, &found);
    }
    report->newton[0] += found.iterations;
    report->residual = fmax(report->residual, found.residual);
    if (solved) memcpy(next->q, path_read(&c->path, c->z), (size_t)d->nq * sizeof *next->q);
    else explain(report, &c->problem, m, &found, "for the positions");
    return solved;
}

/* ---------------------------------------------------------------- setup */

bool closure_create(closure *c, const carom_model *m) {
    const carom_model_def *d = &m->def;
    const int nu = d->nu, y = path_unknowns(m);
    *c = (closure){.m = m};
    const vector_part parts[] = {
        {&c->M, pattern_nnz(&d->M)}, {&c->WT, pattern_nnz(&d->WT)}, {&c->c, m->nc}, {&c->c_q, pattern_nnz(&d->c_q)},
        {&c->z, y + m->ns},
    };
    c->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    if (!path_create(&c->path, m, PATH_CAYLEY) || !c->memory) return false;
    c->block[CLOSURE_MASS] = (csr_block){&d->M, 0, nu, 0, 0, false, NULL};
    c->block[CLOSURE_PERCUSSION] = (csr_block){&d->WT, 0, d->ng, 0, y, true, NULL};
    c->block[CLOSURE_JOINT] = (csr_block){&d->c_q, 0, d->ng, y, path_column(m), false, NULL};
    int blocks = CLOSURE_PATH + path_list_blocks(&c->path, c->block + CLOSURE_PATH);
    problem_shape shape = {.balances = 1, .updates = !m->trivial, .copies = 1};
    if (!problem_build(&c->problem, m, shape, c->block, blocks)) return false;
    for (int k = d->ng; k < c->problem.laws; k++) c->problem.law[k].enabled = false;
    c->problem.context = c;
    c->problem.evaluate = evaluate;
    return (c->solver = solver_create(&c->problem)) != NULL;
}

void closure_destroy(closure *c) {
    solver_destroy(c->solver);
    problem_free(&c->problem);
    csr_blocks_free(c->block, CLOSURE_PATH + PATH_BLOCKS);
    path_destroy(&c->path);
    free(c->memory);
}
