/* One contact solved exactly, the others held: u = A r + h with (FC1). What depends on A alone is worked out once. */
#ifndef CAROM_FRICTION_CONTACT_H
#define CAROM_FRICTION_CONTACT_H

#include "friction/friction.h"

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

/* The inverse of A, by elimination with pivots. False: A is singular. */
bool block_invert(const block3 A, block3 inverse);

#endif
