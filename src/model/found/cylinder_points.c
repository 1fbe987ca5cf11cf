/* Points of rims, where they lie and which of them are nearest to something (CF22). */
#include "cylinder_inside.h"

/* Looks round a rim for the points that are nearest to a line. */
enum { LOOKS = 48 };

static const double pi = 3.14159265358979323846;

int rim_number(const core *c, int rim, double angle) {
    const long at = lround(angle / (2 * pi) * RIM_POINTS) % RIM_POINTS;
    return c->vertices + rim * RIM_POINTS + (int)(at < 0 ? at + RIM_POINTS : at);
}

/* The angle of a direction about the axis. */
double angle_of(const core *c, const double n[3]) {
    return atan2(space_dot(n, c->across[1]), space_dot(n, c->across[0]));
}

/* How far x is from the axis, and where along it from the centre. */
double radius_at(const core *c, const double x[3], double *height) {
    double w[3], m[3];
    minus(x, c->centre, w);
    *height = space_dot(w, c->face[1].normal);
    along(w, -*height, c->face[1].normal, m);
    return sqrt(space_dot(m, m));
}

double half_length(const core *c) {
    double w[3];
    minus(c->vertex[1], c->centre, w);
    return sqrt(space_dot(w, w));
}

/* The angle near `angle` at which a rim, seen along the axis of the other cylinder, crosses its rim: Newton's method.
 */
double crossing_angle(const core *c, int rim, const core *of, double angle) {
    for (int step = 0; step < 6; step++) {
        const double u = c->rim * cos(angle), v = c->rim * sin(angle);
        double x[3], rate[3], height, w[3];
        for (int i = 0; i < 3; i++) {
            x[i] = c->vertex[rim][i] + u * c->across[0][i] + v * c->across[1][i];
            rate[i] = u * c->across[1][i] - v * c->across[0][i];
        }
        const double radius = radius_at(of, x, &height);
        minus(x, of->centre, w);
        along(w, -height, of->face[1].normal, w);
        const double slope = space_dot(w, rate) / radius;
        if (!(fabs(slope) > 1e-3 * c->rim)) break;
        angle -= (radius - of->rim) / slope;
    }
    return angle;
}

/* Where the rims of two ends that face each other cross, as seen along the axis of the second: points of the first. */
bool find_crossing_points(const core *c, int rim, const core *of, int face, int number[2]) {
    double w[3], m[3];
    minus(of->vertex[face], c->vertex[rim], w);
    along(w, -space_dot(w, c->face[1].normal), c->face[1].normal, m);
    const double D = sqrt(space_dot(m, m)), r = c->rim, s = of->rim;
    if (!(D > fabs(r - s) && D < r + s)) return false;
    const double turn = acos((D * D + r * r - s * s) / (2 * D * r)), middle = angle_of(c, m);
    for (int i = 0; i < 2; i++) number[i] = rim_number(c, rim, crossing_angle(c, rim, of, middle + (i ? turn : -turn)));
    return true;
}

typedef struct rim_line {
    const core *c;
    int rim;
    line l;
} rim_line;

static double square_at(const rim_line *r, double angle, double x[3], double foot[3]) {
    double w[3];
    const double u = r->c->rim * cos(angle), v = r->c->rim * sin(angle);
    for (int i = 0; i < 3; i++) x[i] = r->c->vertex[r->rim][i] + u * r->c->across[0][i] + v * r->c->across[1][i];
    minus(x, r->l.start, w);
    along(r->l.start, space_dot(w, r->l.e), r->l.e, foot);
    minus(x, foot, w);
    return space_dot(w, w);
}

/* The point of the rim that is nearest to the line, between two angles. */
static double nearest_angle(const rim_line *r, double from, double to) {
    const double golden = (sqrt(5) - 1) / 2;
    double x[3], foot[3];
    for (int step = 0; step < 40; step++) {
        const double a = to - golden * (to - from), b = from + golden * (to - from);
        if (square_at(r, a, x, foot) < square_at(r, b, x, foot)) to = b;
        else from = a;
    }
    return (from + to) / 2;
}

static bool looks_outward(const rim_line *r, double angle, double R, near_point *to) {
    const double *e = r->c->face[r->rim].normal;
    double x[3], foot[3], out[3], w[3];
    const bool within = square_at(r, angle, x, foot) < R * R;
    minus(x, foot, to->normal), minus(foot, r->l.start, w), minus(x, r->c->vertex[r->rim], out);
    const double at = space_dot(w, r->l.e);
    to->number = rim_number(r->c, r->rim, angle);
    return space_unit(to->normal) && (within || (at >= 0 && at <= r->l.length)) && space_dot(to->normal, e) < SAME &&
           space_dot(to->normal, out) < SAME * r->c->rim;
}

int points_near_line(const core *c, int rim, const core *of, int edge, double R, near_point out[NEAREST_MOST]) {
    const rim_line r = {c, rim, line_of(of, edge)};
    const double part = 2 * pi / LOOKS;
    double square[LOOKS], x[3], foot[3];
    int count = 0;
    for (int k = 0; k < LOOKS; k++) square[k] = square_at(&r, k * part, x, foot);
    for (int k = 0; k < LOOKS && count < NEAREST_MOST; k++)
        if (square[k] <= square[(k + 1) % LOOKS] && square[k] < square[(k + LOOKS - 1) % LOOKS])
            count += looks_outward(&r, nearest_angle(&r, (k - 1) * part, (k + 1) * part), R, &out[count]);
    return count;
}
