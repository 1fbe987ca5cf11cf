#include "linalg/complementarity.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ZERO, POSITIVE, DEPENDENT }; /* state of an unknown: held at zero, free, or made up for by free unknowns */

typedef struct sets {
    int n, count;
    const double *A, *b;
    double *L, *z, *state, *place; /* factor; solution on the free ones; of each; indices of the free ones */
} sets;

size_t complementarity_work(int n) {
    return (size_t)n * (size_t)n + 3 * (size_t)n;
}

static double entry(const sets *s, int i, int j) {
    return s->A[(size_t)s->place[i] * (size_t)s->n + (size_t)s->place[j]];
}

/* A z = -b on the free unknowns by Cholesky's method. False: singular there. */
static bool solve_free(sets *s) {
    const int n = s->count;
    double *L = s->L, *z = s->z;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = entry(s, i, j);
            for (int k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k];
            if (i == j && !(sum > 1e-12 * entry(s, i, i))) return false;
            L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
        }
        z[i] = -s->b[(int)s->place[i]];
        for (int k = 0; k < i; k++) z[i] -= L[i * n + k] * z[k];
        z[i] /= L[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) z[i] -= L[k * n + i] * z[k];
        z[i] /= L[i * n + i];
    }
    return true;
}

static void list_free(sets *s) {
    s->count = 0;
    for (int i = 0; i < s->n; i++)
        if (s->state[i] == POSITIVE) s->place[s->count++] = i;
}

/* The unknown at zero with the most negative row; -1: no row is negative beyond round-off. */
static int most_negative(const sets *s, const double *x) {
    int found = -1;
    double least = 0;
    for (int i = 0; i < s->n; i++) {
        double row = s->b[i], size = fabs(s->b[i]);
        for (int j = 0; j < s->n; j++) {
            double term = s->A[(size_t)i * (size_t)s->n + (size_t)j] * x[j];
            row += term, size += fabs(term);
        }
        if (s->state[i] == ZERO && row < least && row < -8 * DBL_EPSILON * size) least = row, found = i;
    }
    return found;
}

/* Moves from x towards z as far as x stays positive, and holds what reaches zero there. True: x has reached z. */
static bool approach(sets *s, double *x) {
    double part = 1;
    for (int i = 0; i < s->count; i++) {
        double from = x[(int)s->place[i]], to = s->z[i];
        if (to <= 0) part = fmin(part, from / (from - to));
    }
    for (int i = 0; i < s->count; i++) {
        int k = (int)s->place[i];
        bool gone = s->z[i] <= 0 && x[k] / (x[k] - s->z[i]) <= part;
        x[k] = gone ? 0 : x[k] + part * (s->z[i] - x[k]);
        if (gone) s->state[k] = ZERO;
    }
    return part == 1;
}

bool complementarity_solve(int n, const double *A, const double *b, double *x, double *work) {
    sets s = {.n = n, .A = A, .b = b, .L = work, .z = work + (size_t)n * (size_t)n};
    s.state = s.z + n, s.place = s.state + n;
    memset(x, 0, (size_t)n * sizeof *x);
    for (int i = 0; i < n; i++) s.state[i] = ZERO;
    for (int round = 0; round < 10 * n + 10; round++) {
        int enter = most_negative(&s, x);
        if (enter < 0) return true;
        s.state[enter] = POSITIVE;
        list_free(&s);
        if (!solve_free(&s)) {
            s.state[enter] = DEPENDENT;
            continue;
        }
        while (!approach(&s, x)) {
            list_free(&s);
            if (!solve_free(&s)) return false;
        }
        for (int i = 0; i < n; i++)
            if (s.state[i] == DEPENDENT && x[i] == 0) s.state[i] = ZERO;
    }
    return false;
}
