/* The memory, Jacobian and laws of the problem of levels.h. */
#include <stdlib.h>

#include "integrator/levels_inside.h"

static bool allocate(levels *o) {
    const carom_model_def *d = &o->m->def;
    const int nu = d->nu, nq = d->nq, ns = o->m->ns, WT = pattern_nnz(&d->WT), M = pattern_nnz(&d->M),
              s_q = pattern_nnz(&d->s_q);
    const vector_part parts[] = {
        {&o->w_hat, nu},
        {&o->v_hat, nu},
        {&o->P_hat, ns},
        {&o->K_hat, ns},
        {&o->z, LEVELS * nu + 2 * nq + LEVELS * ns},
        {&o->speed, d->contacts},
        {&o->e_N, d->contacts},
        {&o->e_F, d->contacts},
        {&o->P_I, ns},
        {&o->M0, M},
        {&o->WT0, WT},
        {&o->s0, ns},
        {&o->M, M},
        {&o->WT, WT},
        {&o->h, nu},
        {&o->s, ns},
        {&o->r, LEVELS * ns},
        {&o->q_dot, nq},
        {&o->B, pattern_nnz(&d->B)},
        {&o->q_dot_q, pattern_nnz(&d->q_dot_q)},
        {&o->c, o->m->nc},
        {&o->zeta, ns},
        {&o->missed, nq},
        {&o->x, nu},
        {&o->moved, nq},
        {&o->h_q, pattern_nnz(&d->h_q)},
        {&o->h_u, pattern_nnz(&d->h_u)},
        {&o->Mv_q, pattern_nnz(&d->Mv_q)},
        {&o->Wr_q, pattern_nnz(&d->Wr_q)},
        {&o->c_q, pattern_nnz(&d->c_q)},
        {&o->s_q, s_q},
        {&o->turned, s_q},
        {&o->before_WT, WT},
        {&o->before_s_q, s_q},
    };
    return (o->memory = vectors_create(parts, sizeof parts / sizeof *parts)) != NULL;
}

static void list_balances(levels *o, int q, int y) {
    const carom_model *m = o->m;
    const carom_model_def *d = &m->def;
    const int nu = d->nu, L = y + m->ns, K = L + m->ns;
    csr_block *block = o->block;
    for (int b = 0; b < LEVELS; b++) {
        block[MASS + b] = (csr_block){&d->M, 0, nu, b * nu, b * nu, false, NULL};
        block[MASS_Q + b] = (csr_block){&d->Mv_q, 0, nu, b * nu, q, false, NULL};
        block[STIFFNESS + b] = (csr_block){&d->h_q, 0, nu, b * nu, q, false, NULL};
        block[DAMPING + b] = (csr_block){&d->h_u, 0, nu, b * nu, nu, false, NULL};
        block[TURN + b] = (csr_block){&d->Wr_q, 0, nu, b * nu, q, false, NULL};
    }
    block[P_ALL] = (csr_block){&d->WT, 0, m->ns, nu, y, true, NULL};
    block[L_ALL] = (csr_block){&d->WT, 0, m->ns, 2 * nu, L, true, NULL};
    block[K_JOINT] = (csr_block){&d->WT, 0, d->ng, 0, K, true, NULL};
    block[K_GAP] = (csr_block){&d->WT, m->N, m->F, 0, K + m->N, true, NULL};
    block[P_SPIN] = (csr_block){&d->WT, m->gamma, m->N, 0, y + m->gamma, true, NULL};
    block[P_SLIP] = (csr_block){&d->WT, m->F, m->ns, 0, y + m->F, true, NULL};
    block[L_SPIN] = (csr_block){&d->WT, m->gamma, m->N, 0, L + m->gamma, true, NULL};
    block[L_SLIP] = (csr_block){&d->WT, m->F, m->ns, 0, L + m->F, true, NULL};
}

static void list_laws(levels *o, int q, int r, int y, int n) {
    const carom_model *m = o->m;
    const carom_model_def *d = &m->def;
    const int nu = d->nu, ns = m->ns, second = y + ns, place = second + ns, at = o->path.at + d->nq;
    csr_block *block = o->block;
    block[RATE_U] = (csr_block){&d->WT, 0, ns, y, nu, false, NULL};
    block[RATE_Q] = (csr_block){&d->s_q, 0, ns, y, q, false, NULL};
    block[SECOND_V] = (csr_block){&d->WT, 0, ns, second, 2 * nu, false, NULL};
    block[SECOND_U] = (csr_block){&d->WT, 0, ns, second, nu, false, NULL};
    block[SECOND_Q] = (csr_block){&d->s_q, 0, ns, second, q, false, NULL};
    block[SECOND_R] = (csr_block){&d->s_q, 0, ns, second, r, false, NULL};
    block[JOINT] = (csr_block){&d->c_q, 0, d->ng, place, q, false, NULL};
    block[GAP] = (csr_block){&d->c_q, d->ng, m->nc, place + m->N, q, false, NULL};
    block[LOOK_U] = (csr_block){&d->WT, m->F, ns, n, nu, false, NULL};
    block[LOOK_Q] = (csr_block){&d->s_q, m->F, ns, n, q, false, NULL};
    const int rows = m->trivial ? 0 : d->nq;
    block[PLACE_R] = (csr_block){&o->path.unit.pattern, 0, rows, at, at, false, NULL};
    block[PLACE_U] = (csr_block){&d->B, 0, rows, at, nu, false, NULL};
    block[PLACE_Q] = (csr_block){&d->q_dot_q, 0, rows, at, o->path.at, false, NULL};
}

/* Spins and slips have no position; they affect positions by (A4) only. On acceleration level, slip gives the direction
 * and size of its force. */
static void arrange_laws(levels *o) {
    const carom_model *m = o->m;
    problem *p = &o->problem;
    const int laws = p->laws / LEVELS;
    for (int k = 0; k < laws; k++)
        if ((k >= m->gamma && k < m->N) || k >= m->F) p->law[ON_POSITIONS * laws + k].enabled = false;
    for (int k = 0; k < m->def.contacts; k++) {
        problem_law *friction = law_of_friction(p, m, ON_ACCELERATIONS, k);
        if (friction) friction->given_branch = LAW_SLIDE, friction->direction = friction->speed = p->n + m->slip[k];
    }
}

bool levels_create(levels *o, const carom_model *m, bool series) {
    const carom_model_def *d = &m->def;
    *o = (levels){.m = m};
    bool ok = path_create(&o->path, m, series ? PATH_SERIES : PATH_CAYLEY);
    o->island = calloc((size_t)d->nu, sizeof *o->island);
    if (!allocate(o) || !o->island || !ok) return false;
    o->path.at = LEVELS * d->nu;
    const int updates = m->trivial ? 0 : 2, q = m->trivial ? 0 : o->path.at, r = m->trivial ? d->nu : q + d->nq,
              y = LEVELS * d->nu + updates * d->nq;
    list_balances(o, q, y);
    list_laws(o, q, r, y, y + LEVELS * m->ns);
    int blocks = LEVEL_BLOCKS + path_list_blocks(&o->path, o->block + LEVEL_BLOCKS);
    problem_shape shape = {.balances = LEVELS, .updates = updates, .copies = LEVELS, .looks = m->slips, .rated = 2};
    if (!problem_build(&o->problem, m, shape, o->block, blocks)) return false;
    arrange_laws(o);
    if (impact_needs_process(m)) {
        o->strike = calloc(1, sizeof *o->strike);
        if (!o->strike || !impact_create(o->strike, m)) return false;
    }
    o->problem.context = o;
    o->problem.evaluate = levels_evaluate;
    return (o->solver = solver_create(&o->problem)) != NULL;
}

void levels_destroy(levels *o) {
    if (o->strike) impact_destroy(o->strike);
    free(o->strike);
    solver_destroy(o->solver);
    problem_free(&o->problem);
    csr_blocks_free(o->block, LEVEL_BLOCKS + PATH_BLOCKS);
    path_destroy(&o->path);
    free(o->memory);
    free(o->island);
}
