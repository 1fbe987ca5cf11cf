#include "derivative/corner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "error.h"

/* The next part consists of the zeros of the map with the events of that part, (SE62). Finds its direction. */
static carom_status find_direction(corrector *c, const station *last, station *beyond, orbit_point *direction,
                                   carom_error *error) {
    carom_status status = period_follow(c->map, &beyond->x, error);
    return status ? status : corrector_tangent(c, &last->tangent, direction, error);
}

static void reverse(const period_map *p, orbit_point *x) {
    for (int i = 0; i < p->shots * p->size; i++) x->x[i] = -x->x[i];
    x->T = -x->T, x->value = -x->value;
}

/* Near the corner the next part is nearly straight. How near, and in which sense it leaves, is not known: several
 * lengths are tried, in both senses. */
carom_status corner_turn(corrector *c, const station *last, station *beyond, station *next, carom_error *error) {
    enum { LENGTHS = 8 };
    orbit_point direction = {.x = period_states(c->map)};
    carom_status status = direction.x ? find_direction(c, last, beyond, &direction, error) : carom_error_memory(error);
    bool found = false;
    for (int i = 0; i < 2 * LENGTHS && !status && !found; i++, reverse(c->map, &direction)) {
        const station corner = {.x = last->x, .tangent = direction};
        carom_status tried = station_reach(c, &corner, 1e-6 * pow(4, i / 2), next, error);
        found = !tried && !station_same_order(last, next);
        if (!found) station_free(next);
        if (tried == CAROM_MEMORY) status = tried;
    }
    free(direction.x);
    if (status || found) return status;
    return carom_error_set(error, CAROM_FAILED, "nothing was found beyond");
}

/* ---------------------------------------------------------------- jumps */

/* The two events of the period that are next to each other, of different contacts. False: there are none. */
static bool nearest_events(const period_map *p, const orbit_event **a, const orbit_event **b) {
    double least = INFINITY;
    for (int i = 1; i < p->events; i++) {
        const orbit_event *x = &p->event[i - 1], *y = &p->event[i];
        if (x->contact == y->contact || !(y->part - x->part < least)) continue;
        least = y->part - x->part, *a = x, *b = y;
    }
    return isfinite(least);
}

/* The residual of a period as near to the corner as possible, on the side whose events are other ones. */
static carom_status residual_near(corrector *c, const station *last, const orbit_point *beyond, double *residual,
                                  carom_error *error) {
    enum { HALVINGS = 12 };
    double low = 0, high = 1;
    carom_status status = CAROM_OK;
    for (int i = 0; i < HALVINGS && !status; i++) {
        station middle = {0};
        const double part = (low + high) / 2;
        status = station_between(c, &last->x, beyond, part, &middle, error);
        const bool other = !status && !station_same_order(last, &middle);
        if (other) *residual = period_residual(c->map, &middle.x);
        *(other ? &high : &low) = part;
        station_free(&middle);
    }
    return status;
}

/* Compares the residual at the distance given and at a 64th of it: a zero of the map has become 64 times smaller, a
 * jump has kept its size. */
carom_status corner_jump(corrector *c, const station *last, const station *beyond, char *text, size_t size,
                         carom_error *error) {
    const carom_model_def *d = c->map->d;
    const orbit_event *a = NULL, *b = NULL;
    double far = INFINITY, near = 0;
    station there = {0};
    text[0] = 0;
    carom_status status = station_between(c, &last->x, &beyond->x, 1, &there, error);
    if (!status) near = far = period_residual(c->map, &there.x);
    station_free(&there);
    if (!status) status = residual_near(c, last, &beyond->x, &near, error);
    if (status || !(near > far / 8)) return status;
    status = station_between(c, &last->x, &beyond->x, 0, &there, error);
    station_free(&there);
    if (!status && nearest_events(c->map, &a, &b))
        snprintf(text, size, "'%.60s' and '%.60s' meet at one instant, and the motion jumps: no orbit is beyond",
                 d->contact[a->contact].name, d->contact[b->contact].name);
    return status;
}
