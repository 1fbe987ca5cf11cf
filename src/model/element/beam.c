/* Geometrically exact beams with Cayley's strain (docs/theory/elements.md, Beams):
 *
 *   omega = 2 vec(e)/e_0, e = conj(p_1) p_2;   d = A_1^T (x_2 - x_1);   gamma = d - omega x d/2               (DB1)
 *   V = L/2 (xi - xi_0)^T C (xi - xi_0),   xi = (omega, gamma)/L                                            (DB2)
 *
 * Variations: r of x_2 - x_1 in the world's frame, theta_1 and theta_2 in those of the nodes. A covector of (omega, d)
 * is pulled back to one of (r, theta_1, theta_2), for forces and for every row of their derivatives alike. */
#include "beam.h"

#include "model/space.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- vectors */

/* c = x + s a x b */
static inline void add_cross(const double x[3], double s, const double a[3], const double b[3], double c[3]) {
    double c0 = x[0] + s * (a[1] * b[2] - a[2] * b[1]), c1 = x[1] + s * (a[2] * b[0] - a[0] * b[2]),
           c2 = x[2] + s * (a[0] * b[1] - a[1] * b[0]);
    c[0] = c0, c[1] = c1, c[2] = c2;
}

static const double zero[3] = {0, 0, 0};

/* D x with s = -1/2, D^T x with s = 1/2:  D = I - omega^/2 + omega omega^T/4                                  (DB3) */
static inline void apply_D(const double omega[3], double s, const double x[3], double y[3]) {
    double along = space_dot(omega, x) / 4;
    add_cross(x, s, omega, x, y);
    for (int i = 0; i < 3; i++) y[i] += along * omega[i];
}

/* conj(p1) p2 */
static void relative(const double p1[4], const double p2[4], double e[4]) {
    e[0] = p1[0] * p2[0] + p1[1] * p2[1] + p1[2] * p2[2] + p1[3] * p2[3];
    for (int i = 0; i < 3; i++) e[1 + i] = p1[0] * p2[1 + i] - p2[0] * p1[1 + i];
    add_cross(e + 1, -1, p1 + 1, p2 + 1, e + 1);
}

/* ---------------------------------------------------------------- strain and stress */

/* How the second node stands to the first. */
typedef struct relation {
    double A[3][3]; /* of node 1 */
    double omega[3], d[3];
    double norm2[2]; /* |p|^2 of the nodes */
} relation;

/* The angle between the nodes is not known to be below pi once e_0 is lost in rounding. Also false: p = 0, NaN. */
static bool relate(const double *q, relation *s) {
    const double *p1 = q + 3, *p2 = q + 10;
    double e[4], r[3] = {q[7] - q[0], q[8] - q[1], q[9] - q[2]};
    s->norm2[0] = p1[0] * p1[0] + space_dot(p1 + 1, p1 + 1);
    s->norm2[1] = p2[0] * p2[0] + space_dot(p2 + 1, p2 + 1);
    relative(p1, p2, e);
    if (!(e[0] * e[0] > 16 * DBL_EPSILON * DBL_EPSILON * (s->norm2[0] * s->norm2[1]))) return false;
    space_rotation(p1, s->A);
    for (int i = 0; i < 3; i++) {
        s->omega[i] = 2 * e[1 + i] / e[0];
        s->d[i] = s->A[0][i] * r[0] + s->A[1][i] * r[1] + s->A[2][i] * r[2];
    }
    return true;
}

/* xi (DB1) */
static void strain_of(const relation *s, double length, double xi[6]) {
    double gamma[3];
    add_cross(s->d, -0.5, s->omega, s->d, gamma);
    for (int i = 0; i < 3; i++) xi[i] = s->omega[i] / length, xi[3 + i] = gamma[i] / length;
}

typedef struct stress {
    double n[3];                /* C (xi - xi_0) of gamma */
    double moment[3], force[3]; /* dV/d omega, dV/dd */
} stress;

/* (m, n) = y:  dV/d omega = m + n x d/2,  dV/dd = n + omega x n/2                                             (DB4) */
static void act(const relation *s, const double y[6], stress *t) {
    memcpy(t->n, y + 3, sizeof t->n);
    add_cross(y, 0.5, t->n, s->d, t->moment);
    add_cross(t->n, 0.5, s->omega, t->n, t->force);
}

/* y = C (xi - xi_0) */
static double stress_of(const beam *b, const relation *s, stress *t) {
    double xi[6], y[6], V = 0;
    strain_of(s, b->length, xi);
    for (int i = 0; i < 3; i++) {
        double bending = xi[i] - b->strain[i], stretch = xi[3 + i] - b->strain[3 + i];
        y[i] = b->stiffness[i] * bending;
        y[3 + i] = b->stiffness[3 + i] * stretch;
        V += y[i] * bending + y[3 + i] * stretch;
    }
    act(s, y, t);
    return b->length / 2 * V;
}

/* ---------------------------------------------------------------- forces and their derivatives */

/* A covector of (r, theta_1, theta_2). */
typedef struct covector {
    double r[3], theta[2][3];
} covector;

/* a . delta omega + b . delta d = c, with                                                                     (DB3)
 *   delta omega = D^T theta_2 - D theta_1,   delta d = A_1^T r + d x theta_1                                       */
static inline void pull(const relation *s, const double a[3], const double b[3], covector *c) {
    double turn[3];
    for (int i = 0; i < 3; i++) c->r[i] = space_dot(s->A[i], b);
    apply_D(s->omega, 0.5, a, turn);
    for (int i = 0; i < 3; i++) turn[i] = -turn[i];
    add_cross(turn, 1, b, s->d, c->theta[0]);
    apply_D(s->omega, -0.5, a, c->theta[1]);
}

/* f = -(-r, theta_1, r, theta_2) of dV                                                                        (DB5) */
static void forces(const relation *s, const stress *t, double *f) {
    covector c;
    pull(s, t->moment, t->force, &c);
    for (int i = 0; i < 3; i++) {
        f[i] = c.r[i], f[6 + i] = -c.r[i];
        f[3 + i] = -c.theta[0][i], f[9 + i] = -c.theta[1][i];
    }
}

/* (a, b) = d2V (omega, d) applied to (v, w)                                                                    (DB6) */
static inline void hessian(const beam *k, const relation *s, const stress *t, const double v[3], const double w[3],
                           double a[3], double b[3]) {
    double n[3];
    add_cross(w, -0.5, s->omega, w, n);
    add_cross(n, 0.5, s->d, v, n);
    for (int i = 0; i < 3; i++) {
        n[i] *= k->stiffness[3 + i] / k->length;
        a[i] = k->stiffness[i] / k->length * v[i];
    }
    add_cross(a, 0.5, n, s->d, a);
    add_cross(a, 0.5, t->n, w, a);
    add_cross(n, 0.5, s->omega, n, b);
    add_cross(b, 0.5, v, t->n, b);
}

/* theta = 2 vec(conj(p) delta p)/|p|^2, so the covector t of theta is 2 p (0, t)/|p|^2 of p                       (DB8)
 */
static inline void to_quaternion(const double p[4], double norm2, const double t[3], double row[4]) {
    double s = 2 / norm2;
    row[0] = -space_dot(t, p + 1);
    for (int i = 0; i < 3; i++) row[1 + i] = p[0] * t[i];
    add_cross(row + 1, 1, p + 1, t, row + 1);
    for (int i = 0; i < 4; i++) row[i] *= s;
}

/* A row of f_q from the covector of (r, theta_1, theta_2) */
static inline void write_row(const relation *s, const double *q, const covector *c, double *row) {
    for (int i = 0; i < 3; i++) row[i] = -c->r[i], row[7 + i] = c->r[i];
    to_quaternion(q + 3, s->norm2[0], c->theta[0], row + 3);
    to_quaternion(q + 10, s->norm2[1], c->theta[1], row + 10);
}

/* S = sigma M^/2 + (omega . M) I/4 + omega M^T/4 from the derivative of D M (sigma = 1) or D^T M (sigma = -1) by omega:
 * a += S^T e */
static inline void add_turning(const double omega[3], const double M[3], double sigma, const double e[3], double a[3]) {
    double along = space_dot(omega, M) / 4, across = space_dot(omega, e) / 4;
    add_cross(a, -0.5 * sigma, M, e, a);
    for (int i = 0; i < 3; i++) a[i] += along * e[i] + across * M[i];
}

/* Rows of f_q: the second variation, and how forces turn with the frames they are counted in                   (DB7) */
static inline void force_row(const beam *k, const relation *s, const stress *t, int i, covector *c) {
    double a[3], b[3];
    hessian(k, s, t, zero, s->A[i], a, b);
    pull(s, a, b, c);
    add_cross(c->theta[0], 1, t->force, s->A[i], c->theta[0]);
}

static inline void first_moment_row(const beam *k, const relation *s, const stress *t, int i, covector *c) {
    double e[3] = {i == 0, i == 1, i == 2}, v[3], w[3], a[3], b[3];
    apply_D(s->omega, -0.5, e, v);
    add_cross(zero, 1, e, s->d, w);
    hessian(k, s, t, v, w, a, b);
    add_turning(s->omega, t->moment, -1, e, a);
    add_cross(b, 1, t->force, e, b);
    pull(s, a, b, c);
}

static inline void second_moment_row(const beam *k, const relation *s, const stress *t, int i, covector *c) {
    double e[3] = {-(i == 0), -(i == 1), -(i == 2)}, v[3], a[3], b[3];
    apply_D(s->omega, 0.5, e, v);
    hessian(k, s, t, v, zero, a, b);
    add_turning(s->omega, t->moment, 1, e, a);
    pull(s, a, b, c);
}

static void derivatives(const beam *k, const relation *s, const stress *t, const double *q, double *f_q) {
    for (int i = 0; i < 3; i++, f_q += 14) {
        covector c;
        force_row(k, s, t, i, &c);
        write_row(s, q, &c, f_q);
        for (int j = 0; j < 14; j++) f_q[6 * 14 + j] = -f_q[j];
        first_moment_row(k, s, t, i, &c);
        write_row(s, q, &c, f_q + 3 * 14);
        second_moment_row(k, s, t, i, &c);
        write_row(s, q, &c, f_q + 9 * 14);
    }
}

static int evaluate(const void *data, const double *q, double *V, double *f, double *f_q) {
    const beam *b = data;
    relation s;
    stress t;
    if (!relate(q, &s)) return 1;
    double energy = stress_of(b, &s, &t);
    if (V) *V = energy;
    if (f) forces(&s, &t, f);
    if (f_q) derivatives(b, &s, &t, q, f_q);
    return 0;
}

/* The stress is linear in the stiffness and in xi - xi_0, of which xi is omega, gamma over the length          (DB16)
 */
static int by_data(const void *data, const void *data_rate, const double *q, double *f_rate) {
    const beam *b = data, *rate = data_rate;
    relation s;
    stress t;
    double xi[6], y[6];
    if (!relate(q, &s)) return 1;
    strain_of(&s, b->length, xi);
    for (int i = 0; i < 6; i++) {
        const double strain_rate = -xi[i] * rate->length / b->length - rate->strain[i];
        y[i] = rate->stiffness[i] * (xi[i] - b->strain[i]) + b->stiffness[i] * strain_rate;
    }
    act(&s, y, &t);
    forces(&s, &t, f_rate);
    return 0;
}

/* ---------------------------------------------------------------- the reference */

/* By the operations that give the strain of a state: there is no stress at the reference, to the last bit. */
static void strain_at(beam *b, const double q[14]) {
    relation s;
    if (relate(q, &s)) strain_of(&s, b->length, b->strain);
}

/* omega' = (2 vec(e') - omega e_0')/e_0,  d' = A_1^T r' + d x theta_1,  theta_1 = 2 vec(conj(p_1) p_1')/|p_1|^2  (DB17)
 */
static void strain_rate_at(const beam *b, const double q[14], const double q_rate[14], beam *rate) {
    const double *p1 = q + 3, *p2 = q + 10, *p1_rate = q_rate + 3, *p2_rate = q_rate + 10;
    double e[4], first[4], second[4], turned[4], theta[3], omega[3], d[3], gamma[3];
    relation s;
    if (!relate(q, &s)) return;
    relative(p1, p2, e);
    relative(p1_rate, p2, first);
    relative(p1, p2_rate, second);
    relative(p1, p1_rate, turned);
    for (int i = 0; i < 3; i++) {
        theta[i] = 2 * turned[1 + i] / s.norm2[0];
        omega[i] = (2 * (first[1 + i] + second[1 + i]) - s.omega[i] * (first[0] + second[0])) / e[0];
        d[i] = 0;
        for (int j = 0; j < 3; j++) d[i] += s.A[j][i] * (q_rate[7 + j] - q_rate[j]);
    }
    add_cross(d, 1, s.d, theta, d);
    add_cross(d, -0.5, omega, s.d, gamma);
    add_cross(gamma, -0.5, s.omega, d, gamma);
    for (int i = 0; i < 3; i++) rate->strain[i] = omega[i] / b->length, rate->strain[3 + i] = gamma[i] / b->length;
    for (int i = 0; i < 6; i++) rate->strain[i] -= b->strain[i] * rate->length / b->length;
}

static void derive(void *data) {
    beam *b = data;
    strain_at(b, b->reference);
}

static void derive_rate(const void *data, void *data_rate) {
    const beam *b = data;
    beam *rate = data_rate;
    strain_rate_at(b, b->reference, rate->reference, rate);
}

enum { NUMBERS = sizeof(beam) / sizeof(double) };

const elastic elastic_beam = {"beam", 14, 12, NUMBERS, BEAM_GIVEN, evaluate, by_data, derive, derive_rate};

/* ---------------------------------------------------------------- in the plane */

/* (x, y, phi) as a node in space, and the place of its velocities (vx, vy, wz) there */
static void lift(const double q[3], double node[7]) {
    memcpy(node, (double[7]){q[0], q[1], 0, cos(q[2] / 2), 0, 0, sin(q[2] / 2)}, 7 * sizeof *node);
}

static const int planar_u[6] = {0, 1, 5, 6, 7, 11};

static int evaluate_planar(const void *data, const double *q, double *V, double *f, double *f_q) {
    double at[14], own_f[12], own_f_q[12 * 14];
    lift(q, at);
    lift(q + 3, at + 7);
    int status = evaluate(data, at, V, f ? own_f : NULL, f_q ? own_f_q : NULL);
    if (status) return status;
    for (int i = 0; f && i < 6; i++) f[i] = own_f[planar_u[i]];
    for (int i = 0; f_q && i < 6; i++)
        for (int node = 0; node < 2; node++) {
            const double *from = own_f_q + 14 * planar_u[i] + 7 * node, *p = at + 7 * node + 3;
            double *to = f_q + 6 * i + 3 * node;
            to[0] = from[0], to[1] = from[1];
            to[2] = (p[0] * from[6] - p[3] * from[3]) / 2;
        }
    return 0;
}

static int by_data_planar(const void *data, const void *data_rate, const double *q, double *f_rate) {
    double at[14], own[12];
    lift(q, at);
    lift(q + 3, at + 7);
    int status = by_data(data, data_rate, at, own);
    for (int i = 0; i < 6 && !status; i++) f_rate[i] = own[planar_u[i]];
    return status;
}

/* The rate of a lifted node. */
static void lift_rate(const double q[3], const double rate[3], double node[7]) {
    const double half = rate[2] / 2;
    memcpy(node, (double[7]){rate[0], rate[1], 0, -half * sin(q[2] / 2), 0, 0, half * cos(q[2] / 2)}, 7 * sizeof *node);
}

static void derive_planar(void *data) {
    beam *b = data;
    double at[14];
    lift(b->reference, at);
    lift(b->reference + 3, at + 7);
    strain_at(b, at);
}

static void derive_rate_planar(const void *data, void *data_rate) {
    const beam *b = data;
    beam *rate = data_rate;
    double at[14], at_rate[14];
    for (int i = 0; i < 2; i++) {
        lift(b->reference + 3 * i, at + 7 * i);
        lift_rate(b->reference + 3 * i, rate->reference + 3 * i, at_rate + 7 * i);
    }
    strain_rate_at(b, at, at_rate, rate);
}

const elastic elastic_planar_beam = {
    "planar_beam", 6, 6, NUMBERS, BEAM_GIVEN, evaluate_planar, by_data_planar, derive_planar, derive_rate_planar};
