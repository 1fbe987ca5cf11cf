/* A step of rattle of a heap: positions by rows that are corrected, (FC17) and (FC23), then velocities. */
#include "integrator/heap_step_inside.h"

#include "model/space.h"
#include "threads.h"

#include <math.h>
#include <string.h>

enum { CORRECTIONS = 40, STRAIGHT = 3 };
static const double LEAST_PART = 0.02, MOST_PART = 16; /* of their change by which rows move, (FC23) */
static const double MOST_IDLE = 0.125; /* part of the contacts that may carry nothing at the end of a step */
static const double QUIET = 0.2; /* part of the error from which on velocities at the end of a step are swept, (FC39) */

/* ---------------------------------------------------------------- rows */

void heap_step_position_row(const heap_step *g, int k, double dt, const double start[3], double y[3]) {
    double u[3], mean[3];
    heap_step_velocity(g, g->bodies.heap.body, k, END, u);
    heap_step_tangential(g, k, END, u);
    heap_step_carry(g, k, END, START, u);
    memcpy(mean, start, sizeof mean);
    heap_step_tangential(g, k, START, mean);
    for (int i = 0; i < 3; i++)
        y[i] = (mean[i] + u[i]) / 2 + g->pairs.touch[END][k].gap / dt * g->pairs.touch[START][k].n[i];
}

/* (FC22): a gap may be missed by the part E of a fiftieth of a size; at least by what counts as no error. */
static double span_of(const heap_step *g, const heap_pair *x, double dt, double tolerance) {
    return fmax(x->size / (50 * dt), tolerance / g->accept);
}

/* (FC37): the part of the gap at the start that may stay, at most half of what may be missed. */
static double kept_gap(const heap_step *g, int k, double dt, double tolerance) {
    const double gap = g->pairs.touch[START][k].gap;
    const double most = g->accept * span_of(g, &g->pairs.at[k], dt, tolerance) * dt / 2;
    return gap > most ? 0 : fmax(gap, -most);
}

static void set_row(heap_step *g, heap_contact *c, double dt, double tolerance) {
    double u[3], y[3];
    heap_step_velocity(g, g->bodies.heap.body, c->number, START, u);
    heap_step_position_row(g, c->number, dt, u, y);
    const double kept = kept_gap(g, c->number, dt, tolerance) / dt;
    g->pairs.parting[c->number] = fmax(0, kept - g->pairs.touch[START][c->number].gap / dt);
    for (int i = 0; i < 3; i++) c->d[i] = y[i] - kept * c->n[i] - u[i];
    c->span = span_of(g, &g->pairs.at[c->number], dt, tolerance) + kept / g->accept;
}

static void set_rows(heap_step *g, double dt, double tolerance) {
    heap *h = &g->bodies.heap;
    THREADS_LOOP(g->threads)
    for (heap_contact *c = h->contact; c < h->contact + h->contacts; c++) set_row(g, c, dt, tolerance);
}

/* Rows of a contact move by a part of their change (FC23): by all of it at first; then by what the secant of the last
 * two makes of it, but by no more than half of the last part where they turn back, and than twice that where they go
 * on.
 */
static void correct_row(heap_row *x, double d[3], bool second) {
    double miss[3], turn[3];
    for (int i = 0; i < 3; i++) miss[i] = d[i] - x->d[i], turn[i] = x->miss[i] - miss[i];
    const double turned = space_dot(x->miss, turn), secant = x->part * turned / space_dot(turn, turn);
    if (!second) x->part = 1;
    else if (space_dot(miss, x->miss) < 0) x->part = fmax(LEAST_PART, fmin(secant, x->part / 2));
    else x->part = fmin(MOST_PART, turned > 0 ? fmin(secant, 2 * x->part) : 2 * x->part);
    for (int i = 0; i < 3; i++) d[i] = x->d[i] + x->part * miss[i];
    memcpy(x->miss, miss, sizeof miss);
}

static void correct_rows(heap_step *g, bool second) {
    const heap *h = &g->bodies.heap;
    for (heap_contact *c = h->contact; c < h->contact + h->contacts; c++)
        correct_row(&g->pairs.row[c->number], c->d, second);
}

static void keep_rows(heap_step *g) {
    const heap *h = &g->bodies.heap;
    for (const heap_contact *c = h->contact; c < h->contact + h->contacts; c++)
        memcpy(g->pairs.row[c->number].d, c->d, sizeof c->d);
}

static bool is_pressed(const heap_load *x) {
    return x->half[0] != 0 || x->half[1] != 0 || x->half[2] != 0;
}

/* Contacts with gaps below `near` at the present end of the step take part from now on, with rows. True: there are new
 * ones. */
static bool let_near_take_part(heap_step *g, double near, double dt, double tolerance) {
    heap_pairs *x = &g->pairs;
    bool any = false;
    for (int k = 0; k < x->count; k++) {
        if (x->takes_part[k] || !(x->gap[k] < near || is_pressed(&x->load[k]))) continue;
        set_row(g, heap_step_add(g, k, START, x->load[k].half, tolerance), dt, tolerance);
        x->takes_part[k] = any = true;
    }
    return any;
}

/* Half of the deepest approach, since percussions change velocities by about as much as contacts approach. */
static double nearness(const heap_pairs *x) {
    double deepest = 0;
    for (int k = 0; k < x->count; k++)
        if (x->gap[k] < deepest) deepest = x->gap[k];
    return -deepest / 2;
}

static void push_guess(heap_step *g) {
    const heap_pairs *x = &g->pairs;
    for (int k = 0; k < x->count; k++)
        if (is_pressed(&x->load[k]))
            heap_bodies_push(&g->bodies, x->at[k].a, x->at[k].b, (const double(*)[3])x->touch[START][k].l,
                             x->load[k].half);
}

/* ---------------------------------------------------------------- positions */

/* (R1) to (R5): positions, the velocity u and percussions of the first half step, (FC17). */
bool heap_rattle_move(heap_step *g, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    heap_pairs *x = &g->pairs;
    heap_bodies *b = &g->bodies;
    if (!heap_bodies_force(b, now->t, now->q, now->u, dt / 2, START, !b->spins)) return false;
    heap_bodies_set_free(b);
    heap_step_touch(g, START);
    heap_pairs_hand_over(x, START);
    push_guess(g);
    if (!heap_bodies_spin(b, now, dt)) return false;
    b->heap.contacts = 0;
    for (int k = 0; k < x->count; k++) x->takes_part[k] = false;
    for (int i = 0, settled = 0; i < CORRECTIONS; i++) {
        heap_bodies_move(b, now, dt, next->q);
        heap_step_touch(g, END);
        set_rows(g, dt, tolerance);
        const bool fresh = let_near_take_part(g, i == 0 ? nearness(x) + tolerance : 0, dt, tolerance);
        if (fresh) heap_divide(&b->heap);
        settled = fresh ? 0 : settled + 1;
        const bool straight = settled < STRAIGHT;
        heap_report swept = heap_solve(&b->heap, heap_step_aim(g), straight ? heap_step_sweeps(&b->heap) : 0);
        if (swept.solved && swept.sweeps == 0) {
            report->residual = swept.missed;
            return heap_bodies_caused(b, x->parting, tolerance) && !heap_step_turned(g, x->parting, dt, tolerance);
        }
        if (!straight) {
            correct_rows(g, settled > STRAIGHT);
            swept = heap_solve(&b->heap, heap_step_aim(g), heap_step_sweeps(&b->heap));
        }
        report->newton[0] += swept.sweeps;
        if (!swept.solved) return false;
        if (settled + 1 >= STRAIGHT) keep_rows(g);
        heap_step_add_up(g);
        if (!heap_bodies_spin(b, now, dt)) return false;
    }
    g->gave_up = b->heap.contacts >= HEAP_LARGE;
    return false;
}

void heap_rattle_again(heap_step *g) {
    const heap *h = &g->bodies.heap;
    heap_pairs *x = &g->pairs;
    for (int k = 0; k < x->count; k++) memset(x->load[k].half, 0, sizeof x->load[k].half);
    for (const heap_contact *c = h->contact; c < h->contact + h->contacts; c++)
        memcpy(x->load[c->number].half, c->p, sizeof c->p);
}

/* ---------------------------------------------------------------- velocities */

/* (FC39) */
static heap_aim aim_at_rest(const heap_step *g) {
    return (heap_aim){g->accept, QUIET * g->accept, QUIET / 2 * g->accept, heap_step_aim(g).enough};
}

/* Contacts that carry nothing keep their places among the others, so that these need not be divided anew, if they are
 * few. */
static void drop_idle(heap *h) {
    int idle = 0, kept = 0;
    for (int i = 0; i < h->contacts; i++) idle += h->contact[i].idle;
    if (idle < MOST_IDLE * h->contacts) return;
    for (int i = 0; i < h->contacts; i++)
        if (!h->contact[i].idle) h->contact[kept++] = h->contact[i];
    h->contacts = kept;
}

/* Contact c of the first stage as it is at the end: its first half P' goes over from the present velocities to those
 * without percussions, and if it touches, these have the guess 2 P', (FC13). */
static void turn_to_end(heap_step *g, heap_contact *c, double dt, double tolerance) {
    heap_pairs *x = &g->pairs;
    heap *h = &g->bodies.heap;
    const touch *at = &x->touch[END][c->number];
    const double gap = at->gap - kept_gap(g, c->number, dt, tolerance);
    c->idle = !(gap / dt - c->own[0] * space_dot(c->n, c->p) <= 0);
    heap_step_carry(g, c->number, START, END, c->p);
    memcpy(x->next[c->number].half, c->p, sizeof c->p);
    memcpy(c->n, at->n, sizeof c->n), memcpy(c->l, at->l, sizeof c->l);
    const double back[] = {-c->p[0], -c->p[1], -c->p[2]};
    heap_push(h, g->bodies.free, c->a, c->b, (const double(*)[3])c->l, back);
    heap_push(h, h->body, c->a, c->b, (const double(*)[3])c->l, c->idle ? back : c->p);
    heap_step_rebound(g, c, START, tolerance);
    c->scale = heap_step_scale(g, &x->at[c->number], c->n, tolerance), c->span = 0;
    for (int i = 0; i < 3; i++) c->p[i] *= c->idle ? 0 : 2;
    heap_prepare(h, c);
}

/* (R6) to (R9) for the contacts that the first stage closed. */
bool heap_rattle_finish(heap_step *g, const motion *now, motion *next, double dt, double tolerance,
                        step_report *report) {
    heap_bodies *b = &g->bodies;
    heap *h = &b->heap;
    const double *u = b->spins ? heap_bodies_velocities(b, START) : now->u;
    heap_bodies_turn(b, next->q, END);
    if (!heap_bodies_force(b, next->t, next->q, u, dt / 2, END, true)) return false;
    heap_bodies_set_free(b);
    for (heap_contact *c = h->contact; c < h->contact + h->contacts; c++) turn_to_end(g, c, dt, tolerance);
    drop_idle(h);
    if (!heap_step_solve(g, 1, aim_at_rest(g), tolerance, report)) return false;
    heap_step_conclude(g);
    return true;
}
