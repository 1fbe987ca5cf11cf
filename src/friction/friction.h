/* Friction problems: percussions r and velocities u of contacts, three components each, normal first,
 *
 *     u = W r + q,      -(u + mu |u_T| n) in N_K(r),      K = { |r_T| <= mu r_N }                          (FC1)
 *
 * (docs/theory/friction.md). Nothing here knows files, bodies or time. Planar contacts have a third direction in which
 * nothing happens. */
#ifndef CAROM_FRICTION_H
#define CAROM_FRICTION_H

#include "carom/carom.h"
#include "friction/entries.h"

typedef double block3[9]; /* by rows */

typedef struct friction_problem {
    int contacts;
    int *start, *index; /* block rows of W: columns ascend, the diagonal is always there */
    int *diagonal;      /* where it is */
    block3 *W;
    double *q;                  /* [3 contacts] */
    double *mu;                 /* [contacts] */
    struct body_blocks *bodies; /* behind W, where they are known; or NULL */
} friction_problem;

/* From entries of W, which may repeat and then add up, and q of contacts with dimension 2 or 3. False: out of memory.
 */
bool friction_create(friction_problem *p, int dimension, int contacts, const entries *W, const double *q,
                     const double *mu);
void friction_destroy(friction_problem *p);

/* u = W r + q */
void friction_velocities(const friction_problem *p, const double *r, double *u);
/* What percussions with these velocities miss, |r - P_K(r - u - mu |u_T| n)| over all contacts; it knows no solver. */
double friction_missed(const friction_problem *p, const double *r, const double *u);
/* The same over the largest of |q|, |r|, |u|, (FC2). Infinite where anything is not finite. */
double friction_error(const friction_problem *p, const double *r, const double *u);
/* |min(0, u_N)| over all contacts, over the same: what (FC2) hardly sees where mu is large. */
double friction_closing(const friction_problem *p, const double *r, const double *u);

typedef struct friction_options {
    double tolerance; /* of the error (FC2) */
    double limit;     /* seconds; infinite: none */
    int most;         /* factorisations per island; 0: any number */
} friction_options;

/* What found percussions of an island; bits. */
typedef enum friction_part {
    FRICTION_GUESS = 1, /* they were right as given */
    FRICTION_NEWTON = 2,
    FRICTION_GAUSS_SEIDEL = 4,
    FRICTION_PROXIMAL_NEWTON = 8,
    FRICTION_INTERIOR_POINTS = 16
} friction_part;
/* Their names, joined by +; size: of text. */
void friction_name_parts(unsigned parts, char *text, size_t size);

typedef struct friction_report {
    bool solved;
    bool exhausted;       /* out of memory */
    double error;         /* (FC2) */
    int islands;          /* groups of contacts that know nothing of each other */
    int sweeps, factored; /* of Gauss-Seidel; factorisations of Newton's method */
    unsigned parts;       /* that found the percussions, one for each island */
    char reason[160];     /* why it is not solved */
} friction_report;

typedef struct friction_solver {
    const char *name, *summary;
    bool sweeps, newton; /* what it may use */
} friction_solver;

extern const friction_solver friction_solvers[]; /* the first is the default; ended by an empty one */

/* r: the guess on entry, the best percussions found on return. Same problem and guess, same bits. */
void friction_solve(const friction_problem *p, const friction_solver *s, const friction_options *o, double *r,
                    friction_report *report);

#endif
