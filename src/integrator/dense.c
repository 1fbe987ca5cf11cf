#include "integrator/dense.h"

#include <stdlib.h>
#include <string.h>

/* l_j'(c_i) for i = 0 or s - 1, from barycentric weights: off the diagonal w_j/w_i/(c_i - c_j), rows sum to zero. */
static void differentiate(const dense *d, int i, double *row) {
    double sum = 0;
    for (int j = 0; j < d->s; j++) {
        if (j == i) continue;
        row[j] = d->weight[j] / d->weight[i] / (d->c[i] - d->c[j]);
        sum += row[j];
    }
    row[i] = -sum;
}

bool dense_create(dense *d, int s, const double *c) {
    *d = (dense){.s = s, .c = calloc(4 * (size_t)s, sizeof *d->c)};
    if (!d->c) return false;
    d->weight = d->c + s, d->start = d->weight + s, d->end = d->start + s;
    memcpy(d->c, c, (size_t)s * sizeof *c);
    for (int i = 0; i < s; i++) {
        double product = 1;
        for (int j = 0; j < s; j++) product *= j == i ? 1 : c[i] - c[j];
        d->weight[i] = 1 / product;
    }
    differentiate(d, 0, d->start);
    differentiate(d, s - 1, d->end);
    d->edge[0] = 1 / d->weight[0]; /* w'(c_i) is the product itself */
    d->edge[1] = 1 / d->weight[s - 1];
    return true;
}

void dense_destroy(dense *d) {
    free(d->c);
}

void dense_plain(const dense *d, double theta, double *weights) {
    for (int j = 0; j < d->s; j++) {
        weights[j] = d->weight[j];
        for (int i = 0; i < d->s; i++) weights[j] *= i == j ? 1 : theta - d->c[i];
    }
}

/* (V1): alpha + beta theta = (1 - theta) alpha + theta (alpha + beta), and both follow from one end each. */
void dense_with_rates(const dense *d, double theta, double *weights) {
    double w = 1;
    for (int i = 0; i < d->s; i++) w *= theta - d->c[i];
    double first = w * (1 - theta) / d->edge[0], last = w * theta / d->edge[1];
    dense_plain(d, theta, weights);
    for (int j = 0; j < d->s; j++) weights[j] -= first * d->start[j] + last * d->end[j];
    weights[d->s] = first, weights[d->s + 1] = last;
}
