/* Projected Gauss-Seidel on the cone (docs/theory/solver.md, (S7)). The problem is linearised at z; the smooth unknowns
 * and the bilateral percussions are eliminated, which leaves  v = v0 + A w  for the contacts with a full matrix A; then
 * each law in turn is solved for its own w with the others fixed,  w <- -prox_C(v/a - w),  a its part of the diagonal.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/solver.h"

enum { MOST = 600, SWEEPS = 2000 };

static bool eliminated(const problem_law *l) {
    return l->law == &law_bilateral;
}

/* The linear system of the eliminated unknowns, its size, and the contacts' unknowns numbered in s->mark. */
static int number(solver *s, const problem *p, int *contacts) {
    int n = 0;
    *contacts = 0;
    for (int j = 0; j < p->nF; j++) s->place[j] = n++;
    for (int k = 0; k < p->laws; k++)
        for (int i = 0; i < p->law[k].size; i++) {
            int j = p->law[k].col + i;
            s->place[j] = eliminated(&p->law[k]) ? n++ : -1;
            s->mark[j] = eliminated(&p->law[k]) ? -1 : (*contacts)++;
        }
    return n;
}

typedef struct reduced {
    int n, m;  /* eliminated unknowns, contact unknowns */
    double *X; /* [m + 1][n] eliminated unknowns for a unit of each w; last: for none */
    double *A; /* [m][m] */
    double *v, *w;
} reduced;

/* Row i of the eliminated system: entries into the system, or, for contact unknowns, into the right-hand sides. */
static int eliminate_row(solver *s, const problem *p, reduced *r, int i, int row, double factor, int entry) {
    r->X[r->m * r->n + i] = -factor * s->rows[row];
    for (int e = p->J.start[row]; e < p->J.start[row + 1]; e++) {
        int j = p->J.index[e];
        double a = factor * p->J.value[e] * s->scale[j];
        if (s->place[j] < 0) {
            r->X[s->mark[j] * r->n + i] -= a;
            continue;
        }
        s->index[entry] = s->place[j];
        s->value[entry++] = a;
    }
    return entry;
}

static bool eliminate(solver *s, const problem *p, reduced *r) {
    int row = 0, entry = 0;
    s->start[0] = 0;
    for (; row < p->nF; row++) s->start[row + 1] = entry = eliminate_row(s, p, r, row, row, p->weight[row], entry);
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        if (!eliminated(l)) continue;
        for (int i = 0; i < l->size; i++, row++) {
            entry = eliminate_row(s, p, r, row, l->row + i, l->level, entry);
            s->index[entry] = s->place[l->col + i];
            s->value[entry++] = 1e-9; /* dependent constraints: as in semismooth_newton.c */
            s->start[row + 1] = entry;
        }
    }
    if (!linear_factor(s->linear, r->n, s->start, s->index, s->value)) return false;
    for (int c = 0; c <= r->m; c++) linear_solve(s->linear, r->X + (size_t)c * (size_t)r->n);
    return true;
}

/* v = v0 + A w from the rows of the contacts. */
static void condense(const solver *s, const problem *p, const double *z, reduced *r) {
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        for (int i = 0; i < l->size && !eliminated(l); i++) {
            int c = s->mark[l->col + i], row = l->row + i;
            double *a = r->A + (size_t)c * (size_t)r->m;
            r->v[c] = l->level * s->rows[row];
            r->w[c] = l->G * z[l->col + i];
            for (int e = p->J.start[row]; e < p->J.start[row + 1]; e++) {
                int j = p->J.index[e];
                double f = l->level * p->J.value[e] * s->scale[j];
                if (s->place[j] < 0) a[s->mark[j]] += f;
                else {
                    for (int d = 0; d < r->m; d++) a[d] += f * r->X[(size_t)d * (size_t)r->n + (size_t)s->place[j]];
                    r->v[c] += f * r->X[(size_t)r->m * (size_t)r->n + (size_t)s->place[j]];
                }
            }
        }
    }
}

static double relax(const solver *s, const problem_law *l, reduced *r) {
    int c = s->mark[l->col];
    double diagonal = 0, x[LAW_SIZE], now[LAW_SIZE] = {0}, change = 0;
    for (int i = 0; i < l->size; i++) diagonal += r->A[(size_t)(c + i) * (size_t)r->m + (size_t)(c + i)];
    if (!(diagonal > 0)) return 0;
    for (int i = 0; i < l->size; i++) x[i] = r->v[c + i] / diagonal - r->w[c + i];
    double radius = l->normal < 0 ? 0 : l->mu * l->G * s->scale[l->normal] * r->w[s->mark[l->normal]];
    if (l->enabled) l->law->prox(l->size, x, radius, now);
    for (int i = 0; i < l->size; i++) {
        double step = -now[i] - r->w[c + i];
        change = fmax(change, fabs(step));
        r->w[c + i] += step;
        for (int d = 0; d < r->m; d++) r->v[d] += step * r->A[(size_t)d * (size_t)r->m + (size_t)(c + i)];
    }
    return change;
}

static void sweep(const solver *s, const problem *p, reduced *r, double tolerance) {
    for (int i = 0; i < SWEEPS; i++) {
        double change = 0;
        for (int k = 0; k < p->laws; k++)
            if (!eliminated(&p->law[k])) change = fmax(change, relax(s, &p->law[k], r));
        if (change <= tolerance) return;
    }
}

/* Percussions back into z, and the eliminated unknowns that go with them. */
static void recover(const solver *s, const problem *p, double *z, const reduced *r) {
    for (int j = 0; j < p->n; j++)
        if (s->place[j] >= 0) z[j] += s->scale[j] * r->X[(size_t)r->m * (size_t)r->n + (size_t)s->place[j]];
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        for (int i = 0; i < l->size && !eliminated(l); i++) {
            int c = s->mark[l->col + i];
            double step = r->w[c] - l->G * z[l->col + i];
            z[l->col + i] = r->w[c] / l->G;
            for (int j = 0; j < p->n; j++)
                if (s->place[j] >= 0) z[j] += s->scale[j] * step * r->X[(size_t)c * (size_t)r->n + (size_t)s->place[j]];
        }
    }
}

bool gauss_seidel_improve(solver *s, problem *p, double *z) {
    reduced r = {0};
    r.n = number(s, p, &r.m);
    if (r.m > MOST || p->evaluate(p->context, z, s->rows, true)) return false;
    size_t n = (size_t)r.n, m = (size_t)r.m;
    double *memory = calloc((m + 1) * n + m * m + 2 * m + 1, sizeof *memory); /* a cure, not the ordinary step */
    if (!memory) return false;
    r.X = memory, r.A = r.X + (m + 1) * n, r.v = r.A + m * m, r.w = r.v + m;
    bool ok = eliminate(s, p, &r);
    if (ok) {
        condense(s, p, z, &r);
        sweep(s, p, &r, p->floor);
        recover(s, p, z, &r);
    }
    free(memory);
    return ok;
}
