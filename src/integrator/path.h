/* Positions at the end of a step that follow an unknown velocity x of its problem: (K1) with the mean velocity
 *
 *     w = offset + share x,      q_1 = q_0 + dt/2 (q_dot(t_0,q_0,w) + q_dot(t_1,q_1,w)).
 *
 * The unknowns begin with x and have q_1 behind all balances; where q_dot = u, q_1 = q_0 + dt w is inserted and x is
 * alone.
 *
 * Quaternions may follow the exponential map instead, p_1 = p_0 o exp(dt w/2), (G24). Or all positions follow the
 * series of their motion at the start, to second order,
 *
 *     q_1 = q_0 + dt q_dot(t_0,q_0,u_0) + dt^2/2 q_ddot|_{u_dot = 0} + dt B(t_0,q_0) (w - u_0).               (A9) */
#ifndef CAROM_PATH_H
#define CAROM_PATH_H

#include "integrator/integrator.h"
#include "integrator/vectors.h"

typedef enum path_map { PATH_CAYLEY, PATH_EXPONENTIAL, PATH_SERIES } path_map;

/* Blocks of the Jacobian: (K1) by x, q and q. */
enum { PATH_U, PATH_Q, PATH_IDENTITY, PATH_BLOCKS };

typedef struct path {
    const carom_model *m;
    path_map map;
    int at; /* the first unknown, and row, of q_1: behind one balance, unless the scheme says otherwise */
    double t0, t1, dt, share;
    const double *q0;
    double *offset, *w, *q; /* q: where q_dot = u */
    double *q_dot0, *q_dot1, *B0, *B1, *q_dot_q;
    double *series; /* what (A9) knows before w */
    double *memory; /* these vectors in one piece */
    unit_matrix unit;
    double (*turn)[4];    /* [rotations] p_1 of the exponential map */
    double (*by_x)[4][3]; /* [rotations] dp_1/dx */
} path;

bool path_create(path *p, const carom_model *model, path_map map); /* false: out of memory */
void path_destroy(path *p);
int path_unknowns(const carom_model *model); /* of x and q_1 */
/* For a problem whose unknowns and rows begin with x, q_1 from `at` on; count: 0 where q_dot = u. */
int path_list_blocks(const path *p, csr_block *block);

/* The present step; not 0: the model is not defined at its start. */
int path_begin(path *p, const motion *now, double t1, double dt, double share);
/* w and q_1 of the unknowns z */
const double *path_read(path *p, const double *z);
/* dq_1/dx where q_1 is inserted; else 1, and the columns of q_1 are its own. */
static inline double path_by_q(const path *p) {
    return p->m->trivial ? p->dt * p->share : 1;
}
/* The first column of derivatives by q_1. */
static inline int path_column(const carom_model *m) {
    return m->trivial ? 0 : m->def.nu;
}
/* (K1) into its rows, which follow the balance, and its derivatives into J; nothing where q_dot = u. Both at the z of
 * path_read. Not 0: not defined there. */
int path_rows(path *p, const double *q, double *rows);
int path_jacobian(path *p, const csr_block *block, const double *q, csr *J);

#endif
