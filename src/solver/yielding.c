/* Contacts that give way (docs/theory/laws.md, (L5)):
 *
 *     v + delta w in N_C(-w),    delta = 1e-6
 *
 * has a solution for every v0, since A + delta is positive definite. Newton follows it from large delta to small, as
 * far as it can. The solution is accepted only if contacts give way by little. If the rows contradict each other by
 * more, bodies would be crushed. */
#include <math.h>
#include <string.h>

#include "solver/solver_inside.h"

static const double DELTA = SOLVER_GIVES_WAY, SOFTEST = 1e-3, LITTLE = 1e-4;
static const double EXACT = 1e-8; /* the largest error that (S11) allows, as a part of the fastest velocity */

static double given_way(const problem *p, const double *z, double delta) {
    double largest = 0;
    for (int k = 0; k < p->laws; k++)
        for (int i = 0; i < p->law[k].size && p->law[k].law != &law_bilateral; i++)
            largest = fmax(largest, delta * fabs(p->law[k].G * z[p->law[k].col + i]));
    return largest;
}

/* From large delta to small, in steps that become smaller where Newton fails. Returns the delta that it reached. */
static double harden(solver *s, problem *p, double *z, double tolerance, newton_options *soft, solver_report *found) {
    const size_t size = (size_t)p->n * sizeof *z;
    double reached = 10;
    memcpy(s->kept, s->guess, size);
    for (double factor = 10; factor > 1.2 && reached > DELTA;) {
        memcpy(z, s->kept, size);
        soft->delta = fmax(reached / factor, DELTA);
        if (newton_solve(s, p, z, tolerance, soft, found) == NEWTON_SOLVED) {
            memcpy(s->kept, z, size);
            reached = soft->delta;
        } else factor = sqrt(factor);
    }
    memcpy(z, s->kept, size); /* and back to the branches that belong to it */
    soft->delta = reached;
    return newton_solve(s, p, z, tolerance, soft, found) == NEWTON_SOLVED ? reached : INFINITY;
}

static bool is_little(solver *s, problem *p, const double *z, double delta, solver_report *found) {
    found->yielded = given_way(p, z, delta);
    return delta <= SOFTEST && found->yielded <= LITTLE * solver_velocity(s, p, z);
}

/* From the guess; if that fails, from large delta. */
bool solver_give_way(solver *s, problem *p, double *z, double tolerance, solver_report *report) {
    newton_options soft = {.iterations = 30, .patience = 10, .rigid = true, .delta = DELTA, .centre = s->centre};
    solver_report found = {.iterations = report->iterations};
    tolerance = fmin(tolerance, EXACT * solver_velocity(s, p, z));
    memcpy(s->guess, z, (size_t)p->n * sizeof *z);
    memset(s->centre, 0, (size_t)p->n * sizeof *s->centre);
    s->gave_way =
        (newton_solve(s, p, z, tolerance, &soft, &found) == NEWTON_SOLVED && is_little(s, p, z, DELTA, &found)) ||
        is_little(s, p, z, harden(s, p, z, tolerance, &soft, &found), &found);
    if (s->gave_way) {
        p->evaluate(p->context, z, s->rows, false);
        *report = found;
    } else memcpy(z, s->guess, (size_t)p->n * sizeof *z);
    return s->gave_way;
}

/* Tries Newton's method alone; skips it after failures in a row, (S14). */
static bool solve_exactly(solver *s, problem *p, double *z, double tolerance, solver_report *report) {
    *report = (solver_report){0};
    if (spare_now(&s->exact)) return false;
    const bool solved = solver_solve_newton(s, p, z, tolerance, report);
    spare_learn(&s->exact, solved);
    return solved;
}

/* Tries all cures; skips the last one after failures in a row, (S14). */
static bool solve_patiently(solver *s, problem *p, double *z, double tolerance, solver_report *report) {
    const bool spared = spare_now(&s->patient), solved = solver_solve_all(s, p, z, tolerance, spared, report);
    if (!spared && !report->undefined) spare_learn(&s->patient, solved);
    return solved;
}

/* Contacts that gave way the last time probably have to give way again, so that is tried first. It is never tried
 * twice. */
bool solver_solve_yielding(solver *s, problem *p, double *z, double tolerance, solver_report *report) {
    const bool first = s->gave_way;
    s->exhausted = false;
    if (first && (solve_exactly(s, p, z, tolerance, report) || solver_give_way(s, p, z, tolerance, report)))
        return true;
    return solve_patiently(s, p, z, tolerance, report) ||
           (!first && !report->undefined && solver_give_way(s, p, z, tolerance, report));
}
