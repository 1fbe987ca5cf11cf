/* Axes that may part a cylinder from a polytope or another cylinder: docs/theory/contacts.md, (CF28). */
#include "cylinder_inside.h"

/* Rims whose normal is farther than this (cosine) from the line in which their planes meet graze (CF26). */
#define GRAZES 0.05
/* Ends that face each other to this cosine cross as seen along an axis. */
#define FACING 0.97

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

/* Axes of the cylinder and an edge or an axis of the other: across both. */
static void try_across(contest *t, int edge) {
    const line l = line_of(t->o, edge);
    double n[3], apart[3], w[3];
    minus(t->o->centre, t->c->centre, apart), minus(l.start, t->c->centre, w);
    space_cross(l.e, t->c->face[1].normal, n);
    if (!(space_dot(n, n) > PARALLEL)) return;
    space_unit(n);
    if (space_dot(n, apart) < 0) turn_round(n);
    try_axis(t, OF_SIDE, n, space_dot(n, w) - t->c->rim - t->o->rim, t->o, (meeting){GAP_LINES, false, edge, 0});
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
        const int count = parallel ? 1 : points_near_line(c, rim, of, 0, at);
        for (int i = 0; i < count; i++) {
            if (!parallel) m.kind = GAP_LINE, m.first = at[i].number;
            const double own = meeting_gap(t->f->a, t->f->b, &m, at[i].normal);
            if (c == t->c) turn_round(at[i].normal);
            try_axis(t, OF_SIDE, at[i].normal, own, c, m);
        }
    }
}

/* Two rims that cross, their planes at an angle: where these meet (CF26). If they are nearly parallel, a point of the
 * other rim over the end of the cylinder. */
static void try_crossing(contest *t, meeting m, const double n[3]) {
    const int rim = m.first / 2, end = m.second / 2;
    const double *e = t->c->face[end].normal, *d = t->o->face[rim].normal;
    double unused[3], across[3];
    int tip[2];
    const double own = meeting_gap(t->f->a, t->f->b, &m, unused);
    space_cross(e, d, across);
    if (-space_dot(e, d) > FACING && space_dot(n, e) > NEAR_FACE) {
        if (!find_crossing_points(t->o, rim, t->c, end, tip)) return;
        m = (meeting){GAP_FACE, m.swapped, tip[0], end};
        const double first = meeting_gap(t->f->a, t->f->b, &m, unused);
        m.first = tip[1];
        if (first < meeting_gap(t->f->a, t->f->b, &m, unused)) m.first = tip[0];
    } else if (fabs(space_dot(n, across)) < GRAZES * sqrt(space_dot(across, across))) {
        return;
    }
    try_axis(t, OF_RIM, n, own, t->o, m);
}

static void try_pairs_of_rims(contest *t) {
    double x[3], n[3];
    for (int k = 0; k < 16; k++) {
        const meeting m = {GAP_RIMS, t->o == t->f->b, k & 3, k >> 2};
        const circle o = rim_of(t->o, m.first / 2), p = rim_of(t->c, m.second / 2);
        if (rims_cross(&o, &p, m.first % 2 ? 1 : -1, m.second % 2 ? 1 : -1, x, n)) try_crossing(t, m, n);
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
