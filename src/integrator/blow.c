#include "integrator/blow.h"

#include <stdlib.h>
#include <string.h>

#include "integrator/vectors.h"

bool blow_create(blow *b, const carom_model *m) {
    const carom_model_def *d = &m->def;
    *b = (blow){0};
    const vector_part parts[] = {{&b->M, pattern_nnz(&d->M)},
                                 {&b->WT, pattern_nnz(&d->WT)},
                                 {&b->s, m->ns},
                                 {&b->before, m->ns},
                                 {&b->zero, d->nu}};
    b->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    return impact_create(&b->impact, m) && b->memory;
}

void blow_destroy(blow *b) {
    impact_destroy(&b->impact);
    free(b->memory);
}

bool blow_begin(blow *b, double t, const double *q, const double *u) {
    impact *i = &b->impact;
    const carom_model *m = i->m;
    const carom_model_def *d = &m->def;
    if (d->mass(d->context, t, q, b->M) || d->velocity(d->context, t, q, u, b->s, b->WT, NULL)) return false;
    i->M = b->M, i->WT = b->WT, i->v = u, i->before = b->before, i->start = b->s;
    i->struck = false;
    i->problem.at = (friction_place){t, q};
    memset(i->f, 0, (size_t)d->nu * sizeof *i->f);
    impact_set_chi(i, b->s, u);
    memcpy(i->z, u, (size_t)d->nu * sizeof *i->z);
    memset(i->z + d->nu, 0, (size_t)m->ns * sizeof *i->z);
    return true;
}

bool blow_begin_displacement(blow *b, double t, const double *q) {
    memset(b->before, 0, (size_t)b->impact.m->ns * sizeof *b->before);
    return blow_begin(b, t, q, b->zero);
}
