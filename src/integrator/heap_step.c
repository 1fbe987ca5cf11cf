#include "integrator/heap_step.h"

#include "friction/heap.h"
#include "integrator/balance.h"
#include "model/space.h"
#include "threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 3000, CORRECTIONS = 12 };
static const double SHARE = 0.8; /* of the error that sweeps leave, for what the linear rows miss */

typedef enum heap_scheme { MOREAU, SYMMETRIC, RATTLE } heap_scheme;
typedef enum place { START, END } place;

struct heap_step {
    const carom_model *base;
    const finder *f;
    heap_scheme scheme;
    double accept;
    int threads;
    double *h;     /* [nu] forces ... */
    double h_time; /* ... at this time, where they know nothing else; else NaN */
    heap heap;
    heap_body *initial, *free;     /* [bodies] velocities where the step begins; those without percussions */
    double (*r[2])[3], (*A)[3][3]; /* [bodies] centres at both ends, axes */
    double (*pull)[3];             /* [bodies] what forces change in v, without sign */
    heap_pairs pairs;
    found_work work;
};

/* ---------------------------------------------------------------- bodies */

static const finder_body *moving(const heap_step *g, int i) {
    const finder_body *b = &g->f->body[i];
    return b->form.nq ? b : NULL;
}

static void turn_axes(heap_step *g, const double *q) {
    for (int i = 0; i < g->heap.bodies; i++)
        if (moving(g, i)) space_rotation(q + g->f->body[i].q + 3, g->A[i]);
}

/* Centres, axes and velocities at the start of a step, angular ones in the world. */
static void enter(heap_step *g, const motion *now) {
    turn_axes(g, now->q);
    for (int i = 0; i < g->heap.bodies; i++) {
        const finder_body *b = moving(g, i);
        heap_body *x = &g->heap.body[i];
        if (!b) *x = (heap_body){0}; /* whatever a step that failed has left there */
        if (!b) continue;
        memcpy(g->r[START][i], now->q + b->q, sizeof g->r[START][i]);
        memcpy(x->v, now->u + b->u, sizeof x->v);
        space_times((const double(*)[3])g->A[i], now->u + b->u + 3, x->w);
    }
    g->heap.body[g->heap.bodies] = (heap_body){0};
    memcpy(g->initial, g->heap.body, (size_t)g->heap.bodies * sizeof *g->initial);
}

/* q_1 = q_0 + dt/2 (q_dot(q_0, u) + q_dot(q_1, u)), (K1): quaternions by Cayley's formula,
 * (1 + |o|^2) p_1 = (1 - |o|^2, 2 o) o p_0 with o = dt w/4 in the world (FC16). */
static void move(heap_step *g, const motion *now, double dt, double *q) {
    for (int i = 0; i < g->heap.bodies; i++) {
        const finder_body *b = moving(g, i);
        const heap_body *x = &g->heap.body[i];
        if (!b) continue;
        const double *p = now->q + b->q + 3, o[] = {dt / 4 * x->w[0], dt / 4 * x->w[1], dt / 4 * x->w[2]};
        const double square = space_dot(o, o), c = (1 - square) / (1 + square), s = 2 / (1 + square);
        double *to = q + b->q, across[3];
        space_cross(o, p + 1, across);
        for (int k = 0; k < 3; k++) {
            g->r[END][i][k] = to[k] = now->q[b->q + k] + dt * x->v[k];
            to[4 + k] = c * p[1 + k] + s * (p[0] * o[k] + across[k]);
        }
        to[3] = c * p[0] - s * space_dot(o, p + 1);
    }
}

/* v += factor h/m, w += factor A h/J. False: the forces are not defined. */
static bool add_forces(heap_step *g, double t, const double *q, const double *u, double factor) {
    const carom_model_def *d = &g->base->def;
    if (!(g->h_time == t)) {
        if (d->force(d->context, t, q, u, g->h, NULL, NULL)) return false;
        g->h_time = pattern_nnz(&d->h_q) || d->inputs ? NAN : t;
    }
    for (int i = 0; i < g->heap.bodies; i++) {
        const finder_body *b = moving(g, i);
        heap_body *x = &g->heap.body[i];
        double torque[3];
        if (!b) continue;
        space_times((const double(*)[3])g->A[i], g->h + b->u + 3, torque);
        for (int k = 0; k < 3; k++) {
            const double dv = factor * x->light * g->h[b->u + k];
            x->v[k] += dv, x->w[k] += factor * x->nimble * torque[k];
            g->pull[i][k] = fabs(dv);
        }
    }
    return true;
}

static void set_free(heap_step *g) {
    memcpy(g->free, g->heap.body, (size_t)g->heap.bodies * sizeof *g->free);
}

/* Velocities at the end of a step. */
static void leave(heap_step *g, motion *next) {
    turn_axes(g, next->q);
    for (int i = 0; i < g->heap.bodies; i++) {
        const finder_body *b = moving(g, i);
        if (!b) continue;
        memcpy(next->u + b->u, g->heap.body[i].v, sizeof g->heap.body[i].v);
        space_transposed_times((const double(*)[3])g->A[i], g->heap.body[i].w, next->u + b->u + 3);
    }
}

/* ---------------------------------------------------------------- contacts that take part */

/* What forces alone change in the velocity along the normal, added up without signs; not less than what is no error. */
static double scale_of(const heap_step *g, const heap_pair *x, const double n[3], double tolerance) {
    double change = 0;
    for (int k = 0; k < 3; k++) change += fabs(n[k]) * (g->pull[x->a][k] + g->pull[x->b][k]);
    const double least = tolerance / g->accept;
    return change > least ? change : least;
}

/* Contact k takes part with normal and arms of a place. */
static heap_contact *add_contact(heap_step *g, int k, const touch *at, const double p[3], double tolerance) {
    const heap_pair *x = &g->pairs.at[k];
    heap_contact *c = &g->heap.contact[g->heap.contacts++];
    *c = (heap_contact){.a = x->a, .b = x->b, .number = k, .arm = {at->arm[0], at->arm[1]}, .mu = x->law->friction};
    if (x->law->slips == 0) c->mu = 0;
    memcpy(c->n, at->n, sizeof c->n);
    memcpy(c->p, p, sizeof c->p);
    c->scale = scale_of(g, x, at->n, tolerance);
    heap_prepare(&g->heap, c);
    return c;
}

/* Velocities are those without percussions and the effect of these, added up anew. */
static void add_up(heap_step *g) {
    heap *h = &g->heap;
    memcpy(h->body, g->free, (size_t)h->bodies * sizeof *h->body);
    for (const heap_contact *c = h->contact; c < h->contact + h->contacts; c++)
        heap_push(&h->body[c->a], &h->body[c->b], c->n, c->arm, c->p);
}

/* The velocity of contact k at a place with the velocities of bodies x. */
static void velocity_at(const heap_step *g, const heap_body *x, int k, const touch *at, double u[3]) {
    const heap_pair *pair = &g->pairs.at[k];
    heap_velocity(&x[pair->a], &x[pair->b], at->n, at->arm, u);
}

/* u without its part along the normal of a place, and carried from this normal to another by the smallest rotation. */
static void tangential(const double n[3], double u[3]) {
    const double along = space_dot(n, u);
    for (int i = 0; i < 3; i++) u[i] -= along * n[i];
}

static void carry(const double from[3], const double to[3], double u[3]) {
    const double along = space_dot(u, from), factor = (along + space_dot(u, to)) / (1 + space_dot(from, to));
    for (int i = 0; i < 3; i++) u[i] += 2 * along * to[i] - factor * (from[i] + to[i]);
}

/* ---------------------------------------------------------------- laws at velocity level */

static double rebound(const heap_step *g, int k, double speed, double tolerance) {
    const carom_model_contact *contact = g->pairs.at[k].law;
    const double rest = contact->rest > 0 ? contact->rest : 100 * tolerance, e = fmin(fmax(contact->restitution, 0), 1);
    return e * fabs(speed) > rest ? e : 0;
}

/* (I3), (I4): d of a contact, from its velocity s before. */
static void set_rebound(const heap_step *g, heap_contact *c, double s[3], double tolerance) {
    const double along = space_dot(c->n, s), e_N = rebound(g, c->number, along, tolerance);
    const double e_F = g->pairs.at[c->number].law->tangential_restitution;
    for (int i = 0; i < 3; i++) c->d[i] = (e_N - e_F) * along * c->n[i] + e_F * s[i];
}

static bool solve_velocities(heap_step *g, int stage, step_report *report) {
    heap *h = &g->heap;
    add_up(g);
    heap_divide(h);
    const heap_report swept = heap_solve(h, g->accept, SHARE * g->accept, SWEEPS);
    report->newton[stage] += swept.sweeps;
    report->residual = fmax(report->residual, swept.missed);
    add_up(g);
    return swept.solved;
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

/* Percussions, states, velocities and work of the contacts that took part. before: velocities of bodies before, seen at
 * a place. */
static void conclude(heap_step *g, const heap_body *before, place seen) {
    heap_pairs *x = &g->pairs;
    for (const heap_contact *c = g->heap.contact; c < g->heap.contact + g->heap.contacts; c++) {
        const int k = c->number;
        double u[3], s[3];
        const double pN = space_dot(c->n, c->p);
        velocity_at(g, g->heap.body, k, &x->touch[END][k], u);
        velocity_at(g, before, k, &x->touch[seen][k], s);
        if (seen == START) carry(x->touch[START][k].n, c->n, s);
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

/* (R4), (R5) of contact k as a vector: its gap over dt along the normal of the start, and the mean of its slips. */
static void position_row(const heap_step *g, int k, double dt, const double start[3], double y[3]) {
    const touch *from = &g->pairs.touch[START][k], *to = &g->pairs.touch[END][k];
    double u[3], mean[3];
    velocity_at(g, g->heap.body, k, to, u);
    tangential(to->n, u);
    carry(to->n, from->n, u);
    memcpy(mean, start, sizeof mean);
    tangential(from->n, mean);
    for (int i = 0; i < 3; i++) y[i] = (mean[i] + u[i]) / 2 + to->gap / dt * from->n[i];
}

static void set_rows(heap_step *g, double dt) {
    heap *h = &g->heap;
    THREADS_LOOP(g->threads)
    for (heap_contact *c = h->contact; c < h->contact + h->contacts; c++) {
        double u[3], y[3];
        velocity_at(g, h->body, c->number, &g->pairs.touch[START][c->number], u);
        position_row(g, c->number, dt, u, y);
        for (int i = 0; i < 3; i++) c->d[i] = y[i] - u[i];
    }
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
        add_contact(g, k, &x->touch[START][k], x->load[k].half, tolerance);
        x->takes_part[k] = any = true;
    }
    return any;
}

/* Half of the deepest approach: percussions change velocities by about as much as contacts approach. */
static double nearness(const heap_pairs *x) {
    double deepest = 0;
    for (int k = 0; k < x->count; k++)
        if (x->touch[END][k].gap < deepest) deepest = x->touch[END][k].gap;
    return -deepest / 2;
}

static void push_guess(heap_step *g) {
    const heap_pairs *x = &g->pairs;
    heap *h = &g->heap;
    for (int k = 0; k < x->count; k++) {
        const touch *at = &x->touch[START][k];
        if (is_pressed(&x->load[k]))
            heap_push(&h->body[x->at[k].a], &h->body[x->at[k].b], at->n, at->arm, x->load[k].half);
    }
}

/* (R1) to (R5): positions, the velocity u and percussions of the first half step, (FC17). */
static bool solve_positions(heap_step *g, const motion *now, motion *next, double dt, double tolerance,
                            step_report *report) {
    heap_pairs *x = &g->pairs;
    if (!add_forces(g, now->t, now->q, now->u, dt / 2)) return false;
    set_free(g);
    heap_pairs_touch(x, (const double(*)[3])g->r[START], START, g->threads);
    push_guess(g);
    g->heap.contacts = 0;
    for (int k = 0; k < x->count; k++) x->takes_part[k] = false;
    for (int i = 0; i < CORRECTIONS; i++) {
        move(g, now, dt, next->q);
        heap_pairs_touch(x, (const double(*)[3])g->r[END], END, g->threads);
        const bool fresh = let_near_take_part(g, i == 0 ? nearness(x) + tolerance : 0, tolerance);
        if (fresh) heap_divide(&g->heap);
        set_rows(g, dt);
        const heap_report swept = heap_solve(&g->heap, g->accept, SHARE * g->accept, SWEEPS);
        report->newton[0] += swept.sweeps;
        if (!swept.solved) return false;
        if (swept.sweeps == 0) return report->residual = swept.missed, true;
        add_up(g);
    }
    return false;
}

/* (R6) to (R9) for the contacts that the first stage closed. The guess is twice their first half, (FC13). */
static bool solve_end(heap_step *g, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    heap_pairs *x = &g->pairs;
    heap *h = &g->heap;
    int closed = 0;
    turn_axes(g, next->q);
    if (!add_forces(g, next->t, next->q, now->u, dt / 2)) return false;
    for (int i = 0; i < h->contacts; i++) {
        heap_contact *c = &h->contact[i];
        const touch *at = &x->touch[END][c->number];
        const bool touches = at->gap / dt - c->own[0] * space_dot(c->n, c->p) <= 0;
        carry(c->n, at->n, c->p);
        memcpy(c->n, at->n, sizeof c->n), memcpy(c->arm, at->arm, sizeof c->arm);
        heap_push(&h->body[c->a], &h->body[c->b], c->n, c->arm, (double[]){-c->p[0], -c->p[1], -c->p[2]});
        memcpy(x->next[c->number].half, c->p, sizeof c->p);
        if (touches) h->contact[closed++] = *c;
    }
    h->contacts = closed;
    set_free(g);
    for (heap_contact *c = h->contact; c < h->contact + closed; c++) {
        double s[3];
        velocity_at(g, g->initial, c->number, &x->touch[START][c->number], s);
        carry(x->touch[START][c->number].n, c->n, s);
        set_rebound(g, c, s, tolerance);
        c->scale = scale_of(g, &x->at[c->number], c->n, tolerance);
        for (int i = 0; i < 3; i++) c->p[i] *= 2;
        heap_prepare(h, c);
    }
    return solve_velocities(g, 1, report);
}

static bool take_rattle(heap_step *g, const motion *now, motion *next, double dt, double tolerance,
                        step_report *report) {
    enter(g, now);
    if (!solve_positions(g, now, next, dt, tolerance, report)) return false;
    if (!solve_end(g, now, next, dt, tolerance, report)) return false;
    conclude(g, g->initial, START);
    return true;
}

/* ---------------------------------------------------------------- moreau and symmetric_moreau */

/* (N1), (N2) at the end of the way from now, with forces over a time. */
static bool kick(heap_step *g, double t, const double *q, const double *u, double over, const heap_load *guess,
                 double tolerance, step_report *report) {
    heap_pairs *x = &g->pairs;
    heap *h = &g->heap;
    memcpy(g->initial, h->body, (size_t)h->bodies * sizeof *h->body);
    if (!add_forces(g, t, q, u, over)) return false;
    set_free(g);
    heap_pairs_touch(x, (const double(*)[3])g->r[END], END, g->threads);
    h->contacts = 0;
    for (int k = 0; k < x->count; k++) {
        const touch *at = &x->touch[END][k];
        double s[3];
        if (!(at->gap <= 0)) continue;
        velocity_at(g, g->initial, k, at, s);
        set_rebound(g, add_contact(g, k, at, guess[k].P, tolerance), s, tolerance);
    }
    if (!solve_velocities(g, 0, report)) return false;
    conclude(g, g->initial, END);
    return true;
}

static bool take_moreau(heap_step *g, const motion *now, motion *next, double dt, double tolerance,
                        step_report *report) {
    const bool first = g->scheme == SYMMETRIC && now->memory[0] == 0;
    const heap_pairs *x = &g->pairs;
    enter(g, now);
    if (first) { /* (M5): half a kick at the initial state */
        memcpy(g->r[END], g->r[START], (size_t)g->heap.bodies * sizeof *g->r[END]);
        if (!kick(g, now->t, now->q, now->u, dt / 2, x->load, tolerance, report)) return false;
    }
    move(g, now, dt, next->q);
    turn_axes(g, next->q);
    if (!kick(g, next->t, next->q, now->u, dt, first ? x->next : x->load, tolerance, report)) return false;
    if (g->scheme == SYMMETRIC) next->memory[0] = 1;
    return true;
}

/* ---------------------------------------------------------------- any of them */

bool heap_step_take(heap_step *g, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    g->work = (found_work){0};
    heap_pairs_clear(&g->pairs);
    if (!heap_reserve(&g->heap, g->pairs.count)) return false;
    if (!(g->scheme == RATTLE ? take_rattle : take_moreau)(g, now, next, dt, tolerance, report)) return false;
    leave(g, next);
    heap_pairs_accept(&g->pairs);
    return true;
}

void heap_step_start(heap_step *g, const motion *first, double tolerance, double dt) {
    const double zero = fmax(1e-10, 100 * tolerance), touching = fmax(1e-10, zero * dt);
    heap_pairs *x = &g->pairs;
    enter(g, first);
    memcpy(g->r[END], g->r[START], (size_t)g->heap.bodies * sizeof *g->r[END]);
    heap_pairs_touch(x, (const double(*)[3])g->r[END], END, g->threads);
    heap_pairs_clear(x);
    for (int k = 0; k < x->count; k++) {
        const touch *at = &x->touch[END][k];
        double u[3];
        velocity_at(g, g->heap.body, k, at, u);
        if (!(at->gap <= touching && space_dot(at->n, u) <= zero)) continue;
        tangential(at->n, u);
        x->next[k].state = x->at[k].law->slips > 0 && sqrt(space_dot(u, u)) <= zero ? CAROM_STICK : CAROM_SLIP;
    }
    heap_pairs_accept(x);
}

bool heap_step_list(heap_step *g, const contact_list *list) {
    return heap_pairs_list(&g->pairs, g->f, list);
}

void heap_step_forget(heap_step *g) {
    g->pairs.count = 0;
    g->h_time = NAN;
}

/* ---------------------------------------------------------------- looking */

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
        x->point[i] = g->r[END][pair->a][i] + pair->x[i] - at->arm[0] * at->n[i];
        x->normal[i] = at->n[i];
        x->P[i] += load->P[i];
    }
}

heap_load *heap_step_load(heap_step *g, int k) {
    return &g->pairs.load[k];
}

/* ---------------------------------------------------------------- setup */

/* Whether an option that is given has this value. */
static bool is_left_at(const carom_run_def *run, const char *name, const char *value) {
    const char *const choices[] = {value, NULL};
    int choice;
    carom_error error;
    return option_choice(run, name, choices, &choice, &error) == CAROM_OK;
}

/* The schemes that are written here, with the options they are written for. */
static bool choose_scheme(heap_step *g, const carom_run_def *run) {
    static const char *const names[] = {[MOREAU] = "moreau", [SYMMETRIC] = "symmetric_moreau", [RATTLE] = "rattle"};
    carom_error error;
    for (int i = MOREAU; i <= RATTLE; i++)
        if (strcmp(run->integrator, names[i]) == 0) {
            g->scheme = (heap_scheme)i;
            return !accept_option(run, &g->accept, &error) && g->accept > 0 &&
                   !threads_option(run, &g->threads, &error) && is_left_at(run, "variant", "cured") &&
                   is_left_at(run, "events", "capture");
        }
    return false;
}

/* A sphere about the centre of a body that moves; of the world also planes. */
static bool is_round(const finder *f, const solid *s) {
    const bool moves = f->body[s->body].form.nq > 0;
    return s->core.half_space ? !moves : s->core.vertices == 1 && (!moves || s->arm == 0);
}

static bool is_plain(const carom_model_contact *c) {
    return c->loads == 0 && !c->by_slip && c->kinetic == 0 && (!c->law || strcmp(c->law, "coulomb") == 0) &&
           (!c->impact || strcmp(c->impact, "newton") == 0) && (c->slips == 0 || c->slips == 2);
}

/* Nothing but spheres in space, whose forces know no velocities. */
static bool is_heap(const carom_model *m, const finder *f) {
    int velocities = 0;
    if (m->ns || !m->constant_mass || !m->diagonal || m->def.sequential || pattern_nnz(&m->def.h_u)) return false;
    for (int i = 0; i < f->bodies; i++) {
        if (f->body[i].form.nq && f->body[i].form.kind != BODY_SPATIAL) return false;
        velocities += f->body[i].form.nq ? f->body[i].form.nu : 0;
    }
    for (int i = 0; i < f->solids; i++)
        if (!is_round(f, &f->solid[i])) return false;
    for (int i = 0; i < f->laws; i++)
        if (!is_plain(&f->law[i].contact)) return false;
    return velocities == m->def.nu;
}

static bool reserve(heap_step *g) {
    const size_t n = (size_t)g->f->bodies + 1;
    g->h = calloc((size_t)g->base->def.nu + 1, sizeof *g->h);
    g->initial = calloc(n, sizeof *g->initial), g->free = calloc(n, sizeof *g->free);
    g->r[START] = calloc(n, sizeof *g->r[START]), g->r[END] = calloc(n, sizeof *g->r[END]);
    g->A = calloc(n, sizeof *g->A), g->pull = calloc(n, sizeof *g->pull);
    return g->h && g->initial && g->free && g->r[START] && g->r[END] && g->A && g->pull &&
           heap_create(&g->heap, g->f->bodies, g->threads);
}

/* 1/m and 1/J of all bodies. False: some body turns about its axes with different inertias, or has none. */
static bool weigh(heap_step *g) {
    const carom_model_def *d = &g->base->def;
    double *M = g->h;
    if (d->mass(d->context, d->t0, d->q0, M)) return false;
    for (int i = 0; i < g->f->bodies; i++) {
        const finder_body *b = moving(g, i);
        if (!b) continue;
        const double *m = M + b->u, *J = m + 3;
        for (int k = 0; k < 3; k++)
            if (!(m[k] == m[0] && J[k] == J[0] && m[0] > 0 && J[0] > 0)) return false;
        g->heap.body[i].light = 1 / m[0], g->heap.body[i].nimble = 1 / J[0];
    }
    return true;
}

bool heap_step_create(heap_step **made, const carom_model *m, const finder *f, const carom_run_def *run) {
    heap_step *g = *made = calloc(1, sizeof *g);
    if (!g) return false;
    g->base = m, g->f = f, g->h_time = NAN;
    const bool fits = choose_scheme(g, run) && is_heap(m, f) && pattern_nnz(&m->def.M) == m->def.nu;
    if (fits && !reserve(g)) return false;
    if (fits && weigh(g)) return true;
    heap_step_destroy(g);
    *made = NULL;
    return true;
}

void heap_step_destroy(heap_step *g) {
    if (!g) return;
    heap_destroy(&g->heap);
    heap_pairs_destroy(&g->pairs);
    free(g->h), free(g->initial), free(g->free), free(g->r[START]), free(g->r[END]), free(g->A), free(g->pull);
    free(g);
}
