/* The step problem: find z = (x, r) with
 *
 *     F(z) = 0                       as many rows as there are smooth unknowns x
 *     y_k(z) in N_{C_k}(-r_k)        one law per contact (or constraint) and level, r_k a part of z
 *
 * An integrator writes it, a solver solves it; neither knows the other. Every row and every unknown is measured as a
 * generalized velocity (docs/theory/solver.md, (S1)): F by weight, x by scale, y by level, r by G. */
#ifndef CAROM_PROBLEM_H
#define CAROM_PROBLEM_H

#include "law/law.h"
#include "linalg/csr.h"

/* Where forces of friction act. */
typedef struct friction_place {
    double t;
    const double *q;
} friction_place;

/* Friction as a function of slip speed and place, (L16), (L26), with its derivatives by the rows of the slip and by q.
 * Not 0: it is not defined there. */
typedef struct friction_curve {
    int (*mu)(void *context, int contact, double t, const double *q, double speed, const double *along, double *mu,
              double *mu_slip, double *mu_q);
    void *context;
    int contact;
    const friction_place *at;
} friction_curve;

enum { LOADS = LAW_SIZE + 1 };

typedef struct problem_law {
    const law *law;
    int size;     /* components */
    int row, col; /* first of y_k among the rows (F, y), first of r_k among the unknowns */
    int normal;   /* the unknown that, times mu and less given, is the radius of C; -1: none */
    double level; /* level * y is a velocity */
    double G;     /* G r is a velocity: the inverse effective mass */
    double floor; /* errors below are round-off, as a velocity */
    double error; /* as problem_residual found it last, and the branch it was on */
    law_branch present;
    law_branch branch; /* of the solution */
    law_branch given_branch;
    bool enabled;  /* false: r_k = 0 */
    bool fixed;    /* the branch is given, not chosen; SLIDE then needs directing rows */
    bool directed; /* other rows than its own give the direction of slip, from row direction on */
    bool curved;   /* mu is that of the curve at the speed of the rows from speed on */
    /* What is above is all that most laws need, in few lines of a cache; what follows is of friction. */
    bool follows; /* it has no normal law of its own, (L18) */
    bool preload; /* the last of load presses by its value, added to the length of the others, (L25) */
    int loads;    /* > 0: the length of so many unknowns replaces the normal one, which is the first of them */
    int load[LOADS];
    double known[LOADS]; /* unknowns that press as well */
    double mu, given;
    int direction, speed;
    int place; /* row of the derivatives of mu by the positions, to be multiplied by the positions' derivatives; -1: the
                  place is fixed */
    double still; /* below this velocity rows that direct have no direction, unless the branch is given */
    double slip_speed,
        slip_along[LAW_SIZE]; /* not curved: a slip of length one in the direction whose mu the law has */
    friction_curve curve;
} problem_law;

typedef struct problem {
    int n, nF, laws; /* unknowns (= rows), smooth ones, laws */
    int balances;    /* momentum balances among F, each with as many rows as there are velocities; they come first */
    int velocities;  /* unknowns of x that are velocities; they come first */
    int percussions, joints; /* in each copy of r, and how many of them are of joints; those come first */
    bool velocity_level;     /* laws on positions enter by their rates */
    bool rates;              /* velocities are rates of them, by time or by a percussion: (S20) does not bound them */
    int rated;               /* they do so in these copies of r, the first ones */
    bool absolute;     /* solved if no error exceeds the tolerance, as published schemes are; otherwise (S11) decides */
    double accept;     /* error (FC2) of contacts at which they are accepted; 0: (S11) decides */
    bool affine;       /* J does not depend on z */
    bool lean;         /* J may leave out rows of laws that are open at its z, as Newton's method does */
    bool rough;        /* J may leave out terms that are smaller by O(dt) */
    int looks;         /* further rows, which only laws read for directions; they follow the n rows */
    friction_place at; /* the place where friction acts, unless a law has its own */
    problem_law *law;
    csr J;                 /* d(F, y)/dz, then the derivatives of the further rows */
    double *weight;        /* [nF] weight * F is a velocity */
    double *scale;         /* [nF] x / scale is a velocity */
    double *floor;         /* [nF] errors below are round-off, as a velocity */
    struct definite *mass; /* whether M is positive definite */
    double *from;          /* [nF] x before the step */
    int *group;            /* [n] room for the criterion: unknowns that depend on each other */
    double *pace;          /* [2 n] memory for the criterion: how fast groups move, in all and in this step alone */
    void *context;
    /* rows = (F, y) and further ones at z (unless NULL), and the values of J if asked, always at the z of the last
     * rows. Not 0: the model is not defined there. */
    int (*evaluate)(void *context, const double *z, double *rows, bool jacobian);
    int (*balance)(void *context, const double *z, double *rows); /* rows of F that are balances; NULL: by evaluate */
    int (*update)(void *context, const double *z, double *rows);  /* rows of F that are no balances; NULL: none */
} problem;

/* Derivatives of the equation of a law by rows other than its own: rows that direct it, and rows that give the speed
 * and the place of its friction. */
typedef struct law_turn {
    double direction[LAW_SIZE][LAW_SIZE], speed[LAW_SIZE][LAW_SIZE], place[LAW_SIZE];
} law_turn;

/* The branch of a law at z and its equation, as a velocity. */
void problem_linearise(const problem_law *l, const double *z, const double *rows, law_row *row, law_turn *turn);
/* mu of slips in a unit direction. Below speed zero, where trial steps pass the place at which slip stops, it is
 * continued by its tangent. mu_slip, unless NULL: its derivatives by the slips. */
double friction_curve_at(const friction_curve *c, int slips, double speed, const double *along, double *mu_slip);
/* The slip speed at which a law has its mu, and the direction of slip; if the law is curved, these rows give them. */
double problem_slip(const problem_law *l, const double *rows, double along[LAW_SIZE]);
/* The derivatives of mu by q at these rows, as many as the model's pattern has. Not 0: it is not defined there. */
int problem_mu_by_place(const problem_law *l, const double *rows, int entries, double *mu_q);
/* The force that presses a friction law, before given is subtracted, and its derivatives by the unknowns that press. */
int law_load(const problem_law *l, const double *z, double *load, int unknown[LOADS], double by[LOADS]);
/* mu at these rows; NaN: it is not defined there. */
double problem_mu(const problem_law *l, const double *rows);

/* The error of row i of F and of a law, as velocities: |F_i| and the largest component of the natural map, on *branch.
 * Infinite where anything is not finite. */
double problem_row_error(const problem *p, const double *rows, int i);
double problem_law_error(const problem_law *l, const double *z, const double *rows, law_branch *branch);

/* The largest of these errors, of those above their floors; laws keep theirs. *worst (may be NULL): row of F, or nF +
 * index of the law. */
double problem_residual(problem *p, const double *z, const double *rows, int *worst);

/* The state of an iteration: nothing was corrected yet; Newton's method has corrected; a correction no longer helps. */
typedef enum problem_progress { PROBLEM_GUESSED, PROBLEM_CORRECTED, PROBLEM_STALLED } problem_progress;

/* The criterion (S11), at the rows that problem_residual saw last: the largest ratio of the error of a row to what it
 * may be wrong by; at most 1: solved. J: at z or at the previous iterate. *residual: the largest error above
 * round-off. */
double problem_excess(problem *p, const double *z, const double *rows, double tolerance, problem_progress progress,
                      double *residual);
/* False: the worst row alone exceeds its bound by far, so the whole criterion need not be evaluated. */
bool problem_may_be_solved(problem *p, const double *z, const double *rows, double tolerance, int worst);

/* Groups of unknowns that depend on each other at z, as sets (linalg/sets.h) in group. Percussions that are zero
 * connect nothing. */
void problem_find_groups(problem *p, const double *z);

#endif
