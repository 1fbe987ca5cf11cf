#include "integrator/trail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t piece_size(const trail *x) {
    return 2 + (size_t)(x->dense->s + 2) * (size_t)x->nq + (size_t)x->dense->s * (size_t)x->nu;
}

bool trail_create(trail *x, const attempt *a) {
    *x = (trail){.dense = &a->dense, .nq = a->m->def.nq, .nu = a->m->def.nu};
    return (x->place = calloc((size_t)x->nq + 1, sizeof *x->place)) != NULL;
}

void trail_destroy(trail *x) {
    free(x->memory), free(x->place);
    *x = (trail){0};
}

void trail_begin(trail *x) {
    x->pieces = 0, x->seen = NULL;
}

void trail_see(trail *x, const carom_range *q) {
    for (int i = 0; i < x->nq; i++)
        x->place[i] =
            !x->seen ? q[i] : (carom_range){fmin(x->place[i].least, q[i].least), fmax(x->place[i].most, q[i].most)};
    x->seen = x->place;
}

/* Nodes on the straight line from start to end, and the rates along it. */
static void lay_straight(const trail *x, const attempt *a, double *position, double *velocity) {
    const dense *d = x->dense;
    const motion *p = &a->start.x, *n = &a->end.x;
    for (int j = 0; j < d->s + 2; j++)
        for (int i = 0; i < x->nq; i++) {
            const double way = n->q[i] - p->q[i];
            position[j * x->nq + i] = j < d->s ? p->q[i] + d->c[j] * way : way;
        }
    for (int j = 0; j < d->s; j++)
        for (int i = 0; i < x->nu; i++) velocity[j * x->nu + i] = p->u[i] + d->c[j] * (n->u[i] - p->u[i]);
}

bool trail_add(trail *x, const attempt *a, bool straight) {
    const size_t size = piece_size(x), wanted = ((size_t)x->pieces + 1) * size;
    if (wanted > x->room) {
        double *larger = realloc(x->memory, 2 * wanted * sizeof *larger);
        if (!larger) return false;
        x->memory = larger, x->room = 2 * wanted;
    }
    double *piece = x->memory + (size_t)x->pieces++ * size, *position = piece + 2,
           *velocity = position + (x->dense->s + 2) * x->nq;
    piece[0] = a->start.x.t, piece[1] = a->end.x.t - a->start.x.t;
    if (straight) return lay_straight(x, a, position, velocity), true;
    memcpy(position, a->position, (size_t)(x->dense->s + 2) * (size_t)x->nq * sizeof *position);
    memcpy(velocity, a->velocity, (size_t)x->dense->s * (size_t)x->nu * sizeof *velocity);
    return true;
}

static void combine(int n, const double *weights, const double *values, int size, double *sum) {
    for (int i = 0; i < size; i++) sum[i] = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < size; i++) sum[i] += weights[j] * values[j * size + i];
}

bool trail_at(const trail *x, double t, double *q, double *u, double *weights) {
    const size_t size = x->pieces ? piece_size(x) : 0;
    int k = x->pieces - 1;
    while (k > 0 && x->memory[(size_t)k * size] > t) k--;
    if (k < 0) return false;
    const double *piece = x->memory + (size_t)k * size, *position = piece + 2,
                 *velocity = position + (x->dense->s + 2) * x->nq;
    const double theta = piece[1] > 0 ? fmin(fmax((t - piece[0]) / piece[1], 0), 1) : 1;
    dense_with_rates(x->dense, theta, weights);
    combine(x->dense->s + 2, weights, position, x->nq, q);
    dense_plain(x->dense, theta, weights);
    combine(x->dense->s, weights, velocity, x->nu, u);
    return true;
}
