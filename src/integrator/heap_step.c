#include "integrator/heap_step_inside.h"

#include "model/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 3000, SWEEPS_OF_LARGE = 30000 };
/* Part of the error that sweeps may leave; the rest is for what the linear rows neglect. */
static const double SHARE = 0.8;

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

double heap_step_scale(const heap_step *g, const heap_pair *x, const double n[3], double tolerance) {
    double change = 0;
    for (int k = 0; k < 3; k++) change += fabs(n[k]) * (g->bodies.pull[x->a][k] + g->bodies.pull[x->b][k]);
    const double least = tolerance / g->accept;
    return change > least ? change : least;
}

heap_contact *heap_step_add(heap_step *g, int k, place at, const double p[3], double tolerance) {
    const heap_pair *x = &g->pairs.at[k];
    const touch *t = &g->pairs.touch[at][k];
    heap *h = &g->bodies.heap;
    heap_contact *c = &h->contact[h->contacts++];
    *c = (heap_contact){.a = x->a, .b = x->b, .number = k, .mu = x->law->slips ? x->law->friction : 0};
    memcpy(c->n, t->n, sizeof c->n), memcpy(c->l, t->l, sizeof c->l);
    memcpy(c->p, p, sizeof c->p);
    c->scale = heap_step_scale(g, x, t->n, tolerance);
    heap_prepare(h, c);
    return c;
}

void heap_step_add_up(heap_step *g) {
    heap_bodies *b = &g->bodies;
    heap *h = &b->heap;
    memcpy(h->body, b->free, (size_t)h->bodies * sizeof *h->body);
    memset(b->torque, 0, (size_t)h->bodies * sizeof *b->torque);
    for (const heap_contact *c = h->contact; c < h->contact + h->contacts; c++)
        if (!c->idle) heap_bodies_push(b, c->a, c->b, (const double(*)[3])c->l, c->p);
}

/* ---------------------------------------------------------------- laws at velocity level */

static double rebound(const heap_step *g, int k, double speed, double tolerance) {
    const carom_model_contact *contact = g->pairs.at[k].law;
    const double rest = contact->rest > 0 ? contact->rest : 100 * tolerance, e = fmin(fmax(contact->restitution, 0), 1);
    return e * fabs(speed) > rest ? e : 0;
}

void heap_step_rebound(const heap_step *g, heap_contact *c, place seen, double tolerance) {
    double *s = g->pairs.before[c->number];
    heap_step_velocity(g, g->bodies.initial, c->number, seen, s);
    if (seen == START) heap_step_carry(g, c->number, START, END, s);
    const double along = space_dot(c->n, s), e_N = rebound(g, c->number, along, tolerance);
    const double e_F = g->pairs.at[c->number].law->tangential_restitution;
    for (int i = 0; i < 3; i++) c->d[i] = (e_N - e_F) * along * c->n[i] + e_F * s[i];
}

heap_aim heap_step_aim(const heap_step *g) {
    return (heap_aim){g->accept, g->accept, SHARE * g->accept, SHARE * g->accept};
}

int heap_step_sweeps(const heap *h) {
    return h->contacts < HEAP_LARGE ? SWEEPS : SWEEPS_OF_LARGE;
}

bool heap_step_solve(heap_step *g, int stage, heap_aim aim, double tolerance, step_report *report) {
    heap *h = &g->bodies.heap;
    heap_divide(h);
    const heap_report swept = heap_solve(h, aim, heap_step_sweeps(h));
    report->newton[stage] += swept.sweeps;
    report->residual = fmax(report->residual, swept.missed);
    heap_step_add_up(g);
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

/* Percussion, state and work of a contact that took part, of rattle the guess of its next first half, (FC39); *held: it
 * was closed before and is. Returns its work in normal direction. */
static double conclude_contact(heap_step *g, const heap_contact *c, bool *held) {
    const heap *h = &g->bodies.heap;
    heap_pairs *x = &g->pairs;
    const int k = c->number;
    double u[3];
    const double *s = x->before[k];
    heap_velocity(&h->body[c->a], &h->body[c->b], (const double(*)[3])c->l, u);
    const double normal = space_dot(c->n, c->p) * (space_dot(c->n, u) + space_dot(c->n, s)) / 2;
    g->work.normal += normal;
    for (int i = 0; i < 3; i++) g->work.friction += c->p[i] * (u[i] + s[i]) / 2, x->next[k].P[i] += c->p[i];
    g->work.friction -= normal;
    const carom_contact_state state = state_of(g, c, u);
    *held = x->load[k].state != CAROM_OPEN && state != CAROM_OPEN;
    if (state > x->next[k].state) x->next[k].state = state;
    for (int i = 0; i < 3 && g->scheme == RATTLE; i++) x->next[k].half[i] = c->p[i] / 2;
    return normal;
}

/* (W9c): an island in which a contact strikes or opens has an impact, and holds nothing. */
void heap_step_conclude(heap_step *g) {
    const heap *h = &g->bodies.heap;
    for (int i = 0; i < h->islands && h->contacts > 0; i++) {
        const heap_island *part = &h->island[i];
        bool all_held = true;
        double work = 0;
        for (int at = part->contact; at < part->contact + part->contacts; at++) {
            const heap_contact *c = &h->contact[h->order[at]];
            bool held;
            if (c->idle) continue;
            const double normal = conclude_contact(g, c, &held);
            all_held = all_held && (held || space_dot(c->p, c->p) == 0);
            if (held) work += normal;
        }
        if (all_held) g->work.held += work;
    }
}

/* ---------------------------------------------------------------- any of them */

void heap_step_stay(heap_bodies *b) {
    memcpy(b->r[END], b->r[START], (size_t)b->heap.bodies * sizeof *b->r[END]);
    memcpy(b->A[END], b->A[START], (size_t)b->heap.bodies * sizeof *b->A[END]);
}

bool heap_step_move(heap_step *g, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    g->work = (found_work){0};
    g->gave_up = false;
    if (g->accept == 0) return heap_step_rest(g, now, next, dt);
    heap_pairs_clear(&g->pairs);
    if (!heap_reserve(&g->bodies.heap, g->pairs.count)) return false;
    heap_bodies_enter(&g->bodies, now);
    return (g->scheme == RATTLE ? heap_rattle_move : heap_moreau_move)(g, now, next, dt, tolerance, report);
}

bool heap_step_finish(heap_step *g, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    if (g->accept == 0) return true;
    if (!(g->scheme == RATTLE ? heap_rattle_finish : heap_moreau_finish)(g, now, next, dt, tolerance, report))
        return false;
    heap_bodies_leave(&g->bodies, next);
    return true;
}

bool heap_step_gave_up(const heap_step *g) {
    return g->gave_up;
}

void heap_step_accept(heap_step *g) {
    heap_pairs_accept(&g->pairs);
}

void heap_step_again(heap_step *g) {
    if (g->accept > 0 && g->scheme == RATTLE) heap_rattle_again(g);
}

void heap_step_start(heap_step *g, const motion *first, double tolerance, double dt) {
    const double zero = fmax(1e-10, 100 * tolerance), touching = fmax(1e-10, zero * dt);
    heap_pairs *x = &g->pairs;
    heap_bodies_enter(&g->bodies, first);
    heap_step_stay(&g->bodies);
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
