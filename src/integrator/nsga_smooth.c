#include <stdlib.h>
#include <string.h>

#include "integrator/nsga_stages.h"

/* Blocks of the Jacobian: (G6) by v~, q~, v~, q~, q~, P~; (G22) by q~; (G8) by v~ and q~; then (G7). */
enum { MASS, MASS_Q, DAMPING, STIFFNESS, TURN, PERCUSSION, JOINT, RATE_U, RATE_Q };

static int rows_at(nsga_smooth *s, const double *z, double *rows) {
    const nsga_start *o = s->start;
    const carom_model *m = o->m;
    const carom_model_def *d = &m->def;
    const double *v = z, *q = path_read(&s->path, z);
    if (d->mass(d->context, o->t1, q, s->M) || d->force(d->context, o->t1, q, v, s->h, NULL, NULL) ||
        (m->ns && d->velocity(d->context, o->t1, q, v, s->s, s->WT, NULL)) ||
        (s->closed && d->position(d->context, o->t1, q, s->c, NULL)))
        return 1;
    balance_momentum(m, s->M, s->WT, v, s->v_hat, z + s->problem.nF, rows);
    for (int j = 0; j < d->nu; j++) rows[j] -= s->tau * s->h[j];
    memcpy(rows + s->problem.nF, s->c, (size_t)s->closed * sizeof *rows);
    memcpy(rows + s->problem.nF + s->closed, s->s + s->closed, (size_t)(m->ns - s->closed) * sizeof *rows);
    return path_rows(&s->path, q, rows);
}

static int jacobian_at(nsga_smooth *s, const double *z) {
    const nsga_start *o = s->start;
    const carom_model *m = o->m;
    const carom_model_def *d = &m->def;
    const double *v = z, *q = path_read(&s->path, z), by_q = path_by_q(&s->path);
    csr *J = &s->problem.J;
    csr_zero(J);
    csr_add(J, &s->block[MASS], 1, s->M);
    if (d->mass_q) {
        for (int j = 0; j < d->nu; j++) s->jump[j] = v[j] - s->v_hat[j];
        if (d->mass_q(d->context, o->t1, q, s->jump, s->Mv_q)) return 1;
        csr_add(J, &s->block[MASS_Q], by_q, s->Mv_q);
    }
    if (d->force(d->context, o->t1, q, v, NULL, s->h_q, s->h_u)) return 1;
    csr_add(J, &s->block[DAMPING], -s->tau, s->h_u);
    csr_add(J, &s->block[STIFFNESS], -s->tau * by_q, s->h_q);
    if (m->ns) {
        if (d->direction_q(d->context, o->t1, q, z + s->problem.nF, s->Wr_q) ||
            d->velocity(d->context, o->t1, q, v, NULL, NULL, s->s_q) ||
            (s->closed && d->position(d->context, o->t1, q, NULL, s->c_q)))
            return 1;
        csr_add(J, &s->block[TURN], -by_q, s->Wr_q);
        csr_add(J, &s->block[PERCUSSION], -1, s->WT);
        csr_add(J, &s->block[JOINT], by_q, s->c_q);
        csr_add(J, &s->block[RATE_U], 1, s->WT);
        csr_add(J, &s->block[RATE_Q], by_q, s->s_q);
    }
    return path_jacobian(&s->path, s->block + SMOOTH_BLOCKS, q, J);
}

static int evaluate(void *self, const double *z, double *rows, bool jacobian) {
    if (rows && rows_at(self, z, rows)) return 1;
    return jacobian && jacobian_at(self, z);
}

bool nsga_smooth_solve(nsga_smooth *s, double tolerance, solver_report *report) {
    const nsga_start *o = s->start;
    *report = (solver_report){.singular = true};
    bool sound = problem_set_units(&s->problem, o->m, o->M, o->WT, &(law_gain){s->path.share, 1}, o->dt);
    const carom_model_def *d = &o->m->def;
    s->stiff = o->m->stiff && !d->force(d->context, o->now.t, o->now.q, o->now.u, NULL, s->h_q, NULL);
    problem_set_floor(&s->problem, o->m, o->now.u, o->now.q, o->dt, s->stiff ? &(stiffness){&d->h_q, s->h_q} : NULL);
    bool solved = sound && solver_solve(s->solver, &s->problem, s->z, tolerance, report);
    path_read(&s->path, s->z); /* values are those of the last evaluation, which was at the solution */
    return solved;
}

/* ---------------------------------------------------------------- setup */

static bool allocate(nsga_smooth *s, const carom_model *m) {
    const carom_model_def *d = &m->def;
    const vector_part parts[] = {
        {&s->v_hat, d->nu},
        {&s->z, path_unknowns(m) + m->ns},
        {&s->M, pattern_nnz(&d->M)},
        {&s->WT, pattern_nnz(&d->WT)},
        {&s->h, d->nu},
        {&s->jump, d->nu},
        {&s->c, m->nc},
        {&s->s, m->ns},
        {&s->Mv_q, pattern_nnz(&d->Mv_q)},
        {&s->h_q, pattern_nnz(&d->h_q)},
        {&s->h_u, pattern_nnz(&d->h_u)},
        {&s->Wr_q, pattern_nnz(&d->Wr_q)},
        {&s->c_q, pattern_nnz(&d->c_q)},
        {&s->s_q, pattern_nnz(&d->s_q)},
    };
    return (s->memory = vectors_create(parts, sizeof parts / sizeof *parts)) != NULL;
}

bool nsga_smooth_create(nsga_smooth *s, const nsga_start *start, bool closed, bool exponential) {
    const carom_model *m = start->m;
    const carom_model_def *d = &m->def;
    const int nu = d->nu, q = path_column(m), y = path_unknowns(m);
    *s = (nsga_smooth){.start = start, .closed = closed ? d->ng : 0};
    bool ok = path_create(&s->path, m, exponential ? PATH_EXPONENTIAL : PATH_CAYLEY);
    if (!allocate(s, m) || !ok) return false;
    csr_block block[SMOOTH_BLOCKS] = {
        [MASS] = {&d->M, 0, nu, 0, 0, false, NULL},
        [MASS_Q] = {&d->Mv_q, 0, nu, 0, q, false, NULL},
        [DAMPING] = {&d->h_u, 0, nu, 0, 0, false, NULL},
        [STIFFNESS] = {&d->h_q, 0, nu, 0, q, false, NULL},
        [TURN] = {&d->Wr_q, 0, nu, 0, q, false, NULL},
        [PERCUSSION] = {&d->WT, 0, m->ns, 0, y, true, NULL},
        [JOINT] = {&d->c_q, 0, s->closed, y, q, false, NULL},
        [RATE_U] = {&d->WT, s->closed, m->ns, y + s->closed, 0, false, NULL},
        [RATE_Q] = {&d->s_q, s->closed, m->ns, y + s->closed, q, false, NULL},
    };
    memcpy(s->block, block, sizeof block);
    int blocks = SMOOTH_BLOCKS + path_list_blocks(&s->path, s->block + SMOOTH_BLOCKS);
    problem_shape shape = {.balances = 1, .updates = !m->trivial, .copies = 1, .velocity_level = !closed};
    if (!problem_build(&s->problem, m, shape, s->block, blocks)) return false;
    for (int k = m->N; k < s->problem.laws; k++) s->problem.law[k].enabled = false; /* no contacts, no friction */
    s->problem.context = s;
    s->problem.evaluate = evaluate;
    return (s->solver = solver_create(&s->problem)) != NULL;
}

void nsga_smooth_destroy(nsga_smooth *s) {
    solver_destroy(s->solver);
    problem_free(&s->problem);
    csr_blocks_free(s->block, SMOOTH_BLOCKS + PATH_BLOCKS);
    path_destroy(&s->path);
    free(s->memory);
}
