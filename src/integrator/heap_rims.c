#include "integrator/heap_rims.h"

#include "model/space.h"

#include <math.h>
#include <string.h>

static void past(const double a[3], double s, const double e[3], double b[3]) { /* a + s e */
    for (int i = 0; i < 3; i++) b[i] = a[i] + s * e[i];
}

static double across(const double a[3], const double e[3], double m[3]) { /* a - (a.e) e; its length */
    past(a, -space_dot(a, e), e, m);
    return sqrt(space_dot(m, m));
}

/* The lowest point over a face (CF23) */
static double touch_face(const kind_numbers *c, const double x[3], const double e[3], const double y[3],
                         const double n[3], touch *t, double point[3]) {
    double turn[3], m[3], w[3];
    space_cross(n, e, turn), space_cross(e, turn, m);
    past(x, -1, y, w);
    const double sine = sqrt(fmax(space_dot(turn, turn), 1e-14));
    memcpy(t->n, n, sizeof t->n);
    past(x, -c->half[0] / sine, m, point);
    return space_dot(n, w) - c->half[0] * sine - c->R;
}

/* A point with a radius and the nearest point of the rim (CF24) */
static double touch_point(const kind_numbers *c, const double x[3], const double y[3], const double d[3], touch *t,
                          double point[3]) {
    double w[3], m[3], z[3];
    past(x, -1, y, w);
    const double radius = across(w, d, m);
    past(y, c->half[1] / radius, m, z), past(x, -1, z, w);
    const double distance = sqrt(space_dot(w, w));
    for (int i = 0; i < 3; i++) t->n[i] = w[i] / distance;
    past(x, -c->share, w, point);
    return distance - c->R;
}

/* A line along the axis, nearly (CF27) */
static double touch_line(const kind_numbers *c, const double x[3], const double e[3], const double y[3],
                         const double d[3], touch *t, double point[3]) {
    double w[3], m[3];
    past(x, -1, y, w);
    const double distance = across(w, d, t->n);
    for (int i = 0; i < 3; i++) t->n[i] /= distance;
    const double sine = across(t->n, e, m);
    past(x, -c->half[0] / sine, m, point);
    return distance - c->half[0] * sine - c->R;
}

static double rest_of(double k, double r) {
    return r * sqrt(fmax(1 - k / r * (k / r), 1e-6));
}

/* Across two tangents, from z of the second to x of the first (CF25), (CF26) */
static double part_tangents(const kind_numbers *c, const double first[3], const double x[3], const double second[3],
                            const double z[3], touch *t, double point[3]) {
    double w[3];
    space_cross(first, second, t->n);
    space_unit(t->n);
    for (int i = 0; i < 3; i++) t->n[i] *= c->side;
    past(x, -1, z, w);
    const double gap = space_dot(t->n, w);
    past(z, gap / 2, t->n, point);
    return gap - c->R;
}

/* An edge and the rim about y: seen along its axis d, or in its plane (CF25) */
static double touch_edge(const kind_numbers *c, bool chord, const double x[3], const double e[3], const double y[3],
                         const double d[3], touch *t, double point[3]) {
    double w[3], u[3], radius[3], z[3], tangent[3];
    past(y, -1, x, w);
    if (chord) {
        space_cross(e, d, u);
        space_unit(u);
        const double k = space_dot(u, w), rest = rest_of(k, c->half[1]);
        space_cross(d, u, z);
        for (int i = 0; i < 3; i++) radius[i] = rest * z[i] - k * u[i];
    } else {
        past(x, space_dot(d, w) / space_dot(d, e), e, z), past(z, -1, y, radius);
        space_unit(radius);
        for (int i = 0; i < 3; i++) radius[i] *= c->half[1];
    }
    space_cross(d, radius, tangent), past(y, 1, radius, z);
    return part_tangents(c, e, x, tangent, z, t, point);
}

/* A point of a rim on the line L, in which its plane meets another, k away from the centre. */
static void cross_line(const double centre[3], const double axis[3], const double L[3], double k, double r, double x[3],
                       double tangent[3]) {
    double b[3], radius[3];
    space_cross(L, axis, b);
    const double rest = rest_of(k, r);
    for (int i = 0; i < 3; i++) radius[i] = k * b[i] + rest * L[i];
    past(centre, 1, radius, x), space_cross(axis, radius, tangent);
}

/* Two rims (CF26) */
static double touch_rims(const kind_numbers *c, const double x[3], const double e[3], const double y[3],
                         const double d[3], touch *t, double point[3]) {
    double L[3], w[3], first[3], second[3], p[3], z[3];
    space_cross(e, d, L);
    const double sine = sqrt(space_dot(L, L));
    for (int i = 0; i < 3; i++) L[i] /= sine;
    past(x, -1, y, w);
    cross_line(x, e, L, -space_dot(d, w) / sine, c->half[0], p, first);
    cross_line(y, d, L, -space_dot(e, w) / sine, c->half[1], z, second);
    return part_tangents(c, first, p, second, z, t, point);
}

void touch_rim(gap_kind of, const kind_numbers *c, const double x[3], const double e[3], const double y[3],
               const double d[3], touch *t, double point[3]) {
    if (of == GAP_RIM_FACE) t->gap = touch_face(c, x, e, y, d, t, point);
    else if (of == GAP_RIM_POINT) t->gap = touch_point(c, x, y, d, t, point);
    else if (of == GAP_RIM_LINE) t->gap = touch_line(c, x, e, y, d, t, point);
    else if (of == GAP_RIMS) t->gap = touch_rims(c, x, e, y, d, t, point);
    else t->gap = touch_edge(c, of == GAP_RIM_CHORD, x, e, y, d, t, point);
}
