/* Which features of a cylinder and another shape meet: docs/theory/contacts.md, (CF21) to (CF28). */
#include "cylinder_inside.h"

/* A rim that is this flat on a face (the sine of the angle), or may come to be, touches with points of it, else with
 * its lowest (CF22). */
#define FLAT 0.01
#define NEARLY_FLAT 0.5
/* Points that are always there of a rim that may lie flat. */
enum { STANDS_ON = 8 };
/* The lowest point joins them if it is lower by more than this part of a size. */
#define LOWER 5e-10
static const double pi = 3.14159265358979323846;

/* The first feature is that of `owner`. */
static void add(found *f, gap_kind kind, const core *owner, int first, int second) {
    features_add(f, kind, owner == f->b, first, second);
}

/* ---------------------------------------------------------------- rims over faces */

static bool is_over(const core *of, int face, const double x[3], double slack) {
    double height;
    if (of->half_space) return true;
    return of->rim > 0 ? radius_at(of, x, &height) <= of->rim + slack : is_inside_face(of, &of->face[face], x, slack);
}

static void add_point(found *f, const core *c, const core *of, int face, int number) {
    double x[3];
    core_point(c, number, x);
    if (is_over(of, face, x, SAME * f->size)) add(f, GAP_FACE, c, number, face);
}

static void crossing_points(found *f, const core *c, int rim, const core *of, int face) {
    int number[2];
    if (!find_crossing_points(c, rim, of, face, number)) return;
    for (int i = 0; i < 2; i++) add(f, GAP_FACE, c, number[i], face);
}

/* A rim that lies flat, or may before the step ends: some of its points, and the lowest. */
static void flat_rim(found *f, const core *c, int rim, const core *of, int face, const double low[3], double sine) {
    const double lowest = angle_of(c, low), part = 2 * pi / STANDS_ON;
    for (int k = 0; k < STANDS_ON; k++) add_point(f, c, of, face, rim_number(c, rim, k * part));
    const double beside = lowest - part * round(lowest / part);
    if (c->rim * sine * (1 - cos(beside)) > LOWER * f->size) add_point(f, c, of, face, rim_number(c, rim, lowest));
    if (of->rim > 0) crossing_points(f, c, rim, of, face);
}

static void rim_over_face(found *f, const core *c, int rim, const core *of, int face) {
    const double *n = of->face[face].normal, *e = c->face[rim].normal, slope = space_dot(n, e);
    double low[3], x[3];
    for (int i = 0; i < 3; i++) low[i] = slope * e[i] - n[i];
    const double sine = sqrt(space_dot(low, low));
    const bool flat = sine < FLAT || (sine < NEARLY_FLAT && c->rim * sine <= f->margin);
    if (!flat) {
        along(c->vertex[rim], c->rim / sine, low, x);
        if (is_over(of, face, x, SAME * f->size)) add(f, GAP_RIM_FACE, c, rim, face);
    }
    if (flat && slope < 0) flat_rim(f, c, rim, of, face, low, sine);
}

/* ---------------------------------------------------------------- round shapes: a vertex or an edge, and a radius */

/* What of the cylinder is nearest to a vertex (CF24) */
static void vertex_near(found *f, const core *c, const core *round, int vertex) {
    double height;
    const double radius = radius_at(c, round->vertex[vertex], &height), half = half_length(c);
    const double beside = radius - c->rim, beyond = fabs(height) - half;
    const int end = height > 0;
    if (beside > 0 && beyond > 0 && round->radius > 0) add(f, GAP_RIM_POINT, round, vertex, end);
    else if (beside > beyond) add(f, GAP_LINE, round, vertex, 0);
    else add(f, GAP_FACE, round, vertex, end);
}

/* A rim beside an edge along its axis: where the edge has a foot of its centre (CF27). */
static bool is_beside(const core *c, int rim, const line *l, double slack) {
    double w[3];
    minus(c->vertex[rim], l->start, w);
    const double at = space_dot(w, l->e);
    return at >= -slack && at <= l->length + slack;
}

static void rims_near_edge(found *f, const core *c, const core *of, int edge) {
    const line l = line_of(of, edge);
    const bool parallel = square_sine(l.e, c->face[1].normal) < PARALLEL;
    near_point at[NEAREST_MOST];
    for (int rim = 0; rim < 2; rim++) {
        if (parallel) {
            if (is_beside(c, rim, &l, SAME * f->size)) add(f, GAP_RIM_LINE, c, rim, edge);
            continue;
        }
        const int count = points_near_line(c, rim, of, edge, 0, at);
        for (int i = 0; i < count; i++) add(f, GAP_LINE, c, at[i].number, edge);
    }
}

static void round_on_cylinder(found *f, const core *c, const core *round) {
    for (int i = 0; i < round->vertices; i++) vertex_near(f, c, round, i);
    if (!round->edges || !(round->radius > 0)) return;
    const line l = line_of(round, 0), k = line_of(c, 0);
    double s, t;
    if (lines_cross(&l, &k, &s, &t) && s > 0 && s < l.length && t > 0 && t < k.length)
        add(f, GAP_SEGMENTS, round, 0, 0);
    rims_near_edge(f, c, round, 0);
}

/* ---------------------------------------------------------------- what they have in common */

/* Vertices over an end of the cylinder, and edges that cross its rim as seen along its axis. */
static void polytope_over_end(found *f, const core *p, const core *c, int end) {
    const circle o = rim_of(c, end);
    double x[3], n[3], w[3];
    for (int i = 0; i < p->vertices; i++)
        if (is_over(c, end, p->vertex[i], SAME * f->size)) add(f, GAP_FACE, p, i, end);
    for (int i = 0; i < p->edges; i++)
        for (int side = -1; side <= 1; side += 2) {
            const line l = line_of(p, i);
            if (!rim_crosses(&o, &l, side, x, n) || space_dot(n, o.axis) < NEAR_FACE) continue;
            minus(x, l.start, w);
            const double at = space_dot(w, l.e);
            if (at > 0 && at < l.length) add(f, GAP_RIM_CHORD, p, i, 2 * end + (side > 0));
        }
}

/* Rims over a face, and where the side of the cylinder crosses the edges of the face. */
static void cylinder_over_face(found *f, const core *c, const core *of, int face) {
    const line l = line_of(c, 0);
    for (int rim = 0; rim < 2; rim++) rim_over_face(f, c, rim, of, face);
    for (int i = 0; i < of->edges && !(of->rim > 0); i++) {
        const line k = line_of(of, i);
        double s, t, n[3];
        if (!is_side(of, face, i) || !lines_cross(&l, &k, &s, &t)) continue;
        space_cross(l.e, k.e, n);
        space_unit(n);
        if (s > 0 && s < l.length && t > 0 && t < k.length && fabs(space_dot(n, of->face[face].normal)) >= NEAR_FACE)
            add(f, GAP_SEGMENTS, of, i, 0);
    }
}

static void over_face(found *f, const core *x, const core *of, int face) {
    if (x->rim > 0) cylinder_over_face(f, x, of, face);
    else polytope_over_end(f, x, of, face);
}

/* The end of one cylinder against the side of another. */
static void rim_under_side(found *f, const core *of, int rim, const core *x) {
    near_point at[NEAREST_MOST];
    const int count = points_near_line(of, rim, x, 0, 0, at);
    for (int i = 0; i < count; i++)
        if (space_dot(at[i].normal, of->face[rim].normal) < -NEAR_FACE) add(f, GAP_LINE, of, at[i].number, 0);
}

static int facing(const core *x, const double n[3]) {
    int best = -1;
    double most = NEAR_FACE;
    for (int i = 0; i < x->faces; i++)
        if (-space_dot(x->face[i].normal, n) > most) most = -space_dot(x->face[i].normal, n), best = i;
    return best;
}

static void list_face(const contest *t) {
    const core *of = t->best.owner, *x = of == t->c ? t->o : t->c;
    const int face = t->best.features.second, against = facing(x, of->face[face].normal);
    over_face(t->f, x, of, face);
    if (against >= 0) over_face(t->f, of, x, against);
    else if (x->rim > 0 && of->rim > 0) rim_under_side(t->f, of, face, x);
}

/* Vertices and rims along the side of the cylinder, where an edge of the other lies along it. */
static void list_along_side(const contest *t) {
    const core *c = t->c, *o = t->o;
    for (int i = 0; i < o->vertices && !(o->rim > 0); i++) {
        double height, w[3], n[3];
        if (radius_at(c, o->vertex[i], &height) < c->rim / 2 || fabs(height) > half_length(c)) continue;
        minus(o->vertex[i], c->centre, w);
        along(w, -height, c->face[1].normal, n);
        if (!space_unit(n) || space_dot(n, t->best.n) < NEAR_FACE) continue;
        if (supports_part(o, c, n) > space_dot(n, w) - c->rim - SAME * t->f->size) add(t->f, GAP_LINE, o, i, 0);
    }
    for (int i = 0; i < o->edges; i++) {
        const line l = line_of(o, i);
        if (square_sine(l.e, c->face[1].normal) >= PARALLEL) continue;
        for (int rim = 0; rim < 2; rim++) {
            const meeting m = {GAP_RIM_LINE, false, rim, i};
            double n[3], radius[2];
            meeting_radii(c, o, GAP_RIM_LINE, radius);
            const double gap = rim_gap(c, o, &m, n) - radius[1];
            const double bend = between_ends(square_sine(l.e, c->face[1].normal), l.length, c->rim + radius[1]);
            const double least = gap - SAME * t->f->size - 4 * bend; /* they may cross at its other end */
            const bool parts = -space_dot(n, t->best.n) >= NEAR_FACE;
            turn_round(n);
            if (parts && is_beside(c, rim, &l, SAME * t->f->size) && supports_part(o, c, n) > least)
                add(t->f, GAP_RIM_LINE, c, rim, i);
        }
    }
    for (int rim = 0; rim < 2 && o->rim > 0; rim++) {
        const line l = line_of(c, 0);
        if (square_sine(l.e, o->face[1].normal) < PARALLEL && is_beside(o, rim, &l, SAME * t->f->size))
            add(t->f, GAP_RIM_LINE, o, rim, 0);
    }
}

static bool is_listed(const found *f, const axis *best) {
    for (int i = 0; i < f->count; i++)
        if (f->out[i].kind == best->features.kind && f->out[i].first == best->features.first &&
            f->out[i].second == best->features.second && f->out[i].swapped == (best->owner == f->b))
            return true;
    return false;
}

static bool is_side_by_side(const contest *t) {
    if (t->best.features.kind != GAP_SEGMENTS) return false;
    const line l = line_of(t->best.owner, t->best.features.first);
    return square_sine(l.e, t->c->face[1].normal) <= SIDE_BY_SIDE;
}

/* The lowest point over a face, wherever it is. */
static void add_lowest(found *f, const axis *best, const core *x) {
    const core *of = best->owner;
    const int face = best->features.second;
    const double *n = of->face[face].normal, down[3] = {-n[0], -n[1], -n[2]};
    int lowest = 0;
    for (int i = 1; i < x->vertices; i++)
        if (space_dot(n, x->vertex[i]) < space_dot(n, x->vertex[lowest])) lowest = i;
    if (!(x->rim > 0)) add(f, GAP_FACE, x, lowest, face);
    else if (square_sine(n, x->face[1].normal) >= FLAT * FLAT) add(f, GAP_RIM_FACE, x, lowest, face);
    else add(f, GAP_FACE, x, rim_number(x, lowest, angle_of(x, down)), face);
}

static void list_common(const contest *t) {
    found *f = t->f;
    if (t->best.kind == OF_FACE) {
        list_face(t);
        if (!f->count) add_lowest(f, &t->best, t->best.owner == t->c ? t->o : t->c);
        return;
    }
    list_along_side(t);
    if (!is_listed(f, &t->best) && !is_side_by_side(t))
        add(f, t->best.features.kind, t->best.owner, t->best.features.first, t->best.features.second);
}

/* Where shapes are apart, gaps that are not open are those of features that do not meet. */
static void drop_closed(found *f) {
    int kept = 0;
    for (int i = 0; i < f->count; i++)
        if (f->gap[i] > 0) f->out[kept] = f->out[i], f->gap[kept++] = f->gap[i];
    f->count = kept;
}

static void part_cylinder(found *f, const core *c, const core *o) {
    contest t = {.f = f, .c = c, .o = o, .best = {.separation = -HUGE_VAL}};
    contest_run(&t);
    const double apart = t.best.separation > 0 ? t.best.separation : supports_gap(o, c);
    const double gap = apart > 0 ? apart : t.best.separation;
    if (f->out && gap <= f->margin) list_common(&t);
    if (gap > PREFERENCE * f->size) drop_closed(f);
    f->least = gap;
}

void cylinder_features(found *f, const core *c, const core *o) {
    if (o->half_space)
        for (int rim = 0; rim < 2; rim++) rim_over_face(f, c, rim, o, 0);
    else if (o->faces == 0) round_on_cylinder(f, c, o);
    else part_cylinder(f, c, o);
}

double features_bend(const core *a, const core *b) {
    const core *c = a->rim > 0 ? a : b, *o = c == a ? b : a;
    double longest = 0;
    if (!(c->rim > 0)) return 0;
    for (int i = 0; i < o->edges; i++) {
        const line l = line_of(o, i);
        if (square_sine(l.e, c->face[1].normal) < 2 * SIDE_BY_SIDE) longest = fmax(longest, l.length);
    }
    return 2 * between_ends(SIDE_BY_SIDE, fmin(longest, 2 * half_length(c)), c->rim + o->rim + o->radius);
}

meeting meeting_of_lowest(const core *a, const core *b, const meeting *m) {
    const core *c = m->swapped ? b : a, *of = m->swapped ? a : b;
    const double *n = of->face[m->second].normal, down[3] = {-n[0], -n[1], -n[2]};
    return (meeting){GAP_FACE, m->swapped, rim_number(c, m->first, angle_of(c, down)), m->second};
}
