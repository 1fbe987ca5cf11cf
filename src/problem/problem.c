#include "problem/problem.h"

#include <math.h>

double problem_law_at(const problem_law *l, const double *z, const double *rows, double *v, double *w) {
    for (int i = 0; i < l->size; i++) {
        v[i] = l->level * rows[l->row + i];
        w[i] = l->G * z[l->col + i];
    }
    return l->normal < 0 ? 0 : l->mu * l->G * z[l->normal];
}

static double error_of(const problem_law *l, const double *v, const double *w, double radius) {
    if (l->enabled) return law_error(l->law, l->size, v, w, radius);
    double error = 0;
    for (int i = 0; i < l->size; i++) error = fmax(error, fabs(w[i]));
    return error;
}

double problem_residual(const problem *p, const double *z, const double *rows, int *worst) {
    double largest = 0, poison = 0; /* 0 times anything not finite is NaN, and stays */
    int where = 0;
    for (int i = 0; i < p->nF; i++) {
        double error = fabs(p->weight[i] * rows[i]);
        poison += 0 * error;
        if (error > largest && error > p->floor[i]) largest = error, where = i;
    }
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        double v[LAW_SIZE], w[LAW_SIZE];
        double radius = problem_law_at(l, z, rows, v, w), error = error_of(l, v, w, radius);
        for (int i = 0; i < l->size; i++) poison += 0 * (v[i] + w[i]);
        if (error > largest && error > l->floor) largest = error, where = p->nF + k;
    }
    if (worst) *worst = where;
    return poison == 0 ? largest : INFINITY;
}
