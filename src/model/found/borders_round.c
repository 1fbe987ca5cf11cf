/* Borders of spheres and capsules with polytopes: docs/theory/contacts.md, (CF36), (CF38). */
#include <string.h>

#include "borders_inside.h"

/* An axis and an edge that are more parallel (squared sine) do not cross: (CF20) is not exact there. */
#define ROUND_PARALLEL 1e-6

/* ---------------------------------------------------------------- a vertex of the round shape */

/* On the inner or outer side of the wall over an edge of a face. */
static void require_wall(listing *l, int vertex, int face, int edge, int side) {
    const core *y = l->y->own;
    const polytope_face *f = &y->face[face];
    const line k = line_of(y, edge);
    double inward[3], w[3];
    space_cross(f->normal, k.e, inward);
    minus(y->vertex[y->corner[f->first]], k.start, w);
    for (int i = 1; i < f->count && fabs(space_dot(w, inward)) < SAME * y->reach; i++)
        minus(y->vertex[y->corner[f->first + i]], k.start, w);
    if (space_dot(w, inward) < 0) side = -side;
    borders_require_plane(l, l->x, l->y, vertex, k.start, inward, side);
}

/* What bounds a face in space, or, of a polygon, is a face itself: from one vertex to another. */
static int rods(const core *c) {
    return c->planar ? c->faces : c->edges;
}

static const int *ends_of(const core *c, int rod) {
    return c->planar ? &c->corner[c->face[rod].first] : c->edge[rod];
}

static line rod_line(const core *c, int rod) {
    const int *end = ends_of(c, rod);
    return line_between(c->vertex[end[0]], c->vertex[end[1]]);
}

/* Before the end of a rod, or beyond it. */
static void require_end(listing *l, int vertex, int rod, int end, int side) {
    const core *y = l->y->own;
    const line k = rod_line(y, rod);
    borders_require_plane(l, l->x, l->y, vertex, y->vertex[end], k.e, ends_of(y, rod)[0] == end ? side : -side);
}

static bool is_end(const core *c, int rod, int vertex) {
    return ends_of(c, rod)[0] == vertex || ends_of(c, rod)[1] == vertex;
}

static void over_faces(listing *l, int vertex) {
    const core *y = l->y->own;
    for (int f = 0; f < y->faces; f++) {
        if (borders_height(l->y->placed, f, l->x->placed->vertex[vertex]) <= 0) continue;
        borders_begin_row(l);
        for (int e = 0; e < y->edges; e++)
            if (is_side(y, f, e)) require_wall(l, vertex, f, e, 1);
        for (int k = 0; k < 2 && y->planar; k++) require_end(l, vertex, f, ends_of(y, f)[k], 1);
        borders_end_row(l, GAP_FACE, vertex, f);
    }
}

/* ---------------------------------------------------------------- an axis, (CF38) */

static bool is_parallel(const listing *l, int rod) {
    const line axis = line_of(l->x->placed, 0), k = rod_line(l->y->placed, rod);
    double across[3];
    space_cross(axis.e, k.e, across);
    return space_dot(across, across) <= ROUND_PARALLEL;
}

void borders_require_crossing(listing *l, bool of_axis, int vertex, int rod, int side) {
    const line axis = line_of(l->x->own, 0), k = rod_line(l->y->own, rod);
    const line *own = of_axis ? &axis : &k, *other = of_axis ? &k : &axis;
    border b = {.vertex = vertex, .kind = GAP_CROSSING};
    memcpy(b.numbers.e, own->e, sizeof b.numbers.e);
    memcpy(b.numbers.y, other->start, sizeof b.numbers.y);
    memcpy(b.numbers.d, other->e, sizeof b.numbers.d);
    borders_require(l, of_axis ? l->x : l->y, of_axis ? l->y : l->x, &b, side);
}

/* An end of the axis is nearest to the edge: the crossing is beyond it. Spheres have no axis. */
static void require_end_nearest(listing *l, int vertex, int edge) {
    if (l->x->own->edges > 0 && !is_parallel(l, edge))
        borders_require_crossing(l, true, vertex, edge, vertex == 0 ? 1 : -1);
}

/* A vertex of the polytope, before an end of the axis (1) or beyond it. */
static void require_beside(listing *l, int vertex, int end, int side) {
    const line axis = line_of(l->x->own, 0);
    borders_require_plane(l, l->y, l->x, vertex, l->x->own->vertex[end], axis.e, end == 0 ? side : -side);
}

static void beside_edges(listing *l, int vertex) {
    const core *y = l->y->own;
    for (int e = 0; e < y->edges; e++) {
        borders_begin_row(l);
        for (int k = 0; k < 2; k++)
            require_wall(l, vertex, y->side[e][k], e, -1), require_end(l, vertex, e, y->edge[e][k], 1);
        require_end_nearest(l, vertex, e);
        borders_end_row(l, GAP_LINE, vertex, e);
    }
}

static void beside_vertices(listing *l, int vertex) {
    const core *y = l->y->own;
    for (int v = 0; v < y->vertices; v++) {
        borders_begin_row(l);
        for (int e = 0; e < rods(y); e++)
            if (is_end(y, e, v)) require_end(l, vertex, e, v, -1);
        if (l->x->own->edges > 0) require_beside(l, v, vertex, -1);
        borders_end_row(l, GAP_POINTS, vertex, v);
    }
}

static void axis_on_edges(listing *l) {
    const core *y = l->y->own;
    for (int e = 0; e < y->edges; e++) {
        if (is_parallel(l, e)) continue;
        borders_begin_row(l);
        for (int k = 0; k < 2; k++) {
            borders_require_crossing(l, true, k, e, k == 0 ? -1 : 1);
            borders_require_crossing(l, false, y->edge[e][k], e, k == 0 ? -1 : 1);
        }
        borders_end_row(l, GAP_SEGMENTS, 0, e);
    }
}

static void axis_on_vertices(listing *l) {
    const core *y = l->y->own;
    for (int v = 0; v < y->vertices; v++) {
        borders_begin_row(l);
        for (int end = 0; end < 2; end++) require_beside(l, v, end, 1);
        for (int e = 0; e < rods(y); e++)
            if (is_end(y, e, v) && !is_parallel(l, e))
                borders_require_crossing(l, false, v, e, ends_of(y, e)[0] == v ? 1 : -1);
        l->swapped = !l->swapped;
        borders_end_row(l, GAP_LINE, v, 0);
        l->swapped = !l->swapped;
    }
}

/* ---------------------------------------------------------------- all */

void borders_of_round(listing *l) {
    for (int v = 0; v < l->x->own->vertices; v++) over_faces(l, v), beside_edges(l, v), beside_vertices(l, v);
    if (l->x->own->edges > 0) axis_on_edges(l), axis_on_vertices(l);
}
