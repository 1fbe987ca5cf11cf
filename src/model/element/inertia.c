#include "inertia.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* ---- homogeneous shapes about their own centre (D8) */

/* Moments about the axes of the shape, the third of which is its axis. */
static double solid(const shape *s, double J[3]) {
    const double r = s->radius, r2 = r * r, L = s->length, *a = s->size;
    double mass, ball;
    switch (s->kind) {
    case SHAPE_SPHERE:
        mass = 4 * pi / 3 * r2 * r;
        J[0] = J[1] = J[2] = 0.4 * mass * r2;
        return mass;
    case SHAPE_BOX:
        mass = a[0] * a[1] * (a[2] > 0 ? a[2] : 1);
        for (int i = 0; i < 3; i++) J[i] = mass / 12 * (a[0] * a[0] + a[1] * a[1] + a[2] * a[2] - a[i] * a[i]);
        return mass;
    case SHAPE_ELLIPSOID:
        mass = 4 * pi / 3 * a[0] * a[1] * a[2];
        for (int i = 0; i < 3; i++) J[i] = mass / 5 * (a[0] * a[0] + a[1] * a[1] + a[2] * a[2] - a[i] * a[i]);
        return mass;
    case SHAPE_CYLINDER:
    case SHAPE_DISK:
        mass = pi * r2 * (s->kind == SHAPE_DISK ? 1 : L);
        J[0] = J[1] = mass / 12 * (3 * r2 + L * L), J[2] = mass / 2 * r2;
        return mass;
    case SHAPE_CAPSULE:
        mass = pi * r2 * L, ball = 4 * pi / 3 * r2 * r;
        J[0] = J[1] = mass / 12 * (3 * r2 + L * L) + ball * (0.4 * r2 + 0.375 * r * L + 0.25 * L * L);
        J[2] = (mass / 2 + 0.4 * ball) * r2;
        return mass + ball;
    default:
        J[0] = J[1] = J[2] = 0;
        return 0;
    }
}

/* Polar moment of a figure in the plane. */
static double figure(const shape *s, double *J) {
    const double r = s->radius, r2 = r * r, L = s->length, *a = s->size;
    double area, disk = pi * r2;
    switch (s->kind) {
    case SHAPE_SPHERE:
    case SHAPE_DISK:
        *J = disk * r2 / 2;
        return disk;
    case SHAPE_BOX:
        area = a[0] * a[1];
        *J = area / 12 * (a[0] * a[0] + a[1] * a[1]);
        return area;
    case SHAPE_ELLIPSOID:
        area = pi * a[0] * a[1];
        *J = area / 4 * (a[0] * a[0] + a[1] * a[1]);
        return area;
    case SHAPE_CAPSULE:
        area = 2 * r * L;
        *J = area / 12 * (4 * r2 + L * L) + disk * (r2 / 2 + L * L / 4) + 4 * r2 * r * L / 3;
        return area + disk;
    default:
        *J = 0;
        return 0;
    }
}

inertia inertia_of_shape(const shape *s, bool planar) {
    inertia m = {.center = {s->r[0], s->r[1], s->r[2]}};
    double J[3];
    if (planar) {
        m.mass = figure(s, &m.J[2][2]);
        return m;
    }
    m.mass = solid(s, J);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) m.J[i][j] += s->A[i][k] * J[k] * s->A[j][k];
    return m;
}

/* ---- parallel axes (D9) */

inertia inertia_sum(const inertia *a, const inertia *b, double sign) {
    inertia sum = {.mass = a->mass + sign * b->mass};
    double d[3], square = 0, reduced = sum.mass != 0 ? sign * a->mass * b->mass / sum.mass : 0;
    for (int i = 0; i < 3; i++) {
        double share = sum.mass != 0 ? sign * b->mass / sum.mass : 0;
        d[i] = b->center[i] - a->center[i];
        square += d[i] * d[i];
        sum.center[i] = a->center[i] + share * d[i];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sum.J[i][j] = a->J[i][j] + sign * b->J[i][j] + reduced * ((i == j ? square : 0) - d[i] * d[j]);
    return sum;
}

/* ---- principal moments, by Jacobi's rotations: exact for what is diagonal, small moments keep their digits */

static void annihilate(double S[3][3], int i, int j) {
    int k = 3 - i - j;
    if (S[i][j] == 0) return;
    double theta = (S[j][j] - S[i][i]) / (2 * S[i][j]);
    double t = copysign(1, theta) / (fabs(theta) + hypot(theta, 1)), c = 1 / hypot(t, 1), s = t * c;
    double ik = c * S[i][k] - s * S[j][k], jk = s * S[i][k] + c * S[j][k];
    S[i][i] -= t * S[i][j], S[j][j] += t * S[i][j];
    S[i][j] = S[j][i] = 0;
    S[i][k] = S[k][i] = ik, S[j][k] = S[k][j] = jk;
}

void inertia_principal(const double J[3][3], double moment[3]) {
    double S[3][3];
    for (int i = 0; i < 9; i++) S[i / 3][i % 3] = J[i / 3][i % 3];
    for (int sweep = 0; sweep < 12; sweep++) annihilate(S, 0, 1), annihilate(S, 0, 2), annihilate(S, 1, 2);
    for (int i = 0; i < 3; i++) moment[i] = S[i][i];
    for (int i = 0; i < 3; i++)
        for (int j = i + 1; j < 3; j++)
            if (moment[j] < moment[i]) {
                double swap = moment[i];
                moment[i] = moment[j], moment[j] = swap;
            }
}
