/* Coefficients of the Lobatto IIIA-IIIB pair with any number of stages s >= 2 (docs/theory/lobatto.md, (B1)-(B5)). */
#ifndef CAROM_LOBATTO_COEFFICIENTS_H
#define CAROM_LOBATTO_COEFFICIENTS_H

#include <stdbool.h>

/* Nodes c[s] and weights b[s] on [0, 1]; a[s][s] of IIIA, a_hat[s][s] of IIIB, the projection pi[s][s]; matrices by
 * rows. Computed in extended precision and rounded once. False: out of memory. */
bool lobatto_coefficients(int s, double *c, double *b, double *a, double *a_hat, double *pi);

#endif
