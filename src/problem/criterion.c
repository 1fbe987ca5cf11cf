/* When a step problem is solved (docs/theory/solver.md, (S11)). The error of every row is measured against
 *
 *     change   its terms as far as the step makes them: |J_ij| |z_j - z_j before|
 *     size     its terms, which are rounded:            |J_ij| (|z_j| + |z_j before|)
 *     pace     how fast anything moves that the row's unknowns depend on, by any number of rows
 *
 * all of them velocities, added up without signs. Bodies that nothing connects do not see each other. */
#include <float.h>
#include <math.h>

#include "linalg/sets.h"
#include "problem/problem.h"

static const double SHARE = 1e-10; /* part of its change by which a row may be wrong */
static const double LEAST =
    1e-8; /* part of its terms, at a place where corrections no longer help: for redundant laws */
static const double ROUND = 8 * DBL_EPSILON; /* part of its terms that rounding may cost */
static const double CANCEL = 125;    /* times this, where parts of the terms cancel, as a stalled iteration shows */
static const double EXCESSIVE = 1e8; /* times its momentum, by which contacts may push a body */
static const double FAINT = DBL_MIN / DBL_EPSILON / DBL_EPSILON; /* velocities whose terms underflow */

static inline double larger(double a, double b) {
    return a > b ? a : b;
}
static inline double smaller(double a, double b) {
    return a < b ? a : b;
}

typedef struct extent {
    double size, change, pace, pace_change;
} extent;

/* ---------------------------------------------------------------- pace */

/* What a velocity moves by without percussions: a body at rest that they hold has this pace. */
static double free_change(const problem *p, int i, const double *z, const double *rows) {
    double sum = rows[i];
    for (int e = p->J.start[i]; e < p->J.start[i + 1]; e++)
        if (p->J.index[e] >= p->nF) sum -= p->J.value[e] * z[p->J.index[e]];
    return fabs(p->weight[i] * sum);
}

static void find_pace(problem *p, const double *z, const double *rows) {
    problem_find_groups(p, z);
    for (int j = 0; j < 2 * p->n; j++) p->pace[j] = 0;
    for (int i = 0; i < p->velocities; i++) {
        int g = set_of(p->group, i);
        double change = larger(fabs(z[i] - p->from[i]), free_change(p, i, z, rows));
        p->pace[g] = larger(p->pace[g], larger(change, larger(fabs(z[i]), fabs(p->from[i]))));
        p->pace[p->n + g] = larger(p->pace[p->n + g], change);
    }
}

/* ---------------------------------------------------------------- extents */

/* What is known of the paces. Most rows are judged without; then by that of the fastest velocity of all, which costs
 * less to find and is no less than those of groups. */
typedef enum pace_known { NO_PACE, PACE_OF_ALL, PACE_OF_GROUPS } pace_known;

typedef struct judgement {
    problem *p;
    const double *z, *rows;
    double tolerance, excess, residual;
    problem_progress progress;
    pace_known by;  /* for the present row */
    double fastest; /* of all paces; 0: not known */
    bool grouped;   /* paces of groups are known */
} judgement;

static extent extent_of_row(const judgement *j, int row, double factor) {
    const problem *p = j->p;
    extent sum = {0};
    for (int e = p->J.start[row]; e < p->J.start[row + 1]; e++) {
        int i = p->J.index[e];
        double a = fabs(factor * p->J.value[e]), z = j->z[i], from = i < p->nF ? p->from[i] : 0;
        sum.size += a * (fabs(z) + fabs(from));
        sum.change += a * fabs(z - from);
    }
    if (j->by == PACE_OF_ALL) sum.pace = sum.pace_change = j->fastest;
    for (int e = p->J.start[row]; e < p->J.start[row + 1] && j->by == PACE_OF_GROUPS; e++) {
        int g = set_of(p->group, p->J.index[e]);
        sum.pace = larger(sum.pace, p->pace[g]);
        sum.pace_change = larger(sum.pace_change, p->pace[p->n + g]);
    }
    return sum;
}

/* A law that holds its row at v = 0 knows v as precisely as the velocities in it; its percussion counts as a change. */
static extent extent_of_law(const judgement *j, const problem_law *l) {
    extent all = {0};
    double w = 0;
    for (int i = 0; i < l->size; i++) w = larger(w, l->G * fabs(j->z[l->col + i]));
    if (l->normal >= 0) w += l->mu * l->G * (fabs(j->z[l->normal]) + fabs(l->given));
    for (int i = 0; i < l->size; i++) {
        extent row = extent_of_row(j, l->row + i, l->level);
        all.size = larger(all.size, row.size), all.change = larger(all.change, row.change);
        all.pace = larger(all.pace, row.pace);
    }
    if (l->present != LAW_HOLD) all.size = w, all.change = 0;
    all.change += w;
    return all;
}

/* ---------------------------------------------------------------- the criterion */

/* By how much a row may be wrong, and how much of that is round-off. */
typedef struct allowance {
    double all, noise;
} allowance;

static allowance allow(const judgement *j, extent e, double floor) {
    const double noise = larger(larger(floor, FAINT), ROUND * larger(e.size, e.pace)), most = CANCEL * noise;
    if (j->progress == PROBLEM_GUESSED) return (allowance){noise, noise};
    if (j->progress == PROBLEM_CORRECTED)
        return (allowance){larger(noise, smaller(j->tolerance, SHARE * e.change)), noise};
    return (allowance){smaller(larger(j->tolerance, most), larger(noise, LEAST * (e.size + e.change + e.pace))), most};
}

/* Errors of F add up from step to step, so a guess is good only if what the step changes is right to round-off. Errors
 * of laws do not: each step measures velocities and gaps anew. */
static allowance allow_row(const judgement *j, int i) {
    const problem *p = j->p;
    extent e = extent_of_row(j, i, p->weight[i]);
    if (j->progress != PROBLEM_GUESSED) return allow(j, e, p->floor[i]);
    e.size = e.change / 2, e.pace = e.pace_change / 2;
    return allow(j, e, i < p->velocities ? p->floor[i] : 0);
}

static allowance allow_law(const judgement *j, const problem_law *l) {
    return allow(j, extent_of_law(j, l), l->floor);
}

/* Whether terms of a row alone cost so much by rounding that nothing more need be known of it; most rows are such. */
static bool is_round_off(const judgement *j, int row, double factor, double error) {
    const problem *p = j->p;
    const double enough = error / (ROUND * fabs(factor));
    double size = 0;
    if (j->progress == PROBLEM_GUESSED) return false;
    for (int e = p->J.start[row]; e < p->J.start[row + 1] && !(size >= enough); e++) {
        const int i = p->J.index[e];
        size += fabs(p->J.value[e]) * (fabs(j->z[i]) + (i < p->nF ? fabs(p->from[i]) : 0));
    }
    return size >= enough;
}

static void find_fastest(judgement *j) {
    const problem *p = j->p;
    for (int i = 0; i < p->velocities; i++) {
        const double change = larger(fabs(j->z[i] - p->from[i]), free_change(p, i, j->z, j->rows));
        j->fastest = larger(j->fastest, larger(change, larger(fabs(j->z[i]), fabs(p->from[i]))));
    }
}

static void find_groups(judgement *j) {
    if (!j->grouped) find_pace(j->p, j->z, j->rows);
    j->grouped = true;
}

/* Row i of F, or a law. */
static allowance allow_by(judgement *j, pace_known by, int i, const problem_law *l) {
    j->by = by;
    return l ? allow_law(j, l) : allow_row(j, i);
}

static void judge(judgement *j, double error, int i, const problem_law *l) {
    allowance may = allow_by(j, NO_PACE, i, l);
    if (error > may.all) {
        if (!(j->fastest > 0)) find_fastest(j);
        may = allow_by(j, PACE_OF_ALL, i, l);
        if (error <= may.all) find_groups(j), may = allow_by(j, PACE_OF_GROUPS, i, l);
    }
    if (error > may.noise) j->residual = larger(j->residual, error);
    j->excess = larger(j->excess, error / may.all);
}

/* ---------------------------------------------------------------- percussions that cancel */

/* The velocity of row i now, before the step, and without percussions. */
static double motion_of_row(const problem *p, int i, const double *z, const double *rows) {
    return fabs(z[i]) + fabs(p->from[i]) + free_change(p, i, z, rows);
}

static bool is_of_contact(const problem *p, int unknown) {
    return unknown >= p->nF && (p->joints == 0 || (unknown - p->nF) % p->percussions >= p->joints);
}

/* The sum of what contacts push along row i, in absolute values. */
static double push_of_row(const problem *p, int i, const double *z) {
    double push = 0;
    for (int e = p->J.start[i]; e < p->J.start[i + 1]; e++)
        if (is_of_contact(p, p->J.index[e])) push += fabs(p->J.value[e] * z[p->J.index[e]]);
    return push;
}

static bool any_contact_pushes(const problem *p, const double *z) {
    const int copy = p->joints > 0 ? p->percussions : p->n - p->nF;
    for (int first = p->nF; first < p->n; first += copy)
        for (int i = first + p->joints; i < first + copy; i++)
            if (z[i] != 0) return true;
    return false;
}

/* (S13): if percussions exceed all momentum of the bodies they connect by far, they hold each other, and what they
 * leave of velocities is round-off. A light body passes on what a heavy one needs. */
static bool is_absurd(judgement *j) {
    problem *p = j->p;
    if (!any_contact_pushes(p, j->z)) return false;
    for (int i = 0; i < p->velocities; i++) {
        double push = push_of_row(p, i, j->z), momentum = 0;
        if (ROUND * p->weight[i] * push <= j->tolerance ||
            p->weight[i] * push <= EXCESSIVE * motion_of_row(p, i, j->z, j->rows))
            continue;
        find_groups(j);
        for (int k = 0; k < p->velocities; k++)
            if (set_of(p->group, k) == set_of(p->group, i))
                momentum = larger(momentum, motion_of_row(p, k, j->z, j->rows) / p->weight[k]);
        if (push > EXCESSIVE * momentum) return true;
    }
    return false;
}

double problem_excess(problem *p, const double *z, const double *rows, double tolerance, problem_progress progress,
                      double *residual) {
    judgement j = {.p = p, .z = z, .rows = rows, .tolerance = tolerance, .progress = progress};
    const double enough = progress == PROBLEM_GUESSED ? 1 : INFINITY; /* a guess that is none need not be looked at */
    for (int i = 0; i < p->nF && j.excess <= enough; i++) {
        double error = problem_row_error(p, rows, i);
        if (error <= (progress == PROBLEM_GUESSED ? 0 : p->floor[i]) || is_round_off(&j, i, p->weight[i], error))
            continue;
        judge(&j, error, i, NULL);
    }
    for (int k = 0; k < p->laws && j.excess <= enough; k++) {
        const problem_law *l = &p->law[k];
        if (l->error <= l->floor ||
            (l->size == 1 && l->present == LAW_HOLD && is_round_off(&j, l->row, l->level, l->error)))
            continue;
        judge(&j, l->error, 0, l);
    }
    *residual = j.residual;
    return j.excess <= 1 && is_absurd(&j) ? INFINITY : j.excess;
}

bool problem_may_be_solved(problem *p, const double *z, const double *rows, double tolerance, int worst) {
    judgement j = {.p = p, .z = z, .rows = rows, .tolerance = tolerance, .progress = PROBLEM_STALLED};
    const problem_law *l = worst >= p->nF ? &p->law[worst - p->nF] : NULL;
    double error = l ? l->error : problem_row_error(p, rows, worst);
    if (error <= tolerance) return true;
    extent e = l ? extent_of_law(&j, l) : extent_of_row(&j, worst, p->weight[worst]);
    for (int i = 0; i < p->velocities; i++) e.pace = larger(e.pace, larger(fabs(z[i]), fabs(p->from[i])));
    return error <= allow(&j, e, l ? l->floor : p->floor[worst]).all;
}
