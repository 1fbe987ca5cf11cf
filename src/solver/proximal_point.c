/* The proximal point method (docs/theory/solver.md, (S6)): the multipliers are held near a centre,
 *
 *     v + delta (w - centre) in N_C(-w),
 *
 * which makes dependent rows independent and the problem strongly monotone for large delta; the solution is the next
 * centre. Newton on the exact laws, started from there, ends it. */
#include <math.h>
#include <string.h>

#include "solver/solver.h"

newton_result proximal_point_solve(solver *s, problem *p, double *z, double tolerance, solver_report *report) {
    enum { CENTRES = 40 };
    double delta = 1;
    newton_result result = NEWTON_UNSOLVED;
    for (int round = 0; round < CENTRES; round++) {
        for (int k = 0; k < p->laws; k++)
            for (int i = 0; i < p->law[k].size; i++) {
                int j = p->law[k].col + i;
                s->centre[j] = p->law[k].G * z[j];
            }
        memcpy(s->kept, z, (size_t)p->n * sizeof *z);
        newton_options inner = {.iterations = 50, .damped = true, .delta = delta, .centre = s->centre};
        solver_report regularised = {0}; /* whose residual is not that of the problem */
        result = newton_solve(s, p, z, tolerance, &inner, &regularised);
        report->iterations += regularised.iterations;
        if (result != NEWTON_SOLVED) {
            memcpy(z, s->kept, (size_t)p->n * sizeof *z);
            delta *= 8; /* nearer to the centre the problem is easier */
            continue;
        }
        memcpy(s->kept, z, (size_t)p->n * sizeof *z);
        result = newton_solve(s, p, z, tolerance, &(newton_options){.iterations = 15, .damped = true}, report);
        if (result == NEWTON_SOLVED) return result;
        memcpy(z, s->kept, (size_t)p->n * sizeof *z);
        delta = fmax(delta / 2, 1e-6);
    }
    return result;
}
