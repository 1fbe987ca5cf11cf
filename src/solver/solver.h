/* Solving step problems. A solver works in place on the unknowns and never accepts on its own criterion: the residual
 * of problem.h decides (docs/theory/solver.md). */
#ifndef CAROM_SOLVER_H
#define CAROM_SOLVER_H

#include "problem/problem.h"

typedef struct solver solver;

typedef struct solver_report {
    int iterations;  /* Newton increments, cures included */
    double residual; /* reached */
    int worst;       /* row of F, or nF + law, that is worst */
    double yielded;  /* velocity by which contacts gave way, (L5) */
    bool undefined;  /* the model could not be evaluated */
    bool singular;   /* the equations are singular, regularised or not */
    bool exhausted;  /* memory ran out */
} solver_report;

/* Room for problems of the size of this one. NULL: out of memory. */
solver *solver_create(const problem *p);
void solver_destroy(solver *s);

/* Forget what earlier problems taught: the next solution depends on its problem and guess alone. */
void solver_forget(solver *s);
/* A problem was solved without it: the factors that it holds are those of another one. */
void solver_leave(solver *s);

/* A way to solve a problem, one of those below. */
typedef bool solver_way(solver *s, problem *p, double *z, double tolerance, solver_report *report);

/* z: initial guess on entry, solution on success; on failure the guess again. True: residual <= tolerance. */
bool solver_solve(solver *s, problem *p, double *z, double tolerance, solver_report *report);

/* The same for a problem that may have no solution, and whose failure the caller can remedy. The dearest cure is
 * spared. After the other cures have failed again and again, some problems are tried by Newton's method alone, (S14).
 */
bool solver_solve_doubtful(solver *s, problem *p, double *z, double tolerance, solver_report *report);

/* The same by Newton's method without its cures. */
bool solver_solve_newton(solver *s, problem *p, double *z, double tolerance, solver_report *report);

/* For problems without a solution: contacts give way by this part of the velocity that their percussion could cause,
 * (L5). */
#define SOLVER_GIVES_WAY 1e-6
bool solver_give_way(solver *s, problem *p, double *z, double tolerance, solver_report *report);

/* A solution, or, if there is none, one in which contacts give way. */
bool solver_solve_yielding(solver *s, problem *p, double *z, double tolerance, solver_report *report);

/* The solution of a problem whose laws are all fixed: Newton's method alone, since no branch can be wrong. */
bool solver_solve_fixed(solver *s, problem *p, double *z, double tolerance, solver_report *report);

/* How a solution z changes with its problem while laws stay on their branches (docs/theory/sensitivity.md, (SE3)).
 * rates[count][n + looks]: on entry rates of the rows (F, y) and of the further ones at fixed z; on return the first n
 * of each are the rates of z. radius[count][laws]: rates of the radii of the sets C, as velocities, at fixed z. of: the
 * solver that has just found z; its last factorisation is used if possible. NULL: none. */
typedef enum solver_change {
    CHANGE_FOUND,
    CHANGE_UNDEFINED,
    CHANGE_SINGULAR,
    CHANGE_NOT_UNIQUE, /* friction depends on percussions that are not unique */
    CHANGE_AT_EDGE,
    CHANGE_TURNS,  /* slip turns in an impact that is a process */
    CHANGE_UNENDED /* nothing ends it */
} solver_change;
solver_change solver_rates(solver *s, solver *of, problem *p, const double *z, int count, double *rates,
                           const double *radius);

/* The transpose of this, (SE51), in two parts. The first factorises the system at the solution z. The second turns
 * weights of the rates of z, the first n of rates[n + looks], into weights of the rates of the rows; radius[laws] gets
 * the weights of the sets. *redundant: rows depend on each other, and are taken to agree. */
solver_change solver_linearise(solver *s, problem *p, const double *z, bool *redundant);
void solver_pull(solver *s, const problem *p, bool redundant, double *rates, double *radius);

/* Whether the rows of the problem at its solution z are independent: then its percussions are unique. */
bool solver_unique(solver *s, problem *p, const double *z);

/* Every problem that solver_solve solves on this thread is shown to the witness, with its solution; NULL: to nobody. */
typedef void solver_witness(void *context, problem *p, const double *z);
void solver_show(solver_witness *witness, void *context);
bool solver_is_watched(void); /* whether there is a witness */

/* The values of the rows (F, y) and the further ones at the last solution, until the next problem. */
const double *solver_rows(const solver *s);

#endif
