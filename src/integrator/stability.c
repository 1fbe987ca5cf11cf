#include "integrator/stability.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/projection.h"
#include "linalg/lanczos.h"
#include "model/definite.h"

stability_limit stoermer_verlet_limit(const void *self) {
    (void)self;
    return (stability_limit){.x = 2, .divided = 0.280056016805602}; /* 2/sqrt(51) */
}

/* Directions that joints hold are made 1/SOFT times as heavy, which works for redundant rows as well. */
static const double SOFT = 1e-9;

typedef struct motions {
    const carom_model *m;
    double stiffness, damping; /* of the operator stiffness K + damping D */
    double *M, *h_q, *h_u, *B, *WT, *Wr_q;
    double *h, *zeta, *s_q, *r; /* at the initial state, for the forces of the joints */
    double *moved, *back;       /* [nq] */
    double *x, *y, *work;
    double *memory;
    projection allowed; /* velocities that the joints allow, (X12) */
} motions;

/* ---------------------------------------------------------------- K and D, (X2), (X3) */

/* y += weight (H B x + (H B)^T x)/2, H a derivative of forces by q */
static void add_by_positions(motions *s, const carom_pattern *pattern, const double *H, double weight, const double *x,
                             double *y) {
    const carom_model_def *d = &s->m->def;
    memset(s->moved, 0, (size_t)d->nq * sizeof *s->moved);
    memset(s->back, 0, (size_t)d->nq * sizeof *s->back);
    if (s->m->trivial) memcpy(s->moved, x, (size_t)d->nq * sizeof *x);
    else pattern_multiply(&d->B, s->B, 1, x, s->moved);
    pattern_multiply(pattern, H, weight / 2, s->moved, y);
    pattern_multiply_transposed(pattern, H, weight / 2, x, s->back);
    if (s->m->trivial)
        for (int j = 0; j < d->nu; j++) y[j] += s->back[j];
    else pattern_multiply_transposed(&d->B, s->B, 1, s->back, y);
}

static void multiply(motions *s, double stiffness, double damping, const double *x, double *y) {
    const carom_model_def *d = &s->m->def;
    memset(y, 0, (size_t)d->nu * sizeof *y);
    if (stiffness != 0) {
        add_by_positions(s, &d->h_q, s->h_q, -stiffness, x, y);
        if (s->m->N > 0 && d->direction_q) add_by_positions(s, &d->Wr_q, s->Wr_q, -stiffness, x, y);
    }
    if (damping != 0) {
        pattern_multiply(&d->h_u, s->h_u, -damping / 2, x, y);
        pattern_multiply_transposed(&d->h_u, s->h_u, -damping / 2, x, y);
    }
}

/* The forces of the joints at the initial state turn with them: d(W lambda)/dq belongs to K. */
static bool turn_joints(motions *s) {
    const carom_model *m = s->m;
    const carom_model_def *d = &m->def;
    if (!m->N || !d->direction_q) return true;
    if (d->force(d->context, d->t0, d->q0, d->u0, s->h, NULL, NULL) ||
        model_velocity_rate(m, d->t0, d->q0, d->u0, s->s_q, s->moved, s->zeta))
        return false;
    double *z = s->allowed.z;
    memcpy(z, s->h, (size_t)d->nu * sizeof *z);
    for (int k = 0; k < m->N; k++) z[d->nu + k] = -s->zeta[k];
    projection_solve(&s->allowed);
    memcpy(s->r, z + d->nu, (size_t)m->N * sizeof *s->r);
    return !d->direction_q(d->context, d->t0, d->q0, s->r, s->Wr_q);
}

static bool linearise(motions *s) {
    const carom_model *m = s->m;
    const carom_model_def *d = &m->def;
    return !d->mass(d->context, d->t0, d->q0, s->M) &&
           !d->force(d->context, d->t0, d->q0, d->u0, NULL, s->h_q, s->h_u) &&
           (m->trivial || !d->kinematics(d->context, d->t0, d->q0, d->u0, NULL, s->B, NULL)) &&
           (!m->N || !d->velocity(d->context, d->t0, d->q0, d->u0, NULL, s->WT, NULL)) &&
           projection_factor(&s->allowed, s->M, s->WT, NULL, SOFT) && turn_joints(s);
}

/* ---------------------------------------------------------------- the fastest motion, (X13) */

/* y = the velocity that the force in allowed.z makes */
static void project(motions *s, double *y) {
    double *z = s->allowed.z;
    memset(z + s->m->def.nu, 0, (size_t)s->m->N * sizeof *z);
    projection_solve(&s->allowed);
    memcpy(y, z, (size_t)s->m->def.nu * sizeof *y);
}

static void apply(void *context, const double *x, double *y) {
    motions *s = context;
    multiply(s, s->stiffness, s->damping, x, s->allowed.z);
    project(s, y);
}

/* x^T (M + W W^T/SOFT) y, W by its scaled rows */
static double product(void *context, const double *x, const double *y) {
    const motions *s = context;
    const carom_pattern *M = &s->m->def.M, *WT = &s->m->def.WT;
    const double *row = s->allowed.row;
    double sum = 0;
    for (int i = 0; i < M->rows; i++)
        for (int e = M->start[i]; e < M->start[i + 1]; e++) sum += x[i] * s->M[e] * y[M->index[e]];
    for (int k = 0; k < s->m->N; k++) {
        double along_x = 0, along_y = 0;
        for (int e = WT->start[k]; e < WT->start[k + 1]; e++)
            along_x += row[k] * s->WT[e] * x[WT->index[e]], along_y += row[k] * s->WT[e] * y[WT->index[e]];
        sum += along_x * along_y / SOFT;
    }
    return sum;
}

/* x^T (stiffness K + damping D) x */
static double quotient(motions *s, double stiffness, double damping) {
    double sum = 0;
    multiply(s, stiffness, damping, s->x, s->y);
    for (int j = 0; j < s->m->def.nu; j++) sum += s->x[j] * s->y[j];
    return sum;
}

static int largest_part(const motions *s) {
    const double *unit = s->allowed.unit;
    int found = 0;
    for (int j = 1; j < s->m->def.nu; j++)
        if (fabs(s->x[j]) / unit[j] > fabs(s->x[found]) / unit[found]) found = j;
    return found;
}

/* The value of dt^2 omega^2 up to which the scheme is stable, so that the fastest motion need not be known. 0: damping
 * counts, so it must be. */
static double harmless(stability_limit limit, bool divides) {
    const double x = divides && limit.divided > 0 ? fmin(limit.x, limit.divided) : limit.x;
    return limit.damping > 0 ? 0 : x * x;
}

/* In the space of velocities, from a start that shares no symmetry of a chain. */
static void find_fastest(motions *s, stability_limit limit, double dt, bool divides, stability *found) {
    const carom_model_def *d = &s->m->def;
    const lanczos_operator all = {.n = d->nu, .context = s, .apply = apply, .product = product};
    s->stiffness = dt * dt, s->damping = limit.damping * dt;
    for (int j = 0; j < d->nu; j++) s->y[j] = s->allowed.unit[j] * (cos(3.1 * j * j + 0.2) + 0.01);
    memset(s->allowed.z, 0, (size_t)d->nu * sizeof *s->allowed.z);
    pattern_multiply(&d->M, s->M, 1, s->y, s->allowed.z);
    project(s, s->x);
    const double above = harmless(limit, divides), largest = lanczos_largest(&all, above, s->x, s->work);
    if (!(largest > 0) || isinf(largest)) return;
    if (largest <= above) {
        *found = (stability){.number = sqrt(largest) / limit.x, .omega = sqrt(largest) / dt};
        return;
    }
    const double square = quotient(s, 1, 0), delta = quotient(s, 0, 1), half = limit.damping * delta / 2;
    const double root = sqrt(fmax(0, half * half + square * limit.x * limit.x));
    *found = (stability){.number = dt * (half + root) / (limit.x * limit.x),
                         .omega = sqrt(fmax(0, square)),
                         .delta = limit.damping > 0 ? delta : 0,
                         .velocity = largest_part(s)};
}

/* ---------------------------------------------------------------- setup */

static bool allocate(motions *s) {
    const carom_model *m = s->m;
    const carom_model_def *d = &m->def;
    const vector_part parts[] = {
        {&s->M, pattern_nnz(&d->M)},
        {&s->h_q, pattern_nnz(&d->h_q)},
        {&s->h_u, pattern_nnz(&d->h_u)},
        {&s->B, pattern_nnz(&d->B)},
        {&s->WT, pattern_nnz(&d->WT)},
        {&s->Wr_q, pattern_nnz(&d->Wr_q)},
        {&s->h, d->nu},
        {&s->zeta, m->ns},
        {&s->s_q, pattern_nnz(&d->s_q)},
        {&s->r, m->ns},
        {&s->moved, d->nq},
        {&s->back, d->nq},
        {&s->x, d->nu},
        {&s->y, d->nu},
        {&s->work, LANCZOS_WORK * d->nu},
    };
    s->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    return projection_create(&s->allowed, m, m->N) && s->memory;
}

carom_status stability_measure(const carom_model *model, stability_limit limit, double dt, bool divides,
                               stability *found, carom_error *error) {
    *found = (stability){0};
    if (!(limit.x > 0)) return CAROM_OK;
    motions s = {.m = model};
    const bool ok = allocate(&s);
    if (ok && linearise(&s)) find_fastest(&s, limit, dt, divides, found);
    if (divides && limit.divided > 0) found->divided = dt * found->omega / limit.divided;
    projection_destroy(&s.allowed);
    free(s.memory);
    return ok ? CAROM_OK : carom_error_memory(error);
}

void stability_tell(const stability *found, const carom_model *model, const char *scheme, double dt, char *text,
                    size_t size) {
    char damped[64] = "";
    const char *velocity = model->def.u_names[found->velocity];
    text[0] = 0;
    if (!(found->number > 1)) {
        if (found->divided > 1)
            snprintf(text, size,
                     "steps are divided at events, and with dt = %g each event can change the energy of the fastest "
                     "motion, mostly of '%s' (omega = %.4g), by more than a fiftieth; take dt < %.4g, or lobatto with "
                     "more stages, or leave steps whole",
                     dt, velocity, found->omega, dt / found->divided);
        return;
    }
    if (found->delta > 0) snprintf(damped, sizeof damped, " and damping delta = %.4g", found->delta);
    snprintf(text, size,
             "dt = %g exceeds the limit of stability %.4g of %s at the initial state: its fastest motion, mostly of "
             "'%s', has omega = %.4g%s; take a smaller dt, or nsga or theta, which have no limit",
             dt, dt / found->number, scheme, velocity, found->omega, damped);
}
