#include "modes/statics.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "linalg/csr.h"
#include "modes/dense.h"

/* If less than this is left of a row of length one, the row depends on others. */
static const double LEAST = 1e-8;

/* ---------------------------------------------------------------- setup */

static carom_status allocate(statics *s, carom_error *error) {
    const carom_model_def *d = &s->m->def;
    const size_t n = (size_t)s->n, ns = (size_t)s->m->ns;
    struct {
        double **at;
        size_t size;
    } part[] = {
        {&s->unit, n},
        {&s->length, ns},
        {&s->M, n * n},
        {&s->h, n},
        {&s->K, n * n},
        {&s->terms, n * n},
        {&s->D, n * n},
        {&s->Q, n * n},
        {&s->A, ns * n},
        {&s->G, n * n},
        {&s->force, ns},
        {&s->rest, n},
        {&s->c, (size_t)s->m->nc},
        {&s->s, ns},
        {&s->zero, n},
        {&s->work, 3 * n + ns + (size_t)d->nq},
        {&s->M_of, (size_t)pattern_nnz(&d->M)},
        {&s->h_q, (size_t)pattern_nnz(&d->h_q)},
        {&s->h_u, (size_t)pattern_nnz(&d->h_u)},
        {&s->B, (size_t)pattern_nnz(&d->B)},
        {&s->WT, (size_t)pattern_nnz(&d->WT)},
        {&s->Wr_q, (size_t)pattern_nnz(&d->Wr_q)},
    };
    enum { PARTS = sizeof part / sizeof *part };
    size_t all = 1;
    for (int i = 0; i < PARTS; i++) all += part[i].size;
    s->memory = calloc(all, sizeof *s->memory);
    s->held = calloc(ns + 1, sizeof *s->held);
    s->row = calloc(ns + 1, sizeof *s->row);
    s->position = calloc(ns + 1, sizeof *s->position);
    if (!s->memory || !s->held || !s->row || !s->position) return carom_error_memory(error);
    double *next = s->memory;
    for (int i = 0; i < PARTS; i++) *part[i].at = next, next += part[i].size;
    return CAROM_OK;
}

carom_status statics_create(statics *s, const carom_model *model, double t, carom_error *error) {
    *s = (statics){.m = model, .t = t, .n = model->def.nu};
    if (model->def.latches)
        return carom_error_set(
            error, CAROM_DATA,
            "modes need joints and contacts that hold whatever the load: leave out 'breaks' and 'adhesion' ('%s')",
            model->def.latch[0].name);
    if (model->N > 0 && !model->def.direction_q)
        return carom_error_set(error, CAROM_DATA, "the model has constraints but not the function direction_q");
    carom_status status = allocate(s, error);
    for (int i = 0; i < model->ns && !status; i++)
        s->position[i] = i < model->def.ng ? i : i >= model->N && i < model->F ? model->def.ng + i - model->N : -1;
    return status;
}

void statics_destroy(statics *s) {
    free(s->memory);
    free(s->held);
    free(s->row);
    free(s->position);
}

/* ---------------------------------------------------------------- the balance */

static carom_status undefined(carom_error *error) {
    return carom_error_set(error, CAROM_FAILED, "the model is not defined at a place where its forces must balance");
}

static bool evaluate(statics *s, const double *q) {
    const carom_model *m = s->m;
    const carom_model_def *d = &m->def;
    return !d->mass(d->context, s->t, q, s->M_of) && !d->force(d->context, s->t, q, s->zero, s->h, NULL, NULL) &&
           (m->nc == 0 || !d->position(d->context, s->t, q, s->c, NULL)) &&
           (m->ns == 0 || !d->velocity(d->context, s->t, q, s->zero, s->s, s->WT, NULL)) &&
           (m->trivial || !d->kinematics(d->context, s->t, q, s->zero, NULL, s->B, NULL));
}

/* M in units in which its diagonal is one */
static bool measure_masses(statics *s) {
    const carom_pattern *P = &s->m->def.M;
    const int n = s->n;
    memset(s->M, 0, (size_t)n * (size_t)n * sizeof *s->M);
    for (int i = 0; i < n; i++)
        for (int e = P->start[i]; e < P->start[i + 1]; e++) s->M[i * n + P->index[e]] = s->M_of[e];
    for (int i = 0; i < n; i++) {
        if (!(s->M[i * n + i] > 0) || !isfinite(s->M[i * n + i])) return false;
        s->unit[i] = 1 / sqrt(s->M[i * n + i]);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) s->M[i * n + j] *= s->unit[i] * s->unit[j];
    for (int i = 0; i < n; i++) s->h[i] *= s->unit[i];
    return true;
}

/* The held rows of W^T, each with length one; a row of zeros holds nothing */
static void gather_rows(statics *s) {
    const carom_pattern *P = &s->m->def.WT;
    const int n = s->n;
    s->rows = 0;
    for (int i = 0; i < s->m->ns; i++) {
        if (!s->held[i]) continue;
        double *row = s->A + (size_t)s->rows * (size_t)n;
        memset(row, 0, (size_t)n * sizeof *row);
        for (int e = P->start[i]; e < P->start[i + 1]; e++) row[P->index[e]] = s->WT[e] * s->unit[P->index[e]];
        s->length[i] = sqrt(dense_dot(n, row, row));
        if (!(s->length[i] > 0)) continue;
        for (int j = 0; j < n; j++) row[j] /= s->length[i];
        s->row[s->rows++] = i;
    }
}

/* G = sum A_i A_i^T, by its Cholesky factor */
static bool factor_rows(statics *s) {
    const int n = s->n, r = s->rank;
    memset(s->G, 0, (size_t)r * (size_t)r * sizeof *s->G);
    for (int k = 0; k < s->rows; k++) {
        const double *a = s->A + (size_t)k * (size_t)n;
        for (int i = 0; i < r; i++)
            for (int j = 0; j <= i && a[i] != 0; j++) s->G[i * r + j] += a[i] * a[j];
    }
    return dense_cholesky(r, s->G);
}

/* x = G^-1 x */
static void solve_rows(const statics *s, double *x) {
    dense_forward(s->rank, s->G, x);
    dense_backward(s->rank, s->G, x);
}

/* The forces of least squares that balance h along the first vectors, (ME3). Refined once, since G squares the
 * condition of the rows. */
static void balance_forces(statics *s) {
    const int n = s->n, r = s->rank;
    double *left = s->work, *x = s->work + n;
    for (int j = 0; j < n; j++) left[j] = dense_dot(n, s->Q + j * n, s->h);
    memcpy(s->rest, left + r, (size_t)(n - r) * sizeof *s->rest);
    memset(s->force, 0, (size_t)s->m->ns * sizeof *s->force);
    for (int turn = 0; turn < 3; turn++) {
        for (int j = 0; j < r; j++) x[j] = -left[j];
        solve_rows(s, x);
        for (int k = 0; k < s->rows; k++) {
            const double *a = s->A + (size_t)k * (size_t)n, P = dense_dot(r, a, x);
            s->force[s->row[k]] += P / s->length[s->row[k]];
            for (int j = 0; j < r; j++) left[j] += P * a[j];
        }
    }
}

carom_status statics_balance(statics *s, const double *q, carom_error *error) {
    if (!evaluate(s, q) || !measure_masses(s)) return undefined(error);
    gather_rows(s);
    s->rank = dense_span(s->rows, s->n, s->A, s->Q, LEAST, s->work);
    if (s->rank < 0) return carom_error_memory(error);
    if (!factor_rows(s)) return undefined(error);
    balance_forces(s);
    for (int j = 0; j < s->n; j++)
        if (!isfinite(s->h[j])) return undefined(error);
    return CAROM_OK;
}

/* ---------------------------------------------------------------- its derivatives */

static void add_term(statics *s, int i, int j, double value) {
    s->K[i * s->n + j] -= value;
    s->terms[i * s->n + j] += fabs(value);
}

/* K -= H B in the units of velocities */
static void subtract(statics *s, const carom_pattern *P, const double *H) {
    const carom_pattern *B = &s->m->def.B;
    for (int i = 0; i < s->n; i++)
        for (int e = P->start[i]; e < P->start[i + 1]; e++) {
            const int k = P->index[e];
            const double value = H[e] * s->unit[i];
            if (s->m->trivial) add_term(s, i, k, value * s->unit[k]);
            else
                for (int b = B->start[k]; b < B->start[k + 1]; b++)
                    add_term(s, i, B->index[b], value * s->B[b] * s->unit[B->index[b]]);
        }
}

/* The force that round-off in q makes */
static double blur(const statics *s, const double *q) {
    const carom_pattern *P = &s->m->def.h_q;
    double most = 0;
    for (int i = 0; i < s->n; i++) {
        double sum = 0;
        for (int e = P->start[i]; e < P->start[i + 1]; e++) sum += fabs(s->h_q[e] * q[P->index[e]]);
        most = fmax(most, sum * s->unit[i]);
    }
    return 16 * DBL_EPSILON * most;
}

carom_status statics_derive(statics *s, const double *q, carom_error *error) {
    const carom_model_def *d = &s->m->def;
    const int n = s->n;
    memset(s->K, 0, (size_t)n * (size_t)n * sizeof *s->K);
    memset(s->terms, 0, (size_t)n * (size_t)n * sizeof *s->terms);
    memset(s->D, 0, (size_t)n * (size_t)n * sizeof *s->D);
    if (d->force(d->context, s->t, q, s->zero, NULL, s->h_q, s->h_u)) return undefined(error);
    s->blur = blur(s, q);
    subtract(s, &d->h_q, s->h_q);
    if (s->rows > 0) {
        if (d->direction_q(d->context, s->t, q, s->force, s->Wr_q)) return undefined(error);
        subtract(s, &d->Wr_q, s->Wr_q);
    }
    for (int i = 0; i < n; i++)
        for (int e = d->h_u.start[i]; e < d->h_u.start[i + 1]; e++)
            s->D[i * n + d->h_u.index[e]] = -s->h_u[e] * s->unit[i] * s->unit[d->h_u.index[e]];
    return CAROM_OK;
}

/* ---------------------------------------------------------------- moving */

int statics_move(statics *s, double *q, const double *x) {
    const carom_model *m = s->m;
    const carom_model_def *d = &m->def;
    double *v = s->work;
    for (int j = 0; j < s->n; j++) v[j] = x[j] * s->unit[j];
    if (m->trivial) {
        for (int j = 0; j < s->n; j++) q[j] += v[j];
        return 0;
    }
    if (d->kinematics(d->context, s->t, q, s->zero, NULL, s->B, NULL)) return 1;
    pattern_multiply(&d->B, s->B, 1, v, q);
    model_normalise(m, q);
    return model_anchor(m, s->t, q, s->work + s->n);
}

double statics_miss(const statics *s) {
    double most = 0;
    for (int k = 0; k < s->rows; k++) {
        const int i = s->row[k];
        if (s->position[i] >= 0) most = fmax(most, fabs(s->c[s->position[i]]) / s->length[i]);
    }
    return most;
}

/* The least motion that makes the held rows zero, (ME4) */
static void correct(const statics *s, double *x) {
    const int n = s->n, r = s->rank;
    double *y = s->work;
    memset(y, 0, (size_t)n * sizeof *y);
    for (int k = 0; k < s->rows; k++) {
        const int i = s->row[k];
        const double *a = s->A + (size_t)k * (size_t)n;
        if (s->position[i] < 0) continue;
        for (int j = 0; j < r; j++) y[j] -= a[j] * s->c[s->position[i]] / s->length[i];
    }
    solve_rows(s, y);
    memset(x, 0, (size_t)n * sizeof *x);
    for (int k = 0; k < r; k++)
        for (int j = 0; j < n; j++) x[j] += y[k] * s->Q[k * n + j];
}

carom_status statics_restore(statics *s, double *q, carom_error *error) {
    enum { MOST = 40 };
    const carom_model_def *d = &s->m->def;
    double *x = s->work + s->n + d->nq, was = INFINITY;
    for (int k = 0; k < MOST && s->rank > 0; k++) {
        if (d->position(d->context, s->t, q, s->c, NULL)) return undefined(error);
        const double miss = statics_miss(s);
        if (!(miss > 0) || !(miss < 0.9 * was)) break;
        was = miss;
        correct(s, x);
        if (statics_move(s, q, x)) return undefined(error);
    }
    return CAROM_OK;
}
