/* Shared by the files of this folder: the memory of a solver, and the parts that solver_solve puts together. */
#ifndef CAROM_SOLVER_INSIDE_H
#define CAROM_SOLVER_INSIDE_H

#include "linalg/linear.h"
#include "solver/solver.h"

enum { CURES = 4 };

/* What decides on the entries of a law: whether it is open, and the rows beside its own that it depends on; -1: none.
 */
typedef struct law_shape {
    int open, direction, speed, place;
} law_shape;

struct solver {
    linear *linear;
    int redundant,
        size; /* size of a reduced system whose laws depended on each other (0: none), and of the present one */
    int redundant_joints; /* 1: those of joints alone did so, too */
    int left_out;         /* laws that the present factors leave out, (S25) */
    double *null;         /* [2 LINEAR_DEPENDENT][n] N and Y of (S25); made when they are needed */
    double *scale;        /* [n] unknown / scale is a velocity */
    double work;    /* multiplications so far: those of linear algebra, and one for each entry of J at an iterate */
    struct record { /* each trial counts half of the next one, (S15) */
        double work, solved, iterates;
        double guess; /* how much what was taken for granted before the first trial counts */
    } record[CURES];  /* by cure */
    bool gave_way;    /* in the last problem that allowed it, contacts gave way */
    struct spare {
        int failures, left;  /* in a row; problems left for which what failed is spared, (S14) */
    } cures, exact, patient; /* the cures of doubtful problems; where contacts may give way, what is exact, and the last
                                cure */
    double *guess, *trial, *kept, *centre; /* [n] */
    double *rows, *trial_rows;             /* [n + looks] values of (F, y) and the further rows */
    double *step, *rhs;                    /* [n] Newton step in z, right-hand side of the reduced system */
    law_row *law;                          /* [laws] linearised at the present iterate */
    law_turn *turn;                        /* [laws] derivatives by other rows */
    const law_row *solved;                 /* [laws] at a solution whose rates are asked for */
    double (*direction)[LAW_SIZE];         /* [laws] last slip direction; zero: none */
    int *turns;                            /* [laws] reversals of the slip direction so far */
    int *place;                            /* [n] unknown -> column of the reduced system; -1: fixed by an open law */
    int *start, *index;                    /* the reduced system */
    double *value;
    int *mark;         /* [n] reduced column -> entry of the row being built; before, by unknown: 1: its law holds */
    int *route;        /* where the entries go, in the order in which they are added; -1: to the right-hand side */
    law_shape *shape;  /* [laws] what decides on that order */
    bool routed;       /* both are those of the present system */
    bool exhausted;    /* memory ran out: the present problem is given up */
    bool plain;        /* linear holds the factors of a system with the branches of law, and with nothing added to it */
    struct pile *pile; /* made where problems are accepted at a stated error (pile.c) */
};

typedef struct newton_options {
    int iterations;       /* at most */
    int patience;         /* ends after so many without a gain of 30 %; 0: it never does */
    bool damped;          /* backtracking on the residual */
    bool cure;            /* Newton alone has failed: accept what a stalled iteration may miss */
    double delta;         /* regularises every law: v + delta (w - centre) in place of v; 0: not at all */
    bool rigid;           /* only those of contacts */
    bool soft;            /* laws that depend on others are regularised, too, and never left out */
    const double *centre; /* [n] of w; with delta only */
} newton_options;

/* CONTRADICTED: the error stays as it is, (S22). */
typedef enum newton_result {
    NEWTON_SOLVED,
    NEWTON_UNSOLVED,
    NEWTON_CONTRADICTED,
    NEWTON_UNDEFINED,
    NEWTON_SINGULAR
} newton_result;

/* Room for the reduced system, made when it is first needed. False: out of memory. */
bool solver_reserve(solver *s, const problem *p);

newton_result newton_solve(solver *s, problem *p, double *z, double tolerance, const newton_options *options,
                           solver_report *report);

/* No slip has a direction yet; and the units of unknowns. */
void newton_begin(solver *s, const problem *p);
/* The step from z, for the rows, J and laws there, into step. False: the system is singular. */
bool newton_step(solver *s, problem *p, const double *z, const newton_options *options);

/* The present system is taken to have rows that depend on each other. */
void newton_doubt(solver *s, const problem *p);

/* Evaluates the rows and the branches of laws at a solution z, and factorises the system of Newton's method there. The
 * system itself is left in start, index and value. *regularised: its rows depend on each other, and a system nearby is
 * factorised. NEWTON_UNSOLVED: laws are on other branches than those of the solution. */
newton_result newton_linearise(solver *s, problem *p, const double *z, bool *regularised);
/* The same without a new system: J and the laws at the solution. The solver of, which has found z, must hold the
 * factors of a system nearby. *exact: of this very system. False: it holds none. */
bool newton_linearise_near(solver *s, problem *p, const double *z, const solver *of, bool *exact);

/* Puts the velocities that there would be without percussions into trial, by one step of Newton's method from those
 * before. Puts the rows (F, y) before that step into trial_rows. Changes J. False: they are not known. */
bool newton_release(solver *s, problem *p);

/* (S25), of the laws that the present factors leave out: finds N and Y; makes what dependent rows ask for fit together;
 * of all percussions that do the same, takes those that change least. */
void left_out_find(solver *s, const problem *p);
void left_out_agree(const solver *s, double *b);
void left_out_least(const solver *s, const problem *p, double *x);

/* (S20): whether the forces and laws of the step can have caused the velocities of z. */
bool solver_is_caused(solver *s, problem *p, const double *z, double tolerance);

/* delta that makes dependent rows solvable. In their range the error shrinks by delta/sigma per step; in their null
 * space it stays at round-off/delta. */
#define NEWTON_REDUNDANT 1e-9

/* Residual of the exact problem at z. */
double solver_error(solver *s, problem *p, const double *z, int *worst);

/* The fastest velocity at z, or the largest change that percussions make, if that is more. Percussions that hold each
 * other change nothing. */
double solver_velocity(solver *s, problem *p, const double *z);

/* Newton's method on problems that are held near a centre. The centre moves to each solution. */
newton_result proximal_point_solve(solver *s, problem *p, double *z, double tolerance, solver_report *report);

/* Ways to solve a step problem, in the order in which they are tried, each from the guess of the step. The last entry
 * has no solve. A new way is a file and a line in the list (cures.c); unit/solver shows for which problems it is
 * needed.
 */
typedef struct cure {
    const char *name;
    newton_result (*solve)(solver *s, problem *p, double *z, double tolerance, solver_report *report);
    bool (*applies)(const problem *p); /* NULL: to every problem */
    bool last;                         /* takes up to hundreds of them: not for doubtful problems */
} cure;
extern const cure cures[CURES + 1];

/* solver_solve, for a doubtful problem without the last cure. */
bool solver_solve_all(solver *s, problem *p, double *z, double tolerance, bool doubtful, solver_report *report);

/* (S14): whether to skip now what has failed before; and to learn the result where it was not skipped. */
bool spare_now(struct spare *x);
void spare_learn(struct spare *x, bool solved);

/* The first of them: Newton's method in full steps. */
newton_result solver_newton(solver *s, problem *p, double *z, double tolerance, solver_report *report);

#endif
