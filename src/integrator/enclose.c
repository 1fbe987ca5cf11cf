#include "integrator/enclose.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- weights as polynomials */

/* p(y) <- p(y) (y - (c - 1/2)); degree: of p before */
static void multiply(double *p, int degree, double c) {
    p[degree + 1] = 0;
    for (int k = degree + 1; k > 0; k--) p[k] = p[k - 1] - (c - 0.5) * p[k];
    p[0] *= -(c - 0.5);
}

/* factor prod_{i != skip} (theta - c_i), added to sum; skip = -1: all */
static void add_product(const dense *d, int skip, double factor, const double *last, double *p, double *sum,
                        int degree) {
    int n = 0;
    memset(p, 0, (size_t)(degree + 1) * sizeof *p);
    p[0] = factor;
    for (int i = 0; i < d->s; i++)
        if (i != skip) multiply(p, n++, d->c[i]);
    if (last) multiply(p, n, *last);
    for (int k = 0; k <= degree; k++) sum[k] += p[k];
}

/* The weights of dense_plain. */
static void plain_weights(const dense *d, polynomials *p) {
    for (int j = 0; j < d->s; j++)
        add_product(d, j, d->weight[j], NULL, p->shifted, p->weight + j * (p->degree + 1), p->degree);
}

/* Those of dense_with_rates: w (1 - theta)/w'(0) and w theta/w'(1) belong to the rates, and are subtracted from the
 * values with their slopes. */
static void weights_with_rates(const dense *d, polynomials *p) {
    static const double ends[] = {0, 1};
    const int n = p->degree + 1;
    double *first = p->weight + d->s * n, *last = first + n;
    plain_weights(d, p);
    add_product(d, -1, -1 / d->edge[0], &ends[1], p->shifted, first, p->degree);
    add_product(d, -1, 1 / d->edge[1], &ends[0], p->shifted, last, p->degree);
    for (int j = 0; j < d->s; j++)
        for (int k = 0; k < n; k++) p->weight[j * n + k] -= d->start[j] * first[k] + d->end[j] * last[k];
}

static void measure_growth(polynomials *p, int values) {
    p->growth = 1;
    for (int j = 0; j < values; j++) {
        double sum = 0;
        for (int k = 0; k <= p->degree; k++) sum += ldexp(fabs(p->weight[j * (p->degree + 1) + k]), -k);
        p->growth = fmax(p->growth, sum);
    }
}

/* ---------------------------------------------------------------- the coefficients of a step */

/* Values are counted from the first one, at the start of the step, so that round-off is relative to the motion, (V20).
 * rates: how many of the last values are rates; these are taken as they are. */
static void fit(polynomials *p, const double *values, int count, int rates) {
    const int n = p->degree + 1;
    for (int i = 0; i < p->size; i++) {
        double *a = p->coefficient + i * n, moved = 0;
        memset(a, 0, (size_t)n * sizeof *a);
        for (int j = 1; j < count; j++) {
            double value = values[j * p->size + i] - (j < count - rates ? values[i] : 0);
            for (int k = 0; k < n; k++) a[k] += p->weight[j * n + k] * value;
            moved += fabs(value);
        }
        p->round_off[i] = 8 * n * DBL_EPSILON * (p->growth * moved + fabs(values[i]));
    }
}

void enclosure_begin(enclosure *e, const attempt *a) {
    e->of = a;
    fit(&e->position, a->position, a->dense.s + 2, 2);
    fit(&e->velocity, a->velocity, a->dense.s, 0);
}

/* ---------------------------------------------------------------- ranges */

/* a(y) about the middle of the part: b(x) = a(x + middle - 1/2) */
static void shift(const polynomials *p, const double *a, double by) {
    double *b = p->shifted;
    memcpy(b, a, (size_t)(p->degree + 1) * sizeof *b);
    for (int k = 0; k < p->degree; k++)
        for (int j = p->degree - 1; j >= k; j--) b[j] += by * b[j + 1];
}

/* b_0 + sum_k factor_k b_k x^(k - less) over |x| <= r: odd powers go both ways, even ones one way, (V19). */
static carom_range sum_of_powers(const double *b, int degree, int less, double r) {
    carom_range y = {b[less], b[less]};
    double power = 1;
    for (int k = less + 1; k <= degree; k++) {
        double size = (power *= r) * b[k] * (less ? k : 1);
        if ((k - less) % 2) size = fabs(size), y.least -= size, y.most += size;
        else if (size > 0) y.most += size;
        else y.least += size;
    }
    return y;
}

static double value_of(const double *b, int degree, double x) {
    double y = b[degree];
    for (int k = degree - 1; k >= 0; k--) y = y * x + b[k];
    return y;
}

static carom_range widened(carom_range x, double origin, double by) {
    return (carom_range){origin + x.least - by, origin + x.most + by};
}

/* The value and its rate by time. A value that moves one way only lies between its ends. */
static void enclose_one(const polynomials *p, int i, double origin, double middle, double r, double h,
                        carom_range *value, carom_range *rate) {
    const double *b = p->shifted;
    shift(p, p->coefficient + i * (p->degree + 1), middle - 0.5);
    carom_range x = sum_of_powers(b, p->degree, 0, r), y = {0, 0};
    if (p->degree > 0) y = sum_of_powers(b, p->degree, 1, r);
    if (y.least >= 0 || y.most <= 0) {
        double left = value_of(b, p->degree, -r), right = value_of(b, p->degree, r);
        x = (carom_range){fmin(left, right), fmax(left, right)};
    }
    *value = widened(x, origin, p->round_off[i]);
    *rate = widened((carom_range){y.least / h, y.most / h}, 0, 2 * p->degree * (p->round_off[i] / h));
}

void enclose(enclosure *e, double left, double right, bool velocities) {
    const attempt *a = e->of;
    const double middle = left + (right - left) / 2, r = (right - left) / 2, t = a->start.x.t;
    const double late = 2 * DBL_EPSILON * (fabs(t) + a->h);
    e->t[0] = (carom_range){t + left * a->h - late, t + right * a->h + late};
    e->t[1] = (carom_range){1, 1};
    for (int i = 0; i < e->position.size; i++)
        enclose_one(&e->position, i, a->position[i], middle, r, a->h, &e->q[i], &e->q_rate[i]);
    for (int i = 0; i < e->velocity.size && velocities; i++)
        enclose_one(&e->velocity, i, a->velocity[i], middle, r, a->h, &e->u[i], &e->u_rate[i]);
}

bool enclosure_is_sharp(const enclosure *e) {
    return e->position.growth < 1e6;
}

/* ---------------------------------------------------------------- setup */

static bool create_polynomials(polynomials *p, int size, int values) {
    *p = (polynomials){.size = size, .degree = values - 1};
    const size_t n = (size_t)values;
    p->weight = calloc(n * n, sizeof *p->weight);
    p->coefficient = calloc((size_t)size * n + 1, sizeof *p->coefficient);
    p->round_off = calloc((size_t)size + 1, sizeof *p->round_off);
    p->shifted = calloc(n + 1, sizeof *p->shifted);
    return p->weight && p->coefficient && p->round_off && p->shifted;
}

static void destroy_polynomials(polynomials *p) {
    free(p->weight);
    free(p->coefficient);
    free(p->round_off);
    free(p->shifted);
}

bool enclosure_create(enclosure *e, const attempt *a) {
    const int nq = a->m->def.nq, nu = a->m->def.nu, s = a->dense.s;
    *e = (enclosure){.m = a->m};
    bool ok = create_polynomials(&e->position, nq, s + 2);
    ok = create_polynomials(&e->velocity, nu, s) && ok;
    e->memory = calloc(2 * (size_t)(nq + nu) + 1, sizeof *e->memory);
    if (!ok || !e->memory) return false;
    e->q = e->memory, e->q_rate = e->q + nq, e->u = e->q_rate + nq, e->u_rate = e->u + nu;
    weights_with_rates(&a->dense, &e->position);
    plain_weights(&a->dense, &e->velocity);
    measure_growth(&e->position, s + 2);
    measure_growth(&e->velocity, s);
    return true;
}

void enclosure_destroy(enclosure *e) {
    destroy_polynomials(&e->position);
    destroy_polynomials(&e->velocity);
    free(e->memory);
}
