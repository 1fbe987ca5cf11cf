/* (SE41)
 *     min 1/2 |r(theta)|^2,   low <= theta <= high
 *
 * MINPACK knows no bounds. It sees x with theta = P(x), the nearest point within them, so that a component beyond its
 * bound has no effect and the derivative zero. Where MINPACK ends, Kuhn and Tucker's condition decides, (SE42): a bound
 * is in effect if the sum would fall beyond it; else its component is free again and MINPACK goes on from there. */
#include "identify/least_squares.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

#ifdef CAROM_MINPACK
#include <cminpack.h>

enum { MOST_TURNS = 20, MOST_RUNS = 100 }; /* runs; those in one turn for each unknown */

/* One turn: what MINPACK sees, the components that are free. */
typedef struct turn {
    least_squares *s;
    int *free; /* [count] */
    int count;
    double *theta;  /* [n] the point that was evaluated last; NaN: none */
    double *r, *by; /* there */
    double best;    /* the smallest length of r so far */
    carom_status fatal;
    carom_error *error;
} turn;

static double length(int n, const double *a) {
    return enorm(n, a);
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static double clamp(const least_squares *s, int k, double x) {
    return fmin(fmax(x, s->low[k]), s->high[k]);
}

/* A point without residuals is worse than any other: MINPACK tries a shorter step. */
static void refuse(turn *t, const carom_error *why) {
    least_squares *s = t->s;
    snprintf(s->refused, sizeof s->refused, "%.190s", why->message);
    const double far = 1e3 * (t->best > 0 && isfinite(t->best) ? t->best : 1);
    for (int i = 0; i < s->m; i++) t->r[i] = far;
}

static int evaluate(turn *t, const double *x) {
    least_squares *s = t->s;
    carom_error why = {0};
    for (int k = 0; k < s->n; k++) t->theta[k] = s->x[k];
    for (int i = 0; i < t->count; i++) t->theta[t->free[i]] = clamp(s, t->free[i], x[i]);
    const carom_status status = s->function(s->context, t->theta, t->r, t->by, &why);
    s->runs++;
    if (status == CAROM_MEMORY) return t->fatal = status, *t->error = why, -1;
    if (status) refuse(t, &why);
    else t->best = fmin(t->best, length(s->m, t->r));
    return 0;
}

/* MINPACK asks for derivatives where it has asked for residuals just before. */
static int minpack_function(void *context, int m, int n, const double *x, double *r, double *by, int room, int flag) {
    turn *t = context;
    const least_squares *s = t->s;
    if (flag == 1) {
        if (evaluate(t, x)) return -1;
        memcpy(r, t->r, (size_t)m * sizeof *r);
    }
    for (int i = 0; i < n && flag == 2; i++) {
        const int k = t->free[i];
        const bool inside = x[i] >= s->low[k] && x[i] <= s->high[k];
        for (int j = 0; j < m; j++) by[i * room + j] = inside ? t->by[k * m + j] : 0;
    }
    return 0;
}

/* (SE42): the gradient by theta_k is r^T r_k. */
static bool is_held(const least_squares *s, int k) {
    const double slope = dot(s->m, s->r, s->by + k * s->m);
    return (s->x[k] <= s->low[k] && slope >= 0) || (s->x[k] >= s->high[k] && slope <= 0);
}

static carom_status take_turn(turn *t, double *x, double *room, int *pivot, int *info) {
    least_squares *s = t->s;
    const size_t m = (size_t)s->m, n = (size_t)s->n;
    double *r = room, *J = r + m, *diagonal = J + m * n, *qtf = diagonal + n, *w = qtf + n;
    int runs, slopes;
    for (int i = 0; i < t->count; i++) x[i] = s->x[t->free[i]];
    *info = lmder(minpack_function, t, s->m, t->count, x, r, J, s->m, 1e-12, 1e-12, 0, MOST_RUNS * (s->n + 1), diagonal,
                  1, 1, 0, &runs, &slopes, pivot, qtf, w, w + n, w + 2 * n, w + 3 * n);
    for (int i = 0; i < t->count; i++) s->x[t->free[i]] = clamp(s, t->free[i], x[i]);
    return t->fatal;
}

/* Evaluates the residuals where MINPACK ended: it may have looked elsewhere last. */
static carom_status evaluate_at_end(least_squares *s, carom_error *error) {
    s->runs++;
    return s->function(s->context, s->x, s->r, s->by, error);
}

static carom_status solve(turn *t, double *x, double *room, int *pivot, carom_error *error) {
    least_squares *s = t->s;
    int info = 0;
    carom_status status = evaluate_at_end(s, error);
    t->best = status ? INFINITY : length(s->m, s->r);
    for (int turns = 0; turns < MOST_TURNS && !status; turns++) {
        bool freed = turns == 0;
        t->count = 0;
        for (int k = 0; k < s->n; k++) {
            const bool was = s->held[k], is = is_held(s, k);
            freed = freed || (was && !is);
            s->held[k] = is;
            if (!is) t->free[t->count++] = k;
        }
        if (!freed || t->count == 0) return CAROM_OK;
        status = take_turn(t, x, room, pivot, &info);
        if (!status) status = evaluate_at_end(s, error);
        for (int k = 0; k < s->n;
             k++) /* components that reached a bound meanwhile: the next turn asks whether the bound holds them */
            s->held[k] = s->held[k] || s->x[k] <= s->low[k] || s->x[k] >= s->high[k];
        if (!status && info == 5) return carom_error_set(error, CAROM_FAILED, "no convergence after %d runs", s->runs);
    }
    return status;
}

bool least_squares_there(void) {
    return true;
}

carom_status least_squares_solve(least_squares *s, carom_error *error) {
    const size_t m = (size_t)s->m, n = (size_t)s->n;
    turn t = {.s = s, .error = error};
    int *numbers = calloc(2 * n + 1, sizeof *numbers);
    double *memory = calloc(2 * n + 2 * m + 2 * m * n + 6 * n + 2 * m + 1, sizeof *memory);
    carom_status status = numbers && memory ? CAROM_OK : carom_error_memory(error);
    t.free = numbers, t.theta = memory, t.r = memory + 2 * n, t.by = t.r + m;
    memset(s->held, 0, n * sizeof *s->held);
    s->runs = 0, s->refused[0] = 0;
    for (int k = 0; k < s->n && !status; k++) s->x[k] = clamp(s, k, s->x[k]);
    if (!status) status = solve(&t, memory + n, t.by + m * n, numbers + n, error);
    free(numbers);
    free(memory);
    return status;
}

#else

bool least_squares_there(void) {
    return false;
}

carom_status least_squares_solve(least_squares *s, carom_error *error) {
    (void)s;
    return carom_error_set(error, CAROM_FAILED, "carom was built without MINPACK (scripts/deps, then scripts/build)");
}

#endif
