#include "own_sets.h"

#include <math.h>

enum { SIZE = CAROM_LAW_SIZE };
const double own_axis[SIZE] = {1, 0.5, 0.7}, own_centre[SIZE] = {0.2, -0.1, 0.1};

/* ---- the nearest point of an ellipsoid of radius r: a_i^2 x_i/(a_i^2 + t) with t > 0 so that it is on the edge */

typedef struct nearest {
    double t, slope; /* slope: d/dt of sum (a_i x_i/(a_i^2 + t))^2 */
    bool inside;
} nearest;

static nearest find_nearest(int n, const double *x, double radius) {
    nearest s = {.inside = true};
    for (int k = 0; k < 200; k++) {
        double sum = 0;
        s.slope = 0;
        for (int i = 0; i < n; i++) {
            const double a2 = own_axis[i] * own_axis[i], part = own_axis[i] * x[i] / (a2 + s.t);
            sum += part * part, s.slope -= 2 * part * part / (a2 + s.t);
        }
        if (sum <= radius * radius) return s;
        s.inside = false;
        /* Newton's method for 1/sqrt(sum) = 1/radius, which is nearly linear in t */
        const double step = 2 * sum * (1 - sqrt(sum) / radius) / s.slope;
        if (!(step > 1e-16 * s.t)) return s;
        s.t += step;
    }
    return s;
}

static void prox(int n, const double *x, double radius, double *p) {
    double y[SIZE] = {0};
    for (int i = 0; i < n; i++) y[i] = x[i] - radius * own_centre[i];
    const nearest s = radius > 0 ? find_nearest(n, y, radius) : (nearest){0};
    for (int i = 0; i < n; i++) {
        const double a2 = own_axis[i] * own_axis[i];
        p[i] = !(radius > 0) ? 0 : s.inside ? x[i] : radius * own_centre[i] + a2 * y[i] / (a2 + s.t);
    }
}

static void slide(int n, const double *x, const double *w, double radius, const nearest *s, carom_law_row *row) {
    double part[SIZE], by_t[SIZE], t_x[SIZE];
    const double t_radius = 2 * radius / s->slope;
    row->branch = CAROM_LAW_SLIDE;
    for (int i = 0; i < n; i++) {
        const double a2 = own_axis[i] * own_axis[i], sum = a2 + s->t;
        part[i] = a2 / sum, by_t[i] = -a2 * x[i] / (sum * sum), t_x[i] = -2 * a2 * x[i] / (sum * sum) / s->slope;
    }
    for (int i = 0; i < n; i++) {
        row->row[i] = w[i] + radius * own_centre[i] + part[i] * x[i];
        row->radius[i] = own_centre[i] + by_t[i] * t_radius;
        for (int j = 0; j < n; j++) {
            const double turn = (i == j) * part[i] + by_t[i] * t_x[j];
            row->v[i][j] = turn, row->w[i][j] = (i == j) - turn;
            row->radius[i] -= turn * own_centre[j];
        }
    }
}

static void linearise(int n, const double *v, const double *w, double radius, carom_law_row *row) {
    double x[SIZE] = {0};
    if (!(radius > 0)) {
        carom_law_open(n, w, row);
        return;
    }
    for (int i = 0; i < n; i++) x[i] = v[i] - w[i] - radius * own_centre[i];
    const nearest s = find_nearest(n, x, radius);
    if (s.inside) carom_law_hold(n, v, row);
    else slide(n, x, w, radius, &s, row);
}

/* ---- its edge */

static void support(int n, const double *y, double *p, double p_y[SIZE][SIZE]) {
    double size = 0;
    for (int i = 0; i < n; i++) size = hypot(size, own_axis[i] * y[i]);
    for (int i = 0; i < n; i++) {
        const double out = own_axis[i] * own_axis[i] * y[i] / size;
        p[i] = own_centre[i] + out;
        for (int j = 0; j < n; j++)
            p_y[i][j] =
                (i == j) * own_axis[i] * own_axis[i] / size - out * own_axis[j] * own_axis[j] * y[j] / (size * size);
    }
}

/* |(x - g c)/a| = g, a quadratic equation in g. */
static double gauge(int n, const double *x, double *gauge_x) {
    double cc = 0, xc = 0, xx = 0, along = 0;
    for (int i = 0; i < n; i++) {
        const double a2 = own_axis[i] * own_axis[i];
        cc += own_centre[i] * own_centre[i] / a2, xc += x[i] * own_centre[i] / a2, xx += x[i] * x[i] / a2;
    }
    const double g = (sqrt(xc * xc + (1 - cc) * xx) - xc) / (1 - cc);
    for (int i = 0; i < n; i++) {
        gauge_x[i] = (x[i] - g * own_centre[i]) / (own_axis[i] * own_axis[i]);
        along += gauge_x[i] * own_centre[i];
    }
    for (int i = 0; i < n; i++) gauge_x[i] /= along + g;
    return g;
}

const carom_law_def own_ellipsoid = {.info = {.name = "ellipsoid",
                                              .title = "Friction that differs by direction and to either side",
                                              .set = "C = mu P_N (centre + ellipsoid)",
                                              .reference = "none",
                                              .energy_text = "never grows: 0 is in C"},
                                     .least = 2,
                                     .most = 3,
                                     .prox = prox,
                                     .linearise = linearise,
                                     .support = support,
                                     .gauge = gauge};

/* ---- Coulomb's ball once more */

static double length(int n, const double *x) {
    double size = 0;
    for (int i = 0; i < n; i++) size = hypot(size, x[i]);
    return size;
}

static void ball_prox(int n, const double *x, double radius, double *p) {
    const double size = length(n, x);
    for (int i = 0; i < n; i++) p[i] = !(radius > 0) ? 0 : size <= radius ? x[i] : radius * (x[i] / size);
}

static void ball_linearise(int n, const double *v, const double *w, double radius, carom_law_row *row) {
    double x[SIZE];
    for (int i = 0; i < n; i++) x[i] = v[i] - w[i];
    const double size = length(n, x);
    if (!(radius > 0)) carom_law_open(n, w, row);
    else if (size <= radius) carom_law_hold(n, v, row);
    else {
        row->branch = CAROM_LAW_SLIDE;
        for (int i = 0; i < n; i++) {
            row->radius[i] = x[i] / size, row->row[i] = w[i] + radius * row->radius[i];
            for (int j = 0; j < n; j++) {
                row->v[i][j] = ((i == j) - x[i] * x[j] / (size * size)) * radius / size;
                row->w[i][j] = (i == j) - row->v[i][j];
            }
        }
    }
}

static void ball_support(int n, const double *y, double *p, double p_y[SIZE][SIZE]) {
    const double size = length(n, y);
    for (int i = 0; i < n; i++) {
        p[i] = y[i] / size;
        for (int j = 0; j < n; j++) p_y[i][j] = (i == j) / size - y[i] * y[j] / (size * size * size);
    }
}

static double ball_gauge(int n, const double *x, double *gauge_x) {
    for (int i = 0; i < n; i++) gauge_x[i] = x[i] / length(n, x);
    return length(n, x);
}

const carom_law_def own_copy = {.info = {.name = "copy",
                                         .title = "Coulomb's ball once more",
                                         .set = "C = {|x| <= mu P_N}",
                                         .reference = "none",
                                         .energy_text = "never grows"},
                                .least = 1,
                                .most = 3,
                                .prox = ball_prox,
                                .linearise = ball_linearise,
                                .support = ball_support,
                                .gauge = ball_gauge};
