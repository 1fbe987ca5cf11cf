#include "derivative/phase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "derivative/shot.h"
#include "error.h"

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How far the start should move: to the middle of the longest stretch without events, over all shots at once. 0: the
 * present start is good enough. */
double phase_advance(const period_map *p) {
    const double whole = 1.0 / p->shots, enough = 0.05 * whole;
    double *at = p->period && p->events ? calloc((size_t)p->events + 1, sizeof *at) : NULL, longest = 0, middle = 0;
    if (!at) return 0;
    for (int i = 0; i < p->events; i++) at[i] = fmod(p->event[i].part, whole);
    qsort(at, (size_t)p->events, sizeof *at, by_value);
    const double nearest = fmin(at[0], whole - at[p->events - 1]);
    at[p->events] = at[0] + whole;
    for (int i = 0; i < p->events; i++)
        if (at[i + 1] - at[i] > longest) longest = at[i + 1] - at[i], middle = (at[i + 1] + at[i]) / 2;
    free(at);
    return nearest < enough && longest > 4 * nearest ? fmod(middle, whole) : 0;
}

/* A direction moves with the start that it belongs to, from one part of the period to another. Where the period changes
 * with the parameter, both instants move along, (SE15). */
static void carry(const period_map *p, const shot *s, double from, double to, double value, double *direction,
                  double *moved) {
    const int n = p->size;
    const double known = p->parameter >= 0 ? value : 0, T = value * p->T_by_value;
    for (int i = 0; i < n; i++) {
        moved[i] = known * s->by_value[i] + T * (from * s->by_time[i] + to * s->flow[1][i]);
        direction[i] -= known * s->start_value[i] + T * from * s->start_time[i];
    }
    for (int f = 0; f < s->free; f++) {
        double part = 0;
        for (int i = 0; i < n; i++) part += s->B[f * n + i] * direction[i];
        for (int i = 0; i < n; i++) moved[i] += part * s->E[f * n + i];
    }
    memcpy(direction, moved, (size_t)n * sizeof *moved);
}

carom_status phase_move(period_map *p, orbit_point *x, orbit_point *direction, double advance, carom_error *error) {
    carom_status status = CAROM_OK;
    for (int j = 0; j < p->shots && !status; j++) {
        const double start = period_start(p, x->T, j);
        double *state = x->x + j * p->size;
        status = shot_follow(p, state, start, start + advance * x->T, &p->shot[j], error);
        if (status) break;
        const double from = p->phase / p->repeats + (double)j / p->shots;
        carry(p, &p->shot[j], from, from + advance, direction->value, direction->x + j * p->size, p->shot[j].gap);
        memcpy(state, p->shot[j].end, (size_t)p->size * sizeof *state);
    }
    p->phase += advance * p->repeats;
    p->phase -= floor(p->phase);
    return status ? status : period_meet(p, x, error);
}

carom_status phase_visits(const period_map *p, const orbit_point *x, double phase, double *visit, carom_error *error) {
    const double later = phase - p->phase - floor(phase - p->phase), each = (double)p->shots / p->repeats;
    carom_status status = CAROM_OK;
    for (int v = 0; v < p->repeats && !status; v++) {
        const double part = (v + (p->period ? later : 0)) * each;
        const int j = (int)floor(part + 1e-12);
        const double start = period_start(p, x->T, j), end = period_start(p, x->T, 0) + part / p->shots * x->T;
        const double *state = x->x + j * p->size;
        memcpy(visit + v * p->size, state, (size_t)p->size * sizeof *visit);
        if (end - start > 1e-9 * x->T) status = shot_simulate(p, state, start, end, visit + v * p->size, error);
    }
    return status;
}
