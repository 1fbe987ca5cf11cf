#include "integrator/certify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/vectors.h"

enum { MOST_LOOKS = 400 };

/* ---------------------------------------------------------------- places */

/* Gaps at theta, NaN where they are not defined. */
static void look_at(certifier *c, const attempt *a, double theta, double *gap) {
    const carom_model_def *d = &c->m->def;
    attempt_at(a, theta, &c->look);
    bool defined = !d->position(d->context, c->look.t, c->look.q, c->point, NULL);
    for (int k = 0; k < d->contacts; k++) gap[k] = defined ? c->point[d->ng + k] : NAN;
}

static double gap_at(certifier *c, const attempt *a, int k, double theta) {
    const carom_model_def *d = &c->m->def;
    attempt_at(a, theta, &c->look);
    return d->position(d->context, c->look.t, c->look.q, c->point, NULL) ? NAN : c->point[d->ng + k];
}

/* Regula falsi (Illinois) between gaps >= 0 at left and below zero at right. */
static double zero_between(certifier *c, const attempt *a, int k, double left, double f_left, double right,
                           double f_right) {
    int side = 0;
    if (!(f_left > 0)) return left;
    for (int i = 0; i < 60 && right - left > 1e-14 * right; i++) {
        double theta = (left * f_right - right * f_left) / (f_right - f_left);
        if (!(theta > left && theta < right)) theta = (left + right) / 2;
        double f = gap_at(c, a, k, theta);
        if (f > 0) {
            left = theta, f_left = f;
            if (side == 1) f_right /= 2;
            side = 1;
        } else {
            right = theta, f_right = f;
            if (side == -1) f_left /= 2;
            side = -1;
        }
    }
    return right;
}

/* ---------------------------------------------------------------- parts */

/* Bounds over [left, right]; where the model knows none, they are infinite. */
static void bound(certifier *c, double left, double right) {
    const carom_model_def *d = &c->m->def;
    enclosure *e = &c->enclosure;
    enclose(e, left, right, false);
    if (!d->ranges(d->context, e->t, e->q, e->q_rate, NULL, NULL, c->c, c->c_rate, NULL, NULL)) return;
    for (int i = 0; i < c->m->nc; i++) c->c[i] = c->c_rate[i] = (carom_range){-INFINITY, INFINITY};
}

/* The least gap over a part of length w, from the gaps at its ends and the range of its rate, (V21). */
static double least_between(double left, double right, carom_range rate, double w) {
    if (rate.least >= 0) return left;
    if (rate.most <= 0) return right;
    if (!(rate.most - rate.least < INFINITY)) return -INFINITY;
    double x = (left - right + rate.most * w) / (rate.most - rate.least); /* where both lines meet */
    return fmin(left, left + rate.least * fmin(fmax(x, 0), w));
}

typedef enum verdict { STAYS_OPEN, CLOSES, UNDECIDED } verdict;

static verdict judge(const certifier *c, int k, double left, const certify_end *end, double w) {
    const int row = c->m->def.ng + k;
    const carom_range rate = c->c_rate[row];
    if (end->theta <= c->from[k]) return STAYS_OPEN;
    if (left < c->from[k]) return UNDECIDED;
    double least = fmax(c->c[row].least, least_between(c->left[k], end->gap[k], rate, w));
    if (least >= -c->zero[k]) return STAYS_OPEN;
    return rate.most <= 0 ? CLOSES : UNDECIDED;
}

/* ---------------------------------------------------------------- the step */

/* A contact that has just opened from rest is near for a while, and the dense output not accurate enough to tell. It is
 * looked at from the first of the times h/2^k on after which its gap is above zero at all of them, k <= 10; if it is
 * not even at the end, only nodes count. */
static double first_look(certifier *c, const attempt *a, int k) {
    double theta = 1;
    if (c->left[k] > c->zero[k] || fabs(a->start.s[c->m->N + k]) > zero_velocity(c->scales, k)) return 0;
    if (!(c->end[0].gap[k] > c->zero[k])) return 1;
    while (theta > 1e-3 && gap_at(c, a, k, theta / 2) > c->zero[k]) theta /= 2;
    return theta;
}

/* The whole step at once: most contacts are too far away to close in it. True: some are not. */
static bool begin(certifier *c, const attempt *a) {
    const carom_model_def *d = &c->m->def;
    certify_end *end = &c->end[0];
    bool any = false;
    enclosure_begin(&c->enclosure, a);
    bound(c, 0, 1);
    for (int k = 0; k < d->contacts; k++) {
        end->open[k] = a->start.x.contact[k] == CAROM_OPEN && !(c->c[d->ng + k].least >= 0);
        any = any || end->open[k];
    }
    if (!any) return false;
    end->theta = 1;
    look_at(c, a, 0, c->left);
    look_at(c, a, 1, end->gap);
    for (int k = 0; k < d->contacts; k++) {
        if (!end->open[k]) continue;
        double zero = zero_gap(c->scales, k);
        c->zero[k] = fmax(zero, fmin(-2 * c->left[k], 16 * zero)); /* the gap at the start may be below by round-off */
        c->from[k] = first_look(c, a, k);
    }
    return true;
}

static void found(certifier *c, const attempt *a, int k, double left, const certify_end *end, candidate *first,
                  double *limit) {
    double theta = zero_between(c, a, k, left, c->left[k], end->theta, end->gap[k]);
    if (theta >= *limit) return;
    *limit = theta;
    *first = (candidate){.kind = CAROM_STRIKE, .contact = k, .tau = theta * a->h};
    first->after = a->start.x.t + first->tau;
}

static void doubted(certifier *c, const attempt *a, int k, double left) {
    if (!c->doubt.count) c->doubt = (doubt){1, k, a->start.x.t + left * a->h};
}

/* Settles what it can over [left, end]. True: some contact is left, and the part is to be halved. last: it cannot be.
 */
static bool settle_part(certifier *c, const attempt *a, double left, certify_end *end, bool last, candidate *first,
                        double *limit) {
    bool any = false;
    for (int k = 0; k < c->m->def.contacts; k++) {
        if (!end->open[k]) continue;
        verdict v = judge(c, k, left, end, (end->theta - left) * a->h);
        bool below = !(end->gap[k] >= -c->zero[k]);
        if (v == CLOSES || (v == UNDECIDED && last && below)) found(c, a, k, left, end, first, limit);
        else if (v == UNDECIDED && last) doubted(c, a, k, left);
        end->open[k] = v == UNDECIDED && !last;
        any = any || end->open[k];
    }
    return any;
}

static void halve(certifier *c, const attempt *a, double left, certify_end *end) {
    certify_end *middle = end + 1;
    middle->theta = left + (end->theta - left) / 2;
    memcpy(middle->open, end->open, (size_t)c->m->def.contacts * sizeof *end->open);
    look_at(c, a, middle->theta, middle->gap);
}

bool certify_strike(certifier *c, const attempt *a, candidate *first) {
    double left = 0, limit = INFINITY;
    int top = 0;
    c->doubt = (doubt){0};
    if (!begin(c, a)) return false;
    for (int looks = 0; top >= 0 && left < limit; looks++) {
        certify_end *end = &c->end[top];
        if (looks > 0) bound(c, left, end->theta);
        if (settle_part(c, a, left, end, top == CERTIFY_DEPTH || looks > MOST_LOOKS, first, &limit)) {
            halve(c, a, left, end);
            top++;
            continue;
        }
        left = end->theta;
        memcpy(c->left, end->gap, (size_t)c->m->def.contacts * sizeof *c->left);
        top--;
    }
    return limit < INFINITY;
}

/* ---------------------------------------------------------------- setup */

bool certifier_can(const certifier *c) {
    return c->m->def.ranges && enclosure_is_sharp(&c->enclosure);
}

static void place_ends(certifier *c, double *gaps) {
    const int n = c->m->def.contacts;
    for (int i = 0; i < CERTIFY_DEPTH + 2; i++) c->end[i].gap = gaps + i * n, c->end[i].open = c->flags + i * n;
}

bool certifier_create(certifier *c, const attempt *a, scales *z) {
    const carom_model *m = a->m;
    const int n = m->def.contacts;
    double *gaps;
    *c = (certifier){.m = m, .scales = z};
    const vector_part parts[] = {
        {&c->point, m->nc}, {&c->left, n}, {&c->from, n}, {&c->zero, n}, {&gaps, (CERTIFY_DEPTH + 2) * n}};
    c->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    c->flags = calloc((CERTIFY_DEPTH + 2) * (size_t)n + 1, sizeof *c->flags);
    c->c = calloc(2 * (size_t)m->nc + 1, sizeof *c->c);
    bool ok = enclosure_create(&c->enclosure, a);
    if (!attempt_look_create(&c->look, a) || !ok || !c->memory || !c->flags || !c->c) return false;
    c->c_rate = c->c + m->nc;
    place_ends(c, gaps);
    return true;
}

void certifier_destroy(certifier *c) {
    enclosure_destroy(&c->enclosure);
    attempt_look_destroy(&c->look);
    free(c->memory);
    free(c->flags);
    free(c->c);
}
