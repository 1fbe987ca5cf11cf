#include "model/far.h"

#include <math.h>
#include <stdlib.h>

enum { LONGEST = 256, MOST_PATIENCE = 32 }; /* steps that a box reaches ahead; looks without one */

bool far_create(far_box *f, const carom_model *m) {
    const size_t nq = (size_t)m->def.nq, nc = (size_t)m->nc;
    *f = (far_box){.m = m, .ahead = 1};
    f->q = calloc(nq + nc + 1, sizeof *f->q);
    f->c = f->q ? f->q + nq : NULL;
    f->open = calloc((size_t)m->def.contacts + 1, sizeof *f->open);
    f->span = calloc(nq + 1, sizeof *f->span);
    return f->q && f->open && f->span;
}

void far_destroy(far_box *f) {
    free(f->q);
    free(f->open);
    free(f->span);
}

static bool is_within(carom_range box, double a, double b) {
    return box.least <= a && a <= box.most && box.least <= b && b <= box.most;
}

/* A box is convex: with its ends it has all of a straight piece. */
static bool holds(const far_box *f, double t, double h, const double *from, const double *to) {
    bool within = f->made && f->assigned == f->m->assigned && is_within(f->t, t, t + h);
    for (int i = 0; i < f->m->def.nq && within; i++) within = is_within(f->q[i], from[i], to[i]);
    return within;
}

static bool are_open(const far_box *f, const bool *asked) {
    bool open = true;
    for (int k = 0; k < f->m->def.contacts && open; k++) open = f->open[k] || (asked && !asked[k]);
    return open;
}

/* (Z5): so many steps ahead, and a quarter as many behind. */
static void make(far_box *f, double t, double h, const double *from, const double *to) {
    const carom_model_def *d = &f->m->def;
    f->t = (carom_range){t, t + (1 + f->ahead) * h};
    for (int i = 0; i < d->nq; i++) {
        const double move = to[i] - from[i];
        f->span[i] = fmax(fabs(move), f->span[i] / 2);
        const double ahead = f->ahead * f->span[i], behind = ahead / 4;
        f->q[i] = (carom_range){fmin(from[i], to[i]) - (move < 0 ? ahead : behind),
                                fmax(from[i], to[i]) + (move < 0 ? behind : ahead)};
    }
    f->made = !d->ranges(d->context, (carom_range[2]){f->t, {1, 1}}, f->q, NULL, NULL, NULL, f->c, NULL, NULL, NULL);
    f->assigned = f->m->assigned;
    for (int k = 0; k < d->contacts; k++) f->open[k] = f->made && f->c[d->ng + k].least > 0;
}

bool far_along(far_box *f, double t, double h, const double *from, const double *to, const bool *asked) {
    const bool before = f->made && are_open(f, asked);
    if (!f->m->def.ranges) return false;
    if (before && holds(f, t, h, from, to)) return true;
    if (f->pause > 0) return f->pause--, false;
    if (before) f->ahead = fmin(2 * f->ahead, LONGEST), f->patience = 0;
    make(f, t, h, from, to);
    if (f->made && are_open(f, asked)) return true;
    f->ahead = fmax(f->ahead / 2, 1);
    f->patience = f->patience < MOST_PATIENCE ? 2 * f->patience + 1 : MOST_PATIENCE;
    f->pause = f->patience;
    return false;
}
