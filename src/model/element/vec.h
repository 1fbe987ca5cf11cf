/* Vectors and rotations of space as expressions. Planar mechanics is spatial mechanics whose third components are the
 * number 0: building simplifies, so nothing of them is left. */
#ifndef CAROM_VEC_H
#define CAROM_VEC_H

#include "model/formula/expr.h"

typedef struct vec {
    expr at[3];
} vec;

typedef struct mat { /* a rotation: the axes of a frame */
    vec axis[3];
} mat;

vec vec_number(graph *g, const double x[3]);
vec vec_zero(graph *g);
vec vec_add(graph *g, vec a, vec b);
vec vec_sub(graph *g, vec a, vec b);
vec vec_scale(graph *g, expr s, vec a);
vec vec_cross(graph *g, vec a, vec b);
expr vec_dot(graph *g, vec a, vec b);
expr vec_norm(graph *g, vec a);
vec vec_direction(graph *g, vec a); /* a/|a|, and 0 where a is 0 */
vec vec_unit(graph *g, vec a);      /* a/|a| of what is never 0 */
vec vec_rate(graph *g, vec a);      /* d/dt of what depends on the time alone */
/* Of numbers and parameters: the values now. */
void vec_now(graph *g, vec a, double x[3]);

mat mat_number(graph *g, const double A[3][3]); /* by rows */
mat mat_identity(graph *g);
vec mat_times(graph *g, const mat *A, vec x);            /* A x: from the frame to the world */
vec mat_transposed_times(graph *g, const mat *A, vec x); /* A^T x: from the world to the frame */
mat mat_product(graph *g, const mat *A, const mat *B);
/* Axes of which the third is the unit vector z and the first as near to x as can be, which is not along z. */
mat mat_axes(graph *g, vec z, vec x);
/* The same with x an axis of the world that is not near z, the second where z is near the first, else the first. */
mat mat_about(graph *g, vec z);

/* By an angle about a unit axis; by a quaternion p of any length, scalar first: A(c p) = A(p) (D1). */
mat mat_turn(graph *g, vec axis, expr angle);
mat mat_quaternion(graph *g, const expr p[4]);
/* And back: the unit quaternion of a rotation, from the largest of its components. */
void mat_to_quaternion(graph *g, const mat *A, expr p[4]);

#endif
