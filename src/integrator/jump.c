#include "integrator/jump.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/vectors.h"

bool jumps_create(jumps *j, const carom_model *m, int samples) {
    *j = (jumps){.m = m, .samples = samples, .left = INFINITY, .right = INFINITY};
    const vector_part parts[] = {
        {&j->look[0].chi, m->ns}, {&j->look[0].rate, m->ns}, {&j->look[1].chi, m->ns}, {&j->look[1].rate, m->ns},
        {&j->look[2].chi, m->ns}, {&j->look[2].rate, m->ns}, {&j->rest, m->def.nu},
    };
    return (j->memory = vectors_create(parts, sizeof parts / sizeof *parts)) != NULL;
}

void jumps_destroy(jumps *j) {
    free(j->memory);
}

static bool look_at(const jumps *j, double t, const double *q, jump_look *x) {
    const carom_model_def *d = &j->m->def;
    x->t = t;
    return !d->velocity(d->context, t, q, j->rest, x->chi, NULL, NULL) &&
           !d->velocity_rate(d->context, t, q, j->rest, x->rate);
}

/* (V13) of the interval [a, b], but for the round-off of each row */
static double mismatch(const jumps *j, const jump_look *a, const jump_look *b) {
    const double part = 64 * DBL_EPSILON;
    double most = 0;
    for (int k = 0; k < j->m->ns; k++) {
        double difference = b->chi[k] - a->chi[k], change = (b->t - a->t) / 2 * (a->rate[k] + b->rate[k]);
        most = fmax(most, fabs(difference - change) - part * (fabs(a->chi[k]) + fabs(b->chi[k]) + fabs(change)));
    }
    return most;
}

/* Halves the interval [look[0], look[1]], taking the part with the larger mismatch, until that is zero or the ends are
 * neighbours. */
static bool bisect(jumps *j, const double *q, double zero) {
    jump_look *a = &j->look[0], *b = &j->look[1], *middle = &j->look[2];
    while (mismatch(j, a, b) > zero) {
        double t = a->t + (b->t - a->t) / 2;
        if (!(t > a->t && t < b->t)) return true;
        if (!look_at(j, t, q, middle)) return false;
        jump_look *end = mismatch(j, a, middle) >= mismatch(j, middle, b) ? b : a, old = *end;
        *end = *middle, *middle = old;
    }
    return false;
}

/* Some jump in [from, to]. */
static bool search(jumps *j, double from, double to, const double *q, double zero) {
    if (!look_at(j, from, q, &j->look[1])) return false;
    for (int i = 1; i <= j->samples; i++) {
        double end = i < j->samples ? from + (to - from) * i / j->samples : to;
        jump_look start = j->look[0];
        j->look[0] = j->look[1], j->look[1] = start;
        if (!look_at(j, end, q, &j->look[1])) return false;
        if (!(mismatch(j, &j->look[0], &j->look[1]) > zero)) continue;
        if (bisect(j, q, zero)) return true;
        if (!look_at(j, end, q, &j->look[1])) return false; /* bisection has moved the end */
    }
    return false;
}

void jumps_search(jumps *j, double from, double to, const double *q, double zero) {
    j->left = j->right = INFINITY;
    if (!j->m->def.rheonomic || !j->m->ns || j->m->def.ranges) return; /* formulas know where they jump */
    /* of two jumps the larger one is found first, though it may be the later one */
    for (double end = to; end > from && search(j, from, end, q, zero); end = j->left)
        j->left = j->look[0].t, j->right = j->look[1].t;
}
