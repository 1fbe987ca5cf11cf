#include "derivative/directions.h"

#include <math.h>
#include <string.h>

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void add_multiple(int n, double factor, const double *from, double *to) {
    for (int i = 0; i < n; i++) to[i] += factor * from[i];
}

/* ---------------------------------------------------------------- columns of the simulation */

int directions_first(const period_map *p) {
    return p->parameter >= 0;
}

int directions_time(const period_map *p) {
    return directions_first(p) + p->size;
}

void directions_read(const period_map *p, int column, double *x) {
    memcpy(x, carom_sim_q_by(p->sim, column), (size_t)p->d->nq * sizeof *x);
    memcpy(x + p->d->nq, carom_sim_u_by(p->sim, column), (size_t)p->d->nu * sizeof *x);
}

/* A direction with zeros for the coordinates that advance freely. */
static void read_restricted(const period_map *p, int direction, double *x) {
    directions_read(p, directions_first(p) + direction, x);
    for (int i = 0; i < p->size; i++)
        if (p->drifts[i]) x[i] = 0;
}

/* ---------------------------------------------------------------- a basis of them, (SE14), (SE32) */

/* Among the remaining directions, the one with the largest part perpendicular to the basis so far; -1: none is left. */
static int longest(const period_map *p, const double *rest) {
    const int n = p->size;
    int best = -1;
    double most = 1e-6; /* of unit vectors */
    for (int k = 0; k < n; k++) {
        const double size = sqrt(dot(n, rest + k * n, rest + k * n));
        if (size > most * (1 + 1e-9)) most = size, best = k;
    }
    return best;
}

/* Adds one vector to the basis: makes it perpendicular to the others and of length one, and notes how in pick. */
static void extend(const period_map *p, shot *s, int direction, double *rest) {
    const int n = p->size;
    double *b = s->B + s->free * n, *how = p->pick + s->free * n;
    memset(how, 0, (size_t)n * sizeof *how);
    how[direction] = 1;
    read_restricted(p, direction, b);
    for (int turn = 0; turn < 2; turn++)
        for (int f = 0; f < s->free; f++) {
            const double part = dot(n, b, s->B + f * n);
            add_multiple(n, -part, s->B + f * n, b);
            add_multiple(n, -part, p->pick + f * n, how);
        }
    const double size = sqrt(dot(n, b, b));
    for (int i = 0; i < n; i++) b[i] /= size, how[i] /= size;
    for (int k = 0; k < n; k++) add_multiple(n, -dot(n, rest + k * n, b), b, rest + k * n);
    s->free++;
}

void directions_combine(const period_map *p, const shot *s, double *room, double *to) {
    const int n = p->size;
    memset(to, 0, (size_t)(n * s->free) * sizeof *to);
    for (int k = 0; k < n; k++) {
        directions_read(p, directions_first(p) + k, room);
        for (int f = 0; f < s->free; f++) add_multiple(n, p->pick[f * n + k], room, to + f * n);
    }
}

/* s->E holds the remaining directions meanwhile: it is filled with the ends of the shot only later. */
void directions_find(const period_map *p, shot *s) {
    s->free = 0;
    for (int k = 0; k < p->size; k++) read_restricted(p, k, s->E + k * p->size);
    for (int best = longest(p, s->E); best >= 0 && s->free < p->size; best = longest(p, s->E)) extend(p, s, best, s->E);
    directions_combine(p, s, s->gap, s->move);
}
