#include "integrator/heap_step_inside.h"

#include "model/space.h"
#include "threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORRECTIONS = 40, STRAIGHT = 3 };
enum { SWEEPS = 3000, SWEEPS_OF_LARGE = 30000 };
enum { LARGE = 200 }; /* so many contacts cost less in many sweeps, or in parts of a step, than in a step problem */
static const double LEAST_PART = 0.02, MOST_PART = 16; /* of their change by which rows move, (FC23) */
static const double SHARE =
    0.8; /* part of the error that sweeps may leave; the rest is for what the linear rows neglect */
static const double QUIET = 0.2; /* part of it from which on velocities at the end of a step are swept, (FC39) */

/* ---------------------------------------------------------------- places */

/* A step that begins where the last one ended has its touches. */
static void swap_ends(heap_pairs *x) {
    touch *const start = x->touch[START];
    x->touch[START] = x->touch[END], x->touch[END] = start;
    x->ended = false;
}

void heap_step_touch(heap_step *g, place at) {
    const heap_bodies *b = &g->bodies;
    if (at == START && g->pairs.ended && heap_bodies_go_on(b)) {
        swap_ends(&g->pairs);
        return;
    }
    g->pairs.ended = at == END;
    heap_pairs_touch(&g->pairs, (const double(*)[3])b->r[at], b->round ? NULL : (const double(*)[3][3])b->A[at], at,
                     g->threads);
}

void heap_step_tangential(const heap_step *g, int k, place at, double u[3]) {
    const double *n = g->pairs.touch[at][k].n, along = space_dot(n, u);
    for (int i = 0; i < 3; i++) u[i] -= along * n[i];
}

/* By the smallest rotation that turns n into m, with 1/(1 + n.m). */
static inline void turn(const double n[3], const double m[3], double bend, double u[3]) {
    const double along = space_dot(u, n), factor = bend * (along + space_dot(u, m));
    for (int i = 0; i < 3; i++) u[i] += 2 * along * m[i] - factor * (n[i] + m[i]);
}

void heap_step_carry(const heap_step *g, int k, place from, place to, double u[3]) {
    const heap_pair *pair = &g->pairs.at[k];
    if (pair->kind != GAP_FACE) {
        const touch *x = &g->pairs.touch[from][k], *y = &g->pairs.touch[to][k];
        turn(x->n, pair->normal, x->bend, u);
        turn(pair->normal, y->n, y->bend, u);
    } else if (heap_bodies_moving(&g->bodies, pair->b)) {
        double own[3];
        space_transposed_times((const double(*)[3])g->bodies.A[from][pair->b], u, own);
        space_times((const double(*)[3])g->bodies.A[to][pair->b], own, u);
    }
}

/* ---------------------------------------------------------------- contacts that take part */

/* The change by forces alone of the velocity along the normal, as a sum of absolute values; at least what counts as no
 * error. */
static double scale_of(const heap_step *g, const heap_pair *x, const double n[3], double tolerance) {
    double change = 0;
    for (int k = 0; k < 3; k++) change += fabs(n[k]) * (g->bodies.pull[x->a][k] + g->bodies.pull[x->b][k]);
    const double least = tolerance / g->accept;
    return change > least ? change : least;
}

/* Adds contact k as it is at a place. */
static heap_contact *add_contact(heap_step *g, int k, place at, const double p[3], double tolerance) {
    const heap_pair *x = &g->pairs.at[k];
    const touch *t = &g->pairs.touch[at][k];
    heap *h = &g->bodies.heap;
    heap_contact *c = &h->contact[h->contacts++];
    *c = (heap_contact){.a = x->a, .b = x->b, .number = k, .mu = x->law->slips ? x->law->friction : 0};
    memcpy(c->n, t->n, sizeof c->n), memcpy(c->l, t->l, sizeof c->l);
    memcpy(c->p, p, sizeof c->p);
    c->scale = scale_of(g, x, t->n, tolerance);
    heap_prepare(h, c);
    return c;
}

/* Velocities are those without percussions and the effect of these, added up anew. */
static void add_up(heap_step *g) {
    heap_bodies *b = &g->bodies;
    heap *h = &b->heap;
    memcpy(h->body, b->free, (size_t)h->bodies * sizeof *h->body);
    memset(b->torque, 0, (size_t)h->bodies * sizeof *b->torque);
    for (const heap_contact *c = h->contact; c < h->contact + h->contacts; c++)
        heap_bodies_push(b, c->a, c->b, (const double(*)[3])c->l, c->p);
}

/* ---------------------------------------------------------------- laws at velocity level */

static double rebound(const heap_step *g, int k, double speed, double tolerance) {
    const carom_model_contact *contact = g->pairs.at[k].law;
    const double rest = contact->rest > 0 ? contact->rest : 100 * tolerance, e = fmin(fmax(contact->restitution, 0), 1);
    return e * fabs(speed) > rest ? e : 0;
}

/* (I3), (I4): d of a contact, from its velocity before, seen at a place. */
static void set_rebound(const heap_step *g, heap_contact *c, place seen, double tolerance) {
    double *s = g->pairs.row[c->number].before;
    heap_step_velocity(g, g->bodies.initial, c->number, seen, s);
    if (seen == START) heap_step_carry(g, c->number, START, END, s);
    const double along = space_dot(c->n, s), e_N = rebound(g, c->number, along, tolerance);
    const double e_F = g->pairs.at[c->number].law->tangential_restitution;
    for (int i = 0; i < 3; i++) c->d[i] = (e_N - e_F) * along * c->n[i] + e_F * s[i];
}

static heap_aim aim_at(const heap_step *g) {
    return (heap_aim){g->accept, g->accept, SHARE * g->accept};
}

/* (FC39) */
static heap_aim aim_at_rest(const heap_step *g) {
    return (heap_aim){g->accept, QUIET * g->accept, QUIET / 2 * g->accept};
}

static int most_sweeps(const heap *h) {
    return h->contacts < LARGE ? SWEEPS : SWEEPS_OF_LARGE;
}

static bool solve_velocities(heap_step *g, int stage, heap_aim aim, double tolerance, step_report *report) {
    heap *h = &g->bodies.heap;
    add_up(g);
    heap_divide(h);
    const heap_report swept = heap_solve(h, aim, most_sweeps(h));
    report->newton[stage] += swept.sweeps;
    report->residual = fmax(report->residual, swept.missed);
    add_up(g);
    return swept.solved && heap_bodies_caused(&g->bodies, NULL, tolerance);
}

static carom_contact_state state_of(const heap_step *g, const heap_contact *c, const double s[3]) {
    const double u[] = {s[0] + c->d[0], s[1] + c->d[1], s[2] + c->d[2]};
    switch (heap_branch_of(c, u)) {
    case HEAP_OPEN:
        return CAROM_OPEN;
    case HEAP_STICK:
        return g->pairs.at[c->number].law->slips > 0 ? CAROM_STICK : CAROM_SLIP;
    default:
        return CAROM_SLIP;
    }
}

/* Percussions, states, velocities and work of the contacts that took part. */
static void conclude(heap_step *g) {
    const heap *h = &g->bodies.heap;
    heap_pairs *x = &g->pairs;
    for (const heap_contact *c = h->contact; c < h->contact + h->contacts; c++) {
        const int k = c->number;
        double u[3];
        const double pN = space_dot(c->n, c->p);
        const double *s = x->row[k].before;
        heap_step_velocity(g, h->body, k, END, u);
        const double normal = pN * (space_dot(c->n, u) + space_dot(c->n, s)) / 2;
        g->work.normal += normal;
        for (int i = 0; i < 3; i++) g->work.friction += c->p[i] * (u[i] + s[i]) / 2, x->next[k].P[i] += c->p[i];
        g->work.friction -= normal;
        const carom_contact_state state = state_of(g, c, u);
        if (x->load[k].state != CAROM_OPEN && state != CAROM_OPEN) g->work.held += normal;
        if (state > x->next[k].state) x->next[k].state = state;
    }
}

/* ---------------------------------------------------------------- rattle */

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

static void set_rows(heap_step *g, double dt, double tolerance) {
    heap *h = &g->bodies.heap;
    THREADS_LOOP(g->threads)
    for (heap_contact *c = h->contact; c < h->contact + h->contacts; c++) {
        double u[3], y[3];
        heap_step_velocity(g, h->body, c->number, START, u);
        heap_step_position_row(g, c->number, dt, u, y);
        const double kept = kept_gap(g, c->number, dt, tolerance) / dt;
        for (int i = 0; i < 3; i++) c->d[i] = y[i] - kept * c->n[i] - u[i];
        c->span = span_of(g, &g->pairs.at[c->number], dt, tolerance) + kept / g->accept;
    }
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

/* Contacts with gaps below `near` at the present end of the step take part from now on. True: there are new ones. */
static bool let_near_take_part(heap_step *g, double near, double tolerance) {
    heap_pairs *x = &g->pairs;
    bool any = false;
    for (int k = 0; k < x->count; k++) {
        if (x->takes_part[k] || !(x->touch[END][k].gap < near || is_pressed(&x->load[k]))) continue;
        add_contact(g, k, START, x->load[k].half, tolerance);
        x->takes_part[k] = any = true;
    }
    return any;
}

/* Half of the deepest approach, since percussions change velocities by about as much as contacts approach. */
static double nearness(const heap_pairs *x) {
    double deepest = 0;
    for (int k = 0; k < x->count; k++)
        if (x->touch[END][k].gap < deepest) deepest = x->touch[END][k].gap;
    return -deepest / 2;
}

static void push_guess(heap_step *g) {
    const heap_pairs *x = &g->pairs;
    for (int k = 0; k < x->count; k++)
        if (is_pressed(&x->load[k]))
            heap_bodies_push(&g->bodies, x->at[k].a, x->at[k].b, (const double(*)[3])x->touch[START][k].l,
                             x->load[k].half);
}

/* What gaps that are too deep at the start ask of velocities. */
static const double *parting(heap_step *g, double dt, double tolerance) {
    const heap *h = &g->bodies.heap;
    for (const heap_contact *c = h->contact; c < h->contact + h->contacts; c++)
        g->pairs.parting[c->number] =
            fmax(0, (kept_gap(g, c->number, dt, tolerance) - g->pairs.touch[START][c->number].gap) / dt);
    return g->pairs.parting;
}

/* (R1) to (R5): positions, the velocity u and percussions of the first half step, (FC17). */
static bool solve_positions(heap_step *g, const motion *now, motion *next, double dt, double tolerance,
                            step_report *report) {
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
        const bool fresh = let_near_take_part(g, i == 0 ? nearness(x) + tolerance : 0, tolerance);
        if (fresh) heap_divide(&b->heap);
        set_rows(g, dt, tolerance);
        settled = fresh ? 0 : settled + 1;
        const bool straight = settled < STRAIGHT;
        heap_report swept = heap_solve(&b->heap, aim_at(g), straight ? most_sweeps(&b->heap) : 0);
        if (swept.solved && swept.sweeps == 0) {
            report->residual = swept.missed;
            const double *parts = parting(g, dt, tolerance);
            return heap_bodies_caused(b, parts, tolerance) && !heap_step_turned(g, parts, dt, tolerance);
        }
        if (!straight) {
            correct_rows(g, settled > STRAIGHT);
            swept = heap_solve(&b->heap, aim_at(g), most_sweeps(&b->heap));
        }
        report->newton[0] += swept.sweeps;
        if (!swept.solved) return false;
        if (settled + 1 >= STRAIGHT) keep_rows(g);
        add_up(g);
        if (!heap_bodies_spin(b, now, dt)) return false;
    }
    g->gave_up = b->heap.contacts >= LARGE;
    return false;
}

/* (R6) to (R9) for the contacts that the first stage closed. The guess is twice their first half, (FC13); that of the
 * next first half is half of what they are in the end, (FC39). */
static bool solve_end(heap_step *g, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    heap_pairs *x = &g->pairs;
    heap_bodies *b = &g->bodies;
    heap *h = &b->heap;
    int closed = 0;
    const double *u = b->spins ? heap_bodies_velocities(b, START) : now->u;
    heap_bodies_turn(b, next->q, END);
    if (!heap_bodies_force(b, next->t, next->q, u, dt / 2, END, true)) return false;
    for (int i = 0; i < h->contacts; i++) {
        heap_contact *c = &h->contact[i];
        const touch *at = &x->touch[END][c->number];
        const double gap = at->gap - kept_gap(g, c->number, dt, tolerance);
        const bool touches = gap / dt - c->own[0] * space_dot(c->n, c->p) <= 0;
        memcpy(x->row[c->number].first, c->p, sizeof c->p);
        heap_step_carry(g, c->number, START, END, c->p);
        memcpy(c->n, at->n, sizeof c->n), memcpy(c->l, at->l, sizeof c->l);
        heap_push(h, h->body, c->a, c->b, (const double(*)[3])c->l, (double[]){-c->p[0], -c->p[1], -c->p[2]});
        memcpy(x->next[c->number].half, c->p, sizeof c->p);
        if (touches) h->contact[closed++] = *c;
    }
    h->contacts = closed;
    heap_bodies_set_free(b);
    for (heap_contact *c = h->contact; c < h->contact + closed; c++) {
        set_rebound(g, c, START, tolerance);
        c->scale = scale_of(g, &x->at[c->number], c->n, tolerance), c->span = 0;
        for (int i = 0; i < 3; i++) c->p[i] *= 2;
        heap_prepare(h, c);
    }
    if (!solve_velocities(g, 1, aim_at_rest(g), tolerance, report)) return false;
    for (const heap_contact *c = h->contact; c < h->contact + closed; c++)
        for (int i = 0; i < 3; i++) x->next[c->number].half[i] = c->p[i] / 2;
    return true;
}

static bool take_rattle(heap_step *g, const motion *now, motion *next, double dt, double tolerance,
                        step_report *report) {
    heap_bodies_enter(&g->bodies, now);
    if (!solve_positions(g, now, next, dt, tolerance, report)) return false;
    if (!solve_end(g, now, next, dt, tolerance, report)) return false;
    conclude(g);
    return true;
}

/* ---------------------------------------------------------------- moreau and symmetric_moreau */

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
        set_rebound(g, add_contact(g, k, END, guess[k].P, tolerance), END, tolerance);
    }
    if (!solve_velocities(g, 0, aim_at(g), tolerance, report)) return false;
    conclude(g);
    return true;
}

/* The first kick of (M5) is at the initial state. */
static void stay(heap_bodies *b) {
    memcpy(b->r[END], b->r[START], (size_t)b->heap.bodies * sizeof *b->r[END]);
    memcpy(b->A[END], b->A[START], (size_t)b->heap.bodies * sizeof *b->A[END]);
}

static bool take_moreau(heap_step *g, const motion *now, motion *next, double dt, double tolerance,
                        step_report *report) {
    const bool first = g->scheme == SYMMETRIC && now->memory[0] == 0;
    const heap_pairs *x = &g->pairs;
    heap_bodies *b = &g->bodies;
    const double *u = now->u;
    heap_bodies_enter(b, now);
    if (first) { /* (M5): half a kick at the initial state */
        stay(b);
        if (!kick(g, now->t, now->q, u, dt / 2, x->load, tolerance, report)) return false;
        if (b->spins) u = heap_bodies_velocities(b, END);
    }
    heap_bodies_move(b, now, dt, next->q);
    heap_bodies_turn(b, next->q, END);
    if (!kick(g, next->t, next->q, u, dt, first ? x->next : x->load, tolerance, report)) return false;
    if (g->scheme == SYMMETRIC) next->memory[0] = 1;
    return true;
}

/* ---------------------------------------------------------------- any of them */

bool heap_step_take(heap_step *g, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    g->work = (found_work){0};
    g->gave_up = false;
    if (g->accept == 0) {
        if (!heap_step_rest(g, now, next, dt)) return false;
    } else {
        heap_pairs_clear(&g->pairs);
        if (!heap_reserve(&g->bodies.heap, g->pairs.count)) return false;
        if (!(g->scheme == RATTLE ? take_rattle : take_moreau)(g, now, next, dt, tolerance, report)) return false;
        heap_bodies_leave(&g->bodies, next);
    }
    return true;
}

bool heap_step_gave_up(const heap_step *g) {
    return g->gave_up;
}

void heap_step_accept(heap_step *g) {
    heap_pairs_accept(&g->pairs);
}

/* Of rattle the guess is the first half itself, not (FC39), which is for the next step. */
void heap_step_again(heap_step *g) {
    heap_pairs *x = &g->pairs;
    for (int k = 0; k < x->count; k++) {
        x->next[k].state = x->load[k].state;
        x->load[k] = x->next[k];
        for (int i = 0; i < 3 && g->scheme == RATTLE; i++)
            x->load[k].half[i] = x->takes_part[k] ? x->row[k].first[i] : 0;
    }
}

void heap_step_start(heap_step *g, const motion *first, double tolerance, double dt) {
    const double zero = fmax(1e-10, 100 * tolerance), touching = fmax(1e-10, zero * dt);
    heap_pairs *x = &g->pairs;
    heap_bodies_enter(&g->bodies, first);
    stay(&g->bodies);
    heap_pairs_clear(x);
    heap_step_touch(g, END);
    for (int k = 0; k < x->count; k++) {
        const touch *at = &x->touch[END][k];
        double u[3];
        heap_step_velocity(g, g->bodies.heap.body, k, END, u);
        if (!(at->gap <= touching && space_dot(at->n, u) <= zero)) continue;
        heap_step_tangential(g, k, END, u);
        x->next[k].state = x->at[k].law->slips > 0 && sqrt(space_dot(u, u)) <= zero ? CAROM_STICK : CAROM_SLIP;
    }
    heap_pairs_accept(x);
}

/* Contacts of a body that are remembered. */
static int room_of(const heap_step *g) {
    return (g->bodies.round ? 4 : 16) * g->bodies.heap.bodies;
}

int heap_step_memory(const heap_step *g) {
    return g ? 1 + room_of(g) * HEAP_LOAD : 0;
}

void heap_step_save(const heap_step *g, double *memory) {
    heap_pairs_save(&g->pairs, room_of(g), memory);
}

bool heap_step_list(heap_step *g, const contact_list *list, const double *memory) {
    if (!heap_pairs_list(&g->pairs, g->bodies.f, list)) return false;
    if (g->forgot) heap_pairs_load(&g->pairs, memory);
    g->forgot = false;
    return true;
}

void heap_step_forget(heap_step *g) {
    g->pairs.count = 0;
    g->bodies.h_time = NAN;
    g->forgot = true;
}

/* ---------------------------------------------------------------- looking */

double heap_step_noise(const heap_step *g) {
    return g ? fmin(g->accept / 10, 1e-3) : 0;
}

found_work heap_step_worked(const heap_step *g) {
    return g->work;
}

void heap_step_tell(const heap_step *g, int k, carom_found *x) {
    const heap_pair *pair = &g->pairs.at[k];
    const touch *at = &g->pairs.touch[END][k];
    const heap_load *load = &g->pairs.load[k];
    x->gap = at->gap, x->state = load->state;
    x->PN += space_dot(at->n, load->P);
    for (int i = 0; i < 3; i++) {
        x->point[i] = g->bodies.r[END][pair->a][i] + at->l[0][i];
        x->normal[i] = at->n[i];
        x->P[i] += load->P[i];
    }
}

heap_load *heap_step_load(heap_step *g, int k) {
    return &g->pairs.load[k];
}
