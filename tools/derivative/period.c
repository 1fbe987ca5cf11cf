#include "derivative/period.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "derivative/directions.h"
#include "derivative/shot.h"
#include "error.h"

double period_start(const period_map *p, double T, int index) {
    const double start = p->period ? p->d->t0 + p->phase * T / p->repeats : p->start;
    return start + T * index / p->shots;
}

/* ---------------------------------------------------------------- one shot */

static double product(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static void turn(double *quaternion) {
    for (int i = 0; i < 4; i++) quaternion[i] = -quaternion[i];
}

/* Quaternions p and -p are the same rotation: the end takes the sign of the state that it is compared with. */
static void align(const period_map *p, const double *next, shot *s) {
    for (int r = 0; r < p->d->rotations; r++) {
        const int at = p->d->rotation[r].q;
        if (product(next + at, s->end + at) >= 0) continue;
        double *const vectors[] = {s->end, s->by_value, s->by_time, s->flow[1]};
        for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) turn(vectors[i] + at);
        for (int f = 0; f < s->free; f++) turn(s->E + f * p->size + at);
    }
}

static void keep_least(carom_margin *to, const carom_margin *from) {
    if (from->least < to->least) *to = *from;
}

/* Zeroes the round-off in components that a contact holds at zero: a gap of that size would count as open. */
static void clear_dust(int n, double *x) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    for (int i = 0; i < n; i++)
        if (fabs(x[i]) <= 1e-14 * most) x[i] = 0;
}

carom_status period_meet(period_map *p, orbit_point *x, carom_error *error) {
    carom_status status = period_measure(p, x, error);
    for (int j = 0; j < p->shots && !status; j++) {
        double *q = x->x + j * p->size;
        clear_dust(p->d->nq, q);
        clear_dust(p->d->nu, q + p->d->nq);
        status = carom_sim_set_state(p->sim, period_start(p, x->T, j), q, q + p->d->nq, error);
        if (!status) shot_contacts(p, p->sim, &p->shot[j]);
    }
    return status;
}

/* (SE31) */
carom_status period_settle(const period_map *p, orbit_point *x, int j, carom_error *error) {
    double *q = x->x + j * p->size;
    carom_status status =
        carom_sim_nearest(p->sim, period_start(p, x->T, j), p->shot[j].contact, q, q + p->d->nq, error);
    clear_dust(p->d->nq, q);
    clear_dust(p->d->nu, q + p->d->nq);
    return status;
}

static carom_status follow_shot(period_map *p, orbit_point *x, int j, carom_error *error) {
    shot *s = &p->shot[j];
    const double *state = x->x + j * p->size, *next = x->x + (j + 1) % p->shots * p->size;
    carom_status status = period_settle(p, x, j, error);
    if (!status) status = shot_follow(p, state, period_start(p, x->T, j), period_start(p, x->T, j + 1), s, error);
    if (status) return status;
    align(p, next, s);
    const carom_margins m = carom_sim_margins(p->sim);
    keep_least(&p->margins.transversality, &m.transversality);
    keep_least(&p->margins.separation, &m.separation);
    keep_least(&p->margins.friction, &m.friction);
    if (s->free > 0) return CAROM_OK;
    return carom_error_set(error, CAROM_FAILED, "nothing moves freely at t = %g", period_start(p, x->T, j));
}

/* ---------------------------------------------------------------- the period */

/* A formula of parameters, with its derivative by the one that may change. */
static carom_status measure(const period_map *p, objective *o, double *value, double *by_value, carom_error *error) {
    double *by = calloc((size_t)directions_time(p) + 1, sizeof *by);
    carom_status status = by ? shot_formula(p, o, value, by, error) : carom_error_memory(error);
    if (!status) *by_value = p->parameter >= 0 ? by[0] : 0;
    free(by);
    return status;
}

carom_status period_measure(period_map *p, orbit_point *x, carom_error *error) {
    carom_status status = p->parameter >= 0 ? carom_sim_set_parameter(p->sim, p->parameter, x->value, error) : CAROM_OK;
    for (int i = 0; i < p->advances && !status; i++)
        status = measure(p, p->advance[i].formula, &p->advance[i].by, &p->advance[i].by_value, error);
    if (status || !p->period) return status;
    status = measure(p, p->period, &x->T, &p->T_by_value, error);
    if (!status && !(x->T > 0 && isfinite(x->T)))
        status = carom_error_set(error, CAROM_DATA, "the period '%s' is %g, and must be positive", p->q.period, x->T);
    x->T *= p->repeats, p->T_by_value *= p->repeats;
    return status;
}

static carom_status follow_shots(period_map *p, orbit_point *x, carom_error *error) {
    const carom_margin far = {.least = INFINITY, .contact = -1};
    carom_status status = period_measure(p, x, error);
    p->margins = (carom_margins){far, far, far};
    p->events = 0;
    memset(p->most, 0, (size_t)p->size * sizeof *p->most);
    for (int j = 0; j < p->shots && !status; j++) status = follow_shot(p, x, j, error);
    for (int i = 0; i < p->events; i++) p->event[i].part = (p->event[i].part - period_start(p, x->T, 0)) / x->T;
    return status;
}

/* If the model refuses a state or a value, then that candidate is no periodic motion. This is a failure of the search,
 * not of the input. */
carom_status period_follow(period_map *p, orbit_point *x, carom_error *error) {
    carom_status status = follow_shots(p, x, error);
    if (status != CAROM_DATA) return status;
    if (error) error->status = CAROM_FAILED;
    return CAROM_FAILED;
}

void period_advance(const period_map *p, int j, bool by_value, double *from) {
    if ((j + 1) % (p->shots / p->repeats) != 0) return;
    for (int i = 0; i < p->advances; i++)
        from[p->advance[i].coordinate] -= by_value ? p->advance[i].by_value : p->advance[i].by;
}

void period_gap(const period_map *p, const orbit_point *x, int j, double *gap) {
    const double *next = x->x + (j + 1) % p->shots * p->size;
    for (int i = 0; i < p->size; i++) gap[i] = p->drifts[i] ? 0 : p->shot[j].end[i] - next[i];
    period_advance(p, j, false, gap);
}

const double *period_flow(const period_map *p, int j) {
    const shot *s = &p->shot[j], *next = &p->shot[(j + 1) % p->shots];
    return !s->is_smooth[1] && next->is_smooth[0] ? next->flow[0] : s->flow[1];
}

double period_residual(const period_map *p, const orbit_point *x) {
    double most = p->section ? fabs(p->section_value) : 0;
    for (int j = 0; j < p->shots; j++) {
        double *gap = p->shot[j].gap;
        period_gap(p, x, j, gap);
        for (int i = 0; i < p->size; i++) most = fmax(most, fabs(gap[i]) / (1 + fabs(p->shot[j].end[i])));
    }
    return most;
}

double period_slowest(const period_map *p) {
    double least = INFINITY;
    for (int i = 0; i < p->events; i++)
        if (p->event[i].kind == CAROM_STRIKE) least = fmin(least, p->event[i].speed);
    return least;
}
