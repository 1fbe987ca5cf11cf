/* The proximal point method (docs/theory/solver.md, (S6)): the percussions are held near a centre,
 *
 *     v + delta (w - centre) in N_C(-w),
 *
 * which makes dependent rows independent and the problem easier the larger delta is; the solution is the next centre,
 * and the limit is exact. Newton takes full steps: along the null space of dependent rows every merit function rises,
 * and a line search would stall. */
#include <math.h>
#include <string.h>

#include "solver/solver_inside.h"

/* WORK: Newton steps in all. RUNAWAY: so many centres in a row may have the same error; more of them follow a
 * self-stress. */
enum { CENTRES = 60, WORK = 400, PATIENCE = 12, RUNAWAY = 3 };

static void set_centre(solver *s, const problem *p, const double *z) {
    for (int k = 0; k < p->laws; k++)
        for (int i = 0; i < p->law[k].size; i++) {
            int j = p->law[k].col + i;
            s->centre[j] = p->law[k].G * z[j];
        }
}

/* The next problem is held less firmly: much less after an easy one, hardly less after one that took many steps. */
static double loosened(double delta, int steps, double least) {
    return fmax(delta * (steps <= 4 ? 0.03 : steps <= 8 ? 0.17 : 0.7), least);
}

newton_result proximal_point_solve(solver *s, problem *p, double *z, double tolerance, solver_report *report) {
    static const newton_options polish = {.iterations = 10, .patience = 4, .cure = true};
    double delta = 1e-3, least = 1e-9, best = INFINITY, error = solver_error(s, p, z, &report->worst);
    int waiting = 0, work = 0, runaway = 0;
    for (int round = 0; round < CENTRES && work < WORK && waiting < PATIENCE && runaway < RUNAWAY; round++, waiting++) {
        newton_options inner = {.iterations = 20, .patience = 6, .delta = delta, .centre = s->centre};
        solver_report held = {0}; /* its residual is not that of the problem */
        set_centre(s, p, z);
        memcpy(s->kept, z, (size_t)p->n * sizeof *z);
        newton_result result = newton_solve(s, p, z, fmax(tolerance / 2, fmin(error / 10, 1e-3)), &inner, &held);
        report->iterations += held.iterations, work += held.iterations;
        if (result != NEWTON_SOLVED) {
            memcpy(z, s->kept, (size_t)p->n * sizeof *z);
            least = 1.5 * delta, delta *= 5;
            if (delta > 1e6) break;
            continue;
        }
        memcpy(s->kept, z, (size_t)p->n * sizeof *z);
        int before = report->iterations;
        if (newton_solve(s, p, z, tolerance, &polish, report) == NEWTON_SOLVED) return NEWTON_SOLVED;
        work += report->iterations - before;
        memcpy(z, s->kept, (size_t)p->n * sizeof *z);
        const double last = error;
        error = solver_error(s, p, z, &report->worst);
        runaway = error > 10 * tolerance && error < 1.01 * last && error > 0.99 * last ? runaway + 1 : 0;
        if (error < 0.7 * best) best = error, waiting = 0;
        least *= 0.6, delta = loosened(delta, held.iterations, least);
    }
    report->residual = error;
    return NEWTON_UNSOLVED;
}
