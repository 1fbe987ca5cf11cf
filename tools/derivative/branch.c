#include "derivative/branch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "derivative/corner.h"
#include "derivative/doubled.h"
#include "derivative/phase.h"
#include "derivative/place.h"
#include "derivative/station.h"
#include "error.h"

typedef struct walk {
    const branch_question *q;
    period_map map;
    corrector c;
    branch_list *found;
    int branch;
    double longest; /* step */
    double phase;   /* at which orbits are shown */
    double origin;  /* value at which a branch of twice the period began; NaN: it is the first branch */
    bool back;      /* the branch has come back there */
    doubled *seed;  /* [seeds] where branches of twice the period begin */
    int seeds, depth;
} walk;

const char *branch_kind_name(branch_kind kind) {
    static const char *const name[BRANCH_KINDS] = {
        "", "fold", "flip", "Neimark-Sacker", "crossing", "graze", "stick", "event order", "end"};
    return name[kind];
}

/* ---------------------------------------------------------------- what is kept */

static void rotate_left(double *x, int n, int by) {
    for (int step = 0; step < by; step++) {
        const double head = x[0];
        memmove(x, x + 1, (size_t)(n - 1) * sizeof *x);
        x[n - 1] = head;
    }
}

/* A motion of several periods may be listed from any of its visits. Begin with the visit that lies nearest to the first
 * visit of the point before. */
static void turn_visits(const walk *w, branch_point *p) {
    const int size = w->map.size, repeats = w->map.repeats;
    const branch_point *last = p > w->found->point && p[-1].branch == p->branch ? p - 1 : NULL;
    double *visit = p->orbit.visit, nearest = INFINITY;
    int first = 0;
    for (int turn = 0; turn < repeats && last; turn++) {
        double off = 0;
        for (int i = 0; i < repeats * size; i++)
            off += fabs(visit[(turn * size + i) % (repeats * size)] - last->orbit.visit[i]);
        if (off < nearest) nearest = off, first = turn;
    }
    for (; first > 0; first--) rotate_left(visit, repeats * size, size);
}

static carom_status keep_point(walk *w, const station *s, branch_kind kind, const char *note, carom_error *error) {
    branch_list *l = w->found;
    if (l->count == l->room) {
        const int room = 2 * l->room + 64;
        branch_point *more = realloc(l->point, (size_t)room * sizeof *more);
        if (!more) return carom_error_memory(error);
        l->point = more, l->room = room;
    }
    branch_point *p = &l->point[l->count];
    *p = (branch_point){.branch = w->branch, .kind = kind};
    snprintf(p->note, sizeof p->note, "%s", note);
    if (!orbit_copy(&s->orbit, w->map.d, &p->orbit)) return carom_error_memory(error);
    l->count++;
    if (w->map.phase == w->phase || !w->map.period) return CAROM_OK;
    carom_status status = phase_visits(&w->map, &s->x, w->phase, p->orbit.visit, error);
    turn_visits(w, p);
    memcpy(p->orbit.q, p->orbit.visit, (size_t)w->map.size * sizeof *p->orbit.q);
    p->orbit.t = w->map.d->t0 + w->phase * p->orbit.period / w->map.repeats;
    return status;
}

static carom_status keep_flip(walk *w, station *s, carom_error *error) {
    if (w->depth >= w->q->doublings) return CAROM_OK;
    carom_status status = period_follow(&w->map, &s->x, error); /* the map may have followed another point since */
    if (status) return status;
    doubled *more = realloc(w->seed, (size_t)(w->seeds + 1) * sizeof *more);
    if (!more) return carom_error_memory(error);
    w->seed = more;
    status = doubled_create(&w->map, &s->x, w->depth + 1, &w->seed[w->seeds], error);
    if (!status) w->seeds++;
    return status;
}

/* ---------------------------------------------------------------- where something happens, (SE17) */

static bool changes(const station *a, const station *b, watched what) {
    return a->watch[what] * b->watch[what] < 0;
}

/* At the flip where it began a branch of twice the period meets itself, shifted by half of its period. */
static bool is_origin(const walk *w, double value) {
    return fabs(value - w->origin) <= 1e-5 * fabs(w->q->to - w->q->from);
}

static carom_status keep_zeros(walk *w, const station *from, const station *low, const station *high,
                               carom_error *error) {
    static const branch_kind kind[WATCHED] = {BRANCH_CROSSING, BRANCH_FOLD, BRANCH_FLIP, BRANCH_TORUS};
    carom_status status = CAROM_OK;
    for (int i = 0; i < WATCHED && !status; i++) {
        station at = {0};
        if (!changes(low, high, i) || (i == WATCHED_FOLD && changes(low, high, WATCHED_CROSSING))) continue;
        status = place_root(&w->c, from, low, high, i, &at, error);
        if (status == CAROM_FAILED) status = CAROM_OK;
        else if (!status && i == WATCHED_FLIP) status = keep_flip(w, &at, error);
        else if (!status && i == WATCHED_CROSSING) w->back = is_origin(w, at.x.value);
        if (!status && at.x.x) status = keep_point(w, &at, kind[i], "", error);
        station_free(&at);
    }
    return status;
}

/* The value of the parameter at which the speed of the strike is zero, by a secant with an earlier point; NaN: there is
 * no such point. */
static double value_at_rest(const walk *w, const station *s) {
    for (int i = w->found->count - 1; i >= 0 && w->found->point[i].branch == w->branch; i--) {
        const orbit_answer *earlier = &w->found->point[i].orbit;
        if (isfinite(earlier->slowest) && earlier->slowest > 1.5 * s->slowest)
            return s->x.value + s->slowest * (s->x.value - earlier->value) / (earlier->slowest - s->slowest);
    }
    return NAN;
}

/* Keeps the point where a strike comes or goes, as near to the graze as the branch can be followed. */
static carom_status keep_change(walk *w, const station *before, bool goes, branch_kind kind, const char *text,
                                carom_error *error) {
    const bool grazes = goes && kind == BRANCH_GRAZE;
    station nearer = {0};
    char note[400];
    carom_status status = grazes ? place_graze(&w->c, before, &nearer, error) : CAROM_OK;
    const station *at = nearer.x.x ? &nearer : before;
    const double value = grazes ? value_at_rest(w, at) : NAN;
    if (isnan(value)) snprintf(note, sizeof note, "%s", text);
    else snprintf(note, sizeof note, "%s, at %.12g where its speed is zero", text, value);
    if (!status) status = keep_point(w, at, kind, note, error);
    station_free(&nearer);
    return status;
}

static void turn_round(const walk *w, station *s) {
    for (int i = 0; i < w->map.shots * w->map.size; i++) s->tangent.x[i] = -s->tangent.x[i];
    s->tangent.T = -s->tangent.T, s->tangent.value = -s->tangent.value;
    s->watch[WATCHED_FOLD] = -s->watch[WATCHED_FOLD], s->watch[WATCHED_CROSSING] = -s->watch[WATCHED_CROSSING];
}

/* Where the events change, the branch may have a corner, and the direction before it says nothing of the one beyond: a
 * station there looks away from the last one before. */
static carom_status look_away(const walk *w, const station *before, station *beyond, carom_error *error) {
    orbit_point way = {.x = period_states(&w->map)};
    if (!way.x) return carom_error_memory(error);
    for (int i = 0; i < w->map.shots * w->map.size; i++) way.x[i] = beyond->x.x[i] - before->x.x[i];
    way.T = beyond->x.T - before->x.T, way.value = beyond->x.value - before->x.value;
    if (corrector_product(&w->c, &way, &beyond->tangent) < 0) turn_round(w, beyond);
    free(way.x);
    return CAROM_OK;
}

/* Keeps all points of interest between two stations. The second was reached from the first. */
static carom_status keep_changes(walk *w, const station *from, station *high, carom_error *error) {
    enum { MOST = 8 }; /* changes of order that are looked for in one step */
    const station *low = from;
    station held = {0};
    carom_status status = CAROM_OK;
    for (int i = 0; i < MOST && !status && !station_same_order(low, high); i++) {
        station last = {0}, first = {0};
        char text[160];
        status = place_change(&w->c, from, low, high->s, &last, &first, error);
        const station *before = last.x.x ? &last : low, *after = first.x.x ? &first : high;
        if (!status && before != low) status = keep_zeros(w, from, low, before, error);
        const branch_kind kind = station_compare(before, after, w->map.d, text, sizeof text);
        if (!status) status = keep_change(w, before, after->events < before->events, kind, text, error);
        if (!status && first.x.x) status = look_away(w, before, &first, error);
        if (!status) status = look_away(w, before, high, error);
        station_free(&last);
        station_free(&held);
        held = first;
        low = after == high ? high : &held;
    }
    if (!status && low != high) status = keep_zeros(w, from, low, high, error);
    station_free(&held);
    return status;
}

/* ---------------------------------------------------------------- along a branch, (SE16) */

static bool is_inside(const walk *w, double value) {
    return (value - w->q->from) * (value - w->q->to) <= 0;
}

/* Where the branch leaves the range between two stations, *next becomes the station at the end of the range. */
static carom_status arrive(walk *w, const station *from, station *next, bool *ends, carom_error *error) {
    *ends = !is_inside(w, next->x.value);
    if (!*ends) return CAROM_OK;
    const double way = w->q->to - w->q->from, limit = (next->x.value - w->q->to) * way > 0 ? w->q->to : w->q->from;
    station at = {0};
    carom_status status = station_at(&w->c, from, next, limit, &at, error);
    if (status) station_free(&at);
    else station_free(next), *next = at;
    return status == CAROM_FAILED ? CAROM_OK
                                  : status; /* if it cannot be reached, *next stays the point beyond the range */
}

/* A step of at most the length *s, shortened until it can be taken. */
static carom_status step(walk *w, const station *from, double *s, station *next, carom_error *error) {
    enum { QUICK = 3 };
    const double shortest = 1e-7 * w->longest;
    carom_status status = CAROM_FAILED;
    for (; status == CAROM_FAILED && *s > shortest; *s /= 2) {
        status = station_reach(&w->c, from, *s, next, error);
        if (status) station_free(next);
        else break;
    }
    if (!status && w->c.iterations <= QUICK) *s = fmin(1.5 * *s, w->longest);
    return status;
}

/* Moves the start of the period before it meets an event. If it cannot be moved, it stays where it is. */
static carom_status move_start(walk *w, station *now, carom_error *error) {
    const double advance = phase_advance(&w->map), phase = w->map.phase;
    if (advance == 0) return CAROM_OK;
    station moved = {0};
    carom_status status = station_copy(&w->map, now, &moved) ? CAROM_OK : carom_error_memory(error);
    if (!status) status = phase_move(&w->map, &moved.x, &moved.tangent, advance, error);
    if (!status) status = corrector_solve(&w->c, &moved.x, &moved.tangent, error);
    station at = {0};
    if (!status) status = station_read(&w->c, &moved.x, &moved.tangent, &at, error);
    if (status == CAROM_FAILED) {
        w->map.phase = phase;
        status = period_meet(&w->map, &now->x, error);
    } else if (!status) station_free(now), *now = at, at = (station){0};
    station_free(&at);
    station_free(&moved);
    return status;
}

/* Called when no solution was found beyond a step of length s. Keeps the last point that can be reached and what comes
 * or goes there. *next becomes the first point of the next part; it stays empty if the branch ends here. */
static carom_status pass_corner(walk *w, const station *now, double s, station *next, carom_error *error) {
    const carom_error why = *error;
    station last = {0}, first = {0}, beyond = {0};
    char text[160] = "", jump[200] = "", note[400];
    carom_status status = place_change(&w->c, now, now, s, &last, &first, error);
    const station *end = last.x.x ? &last : now;
    if (!status) status = station_foresee(&w->c, end, s, &beyond, error);
    const bool same = status || station_same_order(end, &beyond);
    branch_kind kind = same ? BRANCH_END : station_compare(end, &beyond, w->map.d, text, sizeof text);
    if (!status && !same) status = corner_turn(&w->c, end, &beyond, next, error);
    if (status == CAROM_FAILED && !same) status = corner_jump(&w->c, end, &beyond, jump, sizeof jump, error);
    if (status == CAROM_FAILED) status = CAROM_OK;
    if (same) snprintf(note, sizeof note, "%s", why.message);
    else if (jump[0]) kind = BRANCH_END, snprintf(note, sizeof note, "%s", jump);
    else
        snprintf(note, sizeof note, "%s, and %s", text,
                 next->x.x ? "the branch goes on in another direction" : "nothing was found beyond");
    if (!status) status = keep_change(w, end, beyond.events < end->events, kind, note, error);
    station_free(&last);
    station_free(&first);
    station_free(&beyond);
    return status;
}

/* Follows the branch from a station, which it frees, until the branch leaves the range or ends. */
static carom_status follow_branch(walk *w, station *now, carom_error *error) {
    const int most = w->q->points > 0 ? w->q->points : 500;
    double s = w->longest / 2;
    bool ends = false;
    carom_status status = keep_point(w, now, BRANCH_PLAIN, "", error);
    for (int i = 1; i < most && !status && !ends && !w->back; i++) {
        station next = {0};
        now->s = 0;
        status = step(w, now, &s, &next, error);
        const bool turns = status == CAROM_FAILED;
        if (turns) {
            status = pass_corner(w, now, 2 * s, &next, error);
            if (!next.x.x) break;
            s = next.s;
        }
        if (!status) status = arrive(w, now, &next, &ends, error);
        if (!status && !turns) status = keep_changes(w, now, &next, error);
        if (!status) status = keep_point(w, &next, BRANCH_PLAIN, "", error);
        station_free(now);
        *now = next;
        if (!status && !ends) status = move_start(w, now, error);
    }
    station_free(now);
    return status;
}

/* ---------------------------------------------------------------- where branches begin */

static void choose_units(walk *w, const orbit_point *x) {
    for (int i = 0; i < w->map.size; i++)
        if (w->map.most[i] > 0 && !w->map.drifts[i]) w->c.unit[i] = w->map.most[i];
    w->c.T_unit = x->T, w->c.value_unit = fabs(w->q->to - w->q->from);
}

/* The periodic motion to which the scene leads at the first value of the parameter. */
static carom_status begin(walk *w, station *first, carom_error *error) {
    orbit_point x = {.x = period_states(&w->map), .value = w->q->from}, border = {.x = period_states(&w->map)};
    carom_status status = x.x && border.x ? orbit_guess(&w->map, &x, error) : carom_error_memory(error);
    if (!status) status = corrector_solve(&w->c, &x, NULL, error);
    choose_units(w, &x);
    w->phase = w->map.phase;
    border.value = w->q->to - w->q->from;
    if (!status) status = station_read(&w->c, &x, &border, first, error);
    free(x.x);
    free(border.x);
    return status;
}

/* The first motion of twice the period, close to the motion that flips. */
static carom_status begin_doubled(walk *w, doubled *d, station *first, carom_error *error) {
    station flip = {.x = d->x, .tangent = d->direction};
    w->origin = d->x.value, w->back = false;
    w->map.start = d->start, w->map.phase = d->phase, w->depth = d->depth;
    carom_status status = period_divide(&w->map, d->shots, d->repeats, error);
    if (status) return status;
    const double size = sqrt(corrector_product(&w->c, &d->direction, &d->direction));
    for (int i = 0; i < d->shots * w->map.size; i++) d->direction.x[i] /= size;
    status = period_meet(&w->map, &flip.x, error);
    return status ? status : station_reach(&w->c, &flip, w->longest / 4, first, error);
}

static carom_status follow_seeds(walk *w, carom_error *error) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < w->seeds && !status; i++) {
        station first = {0};
        w->branch++;
        status = begin_doubled(w, &w->seed[i], &first, error);
        if (!status) status = follow_branch(w, &first, error);
        else if (status == CAROM_FAILED) w->branch--, status = CAROM_OK; /* none was found */
        station_free(&first);
    }
    return status;
}

carom_status branch_follow(const branch_question *q, branch_list *found, carom_error *error) {
    walk w = {.q = q, .found = found, .longest = q->step > 0 ? q->step : 0.02, .origin = NAN};
    station first = {0};
    *found = (branch_list){0};
    carom_status status = period_create(&w.map, &q->orbit, error);
    if (!status) status = corrector_create(&w.c, &w.map, error);
    if (!status) status = begin(&w, &first, error);
    w.c.most = 8;
    if (!status) status = follow_branch(&w, &first, error);
    if (!status) status = follow_seeds(&w, error);
    found->branches = w.branch + 1;
    station_free(&first);
    for (int i = 0; i < w.seeds; i++) free(w.seed[i].x.x), free(w.seed[i].direction.x);
    free(w.seed);
    corrector_destroy(&w.c);
    period_destroy(&w.map);
    return status;
}

void branch_free(branch_list *found) {
    for (int i = 0; i < found->count; i++) orbit_free(&found->point[i].orbit);
    free(found->point);
}
