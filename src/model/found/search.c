#include "search.h"

#include "model/space.h"
#include "numbers.h"

#include <float.h>
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
/* Overlaps that no listed contact knows of, as a part of a size (CF13). */
#define UNSEEN 1e-9
/* Located steps end no deeper in each other than this part of a size. */
#define MISSED 1e-7
/* Features that overlap deeper than the shapes by this part of a size do not part them. */
#define PARTS_NOT 0.1
/* How far, as a part of their sizes, bodies at rest move until features are looked for again (CF30). */
#define STILL 1e-12

int contact_order(const found_contact *x, const found_contact *y) {
    const int of_x[] = {x->a, x->b, (int)x->features.kind, x->features.swapped, x->features.first, x->features.second};
    const int of_y[] = {y->a, y->b, (int)y->features.kind, y->features.swapped, y->features.first, y->features.second};
    for (size_t i = 0; i < sizeof of_x / sizeof *of_x; i++)
        if (of_x[i] != of_y[i]) return of_x[i] < of_y[i] ? -1 : 1;
    return 0;
}

bool contact_continues(const found_contact *x, const found_contact *y) {
    return contact_order(x, y) == 0 && space_dot(x->numbers.e, y->numbers.e) >= 0 &&
           x->numbers.side * y->numbers.side >= 0;
}

static int by_identity(const void *x, const void *y) {
    return contact_order(x, y);
}

/* ---------------------------------------------------------------- creating */

static bool is_lasting(const core *c) {
    return c->half_space || c->vertices == 1;
}

static bool place_solids(search *s) {
    const finder *f = s->f;
    bool ok = true;
    for (int i = 0; i < f->solids; i++) {
        const solid *of = &f->solid[i];
        core *placed = &s->placed[i];
        placed->vertex = calloc((size_t)of->core.vertices + 1, sizeof *placed->vertex);
        placed->face = calloc((size_t)of->core.faces + 1, sizeof *placed->face);
        ok = ok && placed->vertex && placed->face;
        s->lasting = s->lasting && is_lasting(&of->core);
        if (!of->core.half_space) {
            s->boxed[s->boxes++] = i;
            s->size[of->body] = fmin(s->size[of->body], of->core.reach);
            s->thinnest = fmin(s->thinnest, of->core.thin);
        }
        s->arm[of->body] = fmax(s->arm[of->body], of->arm);
    }
    return ok;
}

bool search_create(search *s, const finder *f, int nq) {
    const size_t bodies = (size_t)f->bodies + 1, solids = (size_t)f->solids + 1;
    *s = (search){.f = f, .nq = nq, .lasting = true, .thinnest = HUGE_VAL};
    s->boxed = calloc(solids, sizeof *s->boxed);
    s->box = calloc(solids, sizeof *s->box);
    s->placed = calloc(solids, sizeof *s->placed);
    s->pose = calloc(bodies, sizeof *s->pose);
    s->size = calloc(bodies, sizeof *s->size);
    s->way = calloc(bodies, sizeof *s->way);
    s->arm = calloc(bodies, sizeof *s->arm);
    s->allowed = calloc(bodies, sizeof *s->allowed);
    s->least_allowed = calloc(bodies, sizeof *s->least_allowed);
    s->q = calloc((size_t)nq + 1, sizeof *s->q);
    s->at = calloc((size_t)nq + 1, sizeof *s->at);
    s->between = calloc((size_t)nq + 1, sizeof *s->between);
    if (!s->boxed || !s->box || !s->placed || !s->pose || !s->size || !s->way || !s->arm || !s->allowed ||
        !s->least_allowed || !s->q || !s->at || !s->between)
        return false;
    for (int i = 0; i < f->bodies; i++) s->size[i] = HUGE_VAL;
    return place_solids(s) && (s->grid = grid_create(s->boxes)) != NULL;
}

void search_destroy(search *s) {
    for (int i = 0; s->placed && s->f && i < s->f->solids; i++) free(s->placed[i].vertex), free(s->placed[i].face);
    grid_destroy(s->grid);
    free(s->boxed), free(s->box), free(s->placed), free(s->pose), free(s->size), free(s->way), free(s->arm);
    free(s->allowed), free(s->least_allowed), free(s->q), free(s->at), free(s->between), free(s->pair);
    free(s->list.at), free(s->last.at), free(s->extra.at);
    borders_destroy(&s->borders), borders_destroy(&s->last_borders);
}

void search_forget(search *s) {
    s->paired = s->listed = false;
    s->list.count = s->extra.count = 0;
    borders_clear(&s->borders);
}

/* ---------------------------------------------------------------- how far bodies move */

static const finder_body *body_at(const search *s, int i) {
    return &s->f->body[i];
}

static double speed_of(const search *s, int i, const double *u) {
    const finder_body *b = body_at(s, i);
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
    const finder_body *b = body_at(s, i);
    const double *x = from + b->q;
    const int axes = b->form.nq ? body_axes(&b->form) : 0;
    double square = 0, same = 0, opposite = 0;
    for (int k = 0; k < axes; k++) square += square_of_farthest(y[k], x[k]);
    if (b->form.kind == BODY_PLANAR) same = opposite = square_of_farthest(y[2], x[2]) / 4;
    for (int k = 3; k < 7 && b->form.kind == BODY_SPATIAL; k++)
        same += square_of_farthest(y[k], x[k]), opposite += square_of_farthest(y[k], -x[k]);
    return sqrt(square) + 2 * sqrt(fmin(same, opposite)) * s->arm[i];
}

static double moved(const search *s, int i, const double *from, const double *to) {
    const finder_body *b = body_at(s, i);
    carom_range y[BODY_Q];
    for (int k = 0; k < b->form.nq; k++) y[k].least = y[k].most = to[b->q + k];
    return moved_within(s, i, from, y);
}

static void allow(search *s, const double *u, double dt) {
    const allowance *part = s->lasting ? &allowance_of_lasting : &allowance_of_others;
    for (int i = 0; i < s->f->bodies; i++) {
        const double way = speed_of(s, i, u) * dt, size = isinf(s->size[i]) ? 0 : s->size[i];
        double allowed = fmax(part->least * size, fmin(part->steps * way, part->most * size));
        s->allowed[i] = body_at(s, i)->form.nq ? fmax(fmax(allowed, ONE_STEP * way), s->least_allowed[i]) : 0;
    }
}

/* Whether the pairs will do for another step. */
static bool pairs_last(const search *s, const double *q, const double *u, double dt) {
    for (int i = 0; i < s->f->bodies; i++)
        if (body_at(s, i)->form.nq &&
            moved(s, i, s->q, q) + fmax(ONE_STEP * speed_of(s, i, u) * dt, s->least_allowed[i]) > s->allowed[i])
            return false;
    return true;
}

/* Whether no body has moved since contacts were listed. */
static bool is_still(const search *s, const double *q) {
    if (!s->listed) return false;
    for (int i = 0; i < s->f->bodies; i++)
        if (body_at(s, i)->form.nq && !(moved(s, i, s->at, q) <= STILL * s->size[i])) return false;
    return true;
}

/* ---------------------------------------------------------------- pairs */

static void place(search *s, const double *q) {
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

static double margin_of(const search *s, int a, int b) {
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
        if (features_gap(&s->placed[plane], &s->placed[other]) <= margin_of(s, plane, other) &&
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

/* ---------------------------------------------------------------- contacts */

static bool append(contact_list *l, const found_contact *c) {
    if (l->count == l->room) {
        const int room = l->room ? 2 * l->room : 64;
        found_contact *more = realloc(l->at, (size_t)room * sizeof *more);
        if (!more) return false;
        l->at = more, l->room = room;
    }
    l->at[l->count++] = *c;
    return true;
}

static const found_contact *find(const contact_list *l, const found_contact *c) {
    return l->count ? bsearch(c, l->at, (size_t)l->count, sizeof *c, by_identity) : NULL;
}

/* Two edges whose e x d has the direction of the normal (CF5); rims whose normal is on this side (CF25). */
static bool is_oriented(const search *s, const found_contact *c, const kind_numbers *numbers, const double normal[3]) {
    double e[3], d[3], across[3];
    if (gap_has_side(c->features.kind))
        return numbers->side == meeting_side(&s->placed[c->a], &s->placed[c->b], &c->features);
    if (c->features.kind != GAP_LINES) return true;
    pose_direction(&s->pose[c->first], numbers->e, e);
    pose_direction(&s->pose[c->second], numbers->d, d);
    space_cross(e, d, across);
    return space_dot(across, normal) >= 0;
}

/* Tangents of the normal, in the world; of a face, in its body. */
static void choose_tangents(found_contact *c, const double normal[3]) {
    double A[3][3];
    const double *n = gap_of_face(c->features.kind) ? c->numbers.d : normal;
    shape_axes(n, A);
    for (int i = 0; i < 3; i++)
        c->numbers.tangent[0][i] = A[i][0], c->numbers.tangent[1][i] = A[i][1], c->numbers.normal[i] = n[i];
}

/* Those of an earlier normal, carried on where it has turned far (DC7). */
static void carry_tangents(found_contact *c, const double normal[3]) {
    kind_numbers *numbers = &c->numbers;
    const double cosine = space_dot(numbers->normal, normal);
    if (cosine > 0.5) return;
    if (cosine < -0.9) return choose_tangents(c, normal); /* points that have passed each other */
    for (int k = 0; k < 2; k++) {
        double *T = numbers->tangent[k], factor = space_dot(T, normal) / (1 + cosine);
        for (int i = 0; i < 3; i++) T[i] -= factor * (numbers->normal[i] + normal[i]);
    }
    memcpy(numbers->normal, normal, sizeof numbers->normal);
}

/* Edges of polytopes part as their centres lie, or out of the second one, where borders tell which of them meet. */
static void find_normal(const search *s, const found_contact *c, double normal[3]) {
    const core *a = &s->placed[c->a], *b = &s->placed[c->b];
    const bool out = s->located && c->features.kind == GAP_LINES;
    if (!out || !borders_normal(a, b, &c->features, normal)) meeting_gap(a, b, &c->features, normal);
}

static void fill_numbers(const search *s, found_contact *c) {
    const found_contact *before = find(&s->last, c);
    double normal[3];
    c->first = s->f->solid[c->features.swapped ? c->b : c->a].body;
    c->second = s->f->solid[c->features.swapped ? c->a : c->b].body;
    find_normal(s, c, normal);
    /* edges that have passed each other part the other way: their contact is another one */
    if (before && is_oriented(s, c, &before->numbers, normal)) {
        c->numbers = before->numbers;
        if (!gap_of_face(c->features.kind)) carry_tangents(c, normal);
        return;
    }
    const bool swapped = c->features.swapped;
    numbers_of(&s->f->solid[swapped ? c->b : c->a].core, &s->f->solid[swapped ? c->a : c->b].core, &c->features,
               &c->numbers);
    if (!is_oriented(s, c, &c->numbers, normal)) numbers_turn(&c->features, &c->numbers);
    choose_tangents(c, normal);
}

static border_solid bordered_solid(const search *s, int i, const double *q) {
    const int of = s->f->solid[i].body;
    const double moved_so_far = body_at(s, of)->form.nq ? moved(s, of, s->q, q) : 0;
    return (border_solid){i,         &s->f->solid[i].core, &s->placed[i], &s->pose[of], s->allowed[of] + moved_so_far,
                          s->arm[of]};
}

static bool list_bordered(search *s, const near_pair *p, const double *q) {
    const border_solid a = bordered_solid(s, p->a, q), b = bordered_solid(s, p->b, q);
    border_list *l = &s->borders;
    const int before = l->rows;
    borders_meet(l, &a, &b);
    for (int i = before; i < l->rows; i++) {
        const bordered *r = &l->row[i];
        const found_contact c = {p->a, p->b, r->features, p->law, .from = r->from, .conditions = r->conditions};
        if (!append(&s->list, &c)) return false;
    }
    return !l->exhausted;
}

static bool list_meetings(search *s, const near_pair *p, const double *q) {
    if (p->bordered) return list_bordered(s, p, q);
    meeting met[MEETINGS_MOST];
    const int count = features_meet(&s->placed[p->a], &s->placed[p->b], margin_of(s, p->a, p->b), met);
    for (int i = 0; i < count; i++)
        if (!append(&s->list, &(found_contact){.a = p->a, .b = p->b, .features = met[i], .law = p->law})) return false;
    return true;
}

/* Whether features part their shapes at the start of the step, too. Those that do not were found where a step went
 * astray: with them it has no solution, and it is taken in parts without them (CF13). */
static bool parts_now(const search *s, const found_contact *c) {
    const core *a = &s->placed[c->a], *b = &s->placed[c->b];
    double n[3];
    const double gap = meeting_gap(a, b, &c->features, n);
    return gap >= 0 || gap >= fmin(0, features_gap(a, b)) - PARTS_NOT * fmin(a->reach, b->reach);
}

static bool list_extra(search *s) {
    const int listed = s->list.count;
    if (listed) qsort(s->list.at, (size_t)listed, sizeof *s->list.at, by_identity);
    for (int i = 0; i < s->extra.count; i++) {
        const contact_list so_far = {s->list.at, listed, 0};
        if (!find(&so_far, &s->extra.at[i]) && parts_now(s, &s->extra.at[i]) && !append(&s->list, &s->extra.at[i]))
            return false;
    }
    if (s->list.count > listed) qsort(s->list.at, (size_t)s->list.count, sizeof *s->list.at, by_identity);
    return true;
}

/* The same contacts with the same numbers: edges may have been turned, tangents carried on. */
static bool is_same(const contact_list *a, const contact_list *b) {
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++)
        if (contact_order(&a->at[i], &b->at[i]) != 0 || a->at[i].from != b->at[i].from ||
            a->at[i].conditions != b->at[i].conditions ||
            memcmp(&a->at[i].numbers, &b->at[i].numbers, sizeof a->at[i].numbers) != 0)
            return false;
    return true;
}

static bool list_contacts(search *s, const double *q, bool *changed) {
    const contact_list before = s->last;
    const border_list borders = s->last_borders;
    s->last = s->list, s->list = before, s->list.count = 0;
    s->last_borders = s->borders, s->borders = borders, borders_clear(&s->borders);
    for (int i = 0; i < s->pairs; i++)
        if (!list_meetings(s, &s->pair[i], q)) return false;
    if (!list_extra(s)) return false;
    for (int i = 0; i < s->list.count; i++) fill_numbers(s, &s->list.at[i]);
    *changed = !is_same(&s->list, &s->last) || !borders_same(&s->borders, &s->last_borders);
    return true;
}

/* A step from the same state is taken again: the contacts that it lacked join the others. */
static bool list_more(search *s, bool *changed) {
    const int listed = s->list.count;
    for (int i = 0; i < s->extra.count; i++) {
        found_contact c = s->extra.at[i];
        const contact_list so_far = {s->list.at, listed, 0};
        if (find(&so_far, &c)) continue;
        fill_numbers(s, &c);
        if (!append(&s->list, &c)) return false;
    }
    *changed = s->list.count > listed;
    if (*changed) qsort(s->list.at, (size_t)s->list.count, sizeof *s->list.at, by_identity);
    return true;
}

/* Whether contacts were listed at this very state, and a step from there lacked some. */
static bool lacks_some(const search *s, const double *q) {
    return s->extra.count && s->listed && !memcmp(s->at, q, (size_t)s->nq * sizeof *q);
}

bool search_contacts(search *s, const double *q, const double *u, double dt, bool *changed) {
    const bool last = s->paired && pairs_last(s, q, u, dt);
    *changed = false;
    if (last && !s->extra.count && (s->lasting || is_still(s, q))) return true;
    place(s, q);
    if (last && lacks_some(s, q)) return list_more(s, changed);
    if (!last) {
        allow(s, u, dt);
        if (!list_pairs(s, q)) return false;
    }
    memcpy(s->at, q, (size_t)s->nq * sizeof *q);
    s->listed = true, s->complete = false;
    return list_contacts(s, q, changed);
}

/* ---------------------------------------------------------------- after a step */

/* The smallest gap of the listed contacts of a pair; they are from *next on. */
static double listed_gap(const search *s, const near_pair *p, int *next) {
    double least = 0, n[3];
    while (*next < s->list.count &&
           (s->list.at[*next].a < p->a || (s->list.at[*next].a == p->a && s->list.at[*next].b < p->b)))
        ++*next;
    for (int i = *next; i < s->list.count && s->list.at[i].a == p->a && s->list.at[i].b == p->b; i++)
        least = fmin(least, meeting_gap(&s->placed[p->a], &s->placed[p->b], &s->list.at[i].features, n));
    return least;
}

/* Features that overlap now and were not listed. */
static bool add_extra(search *s, const near_pair *p, double below) {
    meeting met[MEETINGS_MOST];
    const int count = features_meet(&s->placed[p->a], &s->placed[p->b], margin_of(s, p->a, p->b), met);
    for (int i = 0; i < count; i++) {
        const found_contact c = {.a = p->a, .b = p->b, .features = met[i], .law = p->law};
        double n[3];
        if (meeting_gap(&s->placed[p->a], &s->placed[p->b], &met[i], n) > below) continue;
        if (!find(&s->list, &c) && !append(&s->extra, &c)) return false;
    }
    return true;
}

static search_verdict check_features(search *s, const double *q) {
    const int before = s->extra.count;
    int next = 0;
    place(s, q);
    for (int i = 0; i < s->pairs; i++) {
        const near_pair *p = &s->pair[i];
        if (p->bordered) continue;
        const double slack = UNSEEN * fmin(s->placed[p->a].reach, s->placed[p->b].reach);
        const double least = listed_gap(s, p, &next) - slack;
        if (!features_part(&s->placed[p->a], &s->placed[p->b], least) && !add_extra(s, p, least)) return SEARCH_MEMORY;
    }
    if (s->extra.count > before) return SEARCH_UNSEEN;
    s->complete = s->complete || is_still(s, q);
    return SEARCH_SEEN;
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
        if (body_at(s, i)->form.nq)
            within = is_within(s, i, moved(s, i, s->q, q) + ONE_STEP * speed_of(s, i, u) * dt) && within;
    return within;
}

bool search_stays(search *s, const carom_range *q) {
    bool within = true;
    for (int i = 0; i < s->f->bodies; i++)
        if (body_at(s, i)->form.nq) within = is_within(s, i, moved_within(s, i, s->q, q + body_at(s, i)->q)) && within;
    return within;
}

search_verdict search_check(search *s, const double *q) {
    bool within = true;
    for (int i = 0; i < s->f->bodies; i++)
        if (body_at(s, i)->form.nq) within = is_within(s, i, moved(s, i, s->q, q)) && within;
    if (!within || s->lasting || !s->pairs) return within ? SEARCH_SEEN : SEARCH_UNSEEN;
    return s->complete && is_still(s, q) ? SEARCH_SEEN : check_features(s, q);
}

void search_accept(search *s) {
    memset(s->least_allowed, 0, (size_t)s->f->bodies * sizeof *s->least_allowed);
    s->extra.count = 0;
}

/* ---------------------------------------------------------------- on the way */

static double gap_at(search *s, const near_pair *p, const double *q) {
    const int of[] = {p->a, p->b};
    for (int k = 0; k < 2; k++) {
        const core_pose at = finder_pose(s->f, s->f->solid[of[k]].body, q);
        core_place(&s->f->solid[of[k]].core, &at, &s->placed[of[k]]);
    }
    return features_gap(&s->placed[p->a], &s->placed[p->b]);
}

static double gap_between(search *s, const near_pair *p, const double *q, const double *r, double part) {
    const int of[] = {s->f->solid[p->a].body, s->f->solid[p->b].body};
    for (int k = 0; k < 2; k++) {
        const finder_body *b = body_at(s, of[k]);
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
        s->way[i] = body_at(s, i)->form.nq ? moved(s, i, q, r) : 0;
        if (s->way[i] > farthest) farthest = s->way[i];
    }
    if (2 * farthest <= s->thinnest / 4) return false;
    for (int i = 0; i < s->pairs; i++)
        if (pair_passes(s, &s->pair[i], q, r)) return *a = s->pair[i].a, *b = s->pair[i].b, true;
    return false;
}

bool search_overlaps(search *s, const double *q, int *a, int *b) {
    place(s, q);
    for (int i = 0; i < s->pairs; i++) {
        const near_pair *p = &s->pair[i];
        const core *x = &s->placed[p->a], *y = &s->placed[p->b];
        if (p->bordered && borders_overlap(x, y, MISSED * fmin(x->reach, y->reach))) return *a = p->a, *b = p->b, true;
    }
    return false;
}

bool search_smallest(search *s, const double *q, double *gap, int *a, int *b) {
    *gap = HUGE_VAL, *a = *b = -1;
    for (int i = 0; i < s->f->bodies; i++) s->allowed[i] = 0;
    place(s, q);
    if (!list_pairs(s, q)) return false;
    for (int i = 0; i < s->pairs; i++) {
        const double here = features_gap(&s->placed[s->pair[i].a], &s->placed[s->pair[i].b]);
        if (here < *gap) *gap = here, *a = s->pair[i].a, *b = s->pair[i].b;
    }
    s->paired = false;
    return true;
}
