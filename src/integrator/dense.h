/* Dense output of a step over theta in [0, 1] (docs/theory/events.md, (V1), (V2)): through values at s nodes c with
 * c_1 = 0, c_s = 1, for positions with the rates at both ends as well. */
#ifndef CAROM_DENSE_H
#define CAROM_DENSE_H

#include <stdbool.h>

typedef struct dense {
    int s;
    double *c;
    double *weight;      /* [s] barycentric */
    double *start, *end; /* [s] l_j'(0), l_j'(1) */
    double edge[2];      /* w'(0), w'(1), w = prod (theta - c_i) */
} dense;

bool dense_create(dense *d, int s, const double *c); /* false: out of memory */
void dense_destroy(dense *d);

/* Weights at theta: [s] of the values alone; and [s + 2] of the values and h times the rates at both ends. */
void dense_plain(const dense *d, double theta, double *weights);
void dense_with_rates(const dense *d, double theta, double *weights);

#endif
