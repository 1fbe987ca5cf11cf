#include "integrator/attempt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/vectors.h"

/* ---------------------------------------------------------------- what the scheme shows */

static const double *copy(double *to, const double *from, int n) {
    if (from) memcpy(to, from, (size_t)n * sizeof *to);
    return from ? to : NULL;
}

static void keep_node(attempt *a, int i, const scheme_node *shown) {
    const carom_model *m = a->m;
    double *own = a->shown + i * (m->nc + m->slips + m->ns);
    a->node[i].gaps = copy(own, shown->gaps, m->nc);
    a->node[i].slips = copy(own + m->nc, shown->slips, m->slips);
    a->node[i].percussion = copy(own + m->nc + m->slips, shown->percussion, m->ns);
}

static void keep_point(attempt *a, int j, const double *q, const double *u) {
    memcpy(a->position + j * a->m->def.nq, q, (size_t)a->m->def.nq * sizeof *q);
    memcpy(a->velocity + j * a->m->def.nu, u, (size_t)a->m->def.nu * sizeof *u);
}

static bool keep_rate(attempt *a, const motion *x, double *rate) {
    if (model_q_dot(a->m, x->t, x->q, x->u, rate)) return false;
    for (int k = 0; k < a->m->def.nq; k++) rate[k] *= a->h;
    return true;
}

void attempt_keep_nodes(attempt *a, const fixed_scheme *scheme) {
    int inside = 0;
    for (int i = 0; i < a->nodes; i++) {
        scheme_node shown;
        scheme->node(scheme->self, i, &shown);
        keep_node(a, i, &shown);
        if (a->c[i] > 0 && a->c[i] < 1) keep_point(a, ++inside, shown.q, shown.u);
    }
}

bool attempt_keep_ends(attempt *a) {
    const int nq = a->m->def.nq, last = a->dense.s - 1;
    keep_point(a, 0, a->start.x.q, a->start.x.u);
    keep_point(a, last, a->end.x.q, a->end.x.u);
    return keep_rate(a, &a->start.x, a->position + (last + 1) * nq) &&
           keep_rate(a, &a->end.x, a->position + (last + 2) * nq);
}

/* ---------------------------------------------------------------- dense output */

static void combine(int n, const double *weights, const double *values, int size, double *sum) {
    for (int k = 0; k < size; k++) sum[k] = 0;
    for (int j = 0; j < n; j++)
        for (int k = 0; k < size; k++) sum[k] += weights[j] * values[j * size + k];
}

void attempt_at(const attempt *a, double theta, attempt_look *x) {
    x->t = a->start.x.t + theta * a->h;
    dense_with_rates(&a->dense, theta, x->weights);
    combine(a->dense.s + 2, x->weights, a->position, a->m->def.nq, x->q);
    dense_plain(&a->dense, theta, x->weights);
    combine(a->dense.s, x->weights, a->velocity, a->m->def.nu, x->u);
}

bool attempt_look_create(attempt_look *x, const attempt *a) {
    *x = (attempt_look){0};
    const vector_part parts[] = {{&x->q, a->m->def.nq}, {&x->u, a->m->def.nu}, {&x->weights, a->dense.s + 2}};
    return (x->memory = vectors_create(parts, sizeof parts / sizeof *parts)) != NULL;
}

void attempt_look_destroy(attempt_look *x) {
    free(x->memory);
}

/* ---------------------------------------------------------------- slips and laws */

double attempt_slip(const attempt *a, int k, const double *slip) {
    double sum = 0;
    for (int j = a->m->slip[k]; j < a->m->slip[k + 1]; j++) sum += a->start.sense[j] * slip[j];
    return sum;
}

static double margin_of(const attempt *a, carom_event_kind kind, int k, const double *P) {
    carom_contact_state state = (carom_contact_state)a->start.x.contact[k];
    if (kind == CAROM_OPENING) return state == CAROM_OPEN ? 0 : P[a->m->N + k];
    return state == CAROM_STICK ? friction_margin(a->m, k, P) : 0;
}

double attempt_margin(const attempt *a, carom_event_kind kind, int k) {
    return margin_of(a, kind, k, a->end.x.P);
}

static bool strains(const attempt *a, int k, const double *P) {
    return margin_of(a, CAROM_OPENING, k, P) < 0 || margin_of(a, CAROM_BREAK, k, P) < 0;
}

bool attempt_strains(const attempt *a, int k) {
    const bool slides = (carom_contact_state)a->start.x.contact[k] == CAROM_SLIP;
    bool any = strains(a, k, a->end.x.P) || (slides && sliding_margin(a->m, k, a->end.x.P) < 0);
    for (int i = 0; i < a->nodes && !any; i++) any = a->node[i].percussion && strains(a, k, a->node[i].percussion);
    return any;
}

bool attempt_obeys(const attempt *a, const double *P) {
    for (int k = 0; k < a->m->def.contacts; k++)
        if (strains(a, k, P)) return false;
    return true;
}

/* ---------------------------------------------------------------- setup */

/* The nodes of the dense output: both ends, and what lies between them. */
static bool create_dense(attempt *a) {
    double *c = calloc((size_t)a->nodes + 2, sizeof *c);
    int s = 1;
    for (int i = 0; c && i < a->nodes; i++)
        if (a->c[i] > 0 && a->c[i] < 1) c[s++] = a->c[i];
    if (c) c[s++] = 1;
    bool ok = c && dense_create(&a->dense, s, c);
    free(c);
    return ok;
}

bool attempt_create(attempt *a, const carom_model *m, const fixed_scheme *scheme, int memory) {
    *a = (attempt){.m = m, .nodes = scheme->nodes, .c = scheme->c};
    bool ok = phase_create(&a->start, m, memory, scheme->s_at);
    ok = phase_create(&a->end, m, memory, scheme->s_at) && ok;
    a->node = calloc((size_t)a->nodes + 1, sizeof *a->node);
    if (!ok || !a->node || !create_dense(a)) return false;
    const vector_part parts[] = {{&a->shown, a->nodes * (m->nc + m->slips + m->ns)},
                                 {&a->position, (a->dense.s + 2) * m->def.nq},
                                 {&a->velocity, a->dense.s * m->def.nu}};
    return (a->memory = vectors_create(parts, sizeof parts / sizeof *parts)) != NULL;
}

void attempt_destroy(attempt *a) {
    phase_destroy(&a->start);
    phase_destroy(&a->end);
    dense_destroy(&a->dense);
    free(a->node);
    free(a->memory);
}
