#include "derivative/doubled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "derivative/elimination.h"
#include "error.h"

/* v with A v = -v, by inverse iteration. */
static bool find_turned(int n, double *A, int *pivot, double *v) {
    enum { TURNS = 3 };
    for (int i = 0; i < n; i++) A[i * n + i] += 1 + 1e-9;
    if (!elimination_factor(n, A, pivot, NULL)) return false;
    for (int i = 0; i < n; i++) v[i] = 1 + 0.1 * i;
    for (int turn = 0; turn < TURNS; turn++) {
        double size = 0;
        elimination_solve(n, A, pivot, v);
        for (int i = 0; i < n; i++) size = fmax(size, fabs(v[i]));
        for (int i = 0; i < n; i++) v[i] /= size;
    }
    return true;
}

/* Carries a deviation v of the first start, in coordinates of its basis, through all shots. One period later the
 * deviation has the opposite sign. */
static void spread(const period_map *p, double *v, double *next, double *direction) {
    const int n = p->size;
    for (int j = 0; j < p->shots; j++) {
        const shot *s = &p->shot[j], *then = &p->shot[(j + 1) % p->shots];
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int f = 0; f < s->free; f++) sum += v[f] * s->move[f * n + i];
            direction[j * n + i] = sum, direction[(p->shots + j) * n + i] = -sum;
        }
        for (int g = 0; g < then->free; g++) {
            next[g] = 0;
            for (int f = 0; f < s->free; f++)
                for (int i = 0; i < n; i++) next[g] += v[f] * then->B[g * n + i] * s->E[f * n + i];
        }
        memcpy(v, next, (size_t)then->free * sizeof *v);
    }
}

carom_status doubled_create(const period_map *p, const orbit_point *x, int depth, doubled *d, carom_error *error) {
    const size_t size = (size_t)(p->shots * p->size), n = (size_t)p->shot[0].free, room = (size_t)p->size;
    double *A = calloc(n * n + 2 * room + 1, sizeof *A), *v = A + n * n;
    int *pivot = calloc(n + 1, sizeof *pivot);
    *d = (doubled){.x = {calloc(2 * size + 1, sizeof(double)), 2 * x->T, x->value},
                   .direction = {.x = calloc(2 * size + 1, sizeof(double))},
                   .shots = 2 * p->shots,
                   .repeats = 2 * p->repeats,
                   .start = p->start,
                   .phase = p->phase,
                   .depth = depth};
    carom_status status =
        A && pivot && d->x.x && d->direction.x ? period_monodromy(p, A, error) : carom_error_memory(error);
    if (!status && !find_turned((int)n, A, pivot, v))
        status = carom_error_set(error, CAROM_FAILED, "the direction of the flip was not found");
    if (!status) {
        spread(p, v, v + room, d->direction.x);
        memcpy(d->x.x, x->x, size * sizeof *x->x);
        memcpy(d->x.x + size, x->x, size * sizeof *x->x);
    }
    free(A);
    free(pivot);
    if (status) free(d->x.x), free(d->direction.x), *d = (doubled){0};
    return status;
}
