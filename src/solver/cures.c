/* The cures and their order (docs/theory/solver.md, (S5)). */
#include "solver/condensed.h"
#include "solver/large.h"

#include <math.h>
#include <string.h>

newton_result solver_newton(solver *s, problem *p, double *z, double tolerance, solver_report *report) {
    return newton_solve(s, p, z, tolerance, &(newton_options){.iterations = 25, .patience = 10}, report);
}

/* ---------------------------------------------------------------- the contacts alone */

static newton_result newton(condensed *c, double tolerance, solver_report *report) {
    return solver_newton(c->solver, &c->contacts, c->w, tolerance, report);
}

static newton_result held_near_zero(condensed *c, double tolerance, solver_report *report) {
    memset(c->w, 0, (size_t)c->m * sizeof *c->w);
    return proximal_point_solve(c->solver, &c->contacts, c->w, tolerance, report);
}

static newton_result swept(condensed *c, double tolerance, solver_report *report) {
    gauss_seidel_improve(c, tolerance);
    return proximal_point_solve(c->solver, &c->contacts, c->w, tolerance, report);
}

static newton_result pivoted(condensed *c, double tolerance, solver_report *report) {
    if (!lemke_improve(c)) return NEWTON_UNSOLVED;
    return proximal_point_solve(c->solver, &c->contacts, c->w, tolerance, report);
}

const contact_cure contact_cures[] = {
    {"newton", newton}, {"proximal_point", held_near_zero}, {"gauss_seidel", swept}, {"lemke", pivoted}, {0},
};

static bool solve_contacts(condensed *c, double tolerance, solver_report *report) {
    for (const contact_cure *one = contact_cures; one->solve; one++)
        if (one->solve(c, tolerance, report) == NEWTON_SOLVED) return true;
    return false;
}

/* ---------------------------------------------------------------- the whole problem */

/* The solution of the linearised problem, then Newton; again, linearised there. */
static newton_result solve_condensed(solver *s, problem *p, double *z, double tolerance, solver_report *report) {
    static const newton_options polish = {.iterations = 8, .patience = 4, .cure = true};
    newton_result result = NEWTON_UNSOLVED;
    report->residual = INFINITY;
    for (int linearised = 0; linearised < 3 && result != NEWTON_SOLVED; linearised++) {
        condensed c;
        solver_report contacts = {0};
        if (!condensed_create(&c, s, p, z)) return result;
        bool solved = solve_contacts(&c, tolerance / 2, &contacts);
        report->iterations += contacts.iterations;
        s->work += c.solver->work;
        condensed_recover(&c, s, p, z);
        condensed_destroy(&c);
        if (!solved) {
            report->residual = solver_error(s, p, z, &report->worst);
            return result;
        }
        result = newton_solve(s, p, z, tolerance, &polish, report);
    }
    return result;
}

/* The same for many contacts, whose percussions come from the solvers of friction problems. */
static newton_result solve_large(solver *s, problem *p, double *z, double tolerance, solver_report *report) {
    static const newton_options polish = {.iterations = 8, .patience = 4, .cure = true};
    newton_result result = NEWTON_UNSOLVED;
    report->residual = INFINITY;
    for (int linearised = 0; linearised < 3 && result != NEWTON_SOLVED && large_improve(s, p, z); linearised++)
        result = newton_solve(s, p, z, tolerance, &polish, report);
    return result;
}

const cure cures[CURES + 1] = {
    {"newton", solver_newton, NULL, false},
    {"large", solve_large, large_applies, false},
    {"condensed", solve_condensed, NULL, false},
    {"proximal_point", proximal_point_solve, NULL, true},
    {0},
};
