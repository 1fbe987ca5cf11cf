/* How far bodies may move until pairs are listed again, and the pairs of solids that are near: (CF10) to (CF12). */
#include "search_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How far a body may move until pairs are listed again: a part of its size, so many steps at its speed but no more than
 * another part; in any case one step and a half (CF11). Pairs whose features last are looked at only then, and cost
 * little; the features of others are chosen anew in every step. */
typedef struct allowance {
    double least, most, steps;
} allowance;
static const allowance allowance_of_lasting = {0.05, 0.2, 15}, allowance_of_others = {0.01, 0.1, 10};
#define ONE_STEP 1.5
/* How far, as a part of their sizes, bodies at rest move until features are looked for again (CF30). */
#define STILL 1e-12

/* ---------------------------------------------------------------- how far bodies move */

static double speed_of(const search *s, int i, const double *u) {
    const finder_body *b = search_body(s, i);
    const double *v = u + b->u;
    const int axes = b->form.nu ? body_axes(&b->form) : 0;
    double square = 0, turn = 0;
    for (int k = 0; k < b->form.nu; k++)
        if (k < axes) square += v[k] * v[k];
        else turn += v[k] * v[k];
    return sqrt(square) + sqrt(turn) * s->arm[i];
}

static double square_of_farthest(carom_range r, double x) {
    const double far = fmax(fabs(r.most - x), fabs(r.least - x));
    return far * far;
}

/* No point of the body has moved farther from a state to any of a range of states of this body:
 * |r_1 - r_0| + 2 |p_1 - p_0| arm, p_1 or -p_1 (CF12). */
static double moved_within(const search *s, int i, const double *from, const carom_range *y) {
    const finder_body *b = search_body(s, i);
    const double *x = from + b->q;
    const int axes = b->form.nq ? body_axes(&b->form) : 0;
    double square = 0, same = 0, opposite = 0;
    for (int k = 0; k < axes; k++) square += square_of_farthest(y[k], x[k]);
    if (b->form.kind == BODY_PLANAR) same = opposite = square_of_farthest(y[2], x[2]) / 4;
    for (int k = 3; k < 7 && b->form.kind == BODY_SPATIAL; k++)
        same += square_of_farthest(y[k], x[k]), opposite += square_of_farthest(y[k], -x[k]);
    return sqrt(square) + 2 * sqrt(fmin(same, opposite)) * s->arm[i];
}

/* The same for one state. */
double search_moved(const search *s, int i, const double *from, const double *to) {
    const finder_body *b = search_body(s, i);
    const double *x = from + b->q, *y = to + b->q;
    const int axes = b->form.nq ? body_axes(&b->form) : 0;
    double square = 0, same = 0, opposite = 0;
    for (int k = 0; k < axes; k++) square += (y[k] - x[k]) * (y[k] - x[k]);
    if (b->form.kind == BODY_PLANAR) same = opposite = (y[2] - x[2]) * (y[2] - x[2]) / 4;
    for (int k = 3; k < 7 && b->form.kind == BODY_SPATIAL; k++)
        same += (y[k] - x[k]) * (y[k] - x[k]), opposite += (y[k] + x[k]) * (y[k] + x[k]);
    return sqrt(square) + 2 * sqrt(fmin(same, opposite)) * s->arm[i];
}

static void allow(search *s, const double *u, double dt) {
    const allowance *part = s->lasting ? &allowance_of_lasting : &allowance_of_others;
    for (int i = 0; i < s->f->bodies; i++) {
        const double way = speed_of(s, i, u) * dt, size = isinf(s->size[i]) ? 0 : s->size[i];
        double allowed = fmax(part->least * size, fmin(part->steps * way, part->most * size));
        s->allowed[i] = search_body(s, i)->form.nq ? fmax(fmax(allowed, ONE_STEP * way), s->least_allowed[i]) : 0;
    }
}

bool search_pairs_last(const search *s, const double *q, const double *u, double dt) {
    for (int i = 0; i < s->f->bodies; i++)
        if (search_body(s, i)->form.nq &&
            search_moved(s, i, s->q, q) + fmax(ONE_STEP * speed_of(s, i, u) * dt, s->least_allowed[i]) > s->allowed[i])
            return false;
    return true;
}

bool search_is_still(const search *s, const double *q) {
    if (!s->listed) return false;
    for (int i = 0; i < s->f->bodies; i++)
        if (search_body(s, i)->form.nq && !(search_moved(s, i, s->at, q) <= STILL * s->size[i])) return false;
    return true;
}

/* Whether a body that has moved so far is still where its pairs are known. */
static bool is_within(search *s, int i, double way) {
    if (way <= s->allowed[i]) return true;
    s->least_allowed[i] = fmax(s->least_allowed[i], 2 * way);
    return s->paired = false;
}

bool search_lasts(search *s, const double *q, const double *u, double dt) {
    bool within = true;
    for (int i = 0; i < s->f->bodies; i++)
        if (search_body(s, i)->form.nq)
            within = is_within(s, i, search_moved(s, i, s->q, q) + ONE_STEP * speed_of(s, i, u) * dt) && within;
    return within;
}

bool search_stays(search *s, const carom_range *q) {
    bool within = true;
    for (int i = 0; i < s->f->bodies; i++)
        if (search_body(s, i)->form.nq)
            within = is_within(s, i, moved_within(s, i, s->q, q + search_body(s, i)->q)) && within;
    return within;
}

bool search_is_within(search *s, const double *q) {
    bool within = true;
    for (int i = 0; i < s->f->bodies; i++)
        if (search_body(s, i)->form.nq) within = is_within(s, i, search_moved(s, i, s->q, q)) && within;
    return within;
}

/* ---------------------------------------------------------------- pairs */

void search_place(search *s, const double *q) {
    const size_t size = (size_t)s->nq * sizeof *q;
    if (s->is_placed && !memcmp(s->where, q, size)) return; /* a step begins where the last one was checked */
    memcpy(s->where, q, size), s->is_placed = true;
    for (int i = 0; i < s->f->bodies; i++) s->pose[i] = finder_pose(s->f, i, q);
    for (int i = 0; i < s->f->solids; i++)
        core_place(&s->f->solid[i].core, &s->pose[s->f->solid[i].body], &s->placed[i]);
}

static grid_box box_of(const core *c, double wider) {
    grid_box b;
    for (int k = 0; k < 3; k++) {
        const double rim = c->rim * hypot(c->across[0][k], c->across[1][k]);
        b.low[k] = HUGE_VAL, b.high[k] = -HUGE_VAL;
        for (int i = 0; i < c->vertices; i++)
            b.low[k] = fmin(b.low[k], c->vertex[i][k]), b.high[k] = fmax(b.high[k], c->vertex[i][k]);
        b.low[k] -= c->radius + rim + wider, b.high[k] += c->radius + rim + wider;
    }
    return b;
}

double search_margin(const search *s, int a, int b) {
    return s->allowed[s->f->solid[a].body] + s->allowed[s->f->solid[b].body];
}

static bool add_pair(search *s, int a, int b) {
    const int law = finder_law_of(s->f, a, b);
    if (law < 0) return true;
    if (s->pairs == s->pair_room) {
        const int room = s->pair_room ? 2 * s->pair_room : 64;
        near_pair *more = realloc(s->pair, (size_t)room * sizeof *more);
        if (!more) return false;
        s->pair = more, s->pair_room = room;
    }
    const bool changes = s->located && borders_apply(&s->f->solid[a].core, &s->f->solid[b].core);
    s->pair[s->pairs++] = (near_pair){a < b ? a : b, a < b ? b : a, law, changes};
    return true;
}

static bool pair_with_half_space(search *s, int plane) {
    for (int i = 0; i < s->boxes; i++) {
        const int other = s->boxed[i];
        if (features_gap(&s->placed[plane], &s->placed[other]) <= search_margin(s, plane, other) &&
            !add_pair(s, plane, other))
            return false;
    }
    return true;
}

static int by_pair(const void *x, const void *y) {
    const near_pair *a = x, *b = y;
    return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

static bool list_pairs(search *s, const double *q) {
    const grid_pair *pair;
    for (int i = 0; i < s->boxes; i++)
        s->box[i] = box_of(&s->placed[s->boxed[i]], s->allowed[s->f->solid[s->boxed[i]].body]);
    const int count = grid_pairs(s->grid, s->box, &pair);
    s->pairs = 0;
    for (int i = 0; i < count; i++)
        if (!add_pair(s, s->boxed[pair[i].a], s->boxed[pair[i].b])) return false;
    for (int i = 0; i < s->f->solids; i++)
        if (s->placed[i].half_space && !pair_with_half_space(s, i)) return false;
    if (s->pairs) qsort(s->pair, (size_t)s->pairs, sizeof *s->pair, by_pair);
    memcpy(s->q, q, (size_t)s->nq * sizeof *q);
    s->paired = true;
    return count >= 0;
}

bool search_list_pairs(search *s, const double *q, const double *u, double dt) {
    allow(s, u, dt);
    return list_pairs(s, q);
}

bool search_smallest(search *s, const double *q, double *gap, int *a, int *b) {
    *gap = HUGE_VAL, *a = *b = -1;
    for (int i = 0; i < s->f->bodies; i++) s->allowed[i] = 0;
    search_place(s, q);
    if (!list_pairs(s, q)) return false;
    for (int i = 0; i < s->pairs; i++) {
        const double here = features_gap(&s->placed[s->pair[i].a], &s->placed[s->pair[i].b]);
        if (here < *gap) *gap = here, *a = s->pair[i].a, *b = s->pair[i].b;
    }
    s->paired = false;
    return true;
}
