/* Interior points. With R = (mu r_N, r_T) and U = (u_N/mu + |u_T|, u_T) the cones of (FC1) are their own duals, and the
 * path
 *
 *     R o U = tau e,      U = T^-1 u + |U_T| n,      R, U in L = { |x_T| <= x_N },      T = diag(mu, 1, 1)   (FC33)
 *
 * leads to a solution as tau falls to zero. Each step of Newton's method towards a point of the path, in the scaling of
 * Nesterov and Todd, solves one system (FC31) twice: to see how far tau can fall, and to get there. Where |U_T| hinders
 * a step, the next one holds it. */
#include "friction/interior_inside.h"

#include "friction/cone.h"
#include "friction/contact_system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- one system */

/* r_N = R_N/mu */
static void percussions(const interior *m, const double *R, double *r) {
    for (int i = 0; i < 3 * m->n; i++) r[i] = i % 3 ? R[i] : R[i] / m->T[i / 3];
}

double interior_look(interior *m) {
    percussions(m, m->R, m->x);
    friction_velocities(&m->s->problem, m->x, m->s->u);
    for (int a = 0; a < m->n; a++) {
        const double *u = m->s->u + 3 * a, *U = m->U + 3 * a;
        double *missed = m->missed + 3 * a;
        for (int i = 1; i < 3; i++) missed[i] = m->s->problem.mu[a] > 0 ? u[i] - U[i] : 0;
        missed[0] = u[0] / m->T[a] + length_of(U[1], U[2]) - U[0];
    }
    return island_compare(m->s, m->x, m->s->u);
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
void interior_factor(interior *m) {
    const double give = 1e-6;
    for (int a = 0; a < m->n; a++) {
        block3 square;
        cone_scale(m->R + 3 * a, m->U + 3 * a, m->F[a], m->inverse[a]);
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

void interior_aim(interior *m, double tau, double squares, double products) {
    for (int a = 0; a < m->n; a++) {
        double l[3], R[3], U[3], goal[3], change[3], g[3];
        cone_apply(m->F[a], m->R + 3 * a, l);
        cone_apply(m->F[a], m->dR + 3 * a, R);
        cone_apply(m->inverse[a], m->dU + 3 * a, U);
        cone_product(R, U, change);
        cone_product(l, l, goal);
        for (int i = 0; i < 3; i++) goal[i] = (i ? 0 : tau) - squares * goal[i] - products * change[i];
        cone_quotient(goal, l, g);
        cone_apply(m->F[a], g, m->goal + 3 * a);
    }
}

void interior_direct(interior *m) {
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
        cone_apply(m->F[a], dR, scaled);
        cone_apply(m->F[a], scaled, moved);
        for (int i = 0; i < 3; i++) m->dU[3 * a + i] = m->goal[3 * a + i] - moved[i];
    }
}

/* ---------------------------------------------------------------- one step */

double interior_mean_gap(const interior *m, double step) {
    double sum = 0;
    for (int i = 0; i < 3 * m->n; i++) sum += (m->R[i] + step * m->dR[i]) * (m->U[i] + step * m->dU[i]);
    return sum / m->n;
}

double interior_longest_step(const interior *m) {
    double most = INFINITY;
    for (int a = 0; a < m->n; a++) {
        most = fmin(most, cone_step_within(m->R + 3 * a, m->dR + 3 * a));
        most = fmin(most, cone_step_within(m->U + 3 * a, m->dU + 3 * a));
    }
    return most;
}

/* To R o U = 0: returns what of tau would be left, cubed, and how far that direction goes. */
static double predict(interior *m, double *step) {
    for (int i = 0; i < 3 * m->n; i++) m->goal[i] = -m->U[i];
    interior_direct(m);
    *step = fmin(1, interior_longest_step(m));
    const double left = interior_mean_gap(m, *step) / interior_mean_gap(m, 0);
    return fmax(1e-6, fmin(1, left * left * left));
}

/* Returns how far it went. */
static double advance(interior *m) {
    double went;
    interior_factor(m);
    const double left = predict(m, &went), tau = interior_mean_gap(m, 0);
    if (m->bends) interior_aim(m, left * tau, 1, went);
    else interior_aim(m, tau, 1, 0); /* back to the middle */
    interior_direct(m);
    const double step = fmin(1, 0.99 * interior_longest_step(m));
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

/* R and U, where tau fell to a quarter since they were kept last. */
static bool keep(interior *m, double *last) {
    const double tau = interior_mean_gap(m, 0);
    const size_t length = 6 * (size_t)m->n, before = (size_t)m->s->points * length;
    if (!(tau <= *last / 4)) return true;
    double *more = realloc(m->s->kept, (before + length) * sizeof *more);
    if (!more) return false;
    memcpy(more + before, m->R, length * sizeof *more);
    m->s->kept = more, m->s->points++, *last = tau;
    return true;
}

static void follow_path(interior *m) {
    enum { MOST = 60, BLOCKED = 4 };
    island *s = m->s;
    double last = INFINITY;
    int blocked = 0;
    start(m);
    m->bends = true;
    for (int k = 0; k < MOST && blocked < BLOCKED && s->factored < s->most; k++) {
        const double error = interior_look(m);
        s->late = clock_seconds() > s->deadline;
        s->exhausted = !blocked && !keep(m, &last);
        if (error <= s->tolerance || !isfinite(error) || s->late || s->exhausted) break;
        m->bends = advance(m) >= 0.1;
        if (!m->bends) blocked++;
    }
    s->turned = blocked == BLOCKED;
}

bool interior_create(interior *m, island *s) {
    const size_t n = (size_t)s->problem.contacts;
    *m = (interior){.s = s, .n = (int)n, .T = calloc(22 * n, sizeof *m->T), .F = malloc(4 * n * sizeof *m->F)};
    if (!m->T || !m->F) return false;
    for (size_t a = 0; a < n; a++) m->T[a] = s->problem.mu[a] > 0 ? s->problem.mu[a] : 1;
    m->R = m->T + n, m->U = m->R + 3 * n, m->dR = m->U + 3 * n, m->dU = m->dR + 3 * n, m->goal = m->dU + 3 * n;
    m->missed = m->goal + 3 * n, m->x = m->missed + 3 * n;
    m->inverse = m->F + n, m->P = m->inverse + n, m->Q = m->P + n;
    return true;
}

void interior_destroy(interior *m) {
    free(m->T);
    free(m->F);
}

bool interior_solve(island *s) {
    interior m;
    s->exhausted = !interior_create(&m, s);
    if (!s->exhausted) follow_path(&m);
    interior_destroy(&m);
    return s->error <= s->tolerance;
}
