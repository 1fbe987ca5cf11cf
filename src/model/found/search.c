/* The contacts that a step may need: the features of near pairs that may meet, each with its numbers. */
#include "search_inside.h"

#include "features_inside.h"
#include "numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Features that overlap deeper than the shapes by this part of a size do not part them. */
#define PARTS_NOT 0.1

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
    s->where = calloc((size_t)nq + 1, sizeof *s->where);
    if (!s->boxed || !s->box || !s->placed || !s->pose || !s->size || !s->way || !s->arm || !s->allowed ||
        !s->least_allowed || !s->q || !s->at || !s->between || !s->where)
        return false;
    for (int i = 0; i < f->bodies; i++) s->size[i] = HUGE_VAL;
    return place_solids(s) && (s->grid = grid_create(s->boxes)) != NULL;
}

void search_destroy(search *s) {
    for (int i = 0; s->placed && s->f && i < s->f->solids; i++) free(s->placed[i].vertex), free(s->placed[i].face);
    grid_destroy(s->grid);
    free(s->boxed), free(s->box), free(s->placed), free(s->pose), free(s->size), free(s->way), free(s->arm);
    free(s->allowed), free(s->least_allowed), free(s->q), free(s->at), free(s->between), free(s->where), free(s->pair);
    free(s->list.at), free(s->last.at), free(s->extra.at);
    borders_destroy(&s->borders), borders_destroy(&s->last_borders);
}

void search_forget(search *s) {
    s->paired = s->listed = false;
    s->list.count = s->extra.count = 0;
    borders_clear(&s->borders);
}

/* ---------------------------------------------------------------- contacts */

bool contacts_append(contact_list *l, const found_contact *c) {
    if (l->count == l->room) {
        const int room = l->room ? 2 * l->room : 64;
        found_contact *more = realloc(l->at, (size_t)room * sizeof *more);
        if (!more) return false;
        l->at = more, l->room = room;
    }
    l->at[l->count++] = *c;
    return true;
}

const found_contact *contacts_find(const contact_list *l, const found_contact *c) {
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

/* Where a crossing is found from depends on how steep the edge is (CF44). */
static void start_crossing(const search *s, found_contact *c) {
    const bool swapped = c->features.swapped;
    const core *first = &s->placed[swapped ? c->b : c->a], *second = &s->placed[swapped ? c->a : c->b];
    const rim_edge x = rim_edge_of(c->features.second);
    const int from = crossing_from(first, c->features.first, second->face[x.rim].normal, x.sign);
    numbers_start(&s->f->solid[swapped ? c->b : c->a].core, from, &c->numbers);
}

/* before: the same contact of the last list; NULL: it is new. */
static void number(const search *s, const found_contact *before, found_contact *c) {
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

static void fill_numbers(const search *s, const found_contact *before, found_contact *c) {
    number(s, before, c);
    if (c->features.kind == GAP_RIM_EDGE) start_crossing(s, c);
}

static border_solid bordered_solid(const search *s, int i, const double *q) {
    const int of = s->f->solid[i].body;
    const double moved_so_far = search_body(s, of)->form.nq ? search_moved(s, of, s->q, q) : 0;
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
        if (!contacts_append(&s->list, &c)) return false;
    }
    return !l->exhausted;
}

static bool list_features(search *s, const near_pair *p, const double *q) {
    if (p->bordered) return list_bordered(s, p, q);
    meeting met[MEETINGS_MOST];
    const int count = features_meet(&s->placed[p->a], &s->placed[p->b], search_margin(s, p->a, p->b), s->noise, met);
    for (int i = 0; i < count; i++)
        if (!contacts_append(&s->list, &(found_contact){.a = p->a, .b = p->b, .features = met[i], .law = p->law}))
            return false;
    return true;
}

/* Pairs ascend: only the few contacts of each are to be sorted. */
static bool list_meetings(search *s, const near_pair *p, const double *q) {
    const int first = s->list.count;
    const bool listed = list_features(s, p, q);
    found_contact *at = s->list.at;
    for (int i = first + 1; i < s->list.count; i++) {
        const found_contact c = at[i];
        int k = i;
        for (; k > first && contact_order(&at[k - 1], &c) > 0; k--) at[k] = at[k - 1];
        at[k] = c;
    }
    return listed;
}

/* Those of the extra contacts, which ascend, that are not listed join the list. */
static bool list_extra(search *s) {
    int i = s->list.count - 1, more = 0;
    for (int j = 0; j < s->extra.count; j++)
        if (!contacts_find(&s->list, &s->extra.at[j])) more++;
    for (int j = 0; j < more; j++)
        if (!contacts_append(&s->list, &s->extra.at[0])) return false;
    for (int j = s->extra.count - 1, k = s->list.count - 1; j >= 0; j--) {
        const found_contact *c = &s->extra.at[j];
        int order = -1;
        while (i >= 0 && (order = contact_order(&s->list.at[i], c)) > 0) s->list.at[k--] = s->list.at[i--];
        if (i < 0 || order < 0) s->list.at[k--] = *c;
    }
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
    for (int i = 0, j = 0; i < s->list.count; i++) {
        int order = -1;
        while (j < s->last.count && (order = contact_order(&s->last.at[j], &s->list.at[i])) < 0) j++;
        fill_numbers(s, order == 0 ? &s->last.at[j] : NULL, &s->list.at[i]);
    }
    *changed = !is_same(&s->list, &s->last) || !borders_same(&s->borders, &s->last_borders);
    return true;
}

/* A step from the same state is taken again: the contacts that it lacked join the others. */
static bool list_more(search *s, bool *changed) {
    const int listed = s->list.count;
    for (int i = 0; i < s->extra.count; i++)
        if (!contacts_find(&s->list, &s->extra.at[i]))
            fill_numbers(s, contacts_find(&s->last, &s->extra.at[i]), &s->extra.at[i]);
    if (!list_extra(s)) return false;
    *changed = s->list.count > listed;
    return true;
}

/* Whether features part their shapes at the start of the step, too. Those that do not were found where a step went
 * astray: with them it has no solution, and it is taken in parts without them (CF13). */
static bool parts_now(const search *s, const found_contact *c) {
    const core *a = &s->placed[c->a], *b = &s->placed[c->b];
    double n[3];
    const double gap = meeting_gap(a, b, &c->features, n);
    if (isinf(gap) || !meeting_is_exact(a, b, &c->features)) return false; /* inf: they do not cross there */
    return gap >= 0 || gap >= fmin(0, features_gap(a, b)) - PARTS_NOT * fmin(a->reach, b->reach);
}

bool search_gains(search *s) {
    int kept = 0;
    bool more = !s->paired;
    search_place(s, s->at);
    if (s->extra.count) qsort(s->extra.at, (size_t)s->extra.count, sizeof *s->extra.at, by_identity);
    for (int i = 0; i < s->extra.count; i++) {
        const found_contact c = s->extra.at[i];
        if ((kept > 0 && contact_order(&s->extra.at[kept - 1], &c) == 0) || !parts_now(s, &c)) continue;
        s->extra.at[kept++] = c;
        more = more || !contacts_find(&s->list, &c);
    }
    s->extra.count = kept;
    return more;
}

/* Whether contacts were listed at this very state, and a step from there lacked some. */
static bool lacks_some(const search *s, const double *q) {
    return s->extra.count && s->listed && !memcmp(s->at, q, (size_t)s->nq * sizeof *q);
}

bool search_contacts(search *s, const double *q, const double *u, double dt, bool *changed) {
    const bool last = s->paired && search_pairs_last(s, q, u, dt);
    *changed = false;
    if (last && !s->extra.count && (s->lasting || search_is_still(s, q))) return true;
    search_place(s, q);
    if (last && lacks_some(s, q)) return list_more(s, changed);
    if (!last && !search_list_pairs(s, q, u, dt)) return false;
    memcpy(s->at, q, (size_t)s->nq * sizeof *q);
    s->listed = true, s->complete = false;
    return list_contacts(s, q, changed);
}
