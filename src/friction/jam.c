/* Pressures p >= 0 that hold each other although the contacts close,
 *
 *     sum_a p_a W_(aN),b = 0 for all b,    sum_a p_a q_aN < 0:                                              (FC7)
 *
 * then sum p_a u_aN < 0 whatever the percussions, and some contact closes: there is no solution. They are sought as
 * the minimum of p.W_NN p + (q_N.p + s)^2 over p >= 0, one after the other; s is the size of q. */
#include "friction/parts.h"

#include <math.h>
#include <stdlib.h>

enum { SWEEPS = 400 };

/* Row a of W_NN p. */
static double row(const friction_problem *p, int a, const double *x) {
    double sum = 0;
    for (int e = p->start[a]; e < p->start[a + 1]; e++) sum += p->W[e][0] * x[p->index[e]];
    return sum;
}

/* In units in which q_N and the diagonal of W_NN are one. */
static void minimise(const friction_problem *p, double mass, double speed, double *x) {
    double short_of = 1; /* q_N.p + 1 */
    for (int k = 0; k < SWEEPS; k++)
        for (int a = 0; a < p->contacts; a++) {
            double q = p->q[3 * a] / speed, own = p->W[p->diagonal[a]][0] / mass + q * q, before = x[a];
            if (!(own > 0)) continue;
            x[a] = fmax(0, before - (row(p, a, x) / mass + q * short_of) / own);
            short_of += q * (x[a] - before);
        }
}

/* Whether x fulfils (FC7), but for 1e-6 of its terms. */
static bool proves(const friction_problem *p, const double *x, double *sum, double *size) {
    double closes = 0, terms = 0;
    for (int a = 0; a < p->contacts; a++) {
        closes -= x[a] * p->q[3 * a], terms += fabs(x[a] * p->q[3 * a]);
        for (int e = p->start[a]; e < p->start[a + 1]; e++)
            for (int i = 0; i < 3; i++) {
                sum[3 * p->index[e] + i] += x[a] * p->W[e][i];
                size[3 * p->index[e] + i] += fabs(x[a] * p->W[e][i]);
            }
    }
    double most = 0;
    for (int i = 0; i < 3 * p->contacts; i++) most = fmax(most, size[i]);
    for (int i = 0; i < 3 * p->contacts; i++)
        if (!(fabs(sum[i]) <= 1e-6 * most)) return false;
    return closes > 1e-6 * terms;
}

bool jam_exists(const friction_problem *p) {
    size_t n = (size_t)p->contacts;
    double *x = calloc(7 * n, sizeof *x), mass = 0, speed = 0;
    for (int a = 0; a < p->contacts; a++) {
        mass = fmax(mass, p->W[p->diagonal[a]][0]);
        speed = fmax(speed, fabs(p->q[3 * a]));
    }
    bool found = x && speed > 0;
    if (found) minimise(p, mass > 0 ? mass : 1, speed, x);
    found = found && proves(p, x, x + n, x + 4 * n);
    free(x);
    return found;
}
