#include "integrator/path.h"

#include <stdlib.h>

bool path_create(path *p, const carom_model *m) {
    const carom_model_def *d = &m->def;
    const int nq = d->nq, B = pattern_nnz(&d->B);
    *p = (path){.m = m};
    const vector_part parts[] = {
        {&p->offset, d->nu}, {&p->w, d->nu}, {&p->q, nq}, {&p->q_dot0, nq},
        {&p->q_dot1, nq},    {&p->B0, B},    {&p->B1, B}, {&p->q_dot_q, pattern_nnz(&d->q_dot_q)},
    };
    p->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    return unit_create(&p->unit, nq) && p->memory;
}

void path_destroy(path *p) {
    unit_destroy(&p->unit);
    free(p->memory);
}

int path_unknowns(const carom_model *m) {
    return m->def.nu + (m->trivial ? 0 : m->def.nq);
}

int path_list_blocks(const path *p, csr_block *block) {
    const carom_model_def *d = &p->m->def;
    if (p->m->trivial) return 0;
    block[PATH_U] = (csr_block){&d->B, 0, d->nq, d->nu, 0, false, NULL};
    block[PATH_Q] = (csr_block){&d->q_dot_q, 0, d->nq, d->nu, d->nu, false, NULL};
    block[PATH_IDENTITY] = (csr_block){&p->unit.pattern, 0, d->nq, d->nu, d->nu, false, NULL};
    return PATH_BLOCKS;
}

int path_begin(path *p, const motion *now, double t1, double dt, double share) {
    const carom_model_def *d = &p->m->def;
    p->t0 = now->t, p->q0 = now->q, p->t1 = t1, p->dt = dt, p->share = share;
    return !p->m->trivial && d->kinematics(d->context, p->t0, p->q0, now->u, NULL, p->B0, NULL);
}

const double *path_follow(path *p, const double *z) {
    const carom_model_def *d = &p->m->def;
    for (int j = 0; j < d->nu; j++) p->w[j] = p->offset[j] + p->share * z[j];
    if (!p->m->trivial) return z + d->nu;
    for (int j = 0; j < d->nu; j++) p->q[j] = p->q0[j] + p->dt * p->w[j];
    return p->q;
}

int path_rows(path *p, const double *q, double *rows) {
    const carom_model_def *d = &p->m->def;
    if (p->m->trivial) return 0;
    if (d->kinematics(d->context, p->t0, p->q0, p->w, p->q_dot0, NULL, NULL) ||
        d->kinematics(d->context, p->t1, q, p->w, p->q_dot1, NULL, NULL))
        return 1;
    for (int i = 0; i < d->nq; i++) rows[d->nu + i] = q[i] - p->q0[i] - p->dt / 2 * (p->q_dot0[i] + p->q_dot1[i]);
    return 0;
}

int path_jacobian(path *p, const csr_block *block, const double *q, csr *J) {
    const carom_model_def *d = &p->m->def;
    const double half = p->dt / 2;
    if (p->m->trivial) return 0;
    if (d->kinematics(d->context, p->t1, q, p->w, NULL, p->B1, p->q_dot_q)) return 1;
    csr_add(J, &block[PATH_U], -half * p->share, p->B0);
    csr_add(J, &block[PATH_U], -half * p->share, p->B1);
    csr_add(J, &block[PATH_Q], -half, p->q_dot_q);
    csr_add(J, &block[PATH_IDENTITY], 1, p->unit.value);
    return 0;
}
