/* Contacts that give way (docs/theory/laws.md, (L5)):
 *
 *     v + delta w in N_C(-w),    delta = 1e-6
 *
 * has a solution whatever v0, since A + delta is positive definite. Newton follows it from large delta to small. It is
 * accepted only where contacts give way by little: what has no solution for other reasons than rows that contradict
 * each other slightly would be crushed. */
#include <math.h>
#include <string.h>

#include "solver/solver_inside.h"

static const double DELTA = 1e-6, LITTLE = 1e-4;

/* The fastest velocity, or what percussions change in one, if that is more; those that hold each other change nothing.
 */
static double velocity_scale(solver *s, problem *p, const double *z) {
    double largest = 0;
    memcpy(s->trial, z, (size_t)p->n * sizeof *z);
    for (int j = p->nF; j < p->n; j++) s->trial[j] = 0;
    if (p->evaluate(p->context, s->trial, s->rows, false)) return 0;
    for (int i = 0; i < p->velocities; i++) largest = fmax(largest, fmax(fabs(z[i]), fabs(p->weight[i] * s->rows[i])));
    return largest;
}

static double given_way(const problem *p, const double *z, double delta) {
    double largest = 0;
    for (int k = 0; k < p->laws; k++)
        for (int i = 0; i < p->law[k].size && p->law[k].law != &law_bilateral; i++)
            largest = fmax(largest, delta * fabs(p->law[k].G * z[p->law[k].col + i]));
    return largest;
}

bool solver_solve_yielding(solver *s, problem *p, double *z, double tolerance, solver_report *report) {
    if (solver_solve(s, p, z, tolerance, report)) return true;
    if (report->undefined) return false;
    newton_options soft = {.iterations = 30, .patience = 10, .rigid = true, .centre = s->centre};
    solver_report found = {.iterations = report->iterations};
    bool solved = true;
    memset(s->centre, 0, (size_t)p->n * sizeof *s->centre);
    for (soft.delta = 1; soft.delta > DELTA / 2 && solved; soft.delta /= 10)
        solved = newton_solve(s, p, z, tolerance, &soft, &found) == NEWTON_SOLVED;
    found.yielded = given_way(p, z, DELTA);
    if (solved && found.yielded <= LITTLE * velocity_scale(s, p, z)) {
        p->evaluate(p->context, z, s->rows, false);
        *report = found;
        return true;
    }
    memcpy(z, s->guess, (size_t)p->n * sizeof *z);
    return false;
}
