/* The path (FC33) by its length, where it turns back. With z = (R, U) and l = log tau,
 *
 *     |(dz, dl)|^2 = sum_a (|F dR|^2 + |F^-1 dU|^2)/tau + n dl^2,      z' = l' y,      y = dz/dl              (FC50)
 *
 * y solves (FC34) for l o g = tau e, and l' = -1 or 1 is opposite to the sign of its determinant, (FC51): tau rises
 * behind a turn until the next one. A step goes along z' and z'', (FC52), and is corrected at right angles to the path,
 * (FC53). One factorisation serves the correction and both derivatives. */
#include "friction/interior_inside.h"

#include "friction/cone.h"
#include "friction/contact_system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct walk {
    interior *m;
    size_t length;       /* 6 contacts */
    double tau;          /* of the point being corrected */
    double *y;           /* dz/dl */
    double *fix;         /* the correction, at right angles to (y, 1) */
    double shift;        /* that of l */
    double square;       /* |(y, 1)|^2 */
    double way;          /* l' if the path is here: -1 or 1 */
    double *from;        /* the last point on the path */
    double from_tau;     /* its tau */
    double *first;       /* z' there */
    double *second;      /* z'' there */
    double along, curve; /* l', l'' there */
    double step, reach;  /* its length; the part of the longest one that it is */
    int fixes, retreats; /* corrections since the step; steps in vain since from */
    bool begun;          /* from is a point of the path */
    double *memory;
} walk;

/* ---------------------------------------------------------------- lengths, (FC50) */

static double product_at(const walk *w, int a, const double *x, const double *y) {
    const interior *m = w->m;
    const int n = 3 * m->n;
    double X[3], Y[3], sum = 0;
    cone_apply(m->F[a], x + 3 * a, X), cone_apply(m->F[a], y + 3 * a, Y);
    for (int i = 0; i < 3; i++) sum += X[i] * Y[i];
    cone_apply(m->inverse[a], x + n + 3 * a, X), cone_apply(m->inverse[a], y + n + 3 * a, Y);
    for (int i = 0; i < 3; i++) sum += X[i] * Y[i];
    return sum / w->tau;
}

static double product(const walk *w, const double *x, const double *y) {
    double sum = 0;
    for (int a = 0; a < w->m->n; a++) sum += product_at(w, a, x, y);
    return sum;
}

/* The largest square of the correction of a contact: one where R o U is as far from tau e as from zero. */
static double farthest(const walk *w) {
    double most = 0;
    for (int a = 0; a < w->m->n; a++) {
        const double square = product_at(w, a, w->fix, w->fix);
        if (!(square <= most)) most = square;
    }
    return most;
}

/* x plus the multiple of (y, 1) with which it is at right angles to it; returns that multiple. */
static double straighten(const walk *w, double *x) {
    const double part = -product(w, x, w->y) / w->square;
    for (size_t i = 0; i < w->length; i++) x[i] += part * w->y[i];
    return part;
}

/* ---------------------------------------------------------------- a point and its derivatives */

/* Finds the correction, y and the way at the present point. */
static void examine(walk *w) {
    interior *m = w->m;
    const size_t bytes = w->length * sizeof *w->y;
    interior_factor(m);
    w->way = contact_system_orientation(m->s->system) > 0 ? -1 : 1;
    interior_aim(m, w->tau, 1, 0);
    interior_direct(m);
    memcpy(w->fix, m->dR, bytes);
    memset(m->missed, 0, bytes / 2);
    interior_aim(m, w->tau, 0, 0);
    interior_direct(m);
    memcpy(w->y, m->dR, bytes);
    w->square = product(w, w->y, w->y) + m->n;
    w->shift = straighten(w, w->fix);
}

/* Takes the correction, within L. */
static void correct(walk *w) {
    interior *m = w->m;
    memcpy(m->dR, w->fix, w->length * sizeof *w->fix);
    const double step = fmin(1, 0.9 * interior_longest_step(m));
    for (size_t i = 0; i < w->length; i++) m->R[i] += step * m->dR[i];
    w->tau *= exp(step * w->shift);
    w->fixes++;
}

/* |U_T|'' - t.U_T'': what turns U_T without making it longer. */
static void miss_curvature(walk *w) {
    interior *m = w->m;
    for (int a = 0; a < m->n; a++) {
        const double *U = m->U + 3 * a, *d = w->first + 3 * (m->n + a), size = length_of(U[1], U[2]);
        const double across = size > 0 ? (U[1] * d[2] - U[2] * d[1]) / size : 0;
        m->missed[3 * a] = size > 0 ? across * across / size : 0;
    }
}

/* z' and z'' of the path at the present point, from where the next step starts. */
static void depart(walk *w) {
    interior *m = w->m;
    const size_t bytes = w->length * sizeof *w->y;
    w->along = w->way, w->from_tau = w->tau, w->begun = true;
    memcpy(w->from, m->R, bytes);
    for (size_t i = 0; i < w->length; i++) w->first[i] = w->way * w->y[i];
    memcpy(m->dR, w->first, bytes);
    miss_curvature(w);
    interior_aim(m, w->tau, 0, 2);
    interior_direct(m);
    memcpy(w->second, m->dR, bytes);
    w->curve = straighten(w, w->second);
}

/* ---------------------------------------------------------------- steps */

static void go(walk *w) {
    const double h = w->step;
    for (size_t i = 0; i < w->length; i++) w->m->R[i] = w->from[i] + h * w->first[i] + h * h / 2 * w->second[i];
    w->tau = w->from_tau * exp(h * w->along + h * h / 2 * w->curve);
    w->fixes = 0;
}

/* Whether so long a step stays in L. */
static bool fits(const walk *w, double h) {
    for (size_t i = 0; i < w->length; i++) w->m->dR[i] = h * w->first[i] + h * h / 2 * w->second[i];
    return interior_longest_step(w->m) >= 1;
}

static void advance(walk *w) {
    const double longest = 3, most = 0.7;
    if (!w->retreats) w->reach = fmin(most, 2 * w->reach);
    w->retreats = 0;
    memcpy(w->m->dR, w->first, w->length * sizeof *w->first);
    w->step = fmin(longest, 2 * interior_longest_step(w->m));
    while (!fits(w, w->step)) w->step *= 0.8;
    w->step *= w->reach;
    go(w);
}

static void retreat(walk *w) {
    w->step /= 3, w->reach /= 3, w->retreats++;
    go(w);
}

/* To the last point that interior points kept with so large a tau at least. False: there is none left. */
static bool go_back(walk *w, double least) {
    interior *m = w->m;
    while (m->s->points--) {
        memcpy(m->R, m->s->kept + (size_t)m->s->points * w->length, w->length * sizeof *m->R);
        w->tau = interior_mean_gap(m, 0), w->fixes = 0;
        if (w->tau >= least) return true;
    }
    m->s->points = 0;
    return false;
}

/* Whether the step led to another branch, or too far from any. A path that turns however short the step is has a kink
 * there, as |U_T| has at zero. */
static bool astray(const walk *w, double far) {
    enum { FIXES = 4, SHORT = 6 };
    const bool turned = w->way * (product(w, w->first, w->y) + w->along * w->m->n) < 0;
    return !(far <= 4) || w->fixes > FIXES || (far <= 0.5 && turned && w->retreats < SHORT);
}

/* One factorisation further. False: this leads nowhere. */
static bool proceed(walk *w) {
    enum { RETREATS = 12, FIXES = 6 };
    examine(w);
    const double far = farthest(w);
    const bool on = far <= 0.5;
    if (w->begun && astray(w, far)) {
        retreat(w);
        return w->retreats <= RETREATS;
    }
    if (!w->begun && (w->fixes >= FIXES || (on && w->way > 0) || !isfinite(far))) return go_back(w, 4 * w->tau);
    correct(w);
    if (!on) return true;
    depart(w);
    advance(w);
    return true;
}

static bool walk_create(walk *w, interior *m) {
    const size_t length = 6 * (size_t)m->n;
    *w = (walk){.m = m, .length = length, .reach = 0.15, .memory = malloc(5 * length * sizeof *w->memory)};
    if (!w->memory) return false;
    w->y = w->memory, w->fix = w->y + length, w->from = w->fix + length;
    w->first = w->from + length, w->second = w->first + length;
    return true;
}

bool interior_follow_turns(island *s) {
    enum { MOST = 2000 };
    interior m;
    walk w = {0};
    s->exhausted = !interior_create(&m, s) || !walk_create(&w, &m);
    bool goes_on = !s->exhausted && go_back(&w, 0);
    m.bends = true;
    for (int k = 0; k < MOST && goes_on && s->factored < s->most; k++) {
        const double error = interior_look(&m);
        s->late = clock_seconds() > s->deadline;
        if (error <= s->tolerance || !isfinite(error) || s->late) break;
        goes_on = proceed(&w);
    }
    free(w.memory);
    interior_destroy(&m);
    return s->error <= s->tolerance;
}
