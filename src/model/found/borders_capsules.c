/* Borders of spheres and capsules with cylinders: docs/theory/contacts.md, (CF36), (CF38), (CF49) to (CF53). */
#include <string.h>

#include "borders_inside.h"

/* Axes that are more parallel (squared sine of the angle) do not cross. */
#define AXIAL 1e-8
/* Contacts with a rim on either side of an axis that lies across it count together up to this tilt. */
#define FLAT 1e-12

/* ---------------------------------------------------------------- distances */

/* How far a point is outside of a cylinder: over its ends, beside its side, or beyond a rim. */
static double outside(const core *c, const double x[3]) {
    double w[3];
    minus(x, c->centre, w);
    const double up = space_dot(w, c->face[1].normal), over = fmax(borders_height(c, 0, x), borders_height(c, 1, x));
    along(w, -up, c->face[1].normal, w);
    const double beside = sqrt(space_dot(w, w)) - c->rim;
    return over > 0 && beside > 0 ? hypot(over, beside) : fmax(over, beside);
}

double borders_capsule_gap(const core *capsule, const core *cylinder) {
    enum { STEPS = 100 };
    if (capsule->edges == 0) return outside(cylinder, capsule->vertex[0]) - capsule->radius;
    const line l = line_of(capsule, 0);
    const double least = borders_least_along(&l, cylinder, outside, STEPS);
    const double *const end[] = {capsule->vertex[0], capsule->vertex[1]};
    return fmin(least, fmin(outside(cylinder, end[0]), outside(cylinder, end[1]))) - capsule->radius;
}

/* ---------------------------------------------------------------- conditions */

/* A vertex outside of the tube about the axis of the cylinder, or inside. */
static void require_tube(listing *l, int vertex, int side) {
    const core *y = l->y->own;
    border b = {.vertex = vertex, .kind = GAP_LINE};
    memcpy(b.numbers.y, y->vertex[0], sizeof b.numbers.y);
    memcpy(b.numbers.d, y->face[1].normal, sizeof b.numbers.d);
    b.numbers.R = y->rim;
    borders_require(l, l->x, l->y, &b, side);
}

static void require_beyond(listing *l, int vertex, int end, int side) {
    const polytope_face *f = &l->y->own->face[end];
    borders_require_plane(l, l->x, l->y, vertex, f->point, f->normal, side);
}

static bool has_axis(const listing *l) {
    return l->x->own->edges > 0;
}

static bool is_axial(const listing *l) {
    const line axis = line_of(l->x->placed, 0);
    double across[3];
    space_cross(axis.e, l->y->placed->face[1].normal, across);
    return space_dot(across, across) <= AXIAL;
}

/* The axis of the capsule, as seen from a rim, and the place on one of its sides. */
static border axis_at_rim(const listing *l, gap_kind of, int vertex, int rim, int place) {
    border b = {.kind = of, .vertex = vertex};
    memcpy(b.numbers.e, line_of(l->x->own, 0).e, sizeof b.numbers.e);
    memcpy(b.numbers.y, l->y->own->vertex[rim], sizeof b.numbers.y);
    memcpy(b.numbers.d, l->y->own->face[rim].normal, sizeof b.numbers.d);
    b.numbers.half[1] = l->y->own->rim, b.numbers.side = place;
    return b;
}

/* An end of the axis lies ahead of a place of it (1) or behind; the border is moved a little in favour of the place
 * (CF52). */
static void require_ahead(listing *l, int vertex, int rim, int place, int side) {
    border b = axis_at_rim(l, GAP_AHEAD, vertex, rim, place);
    b.numbers.R = (vertex == 0 ? 1 : -1) * IN_FAVOUR * fmin(l->x->own->reach, l->y->own->reach);
    borders_require(l, l->x, l->y, &b, side);
}

/* The axis is not tilted the other way, by more than it may be where it lies on an end (CF53). */
static void require_tilted(listing *l, int rim, int place) {
    border b = axis_at_rim(l, GAP_STEEP, 0, rim, place);
    b.numbers.half[0] = fmax(l->x->own->radius / l->y->own->rim, 0.25), b.numbers.R = FLAT;
    borders_require(l, l->x, l->y, &b, -1);
}

/* ---------------------------------------------------------------- rows */

static void end_on_cylinder(listing *l, int vertex) {
    const int forward = vertex == 0 ? -1 : 1;
    borders_begin_row(l);
    for (int i = 0; i < 2; i++) require_beyond(l, vertex, i, -1);
    if (has_axis(l) && !is_axial(l)) borders_require_crossing(l, true, vertex, 0, -forward);
    borders_end_row(l, GAP_LINE, vertex, 0);
    for (int i = 0; i < 2; i++) {
        borders_begin_row(l);
        require_beyond(l, vertex, i, 1), require_tube(l, vertex, -1);
        borders_end_row(l, GAP_FACE, vertex, i);
        borders_begin_row(l);
        require_beyond(l, vertex, i, 1), require_tube(l, vertex, 1);
        if (has_axis(l)) require_ahead(l, vertex, i, forward, -forward);
        borders_end_row(l, GAP_RIM_POINT, vertex, i);
    }
}

static void axis_on_side(listing *l) {
    borders_begin_row(l);
    for (int k = 0; k < 2; k++) {
        borders_require_crossing(l, true, k, 0, k == 0 ? -1 : 1);
        borders_require_crossing(l, false, k, 0, k == 0 ? -1 : 1);
    }
    borders_end_row(l, GAP_SIDE, 0, 0);
}

static void axis_on_rim(listing *l, int rim, int place) {
    borders_begin_row(l);
    if (!is_axial(l)) borders_require_crossing(l, false, rim, 0, rim == 0 ? 1 : -1);
    require_ahead(l, 0, rim, place, -1);
    require_ahead(l, 1, rim, place, 1);
    require_tilted(l, rim, place);
    borders_end_row(l, GAP_RIM_AXIS, 0, 2 * rim + (place > 0));
}

void borders_of_capsule(listing *l) {
    if (borders_capsule_gap(l->x->placed, l->y->placed) > l->x->allowed + l->y->allowed) return;
    for (int v = 0; v < l->x->own->vertices; v++) end_on_cylinder(l, v);
    if (!has_axis(l)) return;
    if (!is_axial(l)) axis_on_side(l);
    for (int k = 0; k < 4; k++) axis_on_rim(l, k / 2, k % 2 ? 1 : -1);
}
