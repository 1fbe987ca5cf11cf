#include "integrator/junction.h"

#include <stdlib.h>
#include <string.h>

#include "integrator/vectors.h"

double *junction_mass(const junction *j, int index) {
    return j->M + index * pattern_nnz(&j->m->def.M);
}

double *junction_direction(const junction *j, int index) {
    return j->WT + index * pattern_nnz(&j->m->def.WT);
}

double *junction_force(const junction *j, int index) {
    return j->h + index * j->m->def.nu;
}

double *junction_chi(const junction *j, int index) {
    return j->chi + index * j->m->ns;
}

void junction_slip(const junction *j, int index, const double *u, double *s_by) {
    memcpy(s_by, junction_chi(j, index), (size_t)j->m->ns * sizeof *s_by);
    pattern_multiply(&j->m->def.WT, junction_direction(j, index), 1, u, s_by);
}

void junction_slip_along(const junction *j, int index, const double *WT, const double *u, const double *u_by,
                         double *s_by) {
    junction_slip(j, index, u, s_by);
    pattern_multiply(&j->m->def.WT, WT, 1, u_by, s_by);
}

void junction_split(junction *j, int index, const double *WT, const double *s_by, const double *u, const double *u_by) {
    double *chi = junction_chi(j, index);
    memcpy(chi, s_by, (size_t)j->m->ns * sizeof *chi);
    pattern_multiply(&j->m->def.WT, junction_direction(j, index), -1, u, chi);
    pattern_multiply(&j->m->def.WT, WT, -1, u_by, chi);
}

bool junction_goes_on(const junction *j, const span *k) {
    const int nq = j->m->def.nq;
    return j->known && k->start.t == j->t_by[k->index] &&
           !memcmp(k->start.q, j->q_by + k->index * nq, (size_t)nq * sizeof *k->start.q);
}

/* Switches and latches hold the model on one side, and the next step may be on the other. */
void junction_find(junction *j, const motion *now) {
    const carom_model_def *d = &j->m->def;
    j->known = j->known && !d->switches && !d->latches && !d->inputs && now->t == j->t &&
               !memcmp(now->q, j->q, (size_t)d->nq * sizeof *now->q);
}

void junction_move(junction *j, int index, double t_by, const double *q_by) {
    const int nq = j->m->def.nq;
    j->t_by[index] = t_by;
    memcpy(j->q_by + index * nq, q_by, (size_t)nq * sizeof *q_by);
}

void junction_keep(junction *j, double t, const double *q) {
    j->known = true, j->t = t;
    memcpy(j->q, q, (size_t)j->m->def.nq * sizeof *q);
}

bool junction_create(junction *j, const carom_model *m, const variation *v) {
    const carom_model_def *d = &m->def;
    const int columns = v->columns + 1;
    *j = (junction){.m = m};
    const vector_part parts[] = {{&j->q, d->nq},
                                 {&j->t_by, columns},
                                 {&j->q_by, columns * d->nq},
                                 {&j->M, columns * pattern_nnz(&d->M)},
                                 {&j->WT, columns * pattern_nnz(&d->WT)},
                                 {&j->h, columns * d->nu},
                                 {&j->chi, columns * m->ns}};
    return (j->memory = vectors_create(parts, sizeof parts / sizeof *parts)) != NULL;
}

void junction_destroy(junction *j) {
    free(j->memory);
}
