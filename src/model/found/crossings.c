/* Where edges cross the cones about the ends of cylinders, and their sides: docs/theory/contacts.md, (CF44), (CF45). */
#include "features_inside.h"

/* Squares, of a length by the radius or of a sine, are held above this. */
#define LEAST 1e-20

int crossing_from(const core *edges, int edge, const double axis[3], int sign) {
    const line l = line_of(edges, edge);
    const double a = space_dot(l.e, axis);
    const bool flat = 2 * a * a < 1; /* flatter than the cone */
    return edges->edge[edge][flat == (sign > 0) ? 0 : 1];
}

double crossing_gap(const circle *o, const line *l, int sign, double n[3]) {
    const double r = o->radius, a = space_dot(l->e, o->axis), square = 1 - a * a;
    double w[3], p[3], q[3];
    minus(l->start, o->centre, w);
    const double b = space_dot(w, o->axis);
    along(w, -b, o->axis, p), along(l->e, -a, o->axis, q);
    const double forward = space_dot(p, q), A = a * a - square, B = a * (b + r) - forward;
    const double C = (b + r) * (b + r) - space_dot(p, p), root = sqrt(fmax(B * B - A * C, LEAST * r * r));
    const double t = sign * B > 0 ? -sign * C / (sign * B + root) : (sign * root - B) / A;
    const double height = b + a * t, reach = fmax(height + r, 1e-3 * r), rise = (forward + square * t) / reach;
    const double length = sqrt(fmax(a * a + rise * rise, LEAST));
    for (int i = 0; i < 3; i++) n[i] = sign * (a * (p[i] + t * q[i]) / reach - rise * o->axis[i]) / length;
    return height * root / (reach * length);
}

double side_gap(const core *c, const line *l, double n[3]) {
    double w[3];
    space_cross(l->e, c->face[1].normal, n);
    space_unit(n);
    minus(l->start, c->centre, w);
    const double height = space_dot(n, w);
    for (int i = 0; i < 3 && height < 0; i++) n[i] = -n[i];
    return fabs(height) - c->rim;
}
