/* The coefficients of the generalized-alpha method (Chung, Hulbert 1993), and what it makes of a quantity f: a, which
 * follows f with weights, and integrals of a over the step, once and twice (docs/theory/nsga.md, (G1)-(G4)). */
#ifndef CAROM_ALPHA_H
#define CAROM_ALPHA_H

typedef struct alpha {
    double m, f, gamma, beta;
} alpha;

/* (G1), with the spectral radius rho at infinite frequency. */
static inline alpha alpha_for(double rho) {
    alpha c = {.m = (2 * rho - 1) / (rho + 1), .f = rho / (rho + 1)};
    c.gamma = 0.5 + c.f - c.m;
    c.beta = 0.25 * (c.gamma + 0.5) * (c.gamma + 0.5);
    return c;
}

/* (G4): a_1 from a_0 and the values f_0, f_1. */
static inline double alpha_acceleration(const alpha *c, double a0, double f0, double f1) {
    return ((1 - c->f) * f1 + c->f * f0 - c->m * a0) / (1 - c->m);
}

/* tau = dt gamma (1 - alpha_f)/(1 - alpha_m), (G5): what f_1 adds to the integral of a over the step. */
static inline double alpha_tau(const alpha *c, double dt) {
    return dt * c->gamma * (1 - c->f) / (1 - c->m);
}

#endif
