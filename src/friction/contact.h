/* One contact solved exactly, the others held: u = A r + h with (FC1). What depends on A alone is worked out once. */
#ifndef CAROM_FRICTION_CONTACT_H
#define CAROM_FRICTION_CONTACT_H

#include "friction/friction.h"

#include <math.h>

typedef struct contact {
    bool regular;        /* A has an inverse and A_NN > 0 */
    block3 inverse;      /* of A */
    double row[3];       /* A_NN, A_NT */
    double lever[2];     /* A_TN / A_NN */
    double S[4];         /* A_TT - A_TN A_NT / A_NN */
    double skew;         /* of A: 0 for spheres, whose friction presses no normal and has no direction of its own */
    double mu, slippage; /* a of the last slip */
    double enough;       /* |psi| and skew that count as zero; round-off unless said otherwise */
} contact;

void contact_prepare(contact *c, const block3 A, double mu);
/* r: the solution. A contact that is not regular keeps its r. */
void contact_solve(contact *c, const double h[3], double r[3]);

/* |r - P_K(r - u - mu |u_T| n)|^2 */
double contact_missed(double mu, const double r[3], const double u[3]);

/* What (FC5) misses at a contact, and its derivatives by u and r. */
void contact_linearise(double mu, const double rho[2], const double r[3], const double u[3], double row[3], block3 by_u,
                       block3 by_r);

/* The inverse of A, by elimination with pivots. False: A is singular. */
bool block_invert(const block3 A, double least, block3 inverse);

/* hypot is slow; it is needed where squares leave the range of numbers. */
static inline double length_of(double x, double y) {
    const double square = x * x + y * y;
    return square > 1e-280 && square < 1e280 ? sqrt(square) : hypot(x, y);
}

#endif
