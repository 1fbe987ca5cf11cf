/* Positions at the end of a step that follow an unknown velocity x of its problem: (K1) with the mean velocity
 *
 *     w = offset + share x,      q_1 = q_0 + dt/2 (q_dot(t_0,q_0,w) + q_dot(t_1,q_1,w)).
 *
 * The unknowns are (x, q_1); where q_dot = u, q_1 = q_0 + dt w is inserted and x is alone.
 *
 * Quaternions may follow the exponential map instead, p_1 = p_0 o exp(dt w/2), (G24). */
#ifndef CAROM_PATH_H
#define CAROM_PATH_H

#include "integrator/integrator.h"
#include "integrator/vectors.h"

/* Blocks of the Jacobian: (K1) by x, q and q. */
enum { PATH_U, PATH_Q, PATH_IDENTITY, PATH_BLOCKS };

typedef struct path {
    const carom_model *m;
    double t0, t1, dt, share;
    const double *q0;
    double *offset, *w, *q; /* q: where q_dot = u */
    double *q_dot0, *q_dot1, *B0, *B1, *q_dot_q;
    double *memory; /* these vectors in one piece */
    unit_matrix unit;
    bool exponential;     /* of the model's rotations: */
    double (*turn)[4];    /* [rotations] p_1 */
    double (*by_x)[4][3]; /* [rotations] dp_1/dx */
} path;

bool path_create(path *p, const carom_model *model, bool exponential); /* false: out of memory */
void path_destroy(path *p);
int path_unknowns(const carom_model *model); /* of x and q_1 */
/* For a problem whose unknowns and rows begin with (x, q_1); count: 0 where q_dot = u. */
int path_list_blocks(const path *p, csr_block *block);

/* The present step; not 0: the model is not defined at its start. */
int path_begin(path *p, const motion *now, double t1, double dt, double share);
/* w and q_1 of the unknowns z */
const double *path_follow(path *p, const double *z);
/* dq_1/dx where q_1 is inserted; else 1, and the columns of q_1 are its own. */
static inline double path_by_q(const path *p) {
    return p->m->trivial ? p->dt * p->share : 1;
}
/* The first column of derivatives by q_1. */
static inline int path_column(const carom_model *m) {
    return m->trivial ? 0 : m->def.nu;
}
/* (K1) into its rows, which follow the balance, and its derivatives into J; nothing where q_dot = u. Both at the z of
 * path_follow. Not 0: not defined there. */
int path_rows(path *p, const double *q, double *rows);
int path_jacobian(path *p, const csr_block *block, const double *q, csr *J);

#endif
