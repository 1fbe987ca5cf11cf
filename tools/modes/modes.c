/* On the motions Z that are free at the equilibrium, M x'' + D x' + K x = 0, (ME6):
 *
 *     K x = omega^2 M x                          without damping, with K = K^T
 *     (rate^2 M + rate D + K) x = 0              otherwise, in the basis of the first one
 */
#include "modes/modes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "derivative/multipliers.h"
#include "error.h"
#include "modes/dense.h"

typedef struct problem {
    const statics *s;
    int n;                /* free motions */
    double *M, *K, *D;    /* [n][n] */
    double *square, *X;   /* [n], [n][n]: omega^2 of the symmetric part, rows of X its motions with x^T M x = 1 */
    double *C, *R, *work; /* [n][n] twice, [n + nu] */
    double *memory;
} problem;

/* ---------------------------------------------------------------- on the free motions */

/* to = Z A Z^T */
static void reduce(const problem *p, const double *A, double *to) {
    const statics *s = p->s;
    const int nu = s->n;
    for (int i = 0; i < p->n; i++) {
        const double *Zi = s->Q + (size_t)(s->rank + i) * (size_t)nu;
        memset(p->work, 0, (size_t)nu * sizeof *p->work);
        for (int k = 0; k < nu; k++)
            for (int j = 0; j < nu && Zi[k] != 0; j++) p->work[j] += Zi[k] * A[k * nu + j];
        for (int j = 0; j < p->n; j++)
            to[i * p->n + j] = dense_dot(nu, p->work, s->Q + (size_t)(s->rank + j) * (size_t)nu);
    }
}

static double largest(int n, const double *A) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(A[i]));
    return most;
}

/* C = (A + A^T)/2; returns the largest entry of A - C */
static double symmetrise(int n, const double *A, double *C) {
    double skew = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            C[i * n + j] = (A[i * n + j] + A[j * n + i]) / 2;
            skew = fmax(skew, fabs(A[i * n + j] - A[j * n + i]) / 2);
        }
    return skew;
}

/* ---------------------------------------------------------------- without damping */

/* A shift that makes K + shift M positive definite, little larger than its lowest eigenvalues. Then the lowest
 * eigenvalues are exact relative to themselves, not to the largest one, (ME7). NAN: not found. */
static double choose_shift(problem *p) {
    const int n = p->n;
    double *L = p->X, *value = p->square;
    memcpy(L, p->M, (size_t)n * (size_t)n * sizeof *L);
    if (!dense_cholesky(n, L)) return NAN;
    symmetrise(n, p->K, p->C);
    dense_congruence(n, L, p->C, p->work);
    if (!dense_symmetric(n, p->C, value, p->X)) return NAN;
    const double noise = 16 * n * DBL_EPSILON * fmax(fabs(value[0]), fabs(value[n - 1]));
    if (value[0] > noise) return 0;
    for (int i = 0; i < n; i++)
        if (value[i] > noise) return fmax(value[i], -2 * value[0]);
    return fmax(-2 * value[0], noise > 0 ? noise : 1);
}

/* A bound on what round-off in the terms of K contributes to x^T K x. work: the motion along velocities. */
static double blur(const problem *p, const double *x) {
    const statics *s = p->s;
    const int nu = s->n;
    double sum = 0;
    memset(p->work, 0, (size_t)nu * sizeof *p->work);
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < nu; j++) p->work[j] += x[i] * s->Q[(size_t)(s->rank + i) * (size_t)nu + j];
    for (int i = 0; i < nu; i++)
        for (int j = 0; j < nu; j++) sum += fabs(p->work[i] * s->terms[i * nu + j] * p->work[j]);
    return 64 * DBL_EPSILON * sum;
}

/* K x = omega^2 M x by R^-1 M R^-T y = y/(omega^2 + shift), K + shift M = R R^T, (ME7) */
static bool solve_symmetric(problem *p) {
    const int n = p->n;
    const double shift = choose_shift(p);
    if (!(shift >= 0)) return false;
    double *R = p->R;
    symmetrise(n, p->K, R);
    for (int i = 0; i < n * n; i++) R[i] += shift * p->M[i];
    if (!dense_cholesky(n, R)) return false;
    memcpy(p->C, p->M, (size_t)n * (size_t)n * sizeof *p->C);
    dense_congruence(n, R, p->C, p->work);
    if (!dense_symmetric(n, p->C, p->square, p->X)) return false;
    for (int i = 0; i < n; i++) {
        double *x = p->X + (size_t)i * (size_t)n;
        dense_backward(n, R, x);
        for (int j = 0; j < n; j++) x[j] /= sqrt(p->square[i]);
        p->square[i] = 1 / p->square[i] - shift;
        if (fabs(p->square[i]) <= blur(p, x) + 64 * DBL_EPSILON * shift) p->square[i] = 0;
    }
    return true;
}

/* ---------------------------------------------------------------- with damping */

/* to = X A X^T, in the basis of the symmetric problem */
static void into_basis(const problem *p, const double *A, double *to) {
    const int n = p->n;
    for (int i = 0; i < n; i++) {
        memset(p->work, 0, (size_t)n * sizeof *p->work);
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++) p->work[j] += p->X[i * n + k] * A[k * n + j];
        for (int j = 0; j < n; j++) to[i * n + j] = dense_dot(n, p->work, p->X + (size_t)j * (size_t)n);
    }
}

/* The rates as eigenvalues of the motion of (w x, x'), the fastest first: x_i' = (w_i x_i)/w_i, (ME8) */
static bool find_rates(const problem *p, const double *K, const double *D, double complex *rate) {
    const int n = p->n, size = 2 * n;
    const double top = sqrt(fmax(fabs(p->square[0]), fabs(p->square[n - 1])));
    double complex *A = calloc((size_t)size * (size_t)size + 1, sizeof *A);
    if (!A) return false;
    for (int i = 0; i < n; i++) {
        const int a = 2 * i;
        const double wi = fmax(sqrt(fabs(p->square[i])), fmax(1e-8 * top, DBL_MIN));
        A[a * size + a + 1] = wi;
        for (int j = 0; j < n; j++) {
            const int b = 2 * j;
            const double wj = fmax(sqrt(fabs(p->square[j])), fmax(1e-8 * top, DBL_MIN));
            A[(a + 1) * size + b] = -K[i * n + j] / wj;
            A[(a + 1) * size + b + 1] = -D[i * n + j];
        }
    }
    const bool found = multipliers_find(size, A, rate);
    free(A);
    return found;
}

/* Newton's method on (rate^2 + rate D + K) x = 0 with |x| = 1, from a rate that is nearly exact, (ME9) */
static bool polish(int n, const double *K, const double *D, double complex *rate, double complex *x, double complex *A,
                   double complex *y) {
    for (int turn = 0; turn < 5; turn++) {
        const double complex r = *rate;
        double complex along = 0;
        double size = 0;
        for (int i = 0; i < n; i++) {
            y[i] = 2 * r * x[i];
            for (int j = 0; j < n; j++) {
                A[i * n + j] = r * D[i * n + j] + K[i * n + j] + (i == j ? r * r : 0);
                y[i] += D[i * n + j] * x[j];
            }
        }
        if (!dense_solve(n, A, y)) return turn > 1; /* the rate is exact */
        for (int i = 0; i < n; i++) along += conj(x[i]) * y[i], size = hypot(size, cabs(y[i]));
        if (!(size > 0) || !isfinite(size)) return turn > 1;
        for (int i = 0; i < n; i++) x[i] = y[i] / size;
        if (turn > 0 && cabs(1 / along) < 0.1 * cabs(r)) *rate = r - 1 / along;
    }
    return true;
}

/* ---------------------------------------------------------------- modes */

/* Along velocities */
static bool write_shape(const problem *p, mode *to, const double complex *x) {
    const statics *s = p->s;
    const int nu = s->n;
    to->shape = calloc((size_t)nu + 1, sizeof *to->shape);
    if (!to->shape) return false;
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < nu; j++) to->shape[j] += x[i] * s->Q[(size_t)(s->rank + i) * (size_t)nu + j];
    for (int j = 0; j < nu; j++) to->shape[j] *= s->unit[j];
    return true;
}

static carom_status write_undamped(const problem *p, int most, modes_answer *a, carom_error *error) {
    const int n = p->n;
    double complex *x = calloc((size_t)p->s->n + 1, sizeof *x);
    bool ok = x != NULL;
    for (int k = 0; k < n && k < most && ok; k++) {
        /* the largest y has the lowest omega^2 */
        const int i = n - 1 - k;
        for (int j = 0; j < n; j++) x[j] = p->X[i * n + j];
        const double square = p->square[i];
        a->mode[a->count].rate = square > 0 ? I * sqrt(square) : sqrt(-square);
        ok = write_shape(p, &a->mode[a->count++], x);
    }
    free(x);
    return ok ? CAROM_OK : carom_error_memory(error);
}

static int slowest_first(const void *a, const void *b) {
    const double x = cabs(*(const double complex *)a), y = cabs(*(const double complex *)b);
    return (x > y) - (x < y);
}

static carom_status write_damped(const problem *p, const double *K, const double *D, int most, modes_answer *a,
                                 carom_error *error) {
    const int n = p->n;
    const size_t square = (size_t)n * (size_t)n;
    double complex *room = calloc(square + 5 * (size_t)n + 1, sizeof *room), *rate = room, *x = room + 2 * n;
    bool ok = room != NULL;
    if (ok && !find_rates(p, K, D, rate)) {
        free(room);
        return carom_error_set(error, CAROM_FAILED, "the rates of damped motions were not found");
    }
    if (ok) qsort(rate, 2 * (size_t)n, sizeof *rate, slowest_first);
    for (int k = 0; ok && k < 2 * n && a->count < most; k++) {
        double complex r = rate[k];
        if (cimag(r) < -1e-12 * cabs(r)) continue;
        double complex *y = x + n, *in_z = y + n;
        for (int j = 0; j < n; j++) x[j] = 1 + 0.1 * cos(3.1 * j * j + 0.2 * k);
        polish(n, K, D, &r, x, in_z + n, y);
        memset(in_z, 0, (size_t)n * sizeof *in_z);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) in_z[j] += x[i] * p->X[i * n + j];
        a->mode[a->count].rate = r;
        ok = write_shape(p, &a->mode[a->count++], in_z);
    }
    free(room);
    return ok ? CAROM_OK : carom_error_memory(error);
}

/* In its own basis the symmetric K is exactly diagonal. */
static carom_status solve_damped(problem *p, int most, modes_answer *a, carom_error *error) {
    const int n = p->n;
    double *K = p->C, *D = p->M, *skew = p->R;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) skew[i * n + j] = (p->K[i * n + j] - p->K[j * n + i]) / 2;
    into_basis(p, skew, K);
    for (int i = 0; i < n; i++) K[i * n + i] = p->square[i];
    into_basis(p, p->D, D);
    return write_damped(p, K, D, most, a, error);
}

static carom_status solve(problem *p, int most, modes_answer *a, carom_error *error) {
    const int n = p->n;
    const double stiff = largest(n * n, p->K), damping = largest(n * n, p->D);
    const double skew = symmetrise(n, p->K, p->C);
    a->free = n;
    a->damped = skew > 1e-10 * stiff || damping > 1e-12 * sqrt(stiff);
    a->mode = calloc((size_t)(most < 2 * n ? most : 2 * n) + 1, sizeof *a->mode);
    if (!a->mode) return carom_error_memory(error);
    if (n <= 0) return CAROM_OK;
    if (!solve_symmetric(p))
        return carom_error_set(error, CAROM_FAILED,
                               "the frequencies were not found: the mass matrix is singular, or "
                               "something is not finite");
    return a->damped ? solve_damped(p, most, a, error) : write_undamped(p, most, a, error);
}

static carom_status linearise(const statics *s, int most, modes_answer *a, carom_error *error) {
    problem p = {.s = s, .n = s->n - s->rank};
    const size_t n = (size_t)p.n, square = n * n;
    p.memory = calloc(6 * square + 2 * n + (size_t)s->n + 1, sizeof *p.memory);
    if (!p.memory) return carom_error_memory(error);
    p.M = p.memory, p.K = p.M + square, p.D = p.K + square, p.C = p.D + square, p.X = p.C + square, p.R = p.X + square;
    p.square = p.R + square, p.work = p.square + n;
    reduce(&p, s->M, p.M);
    reduce(&p, s->K, p.K);
    reduce(&p, s->D, p.D);
    carom_status status = solve(&p, most, a, error);
    free(p.memory);
    return status;
}

carom_status modes_find(const carom_model *model, double t, const double *q, int most, modes_answer *answer,
                        carom_error *error) {
    statics s;
    *answer = (modes_answer){.t = t};
    if (model->finder)
        return carom_error_set(error, CAROM_DATA,
                               "modes need contacts that are listed: those that are found ('among') come and go");
    carom_status status = statics_create(&s, model, t, error);
    if (!status) status = equilibrium_find(&s, q, &answer->at, error);
    if (!status) status = linearise(&s, most, answer, error);
    statics_destroy(&s);
    return status;
}

void modes_free(modes_answer *a) {
    for (int k = 0; k < a->count; k++) free(a->mode[k].shape);
    free(a->mode);
    equilibrium_free(&a->at);
}

/* In parts of the largest, which is 1. */
static void normalise(int n, double complex *x) {
    double complex most = 0;
    for (int i = 0; i < n; i++)
        if (cabs(x[i]) > cabs(most) * (1 + 1e-9)) most = x[i];
    for (int i = 0; i < n && cabs(most) > 0; i++) x[i] /= most;
}

int modes_coordinates(const carom_model *model, const modes_answer *a, int k, double complex *by) {
    const carom_model_def *d = &model->def;
    const double complex *x = a->mode[k].shape;
    double *part = calloc((size_t)d->nu + (size_t)d->nq + 1, sizeof *part);
    if (!part) return 1;
    double *q_dot = part + d->nu;
    int failed = 0;
    for (int imaginary = 0; imaginary < 2 && !failed; imaginary++) {
        for (int j = 0; j < d->nu; j++) part[j] = imaginary ? cimag(x[j]) : creal(x[j]);
        failed = model_q_dot(model, a->t, a->at.q, part, q_dot);
        for (int i = 0; i < d->nq; i++) by[i] = imaginary ? creal(by[i]) + I * q_dot[i] : q_dot[i];
    }
    free(part);
    normalise(d->nq, by);
    return failed;
}
