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

static double gap_face(const double x[3], const polytope_face *f, double n[3]) {
    double w[3];
    minus(x, f->point, w);
    memcpy(n, f->normal, 3 * sizeof *n);
    return space_dot(n, w);
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
        return gap_face(x, &second->face[m->second], normal);
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

/* The direction is outward at x: no point of the core lies beyond the plane through x across it. */
static bool is_outward(const core *c, const double x[3], const double direction[3], double size) {
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
        if (space_dot(inward, w) < -slack * sqrt(space_dot(e, e))) return false;
    }
    return true;
}

/* The face that x lies farthest outside of, or least deep inside; -1: there are none. */
static int outermost_face(const core *c, const double x[3], double *height) {
    int best = -1;
    double n[3];
    *height = -HUGE_VAL;
    for (int f = 0; f < c->faces; f++) {
        const double h = gap_face(x, &c->face[f], n);
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
        const double h = gap_face(x, &other->face[i], n);
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

/* ---------------------------------------------------------------- polytopes */

/* The axis along which two polytopes are farthest apart, or overlap least: across a face of either, or across an edge
 * of each (CF6). */
typedef struct axis {
    double separation;
    bool edges, swapped; /* of edges, or of a face of a (of b, where swapped: the vertices are those of a) */
    int first, second;   /* edges of a and b, or the face in first */
} axis;

static double lowest(const core *c, const double n[3]) {
    double least = HUGE_VAL;
    for (int i = 0; i < c->vertices; i++) {
        const double height = space_dot(n, c->vertex[i]);
        if (height < least) least = height;
    }
    return least;
}

static void try_faces(const core *of, const core *other, bool swapped, axis *best) {
    for (int i = 0; i < of->faces; i++) {
        const double *n = of->face[i].normal, separation = lowest(other, n) - space_dot(n, of->face[i].point);
        if (separation > best->separation) *best = (axis){separation, false, swapped, i, 0};
    }
}

/* The two edges support the shapes across n, from b to a: a lies above its edge, b below. */
static bool edges_support(const core *a, const core *b, const line *l, const line *k, const double n[3], double size) {
    double down[3];
    for (int i = 0; i < 3; i++) down[i] = -n[i];
    return is_outward(a, l->start, down, size) && is_outward(b, k->start, n, size);
}

/* Across the normals of both faces of an edge. */
static void across_faces(const core *c, int edge, double across[3]) {
    space_cross(c->face[c->side[edge][0]].normal, c->face[c->side[edge][1]].normal, across);
}

/* Whether the normals of planes that touch a along an edge, an arc between those of its two faces, cross those that
 * touch b along another from the other side: only then both edges support the shapes across a common axis (CF29).
 * across: the faces of the edge of a. */
static bool arcs_cross(const core *a, int i, const double across[3], const core *b, int j) {
    const double *A = a->face[a->side[i][0]].normal, *B = a->face[a->side[i][1]].normal;
    const double *C = b->face[b->side[j][0]].normal, *D = b->face[b->side[j][1]].normal;
    double Y[3];
    const double c = space_dot(C, across), d = space_dot(D, across);
    if (!(c * d < 0)) return false;
    across_faces(b, j, Y);
    const double e = space_dot(A, Y), f = space_dot(B, Y);
    return e * f < 0 && c * f < 0;
}

static void try_edges(const core *a, const core *b, double size, double better, axis *best) {
    const double face = best->separation;
    for (int i = 0; i < a->edges; i++) {
        double across[3];
        across_faces(a, i, across);
        for (int j = 0; j < b->edges; j++) {
            if (!arcs_cross(a, i, across, b, j)) continue;
            const line l = line_of(a, i), k = line_of(b, j);
            double n[3], apart[3];
            space_cross(l.e, k.e, n);
            if (!(space_dot(n, n) > PARALLEL)) continue;
            minus(a->centre, b->centre, apart);
            const double separation = gap_lines(&l, &k, apart, n);
            if (separation > best->separation && separation > face + better && edges_support(a, b, &l, &k, n, size))
                *best = (axis){separation, true, false, i, j};
        }
    }
}

/* A face that parts them by more than enough will do. Faces of a and b that lie on each other are equally good. Those
 * of a are taken, so that contacts at rest keep their identities, unless one of b is better by more than round-off
 * could make it. */
static axis separating_axis(const core *a, const core *b, double enough, double better, double *separation) {
    const double size = fmin(a->reach, b->reach);
    axis best = {.separation = -HUGE_VAL}, of_b = best;
    try_faces(a, b, false, &best);
    *separation = best.separation;
    if (*separation > enough) return best;
    try_faces(b, a, true, &of_b);
    *separation = fmax(best.separation, of_b.separation);
    if (*separation > enough) return best;
    if (of_b.separation > best.separation + better) best = of_b;
    try_edges(a, b, size, better, &best);
    *separation = fmax(*separation, best.separation);
    return best;
}

/* What lies over a face: points of the other polytope that are found once. */
typedef struct region {
    const core *of, *other;
    const polytope_face *face;
    bool swapped; /* the face is that of b */
    double point[MEETINGS_MOST][3];
    int points;
} region;

static bool is_new(region *r, const double x[3], double size) {
    double w[3];
    for (int i = 0; i < r->points; i++) {
        minus(x, r->point[i], w);
        along(w, -space_dot(w, r->face->normal), r->face->normal, w);
        if (space_dot(w, w) < SAME * SAME * size * size) return false;
    }
    if (r->points < MEETINGS_MOST) memcpy(r->point[r->points++], x, 3 * sizeof *x);
    return true;
}

/* Whether n of two edges that cross parts the polytopes: as their centres lie, and near the normal of the face or
 * supporting both. An edge that stands on the face crosses its sides too, but there n lies along the face (CF8). */
static bool crossing_parts(const region *r, const line *l, const line *k, double size) {
    double n[3], apart[3];
    space_cross(l->e, k->e, n);
    space_unit(n);
    const double up = space_dot(n, r->face->normal);
    for (int i = 0; i < 3 && up < 0; i++) n[i] = -n[i];
    minus(r->other->centre, r->of->centre, apart);
    return space_dot(n, apart) > 0 && (fabs(up) >= NEAR_FACE || edges_support(r->other, r->of, l, k, n, size));
}

/* Edges of the other polytope that cross an edge of the face, as seen along its normal; k: that edge. */
static void crossing_edges(found *f, region *r, int edge, int side, const line *k) {
    const line l = line_of(r->other, edge);
    line flat = l;
    double s, t, x[3], n[3];
    along(l.e, -space_dot(l.e, r->face->normal), r->face->normal, flat.e);
    const double part = sqrt(space_dot(flat.e, flat.e));
    if (!(part * part > PARALLEL)) return;
    for (int i = 0; i < 3; i++) flat.e[i] /= part;
    along(l.start, -gap_face(l.start, r->face, n), r->face->normal, x);
    flat.start = x, flat.length = l.length * part;
    const double slack = SAME * f->size;
    if (!lines_cross(&flat, k, &s, &t) || s < -slack || s > flat.length + slack || t < -slack || t > k->length + slack)
        return;
    if (!crossing_parts(r, &l, k, f->size)) return;
    double y[3];
    along(l.start, s / part, l.e, y);
    if (gap_face(y, r->face, n) <= f->margin && is_new(r, y, f->size)) {
        if (r->swapped) features_add(f, GAP_LINES, false, edge, side);
        else features_add(f, GAP_LINES, false, side, edge);
    }
}

/* Corners of the face below the face of the other polytope that looks towards it. */
static void corners_below(found *f, region *r) {
    int facing = -1;
    double most = NEAR_FACE, n[3];
    for (int i = 0; i < r->other->faces; i++) {
        const double against = -space_dot(r->other->face[i].normal, r->face->normal);
        if (against > most) most = against, facing = i;
    }
    for (int i = 0; i < r->face->count && facing >= 0; i++) {
        const int corner = r->of->corner[r->face->first + i];
        const double *x = r->of->vertex[corner];
        const polytope_face *above = &r->other->face[facing];
        if (gap_face(x, above, n) <= f->margin && is_inside_face(r->other, above, x, SAME * f->size) &&
            is_new(r, x, f->size))
            features_add(f, GAP_FACE, r->swapped, corner, facing);
    }
}

/* Whether an end of an edge of the other polytope is near the plane of the face. */
static bool is_low(const found *f, const region *r, int edge) {
    double n[3];
    const int *ends = r->other->edge[edge];
    return fmin(gap_face(r->other->vertex[ends[0]], r->face, n), gap_face(r->other->vertex[ends[1]], r->face, n)) <=
           f->margin + SAME * f->size;
}

/* The corners of what two polytopes have in common as seen along the normal of a face (CF8). */
static void face_features(found *f, const core *of, const core *other, int face, bool swapped) {
    region r = {.of = of, .other = other, .face = &of->face[face], .swapped = swapped};
    double n[3];
    for (int i = 0; i < other->vertices; i++)
        if (gap_face(other->vertex[i], r.face, n) <= f->margin &&
            is_inside_face(of, r.face, other->vertex[i], SAME * f->size) && is_new(&r, other->vertex[i], f->size))
            features_add(f, GAP_FACE, !swapped, i, face);
    corners_below(f, &r);
    for (int side = 0; side < of->edges; side++) {
        if (!is_side(of, face, side)) continue;
        const line k = line_of(of, side);
        for (int i = 0; i < other->edges; i++)
            if (is_low(f, &r, i)) crossing_edges(f, &r, i, side, &k);
    }
}

static void polytope_features(found *f, const core *a, const core *b) {
    const axis best = separating_axis(a, b, f->out ? f->margin : HUGE_VAL, f->better, &f->least);
    if (f->least > f->margin || !f->out) return;
    if (best.edges) features_add(f, GAP_LINES, false, best.first, best.second);
    else face_features(f, best.swapped ? b : a, best.swapped ? a : b, best.first, best.swapped);
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

static bool is_polytope(const core *c) {
    return !c->half_space && c->rim == 0 && c->faces > 0;
}

/* One axis that parts two polytopes so far is enough (CF6). */
bool features_part(const core *a, const core *b, double bound) {
    axis best = {.separation = -HUGE_VAL};
    if (is_polytope(a) && is_polytope(b)) {
        double apart[3];
        minus(a->centre, b->centre, apart);
        if (sqrt(space_dot(apart, apart)) >= a->reach + b->reach + fmax(bound, 0)) return true;
        try_faces(a, b, false, &best);
        if (best.separation >= bound) return true;
        try_faces(b, a, true, &best);
        if (best.separation >= bound) return true;
    }
    return features_gap(a, b) >= bound;
}

double features_gap(const core *a, const core *b) {
    const double size = size_of(a, b);
    found f = {.a = a, .b = b, .margin = -HUGE_VAL, .size = size, .least = HUGE_VAL, .better = PREFERENCE * size};
    look(&f, a, b);
    return f.least;
}
