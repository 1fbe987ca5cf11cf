/* Is a law what it says? Its projection p = prox(x, radius) must satisfy
 *
 *     (x - p).(z - p) <= 0  for all z in C          the nearest point of a convex set
 *     prox(p) = p,  prox(c x, c radius) = c p       which grows with the radius
 *
 * and its row must be the natural map (L1) with its derivatives, on the branch that v - w is on. What its edge is said
 * to be must fit the projection, (L27), (L28): prox(p + y, 1) = p for the point p with the normal y, and the gauge of c
 * p is c, with the direction of y for its derivatives. The expansion of a law of impact must end where it says, and
 * release no more work than was absorbed if energy is never to grow. Points are drawn at random, always the same ones.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "law/law.h"
#include "random.h"

enum { TRIALS = 400, KINDS = 12 };
static const double round_off = 1e-10, difference = 1e-6, difference_error = 1e-5; /* of numbers of size 1 */

static const char *const complaints[KINDS] = {
    "prox is not the nearest point of a convex set: (x - p).(z - p) is %.3g for a z in C",
    "prox moves points that are in C, by %.3g",
    "C does not grow with its radius: prox(c x, c radius) misses c prox(x, radius) by %.3g",
    "without a radius C is {0}, but prox gives %.3g",
    "the row misses w + prox(v - w) by %.3g",
    "the derivatives of the row are off by %.3g",
    "the branch does not fit v - w, which is %.3g away from C",
    "support misses the point of C(1) that has y as its normal by %.3g",
    "the derivatives of support are off by %.3g",
    "gauge or its derivatives do not fit support, by %.3g",
    "the expansion does not end where it says: %.3g of its percussion are left",
    "energy is never to grow, but the expansion releases %.3g more than the compression absorbed",
};

typedef struct law_trial {
    const law *law;
    int n;
    uint64_t seed;
    double worst[KINDS];
} law_trial;

static void note(law_trial *t, int kind, double size, double allowed) {
    if (!(size <= allowed)) t->worst[kind] = fmax(t->worst[kind], isfinite(size) ? size : HUGE_VAL);
}

static double distance(int n, const double *a, const double *b) {
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, isfinite(a[i] - b[i]) ? fabs(a[i] - b[i]) : HUGE_VAL);
    return largest;
}

/* ---- the set */

static void check_set(law_trial *t, const double *x, double radius) {
    double p[LAW_SIZE], again[LAW_SIZE], y[LAW_SIZE], z[LAW_SIZE], larger[LAW_SIZE], zero[LAW_SIZE] = {0}, product = 0;
    const int n = t->n;
    t->law->prox(n, x, radius, p);
    t->law->prox(n, p, radius, again);
    note(t, 1, distance(n, p, again), round_off);
    for (int i = 0; i < n; i++) y[i] = 3 * random_signed(&t->seed);
    t->law->prox(n, y, radius, z);
    for (int i = 0; i < n; i++) product += (x[i] - p[i]) * (z[i] - p[i]), y[i] = 2 * x[i];
    note(t, 0, product, round_off);
    t->law->prox(n, y, 2 * radius, larger);
    for (int i = 0; i < n; i++) larger[i] /= 2;
    note(t, 2, distance(n, larger, p), round_off);
    t->law->prox(n, x, 0, p);
    note(t, 3, distance(n, p, zero), 0);
}

/* ---- the row */

static void row_at(const law_trial *t, const double *v, const double *w, double radius, law_row *row) {
    memset(row, 0, sizeof *row);
    t->law->linearise(t->n, v, w, radius, row);
}

static void check_row(law_trial *t, const double *v, const double *w, double radius) {
    double x[LAW_SIZE], p[LAW_SIZE];
    law_row row;
    for (int i = 0; i < t->n; i++) x[i] = v[i] - w[i];
    t->law->prox(t->n, x, radius, p);
    row_at(t, v, w, radius, &row);
    double away = distance(t->n, x, p);
    for (int i = 0; i < t->n; i++) p[i] += w[i];
    note(t, 4, distance(t->n, row.row, p), round_off);
    law_branch branch = !(radius > 0) ? LAW_OPEN : away > 0 ? LAW_SLIDE : LAW_HOLD;
    bool clear = away == 0 || away > round_off;
    if (row.branch != branch && clear) t->worst[6] = fmax(t->worst[6], fmax(away, round_off));
}

/* The derivative by one number, unless a kink lies within the difference. */
static void check_derivative(law_trial *t, const double *v, const double *w, double radius, double *number,
                             const double *given, int stride) {
    law_row low, mid, high;
    const double at = *number;
    row_at(t, v, w, radius, &mid);
    *number = at - difference;
    row_at(t, v, w, radius, &low);
    *number = at + difference;
    row_at(t, v, w, radius, &high);
    *number = at;
    if (low.branch != mid.branch || high.branch != mid.branch) return;
    for (int i = 0; i < t->n; i++) {
        double left = (mid.row[i] - low.row[i]) / difference, right = (high.row[i] - mid.row[i]) / difference;
        if (fabs(left - right) > 1e-3) continue;
        note(t, 5, fabs((left + right) / 2 - given[i * stride]), difference_error);
    }
}

static void check_derivatives(law_trial *t, double *v, double *w, double radius) {
    law_row row, low, high;
    row_at(t, v, w, radius, &row);
    for (int j = 0; j < t->n; j++) {
        check_derivative(t, v, w, radius, &v[j], &row.v[0][j], LAW_SIZE);
        check_derivative(t, v, w, radius, &w[j], &row.w[0][j], LAW_SIZE);
    }
    row_at(t, v, w, radius - difference, &low);
    row_at(t, v, w, radius + difference, &high);
    for (int i = 0; i < t->n && low.branch == row.branch && high.branch == row.branch; i++) {
        double left = (row.row[i] - low.row[i]) / difference, right = (high.row[i] - row.row[i]) / difference;
        if (fabs(left - right) <= 1e-3) note(t, 5, fabs((left + right) / 2 - row.radius[i]), difference_error);
    }
}

/* ---- the edge */

static void check_support(law_trial *t, double *y, const double *p, double p_y[LAW_SIZE][LAW_SIZE]) {
    double low[LAW_SIZE], high[LAW_SIZE], ignored[LAW_SIZE][LAW_SIZE], x[LAW_SIZE], near[LAW_SIZE];
    const int n = t->n;
    for (int i = 0; i < n; i++) x[i] = p[i] + y[i];
    t->law->prox(n, x, 1, near);
    note(t, 7, distance(n, near, p), round_off);
    for (int j = 0; j < n; j++) {
        const double at = y[j];
        y[j] = at - difference;
        t->law->support(n, y, low, ignored);
        y[j] = at + difference;
        t->law->support(n, y, high, ignored);
        y[j] = at;
        for (int i = 0; i < n; i++)
            note(t, 8, fabs((high[i] - low[i]) / (2 * difference) - p_y[i][j]), difference_error);
    }
}

static void check_edge(law_trial *t, double *y) {
    double p[LAW_SIZE], p_y[LAW_SIZE][LAW_SIZE], normal[LAW_SIZE];
    const double size = law_length(t->n, y);
    if (!t->law->support || t->n < 2 || size < 0.2) return;
    t->law->support(t->n, y, p, p_y);
    check_support(t, y, p, p_y);
    for (int i = 0; i < t->n; i++) p[i] *= 3;
    note(t, 9, fabs(t->law->gauge(t->n, p, normal) - 3), round_off);
    const double length = law_length(t->n, normal);
    double along = 0; /* Euler: the gauge grows in proportion to x */
    for (int i = 0; i < t->n; i++) along += normal[i] * p[i], normal[i] = normal[i] / length - y[i] / size;
    note(t, 9, fmax(fabs(along - 3), law_length(t->n, normal)), round_off);
}

/* ---- the expansion of a law of impact */

static void check_expansion(law_trial *t) {
    const double slope = 1.1 + random_signed(&t->seed), absorbed = 1.1 + random_signed(&t->seed);
    carom_expansion x = {.restitution = (1 + random_signed(&t->seed)) / 2,
                         .speed = sqrt(2 * slope * absorbed),
                         .compression = sqrt(2 * absorbed / slope) * (1.5 + random_signed(&t->seed)),
                         .absorbed = absorbed,
                         .slope = slope};
    for (int piece = 0; piece < 2; piece++) { /* the first one is left halfway */
        const double step = t->law->expand(&x) * (piece ? 1 : 0.5);
        x.released += x.gap_dot * step + slope * step * step / 2;
        x.expansion += step, x.gap_dot += slope * step;
    }
    note(t, 10, fabs(t->law->expand(&x)), 1e-9);
    if (t->law->info.energy == CAROM_ENERGY_NEVER_GROWS) note(t, 11, x.released - absorbed, round_off);
}

/* ---- findings, worst first */

static int by_size(const void *a, const void *b) {
    const carom_finding *x = a, *y = b;
    return (x->size < y->size) - (x->size > y->size);
}

int carom_law_check(const carom_law_def *l, carom_finding *findings, int max) {
    static const double radii[] = {1, 0.3, 2, 0.01};
    law_trial t = {.law = l, .seed = 20};
    carom_finding all[KINDS];
    int count = 0;
    for (int k = 0; k < TRIALS && l->expand; k++) check_expansion(&t);
    for (t.n = l->least; t.n <= l->most && !l->info.impact; t.n++)
        for (int k = 0; k < TRIALS; k++) {
            double v[LAW_SIZE], w[LAW_SIZE], radius = radii[k % 4];
            for (int i = 0; i < t.n; i++) v[i] = 2 * random_signed(&t.seed), w[i] = 2 * random_signed(&t.seed);
            check_set(&t, v, radius);
            check_row(&t, v, w, radius);
            check_row(&t, v, w, 0);
            check_derivatives(&t, v, w, radius);
            check_edge(&t, v);
        }
    for (int k = 0; k < KINDS; k++) {
        if (t.worst[k] == 0) continue;
        all[count] = (carom_finding){.fatal = true, .size = t.worst[k]};
        snprintf(all[count++].text, sizeof all->text, complaints[k], t.worst[k]);
    }
    qsort(all, (size_t)count, sizeof *all, by_size);
    if (max > 0) memcpy(findings, all, (size_t)(count < max ? count : max) * sizeof *all);
    return count;
}
