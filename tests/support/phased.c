#include "phased.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* What an instant that is a zero of the function leaves of it. */
static const real round_off = 1e-17L;

static void flow(const phased *p, real until, real *y) {
    memcpy(y, p->y, sizeof p->y);
    smooth_solve(p->n, p->rhs, p->context, p->t, until, y);
}

/* One of the functions, at (t, y). */
static int below_zero(const phased *p, real t, const real *y) {
    for (int k = 0; k < p->watched; k++)
        if (p->watch(k, t, y, p->context) < -round_off) return k;
    return -1;
}

/* The first instant at which one of the functions is below zero, between p->t and late. */
static void divide(phased *p, real late) {
    real early = p->t, y[8];
    int which = 0;
    for (int i = 0; i < 70; i++) {
        real middle = (early + late) / 2;
        flow(p, middle, y);
        if (below_zero(p, middle, y) < 0) early = middle;
        else late = middle;
    }
    flow(p, late, y);
    which = below_zero(p, late, y);
    p->t = late;
    memcpy(p->y, y, sizeof y);
    p->happen(which, p->t, p->y, p->context);
    if (p->events < 64) p->instant[p->events] = late;
    p->events++;
}

void phased_advance(phased *p, real until) {
    while (p->t < until) {
        real next = fminl(until, p->t + p->stride), y[8];
        flow(p, next, y);
        if (below_zero(p, next, y) >= 0) {
            divide(p, next);
            continue;
        }
        p->t = next;
        memcpy(p->y, y, sizeof y);
    }
}
