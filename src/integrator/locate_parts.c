/* Parts of a model that do not touch each other within a step take it on their own (docs/theory/events.md, (V46)):
 * those in which nothing happens as one, those with events each by a scheme of its own. */
#include "integrator/locate_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/locate_inside.h"
#include "integrator/locate_merge.h"
#include "integrator/trail.h"
#include "linalg/sets.h"
#include "model/found/finder.h"

enum { MOST_TRIES = 8 };

struct locate_parts {
    part_room room;
    merger merger;
    int *mover;                /* [nq] a velocity that moves a coordinate; -1: none */
    int *tied;                 /* [nu] forest of velocities that depend on each other whatever contacts do */
    int *island;               /* [nu] the same at present */
    bool *velocity;            /* [nu], */
    bool *coordinate;          /* [nq] those of the part that is made */
    bool *busy;                /* [nu] of the first velocity of an island: it takes the step on its own */
    bool *contact, *switched;  /* those whose states may end; contacts that join bodies */
    bool *joins, *joins_sides; /* [contacts], [switches] those that hold islands together */
    island_step *at;           /* the islands that take the step on their own */
    int count, reserved;
    bool exhausted;         /* out of memory */
    carom_range *q, *c, *a; /* where the whole model goes in the step */
    double *memory;
    int *numbers;
    bool *flags;
};

/* ---------------------------------------------------------------- what depends on what */

static void tie_rows(int *of, const carom_pattern *p, int first, int last) {
    for (int row = first; row < last; row++)
        for (int e = p->start[row]; e < p->start[row + 1]; e++) sets_join(of, p->index[e], p->index[p->start[row]]);
}

/* Velocities whose rows depend on velocities. */
static void tie_velocities(int *of, const carom_pattern *p) {
    for (int row = 0; p->start && row < p->rows; row++)
        for (int e = p->start[row]; e < p->start[row + 1]; e++) sets_join(of, p->index[e], row);
}

/* Velocities whose rows depend on coordinates. */
static void tie_coordinates(const locate_parts *x, const carom_pattern *p) {
    for (int row = 0; p->start && row < p->rows; row++)
        for (int e = p->start[row]; e < p->start[row + 1]; e++)
            if (x->mover[p->index[e]] >= 0) sets_join(x->tied, x->mover[p->index[e]], row);
}

/* What moves a coordinate, and coordinates whose rates depend on each other. */
static void tie_kinematics(locate_parts *x, const carom_model *m) {
    const carom_pattern *B = &m->def.B, *of = &m->def.q_dot_q;
    for (int i = 0; i < m->def.nq; i++)
        x->mover[i] = m->trivial ? i : B->start[i] < B->start[i + 1] ? B->index[B->start[i]] : -1;
    if (m->trivial) return;
    tie_rows(x->tied, B, 0, B->rows);
    for (int i = 0; of->start && i < of->rows; i++)
        for (int e = of->start[i]; e < of->start[i + 1]; e++)
            if (x->mover[i] >= 0 && x->mover[of->index[e]] >= 0)
                sets_join(x->tied, x->mover[i], x->mover[of->index[e]]);
}

/* Borders see whole bodies, even those whose velocities know nothing of each other. */
static void tie_bodies(int *of, const finder *f) {
    for (int i = 0; f && i < f->bodies; i++)
        for (int k = 1; k < f->body[i].form.nu; k++) sets_join(of, f->body[i].u + k, f->body[i].u);
}

static void tie(locate_parts *x, const carom_model *m) {
    const carom_model_def *d = &m->def;
    sets_start(x->tied, d->nu);
    tie_kinematics(x, m);
    tie_bodies(x->tied, m->finder);
    tie_velocities(x->tied, &d->M), tie_velocities(x->tied, &d->h_u), tie_velocities(x->tied, &d->b_u);
    tie_coordinates(x, &d->Mv_q), tie_coordinates(x, &d->h_q), tie_coordinates(x, &d->p_q), tie_coordinates(x, &d->b_q);
    tie_rows(x->tied, &d->WT, 0, m->N);
}

/* ---------------------------------------------------------------- islands */

static int velocity_of_contact(const carom_model *m, int k) {
    const carom_pattern *WT = &m->def.WT;
    return WT->start[m->N + k] < WT->start[m->N + k + 1] ? WT->index[WT->start[m->N + k]] : -1;
}

static int mover_of_switch(const locate_parts *x, const carom_model *m, int j, int side) {
    const int q = m->switch_on[2 * j + side];
    return q < 0 ? -1 : x->mover[q];
}

/* All velocities in a row of s into the island of one of them. */
static void join_row(int *of, const carom_pattern *WT, int row, int velocity) {
    for (int e = WT->start[row]; e < WT->start[row + 1]; e++) sets_join(of, WT->index[e], velocity);
}

static void join_contact(int *of, const carom_model *m, int k) {
    const int velocity = velocity_of_contact(m, k);
    if (velocity < 0) return;
    join_row(of, &m->def.WT, m->N + k, velocity);
    for (int i = m->F + m->slip[k]; i < m->F + m->slip[k + 1]; i++) join_row(of, &m->def.WT, i, velocity);
}

static void join_islands(locate_parts *x, const carom_model *m) {
    memcpy(x->island, x->tied, (size_t)m->def.nu * sizeof *x->island);
    for (int k = 0; k < m->def.contacts; k++)
        if (x->joins[k]) join_contact(x->island, m, k);
    for (int j = 0; j < m->def.switches; j++) {
        const int a = mover_of_switch(x, m, j, 0), b = mover_of_switch(x, m, j, 1);
        if (x->joins_sides[j] && a >= 0 && b >= 0) sets_join(x->island, a, b);
    }
}

static bool are_several(locate_parts *x, const carom_model *m) {
    bool any = false;
    for (int i = 1; i < m->def.nu && !any; i++) any = set_of(x->island, i) != set_of(x->island, 0);
    return any;
}

static bool leaves(locate_parts *x, const carom_pattern *WT, int row, int velocity) {
    bool any = false;
    for (int e = WT->start[row]; e < WT->start[row + 1] && !any; e++)
        any = set_of(x->island, WT->index[e]) != set_of(x->island, velocity);
    return any;
}

/* Does the contact hold bodies of two islands apart? */
static bool is_between(locate_parts *x, const carom_model *m, int k) {
    const int velocity = velocity_of_contact(m, k);
    bool any = velocity >= 0 && leaves(x, &m->def.WT, m->N + k, velocity);
    for (int i = m->F + m->slip[k]; i < m->F + m->slip[k + 1] && velocity >= 0 && !any; i++)
        any = leaves(x, &m->def.WT, i, velocity);
    return any;
}

static bool is_side_between(locate_parts *x, const carom_model *m, int j) {
    const int a = mover_of_switch(x, m, j, 0), b = mover_of_switch(x, m, j, 1);
    return a >= 0 && b >= 0 && set_of(x->island, a) != set_of(x->island, b);
}

/* ---------------------------------------------------------------- which islands are busy */

/* Contacts that are closed, or that may close in the step at twice the speed at which they approach. */
static void find_joining(locate *l, locate_parts *x) {
    const carom_model *m = l->m;
    const carom_model_def *d = &m->def;
    memset(x->joins_sides, 0, (size_t)d->switches * sizeof *x->joins_sides);
    if (m->nc && d->position(d->context, l->at.x.t, l->at.x.q, l->c, NULL))
        for (int i = 0; i < m->nc; i++) l->c[i] = 0;
    for (int k = 0; k < d->contacts; k++)
        x->joins[k] = l->at.x.contact[k] != CAROM_OPEN || l->c[d->ng + k] <= -2 * l->now.dt * l->at.s[m->N + k];
}

static void add_suspects(const locate *l, locate_parts *x) {
    for (int k = 0; k < l->m->def.contacts; k++) x->joins[k] = x->joins[k] || x->contact[k];
    for (int j = 0; j < l->m->def.switches; j++) x->joins_sides[j] = x->joins_sides[j] || x->switched[j];
}

/* The islands of what may end; whole: the step has been tried with the present states, else all islands are busy. */
static void find_busy(locate *l, locate_parts *x, bool whole) {
    const carom_model *m = l->m;
    for (int i = 0; i < m->def.nu; i++) x->busy[i] = !whole;
    for (int k = 0; k < m->def.contacts && whole; k++)
        if (x->contact[k] && velocity_of_contact(m, k) >= 0)
            x->busy[set_of(x->island, velocity_of_contact(m, k))] = true;
    for (int j = 0; j < m->def.switches && whole; j++)
        for (int side = 0; side < 2; side++)
            if (x->switched[j] && mover_of_switch(x, m, j, side) >= 0)
                x->busy[set_of(x->island, mover_of_switch(x, m, j, side))] = true;
}

/* ---------------------------------------------------------------- islands on their own */

static void forget_islands(locate_parts *x) {
    for (int i = 0; i < x->count; i++) island_destroy(&x->at[i]);
    x->count = 0;
}

/* The island of a velocity. False: out of memory, or the scheme refuses. */
static bool make_island(locate *l, locate_parts *x, int of, island_step *i) {
    const carom_model_def *d = &l->m->def;
    for (int k = 0; k < d->nu; k++) x->velocity[k] = set_of(x->island, k) == of;
    for (int k = 0; k < d->nq; k++) x->coordinate[k] = x->mover[k] >= 0 && x->velocity[x->mover[k]];
    return island_create(i, l, &x->room, x->velocity, x->coordinate);
}

static bool reserve(locate_parts *x) {
    if (x->count < x->reserved) return true;
    island_step *more = realloc(x->at, 2 * ((size_t)x->reserved + 1) * sizeof *more);
    if (more) x->at = more, x->reserved = 2 * (x->reserved + 1);
    return more != NULL;
}

/* All islands that are busy. False: one of them cannot take the step. */
static bool take_islands(locate *l, locate_parts *x, double end, const step_report *report) {
    const int nu = l->m->def.nu;
    bool ok = true;
    x->exhausted = false;
    part_room_place(&x->room, l->at.x.q, l->at.x.u, l->at.side);
    for (int i = 0; i < nu && ok; i++) {
        if (set_of(x->island, i) != i || !x->busy[i]) continue;
        x->exhausted = !reserve(x);
        if (x->exhausted) return false;
        island_step *taken = &x->at[x->count++];
        ok = make_island(l, x, i, taken) && island_take(taken, l, end, report);
        x->exhausted = taken->report.exhausted;
    }
    hold_sides(l, l->at.side);
    return ok;
}

/* ---------------------------------------------------------------- what is between islands */

static carom_range hull(double a, double b) {
    return (carom_range){fmin(a, b), fmax(a, b)};
}

/* Where an island has been: what it looked at, and both ends; where it captured events nobody looked, and it may have
 * gone as far again to both sides. */
static void enclose_island(const island_step *i, carom_range *q) {
    const model_part *p = i->part;
    const carom_range *seen = i->log->trail->seen;
    for (int k = 0; k < p->q.count; k++) {
        carom_range x = hull(i->now.q[k], i->next.q[k]);
        const double more = seen && !i->report.captured ? 0 : x.most - x.least;
        x = (carom_range){x.least - more, x.most + more};
        if (seen) x = (carom_range){fmin(x.least, seen[k].least), fmax(x.most, seen[k].most)};
        q[p->q.at[k]] = x;
    }
}

/* Where everything has been in the step. */
static void enclose_all(locate *l, locate_parts *x, bool whole) {
    for (int i = 0; i < l->m->def.nq; i++) x->q[i] = (carom_range){l->at.x.q[i], l->at.x.q[i]};
    if (whole) watch_range(&l->watcher, &l->attempt, x->q);
    for (int i = 0; i < x->count; i++) enclose_island(&x->at[i], x->q);
    if (l->m->maker && l->m->maker->visit) l->m->maker->visit(l->m, x->q);
}

static bool is_any_between(locate_parts *x, const carom_model *m) {
    bool any = false;
    for (int k = 0; k < m->def.contacts && !any; k++) any = is_between(x, m, k);
    for (int j = 0; j < m->def.switches && !any; j++) any = is_side_between(x, m, j);
    return any;
}

/* Contacts and borders between islands stay open and on their sides, (V47); otherwise they join these islands. */
static bool stay_apart(locate *l, locate_parts *x, double end, bool whole) {
    const carom_model *m = l->m;
    const carom_model_def *d = &m->def;
    const carom_range t[2] = {{l->at.x.t, end}, {1, 1}};
    bool apart = true;
    enclose_all(l, x, whole);
    if (!is_any_between(x, m)) return true;
    if (d->ranges(d->context, t, x->q, NULL, NULL, NULL, x->c, NULL, d->switches ? x->a : NULL, NULL)) return false;
    for (int k = 0; k < d->contacts; k++)
        if (is_between(x, m, k) && !(x->c[d->ng + k].least > 0)) x->joins[k] = true, apart = false;
    for (int j = 0; j < d->switches; j++) {
        const carom_range a = x->a[j];
        if (is_side_between(x, m, j) && !(l->at.side[j] > 0 ? a.least > 0 : a.most < 0))
            x->joins_sides[j] = true, apart = false;
    }
    return apart;
}

/* ---------------------------------------------------------------- the end of the step */

/* The islands at the end of the step, as one state again. */
static bool join(locate *l, locate_parts *x, double end, bool whole, step_report *report) {
    const bool told = merger_tell(&x->merger, l, x->at, x->count, whole ? &l->attempt : NULL, end);
    if (whole) go_on(l);
    l->at.x.t = end;
    l->now.penalty /= 2;
    memset(l->at.held, 0, (size_t)l->m->def.contacts * sizeof *l->at.held);
    for (int k = 0; k < l->m->def.contacts; k++)
        l->mode[k] = mode_number((contact_mode){.hold = whole ? l->now.hold : AT_ZERO});
    for (int i = 0; i < x->count; i++) island_join(&x->at[i], l, report);
    scales_move(&l->scales, &l->at.x);
    hold_sides(l, l->at.side);
    l->now.parted = true;
    return told || event_log_no_room(report);
}

/* ---------------------------------------------------------------- the step */

/* An island that is held in another way, or whose slip is young, takes another step on its own, (V48). */
static bool remembers_other(const locate *l, int k) {
    const contact_mode x = mode_of(l->mode[k]);
    return (x.state != CAROM_OPEN || l->m->N > 0) && (x.hold != l->now.hold || x.young);
}

static bool is_any_young(const locate *l) {
    bool any = false;
    for (int k = 0; k < l->m->def.contacts; k++) any = any || mode_of(l->mode[k]).young;
    return any;
}

/* Contacts and switches whose states may end in the trial step, or whose islands remember something of their own. */
static bool find_suspects(locate *l, locate_parts *x) {
    const carom_model_def *d = &l->m->def;
    bool any = false;
    watch_suspects(&l->watcher, &l->attempt, x->contact, x->switched);
    for (int k = 0; k < d->contacts; k++) {
        x->contact[k] = x->contact[k] || nears_rest(l, k) || is_too_far(l, k) || remembers_other(l, k);
        any = any || x->contact[k];
    }
    for (int j = 0; j < d->switches; j++) any = any || x->switched[j];
    return any;
}

static bool try_whole(locate *l, double left, step_report *report) {
    l->now.young = false;
    return l->now.hold != BY_LAWS && try_step(l, left, report) && l->now.hold != BY_LAWS;
}

division step_in_parts(locate *l, double end, bool tried, step_report *report) {
    locate_parts *x = l->parts;
    const carom_model *m = l->m;
    const double left = end - l->at.x.t;
    const bool long_enough = tried && left - l->attempt.h <= least_step(l);
    const bool young = is_any_young(l);
    bool whole = long_enough && l->now.hold != BY_LAWS && !young;
    if (whole && !find_suspects(l, x)) return QUIET;
    find_joining(l, x);
    join_islands(x, m);
    if (!are_several(x, m)) return WHOLE;
    if (!whole && (whole = try_whole(l, left, report))) find_suspects(l, x);
    if (whole) add_suspects(l, x);
    for (int i = 0; i < MOST_TRIES; i++) {
        join_islands(x, m);
        if (!are_several(x, m)) break;
        find_busy(l, x, whole);
        const bool taken = take_islands(l, x, end, report), apart = taken && stay_apart(l, x, end, whole);
        const bool joined = apart && join(l, x, end, whole, report);
        forget_islands(x);
        if (x->exhausted) return event_log_no_room(report), FAILED;
        if (apart) return joined ? TAKEN : FAILED;
        if (!taken) break;
    }
    l->now.young = young;
    return UNTAKEN;
}

/* ---------------------------------------------------------------- setup */

bool locate_parts_create(locate_parts **parts, const locate *l) {
    const carom_model *m = l->m;
    const carom_model_def *d = &m->def;
    if (!part_applies(m) || !locate_certifies(l) || d->nu == 0) return true;
    locate_parts *x = *parts = calloc(1, sizeof *x);
    if (!x) return false;
    x->numbers = calloc((size_t)(d->nq + 2 * d->nu) + 1, sizeof *x->numbers);
    x->flags = calloc((size_t)(d->nq + 2 * d->nu + 2 * d->contacts + 2 * d->switches) + 1, sizeof *x->flags);
    x->q = calloc((size_t)(d->nq + m->nc + d->switches) + 1, sizeof *x->q);
    if (!part_room_create(&x->room, m) || !merger_create(&x->merger, l) || !x->numbers || !x->flags || !x->q)
        return false;
    x->mover = x->numbers, x->tied = x->mover + d->nq, x->island = x->tied + d->nu;
    x->velocity = x->flags, x->busy = x->velocity + d->nu, x->coordinate = x->busy + d->nu;
    x->contact = x->coordinate + d->nq, x->joins = x->contact + d->contacts;
    x->switched = x->joins + d->contacts, x->joins_sides = x->switched + d->switches;
    x->c = x->q + d->nq, x->a = x->c + m->nc;
    tie(x, m);
    memcpy(x->island, x->tied, (size_t)d->nu * sizeof *x->island);
    if (are_several(x, m)) return true;
    locate_parts_destroy(x);
    *parts = NULL;
    return true;
}

void locate_parts_destroy(locate_parts *x) {
    if (!x) return;
    forget_islands(x);
    merger_destroy(&x->merger);
    part_room_destroy(&x->room);
    free(x->at), free(x->numbers), free(x->flags), free(x->q);
    free(x);
}
