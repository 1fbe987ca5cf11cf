#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/nsga_stages.h"

/* Blocks of the Jacobian: (G9) by w, q_1, q_1, N; g, g_N by q_1; gamma (spin) and gamma_F (slip) by q_1 and w, or,
 * published, displacements by q_1; then (G10). */
enum { MASS, STIFFNESS, TURN, PERCUSSION, JOINT, GAP, SPIN_Q, SLIP_Q, SPIN_U, SLIP_U, DISPLACED };

/* (G12): s is affine in u, so that s(t_0,q_0,w) = s_0 + W_0^T (w - u_0). */
static void mean_rows(const nsga_position *p, const double *w, int first, int last, double *y) {
    const nsga_start *o = p->start;
    const carom_pattern *WT = &o->m->def.WT;
    for (int k = first; k < last; k++) {
        double s0 = o->s[k];
        for (int e = WT->start[k]; e < WT->start[k + 1]; e++) {
            int j = WT->index[e];
            s0 += o->WT[e] * (w[j] - o->now.u[j]);
        }
        y[k] = (s0 + p->s[k]) / 2;
    }
}

/* All forces that act along W(t_1,q_1): N + dt lambda~. */
static const double *percussions(nsga_position *p, const double *z) {
    for (int k = 0; k < p->start->m->ns; k++) p->r[k] = z[p->problem.nF + k] + p->start->dt * p->lambda[k];
    return p->r;
}

static int rows_at(nsga_position *p, const double *z, double *rows) {
    const nsga_start *o = p->start;
    const carom_model *m = o->m;
    const carom_model_def *d = &m->def;
    const double *w = z, *q = path_read(&p->path, z);
    double *y = rows + p->problem.nF;
    if (d->force(d->context, o->t1, q, p->smooth->z, p->h, NULL, NULL) ||
        (m->ns && d->velocity(d->context, o->t1, q, w, p->s, p->WT, NULL)) ||
        (m->nc && d->position(d->context, o->t1, q, p->c, NULL)))
        return 1;
    balance_momentum(m, p->smooth->M, p->WT, w, p->smooth->path.w, percussions(p, z), rows);
    for (int j = 0; j < d->nu; j++) rows[j] -= o->dt * p->h[j] - p->known[j];
    memcpy(y, p->c, (size_t)d->ng * sizeof *y);
    memcpy(y + m->N, p->c + d->ng, (size_t)d->contacts * sizeof *y);
    mean_rows(p, w, m->gamma, m->N, y);
    if (!p->displaced) mean_rows(p, w, m->F, m->ns, y);
    else if (d->displacement(d->context, o->t1, q, p->d1, NULL)) return 1;
    for (int k = 0; k < m->slips && p->displaced; k++) y[m->F + k] = (p->d1[k] - p->d0[k]) / o->dt; /* (G25) */
    return path_rows(&p->path, q, rows);
}

static int jacobian_at(nsga_position *p, const double *z) {
    const nsga_start *o = p->start;
    const carom_model *m = o->m;
    const carom_model_def *d = &m->def;
    const double *w = z, *q = path_read(&p->path, z), by_q = path_by_q(&p->path);
    csr *J = &p->problem.J;
    csr_zero(J);
    if (d->force(d->context, o->t1, q, p->smooth->z, NULL, p->h_q, NULL)) return 1;
    csr_add(J, &p->block[MASS], 1, p->smooth->M);
    csr_add(J, &p->block[STIFFNESS], -o->dt * by_q, p->h_q);
    if (m->ns) {
        if (d->direction_q(d->context, o->t1, q, percussions(p, z), p->Wr_q) ||
            d->velocity(d->context, o->t1, q, w, NULL, NULL, p->s_q) ||
            (m->nc && d->position(d->context, o->t1, q, NULL, p->c_q)))
            return 1;
        csr_add(J, &p->block[TURN], -by_q, p->Wr_q);
        csr_add(J, &p->block[PERCUSSION], -1, p->WT);
        csr_add(J, &p->block[JOINT], by_q, p->c_q);
        csr_add(J, &p->block[GAP], by_q, p->c_q);
        if (p->displaced && d->displacement(d->context, o->t1, q, NULL, p->d_q)) return 1;
        if (p->displaced) csr_add(J, &p->block[DISPLACED], by_q / o->dt, p->d_q);
        for (int f = 0; f < (p->displaced ? 1 : 2); f++) {
            csr_add(J, &p->block[SPIN_Q + f], by_q / 2, p->s_q);
            csr_add(J, &p->block[SPIN_U + f], 0.5, p->WT);
            csr_add(J, &p->block[SPIN_U + f], 0.5, o->WT);
        }
    }
    return path_jacobian(&p->path, p->block + POSITION_BLOCKS, q, J);
}

static int evaluate(void *self, const double *z, double *rows, bool jacobian) {
    if (rows && rows_at(self, z, rows)) return 1;
    return jacobian && jacobian_at(self, z);
}

/* What the smooth motion exerted: dt (h + W_b lambda~) at (t_1, q~, v~). */
static void exerted(nsga_position *p) {
    const nsga_start *o = p->start;
    for (int j = 0; j < o->m->def.nu; j++) p->known[j] = o->dt * p->smooth->h[j];
    pattern_multiply_transposed(&o->m->def.WT, p->smooth->WT, o->dt, p->lambda, p->known);
}

bool nsga_position_solve(nsga_position *p, double tolerance, solver_report *report) {
    const nsga_start *o = p->start;
    const carom_model *m = o->m;
    exerted(p);
    p->problem.at = (friction_place){o->now.t, o->now.q}; /* friction by slip speed is of order 1 here */
    memcpy(p->z, p->smooth->path.w, (size_t)m->def.nu * sizeof *p->z);
    if (!m->trivial) memcpy(p->z + m->def.nu, nsga_smooth_position(p->smooth), (size_t)m->def.nq * sizeof *p->z);
    *report = (solver_report){.singular = true};
    if (p->displaced && m->def.displacement(m->def.context, o->now.t, o->now.q, p->d0, NULL)) return false;
    bool sound = problem_set_units(&p->problem, m, p->smooth->M, p->smooth->WT, &(law_gain){1, 1}, o->dt);
    problem_set_floor(&p->problem, m, o->now.u, o->now.q, o->dt,
                      p->smooth->stiff ? &(stiffness){&m->def.h_q, p->smooth->h_q} : NULL);
    problem_raise_floor(&p->problem, m, p->smooth->WT, p->lambda, o->dt);
    tolerance /= contacts_weigh(&p->problem, m, p->weight, o->dt);
    return sound && solver_solve_yielding(p->solver, &p->problem, p->z, tolerance, report);
}

/* ---------------------------------------------------------------- setup */

static bool allocate(nsga_position *p, const carom_model *m) {
    const carom_model_def *d = &m->def;
    const vector_part parts[] = {
        {&p->z, path_unknowns(m) + m->ns},
        {&p->known, d->nu},
        {&p->r, m->ns},
        {&p->WT, pattern_nnz(&d->WT)},
        {&p->h, d->nu},
        {&p->c, m->nc},
        {&p->s, m->ns},
        {&p->h_q, pattern_nnz(&d->h_q)},
        {&p->Wr_q, pattern_nnz(&d->Wr_q)},
        {&p->c_q, pattern_nnz(&d->c_q)},
        {&p->s_q, pattern_nnz(&d->s_q)},
        {&p->d0, m->slips},
        {&p->d1, m->slips},
        {&p->d_q, pattern_nnz(&d->d_q)},
    };
    return (p->memory = vectors_create(parts, sizeof parts / sizeof *parts)) != NULL;
}

bool nsga_position_create(nsga_position *p, const nsga_start *start, nsga_smooth *smooth, const double *lambda,
                          bool friction, bool published) {
    const carom_model *m = start->m;
    const carom_model_def *d = &m->def;
    const int nu = d->nu, q = path_column(m), y = path_unknowns(m);
    *p = (nsga_position){.start = start, .smooth = smooth, .lambda = lambda, .weight = {.penalty = 1}};
    p->displaced = published && m->slips > 0;
    bool ok = path_create(&p->path, m, published ? PATH_EXPONENTIAL : PATH_CAYLEY);
    if (!allocate(p, m) || !ok) return false;
    csr_block block[POSITION_BLOCKS] = {
        [MASS] = {&d->M, 0, nu, 0, 0, false, NULL},
        [STIFFNESS] = {&d->h_q, 0, nu, 0, q, false, NULL},
        [TURN] = {&d->Wr_q, 0, nu, 0, q, false, NULL},
        [PERCUSSION] = {&d->WT, 0, m->ns, 0, y, true, NULL},
        [JOINT] = {&d->c_q, 0, d->ng, y, q, false, NULL},
        [GAP] = {&d->c_q, d->ng, m->nc, y + m->N, q, false, NULL},
        [SPIN_Q] = {&d->s_q, m->gamma, m->N, y + m->gamma, q, false, NULL},
        [SLIP_Q] = {&d->s_q, m->F, m->ns, y + m->F, q, false, NULL},
        [SPIN_U] = {&d->WT, m->gamma, m->N, y + m->gamma, 0, false, NULL},
        [SLIP_U] = {&d->WT, m->F, m->ns, y + m->F, 0, false, NULL},
        [DISPLACED] = {&d->d_q, 0, p->displaced ? m->slips : 0, y + m->F, q, false, NULL},
    };
    memcpy(p->block, block, sizeof block);
    int blocks = POSITION_BLOCKS + path_list_blocks(&p->path, p->block + POSITION_BLOCKS);
    problem_shape shape = {.balances = 1, .updates = !m->trivial, .copies = 1};
    if (!problem_build(&p->problem, m, shape, p->block, blocks)) return false;
    for (int k = m->F; k < p->problem.laws; k++) p->problem.law[k].enabled = friction;
    p->problem.context = p;
    p->problem.evaluate = evaluate;
    return (p->solver = solver_create(&p->problem)) != NULL;
}

void nsga_position_destroy(nsga_position *p) {
    solver_destroy(p->solver);
    problem_free(&p->problem);
    csr_blocks_free(p->block, POSITION_BLOCKS + PATH_BLOCKS);
    path_destroy(&p->path);
    free(p->memory);
}
