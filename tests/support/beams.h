/* Chains of beam elements on the kernels alone: equilibrium by Newton's method, tangent stiffness, linear equations. */
#ifndef TEST_BEAMS_H
#define TEST_BEAMS_H

#include "model/element/beam_shape.h"

enum { CHAIN_ELEMENTS = 64 }; /* at most */

typedef struct beam_chain {
    const elastic *kind; /* elastic_beam or elastic_planar_beam */
    int elements;        /* between nodes 0 .. elements */
    beam beam[CHAIN_ELEMENTS];
    double q[7 * (CHAIN_ELEMENTS + 1)];    /* of the nodes */
    double load[6 * (CHAIN_ELEMENTS + 1)]; /* conjugate to u: forces in the world's frame, moments in the nodes' */
} beam_chain;

static inline int chain_nq(const beam_chain *c) { /* of a node */
    return c->kind->nq / 2;
}
static inline int chain_nu(const beam_chain *c) {
    return c->kind->nu / 2;
}
static inline double *chain_node(beam_chain *c, int i) {
    return c->q + i * chain_nq(c);
}

/* Elements that are free of stress between nodes, and what shapes of constant strain do (beam_shape.h), in numbers.
 * False: the nodes coincide, or one is turned by pi against the other. */
bool element_between(beam *b, const double stiffness[6], const double q1[7], const double q2[7]);
bool element_between_planar(beam *b, const double stiffness[6], const double q1[3], const double q2[3]);
/* Its data as numbers of a graph, in given[BEAM_GIVEN]. */
void element_numbers(graph *g, const beam *b, expr *given);
void element_next(double length, const double strain[6], const double q1[7], double q2[7]);
bool element_velocity(const double from[7], const double to[7], double time, double u[6]);

/* Elements free of stress between the nodes as they are. */
void chain_relax(beam_chain *c, const double stiffness[6]);
/* A straight one along the x axis, at rest. */
beam_chain chain_straight(const elastic *kind, int elements, double length, const double stiffness[6]);

double chain_energy(const beam_chain *c);
/* Internal forces f, and K = -df/d(displacements of the nodes) [n][n], n = nu of all nodes; K may be NULL. */
void chain_forces(const beam_chain *c, double *f, double *K);
/* q moved by displacements along u: rotations by Cayley's map. */
void chain_move(beam_chain *c, const double *displacement);
/* Equilibrium under the load with node 0 held. Fails the test if Newton's method does not get there. */
void chain_settle(beam_chain *c);
/* The same from the load that is there to another one, in equal parts. */
void chain_ramp(beam_chain *c, const double *load, int parts);

/* The chain as a formula model that starts at u0: free nodes, the given mass and moments of inertia per length, gravity
 * along -y, its weight and kinetic energy as formulas. carom_model_check must find nothing wrong with it. */
typedef struct chain_matter {
    double mass, inertia[3], gravity;
    bool consistent; /* else lumped */
} chain_matter;
carom_model *chain_model(const beam_chain *c, const chain_matter *matter, const double *u0);

/* Mass of an element with the given mass and moments of inertia (about the axes of the nodes) per length:
 * 2 T = sum_ij u_i^T diag(block[i][j]) u_j with u = (vx, vy, vz, wx, wy, wz) of each node; in the plane (vx, vy, wz)
 * (DB10). */
void beam_mass_lumped(double length, double mass, const double inertia[3], double block[2][2][6]);
/* of velocities that are linear between the nodes, angular ones in the frame that turns along the axis */
void beam_mass_consistent(double length, double mass, const double inertia[3], double block[2][2][6]);

/* c = a b, which may be one of them */
void quaternion_product(const double a[4], const double b[4], double c[4]);
/* y = A(p) x, of degree 0 in p; y may be x */
void quaternion_turn(const double p[4], const double x[3], double y[3]);

/* x = A^-1 x by elimination with pivots in the column; A [n][n] has at most band entries on each side of the diagonal.
 * Fails the test where A is singular. */
void eliminate(int n, int band, double *A, double *x);

#endif
