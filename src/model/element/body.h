/* Bodies: point masses on a line, in a plane or in space, rigid bodies in a plane (x, y, phi) and in space (position
 * and a quaternion, scalar first; velocity of the centre of mass in the world, angular velocity in the body).
 * docs/theory/elements.md, (D4) to (D7). */
#ifndef CAROM_BODY_H
#define CAROM_BODY_H

#include "pose.h"

typedef enum body_kind { BODY_FRAME, BODY_POINT, BODY_PLANAR, BODY_SPATIAL } body_kind;

enum { BODY_Q = 7, BODY_U = 6 }; /* most coordinates and velocities */

typedef struct body {
    body_kind kind;
    int nq, nu;                 /* a frame has none; a point has one, two or three */
    expr q[BODY_Q], u[BODY_U];  /* its symbols */
    double mass, inertia[3][3]; /* about the centre of mass, in the body; planar: inertia[2][2] alone */
    bool weighed;               /* mass and inertia are formulas of parameters, with these values */
    expr mass_of, inertia_of[3][3];
    pose pose; /* of the centre of mass */
} body;

/* Sizes by kind; axes: of a point. */
void body_shape(body *b, body_kind kind, int axes);
int body_axes(const body *b); /* of its motion: those of a point, 2 in the plane, 3 in space */
/* "x", "phi", "p0"; "x_dot", "wx" */
const char *body_q_name(const body *b, int i);
const char *body_u_name(const body *b, int i);

/* The pose in terms of q and u; of a frame it is given. */
void body_place(graph *g, body *b);
/* q_dot_i, affine in u (D4) */
expr body_rate(graph *g, const body *b, int i);
/* m/2 v^2 + 1/2 w^T J w (D5) */
expr body_mass(graph *g, const body *b);
expr body_kinetic(graph *g, const body *b);

/* Velocities of a body that is carried along, moving with v at its centre of mass and turning with w, in the world.
 * False: it has no velocities for such a motion, which leaves its line or plane. */
bool body_carry(graph *g, const body *b, vec v, vec w, expr xi[BODY_U]);

/* What a force F at the point x and a torque, all in the world, do: adds to f[nu], conjugate to u (D6). */
void body_push(graph *g, const body *b, vec x, vec F, expr f[BODY_U]);
void body_twist(graph *g, const body *b, vec torque, expr f[BODY_U]);

#endif
