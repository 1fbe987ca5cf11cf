#include "integrator/adjoint.h"

#include <stdlib.h>
#include <string.h>

#include "integrator/balance.h"
#include "integrator/vectors.h"

/* ---------------------------------------------------------------- weights */

bool adjoint_create(adjoint *a, const carom_model *m) {
    const carom_model_def *d = &m->def;
    *a = (adjoint){.m = m};
    const vector_part parts[] = {{&a->q, d->nq},
                                 {&a->u, d->nu},
                                 {&a->sense, m->slips},
                                 {&a->before, m->ns},
                                 {&a->coefficient, 3 * d->contacts},
                                 {&a->bound, 3 * d->latches},
                                 {&a->constants, model_constants(m)},
                                 {&a->M, pattern_nnz(&d->M)},
                                 {&a->WT, pattern_nnz(&d->WT)},
                                 {&a->fixed, d->nu}};
    return (a->memory = vectors_create(parts, sizeof parts / sizeof *parts)) != NULL;
}

void adjoint_destroy(adjoint *a) {
    free(a->memory);
}

bool adjoint_place(adjoint *a, const carom_place *at, const carom_tangent *weight, double *t, double *q, double *u) {
    const carom_cotangent by = {t, q, u ? u : a->fixed, a->constants};
    return !model_cotangent(a->m, at, weight, &by);
}

void adjoint_add_turn(const carom_model *m, double factor, const double *P, const double *w, double *WT) {
    const carom_pattern *of = &m->def.WT;
    for (int r = 0; r < of->rows; r++)
        for (int e = of->start[r]; e < of->start[r + 1]; e++) WT[e] += factor * P[r] * w[of->index[e]];
}

/* ---------------------------------------------------------------- solutions, (SE51) */

/* Of the radii mu' G (P_N - given) of all friction laws, as variation_radius. */
static void pull_radius(adjoint *a, problem *p, const double *z, const double *radius) {
    const carom_model *m = a->m;
    for (int copy = 0; copy * m->ns < p->n - p->nF; copy++)
        for (int k = 0; k < m->def.contacts; k++) {
            const problem_law *l = law_of_friction(p, m, copy, k);
            if (l) a->coefficient[3 * k] += radius[l - p->law] * radius_by_friction(m, k, l, z);
        }
}

bool adjoint_linearise(adjoint *a, solver *s, problem *p, const double *z, double t, bool *redundant) {
    *redundant = false;
    a->found = solver_linearise(s, p, z, redundant);
    a->failed_at = t;
    if (a->found != CHANGE_FOUND) return false;
    if (*redundant) a->redundant_at = t, a->redundant = true;
    return true;
}

void adjoint_pull(adjoint *a, solver *s, problem *p, const double *z, bool redundant, double *rates, double *radius) {
    solver_pull(s, p, redundant, rates, radius);
    pull_radius(a, p, z, radius);
}

/* ---------------------------------------------------------------- the trace */

void trace_clear(trace *t) {
    t->entries = 0, t->used = 0;
}

void trace_destroy(trace *t) {
    free(t->entry);
    free(t->kept);
    *t = (trace){0};
}

static bool grow_trace(trace *t, size_t more) {
    if (t->entries == t->room) {
        const int room = 2 * t->room + 64;
        trace_entry *entry = realloc(t->entry, (size_t)room * sizeof *entry);
        if (!entry) return false;
        t->entry = entry, t->room = room;
    }
    if (t->used + more > t->size) {
        const size_t size = 2 * t->size + more + 4096;
        double *kept = realloc(t->kept, size * sizeof *kept);
        if (!kept) return false;
        t->kept = kept, t->size = size;
    }
    return true;
}

/* Sides of switches come first: whether they are held, and which. */
static size_t room_for_sides(const carom_model *m) {
    return m->def.switches ? 1 + (size_t)m->def.switches : 0;
}

static double *keep_sides(const variation *v, double *to) {
    const int switches = v->m->def.switches;
    if (switches == 0) return to;
    *to++ = v->side != NULL;
    for (int j = 0; j < switches; j++) *to++ = v->side ? v->side[j] : 0;
    return to;
}

double *trace_add(variation *v, trace_way *pull, void *self, size_t size) {
    trace *t = v->trace;
    if (!t || v->lost) return NULL;
    if (v->traced < t->entries) t->entries = v->traced, t->used = t->entry[v->traced].at;
    const size_t all = room_for_sides(v->m) + size;
    if (!grow_trace(t, all)) {
        variation_lose(v, v->last_event, "out of memory for the trace of the motion");
        return NULL;
    }
    t->entry[t->entries++] = (trace_entry){pull, self, t->used};
    v->traced = t->entries;
    double *to = keep_sides(v, t->kept + t->used);
    t->used += all;
    return to;
}

static const double *take_sides(const carom_model *m, const double *kept, int *side) {
    const carom_model_def *d = &m->def;
    if (d->switches == 0) return kept;
    const bool held = *kept++ != 0;
    for (int j = 0; j < d->switches; j++) side[j] = (int)*kept++;
    d->take_sides(d->context, held ? side : NULL);
    return kept;
}

bool trace_pull(const trace *t, adjoint *a) {
    const carom_model_def *d = &a->m->def;
    int *side = malloc(((size_t)d->switches + 1) * sizeof *side);
    bool done = side != NULL;
    for (int i = t->entries - 1; i >= 0 && done; i--) {
        const trace_entry *x = &t->entry[i];
        done = x->pull(x->self, take_sides(a->m, t->kept + x->at, side), a);
    }
    if (d->switches) d->take_sides(d->context, NULL);
    free(side);
    return done;
}

/* ---------------------------------------------------------------- what is kept */

double *keep(double *to, const double *from, int count) {
    memcpy(to, from, (size_t)count * sizeof *to);
    return to + count;
}

const double *put_back(double *to, const double *from, int count) {
    memcpy(to, from, (size_t)count * sizeof *to);
    return from + count;
}

static size_t law_bytes(const problem *p) {
    return (size_t)p->laws * sizeof *p->law;
}

int problem_room(const problem *p) {
    return 2 * p->nF + (int)((law_bytes(p) + sizeof(double) - 1) / sizeof(double));
}

double *problem_keep(const problem *p, double *to) {
    memcpy(keep(keep(to, p->weight, p->nF), p->scale, p->nF), p->law, law_bytes(p));
    return to + problem_room(p);
}

const double *problem_put_back(problem *p, const double *from) {
    memcpy(p->law, put_back(p->scale, put_back(p->weight, from, p->nF), p->nF), law_bytes(p));
    return from + problem_room(p);
}
