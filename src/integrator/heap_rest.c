/* Bodies at rest: the velocities and percussions of the last step, held against the equations of rattle (FC20). */
#include "integrator/heap_step_inside.h"

#include "model/space.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double ROUND = 8 * DBL_EPSILON; /* part of their terms that rounding may cost in the equations, (S11) */

static double length(const double x[3]) {
    return sqrt(space_dot(x, x));
}

/* ---------------------------------------------------------------- balances */

static void add_terms(heap_balance *x, const double push[3], const double turn[3], double sign) {
    for (int i = 0; i < 3; i++) x->push[i] += sign * push[i], x->turn[i] += sign * turn[i];
    x->pushes += length(push), x->turns += length(turn);
}

static heap_balance forces_on(const heap_bodies *b, int i, double half, place at) {
    double push[3], own[3], turn[3];
    heap_balance x = {0};
    heap_bodies_part(heap_bodies_moving(b, i), b->h, push, own);
    for (int k = 0; k < 3; k++) push[k] *= half, own[k] *= half;
    space_times((const double(*)[3])b->A[at][i], own, turn);
    add_terms(&x, push, turn, 1);
    return x;
}

/* Whether half of the percussions at a place, P or what they are carried to, balance half a step of forces. */
static bool balances(heap_step *g, double t, const double *q, const double *u, double dt, place at) {
    heap_bodies *b = &g->bodies;
    const heap_pairs *x = &g->pairs;
    const carom_model_def *d = &b->base->def;
    heap_balance *sum = g->sum;
    if (d->force(d->context, t, q, u, b->h, NULL, NULL)) return false;
    for (int i = 0; i < b->heap.bodies; i++)
        if (heap_bodies_moving(b, i)) sum[i] = forces_on(b, i, dt / 2, at);
    for (int k = 0; k < x->count; k++) {
        const double *p = at == START ? x->load[k].half : x->next[k].half;
        const int of[] = {x->at[k].a, x->at[k].b};
        for (int j = 0; j < 2; j++) {
            double turn[3];
            if (!heap_bodies_moving(b, of[j])) continue;
            space_cross(x->touch[at][k].l[j], p, turn);
            add_terms(&sum[of[j]], p, turn, j == 0 ? 1 : -1);
        }
    }
    for (int i = 0; i < b->heap.bodies; i++)
        if (heap_bodies_moving(b, i) &&
            !(length(sum[i].push) <= ROUND * sum[i].pushes && length(sum[i].turn) <= ROUND * sum[i].turns))
            return false;
    return true;
}

/* ---------------------------------------------------------------- laws */

/* What round-off makes of the velocity of contact k: of bodies, and of what the percussion p causes. */
static double noise_of(const heap_step *g, const heap_contact *c, double velocity) {
    double sum = c->own[0] * length(c->p) + velocity;
    const int of[] = {c->a, c->b};
    for (int j = 0; j < 2; j++)
        sum += length(g->bodies.initial[of[j]].v) + length(g->bodies.initial[of[j]].w) * length(c->l[j]);
    return ROUND * sum;
}

/* Natural maps of Signorini's and Coulomb's laws. */
static bool laws_hold(const heap_contact *c, const double u[3], double noise) {
    const double uN = space_dot(c->n, u), pN = space_dot(c->n, c->p), radius = c->own[1] * c->mu * pN;
    double onto[3], square = 0, slip = 0;
    if (!(pN >= 0 && fabs(fmin(c->own[0] * pN, uN)) <= noise)) return false;
    if (pN == 0) return true;
    for (int i = 0; i < 3; i++) {
        const double uT = u[i] - uN * c->n[i];
        onto[i] = c->own[1] * (c->p[i] - pN * c->n[i]) - uT;
        square += onto[i] * onto[i], slip += uT * uT;
    }
    return square <= radius * radius && sqrt(slip) <= noise;
}

static heap_contact contact_at_start(const heap_step *g, int k) {
    const heap_pair *of = &g->pairs.at[k];
    const touch *t = &g->pairs.touch[START][k];
    heap_contact c = {.a = of->a, .b = of->b, .number = k, .mu = of->law->slips ? of->law->friction : 0};
    memcpy(c.n, t->n, sizeof c.n), memcpy(c.l, t->l, sizeof c.l);
    memcpy(c.p, g->pairs.load[k].P, sizeof c.p);
    heap_prepare(&g->bodies.heap, &c);
    return c;
}

/* Positions are as exact as numbers of their size. */
static double rounded_gap(const heap_step *g, const heap_contact *c) {
    const double *r = g->bodies.r[START][c->a], *s = g->bodies.r[START][c->b];
    return fabs(space_dot(c->n, r)) + fabs(space_dot(c->n, s)) + length(c->l[0]) + length(c->l[1]);
}

/* Lists the contacts at the start. Checks velocities there, which rules out most motions. */
static bool starts_at_rest(const heap_step *g) {
    for (int k = 0; k < g->pairs.count; k++) {
        heap_contact *c = &g->bodies.heap.contact[k];
        double u[3];
        *c = contact_at_start(g, k);
        if (c->p[0] == 0 && c->p[1] == 0 && c->p[2] == 0) continue;
        heap_step_velocity(g, g->bodies.initial, k, START, u);
        if (!laws_hold(c, u, noise_of(g, c, 0))) return false;
    }
    return true;
}

/* (R4), (R5) with P' = P/2, and (R8), (R9) with P. The masses of contacts at the start serve for both. */
static bool rests(const heap_step *g, double dt) {
    const heap_pairs *x = &g->pairs;
    for (int k = 0; k < x->count; k++) {
        heap_contact *c = &g->bodies.heap.contact[k];
        const touch *end = &x->touch[END][k];
        double u[3], y[3];
        memcpy(c->p, x->load[k].half, sizeof c->p);
        heap_step_velocity(g, g->bodies.initial, k, START, u);
        heap_step_position_row(g, k, dt, u, y);
        if (!laws_hold(c, y, noise_of(g, c, rounded_gap(g, c) / dt))) return false;
        memcpy(c->n, end->n, sizeof c->n), memcpy(c->l, end->l, sizeof c->l);
        memcpy(c->p, x->next[k].P, sizeof c->p);
        if (space_dot(c->n, c->p) == 0) continue;
        heap_step_velocity(g, g->bodies.initial, k, END, u);
        if (!laws_hold(c, u, noise_of(g, c, 0))) return false;
    }
    return true;
}

/* ---------------------------------------------------------------- the step */

/* The guess: half of P, where a contact rests (the first half of the last step also took back the rounding errors of
 * gaps), carried to the end of the step. */
static void carry_percussions(heap_step *g) {
    heap_pairs *x = &g->pairs;
    for (int k = 0; k < x->count; k++) {
        heap_load *next = &x->next[k];
        *next = x->load[k];
        heap_step_carry(g, k, START, END, next->P);
        for (int i = 0; i < 3; i++) next->half[i] = next->P[i] / 2;
    }
}

bool heap_step_rest(heap_step *g, const motion *now, motion *next, double dt) {
    heap_bodies *b = &g->bodies;
    heap_pairs *x = &g->pairs;
    heap_bodies_enter(b, now);
    heap_step_touch(g, START);
    if (!heap_reserve(&b->heap, x->count) || !starts_at_rest(g)) return false;
    for (int k = 0; k < x->count; k++)
        for (int i = 0; i < 3; i++) x->load[k].half[i] = x->load[k].P[i] / 2;
    if (!balances(g, now->t, now->q, now->u, dt, START)) return false;
    heap_bodies_move(b, now, dt, next->q);
    heap_step_touch(g, END);
    carry_percussions(g);
    if (!rests(g, dt) || !balances(g, next->t, next->q, now->u, dt, END)) return false;
    memcpy(next->u, now->u, (size_t)b->base->def.nu * sizeof *next->u);
    return true;
}
