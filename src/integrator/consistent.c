#include "integrator/consistent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/projection.h"
#include "model/model.h"

/* eps falls to its least value step by step: redundant rows agree at the solution only, and what they disagree by on
 * the way there is magnified by 1/eps. */
static const double EPSILON = 1e-2, LEAST_EPSILON = 1e-8, FALL = 0.1;
static const double ENOUGH[] = {1e-9, 1e-7}; /* a tenth of what a run asks for, on position and on velocity */
enum { MOST = 50, HALVINGS = 10 };

typedef struct approach {
    const carom_model *m;
    double t;
    const double *contact; /* states that contacts keep; NULL: they take no part */
    bool velocities;       /* which of the two problems */
    bool *held;            /* [ns] rows that count */
    projection nearest;
    double *q, *u, *q1, *u1; /* the state, and one that is tried */
    double *M, *WT, *B;
    double *c; /* (g, g_N), or s */
    double *memory;
} approach;

/* What a row of s still misses, on velocities or on positions. */
static double missed(const approach *a, int row) {
    if (!a->held[row]) return 0;
    return a->c[a->velocities ? row : projection_position(a->m, row)];
}

/* ---------------------------------------------------------------- one step of Newton's method */

/* d into nearest.z, for the residuals in c at (q, u) */
static bool newton_step(approach *a, double epsilon) {
    const carom_model_def *d = &a->m->def;
    projection *p = &a->nearest;
    if (d->mass(d->context, a->t, a->q, a->M) || d->velocity(d->context, a->t, a->q, a->u, NULL, a->WT, NULL) ||
        !projection_factor(p, a->M, a->WT, a->held, epsilon))
        return false;
    memset(p->z, 0, (size_t)d->nu * sizeof *p->z);
    for (int i = 0; i < p->rows; i++) p->z[d->nu + i] = -missed(a, i);
    projection_solve(p);
    return true;
}

/* The residuals at a state; infinite where they are not defined. */
static double residual(approach *a, const double *q, const double *u) {
    const carom_model_def *d = &a->m->def;
    double sum = 0;
    if (a->velocities ? d->velocity(d->context, a->t, q, u, a->c, NULL, NULL)
                      : d->position(d->context, a->t, q, a->c, NULL))
        return INFINITY;
    for (int i = 0; i < a->nearest.rows; i++) sum += missed(a, i) * missed(a, i);
    return isfinite(sum) ? sqrt(sum) : INFINITY;
}

/* (q1, u1): part of d further than (q, u) */
static bool move(approach *a, double part) {
    const carom_model_def *d = &a->m->def;
    const double *from = a->velocities ? a->u : a->q, *step = a->nearest.z;
    double *to = a->velocities ? a->u1 : a->q1;
    memcpy(a->q1, a->q, (size_t)d->nq * sizeof *a->q);
    memcpy(a->u1, a->u, (size_t)d->nu * sizeof *a->u);
    if (a->velocities || a->m->trivial) {
        for (int j = 0; j < d->nu; j++) to[j] = from[j] + part * step[j];
        return true;
    }
    if (d->kinematics(d->context, a->t, a->q, a->u, NULL, a->B, NULL)) return false;
    pattern_multiply(&d->B, a->B, part, step, a->q1);
    model_normalise(a->m, a->q1);
    return true;
}

/* The longest of the steps d, d/2, d/4, ... after which the residual is smaller; false: none. */
static bool descend(approach *a, double epsilon, double *size) {
    if (!newton_step(a, epsilon)) return false;
    for (double part = 1; part > 1.0 / (1 << HALVINGS); part /= 2) {
        double tried = move(a, part) ? residual(a, a->q1, a->u1) : INFINITY;
        if (!(tried < *size)) continue;
        *size = tried;
        memcpy(a->q, a->q1, (size_t)a->m->def.nq * sizeof *a->q);
        memcpy(a->u, a->u1, (size_t)a->m->def.nu * sizeof *a->u);
        return true;
    }
    return false;
}

/* ---------------------------------------------------------------- the two problems */

static consistency judge(const approach *a, contradiction *left) {
    double scale = 1;
    int worst = 0;
    for (int j = 0; j < a->m->def.nu; j++) scale = fmax(scale, fabs(a->u[j]));
    for (int i = 1; i < a->nearest.rows; i++)
        if (fabs(missed(a, i)) > fabs(missed(a, worst))) worst = i;
    *left = (contradiction){.velocities = a->velocities, .row = worst, .value = missed(a, worst)};
    return fabs(left->value) <= (a->velocities ? ENOUGH[1] * scale : ENOUGH[0]) ? CONSISTENT : CONSISTENT_NOT;
}

static consistency solve(approach *a, bool velocities, contradiction *left) {
    const int rows = projection_hold(a->m, a->contact, velocities, a->held);
    bool any = false;
    for (int i = 0; i < rows; i++) any = any || a->held[i];
    if (!any) return CONSISTENT;
    a->velocities = velocities;
    consistency found = CONSISTENT_MEMORY;
    if (projection_create(&a->nearest, a->m, rows)) {
        double size = residual(a, a->q, a->u), epsilon = EPSILON;
        for (int i = 0; i < MOST && isfinite(size) && descend(a, epsilon, &size); i++)
            epsilon = fmax(FALL * epsilon, LEAST_EPSILON);
        residual(a, a->q, a->u);
        found = isfinite(size) ? judge(a, left) : CONSISTENT_UNDEFINED;
    }
    projection_destroy(&a->nearest);
    return found;
}

consistency make_consistent(const carom_model *m, double t, const double *contact, double *q, double *u,
                            contradiction *left) {
    const carom_model_def *d = &m->def;
    approach a = {.m = m, .t = t, .contact = contact, .q = q, .u = u};
    const vector_part parts[] = {
        {&a.q1, d->nq},
        {&a.u1, d->nu},
        {&a.M, pattern_nnz(&d->M)},
        {&a.WT, pattern_nnz(&d->WT)},
        {&a.B, pattern_nnz(&d->B)},
        {&a.c, m->nc + m->ns},
    };
    a.memory = vectors_create(parts, sizeof parts / sizeof *parts);
    a.held = calloc((size_t)m->ns + 1, sizeof *a.held);
    consistency found = a.memory && a.held ? solve(&a, false, left) : CONSISTENT_MEMORY;
    if (found == CONSISTENT) found = solve(&a, true, left);
    free(a.memory);
    free(a.held);
    return found;
}
