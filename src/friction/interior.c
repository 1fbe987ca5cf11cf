/* Interior points. With R = (mu r_N, r_T) and U = (u_N/mu + |u_T|, u_T) the cones of (FC1) are their own duals, and the
 * path
 *
 *     R o U = tau e,      U = T^-1 u + |U_T| n,      R, U in L = { |x_T| <= x_N },      T = diag(mu, 1, 1)   (FC33)
 *
 * leads to a solution as tau falls to zero. Each step of Newton's method towards a point of the path, in the scaling of
 * Nesterov and Todd, solves one system (FC31) twice: to see how far tau can fall, and to get there. Where |U_T| hinders
 * a step, the next one holds it. */
#include "friction/block.h"
#include "friction/contact.h"
#include "friction/contact_system.h"
#include "friction/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct interior {
    island *s;
    int n;                       /* contacts */
    bool bends;                  /* |U_T| changes within the step */
    double *T;                   /* [n] mu; 1 without friction, where tangents stay zero */
    double *R, *U;               /* [3 n] */
    double *dR, *dU;             /* a direction */
    double *goal;                /* what F dR + F^-1 dU shall be, times F */
    double *missed;              /* T^-1 u + |U_T| n - U */
    double *x;                   /* percussions, or room for a right-hand side */
    block3 *F, *inverse, *P, *Q; /* [n] F R = F^-1 U; the matrix P W + Q */
} interior;

/* ---------------------------------------------------------------- the cone L */

static double determinant(const double x[3]) {
    const double tangent = length_of(x[1], x[2]);
    return (x[0] - tangent) * (x[0] + tangent);
}

static void product(const double x[3], const double y[3], double xy[3]) {
    xy[0] = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    for (int i = 1; i < 3; i++) xy[i] = x[0] * y[i] + y[0] * x[i];
}

/* y with x o y = z */
static void quotient(const double z[3], const double x[3], double y[3]) {
    y[0] = (x[0] * z[0] - x[1] * z[1] - x[2] * z[2]) / determinant(x);
    for (int i = 1; i < 3; i++) y[i] = (z[i] - x[i] * y[0]) / x[0];
}

static void apply(const block3 A, const double x[3], double y[3]) {
    y[0] = y[1] = y[2] = 0;
    block_apply(A, x, y);
}

/* The symmetric F with F R = F^-1 U that maps L on itself. */
static void scale(const double R[3], const double U[3], block3 F, block3 inverse) {
    const double r = sqrt(determinant(R)), u = sqrt(determinant(U)), size = sqrt(u / r);
    const double angle = sqrt((1 + (R[0] * U[0] + R[1] * U[1] + R[2] * U[2]) / (r * u)) / 2);
    double w[3];
    for (int i = 0; i < 3; i++) w[i] = (U[i] / u + (i ? -R[i] : R[i]) / r) / (2 * angle);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double x = i && j ? (i == j) + w[i] * w[j] / (1 + w[0]) : w[i + j];
            F[3 * i + j] = size * x;
            inverse[3 * i + j] = (!i == !j ? x : -x) / size;
        }
}

/* The largest step along d that stays in L: the smallest positive root of det(x + step d). */
static double step_within(const double x[3], const double d[3]) {
    const double a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2], b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2],
                 c = determinant(x), square = b * b - a * c;
    double most = d[0] < 0 ? -x[0] / d[0] : INFINITY;
    if (!(square >= 0)) return most;
    const double q = -(b + copysign(sqrt(square), b)), root[2] = {q / a, c / q};
    for (int i = 0; i < 2; i++)
        if (root[i] > 0 && root[i] < most) most = root[i];
    return most;
}

/* ---------------------------------------------------------------- one system */

/* r_N = R_N/mu */
static void percussions(const interior *m, const double *R, double *r) {
    for (int i = 0; i < 3 * m->n; i++) r[i] = i % 3 ? R[i] : R[i] / m->T[i / 3];
}

/* What (FC33) misses; r and u of R are left in x and in the island. */
static void look(interior *m) {
    percussions(m, m->R, m->x);
    friction_velocities(&m->s->problem, m->x, m->s->u);
    for (int a = 0; a < m->n; a++) {
        const double *u = m->s->u + 3 * a, *U = m->U + 3 * a;
        double *missed = m->missed + 3 * a;
        for (int i = 1; i < 3; i++) missed[i] = m->s->problem.mu[a] > 0 ? u[i] - U[i] : 0;
        missed[0] = u[0] / m->T[a] + length_of(U[1], U[2]) - U[0];
    }
}

/* x becomes x - n t.x with the direction t of U_T. */
static void bend(const interior *m, int a, double x[3]) {
    const double *U = m->U + 3 * a, length = length_of(U[1], U[2]);
    if (m->bends && length > 0) x[0] -= (U[1] * x[1] + U[2] * x[2]) / length;
}

/* W + give D; without friction, velocities along the normal only. */
static void begin_matrix(interior *m, int a, double give) {
    const double *own = m->s->problem.W[m->s->problem.diagonal[a]], size = (own[0] + own[4] + own[8]) / 3;
    const bool rough = m->s->problem.mu[a] > 0;
    memset(m->P[a], 0, sizeof(block3)), memset(m->Q[a], 0, sizeof(block3));
    for (int i = 0; i < 3; i++) m->P[a][4 * i] = i == 0 || rough, m->Q[a][4 * i] = size > 0 ? give * size : 1;
}

/* P W + Q = W + T (1 - n t^T) F^2 T + give D; without D, round-off takes over where F grows. */
static void factor(interior *m) {
    const double give = 1e-6;
    for (int a = 0; a < m->n; a++) {
        block3 square;
        scale(m->R + 3 * a, m->U + 3 * a, m->F[a], m->inverse[a]);
        block_multiply(m->F[a], m->F[a], square);
        begin_matrix(m, a, give);
        for (int j = 0; j < 3; j++) {
            double column[3] = {square[j], square[3 + j], square[6 + j]};
            bend(m, a, column);
            for (int i = 0; i < 3; i++) m->Q[a][3 * i + j] += column[i] * (i ? 1 : m->T[a]) * (j ? 1 : m->T[a]);
        }
    }
    contact_system_factor(m->s->system, m->P, m->Q);
    m->s->factored++;
}

/* dR and dU that bring F dR + F^-1 dU to the goal and what is missed to zero. */
static void direct(interior *m) {
    for (int a = 0; a < m->n; a++) {
        double x[3];
        memcpy(x, m->goal + 3 * a, sizeof x);
        bend(m, a, x);
        for (int i = 0; i < 3; i++) m->x[3 * a + i] = (x[i] - m->missed[3 * a + i]) * (i ? 1 : m->T[a]);
    }
    contact_system_solve(m->s->system, m->x);
    for (int a = 0; a < m->n; a++) {
        double *dR = m->dR + 3 * a, scaled[3], moved[3];
        for (int i = 0; i < 3; i++) dR[i] = m->x[3 * a + i] * (i ? 1 : m->T[a]);
        apply(m->F[a], dR, scaled);
        apply(m->F[a], scaled, moved);
        for (int i = 0; i < 3; i++) m->dU[3 * a + i] = m->goal[3 * a + i] - moved[i];
    }
}

/* ---------------------------------------------------------------- one step */

/* The mean of R.U after a step. */
static double mean_gap(const interior *m, double step) {
    double sum = 0;
    for (int i = 0; i < 3 * m->n; i++) sum += (m->R[i] + step * m->dR[i]) * (m->U[i] + step * m->dU[i]);
    return sum / m->n;
}

static double longest_step(const interior *m) {
    double most = INFINITY;
    for (int a = 0; a < m->n; a++) {
        most = fmin(most, step_within(m->R + 3 * a, m->dR + 3 * a));
        most = fmin(most, step_within(m->U + 3 * a, m->dU + 3 * a));
    }
    return most;
}

/* To R o U = 0: returns what of tau would be left, cubed, and how far that direction goes. */
static double predict(interior *m, double *step) {
    for (int i = 0; i < 3 * m->n; i++) m->goal[i] = -m->U[i];
    direct(m);
    *step = fmin(1, longest_step(m));
    const double left = mean_gap(m, *step) / mean_gap(m, 0);
    return fmax(1e-6, fmin(1, left * left * left));
}

/* To R o U = tau e, with the product of the predicted directions, as far as they went. */
static void correct(interior *m, double tau, double went) {
    for (int a = 0; a < m->n; a++) {
        double size[3], R[3], U[3], goal[3], change[3];
        apply(m->F[a], m->R + 3 * a, size);
        apply(m->F[a], m->dR + 3 * a, R);
        apply(m->inverse[a], m->dU + 3 * a, U);
        product(R, U, change);
        product(size, size, goal);
        for (int i = 0; i < 3; i++) goal[i] = (i ? 0 : tau) - goal[i] - went * change[i];
        quotient(goal, size, R);
        apply(m->F[a], R, m->goal + 3 * a);
    }
    direct(m);
}

/* Returns how far it went. */
static double advance(interior *m) {
    double went;
    factor(m);
    const double left = predict(m, &went), tau = mean_gap(m, 0);
    if (m->bends) correct(m, left * tau, went);
    else correct(m, tau, 0); /* back to the middle */
    const double step = fmin(1, 0.99 * longest_step(m));
    for (int i = 0; i < 3 * m->n; i++) m->R[i] += step * m->dR[i], m->U[i] += step * m->dU[i];
    return step;
}

/* ---------------------------------------------------------------- start and path */

/* R: percussions that nearly stop all contacts, moved into L together; U: the size of q, along normals. */
static void start(interior *m) {
    const friction_problem *p = &m->s->problem;
    const double give = 1e-3;
    double speed = 0, outside = 0, mean = 0;
    for (int a = 0; a < m->n; a++) {
        m->T[a] = p->mu[a] > 0 ? p->mu[a] : 1;
        begin_matrix(m, a, give);
        for (int i = 0; i < 3; i++) {
            const double own = i && !(p->mu[a] > 0) ? 0 : p->q[3 * a + i];
            m->x[3 * a + i] = -own, speed += pow(i ? own : own / m->T[a], 2);
        }
    }
    contact_system_factor(m->s->system, m->P, m->Q);
    contact_system_solve(m->s->system, m->x);
    m->s->factored++;
    for (int a = 0; a < m->n; a++) {
        double *R = m->R + 3 * a;
        for (int i = 0; i < 3; i++) R[i] = m->x[3 * a + i] * (i ? 1 : m->T[a]);
        outside = fmax(outside, length_of(R[1], R[2]) - R[0]), mean += fabs(R[0]) / m->n;
    }
    for (int a = 0; a < m->n; a++) {
        m->R[3 * a] += 1.5 * outside + 0.1 * mean;
        m->U[3 * a] = sqrt(speed / m->n), m->U[3 * a + 1] = m->U[3 * a + 2] = 0;
    }
}

static void follow_path(interior *m) {
    enum { MOST = 60, BLOCKED = 8 };
    island *s = m->s;
    start(m);
    m->bends = true;
    for (int k = 0, blocked = 0; k < MOST && blocked < BLOCKED && s->factored < s->most; k++) {
        look(m);
        const double error = island_compare(s, m->x, s->u);
        s->late = clock_seconds() > s->deadline;
        if (error <= s->tolerance || !isfinite(error) || s->late) break;
        m->bends = advance(m) >= 0.1;
        blocked = m->bends ? 0 : blocked + 1;
    }
}

bool interior_solve(island *s) {
    const size_t n = (size_t)s->problem.contacts;
    interior m = {.s = s, .n = (int)n};
    m.T = malloc(22 * n * sizeof *m.T);
    m.F = malloc(4 * n * sizeof *m.F);
    s->exhausted = !m.T || !m.F;
    m.R = m.T + n, m.U = m.R + 3 * n, m.dR = m.U + 3 * n, m.dU = m.dR + 3 * n, m.goal = m.dU + 3 * n;
    m.missed = m.goal + 3 * n, m.x = m.missed + 3 * n;
    m.inverse = m.F + n, m.P = m.inverse + n, m.Q = m.P + n;
    if (!s->exhausted) follow_path(&m);
    free(m.T);
    free(m.F);
    return s->error <= s->tolerance;
}
