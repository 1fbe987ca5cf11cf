/* The stages of a Lobatto IIIA-IIIB step as one step problem, (B6)-(B10) in docs/theory/lobatto.md:
 *
 *     p(t_i,Q^i,V^i) = p_n + sum_{j<s} a^_ij F^j,        F^j = dt b(t_j,Q^j,V^j) + W(t_j,Q^j) R^j,  i = 1..s     (B6)
 *     Q^i = q_n + dt sum_j a_ij q_dot(t_j,Q^j,V^j)                                                 i = 2..s     (B7)
 *     g(t_i,Q^i) = 0,   g_N(t_i,Q^i) in N(-R_N^{i-1})                                              i = 2..s     (B8)
 *     y_i = sum_j Pi_ij gamma(t_j,Q^j,V^j) = 0                                                     i = 2..s     (B9)
 *     y_i of gamma_F in N(-R_F^{i-1}), sliding along y_{i-1}                                       i = 2..s     (B10)
 *
 * Unknowns (V^1..V^s, Q^2..Q^s, R^1..R^{s-1}); where q_dot = u the Q are inserted. As printed, Pi = I. */
#ifndef CAROM_LOBATTO_STAGES_H
#define CAROM_LOBATTO_STAGES_H

#include "integrator/balance.h"
#include "integrator/vectors.h"

typedef struct lobatto_stage {
    double t;
    const double *Q, *V;
    friction_place at;                          /* (t, Q), for the forces R^i of friction */
    double *inserted;                           /* Q where q_dot = u */
    double *p, *b, *F, *c, *s, *q_dot, *WT, *M; /* values */
    double *p_q, *b_q, *b_u, *Wr_q, *c_q, *s_q; /* derivatives */
    double *B, *q_dot_q, *mu_q;
    double *memory; /* these vectors in one piece */
} lobatto_stage;

typedef struct lobatto_stages {
    const carom_model *m;
    int s;
    double *c, *b, *a, *a_hat, *pi; /* coefficients, matrices by rows */
    law_gain *gain;                 /* [s-1] */
    problem problem;
    solver *solver;
    csr_block *block;
    int blocks;
    unit_matrix unit;     /* of q */
    lobatto_stage *stage; /* [s]; the first at (t_n, q_n) */
    double *p_n, *z;      /* z: guess, then solution */
    double *q_n;          /* of the present step, copied */
    const double *kept;   /* what position functions are to stay at; NULL: zero */
    double *sense;        /* [slips] given directions of slip; NULL where events are captured */
    double dt;
    bool looks;     /* laws look at the slips of the first stage, in rows after the n of the problem */
    bool sound;     /* M is positive definite at the start */
    double *memory; /* these vectors in one piece */
} lobatto_stages;

/* projected: with Pi, else as printed; located: with given senses of slip. False: out of memory. */
bool lobatto_stages_create(lobatto_stages *l, const carom_model *model, int s, bool projected, bool located);
void lobatto_stages_destroy(lobatto_stages *l);

/* Places the stages in the step from (t, q, u) over dt; by_rates: (B8) is replaced by y_i of g_dot and gN_dot (located
 * only). False: the model is not defined at its start. */
bool lobatto_stages_begin(lobatto_stages *l, double t, const double *q, const double *u, double dt, bool by_rates);
/* The same without momenta and units, for a solution that is known. */
bool lobatto_stages_place(lobatto_stages *l, double t, const double *q, const double *u, double dt, bool by_rates);
/* Gaps by which contacts gave way are kept, (L6). factor P: the percussions of the last step. */
bool lobatto_stages_keep(lobatto_stages *l, const double *P, double factor, double tolerance);
/* From the guess l->z; fixed: no law has a choice. On success the stages hold their values (not derivatives) at the
 * solution. */
bool lobatto_stages_solve(lobatto_stages *l, solver_way *solve, double tolerance, solver_report *report);

/* The percussions R^{j+1} among the unknowns */
const double *lobatto_percussions(const lobatto_stages *l, int j);
/* First row of y_{i+1} of a contact's slip in the problem */
int lobatto_slip_row(const lobatto_stages *l, int i, int contact);
int lobatto_sense_row(const lobatto_stages *l, int contact);

#endif
