/* What a step has missed: features that overlap and were not listed (CF13), and pairs that passed through each other
 * (CF15) or overlap in the end. */
#include "search_inside.h"

#include <math.h>
#include <string.h>

/* Overlaps that no listed contact knows of, as a part of a size (CF13). */
#define UNSEEN 1e-9
/* One that no other contact could have kept from that is accepted if it is no deeper than this. */
#define SHALLOW 1e-6
/* Located steps end no deeper in each other than this part of a size. */
#define MISSED 1e-7

/* ---------------------------------------------------------------- after a step */

/* The smallest gap of the listed contacts of a pair, which are from *next on, or zero, if that is smaller; and the
 * normal of that contact, from the second solid to the first. False: none is listed. */
static bool listed_gap(const search *s, const near_pair *p, int *next, double *gap, double normal[3]) {
    double least = HUGE_VAL;
    while (*next < s->list.count &&
           (s->list.at[*next].a < p->a || (s->list.at[*next].a == p->a && s->list.at[*next].b < p->b)))
        ++*next;
    for (; *next < s->list.count && s->list.at[*next].a == p->a && s->list.at[*next].b == p->b; ++*next) {
        const meeting *m = &s->list.at[*next].features;
        double n[3];
        const double here = meeting_gap(&s->placed[p->a], &s->placed[p->b], m, n);
        if (!(here < least)) continue;
        least = here;
        for (int i = 0; i < 3; i++) normal[i] = m->swapped ? -n[i] : n[i];
    }
    *gap = fmin(0, least);
    return least < HUGE_VAL;
}

/* Whether the rim of a meeting touches the face with its points in this step, since it may come to lie flat (CF23). */
static bool stands_on_points(const search *s, const near_pair *p, const meeting *m) {
    const int vertices = s->placed[m->swapped ? p->b : p->a].vertices;
    for (int i = 0; i < s->list.count; i++) {
        const found_contact *c = &s->list.at[i];
        const meeting *n = &c->features;
        if (c->a == p->a && c->b == p->b && n->kind == GAP_FACE && n->swapped == m->swapped && n->second == m->second &&
            n->first >= vertices && (n->first - vertices) / RIM_POINTS == m->first)
            return true;
    }
    return false;
}

/* Features that overlap now and were not listed. */
static bool add_extra(search *s, const near_pair *p, double below) {
    const core *a = &s->placed[p->a], *b = &s->placed[p->b];
    meeting met[MEETINGS_MOST];
    const int count = features_meet(a, b, search_margin(s, p->a, p->b), s->noise, met);
    for (int i = 0; i < count; i++) {
        double n[3];
        if (meeting_gap(a, b, &met[i], n) > below) continue;
        if (met[i].kind == GAP_RIM_FACE && stands_on_points(s, p, &met[i])) met[i] = meeting_of_lowest(a, b, &met[i]);
        const found_contact c = {.a = p->a, .b = p->b, .features = met[i], .law = p->law};
        if (!contacts_find(&s->list, &c) && !contacts_append(&s->extra, &c)) return false;
    }
    return true;
}

static search_verdict check_features(search *s, const double *q) {
    const int before = s->extra.count;
    int next = 0;
    s->missed = 0;
    search_place(s, q);
    for (int i = 0; i < s->pairs; i++) {
        const near_pair *p = &s->pair[i];
        if (p->bordered) continue;
        const double slack = UNSEEN * fmin(s->placed[p->a].reach, s->placed[p->b].reach) +
                             features_bend(&s->placed[p->a], &s->placed[p->b]);
        double least, normal[3];
        const bool known = listed_gap(s, p, &next, &least, normal);
        least -= slack;
        if (features_part(&s->placed[p->a], &s->placed[p->b], known ? normal : NULL, least)) continue;
        const double size = fmin(s->placed[p->a].reach, s->placed[p->b].reach);
        s->missed = fmax(s->missed, (least - features_gap(&s->placed[p->a], &s->placed[p->b])) / size);
        if (!add_extra(s, p, least)) return SEARCH_MEMORY;
    }
    if (s->extra.count > before) return SEARCH_UNSEEN;
    s->complete = s->complete || search_is_still(s, q);
    return SEARCH_SEEN;
}

search_verdict search_check(search *s, const double *q) {
    const bool within = search_is_within(s, q);
    if (!within || s->lasting || !s->pairs) return within ? SEARCH_SEEN : SEARCH_UNSEEN;
    return s->complete && search_is_still(s, q) ? SEARCH_SEEN : check_features(s, q);
}

bool search_is_shallow(const search *s) {
    return s->missed <= SHALLOW;
}

void search_accept(search *s) {
    memset(s->least_allowed, 0, (size_t)s->f->bodies * sizeof *s->least_allowed);
    s->extra.count = 0;
}

/* ---------------------------------------------------------------- on the way */

static double gap_at(search *s, const near_pair *p, const double *q) {
    const int of[] = {p->a, p->b};
    s->is_placed = false;
    for (int k = 0; k < 2; k++) {
        const core_pose at = finder_pose(s->f, s->f->solid[of[k]].body, q);
        core_place(&s->f->solid[of[k]].core, &at, &s->placed[of[k]]);
    }
    return features_gap(&s->placed[p->a], &s->placed[p->b]);
}

static double gap_between(search *s, const near_pair *p, const double *q, const double *r, double part) {
    const int of[] = {s->f->solid[p->a].body, s->f->solid[p->b].body};
    for (int k = 0; k < 2; k++) {
        const finder_body *b = search_body(s, of[k]);
        for (int i = b->q; i < b->q + b->form.nq; i++) s->between[i] = q[i] + part * (r[i] - q[i]);
    }
    return gap_at(s, p, s->between);
}

static bool pair_passes(search *s, const near_pair *p, const double *q, const double *r) {
    const core *a = &s->f->solid[p->a].core, *b = &s->f->solid[p->b].core;
    const double thin = fmin(a->thin, b->thin);
    const double way = s->way[s->f->solid[p->a].body] + s->way[s->f->solid[p->b].body];
    if (a->half_space || b->half_space || !(way > thin / 4)) return false;
    const double start = gap_at(s, p, q), end = gap_at(s, p, r);
    if (start > -thin / 4 && end < -thin / 2) return true;
    const int looks = start > 0 && end > 0 ? (int)fmin(1e4, 8 * way / thin) + 1 : 0;
    for (int i = 1; i < looks; i++)
        if (gap_between(s, p, q, r, (double)i / looks) < -thin / 2) return true;
    return false;
}

bool search_passes(search *s, const double *q, const double *r, int *a, int *b) {
    double farthest = 0;
    for (int i = 0; i < s->f->bodies; i++) {
        s->way[i] = search_body(s, i)->form.nq ? search_moved(s, i, q, r) : 0;
        if (s->way[i] > farthest) farthest = s->way[i];
    }
    if (2 * farthest <= s->thinnest / 4) return false;
    for (int i = 0; i < s->pairs; i++)
        if (pair_passes(s, &s->pair[i], q, r)) return *a = s->pair[i].a, *b = s->pair[i].b, true;
    return false;
}

bool search_overlaps(search *s, const double *q, int *a, int *b) {
    search_place(s, q);
    for (int i = 0; i < s->pairs; i++) {
        const near_pair *p = &s->pair[i];
        const core *x = &s->placed[p->a], *y = &s->placed[p->b];
        if (p->bordered && borders_overlap(x, y, MISSED * fmin(x->reach, y->reach))) return *a = p->a, *b = p->b, true;
    }
    return false;
}
