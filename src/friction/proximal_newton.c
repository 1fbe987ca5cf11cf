/* The proximal point method: problems held near a centre c,
 *
 *     u = W r + q + alpha D (r - c),    D_a = trace(W_aa)/3,                                                 (FC4)
 *
 * whose solutions are the next centres. alpha > 0 makes dependent rows solvable, and the moving centre keeps the limit
 * exact. Each is solved by semismooth Newton steps on
 *
 *     r_N = max(0, r_N - rho_N u_N),   r_T = prox of the disk of radius mu max(0, r_N - rho_N u_N) at r_T - rho_T u_T
 * (FC5)
 *
 * in full: merit functions rise along the null space of W, and a line search would stall there. */
#include "friction/contact.h"
#include "friction/contact_system.h"
#include "friction/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct proximal {
    island *s;
    int n;               /* 3 contacts */
    int most;            /* factorisations of the island */
    double alpha, floor; /* floor: alpha that failed before, decaying */
    double *D, *rho;     /* [contacts], [2 contacts] */
    double *centre, *r, *u, *step;
    double *memory;
    block3 *by_u, *by_r; /* [contacts] of the matrix by_u W + by_r */
} proximal;

/* ---------------------------------------------------------------- one Newton step */

static void newton_step(proximal *m) {
    const friction_problem *p = &m->s->problem;
    for (int a = 0; a < p->contacts; a++) {
        contact_linearise(p->mu[a], m->rho + 2 * a, m->r + 3 * a, m->u + 3 * a, m->step + 3 * a, m->by_u[a],
                          m->by_r[a]);
        for (int i = 0; i < 9; i++) m->by_r[a][i] += m->alpha * m->D[a] * m->by_u[a][i];
    }
    contact_system_factor(m->s->system, m->by_u, m->by_r);
    contact_system_solve(m->s->system, m->step);
    for (int i = 0; i < m->n; i++) m->r[i] -= m->step[i];
    m->s->factored++;
}

/* ---------------------------------------------------------------- a problem near its centre */

/* u of (FC4) at r, and the errors of r in this problem and in the exact one, which keeps the best r. */
static double evaluate(proximal *m, double *exact) {
    const friction_problem *p = &m->s->problem;
    friction_velocities(p, m->r, m->u);
    *exact = island_compare(m->s, m->r, m->u);
    for (int i = 0; i < m->n; i++) m->u[i] += m->alpha * m->D[i / 3] * (m->r[i] - m->centre[i]);
    return friction_error(p, m->r, m->u);
}

static void regularise(proximal *m) {
    const friction_problem *p = &m->s->problem;
    for (int a = 0; a < p->contacts; a++) {
        const double *own = p->W[p->diagonal[a]], more = m->alpha * m->D[a];
        m->rho[2 * a] = 1 / (own[0] + more);
        m->rho[2 * a + 1] = 1 / ((own[4] + own[8]) / 2 + more);
    }
}

/* Newton from r to a tenth of the error at the centre. *steps: those it took. */
static bool inner(proximal *m, double *outer, int *steps) {
    enum { MOST = 20, PATIENCE = 6 };
    double best = INFINITY, goal = fmax(*outer / 10, m->s->tolerance / 10), exact;
    int since = 0;
    regularise(m);
    for (*steps = 0;; ++*steps) {
        double error = evaluate(m, &exact);
        if (exact <= m->s->tolerance || error <= goal) {
            if (!m->s->astray) *outer = exact;
            return !m->s->astray;
        }
        if (error < 0.7 * best) best = error, since = 0;
        m->s->late = clock_seconds() > m->s->deadline;
        if (*steps == MOST || ++since > PATIENCE || m->s->late) return false;
        newton_step(m);
    }
}

/* ---------------------------------------------------------------- centres */

static void advance(proximal *m, int steps) {
    memcpy(m->centre, m->r, (size_t)m->n * sizeof *m->r);
    m->floor *= 0.6;
    m->alpha = fmax(m->floor, m->alpha * (steps <= 4 ? 0.03 : steps <= 8 ? 0.17 : 0.7));
}

static void retreat(proximal *m) {
    memcpy(m->r, m->centre, (size_t)m->n * sizeof *m->r);
    m->floor = 1.5 * m->alpha;
    m->alpha *= 5;
}

static void iterate(proximal *m) {
    enum { MOST = 1000, LOOK = 64 }; /* centres; centres between looks for a jam */
    const double stiffest = 1e6;     /* alpha at which the problem itself no longer counts */
    island *s = m->s;
    double outer = s->error;
    for (int k = 1, steps; k <= MOST && s->factored < m->most && s->error > s->tolerance && m->alpha < stiffest; k++) {
        if (inner(m, &outer, &steps)) advance(m, steps);
        else retreat(m);
        if (k % LOOK == LOOK / 4 && s->error > s->tolerance) s->jammed = jam_exists(&s->problem);
        if (s->jammed || s->late) break;
    }
}

static bool create(proximal *m, island *s) {
    const friction_problem *p = &s->problem;
    size_t n = 3 * (size_t)p->contacts;
    *m = (proximal){.s = s, .n = (int)n, .alpha = 1e-3};
    m->memory = malloc((4 * n + n) * sizeof *m->memory);
    m->by_u = malloc(2 * n / 3 * sizeof *m->by_u);
    if (!m->memory || !m->by_u) return false;
    m->by_r = m->by_u + n / 3;
    m->centre = m->memory, m->r = m->centre + n, m->u = m->r + n, m->step = m->u + n, m->D = m->step + n;
    m->rho = m->D + n / 3;
    for (int a = 0; a < p->contacts; a++) {
        const double *own = p->W[p->diagonal[a]];
        m->D[a] = (own[0] + own[4] + own[8]) / 3;
        if (!(m->D[a] > 0)) m->D[a] = 1; /* a contact of bodies that cannot move */
    }
    memcpy(m->centre, s->r, n * sizeof *s->r);
    memcpy(m->r, s->r, n * sizeof *s->r);
    return true;
}

bool proximal_newton_solve(island *s, int most) {
    proximal m;
    s->exhausted = !create(&m, s);
    m.most = most < s->most - s->factored ? s->factored + most : s->most;
    if (!s->exhausted) iterate(&m);
    free(m.memory);
    free(m.by_u);
    return s->error <= s->tolerance;
}
