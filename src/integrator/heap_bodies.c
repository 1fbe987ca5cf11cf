#include "integrator/heap_bodies.h"

#include "model/space.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const finder_body *heap_bodies_moving(const heap_bodies *g, int i) {
    const finder_body *b = &g->f->body[i];
    return b->form.nq ? b : NULL;
}

/* ---------------------------------------------------------------- both ends of a step */

/* A K A^T, its symmetric part. */
static void turn_to_world(const double A[3][3], const double K[3][3], double to[3][3]) {
    double half[3][3], whole[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) half[i][k] = A[i][0] * K[0][k] + A[i][1] * K[1][k] + A[i][2] * K[2][k];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) whole[i][k] = space_dot(half[i], A[k]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) to[i][k] = (whole[i][k] + whole[k][i]) / 2;
}

static void find_axes(const finder_body *b, const double *q, double A[3][3]) {
    if (b->form.kind == BODY_SPATIAL) {
        space_rotation(q + 3, A);
        return;
    }
    A[0][0] = A[1][1] = cos(q[2]), A[1][0] = sin(q[2]), A[0][1] = -A[1][0];
}

void heap_bodies_turn(heap_bodies *g, const double *q, place at) {
    for (int i = 0; i < g->heap.bodies; i++) {
        const finder_body *b = heap_bodies_moving(g, i);
        if (!b) continue;
        find_axes(b, q + b->q, g->A[at][i]);
        if (g->round) continue;
        const double *J = g->J[i], K[3][3] = {{1 / J[0], 0, 0}, {0, 1 / J[1], 0}, {0, 0, 1 / J[2]}};
        turn_to_world((const double(*)[3])g->A[at][i], K, g->heap.turn[i]);
    }
}

void heap_bodies_enter(heap_bodies *g, const motion *now) {
    heap_bodies_turn(g, now->q, START);
    for (int i = 0; i < g->heap.bodies; i++) {
        const finder_body *b = heap_bodies_moving(g, i);
        heap_body *x = &g->heap.body[i];
        double w[3];
        if (!b) *x = (heap_body){0}; /* a step that failed may have left values there */
        if (!b) continue;
        memcpy(g->r[START][i], now->q + b->q, (size_t)body_axes(&b->form) * sizeof *g->r[START][i]);
        heap_bodies_part(b, now->u, x->v, w);
        space_times((const double(*)[3])g->A[START][i], w, x->w);
    }
    g->heap.body[g->heap.bodies] = (heap_body){0};
    memcpy(g->initial, g->heap.body, (size_t)g->heap.bodies * sizeof *g->initial);
}

bool heap_bodies_go_on(const heap_bodies *g) {
    const size_t n = (size_t)g->heap.bodies;
    return !memcmp(g->r[START], g->r[END], n * sizeof *g->r[START]) &&
           (g->round || !memcmp(g->A[START], g->A[END], n * sizeof *g->A[START]));
}

/* (1 + |o|^2) p_1 = (1 - |o|^2, 2 o) o p_0 with o = dt w/4 in the world (FC16) */
static void turn_quaternion(const double w[3], double dt, const double p[4], double to[4]) {
    const double o[] = {dt / 4 * w[0], dt / 4 * w[1], dt / 4 * w[2]}, square = space_dot(o, o);
    const double c = (1 - square) / (1 + square), s = 2 / (1 + square);
    double across[3];
    space_cross(o, p + 1, across);
    to[0] = c * p[0] - s * space_dot(o, p + 1);
    for (int k = 0; k < 3; k++) to[1 + k] = c * p[1 + k] + s * (p[0] * o[k] + across[k]);
}

/* q_1 = q_0 + dt/2 (q_dot(q_0, u) + q_dot(q_1, u)), (K1) */
void heap_bodies_move(heap_bodies *g, const motion *now, double dt, double *q) {
    for (int i = 0; i < g->heap.bodies; i++) {
        const finder_body *b = heap_bodies_moving(g, i);
        const heap_body *x = &g->heap.body[i];
        if (!b) continue;
        const double *from = now->q + b->q;
        const int axes = body_axes(&b->form);
        double *to = q + b->q;
        for (int k = 0; k < axes; k++) g->r[END][i][k] = to[k] = from[k] + dt * x->v[k];
        if (b->form.kind == BODY_PLANAR) to[axes] = from[axes] + dt * x->w[2];
        else turn_quaternion(x->w, dt, from + axes, to + axes);
        if (!g->round) find_axes(b, to, g->A[END][i]);
    }
}

/* u of the model: angular velocities along the axes of bodies. */
static void spell(const heap_bodies *g, place at, double *u) {
    for (int i = 0; i < g->heap.bodies; i++) {
        const finder_body *b = heap_bodies_moving(g, i);
        if (!b) continue;
        const heap_body *x = &g->heap.body[i];
        const int axes = body_axes(&b->form);
        memcpy(u + b->u, x->v, (size_t)axes * sizeof *x->v);
        if (b->form.kind == BODY_PLANAR) u[b->u + axes] = x->w[2];
        else space_transposed_times((const double(*)[3])g->A[at][i], x->w, u + b->u + axes);
    }
}

const double *heap_bodies_velocities(heap_bodies *g, place at) {
    spell(g, at, g->u);
    return g->u;
}

void heap_bodies_leave(heap_bodies *g, motion *next) {
    heap_bodies_turn(g, next->q, END);
    spell(g, END, next->u);
}

/* ---------------------------------------------------------------- forces and percussions */

/* v += factor h/m, w += factor K A h. */
bool heap_bodies_force(heap_bodies *g, double t, const double *q, const double *u, double factor, place at,
                       bool turning) {
    const carom_model_def *d = &g->base->def;
    if (!(g->h_time == t)) {
        if (d->force(d->context, t, q, u, g->h, NULL, NULL)) return false;
        g->h_time = pattern_nnz(&d->h_q) || g->spins || d->inputs ? NAN : t;
    }
    for (int i = 0; i < g->heap.bodies; i++) {
        const finder_body *b = heap_bodies_moving(g, i);
        heap_body *x = &g->heap.body[i];
        double force[3], own[3], torque[3];
        if (!b) continue;
        heap_bodies_part(b, g->h, force, own);
        space_times((const double(*)[3])g->A[at][i], own, torque);
        for (int k = 0; k < 3; k++) {
            const double dv = factor * x->light * force[k];
            const double turn = g->round ? x->nimble * torque[k] : space_dot(g->heap.turn[i][k], torque);
            x->v[k] += dv;
            if (turning) x->w[k] += factor * turn;
            g->pull[i][k] = fabs(dv);
        }
    }
    return true;
}

void heap_bodies_set_free(heap_bodies *g) {
    memcpy(g->free, g->heap.body, (size_t)g->heap.bodies * sizeof *g->free);
    memset(g->torque, 0, (size_t)g->heap.bodies * sizeof *g->torque);
}

/* ---------------------------------------------------------------- spin */

static void invert(const double B[3][3], double inverse[3][3]) {
    double row[3][3];
    for (int i = 0; i < 3; i++) space_cross(B[(i + 1) % 3], B[(i + 2) % 3], row[i]);
    const double determinant = space_dot(B[0], row[0]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) inverse[i][k] = row[k][i] / determinant;
}

/* J - dt/2 dh/dw of a body. */
static void spin_matrix(const heap_bodies *g, int i, double half, double B[3][3]) {
    const carom_pattern *p = &g->base->def.h_u;
    const int first = heap_bodies_moving(g, i)->u + 3;
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 3; j++) B[k][j] = k == j ? g->J[i][k] : 0;
        for (int e = p->start[first + k]; e < p->start[first + k + 1]; e++)
            B[k][p->index[e] - first] -= half * g->h_u[e];
    }
}

/* One step of Newton's method for a body; how much its angular velocity changes, as a part of what it is. */
static double correct_spin(heap_bodies *g, int i, const double *u0, double half) {
    const finder_body *b = heap_bodies_moving(g, i);
    const double *w = g->u + b->u + 3, *w0 = u0 + b->u + 3, *h = g->h + b->u + 3;
    const double(*A)[3] = (const double(*)[3])g->A[START][i];
    double B[3][3], K[3][3], rows[3], next[3], pushed[3], change = 0, size = DBL_MIN;
    space_transposed_times(A, g->torque[i], pushed);
    for (int k = 0; k < 3; k++) rows[k] = g->J[i][k] * (w[k] - w0[k]) - half * h[k] - pushed[k];
    spin_matrix(g, i, half, B);
    invert((const double(*)[3])B, K);
    for (int k = 0; k < 3; k++) {
        const double step = space_dot(K[k], rows);
        next[k] = w[k] - step;
        change = fmax(change, fabs(step)), size = fmax(size, fabs(w[k]) + fabs(w0[k]) + fabs(space_dot(K[k], pushed)));
    }
    space_times(A, next, g->heap.body[i].w);
    turn_to_world(A, (const double(*)[3])K, g->heap.turn[i]);
    return change / size;
}

/* (FC19) */
bool heap_bodies_spin(heap_bodies *g, const motion *now, double dt) {
    enum { MOST = 12 };
    const carom_model_def *d = &g->base->def;
    double change = g->spins ? INFINITY : 0;
    for (int k = 0; k < MOST && change > 4 * DBL_EPSILON; k++) {
        change = 0;
        spell(g, START, g->u);
        if (d->force(d->context, now->t, now->q, g->u, g->h, NULL, g->h_u)) return false;
        for (int i = 0; i < g->heap.bodies; i++)
            if (heap_bodies_moving(g, i)) change = fmax(change, correct_spin(g, i, now->u, dt / 2));
    }
    return change < 1e-13;
}

/* ---------------------------------------------------------------- setup */

/* Inertias, in g->J. False: some mass or inertia is not positive. */
static bool weigh(heap_bodies *g, bool spheres) {
    const carom_model_def *d = &g->base->def;
    double *M = g->h;
    g->round = spheres;
    if (d->mass(d->context, d->t0, d->q0, M)) return false;
    for (int i = 0; i < g->f->bodies; i++) {
        const finder_body *b = heap_bodies_moving(g, i);
        if (!b) continue;
        const double *m = M + b->u;
        const int axes = body_axes(&b->form);
        for (int k = 0; k < 3; k++) {
            const double J = g->J[i][k] = b->form.kind == BODY_PLANAR ? m[axes] : m[axes + k];
            if (!(m[k % axes] == m[0] && m[0] > 0 && J > 0)) return false;
            g->round = g->round && J == g->J[i][0];
        }
    }
    return true;
}

static bool reserve(heap_bodies *g) {
    static const double world[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const size_t n = (size_t)g->f->bodies + 1, nu = (size_t)g->base->def.nu + 1;
    g->h = calloc(nu, sizeof *g->h), g->u = calloc(nu, sizeof *g->u);
    g->h_u = calloc((size_t)pattern_nnz(&g->base->def.h_u) + 1, sizeof *g->h_u);
    g->initial = calloc(n, sizeof *g->initial), g->free = calloc(n, sizeof *g->free);
    g->J = calloc(n, sizeof *g->J), g->pull = calloc(n, sizeof *g->pull), g->torque = calloc(n, sizeof *g->torque);
    bool ok = g->h && g->u && g->h_u && g->initial && g->free && g->J && g->pull && g->torque;
    for (int at = START; at <= END; at++) {
        g->r[at] = calloc(n, sizeof *g->r[at]), g->A[at] = calloc(n, sizeof *g->A[at]);
        ok = ok && g->r[at] && g->A[at];
        for (size_t i = 0; i < n && ok; i++) memcpy(g->A[at][i], world, sizeof world);
    }
    return ok;
}

bool heap_bodies_create(heap_bodies *g, const carom_model *base, const finder *f, bool spheres, int threads,
                        bool *fits) {
    g->base = base, g->f = f, g->h_time = NAN;
    g->spins = pattern_nnz(&base->def.h_u) > 0;
    if (!reserve(g)) return false;
    *fits = weigh(g, spheres);
    if (!heap_create(&g->heap, f->bodies, g->round, threads)) return false;
    for (int i = 0; i < f->bodies && *fits; i++) {
        const finder_body *b = heap_bodies_moving(g, i);
        if (b) g->heap.body[i].light = 1 / g->h[b->u], g->heap.body[i].nimble = 1 / g->J[i][0];
    }
    return true;
}

void heap_bodies_destroy(heap_bodies *g) {
    void *const parts[] = {g->h,    g->u,      g->h_u,      g->initial, g->free,     g->J,
                           g->pull, g->torque, g->r[START], g->r[END],  g->A[START], g->A[END]};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
    heap_destroy(&g->heap);
}
