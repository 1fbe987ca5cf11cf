#include "derivative/station.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

/* ---------------------------------------------------------------- numbers that are watched */

/* The product of 1 + m over all multipliers, which is real. */
static double watch_flip(const orbit_answer *a) {
    double complex product = 1;
    for (int i = 0; i < a->count; i++) product *= 1 + a->multiplier[i];
    return creal(product);
}

/* The distance of a complex pair from the unit circle, of the pair that is nearest to it. */
static double watch_torus(const orbit_answer *a) {
    double nearest = NAN;
    for (int i = 0; i < a->count; i++) {
        const double beyond = cabs(a->multiplier[i]) - 1;
        if (fabs(cimag(a->multiplier[i])) > 1e-6 && !(fabs(beyond) >= fabs(nearest))) nearest = beyond;
    }
    return nearest;
}

/* ---------------------------------------------------------------- the order of events */

/* How many bounces a body makes before it rests changes along a branch without meaning. So of more than FEW equal
 * events in a row only FEW are kept. */
static int read_order(const period_map *p, int *order) {
    enum { FEW = 6 };
    int count = 0, alike = 0;
    for (int i = 0; i < p->events; i++) {
        const int code = p->event[i].contact * CAROM_EVENT_KINDS + (int)p->event[i].kind;
        alike = count && order[count - 1] == code ? alike + 1 : 0;
        if (alike < FEW) order[count++] = code;
    }
    return count;
}

/* Whether the sequence of events that begins at a precedes the one that begins at b, in the order of dictionaries. */
static bool comes_before(const int *order, int count, int a, int b) {
    for (int i = 0; i < count; i++) {
        const int x = order[(a + i) % count], y = order[(b + i) % count];
        if (x != y) return x < y;
    }
    return false;
}

/* A period may begin anywhere. Of all rotations of its sequence of events, take the first one in the order of
 * dictionaries. */
static bool keep_order(const period_map *p, station *s) {
    int *order = calloc(2 * (size_t)p->events + 1, sizeof *order), first = 0;
    if (!order) return false;
    s->order = order;
    s->events = read_order(p, order + p->events);
    for (int i = 1; i < s->events; i++)
        if (comes_before(order + p->events, s->events, i, first)) first = i;
    for (int i = 0; i < s->events; i++) order[i] = order[p->events + (first + i) % s->events];
    s->slowest = period_slowest(p);
    return true;
}

bool station_same_order(const station *a, const station *b) {
    return a->events == b->events && !memcmp(a->order, b->order, (size_t)a->events * sizeof *a->order);
}

static int count_of(const station *s, int code) {
    int count = 0;
    for (int i = 0; i < s->events; i++) count += s->order[i] == code;
    return count;
}

branch_kind station_compare(const station *a, const station *b, const carom_model_def *d, char *text, size_t size) {
    static const carom_event_kind tried[] = {CAROM_BREAK, CAROM_STRIKE, CAROM_OPENING, CAROM_THUD, CAROM_STOP};
    for (int i = 0; i < CAROM_EVENT_KINDS; i++)
        for (int contact = 0; contact < d->contacts; contact++) {
            const int code = contact * CAROM_EVENT_KINDS + (int)tried[i];
            const int before = count_of(a, code), after = count_of(b, code);
            if (before == after) continue;
            snprintf(text, size, "%s of '%.80s' %s", carom_event_kind_name(tried[i]), d->contact[contact].name,
                     after > before ? "comes" : "goes");
            return tried[i] == CAROM_BREAK ? BRANCH_STICK : tried[i] == CAROM_STRIKE ? BRANCH_GRAZE : BRANCH_ORDER;
        }
    snprintf(text, size, "events change their order");
    return BRANCH_ORDER;
}

/* ---------------------------------------------------------------- stations */

void station_free(station *s) {
    free(s->x.x);
    free(s->tangent.x);
    free(s->order);
    orbit_free(&s->orbit);
    *s = (station){0};
}

static bool create(const period_map *p, station *s) {
    *s = (station){.x = {.x = period_states(p)}, .tangent = {.x = period_states(p)}};
    return s->x.x && s->tangent.x;
}

/* a + factor b */
static void combine(const period_map *p, const orbit_point *a, double factor, const orbit_point *b, orbit_point *to) {
    for (int i = 0; i < p->shots * p->size; i++) to->x[i] = a->x[i] + factor * b->x[i];
    to->T = a->T + factor * b->T, to->value = a->value + factor * b->value;
}

bool station_copy(const period_map *p, const station *from, station *to) {
    if (!create(p, to)) return false;
    combine(p, &from->x, 0, &from->x, &to->x);
    combine(p, &from->tangent, 0, &from->tangent, &to->tangent);
    return true;
}

static carom_status read_solved(corrector *c, const orbit_point *border, station *to, carom_error *error) {
    carom_status status = corrector_tangent(c, border, &to->tangent, error);
    if (!status) status = orbit_read(c, &to->x, &to->orbit, error);
    if (!status && !keep_order(c->map, to)) status = carom_error_memory(error);
    if (status) return status;
    to->watch[WATCHED_CROSSING] = c->determinant;
    to->watch[WATCHED_FOLD] = to->tangent.value;
    to->watch[WATCHED_FLIP] = watch_flip(&to->orbit);
    to->watch[WATCHED_TORUS] = watch_torus(&to->orbit);
    return CAROM_OK;
}

carom_status station_read(corrector *c, const orbit_point *x, const orbit_point *border, station *to,
                          carom_error *error) {
    if (!create(c->map, to)) return carom_error_memory(error);
    combine(c->map, x, 0, x, &to->x);
    return read_solved(c, border, to, error);
}

/* If the solution lies further from the expected place than the step is long, it belongs to another branch and is
 * refused. */
carom_status station_reach(corrector *c, const station *from, double s, station *to, carom_error *error) {
    const period_map *p = c->map;
    orbit_point off = {.x = period_states(p)};
    carom_status status = create(p, to) && off.x ? CAROM_OK : carom_error_memory(error);
    if (!status) {
        to->s = s;
        combine(p, &from->x, s, &from->tangent, &to->x);
        status = corrector_solve(c, &to->x, &from->tangent, error);
    }
    if (!status) {
        combine(p, &to->x, -1, &from->x, &off);
        combine(p, &off, -s, &from->tangent, &off);
        if (corrector_product(c, &off, &off) > s * s)
            status = carom_error_set(error, CAROM_FAILED, "the nearest orbit is not one of this branch");
    }
    free(off.x);
    return status ? status : read_solved(c, &from->tangent, to, error);
}

static carom_status read_events(corrector *c, station *to, carom_error *error) {
    carom_status status = period_follow(c->map, &to->x, error);
    return status || keep_order(c->map, to) ? status : carom_error_memory(error);
}

carom_status station_foresee(corrector *c, const station *from, double s, station *to, carom_error *error) {
    if (!create(c->map, to)) return carom_error_memory(error);
    combine(c->map, &from->x, s, &from->tangent, &to->x);
    return read_events(c, to, error);
}

carom_status station_between(corrector *c, const orbit_point *a, const orbit_point *b, double part, station *to,
                             carom_error *error) {
    if (!create(c->map, to)) return carom_error_memory(error);
    combine(c->map, b, -1, a, &to->x);
    combine(c->map, a, part, &to->x, &to->x);
    return read_events(c, to, error);
}

carom_status station_at(corrector *c, const station *a, const station *b, double value, station *to,
                        carom_error *error) {
    const period_map *p = c->map;
    const double part = (value - a->x.value) / (b->x.value - a->x.value);
    orbit_point way = {.x = period_states(p)};
    carom_status status = create(p, to) && way.x ? CAROM_OK : carom_error_memory(error);
    if (!status) {
        combine(p, &b->x, -1, &a->x, &way);
        combine(p, &a->x, part, &way, &to->x);
        to->x.value = value;
        status = corrector_solve(c, &to->x, NULL, error);
    }
    if (!status) status = read_solved(c, &a->tangent, to, error);
    if (!status) {
        combine(p, &to->x, -1, &a->x, &way);
        to->s = corrector_product(c, &way, &a->tangent);
    }
    free(way.x);
    return status;
}
