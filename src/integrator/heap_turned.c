/* Contacts of a heap that turn so far in a step that they close on their other side, with energy that nothing gave
 * (docs/theory/solver.md, (S28)). */
#include <math.h>

#include "integrator/heap_step_inside.h"
#include "model/space.h"
#include "problem/cause.h"

static double square(const double x[3]) {
    return space_dot(x, x);
}

static double twice_energy(const heap_bodies *b, int k, const heap_body *x) {
    double own[3];
    if (b->round) return square(x->v) / x->light + square(x->w) / x->nimble;
    space_transposed_times((const double(*)[3])b->A[START][k], x->w, own);
    return square(x->v) / x->light + b->J[k][0] * own[0] * own[0] + b->J[k][1] * own[1] * own[1] +
           b->J[k][2] * own[2] * own[2];
}

static bool has_grown(const heap_body *after, const heap_body *before, double tolerance) {
    const double v = sqrt(square(before->v)), w = sqrt(square(before->w));
    return sqrt(square(after->v)) > fmax(CAUSE_TURNED * v, tolerance) ||
           sqrt(square(after->w)) > fmax(CAUSE_TURNED * w, tolerance);
}

static bool island_grows(const heap_bodies *b, const heap_island *part, const double *parting, double tolerance) {
    const heap *h = &b->heap;
    double after = 0, cause = 0, heaviest = 0;
    bool any = false;
    for (int i = part->body; i < part->body + part->bodies && !any; i++)
        any = has_grown(&h->body[h->member[i]], &b->initial[h->member[i]], tolerance);
    for (int i = part->body; i < part->body + part->bodies && any; i++) {
        const int k = h->member[i];
        after += twice_energy(b, k, &h->body[k]);
        cause += twice_energy(b, k, &b->initial[k]) + twice_energy(b, k, &b->free[k]);
        heaviest = fmax(heaviest, 1 / h->body[k].light);
    }
    for (int c = part->contact; c < part->contact + part->contacts && any; c++) {
        const double speed = parting[h->contact[h->order[c]].number];
        cause += heaviest * speed * speed;
    }
    return any && !cause_suffices_where_turned(after, cause);
}

/* The rate of contact k at the start does not tell how its gap changes. */
static bool turns(const heap_step *g, int k, double dt) {
    const heap_pair *pair = &g->pairs.at[k];
    const touch *from = &g->pairs.touch[START][k], *to = &g->pairs.touch[END][k];
    const heap_body *x[] = {&g->bodies.heap.body[pair->a], &g->bodies.heap.body[pair->b]};
    double rate = 0, terms = 0;
    for (int i = 0; i < 2; i++) {
        double turn[3];
        space_cross(x[i]->w, from->l[i], turn);
        const double along = space_dot(from->n, x[i]->v), around = space_dot(from->n, turn);
        rate += i == 0 ? along + around : -along - around, terms += fabs(along) + fabs(around);
    }
    return fabs(dt * rate - (to->gap - from->gap)) > dt * terms / 2;
}

bool heap_step_turned(const heap_step *g, const double *parting, double dt, double tolerance) {
    const heap *h = &g->bodies.heap;
    for (int i = 0; i < h->islands && h->contacts > 0; i++) {
        const heap_island *part = &h->island[i];
        if (!island_grows(&g->bodies, part, parting, tolerance)) continue;
        for (int c = part->contact; c < part->contact + part->contacts; c++) {
            const heap_contact *x = &h->contact[h->order[c]];
            if (space_dot(x->p, x->p) > 0 && turns(g, x->number, dt)) return true;
        }
    }
    return false;
}
