/* Steps of moreau and symmetric_moreau of a heap: positions first, then percussions there. */
#include "integrator/heap_step_inside.h"

#include <string.h>

/* (N1), (N2) at the end of the way from now, with forces over a time. */
static bool kick(heap_step *g, double t, const double *q, const double *u, double over, const heap_load *guess,
                 double tolerance, step_report *report) {
    heap_pairs *x = &g->pairs;
    heap_bodies *b = &g->bodies;
    memcpy(b->initial, b->heap.body, (size_t)b->heap.bodies * sizeof *b->initial);
    if (!heap_bodies_force(b, t, q, u, over, END, true)) return false;
    heap_bodies_set_free(b);
    heap_step_touch(g, END);
    heap_pairs_hand_over(x, END);
    b->heap.contacts = 0;
    for (int k = 0; k < x->count; k++) {
        if (!(x->touch[END][k].gap <= 0)) continue;
        heap_step_rebound(g, heap_step_add(g, k, END, guess[k].P, tolerance), END, tolerance);
    }
    heap_step_add_up(g);
    if (!heap_step_solve(g, 0, heap_step_aim(g), tolerance, report)) return false;
    heap_step_conclude(g);
    return true;
}

/* (M5): the first step begins with half a kick at the initial state. */
static bool is_first(const heap_step *g, const motion *now) {
    return g->scheme == SYMMETRIC && now->memory[0] == 0;
}

bool heap_moreau_move(heap_step *g, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    heap_bodies *b = &g->bodies;
    if (is_first(g, now)) {
        heap_step_stay(b);
        if (!kick(g, now->t, now->q, now->u, dt / 2, g->pairs.load, tolerance, report)) return false;
    }
    heap_bodies_move(b, now, dt, next->q);
    heap_bodies_turn(b, next->q, END);
    return true;
}

bool heap_moreau_finish(heap_step *g, const motion *now, motion *next, double dt, double tolerance,
                        step_report *report) {
    const heap_load *guess = is_first(g, now) ? g->pairs.next : g->pairs.load;
    if (g->scheme == SYMMETRIC) next->memory[0] = 1;
    return kick(g, next->t, next->q, now->u, dt, guess, tolerance, report);
}
