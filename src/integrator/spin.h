/* Rotations in the variational Moreau-type scheme (docs/theory/moreau.md). Over an element a frame turns by (K1) with
 * the constant angular velocity w, R = A_k^T A_{k+1}. With s = dt w/4 and p the mean of dL/dw over the element,
 *
 *     p^-_k = Z^T p,   p^+_{k+1} = Z p = R^T p^-_k,   Z = (1 - s.s) I - 2 s^ + 2 s s^T           (M11), (M12)
 *     f = b + w x dL/dw                                                                          (M13) */
#ifndef CAROM_SPIN_H
#define CAROM_SPIN_H

#include "linalg/csr.h"
#include "model/model.h"

typedef struct spin {
    const carom_model *m;
    int rotations;         /* none where q_dot = u */
    csr J;                 /* nu x nu: rows of rotations, what there is besides M */
    carom_pattern pattern; /* of J */
    csr_block *block;      /* of J, for each rotation: rows of M that each of its rows takes, and those of w alone */
} spin;

/* For a model whose kinematics are trivial or of frames. False: out of memory (free with spin_destroy). */
bool spin_create(spin *s, const carom_model *model);
void spin_destroy(spin *s);

/* Of all rotations, rows of other velocities stay: p to p^- for an element with the velocities u; p^- to p^+, from
 * positions q0 to q1; b to f. */
void spin_element(const spin *s, double dt, const double *u, double *p);
void spin_turn(const spin *s, const double *q0, const double *q1, double *p);
void spin_force(const spin *s, const double *u, const double *p, double *b);

/* Where the balance of a node is evaluated. */
typedef struct spin_state {
    double dt, weight;       /* weight: of the force at the node */
    const double *u;         /* velocities of the element */
    const double *p, *mean;  /* at the node, and the mean of both ends of the element */
    const double *M, *M_end; /* at both ends */
} spin_state;
/* d(p^- - p - weight w x p)/du, values of the pattern */
const double *spin_jacobian(spin *s, const spin_state *at);

#endif
