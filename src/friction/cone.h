/* The cone L = { |x_T| <= x_N }, its product x o y = (x.y, x_N y_T + y_N x_T), and the scaling that maps it on itself.
 */
#ifndef CAROM_FRICTION_CONE_H
#define CAROM_FRICTION_CONE_H

#include "friction/block.h"
#include "friction/contact.h"

#include <math.h>

static inline double cone_determinant(const double x[3]) {
    const double tangent = length_of(x[1], x[2]);
    return (x[0] - tangent) * (x[0] + tangent);
}

static inline void cone_product(const double x[3], const double y[3], double xy[3]) {
    xy[0] = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    for (int i = 1; i < 3; i++) xy[i] = x[0] * y[i] + y[0] * x[i];
}

/* y with x o y = z */
static inline void cone_quotient(const double z[3], const double x[3], double y[3]) {
    y[0] = (x[0] * z[0] - x[1] * z[1] - x[2] * z[2]) / cone_determinant(x);
    for (int i = 1; i < 3; i++) y[i] = (z[i] - x[i] * y[0]) / x[0];
}

static inline void cone_apply(const block3 A, const double x[3], double y[3]) {
    y[0] = y[1] = y[2] = 0;
    block_apply(A, x, y);
}

/* The symmetric F with F R = F^-1 U that maps L on itself. */
static inline void cone_scale(const double R[3], const double U[3], block3 F, block3 inverse) {
    const double r = sqrt(cone_determinant(R)), u = sqrt(cone_determinant(U)), size = sqrt(u / r);
    const double angle = sqrt((1 + (R[0] * U[0] + R[1] * U[1] + R[2] * U[2]) / (r * u)) / 2);
    double w[3];
    for (int i = 0; i < 3; i++) w[i] = (U[i] / u + (i ? -R[i] : R[i]) / r) / (2 * angle);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double x = i && j ? (i == j) + w[i] * w[j] / (1 + w[0]) : w[i + j];
            F[3 * i + j] = size * x;
            inverse[3 * i + j] = (!i == !j ? x : -x) / size;
        }
}

/* The largest step along d that stays in L: the smallest positive root of det(x + step d). */
static inline double cone_step_within(const double x[3], const double d[3]) {
    const double a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2], b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2],
                 c = cone_determinant(x), square = b * b - a * c;
    double most = d[0] < 0 ? -x[0] / d[0] : INFINITY;
    if (!(square >= 0)) return most;
    const double q = -(b + copysign(sqrt(square), b)), root[2] = {q / a, c / q};
    for (int i = 0; i < 2; i++)
        if (root[i] > 0 && root[i] < most) most = root[i];
    return most;
}

#endif
