#include "integrator/dense.h"

#include <stdlib.h>

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
    *d = (dense){.s = s, .c = c, .weight = calloc(4 * (size_t)s, sizeof *d->weight)};
    if (!d->weight) return false;
    d->start = d->weight + s, d->end = d->start + s, d->basis = d->end + s;
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
    free(d->weight);
}

void dense_at(dense *d, double theta) {
    for (int j = 0; j < d->s; j++) {
        double product = d->weight[j];
        for (int i = 0; i < d->s; i++) product *= i == j ? 1 : theta - d->c[i];
        d->basis[j] = product;
    }
}

double dense_value(const dense *d, double theta, const double *values, const double *rate0, const double *rate1) {
    double sum = 0, w = 1, slope0 = 0, slope1 = 0;
    for (int j = 0; j < d->s; j++) sum += d->basis[j] * values[j];
    if (!rate0) return sum;
    for (int j = 0; j < d->s; j++) {
        w *= theta - d->c[j];
        slope0 += d->start[j] * values[j];
        slope1 += d->end[j] * values[j];
    }
    double alpha = (*rate0 - slope0) / d->edge[0], sum1 = (*rate1 - slope1) / d->edge[1];
    return sum + w * (alpha + (sum1 - alpha) * theta);
}
