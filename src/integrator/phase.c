#include "integrator/phase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/vectors.h"

bool phase_create(phase *p, const carom_model *m, int memory_size, int s_at) {
    const carom_model_def *d = &m->def;
    *p = (phase){.memory_size = (size_t)memory_size};
    const vector_part parts[] = {
        {&p->x.q, d->nq},
        {&p->x.u, d->nu},
        {&p->x.P, m->ns},
        {&p->x.contact, d->contacts},
        {&p->x.memory, memory_size},
        {&p->sense, m->slips},
        {&p->sum, m->ns},
        {&p->work, m->ns},
    };
    p->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    p->held = calloc((size_t)d->contacts + 1, sizeof *p->held);
    p->side = calloc((size_t)d->switches + 1, sizeof *p->side);
    if (!p->memory || !p->held || !p->side) return false;
    p->s = p->x.memory + s_at;
    return true;
}

void phase_destroy(phase *p) {
    free(p->memory);
    free(p->held);
    free(p->side);
}

void phase_copy_motion(const carom_model *m, motion *to, const motion *from, size_t memory_size) {
    to->t = from->t;
    memcpy(to->q, from->q, (size_t)m->def.nq * sizeof *to->q);
    memcpy(to->u, from->u, (size_t)m->def.nu * sizeof *to->u);
    memcpy(to->P, from->P, (size_t)m->ns * sizeof *to->P);
    memcpy(to->contact, from->contact, (size_t)m->def.contacts * sizeof *to->contact);
    memcpy(to->memory, from->memory, memory_size * sizeof *to->memory);
}

void phase_copy(const carom_model *m, phase *to, const phase *from) {
    phase_copy_motion(m, &to->x, &from->x, from->memory_size);
    memcpy(to->sense, from->sense, (size_t)m->slips * sizeof *to->sense);
    memcpy(to->sum, from->sum, (size_t)m->ns * sizeof *to->sum);
    memcpy(to->work, from->work, (size_t)m->ns * sizeof *to->work);
    memcpy(to->held, from->held, (size_t)m->def.contacts * sizeof *to->held);
    memcpy(to->side, from->side, (size_t)m->def.switches * sizeof *to->side);
}

void phase_work(phase *p, const carom_model *m, const double *P, const double *a, const double *b) {
    for (int k = 0; k < m->ns; k++) p->work[k] += P[k] * (a[k] + b[k]) / 2;
}

double slip_speed(const carom_model *m, int k, const double *s) {
    double size = 0;
    for (int j = m->slip[k]; j < m->slip[k + 1]; j++) size = hypot(size, s[m->F + j]);
    return size;
}

/* The point of the set that forces or percussions are, and the radius of the set. */
static double point_of(const carom_model *m, int k, const double *lambda, double x[LAW_SIZE]) {
    for (int j = m->slip[k], i = 0; j < m->slip[k + 1]; j++, i++) x[i] = -lambda[m->F + j];
    return m->def.contact[k].friction * contact_load(m, k, lambda);
}

double friction_margin(const carom_model *m, int k, const double *lambda) {
    const carom_model_contact *c = &m->def.contact[k];
    double x[LAW_SIZE];
    const double radius = point_of(m, k, lambda, x);
    return c->slips > 0 ? law_margin(law_of_slips(c), c->slips, x, radius) : radius;
}

bool slip_against(const carom_model *m, int k, const double *lambda, double *sense) {
    const carom_model_contact *c = &m->def.contact[k];
    double x[LAW_SIZE];
    const double radius = point_of(m, k, lambda, x);
    return law_normal(law_of_slips(c), c->slips, x, radius, sense);
}

double sliding_margin(const carom_model *m, int k, const double *P) {
    return contact_pressed_by(m, k) < 0 || m->def.contact[k].by_slip ? 0 : friction_margin(m, k, P);
}

void phase_set_sense(phase *p, const carom_model *m, int k, const double *vector, double length) {
    for (int j = m->slip[k], i = 0; j < m->slip[k + 1]; j++, i++)
        p->sense[j] = length != 0 ? vector[i] / length : i == 0;
}
