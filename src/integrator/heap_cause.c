/* Velocities that nothing in a step of a heap can have caused (docs/theory/solver.md, (S20)). Bodies that do not move
 * drive nothing, and a rebound is no faster than what came: so causes are velocities before the step, those without
 * percussions, and gaps that are to open. */
#include "integrator/heap_bodies.h"
#include "problem/cause.h"

static double square(const double x[3]) {
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}

static double least(const double x[3]) {
    return fmin(x[0], fmin(x[1], x[2]));
}

static double most(const double x[3]) {
    return fmax(x[0], fmax(x[1], x[2]));
}

static bool is_plain(const heap_body *after, const heap_body *before, double tolerance) {
    return cause_is_plain(sqrt(square(after->v)), sqrt(square(before->v)), tolerance) &&
           cause_is_plain(sqrt(square(after->w)), sqrt(square(before->w)), tolerance);
}

/* No less than twice the energy of a body. */
static double energy_of(const heap_body *x, const double J[3]) {
    return square(x->v) / x->light + most(J) * square(x->w);
}

static double cause_of(const heap_bodies *b, const heap_island *part, const double *parting) {
    const heap *h = &b->heap;
    double cause = 0, heaviest = 0;
    for (int i = part->body; i < part->body + part->bodies; i++) {
        const int k = h->member[i];
        cause += energy_of(&b->initial[k], b->J[k]) + energy_of(&b->free[k], b->J[k]);
        heaviest = fmax(heaviest, 1 / h->body[k].light);
    }
    for (int c = part->contact; parting && c < part->contact + part->contacts; c++) {
        const double speed = parting[h->contact[h->order[c]].number];
        cause += heaviest * speed * speed;
    }
    return cause;
}

static bool island_is_caused(const heap_bodies *b, const heap_island *part, const double *parting, double tolerance) {
    const heap *h = &b->heap;
    double cause = -1;
    for (int i = part->body; i < part->body + part->bodies; i++) {
        const int k = h->member[i];
        const heap_body *x = &h->body[k];
        if (is_plain(x, &b->initial[k], tolerance)) continue;
        if (cause < 0) cause = cause_of(b, part, parting);
        if (!cause_suffices(square(x->v) / x->light, cause) || !cause_suffices(least(b->J[k]) * square(x->w), cause))
            return false;
    }
    return true;
}

bool heap_bodies_caused(const heap_bodies *b, const double *parting, double tolerance) {
    bool all = true;
    for (int k = 0; k < b->heap.islands && b->heap.contacts > 0; k++)
        all = all && island_is_caused(b, &b->heap.island[k], parting, tolerance);
    return all;
}
