#include "solver/condensed.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 600 }; /* contact unknowns: A has their square */

bool condensed_keeps(const solver *s, const problem_law *l) {
    return l->law != &law_bilateral && s->mark[l->col] >= 0;
}

/* Largest smooth unknown, as a velocity: a gap that would need four times as much stays open. */
static double fastest(const problem *p, const double *z) {
    double largest = 0;
    for (int j = 0; j < p->nF; j++) largest = fmax(largest, fabs(z[j] / p->scale[j]));
    return largest;
}

/* Friction laws come after the normal laws they go with. */
static bool takes_part(const solver *s, const problem_law *l, const double *rows, double velocity) {
    if (!l->enabled) return false;
    return l->normal < 0 ? l->level * rows[l->row] <= 4 * velocity : s->mark[l->normal] >= 0;
}

static void number(condensed *c, solver *s, const problem *p, const double *rows, double *z) {
    double velocity = fastest(p, z);
    for (int j = 0; j < p->nF; j++) s->place[j] = c->n++;
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        bool eliminated = l->law == &law_bilateral, kept = !eliminated && takes_part(s, l, rows, velocity);
        for (int j = l->col; j < l->col + l->size; j++) {
            s->place[j] = eliminated ? c->n++ : -1;
            s->mark[j] = kept ? c->m++ : -1;
            if (!eliminated && !kept) z[j] = 0;
        }
    }
}

static double *column(const condensed *c, int i) {
    return c->X + (size_t)i * (size_t)c->n;
}

/* One row of the eliminated system: its own unknowns into the matrix, contact unknowns into the right-hand sides. */
static int eliminate_row(condensed *c, solver *s, const problem *p, int i, int row, double factor, int entry) {
    column(c, c->m)[i] = -factor * s->rows[row];
    for (int e = p->J.start[row]; e < p->J.start[row + 1]; e++) {
        int j = p->J.index[e];
        double a = factor * p->J.value[e] * s->scale[j];
        if (s->place[j] < 0) {
            if (s->mark[j] >= 0) column(c, s->mark[j])[i] -= a;
            continue;
        }
        s->index[entry] = s->place[j];
        s->value[entry++] = a;
    }
    return entry;
}

static bool eliminate(condensed *c, solver *s, const problem *p) {
    int row = 0, entry = 0;
    s->start[0] = 0;
    for (; row < p->nF; row++) s->start[row + 1] = entry = eliminate_row(c, s, p, row, row, p->weight[row], entry);
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        if (l->law != &law_bilateral) continue;
        for (int i = 0; i < l->size; i++, row++) {
            entry = eliminate_row(c, s, p, row, l->row + i, l->level, entry);
            s->index[entry] = s->place[l->col + i];
            s->value[entry++] = NEWTON_REDUNDANT;
            s->start[row + 1] = entry;
        }
    }
    if (!linear_factor(s->linear, c->n, s->start, s->index, s->value)) return false;
    for (int i = 0; i <= c->m; i++) linear_solve(s->linear, column(c, i));
    return true;
}

/* Rows of the contacts, with the eliminated unknowns inserted. */
static void condense(condensed *c, const solver *s, const problem *p, const double *z) {
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        for (int i = 0; i < l->size && condensed_keeps(s, l); i++) {
            int at = s->mark[l->col + i], row = l->row + i;
            double *a = c->A + (size_t)at * (size_t)c->m;
            c->v[at] = l->level * s->rows[row];
            c->w[at] = l->G * z[l->col + i];
            for (int e = p->J.start[row]; e < p->J.start[row + 1]; e++) {
                int j = p->J.index[e], x = s->place[j];
                double f = l->level * p->J.value[e] * s->scale[j];
                if (x < 0) {
                    if (s->mark[j] >= 0) a[s->mark[j]] += f;
                    continue;
                }
                for (int d = 0; d < c->m; d++) a[d] += f * column(c, d)[x];
                c->v[at] += f * column(c, c->m)[x];
            }
        }
    }
}

bool condensed_create(condensed *c, solver *s, problem *p, double *z) {
    *c = (condensed){0};
    if (p->evaluate(p->context, z, s->rows, false)) return false;
    number(c, s, p, s->rows, z);
    if (c->m == 0 || c->m > MOST || p->evaluate(p->context, z, s->rows, true)) return false;
    size_t n = (size_t)c->n, m = (size_t)c->m;
    c->memory = calloc((m + 1) * n + m * m + 2 * m, sizeof *c->memory); /* a cure, not the ordinary step */
    if (!c->memory) return false;
    c->X = c->memory, c->A = c->X + (m + 1) * n, c->v = c->A + m * m, c->w = c->v + m;
    if (!eliminate(c, s, p)) {
        condensed_destroy(c);
        return false;
    }
    condense(c, s, p, z);
    return true;
}

void condensed_destroy(condensed *c) {
    free(c->memory);
}

void condensed_recover(const condensed *c, const solver *s, const problem *p, double *z) {
    for (int j = 0; j < p->n; j++)
        if (s->place[j] >= 0) z[j] += s->scale[j] * column(c, c->m)[s->place[j]];
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        for (int i = 0; i < l->size && condensed_keeps(s, l); i++) {
            int at = s->mark[l->col + i];
            double step = c->w[at] - l->G * z[l->col + i];
            z[l->col + i] = c->w[at] / l->G;
            for (int j = 0; j < p->n; j++)
                if (s->place[j] >= 0) z[j] += s->scale[j] * step * column(c, at)[s->place[j]];
        }
    }
}

double condensed_radius(const condensed *c, const solver *s, const problem_law *l) {
    return l->normal < 0 ? 0 : l->mu * l->G * (s->scale[l->normal] * c->w[s->mark[l->normal]] - l->given);
}
