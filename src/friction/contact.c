/* Three cases: the contact opens, sticks, or slips with u_N = 0, u_T = -a r_T, a > 0, where
 *
 *     r_T(a) = -(S + a)^-1 (h_T - A_TN h_N / A_NN),    r_N(a) = -(h_N + A_NT r_T) / A_NN,
 *     psi(a) = mu r_N / |r_T| - 1 = 0                                                                        (FC3)
 *
 * psi is nearly linear in a: Newton's method, kept in a bracket, takes two or three steps from the last a. */
#include "friction/contact.h"

#include <math.h>
#include <string.h>

static void swap_rows(double *a, double *b) {
    for (int j = 0; j < 6; j++) {
        double x = a[j];
        a[j] = b[j], b[j] = x;
    }
}

bool block_invert(const block3 A, double least, block3 inverse) {
    double T[3][6] = {0}, largest = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) T[i][j] = A[3 * i + j], largest = fmax(largest, fabs(T[i][j]));
        T[i][3 + i] = 1;
    }
    for (int k = 0; k < 3; k++) {
        int p = k;
        for (int i = k + 1; i < 3; i++)
            if (fabs(T[i][k]) > fabs(T[p][k])) p = i;
        if (!(fabs(T[p][k]) > least * largest)) return false;
        if (p != k) swap_rows(T[k], T[p]);
        double f = 1 / T[k][k];
        for (int j = 0; j < 6; j++) T[k][j] *= f;
        for (int i = 0; i < 3; i++) {
            double g = T[i][k];
            if (i == k || g == 0) continue;
            for (int j = 0; j < 6; j++) T[i][j] -= g * T[k][j];
        }
    }
    for (int i = 0; i < 3; i++) memcpy(inverse + 3 * i, T[i] + 3, 3 * sizeof(double));
    return true;
}

/* Where friction moves nothing in some direction, a little compliance leaves what it does move as it is. */
static bool invert_softened(const block3 A, block3 inverse) {
    block3 B;
    memcpy(B, A, sizeof B);
    for (int i = 0; i < 3; i++) B[4 * i] += 1e-11 * (A[0] + A[4] + A[8]);
    return block_invert(B, 1e-14, inverse);
}

/* How far A is from one number for the normal and one for all tangents, as that of spheres is. */
static double skewness(const contact *c, const block3 A) {
    const double off = fmax(fmax(fabs(c->lever[0]), fabs(c->lever[1])), fmax(fabs(A[1]), fabs(A[2])) / A[0]);
    const double turns = fmax(fmax(fabs(c->S[1]), fabs(c->S[2])), fabs(c->S[0] - c->S[3]));
    return c->S[0] + c->S[3] > 0 ? fmax(off, turns / (c->S[0] + c->S[3])) : INFINITY;
}

void contact_prepare(contact *c, const block3 A, double mu) {
    *c = (contact){.mu = mu, .row = {A[0], A[1], A[2]}, .slippage = -1, .enough = 1e-15};
    if (!(A[0] > 0)) return;
    c->regular = block_invert(A, 1e-14, c->inverse) || invert_softened(A, c->inverse);
    for (int i = 0; i < 2; i++) c->lever[i] = A[3 * (i + 1)] / A[0];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) c->S[2 * i + j] = A[3 * (i + 1) + j + 1] - c->lever[i] * A[j + 1];
    c->skew = skewness(c, A);
}

/* x = (S + a)^-1 b */
static void compliance(const contact *c, double a, const double b[2], double x[2]) {
    double s00 = c->S[0] + a, s11 = c->S[3] + a, determinant = s00 * s11 - c->S[1] * c->S[2];
    x[0] = (s11 * b[0] - c->S[1] * b[1]) / determinant;
    x[1] = (s00 * b[1] - c->S[2] * b[0]) / determinant;
}

/* r(a); returns psi, and its derivative by a. */
static double slip(const contact *c, const double h[3], double a, double r[3], double *slope) {
    double b[2] = {c->lever[0] * h[0] - h[1], c->lever[1] * h[0] - h[2]}, d[2];
    compliance(c, a, b, r + 1);
    compliance(c, a, r + 1, d); /* -dr_T/da */
    r[0] = -(h[0] + c->row[1] * r[1] + c->row[2] * r[2]) / c->row[0];
    double length = sqrt(r[1] * r[1] + r[2] * r[2]), press = (c->row[1] * d[0] + c->row[2] * d[1]) / c->row[0];
    double shrink = (r[1] * d[0] + r[2] * d[1]) / length;
    *slope = c->mu * (press * length + r[0] * shrink) / (length * length);
    return c->mu * r[0] / length - 1;
}

/* psi < 0 at low, psi > 0 far out. */
static void slide(contact *c, const double h[3], double r[3]) {
    enum { MOST = 100 };
    double low = 0, high = INFINITY, slope, unit = c->S[0] + c->S[3], a = c->slippage > 0 ? c->slippage : unit / 8;
    for (int k = 0; k < MOST; k++) {
        double psi = slip(c, h, a, r, &slope);
        if (!(fabs(psi) > c->enough)) break;
        if (psi < 0) low = a;
        else high = a;
        double next = a - psi / slope;
        if (!(next > low && next < high)) next = isinf(high) ? 4 * low + unit : low > 0 ? sqrt(low * high) : high / 16;
        if (!(fabs(next - a) > 1e-15 * a)) break;
        a = next;
    }
    c->slippage = a;
}

/* Without skewness friction does not press: (FC3) is linear in a, and r_T is what sticks, cut to the cone. */
static void solve_round(const contact *c, const double h[3], double r[3]) {
    const double give = 2 / (c->S[0] + c->S[3]);
    r[0] = -h[0] / c->row[0], r[1] = -give * h[1], r[2] = -give * h[2];
    const double most = c->mu * r[0], square = r[1] * r[1] + r[2] * r[2];
    if (square <= most * most) return;
    const double part = most / sqrt(square);
    r[1] *= part, r[2] *= part;
}

void contact_solve(contact *c, const double h[3], double r[3]) {
    if (!c->regular) return;
    if (h[0] >= 0) {
        r[0] = r[1] = r[2] = 0;
        return;
    }
    if (c->skew <= c->enough) {
        solve_round(c, h, r);
        return;
    }
    const double *B = c->inverse;
    for (int i = 0; i < 3; i++) r[i] = -(B[3 * i] * h[0] + B[3 * i + 1] * h[1] + B[3 * i + 2] * h[2]);
    if (r[0] >= 0 && r[1] * r[1] + r[2] * r[2] <= c->mu * c->mu * r[0] * r[0]) return;
    if (c->mu > 0) slide(c, h, r);
    else r[0] = -h[0] / c->row[0], r[1] = r[2] = 0;
}

void contact_linearise(double mu, const double rho[2], const double r[3], const double u[3], double row[3], block3 by_u,
                       block3 by_r) {
    double press = r[0] - rho[0] * u[0], x[2] = {r[1] - rho[1] * u[1], r[2] - rho[1] * u[2]},
           length = length_of(x[0], x[1]);
    memset(by_u, 0, sizeof(block3));
    memset(by_r, 0, sizeof(block3));
    if (press <= 0) {
        for (int i = 0; i < 3; i++) row[i] = r[i], by_r[4 * i] = 1;
        return;
    }
    row[0] = rho[0] * u[0], by_u[0] = rho[0];
    if (length <= mu * press) {
        for (int i = 1; i < 3; i++) row[i] = rho[1] * u[i], by_u[4 * i] = rho[1];
        return;
    }
    double d[2] = {x[0] / length, x[1] / length}, f = mu * press / length;
    for (int i = 0; i < 2; i++) {
        row[i + 1] = r[i + 1] - mu * press * d[i];
        by_u[3 * (i + 1)] = mu * rho[0] * d[i];
        by_r[3 * (i + 1)] = -mu * d[i];
        for (int j = 0; j < 2; j++) {
            double turn = f * ((i == j) - d[i] * d[j]);
            by_u[3 * (i + 1) + j + 1] = rho[1] * turn;
            by_r[3 * (i + 1) + j + 1] = (i == j) - turn;
        }
    }
}
