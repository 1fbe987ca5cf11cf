/* Vectors and rotations of space as numbers; vec.h has them as expressions. Results may not overlap arguments. */
#ifndef CAROM_SPACE_H
#define CAROM_SPACE_H

#include <math.h>
#include <stdbool.h>

static inline double space_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void space_cross(const double a[3], const double b[3], double c[3]) {
    for (int i = 0; i < 3; i++) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Makes a unit vector of a; false: it has no direction. */
static inline bool space_unit(double a[3]) {
    double length = sqrt(space_dot(a, a));
    for (int i = 0; i < 3; i++) a[i] /= length;
    return length > 0 && isfinite(length);
}

/* A x: from the frame with the axes (columns) A to the world; A^T x: from the world to it */
static inline void space_times(const double A[3][3], const double x[3], double y[3]) {
    for (int i = 0; i < 3; i++) y[i] = space_dot(A[i], x);
}

static inline void space_transposed_times(const double A[3][3], const double x[3], double y[3]) {
    for (int i = 0; i < 3; i++) y[i] = A[0][i] * x[0] + A[1][i] * x[1] + A[2][i] * x[2];
}

/* Axes (columns) of which the third is the unit vector z and the first as near to x as can be, which is not along z. */
static inline void space_axes(const double z[3], const double x[3], double A[3][3]) {
    double first[3], second[3], along = space_dot(x, z);
    for (int i = 0; i < 3; i++) first[i] = x[i] - along * z[i];
    space_unit(first);
    space_cross(z, first, second);
    for (int i = 0; i < 3; i++) A[i][0] = first[i], A[i][1] = second[i], A[i][2] = z[i];
}

/* A(p) of a quaternion of any length, scalar first (D1), and back, from the largest of its components. */
void space_rotation(const double p[4], double A[3][3]);
void space_quaternion(const double A[3][3], double p[4]);

#endif
