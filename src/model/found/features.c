#include "features_inside.h"

#include <float.h>
#include <stddef.h>
#include <string.h>

/* Where round cores that are more parallel than this cross is no longer exact (CF20). */
#define SEGMENTS_PARALLEL 1e-6
/* Edges that cross beyond an end are held there: nearly in the same direction while their gap is above that of their
 * shapes by no more than this part of a size. */
#define HELD 1e-3

/* ---------------------------------------------------------------- gaps, (CF2) to (CF5) */

static double gap_points(const double x[3], const double y[3], double n[3]) {
    minus(x, y, n);
    const double distance = sqrt(space_dot(n, n));
    for (int i = 0; i < 3; i++) n[i] /= distance;
    return distance;
}

static double gap_line(const double x[3], const line *l, double n[3]) {
    double w[3];
    minus(x, l->start, w);
    along(w, -space_dot(w, l->e), l->e, n);
    const double distance = sqrt(space_dot(n, n));
    for (int i = 0; i < 3; i++) n[i] /= distance;
    return distance;
}

/* Across two lines, from the second shape to the first as their centres lie. */
static double gap_lines(const line *l, const line *k, const double from_to[3], double n[3]) {
    double w[3];
    space_cross(l->e, k->e, n);
    space_unit(n);
    const double side = space_dot(n, from_to) < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++) n[i] *= side;
    minus(l->start, k->start, w);
    return space_dot(n, w);
}

static double held(double s, double length) {
    return fmax(0, fmin(length, s));
}

/* The nearest point of the edge (CF19) */
static double gap_segment(const double x[3], const line *l, double n[3]) {
    double w[3], y[3];
    minus(x, l->start, w);
    along(l->start, held(space_dot(w, l->e), l->length), l->e, y);
    return gap_points(x, y, n);
}

/* Where the lines cross, each held on its edge (CF20) */
static double gap_segments(const line *l, const line *k, double n[3]) {
    double w[3], across[3], x[3], y[3];
    minus(l->start, k->start, w);
    /* from the middles, where parallel edges meet */
    for (int i = 0; i < 3; i++) w[i] += (l->length * l->e[i] - k->length * k->e[i]) / 2;
    space_cross(l->e, k->e, across);
    const double c = space_dot(l->e, k->e), D = fmax(space_dot(across, across), SEGMENTS_PARALLEL);
    const double lw = space_dot(l->e, w), kw = space_dot(k->e, w);
    along(l->start, held(l->length / 2 + (c * kw - lw) / D, l->length), l->e, x);
    along(k->start, held(k->length / 2 + (kw - c * lw) / D, k->length), k->e, y);
    return gap_points(x, y, n);
}

void meeting_radii(const core *first, const core *second, gap_kind kind, double radius[2]) {
    radius[0] = first->radius + (kind == GAP_SEGMENTS ? first->rim : 0);
    radius[1] = second->radius + (kind == GAP_SEGMENTS || kind == GAP_LINE || kind == GAP_RIM_LINE ? second->rim : 0);
}

static double gap_of(const core *first, const core *second, const meeting *m, double normal[3]) {
    double apart[3], x[3];
    line l, k;
    if (m->kind >= GAP_RIM_FACE) return rim_gap(first, second, m, normal);
    if (m->kind != GAP_LINES && m->kind != GAP_SEGMENTS) core_point(first, m->first, x);
    switch (m->kind) {
    case GAP_POINTS:
        return gap_points(x, second->vertex[m->second], normal);
    case GAP_LINE:
        l = line_of(second, m->second);
        return gap_line(x, &l, normal);
    case GAP_FACE:
        memcpy(normal, second->face[m->second].normal, 3 * sizeof *normal);
        return face_height(&second->face[m->second], x);
    case GAP_SEGMENT:
        l = line_of(second, m->second);
        return gap_segment(x, &l, normal);
    case GAP_SEGMENTS:
        l = line_of(first, m->first), k = line_of(second, m->second);
        return gap_segments(&l, &k, normal);
    default:
        l = line_of(first, m->first), k = line_of(second, m->second);
        minus(first->centre, second->centre, apart);
        return gap_lines(&l, &k, apart, normal);
    }
}

double meeting_gap(const core *a, const core *b, const meeting *m, double normal[3]) {
    const core *first = m->swapped ? b : a, *second = m->swapped ? a : b;
    double radius[2];
    meeting_radii(first, second, m->kind, radius);
    return gap_of(first, second, m, normal) - (radius[0] + radius[1]);
}

bool meeting_is_exact(const core *a, const core *b, const meeting *m) {
    if (m->kind != GAP_SEGMENTS) return true;
    const line l = line_of(m->swapped ? b : a, m->first), k = line_of(m->swapped ? a : b, m->second);
    double across[3], n[3];
    space_cross(l.e, k.e, across);
    return space_dot(across, across) > SEGMENTS_PARALLEL &&
           meeting_gap(a, b, m, n) <= fmax(0, features_gap(a, b)) + HELD * fmin(a->reach, b->reach);
}

/* ---------------------------------------------------------------- lists */

/* Where there are more than there is room for, those with the smallest gaps stay. */
static void keep(found *f, const meeting *m, double gap) {
    int at = f->count;
    if (f->count < MEETINGS_MOST) f->count++;
    else {
        at = 0;
        for (int i = 1; i < f->count; i++)
            if (f->gap[i] > f->gap[at]) at = i;
        if (gap >= f->gap[at]) return;
    }
    f->out[at] = *m, f->gap[at] = gap;
}

void features_add(found *f, gap_kind kind, bool swapped, int first, int second) {
    const meeting m = {kind, swapped, first, second};
    double n[3];
    const double gap = meeting_gap(f->a, f->b, &m, n);
    f->least = fmin(f->least, gap);
    if (f->out && gap <= f->margin) keep(f, &m, gap);
}

/* ---------------------------------------------------------------- round cores: a vertex or an edge, and a radius */

bool is_outward(const core *c, const double x[3], const double direction[3], double size) {
    double w[3];
    for (int i = 0; i < c->vertices; i++) {
        minus(c->vertex[i], x, w);
        if (space_dot(w, direction) > SAME * size) return false;
    }
    return true;
}

/* Between the ends of a side of a polygon. */
static bool is_beside(const core *c, const polytope_face *f, const double x[3], double slack) {
    const double *start = c->vertex[c->corner[f->first]], *end = c->vertex[c->corner[f->first + 1]];
    double e[3], w[3];
    minus(end, start, e), minus(x, start, w);
    const double s = space_dot(w, e), square = space_dot(e, e), beyond = slack * sqrt(square);
    return s >= -beyond && s <= square + beyond;
}

bool is_inside_face(const core *c, const polytope_face *f, const double x[3], double slack) {
    if (c->planar) return is_beside(c, f, x, slack);
    for (int i = 0; i < f->count; i++) {
        const double *p = c->vertex[c->corner[f->first + i]], *q = c->vertex[c->corner[f->first + (i + 1) % f->count]];
        double e[3], inward[3], w[3];
        minus(q, p, e), minus(x, p, w);
        space_cross(f->normal, e, inward);
        const double inside = space_dot(inward, w);
        if (inside < 0 && inside < -slack * sqrt(space_dot(e, e))) return false;
    }
    return true;
}

/* The face that x lies farthest outside of, or least deep inside; -1: there are none. */
static int outermost_face(const core *c, const double x[3], double *height) {
    int best = -1;
    *height = -HUGE_VAL;
    for (int f = 0; f < c->faces; f++) {
        const double h = face_height(&c->face[f], x);
        if (h > *height) *height = h, best = f;
    }
    return best;
}

/* What of a core is nearest to a vertex outside; inside it, the nearest face (CF3). */
static void nearest_feature(found *f, const core *other, const double x[3], int vertex, bool swapped) {
    double height, n[3], least = HUGE_VAL;
    const int outermost = outermost_face(other, x, &height);
    if (outermost >= 0 && (height <= 0 || f->a->radius + f->b->radius == 0)) {
        features_add(f, GAP_FACE, swapped, vertex, outermost);
        return;
    }
    meeting best = {0};
    for (int i = 0; i < other->faces; i++) {
        const double h = face_height(&other->face[i], x);
        if (h > 0 && h < least && is_inside_face(other, &other->face[i], x, 0))
            least = h, best = (meeting){GAP_FACE, swapped, vertex, i};
    }
    for (int i = 0; i < other->edges; i++) {
        const line l = line_of(other, i);
        double w[3];
        minus(x, l.start, w);
        const double s = space_dot(w, l.e), h = gap_line(x, &l, n);
        if (s > 0 && s < l.length && h < least) least = h, best = (meeting){GAP_LINE, swapped, vertex, i};
    }
    for (int i = 0; i < other->vertices; i++) {
        const double h = gap_points(x, other->vertex[i], n);
        if (h < least) least = h, best = (meeting){GAP_POINTS, swapped, vertex, i};
    }
    if (least < HUGE_VAL) features_add(f, best.kind, swapped, vertex, best.second);
}

/* Where two lines are nearest: at s and t from their starts. */
bool lines_cross(const line *l, const line *k, double *s, double *t) {
    double w[3];
    minus(l->start, k->start, w);
    const double c = space_dot(l->e, k->e), D = 1 - c * c, lw = space_dot(l->e, w), kw = space_dot(k->e, w);
    *s = (c * kw - lw) / D, *t = (kw - c * lw) / D;
    return D > PARALLEL;
}

/* The edge of a round core across the edges, and against the vertices, of another one, where these are nearest (CF4).
 */
static void edge_features(found *f, const core *round, const core *other, bool swapped) {
    const line l = line_of(round, 0);
    for (int i = 0; i < other->edges; i++) {
        const line k = line_of(other, i);
        double s, t, x[3], y[3], out[3];
        if (!lines_cross(&l, &k, &s, &t) || !(s > 0 && s < l.length && t > 0 && t < k.length)) continue;
        along(l.start, s, l.e, x), along(k.start, t, k.e, y);
        minus(x, y, out);
        if (!is_outward(other, y, out, f->size)) continue;
        features_add(f, GAP_LINES, swapped, 0, i);
    }
    for (int i = 0; i < other->vertices; i++) {
        const double *y = other->vertex[i];
        double w[3], x[3], out[3];
        minus(y, l.start, w);
        const double s = space_dot(w, l.e);
        along(l.start, s, l.e, x);
        minus(x, y, out);
        if (s > 0 && s < l.length && is_outward(other, y, out, f->size)) features_add(f, GAP_LINE, !swapped, i, 0);
    }
}

static bool is_round(const core *c) {
    return !c->half_space && c->faces == 0;
}

static void round_features(found *f, const core *round, const core *other, bool swapped) {
    for (int i = 0; i < round->vertices; i++) nearest_feature(f, other, round->vertex[i], i, swapped);
    if (round->edges > 0 && round->radius > 0) edge_features(f, round, other, swapped);
}

static void ends_near(found *f, const core *of, const core *other, bool swapped) {
    for (int i = 0; i < of->vertices; i++) features_add(f, other->edges ? GAP_SEGMENT : GAP_POINTS, swapped, i, 0);
}

/* Two round cores: the ends of each against the other, and, in space, where they cross. None of these features changes.
 */
static void round_pair(found *f, const core *a, const core *b) {
    if (a->edges == 0 || b->edges > 0) ends_near(f, a, b, false);
    if (a->edges > 0) ends_near(f, b, a, true);
    if (a->edges > 0 && b->edges > 0 && !a->planar) features_add(f, GAP_SEGMENTS, false, 0, 0);
}

/* ---------------------------------------------------------------- pairs */

static void on_half_space(found *f, const core *c, bool swapped) {
    for (int i = 0; i < c->vertices; i++) features_add(f, GAP_FACE, swapped, i, 0);
}

static void look(found *f, const core *a, const core *b) {
    if (a->rim > 0 || b->rim > 0) cylinder_features(f, a->rim > 0 ? a : b, a->rim > 0 ? b : a);
    else if (b->half_space) on_half_space(f, a, false);
    else if (a->half_space) on_half_space(f, b, true);
    else if (is_round(a) && is_round(b) && a->radius + b->radius == 0) return; /* points do not meet */
    else if (is_round(a) && is_round(b)) round_pair(f, a, b);
    else if (is_round(a)) round_features(f, a, b, false);
    else if (is_round(b)) round_features(f, b, a, true);
    else polytope_features(f, a, b);
}

static double size_of(const core *a, const core *b) {
    return fmin(a->reach, b->reach);
}

int features_meet(const core *a, const core *b, double margin, double noise, meeting *out) {
    const double size = size_of(a, b), better = fmax(PREFERENCE, noise) * size;
    found f = {.a = a, .b = b, .margin = margin, .size = size, .least = HUGE_VAL, .better = better, .out = out};
    look(&f, a, b);
    return f.count;
}

double features_gap(const core *a, const core *b) {
    const double size = size_of(a, b);
    found f = {.a = a, .b = b, .margin = -HUGE_VAL, .size = size, .least = HUGE_VAL, .better = PREFERENCE * size};
    look(&f, a, b);
    return f.least;
}
