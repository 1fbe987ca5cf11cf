#include "solver/one_contact.h"

#include <math.h>
#include <string.h>

/* A x = b for up to four unknowns, by elimination with row pivots. */
static bool solve_small(int n, double A[LAW_SIZE + 1][LAW_SIZE + 1], double *b) {
    double largest = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) largest = fmax(largest, fabs(A[i][j]));
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i][k]) > fabs(A[p][k])) p = i;
        if (!(fabs(A[p][k]) > 1e-12 * largest)) return false;
        for (int j = 0; j < n; j++) {
            double a = A[k][j];
            A[k][j] = A[p][j], A[p][j] = a;
        }
        double y = b[k];
        b[k] = b[p], b[p] = y;
        for (int i = k + 1; i < n; i++) {
            double f = A[i][k] / A[k][k];
            for (int j = k; j < n; j++) A[i][j] -= f * A[k][j];
            b[i] -= f * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= A[i][j] * b[j];
        b[i] /= A[i][i];
    }
    return true;
}

static double length(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* v = 0 in all directions. */
static bool stick(const one_contact *c, double *w) {
    double A[LAW_SIZE + 1][LAW_SIZE + 1];
    memcpy(A, c->A, sizeof A);
    for (int i = 0; i <= c->slips; i++) w[i] = -c->q[i];
    return solve_small(c->slips + 1, A, w);
}

/* w_N for the given w_F. */
static double pressure(const one_contact *c, const double *w) {
    double v = c->q[0];
    for (int j = 1; j <= c->slips; j++) v += c->A[0][j] * w[j];
    return -v / c->A[0][0];
}

/* Slip with v_F = -a w_F:  (S + a) w_F = -h,  S = A_FF - A_FN A_NF / A_NN,  h = q_F - A_FN q_N / A_NN. Returns
 * radius - |w_F|. */
static double slip(const one_contact *c, double a, double *w) {
    double S[LAW_SIZE + 1][LAW_SIZE + 1];
    for (int i = 0; i < c->slips; i++) {
        double f = c->A[i + 1][0] / c->A[0][0];
        for (int j = 0; j < c->slips; j++) S[i][j] = c->A[i + 1][j + 1] - f * c->A[0][j + 1] + (i == j ? a : 0);
        w[i + 1] = -(c->q[i + 1] - f * c->q[0]);
    }
    if (!solve_small(c->slips, S, w + 1)) return NAN;
    w[0] = pressure(c, w);
    return c->slope * w[0] - c->less - length(c->slips, w + 1);
}

/* The root of slip over a = trace t/(1 - t), t in (0, 1), in a bracket: too much friction at its low end, too little at
 * its high end. */
static bool slide(const one_contact *c, double *w) {
    enum { MOST = 80 };
    double trace = 0, low = 0, high = 1, at_low = -1, at_high = 1;
    for (int i = 1; i <= c->slips; i++) trace += c->A[i][i];
    for (int k = 0; k < MOST && high - low > 1e-15 * high; k++) {
        double t = k < 4 || k % 3 == 0 ? (low + high) / 2 : low - at_low * (high - low) / (at_high - at_low);
        double value = slip(c, trace * t / (1 - t), w);
        if (isnan(value)) return false;
        if (fabs(value) <= 1e-15 * length(c->slips + 1, w)) break;
        if (value < 0) low = t, at_low = value;
        else high = t, at_high = value;
    }
    return true;
}

static bool slide_along(const one_contact *c, double *w) {
    double slope = c->A[0][0], push = c->q[0];
    for (int j = 0; j < c->slips; j++) {
        slope -= c->A[0][j + 1] * c->d[j] * c->slope;
        push += c->A[0][j + 1] * c->d[j] * c->less;
    }
    if (!(slope > 0)) return false;
    double normal = -push / slope, radius = c->slope * normal - c->less;
    w[0] = c->pressed ? normal : fmax(0, normal);
    for (int j = 0; j < c->slips; j++) w[j + 1] = radius > 0 ? -radius * c->d[j] : 0;
    return true;
}

bool one_contact_solve(const one_contact *c, double *w) {
    double x[LAW_SIZE + 1] = {0};
    bool done = true;
    if (!(c->A[0][0] > 0)) return false;
    double alone = -c->q[0] / c->A[0][0];
    bool presses = c->pressed || alone > 0;
    if (presses && c->slips == 0) x[0] = alone;
    else if (presses && c->slides) done = slide_along(c, x);
    else if (presses && !(stick(c, x) && (c->sticks || length(c->slips, x + 1) <= c->slope * x[0] - c->less))) {
        memset(x, 0, sizeof x);
        if (c->slope * alone - c->less > 0) done = slide(c, x);
        else x[0] = alone;
    }
    for (int i = 0; i <= c->slips; i++) done = done && isfinite(x[i]);
    if (done) memcpy(w, x, (size_t)(c->slips + 1) * sizeof *w);
    return done;
}
