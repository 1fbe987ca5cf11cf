/* Semismooth Newton in active-set form (docs/theory/solver.md).
 *
 * Each law chooses a branch at the present iterate, (S2):   w = 0,   v = 0   or   w + radius d = 0,
 * and Newton's step solves the linearised rows (F, branches) together, (S3). A law on the branch w = 0 fixes its own
 * unknown: its row and column leave the system, so that its size follows the closed contacts, not the possible ones.
 * All rows and unknowns are velocities, so that a small pivot means dependence, or stiffness: (S10) tells. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "solver/repetition.h"
#include "solver/solver_inside.h"
#include "stop.h"

static const double BURST = 1e8; /* times the error before: rows of two laws or more depend on each other, (S29) */

/* A slip direction may turn by more than a right angle between two iterates once. If it turns back, the iteration jumps
 * over stick. */
static bool jumps(solver *s, int k, int n, const double *now) {
    double dot = 0;
    for (int i = 0; i < n; i++) dot += s->direction[k][i] * now[i];
    return dot < 0 && s->turns[k]++ > 0;
}

static void stick(solver *s, const problem_law *l, int k) {
    double v[LAW_SIZE];
    for (int i = 0; i < l->size; i++) v[i] = l->level * s->rows[l->row + i];
    carom_law_hold(l->size, v, &s->law[k]);
    s->turn[k] = (law_turn){0};
}

/* (S2). True: every law keeps its branch. */
static bool choose_branches(problem *p) {
    bool same = true;
    for (int k = 0; k < p->laws; k++) {
        problem_law *l = &p->law[k];
        same = same && l->branch == l->present;
        l->branch = l->present;
    }
    return same;
}

/* (S19): if a guess has no percussions, only round-off decides whether this law is open or closed. A friction law
 * also needs that its contact holds. */
static bool is_undecided(const solver *s, const problem_law *l) {
    bool undecided = l->enabled && !l->fixed && !l->follows && (l->normal < 0 || s->mark[l->normal] > 0);
    for (int i = 0; i < l->size && undecided; i++) undecided = fabs(l->level * s->rows[l->row + i]) <= l->floor;
    return undecided;
}

/* (S27): if the percussion of a guess is on the edge of its set and nothing slips, only round-off decides whether it
 * sticks. */
static bool is_at_edge(const solver *s, const problem_law *l, const double *z, const law_row *row) {
    enum { EDGE = 16 };
    bool edge = row->branch == LAW_SLIDE && !l->fixed;
    for (int i = 0; i < l->size && edge; i++)
        edge = fabs(l->level * s->rows[l->row + i]) <= l->floor &&
               fabs(row->row[i]) <= fmax(l->floor, EDGE * DBL_EPSILON * fabs(l->G * z[l->col + i]));
    return edge;
}

/* Of friction: sticks where its slip jumps. */
static void keep_direction(solver *s, const problem_law *l, int k) {
    const law_row *row = &s->law[k];
    if (row->branch == LAW_SLIDE && !l->fixed && jumps(s, k, l->size, row->radius)) stick(s, l, k);
    const bool slides = row->branch == LAW_SLIDE;
    for (int i = 0; i < l->size; i++) s->direction[k][i] = slides ? row->radius[i] : 0;
}

static bool presses(const problem *p, const double *z) {
    bool any = false;
    for (int k = 0; k < p->laws && !any; k++) any = p->law[k].law != &law_bilateral && z[p->law[k].col] != 0;
    return any;
}

static void linearise_laws(solver *s, const problem *p, const double *z, bool guess) {
    const bool from_nothing = guess && !presses(p, z);
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        law_row *row = &s->law[k];
        problem_linearise(l, z, s->rows, row, &s->turn[k]);
        if (from_nothing && row->branch != LAW_HOLD && is_undecided(s, l)) stick(s, l, k);
        if (guess && is_at_edge(s, l, z, row)) stick(s, l, k);
        if (from_nothing) s->mark[l->col] = row->branch == LAW_HOLD;
        if (l->normal >= 0) keep_direction(s, l, k);
    }
}

/* Values at z, and J if asked. With the regularisation of newton_options, rows of laws hold v + delta (w - centre). */
static double evaluate(problem *p, const newton_options *o, const double *z, double *rows, bool jacobian, int *worst) {
    if (p->evaluate(p->context, z, rows, jacobian)) return INFINITY;
    if (o->centre)
        for (int k = 0; k < p->laws; k++)
            for (int i = 0; i < p->law[k].size && !(o->rigid && p->law[k].law == &law_bilateral); i++) {
                const problem_law *l = &p->law[k];
                rows[l->row + i] += o->delta * (l->G * z[l->col + i] - o->centre[l->col + i]) / l->level;
            }
    return problem_residual(p, z, rows, worst);
}

/* Takes the full step. If the model is not defined there, or if damping is asked for, halves it. If it tells that rows
 * depend on each other, (S29), takes another one. */
static bool advance(solver *s, problem *p, const newton_options *o, bool damped, double *z, double *residual,
                    int *worst) {
    enum { HALVINGS = 8 };
    double length = 1, reached = INFINITY;
    for (int halving = 0; halving <= HALVINGS; halving++, length /= 2) {
        for (int j = 0; j < p->n; j++) s->trial[j] = z[j] + length * s->step[j];
        reached = evaluate(p, o, s->trial, s->trial_rows, false, worst);
        if (isfinite(reached) && (!damped || reached <= (1 - 1e-4 * length) * *residual)) break;
    }
    if (!isfinite(reached)) return false;
    if (s->plain && s->size > p->nF + 1 && reached > BURST * *residual) {
        newton_doubt(s, p);
        return newton_step(s, p, z, o) && advance(s, p, o, damped, z, residual, worst);
    }
    *residual = reached;
    memcpy(z, s->trial, (size_t)p->n * sizeof *z);
    double *rows = s->rows;
    s->rows = s->trial_rows;
    s->trial_rows = rows;
    return true;
}

/* How an iteration advances: the excess of the last iterate; how many iterates in a row had only round-off to lose; the
 * first and the least error; for how many iterates the least error has hardly changed. */
typedef struct progress {
    double last, first, best;
    int within, waiting;
    repetition errors;
} progress;

/* Until J is evaluated here, the terms of a row are those of the iterate before. If percussions have jumped, the
 * round-off of these terms may excuse an error as large as the jump. Then the terms of this iterate decide. */
static double excess(const solver *s, problem *p, const double *z, double tolerance, problem_progress by,
                     solver_report *report) {
    const double error = report->residual, before = problem_excess(p, z, s->rows, tolerance, by, &report->residual);
    if (before > 1 || error <= tolerance || p->affine) return before;
    if (p->evaluate(p->context, z, NULL, true)) return INFINITY;
    return problem_excess(p, z, s->rows, tolerance, by, &report->residual);
}

/* (S11). Corrections no longer help if the branches stay and a full correction does not halve the excess. They also end
 * after three that stay within what (S11) then allows. In cures one is enough, since branches of contacts that hardly
 * press may never settle. Problems that are held near a centre are only a means: their residual decides. */
static bool is_solved(const solver *s, problem *p, const double *z, const newton_options *o, double tolerance,
                      bool settled, progress *on, solver_report *report) {
    const double before = on->last;
    on->last = INFINITY;
    if (o->centre || p->absolute) return report->residual <= tolerance;
    if (!problem_may_be_solved(p, z, s->rows, tolerance, report->worst)) return false;
    const double error = report->residual;
    on->last = excess(s, p, z, tolerance, PROBLEM_CORRECTED, report);
    if (on->last <= 1) return true;
    report->residual = error;
    bool within = excess(s, p, z, tolerance, PROBLEM_STALLED, report) <= 1;
    on->within = within ? on->within + 1 : 0;
    return within && (o->cure || on->within == 3 || (settled && on->last > before / 2));
}

/* The redundancy that a failed iteration met says nothing about the solution: forget it. */
static newton_result give_up(solver *s, newton_result why) {
    s->redundant = s->redundant_joints = 0;
    return why;
}

static newton_result judge(solver *s, problem *p, const double *z, double tolerance) {
    return solver_is_caused(s, p, z, tolerance) ? NEWTON_SOLVED : give_up(s, NEWTON_UNSOLVED);
}

static bool is_exact(const solver *s, problem *p, const double *z, double tolerance, solver_report *report) {
    if (p->absolute) return report->residual <= tolerance;
    return problem_may_be_solved(p, z, s->rows, tolerance, report->worst) &&
           problem_excess(p, z, s->rows, tolerance, PROBLEM_GUESSED, &report->residual) <= 1;
}

/* After an iterate that is no solution: the result if the iteration ends here, NEWTON_SOLVED if it goes on. */
static newton_result go_on(progress *on, const newton_options *o, int iteration, double error, double tolerance) {
    const int period = error > tolerance ? repetition_add(&on->errors, error) : 0;
    if (iteration == 0) on->first = error;
    if (period > 0) return period == 1 && error < on->first / 10 ? NEWTON_CONTRADICTED : NEWTON_UNSOLVED; /* (S22) */
    if (error < 0.7 * on->best) on->best = error, on->waiting = 0;
    const bool enough = iteration == o->iterations || (o->patience && on->waiting == o->patience) || stop_asked();
    on->waiting++;
    return enough ? NEWTON_UNSOLVED : NEWTON_SOLVED;
}

static newton_result iterate(solver *s, problem *p, double *z, double tolerance, const newton_options *o,
                             solver_report *report) {
    bool damped = o->damped;
    progress on = {.last = INFINITY, .best = INFINITY};
    double residual;
    s->plain = false;
    if (!solver_reserve(s, p)) return NEWTON_SINGULAR;
    newton_begin(s, p);
    residual = evaluate(p, o, z, s->rows, true, &report->worst);
    for (int i = 0; isfinite(residual); i++) {
        bool same = choose_branches(p);
        s->work += p->J.start[p->n + p->looks];
        report->residual = residual;
        if (i > 0 && is_solved(s, p, z, o, tolerance, same && !damped, &on, report)) return judge(s, p, z, tolerance);
        const newton_result why = go_on(&on, o, i, residual, tolerance);
        if (why != NEWTON_SOLVED) return give_up(s, why);
        if (i > 0 && !p->affine && p->evaluate(p->context, z, NULL, true)) break;
        if (i == 0 && is_exact(s, p, z, tolerance, report)) return judge(s, p, z, tolerance);
        linearise_laws(s, p, z, i == 0);
        if (!newton_step(s, p, z, o)) return give_up(s, NEWTON_SINGULAR);
        report->iterations++;
        damped = o->damped && residual > tolerance;
        if (!advance(s, p, o, damped, z, &residual, &report->worst)) break;
    }
    report->residual = INFINITY;
    return give_up(s, NEWTON_UNDEFINED);
}

/* Held near a centre, laws may take other branches than their rows tell. */
newton_result newton_solve(solver *s, problem *p, double *z, double tolerance, const newton_options *o,
                           solver_report *report) {
    p->lean = !o->centre;
    const newton_result result = iterate(s, p, z, tolerance, o, report);
    p->lean = false;
    return result;
}
