/* Projected Gauss-Seidel on the cone (docs/theory/solver.md, (S8)): each law in turn is solved for its own w with the
 * others fixed,  w <- -prox_C(v/a - w),  a the trace of its diagonal block. */
#include <math.h>

#include "solver/condensed.h"

enum { SWEEPS = 2000 };

static double relax(const solver *s, const problem_law *l, condensed *c) {
    int at = s->mark[l->col];
    size_t m = (size_t)c->m;
    double trace = 0, x[LAW_SIZE] = {0}, now[LAW_SIZE] = {0}, change = 0;
    for (int i = at; i < at + l->size; i++) trace += c->A[(size_t)i * m + (size_t)i];
    if (!(trace > 0)) return 0;
    for (int i = 0; i < l->size; i++) x[i] = c->v[at + i] / trace - c->w[at + i];
    l->law->prox(l->size, x, condensed_radius(c, s, l), now);
    for (int i = 0; i < l->size; i++) {
        double step = -now[i] - c->w[at + i];
        change = fmax(change, fabs(step));
        c->w[at + i] += step;
        for (int d = 0; d < c->m; d++) c->v[d] += step * c->A[(size_t)d * m + (size_t)(at + i)];
    }
    return change;
}

bool gauss_seidel_improve(solver *s, problem *p, double *z, double tolerance) {
    condensed c;
    if (!condensed_create(&c, s, p, z)) return false;
    double change = INFINITY;
    for (int sweep = 0; sweep < SWEEPS && change > tolerance / 10; sweep++) {
        change = 0;
        for (int k = 0; k < p->laws; k++)
            if (condensed_keeps(s, &p->law[k])) change = fmax(change, relax(s, &p->law[k], &c));
    }
    condensed_recover(&c, s, p, z);
    condensed_destroy(&c);
    return true;
}
