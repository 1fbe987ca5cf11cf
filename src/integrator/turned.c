#include "integrator/turned.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/sets.h"
#include "problem/cause.h"

static double square(double x) {
    return x * x;
}

/* Without this the energy has not grown by the factor of (S28). */
static bool has_any_grown(const problem *p, const double *z, double tolerance) {
    for (int i = 0; i < p->velocities; i++)
        if (fabs(z[i]) > fmax(CAUSE_TURNED * fabs(p->from[i]), tolerance)) return true;
    return false;
}

/* The energies of connected bodies, twice and summed over stages: in the step, and what can be their cause. */
static void add_energies(problem *p, int nu, const turned_step *x, double *after, double *cause) {
    problem_find_groups(p, x->z);
    memset(p->pace, 0, 2 * (size_t)p->n * sizeof *p->pace);
    for (int i = 0; i < p->velocities; i++) {
        const int g = set_of(p->group, i);
        after[g] += square(x->z[i]) / p->weight[i];
        cause[g] += (square(p->from[i]) + square(p->from[i] + x->dt * x->h[i % nu] * p->weight[i])) / p->weight[i];
    }
}

/* The rate at the start does not tell how the gap changes. */
static bool turns(const carom_model *m, const turned_step *x, int k, const double *before, const double *after) {
    const carom_pattern *WT = &m->def.WT;
    const int row = m->N + k, gap = m->def.ng + k;
    double rate = 0, terms = 0;
    for (int e = WT->start[row]; e < WT->start[row + 1]; e++) {
        const double term = x->WT[e] * x->z[WT->index[e]];
        rate += term, terms += fabs(term);
    }
    return fabs(x->dt * rate - (after[gap] - before[gap])) > x->dt * terms / 2;
}

/* Whether a contact presses bodies that have more energy than what can be its cause. c: gaps at both ends of the step;
 * NULL: whatever they do, else only where its gap turns. */
static bool any_without_cause(const carom_model *m, problem *p, const turned_step *x, const double *c) {
    const carom_pattern *WT = &m->def.WT;
    const double *after = p->pace, *cause = p->pace + p->n;
    for (int k = 0; k < m->def.contacts; k++) {
        const int row = m->N + k;
        if (x->P[row] == 0 || WT->start[row] == WT->start[row + 1]) continue;
        const int g = set_of(p->group, WT->index[WT->start[row]]);
        if (!cause_suffices_where_turned(after[g], cause[g]) && (!c || turns(m, x, k, c, c + m->nc))) return true;
    }
    return false;
}

bool turned_without_cause(const carom_model *m, problem *p, const turned_step *x, double tolerance,
                          step_report *report) {
    const carom_model_def *d = &m->def;
    if (!d->contacts || d->rheonomic || !has_any_grown(p, x->z, tolerance)) return false;
    add_energies(p, d->nu, x, p->pace, p->pace + p->n);
    if (!any_without_cause(m, p, x, NULL)) return false;
    const bool known = !d->position(d->context, x->t, x->q[0], x->gaps, NULL) &&
                       !d->position(d->context, x->t + x->dt, x->q[1], x->gaps + m->nc, NULL);
    if (known && !any_without_cause(m, p, x, x->gaps)) return false;
    snprintf(report->reason, sizeof report->reason,
             "a contact turns round in the step from t = %.9g, and the energy grows without a cause", x->t);
    report->hint = "; take a smaller dt";
    return true;
}
