/* Gaps of rims: docs/theory/contacts.md, (CF23) to (CF26). */
#include <string.h>

#include "features_inside.h"
#include "model/formula/foot.h"

/* What is left of 1 where a rim is crossed at its edge (CF25). */
#define GRAZING 1e-6

static double gap_to(const double x[3], const double y[3], double n[3]) {
    minus(x, y, n);
    const double distance = sqrt(space_dot(n, n));
    for (int i = 0; i < 3; i++) n[i] /= distance;
    return distance;
}

/* n - (n.e) e */
static double across(const double n[3], const double e[3], double m[3]) {
    along(n, -space_dot(n, e), e, m);
    return sqrt(space_dot(m, m));
}

/* The lowest point of a rim over a face (CF23) */
static double gap_rim_face(const circle *o, const polytope_face *f, double n[3]) {
    double w[3], m[3];
    memcpy(n, f->normal, 3 * sizeof *n);
    minus(o->centre, f->point, w);
    return space_dot(n, w) - o->radius * across(n, o->axis, m);
}

/* A point and the point of a rim that is nearest to it (CF24) */
static double gap_rim_point(const double x[3], const circle *o, double n[3]) {
    double w[3], m[3], y[3];
    minus(x, o->centre, w);
    along(o->centre, o->radius / across(w, o->axis, m), m, y);
    return gap_to(x, y, n);
}

/* A rim and a line along its axis, nearly (CF27) */
static double gap_rim_line(const circle *o, const line *l, double n[3]) {
    double w[3], m[3];
    minus(o->centre, l->start, w);
    const double distance = across(w, l->e, n);
    for (int i = 0; i < 3; i++) n[i] /= distance;
    return distance - o->radius * across(n, o->axis, m);
}

/* Where the part of 1 that is left is taken on a side: + or - sqrt(1 - k^2). */
static double on_side(double k, int side) {
    return side * sqrt(fmax(GRAZING, 1 - k * k));
}

static void tangent_of(const circle *o, const double x[3], double out[3], double tangent[3]) {
    minus(x, o->centre, out);
    for (int i = 0; i < 3; i++) out[i] /= o->radius;
    space_cross(o->axis, out, tangent);
}

/* A normal of a rim points away from its cylinder: it lies between the axis and the radius. */
static bool is_out(const circle *o, const double out[3], const double n[3]) {
    return space_dot(n, out) > -SAME && space_dot(n, o->axis) > -SAME;
}

/* The normal across two tangents, on the side that points out of a rim. False: they are parallel. */
static bool normal_across(const double e[3], const double d[3], const circle *o, const double out[3], double n[3]) {
    space_cross(e, d, n);
    const double square = space_dot(n, n), up = space_dot(n, out) + space_dot(n, o->axis);
    for (int i = 0; i < 3; i++) n[i] /= (up < 0 ? -1 : 1) * sqrt(square);
    return square > PARALLEL;
}

static bool find_crossing(const circle *o, const line *l, int side, double x[3], double out[3], double n[3]) {
    double w[3], u[3], v[3], tangent[3];
    if (side) {
        space_cross(l->e, o->axis, u);
        if (!space_unit(u)) return false;
        minus(o->centre, l->start, w);
        const double k = space_dot(u, w) / o->radius;
        if (!(k * k < 1)) return false;
        space_cross(o->axis, u, v);
        for (int i = 0; i < 3; i++) x[i] = o->centre[i] + o->radius * (on_side(k, side) * v[i] - k * u[i]);
    } else {
        minus(o->centre, l->start, w);
        along(l->start, space_dot(o->axis, w) / space_dot(o->axis, l->e), l->e, v);
        minus(v, o->centre, u);
        if (!space_unit(u)) return false;
        along(o->centre, o->radius, u, x);
    }
    tangent_of(o, x, out, tangent);
    return normal_across(l->e, tangent, o, out, n);
}

bool rim_crosses(const circle *o, const line *l, int side, double x[3], double n[3]) {
    double out[3];
    if (!find_crossing(o, l, side, x, out, n)) return false;
    const bool rising = fabs(space_dot(l->e, out)) > fabs(space_dot(l->e, o->axis));
    return rising == (side != 0) && is_out(o, out, n);
}

static bool find_crossing_of_rims(const circle *o, const circle *p, int side, int other, double x[3], double out[3],
                                  double back[3], double n[3]) {
    double L[3], w[3], b[3], y[3], tangent[3], second[3];
    space_cross(o->axis, p->axis, L);
    const double sine = sqrt(space_dot(L, L));
    if (!(sine * sine > PARALLEL)) return false;
    for (int i = 0; i < 3; i++) L[i] /= sine;
    minus(o->centre, p->centre, w);
    const double k = -space_dot(p->axis, w) / sine / o->radius, m = -space_dot(o->axis, w) / sine / p->radius;
    if (!(k * k < 1 && m * m < 1)) return false;
    space_cross(L, o->axis, b);
    for (int i = 0; i < 3; i++) x[i] = o->centre[i] + o->radius * (k * b[i] + on_side(k, side) * L[i]);
    space_cross(L, p->axis, b);
    for (int i = 0; i < 3; i++) y[i] = p->centre[i] + p->radius * (m * b[i] + on_side(m, other) * L[i]);
    tangent_of(o, x, out, tangent), tangent_of(p, y, back, second);
    return normal_across(tangent, second, p, back, n);
}

bool rims_cross(const circle *o, const circle *p, int side, int other, double x[3], double n[3]) {
    double out[3], back[3];
    if (!find_crossing_of_rims(o, p, side, other, x, out, back, n)) return false;
    const double down[3] = {-n[0], -n[1], -n[2]};
    return is_out(o, out, down) && is_out(p, back, n);
}

/* An axis and a rim, where they are nearest, farther along it or (side -1) less far (CF49) */
static double gap_rim_axis(const circle *o, const line *l, int side, double n[3]) {
    double w[3], p[3], c[3];
    minus(l->start, o->centre, w);
    along(w, -space_dot(w, l->e), l->e, w);
    space_cross(l->e, o->axis, c);
    const double height = space_dot(w, o->axis), r = o->radius;
    across(w, o->axis, p);
    const double j = space_dot(l->e, o->axis) * height / r, P = space_dot(p, p) / (r * r);
    along(w, side * r * foot_value(space_dot(c, c), side * j, P), l->e, w);
    const double R = fmax(across(w, o->axis, p), 1e-10 * r);
    along(w, -r / R, p, n);
    const double distance = fmax(sqrt(space_dot(n, n)), 1e-10 * r);
    for (int i = 0; i < 3; i++) n[i] /= distance;
    return distance;
}

/* Gaps of what no longer crosses are none. */
static double gap_rim_edge(const circle *o, const line *l, int side, double n[3]) {
    double x[3], w[3], out[3];
    if (!find_crossing(o, l, side, x, out, n)) return HUGE_VAL;
    minus(l->start, x, w);
    return space_dot(n, w);
}

static double gap_rims(const circle *o, const circle *p, int side, int other, double n[3]) {
    double x[3], w[3], m[3], out[3], back[3];
    if (!find_crossing_of_rims(o, p, side, other, x, out, back, n)) return HUGE_VAL;
    minus(x, p->centre, w);
    return space_dot(n, w) - p->radius * across(n, p->axis, m);
}

static int side_of(int number) {
    return number % 2 ? 1 : -1;
}

double rim_gap(const core *first, const core *second, const meeting *m, double n[3]) {
    circle o, p;
    line l;
    double x[3];
    switch (m->kind) {
    case GAP_RIM_FACE:
        o = rim_of(first, m->first);
        return gap_rim_face(&o, &second->face[m->second], n);
    case GAP_RIM_POINT:
        o = rim_of(second, m->second);
        core_point(first, m->first, x);
        return gap_rim_point(x, &o, n);
    case GAP_RIM_LINE:
        o = rim_of(first, m->first), l = line_of(second, m->second);
        return gap_rim_line(&o, &l, n);
    case GAP_RIM_CHORD:
        o = rim_of(second, m->second / 2), l = line_of(first, m->first);
        return gap_rim_edge(&o, &l, side_of(m->second), n);
    case GAP_RIM_PIERCED:
        o = rim_of(second, m->second), l = line_of(first, m->first);
        return gap_rim_edge(&o, &l, 0, n);
    case GAP_RIM_EDGE:
        o = rim_of(second, rim_edge_of(m->second).rim), l = line_of(first, m->first);
        return crossing_gap(&o, &l, rim_edge_of(m->second).sign, n);
    case GAP_RIM_AXIS:
        o = rim_of(second, m->second / 2), l = line_of(first, m->first);
        return gap_rim_axis(&o, &l, m->second % 2 ? 1 : -1, n);
    case GAP_SIDE:
        l = line_of(first, m->first);
        return side_gap(second, &l, n);
    default:
        o = rim_of(first, m->first / 2), p = rim_of(second, m->second / 2);
        return gap_rims(&o, &p, side_of(m->first), side_of(m->second), n);
    }
}

static int sign_across(const double e[3], const double d[3], const double n[3]) {
    double across[3];
    space_cross(e, d, across);
    return space_dot(across, n) < 0 ? -1 : 1;
}

int meeting_side(const core *a, const core *b, const meeting *m) {
    const core *first = m->swapped ? b : a, *second = m->swapped ? a : b;
    double x[3], out[3], back[3], n[3] = {0}, tangent[3], other[3];
    const circle p = rim_of(second, m->kind == GAP_RIM_PIERCED ? m->second : m->second / 2);
    if (m->kind == GAP_RIMS) {
        const circle o = rim_of(first, m->first / 2);
        if (!find_crossing_of_rims(&o, &p, side_of(m->first), side_of(m->second), x, out, back, n)) return 1;
        space_cross(o.axis, out, tangent), space_cross(p.axis, back, other);
        return sign_across(tangent, other, n);
    }
    const line l = line_of(first, m->first);
    if (!find_crossing(&p, &l, m->kind == GAP_RIM_CHORD ? side_of(m->second) : 0, x, out, n)) return 1;
    space_cross(p.axis, out, tangent);
    return sign_across(l.e, tangent, n);
}
