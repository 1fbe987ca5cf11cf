/* Axes that may part a cylinder from a polytope or another cylinder: docs/theory/contacts.md, (CF28). */
#include "cylinder_inside.h"

/* Rims whose normal is farther than this (cosine) from the line in which their planes meet graze, or, by the larger
 * number, are better held by a point of one of them (CF26). */
#define GRAZES 0.05
#define STEEP 0.5
/* Lines more parallel than this (squared sine) have no direction across both. */
#define CROSSES 1e-12
/* A point over an end has the gap of the shapes, if it parts them along the axis to this cosine, 18 degrees. */
#define NEAR_END 0.95

/* An axis that parts the shapes no better than one before is none, and one that parts the features, by `own`, better
 * than the shapes: others lie below these. */
static void try_axis(contest *t, axis_kind kind, const double n[3], double own, const core *owner, meeting features) {
    const double better = t->best.separation + PREFERENCE * t->f->size;
    if (!(own > better)) return;
    const double separation = supports_part(t->o, t->c, n);
    if (separation > better && separation > own - SAME * t->f->size)
        t->best = (axis){kind, separation, {n[0], n[1], n[2]}, owner, features};
}

static void try_face(contest *t, const core *of, int face, double sign) {
    const double *out = of->face[face].normal, n[3] = {sign * out[0], sign * out[1], sign * out[2]};
    const double separation = supports_part(t->o, t->c, n);
    if (separation > t->best.separation + PREFERENCE * t->f->size)
        t->best = (axis){OF_FACE, separation, {n[0], n[1], n[2]}, of, {GAP_FACE, false, 0, face}};
}

static void try_faces(contest *t) {
    for (int i = 0; i < t->o->faces; i++) try_face(t, t->o, i, -1);
    for (int i = 0; i < 2; i++) try_face(t, t->c, i, 1);
}

/* Axes of the cylinder and an edge or an axis of the other: across both, though they are nearly parallel (CF42). */
static void try_across(contest *t, int edge) {
    const line l = line_of(t->o, edge), k = line_of(t->c, 0);
    double n[3], apart[3], w[3], s, at;
    lines_cross(&l, &k, &s, &at);
    if (!(square_sine(l.e, k.e) > CROSSES) || !is_on(&l, s, t->f->size) || !is_on(&k, at, t->f->size)) return;
    minus(t->o->centre, t->c->centre, apart), minus(l.start, t->c->centre, w);
    space_cross(l.e, t->c->face[1].normal, n);
    space_unit(n);
    if (space_dot(n, apart) < 0) turn_round(n);
    try_axis(t, OF_SIDE, n, space_dot(n, w) - t->c->rim - t->o->rim, t->o, (meeting){GAP_SEGMENTS, false, edge, 0});
}

/* The side of the cylinder against vertices of a polytope. */
static void try_vertices(contest *t) {
    for (int i = 0; i < t->o->vertices; i++) {
        double w[3], n[3];
        minus(t->o->vertex[i], t->c->centre, w);
        along(w, -space_dot(w, t->c->face[1].normal), t->c->face[1].normal, n);
        if (space_unit(n)) try_axis(t, OF_SIDE, n, space_dot(n, w) - t->c->rim, t->o, (meeting){GAP_LINE, false, i, 0});
    }
}

/* Rims of the cylinder against an edge of a polytope (CF25). */
static void try_rims(contest *t, int edge) {
    const line l = line_of(t->o, edge);
    double x[3], n[3], w[3];
    for (int k = 0; k < 6; k++) {
        const int rim = k % 2, side = k / 2 - 1;
        const circle o = rim_of(t->c, rim);
        if (!rim_crosses(&o, &l, side, x, n)) continue;
        minus(l.start, x, w);
        if (!is_on(&l, -space_dot(w, l.e), t->f->size)) continue;
        const meeting m = {side ? GAP_RIM_CHORD : GAP_RIM_PIERCED, false, edge, side ? 2 * rim + (side > 0) : rim};
        try_axis(t, OF_RIM, n, space_dot(n, w), t->o, m);
    }
}

/* Rims of one cylinder against the side of the other. */
static void try_rims_near_side(contest *t, const core *c, const core *of) {
    const bool parallel = square_sine(c->face[1].normal, of->face[1].normal) < PARALLEL;
    near_point at[NEAREST_MOST];
    for (int rim = 0; rim < 2; rim++) {
        meeting m = {GAP_RIM_LINE, c == t->f->b, rim, 0};
        const int count = parallel ? 1 : points_near_line(c, rim, of, 0, of->rim, at);
        for (int i = 0; i < count; i++) {
            if (!parallel) m.kind = GAP_LINE, m.first = at[i].number;
            const double own = meeting_gap(t->f->a, t->f->b, &m, at[i].normal);
            if (c == t->c) turn_round(at[i].normal);
            try_axis(t, OF_SIDE, at[i].normal, own, c, m);
        }
    }
}

/* A point of a rim where it crosses that of an end, seen along the axis of this end. */
static meeting point_over(const contest *t, const core *of, int rim, const core *c, int end, const double x[3]) {
    double out[3];
    minus(x, of->vertex[rim], out);
    return (meeting){GAP_FACE, of == t->f->b, rim_number(of, rim, crossing_angle(of, rim, c, angle_of(of, out))), end};
}

/* Two rims that cross where their planes meet (CF26). Where these are nearly parallel to what touches, a point of the
 * one over the end of the other takes their place. */
static void try_crossing(contest *t, meeting m, const double x[3], const double n[3]) {
    const int rim = m.first / 2, end = m.second / 2;
    const double *e = t->c->face[end].normal, *d = t->o->face[rim].normal;
    double unused[3], across[3];
    const double own = meeting_gap(t->f->a, t->f->b, &m, unused);
    space_cross(e, d, across);
    const double along_both = fabs(space_dot(n, across)) / sqrt(space_dot(across, across));
    const core *owner = t->o;
    if (along_both < STEEP && space_dot(n, e) > NEAR_END) m = point_over(t, t->o, rim, t->c, end, x);
    else if (along_both < STEEP && space_dot(n, d) < -NEAR_END) m = point_over(t, owner = t->c, end, t->o, rim, x);
    else if (along_both < GRAZES) return;
    try_axis(t, OF_RIM, n, own, owner, m);
}

static void try_pairs_of_rims(contest *t) {
    double x[3], n[3];
    for (int k = 0; k < 16; k++) {
        const meeting m = {GAP_RIMS, t->o == t->f->b, k & 3, k >> 2};
        const circle o = rim_of(t->o, m.first / 2), p = rim_of(t->c, m.second / 2);
        if (rims_cross(&o, &p, m.first % 2 ? 1 : -1, m.second % 2 ? 1 : -1, x, n)) try_crossing(t, m, x, n);
    }
}

void contest_run(contest *t) {
    try_faces(t);
    for (int i = 0; i < t->o->edges; i++) try_across(t, i);
    if (t->o->rim > 0) {
        try_rims_near_side(t, t->o, t->c), try_rims_near_side(t, t->c, t->o);
        try_pairs_of_rims(t);
        return;
    }
    try_vertices(t);
    for (int i = 0; i < t->o->edges; i++) try_rims(t, i);
}
