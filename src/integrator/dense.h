/* Dense output of a Lobatto step over theta in [0, 1] (docs/theory/events.md, (V1), (V2)): positions through Q^1..Q^s
 * with the rates at both ends, velocities through v_n, V^2..V^{s-1}, v_{n+1}. */
#ifndef CAROM_DENSE_H
#define CAROM_DENSE_H

#include <stdbool.h>

typedef struct dense {
    int s;
    const double *c;
    double *weight;      /* [s] barycentric */
    double *start, *end; /* [s] l_j'(0), l_j'(1) */
    double edge[2];      /* w'(0), w'(1), w = prod (theta - c_i) */
    double *basis;       /* [s] l_j at the theta asked for last */
} dense;

bool dense_create(dense *d, int s, const double *c); /* c is borrowed; false: out of memory */
void dense_destroy(dense *d);

/* One component: values[i] at the nodes, rates at the ends times h; without rates (both NULL) plain interpolation. */
void dense_at(dense *d, double theta);
double dense_value(const dense *d, double theta, const double *values, const double *rate0, const double *rate1);

#endif
