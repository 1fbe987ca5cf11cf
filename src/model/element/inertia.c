#include "inertia.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static expr times(graph *g, expr a, expr b) {
    return expr_mul(g, a, b);
}
static expr plus(graph *g, expr a, expr b) {
    return expr_add(g, a, b);
}
static expr scaled(graph *g, double factor, expr a) {
    return expr_scale(g, factor, a);
}
static expr over(graph *g, expr a, double divisor) {
    return expr_div(g, a, expr_number(g, divisor));
}

/* ---- homogeneous shapes about their own centre (D8) */

/* m/12 (3 r^2 + L^2) of a cylinder across its axis */
static expr across(graph *g, expr mass, expr r2, expr L2) {
    const expr part = over(g, mass, 12), thrice = scaled(g, 3, r2);
    return times(g, part, plus(g, thrice, L2));
}

/* The caps of a capsule across its axis: b (2/5 r^2 + 3/8 r L + L^2/4), b the mass of the ball that they make */
static expr caps(graph *g, expr ball, expr r, expr L) {
    const expr own = scaled(g, 0.4, times(g, r, r)), mixed = times(g, scaled(g, 0.375, r), L);
    const expr far = times(g, scaled(g, 0.25, L), L), near = plus(g, own, mixed);
    return times(g, ball, plus(g, near, far));
}

/* m/n (a_2^2 + a_3^2) about the first axis, and so on */
static void across_axes(graph *g, expr mass, double n, const expr a[3], expr J[3]) {
    const expr part = over(g, mass, n);
    expr square[3];
    for (int i = 0; i < 3; i++) square[i] = times(g, a[i], a[i]);
    for (int i = 0; i < 3; i++) J[i] = times(g, part, plus(g, square[(i + 1) % 3], square[(i + 2) % 3]));
}

static expr box(graph *g, const expr a[3], expr J[3]) {
    expr mass = times(g, a[0], a[1]);
    if (!expr_equals(g, a[2], 0)) mass = times(g, mass, a[2]);
    across_axes(g, mass, 12, a, J);
    return mass;
}

static expr ellipsoid(graph *g, const expr a[3], expr J[3]) {
    const expr mass = times(g, times(g, scaled(g, 4 * pi / 3, a[0]), a[1]), a[2]);
    across_axes(g, mass, 5, a, J);
    return mass;
}

/* Moments about the axes of the shape, the third of which is its axis. */
static expr solid(graph *g, const form *f, expr J[3]) {
    const expr r = f->radius, L = f->length, r2 = times(g, r, r), L2 = times(g, L, L);
    const expr ball = times(g, scaled(g, 4 * pi / 3, r2), r), none = expr_number(g, 0);
    expr mass = scaled(g, pi, r2);
    J[0] = J[1] = J[2] = none;
    switch (f->kind) {
    case SHAPE_SPHERE:
        J[0] = J[1] = J[2] = times(g, scaled(g, 0.4, ball), r2);
        return ball;
    case SHAPE_BOX:
        return box(g, f->size, J);
    case SHAPE_ELLIPSOID:
        return ellipsoid(g, f->size, J);
    case SHAPE_CYLINDER:
    case SHAPE_DISK:
        if (f->kind == SHAPE_CYLINDER) mass = times(g, mass, L);
        J[0] = J[1] = across(g, mass, r2, L2);
        J[2] = times(g, scaled(g, 0.5, mass), r2);
        return mass;
    case SHAPE_CAPSULE:
        mass = times(g, mass, L);
        J[0] = across(g, mass, r2, L2);
        J[0] = J[1] = plus(g, J[0], caps(g, ball, r, L));
        J[2] = scaled(g, 0.5, mass);
        J[2] = plus(g, J[2], scaled(g, 0.4, ball));
        J[2] = times(g, J[2], r2);
        return plus(g, mass, ball);
    default:
        return none;
    }
}

/* A rectangle of the edges 2 r and L, and the halves of a disk at its ends. */
static expr stadium(graph *g, expr r, expr L, expr *J) {
    const expr r2 = times(g, r, r), L2 = times(g, L, L), disk = scaled(g, pi, r2);
    const expr area = times(g, scaled(g, 2, r), L), part = over(g, area, 12);
    const expr middle = times(g, part, plus(g, scaled(g, 4, r2), L2)), half = scaled(g, 0.5, r2);
    const expr ends = times(g, disk, plus(g, half, scaled(g, 0.25, L2)));
    const expr shifted = over(g, times(g, times(g, scaled(g, 4, r2), r), L), 3);
    *J = plus(g, plus(g, middle, ends), shifted);
    return plus(g, area, disk);
}

/* Polar moment of a figure in the plane. */
static expr figure(graph *g, const form *f, expr *J) {
    const expr r = f->radius, *a = f->size, r2 = times(g, r, r), disk = scaled(g, pi, r2), area = times(g, a[0], a[1]);
    const expr first = times(g, a[0], a[0]), part = over(g, area, 12);
    switch (f->kind) {
    case SHAPE_SPHERE:
    case SHAPE_DISK:
        *J = scaled(g, 0.5, times(g, disk, r2));
        return disk;
    case SHAPE_BOX:
        *J = times(g, part, plus(g, first, times(g, a[1], a[1])));
        return area;
    case SHAPE_ELLIPSOID:
        *J = times(g, scaled(g, pi / 4, area), plus(g, first, times(g, a[1], a[1])));
        return scaled(g, pi, area);
    case SHAPE_CAPSULE:
        return stadium(g, r, f->length, J);
    default:
        return *J = expr_number(g, 0);
    }
}

inertia inertia_none(graph *g) {
    inertia m = {.center = vec_zero(g)};
    m.mass = expr_number(g, 0);
    for (int i = 0; i < 9; i++) m.J[i / 3][i % 3] = m.mass;
    return m;
}

/* A J A^T */
static void turn_moments(graph *g, const mat *A, expr J[3][3]) {
    expr turned[3][3];
    for (int i = 0; i < 9; i++) turned[i / 3][i % 3] = expr_number(g, 0);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 9; k++) {
                const expr part = times(g, times(g, A->axis[k / 3].at[i], J[k / 3][k % 3]), A->axis[k % 3].at[j]);
                turned[i][j] = plus(g, turned[i][j], part);
            }
    for (int i = 0; i < 9; i++) J[i / 3][i % 3] = turned[i / 3][i % 3];
}

static inertia of_hull(graph *g, const form *f) {
    inertia m = {.mass = expr_number(g, f->hull->volume)};
    const vec centre = vec_number(g, f->hull->centre);
    m.center = vec_add(g, f->r, mat_times(g, &f->A, centre));
    for (int i = 0; i < 9; i++) m.J[i / 3][i % 3] = expr_number(g, f->hull->J[i / 3][i % 3]);
    turn_moments(g, &f->A, m.J);
    return m;
}

inertia inertia_of_form(graph *g, const form *f, bool planar) {
    inertia m = inertia_none(g);
    expr J[3];
    if (f->kind == SHAPE_HULL) return of_hull(g, f);
    m.center = f->r;
    if (planar) {
        m.mass = figure(g, f, &m.J[2][2]);
        return m;
    }
    m.mass = solid(g, f, J);
    for (int i = 0; i < 3; i++) m.J[i][i] = J[i];
    turn_moments(g, &f->A, m.J);
    return m;
}

/* ---- parallel axes (D9) */

inertia inertia_sum(graph *g, const inertia *a, const inertia *b, double sign) {
    const expr own = scaled(g, sign, b->mass);
    inertia sum = {.mass = plus(g, a->mass, own)};
    const bool none = expr_equals(g, sum.mass, 0);
    const expr share = none ? sum.mass : expr_div(g, own, sum.mass), reduced = times(g, a->mass, share);
    const vec d = vec_sub(g, b->center, a->center);
    sum.center = vec_add(g, a->center, vec_scale(g, share, d));
    const expr square = vec_dot(g, d, d), zero = expr_number(g, 0);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const expr steiner = expr_sub(g, i == j ? square : zero, times(g, d.at[i], d.at[j])),
                       both = plus(g, a->J[i][j], scaled(g, sign, b->J[i][j]));
            sum.J[i][j] = plus(g, both, times(g, reduced, steiner));
        }
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
