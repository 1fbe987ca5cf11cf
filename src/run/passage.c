#include "run/passage.h"

#include <math.h>
#include <stdlib.h>

#include "integrator/vectors.h"

/* Parts to look at on a path without bounds from the model; halvings and looks with bounds; iterations to refine. */
enum { SAMPLES = 16, MOST_HALVINGS = 40, MOST_LOOKS = 400, REFINEMENTS = 60 };

bool passages_create(passages *p, const carom_model *m) {
    const int nq = m->def.nq, nc = m->nc;
    const vector_part parts[] = {{&p->q, nq},   {&p->q_dot, 2 * nq}, {&p->begin, nc},
                                 {&p->end, nc}, {&p->at, nc},        {&p->c_q, 2 * pattern_nnz(&m->def.c_q)}};
    *p = (passages){.m = m};
    p->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    p->looked = calloc((size_t)m->def.contacts + 1, sizeof *p->looked);
    p->range = calloc(2 * (size_t)(nq + nc) + 1, sizeof *p->range);
    return far_create(&p->far, m) && p->memory && p->looked && p->range;
}

void passages_destroy(passages *p) {
    free(p->memory);
    free(p->looked);
    free(p->range);
    far_destroy(&p->far);
}

static bool gaps_at(const passages *p, const straight *path, double tau, double *c) {
    const carom_model_def *d = &p->m->def;
    for (int i = 0; i < d->nq; i++) p->q[i] = path->from[i] + tau * (path->to[i] - path->from[i]);
    return !d->position(d->context, path->t + tau * path->h, p->q, c, NULL);
}

/* One gap; not a number where the model is not defined. */
static double gap_at(const passages *p, const straight *path, int contact, double tau) {
    const carom_model_def *d = &p->m->def;
    const int row = d->ng + contact;
    double gap;
    for (int e = d->c_q.start[row]; e < d->c_q.start[row + 1] && p->m->row; e++) {
        const int i = d->c_q.index[e];
        p->q[i] = path->from[i] + tau * (path->to[i] - path->from[i]);
    }
    if (p->m->row) return p->m->row(d->context, row, path->t + tau * path->h, p->q, &gap) ? NAN : gap;
    return gaps_at(p, path, tau, p->at) ? p->at[p->m->def.ng + contact] : NAN;
}

/* ---------------------------------------------------------------- bounds */

static carom_range hull(double a, double b) {
    return (carom_range){fmin(a, b), fmax(a, b)};
}

static void bound_coordinate(const passages *p, const straight *path, double a, double b, int i) {
    carom_range *q = p->range, *q_rate = q + p->m->def.nq;
    const double move = path->to[i] - path->from[i];
    q[i] = hull(path->from[i] + a * move, path->from[i] + b * move);
    q_rate[i] = hull(move / path->h, move / path->h);
}

/* The range of one gap and its rate between two parts of the path. */
static bool bound_gap(const passages *p, const straight *path, int contact, double a, double b) {
    const carom_model_def *d = &p->m->def;
    const int row = d->ng + contact;
    carom_range *q = p->range, *q_rate = q + d->nq, *c = q_rate + d->nq, *c_rate = c + p->m->nc;
    const carom_range t[2] = {hull(path->t + a * path->h, path->t + b * path->h), {1, 1}};
    for (int e = d->c_q.start[row]; e < d->c_q.start[row + 1]; e++) bound_coordinate(p, path, a, b, d->c_q.index[e]);
    return !p->m->row_range(d->context, row, t, q, q_rate, &c[row], &c_rate[row]);
}

/* Ranges of the gaps and their rates between two parts of the path. */
static bool bound(const passages *p, const straight *path, double a, double b) {
    const carom_model_def *d = &p->m->def;
    carom_range *q = p->range, *q_rate = q + d->nq, *c = q_rate + d->nq, *c_rate = c + p->m->nc;
    const carom_range t[2] = {hull(path->t + a * path->h, path->t + b * path->h), {1, 1}};
    for (int i = 0; i < d->nq; i++) bound_coordinate(p, path, a, b, i);
    return !d->ranges(d->context, t, q, q_rate, NULL, NULL, c, c_rate, NULL, NULL);
}

/* (Z2): no smaller value between two parts H apart, with values at both ends. */
static double least(const passages *p, int contact, double begin, double end, double H) {
    const int k = p->m->def.ng + contact;
    const carom_range *c = p->range + 2 * p->m->def.nq, value = c[k], rate = c[p->m->nc + k];
    if (!(rate.least < 0)) return fmax(value.least, begin);
    if (!(rate.most > 0)) return fmax(value.least, end);
    if (isinf(rate.least) || isinf(rate.most)) return value.least;
    return fmax(value.least,
                (begin * rate.most - end * rate.least + rate.least * rate.most * H) / (rate.most - rate.least));
}

/* How far coordinate j of a smooth motion may lie beside the straight piece: as far as a cubic with the rates at both
 * ends, which lie on either side of that of the piece. Percussions leave no such order: then a thousandth of the way.
 */
static double coordinate_aside(const passages *p, const straight *path, int j) {
    const double rate = (path->to[j] - path->from[j]) / path->h;
    const double first = p->q_dot[j] - rate, last = p->q_dot[p->m->def.nq + j] - rate;
    const double most = 4.0 / 27 * path->h * fmax(fabs(first), fabs(last));
    return fmax(first * last < 0 ? 4.0 / 27 * path->h * fmin(fabs(first), fabs(last)) : 0,
                fmin(most, 1e-3 * fabs(path->to[j] - path->from[j])));
}

/* Rates of the motion and slopes of the gaps at both ends, found once for a path where they are asked for. */
static bool find_slopes(passages *p, const straight *path) {
    const carom_model_def *d = &p->m->def;
    if (p->slopes == SLOPES_ASKED)
        p->slopes = model_q_dot(p->m, path->t, path->from, path->u[0], p->q_dot) ||
                            model_q_dot(p->m, path->t + path->h, path->to, path->u[1], p->q_dot + d->nq) ||
                            d->position(d->context, path->t, path->from, NULL, p->c_q) ||
                            d->position(d->context, path->t + path->h, path->to, NULL, p->c_q + pattern_nnz(&d->c_q))
                        ? SLOPES_UNDEFINED
                        : SLOPES_KNOWN;
    return p->slopes == SLOPES_KNOWN;
}

/* The same for a gap, (Z1). If the piece ends with an impact, that has bent the motion; a contact that comes from
 * outside is not passed then. */
static double aside(passages *p, const straight *path, int contact) {
    const carom_model_def *d = &p->m->def;
    double sum = 0, arrival = 0;
    if (!path->u[0]) return 0;
    if (!find_slopes(p, path)) return NAN;
    for (int end = 0; end < 2; end++) {
        const double *c_q = p->c_q + end * pattern_nnz(&d->c_q);
        for (int e = d->c_q.start[d->ng + contact]; e < d->c_q.start[d->ng + contact + 1]; e++) {
            const int j = d->c_q.index[e];
            sum += fabs(c_q[e]) * coordinate_aside(p, path, j);
            if (end) arrival += c_q[e] * (path->to[j] - path->from[j]);
        }
    }
    if (path->state[1][contact] != CAROM_OPEN) return arrival > 0 ? sum : INFINITY;
    return sum;
}

/* How far it is below the surface; the surface begins at the smaller gap of both ends if that is negative. */
static double surface(const passages *p, int contact) {
    const double begin = p->begin[p->m->def.ng + contact], end = p->end[p->m->def.ng + contact];
    return fmin(0, fmin(begin, end)) - 1e-9 * (fabs(begin) + fabs(end));
}

/* A gap smaller than this is passed. */
static double threshold(passages *p, const straight *path, int contact) {
    return surface(p, contact) - aside(p, path, contact);
}

/* ---------------------------------------------------------------- the search */

typedef struct search {
    const passages *p;
    const straight *path;
    int contact, looks;
    double below;
} search;

/* The first part between a and b at which the gap is below, with the gaps there; NaN: there is none. */
static double first_below(search *s, double a, double b, double begin, double end, int halvings) {
    const double middle = (a + b) / 2, H = (b - a) * s->path->h;
    if (s->looks-- <= 0 || halvings <= 0) return NAN;
    if (!(s->p->m->row_range ? bound_gap(s->p, s->path, s->contact, a, b) : bound(s->p, s->path, a, b))) return NAN;
    if (!(least(s->p, s->contact, begin, end, H) < s->below)) return NAN;
    const double gap = gap_at(s->p, s->path, s->contact, middle);
    const double found = first_below(s, a, middle, begin, gap, halvings - 1);
    if (!isnan(found)) return found;
    if (gap < s->below) return middle;
    return first_below(s, middle, b, gap, end, halvings - 1);
}

static double first_sample_below(const search *s) {
    for (int i = 1; i < SAMPLES; i++)
        if (gap_at(s->p, s->path, s->contact, (double)i / SAMPLES) < s->below) return (double)i / SAMPLES;
    return NAN;
}

/* Where the gap has the given value, between a part where it is larger and one where it is smaller. */
static double crossing(const search *s, double above, double below, double value) {
    for (int i = 0; i < REFINEMENTS; i++) {
        const double middle = (above + below) / 2;
        if (gap_at(s->p, s->path, s->contact, middle) > value) above = middle;
        else below = middle;
    }
    return below;
}

/* The smallest gap between two parts, by golden sections. */
static double smallest(const search *s, double a, double b) {
    const double part = 0.618033988749895;
    double x = b - part * (b - a), y = a + part * (b - a);
    double fx = gap_at(s->p, s->path, s->contact, x), fy = gap_at(s->p, s->path, s->contact, y);
    for (int i = 0; i < REFINEMENTS; i++)
        if (fx < fy) b = y, y = x, fy = fx, x = b - part * (b - a), fx = gap_at(s->p, s->path, s->contact, x);
        else a = x, x = y, fx = fy, y = a + part * (b - a), fy = gap_at(s->p, s->path, s->contact, y);
    return (a + b) / 2;
}

static void measure(const search *s, double inside, passage *found) {
    const double start =
        fmin(0, gap_at(s->p, s->path, s->contact, 0)); /* a gap that begins below counts as passed from the start */
    double beyond = inside, reach = 1e-3;
    do beyond = fmin(1, beyond + reach), reach *= 2;
    while (beyond < 1 && gap_at(s->p, s->path, s->contact, beyond) < s->below);
    found->contact = s->contact;
    found->in = start < 0 ? 0 : crossing(s, 0, inside, 0);
    found->out = gap_at(s->p, s->path, s->contact, beyond) < 0 ? beyond : crossing(s, beyond, inside, 0);
    found->deepest = smallest(s, found->in, beyond);
    found->gap = gap_at(s->p, s->path, s->contact, found->deepest);
}

/* A contact that stays closed is held on its surface, which may curve away from the straight piece. */
static bool stays_closed(const straight *path, int contact) {
    return path->state[0] && path->state[0][contact] != CAROM_OPEN && path->state[1][contact] != CAROM_OPEN;
}

bool passage_possible(passages *p, straight path) {
    bool any = false;
    for (int k = 0; k < p->m->def.contacts; k++) any |= p->looked[k] = !stays_closed(&path, k);
    return any && !far_along(&p->far, path.t, path.h, path.from, path.to, p->looked);
}

/* The contacts that the bounds of the whole path cannot rule out. */
static bool suspect(passages *p, const straight *path, int first, int last) {
    const carom_model_def *d = &p->m->def;
    const bool one = last - first == 1 && p->m->row_range;
    bool any = false;
    for (int k = first; k < last; k++) any |= p->looked[k] = !stays_closed(path, k);
    if (!any || !d->ranges) return any;
    if (!(one ? bound_gap(p, path, first, 0, 1) : bound(p, path, 0, 1))) return false;
    any = false;
    for (int k = first; k < last; k++) {
        if (!p->looked[k]) continue;
        const double lowest = least(p, k, p->begin[d->ng + k], p->end[d->ng + k], path->h);
        any |= p->looked[k] = lowest < surface(p, k) && lowest < threshold(p, path, k);
    }
    return any;
}

/* (Z3) */
bool passage_enter(passages *p, straight path, passage *found) {
    const carom_model_def *d = &p->m->def;
    bool any = false;
    if (!d->contacts || !gaps_at(p, &path, 0, p->begin) || !gaps_at(p, &path, 1, p->end)) return false;
    for (int k = 0; k < d->contacts; k++) {
        if (!(p->begin[d->ng + k] > 0 && p->end[d->ng + k] < 0) || stays_closed(&path, k)) continue;
        const search s = {.p = p, .path = &path, .contact = k};
        const double in = crossing(&s, 0, 1, 0);
        if (!any || in < found->in) *found = (passage){.contact = k, .in = in, .deepest = in, .out = 1};
        any = true;
    }
    return any;
}

/* Gaps at both ends. */
static bool find_ends(passages *p, const straight *path, int first, int last) {
    double *begin = &p->begin[p->m->def.ng + first], *end = &p->end[p->m->def.ng + first];
    if (last - first != 1 || !p->m->row) return gaps_at(p, path, 0, p->begin) && gaps_at(p, path, 1, p->end);
    *begin = gap_at(p, path, first, 0), *end = gap_at(p, path, first, 1);
    return !isnan(*begin) && !isnan(*end);
}

bool passage_find(passages *p, straight path, int first, int last, passage *found) {
    const carom_model_def *d = &p->m->def;
    bool any = false;
    if (!d->contacts || !find_ends(p, &path, first, last)) return false;
    p->slopes = SLOPES_ASKED;
    if (!suspect(p, &path, first, last)) return false;
    for (int k = first; k < last; k++) {
        if (!p->looked[k]) continue;
        const double begin = p->begin[d->ng + k], end = p->end[d->ng + k];
        search s = {.p = p, .path = &path, .contact = k, .looks = MOST_LOOKS, .below = threshold(p, &path, k)};
        const double inside = d->ranges ? first_below(&s, 0, 1, begin, end, MOST_HALVINGS) : first_sample_below(&s);
        passage one;
        if (isnan(inside)) continue;
        measure(&s, inside, &one);
        if (!any || one.in < found->in) *found = one;
        any = true;
    }
    return any;
}
