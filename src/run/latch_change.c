#include "run/latch_change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/vectors.h"
#include "run/sensitivity.h"

/* ---------------------------------------------------------------- a joint at its limit, (SE71) */

/* The part of a load that reaches its bound first: rows of forces or of torques; of a contact, the row that presses. */
typedef struct limit {
    int first, count, bound; /* bound: 0 force, 1 torque */
    double most;
} limit;

static limit limit_of(const carom_model *m, int latch, const double *lambda) {
    const carom_latch *l = &m->def.latch[latch];
    if (l->contact >= 0) return (limit){m->N + l->contact, 1, 0, l->force};
    const limit force = {l->row, l->forces, 0, l->force}, torque = {l->row + l->forces, l->torques, 1, l->torque};
    const double F = latch_length(lambda, force.first, force.count) / force.most,
                 M = latch_length(lambda, torque.first, torque.count) / torque.most;
    return F >= M ? force : torque;
}

/* |lambda|/F_max - 1 changes with the forces and with the bound, and -lambda_N/F with the force. */
static double limit_rate(const latch_change *c, const limit *x, int latch, int k) {
    const double *lambda = rates_forces(&c->load.rates), *by = load_change_of(&c->load, k),
                 size = latch_length(lambda, x->first, x->count);
    if (c->sim->model->def.latch[latch].contact >= 0) return -by[x->first] / x->most;
    double rate = -size / x->most * variation_bound(c->v, k, latch, x->bound);
    for (int i = x->first; i < x->first + x->count; i++) rate += lambda[i] * by[i] / size;
    return rate / x->most;
}

static void hold_sides(const latch_change *c, bool on) {
    const carom_sim *sim = c->sim;
    const int *side = on && sim->integrator->sides ? sim->integrator->sides(sim->self) : NULL;
    if (sim->model->def.switches) sim->model->def.take_sides(sim->model->def.context, side);
    c->v->side = side;
}

enum { T, LATCH, BOUND, RATE, HEAD };

static bool pull_break(void *self, const double *kept, adjoint *a);

static void trace_break(latch_change *c, const motion *x, const latch_load *load, int latch, const limit *at) {
    const carom_model *m = c->sim->model;
    const int nq = m->def.nq, nu = m->def.nu;
    const carom_place flow = variation_column(c->v, c->v->columns);
    double *to =
        trace_add(c->v, pull_break, c,
                  (size_t)(HEAD + 2 * (nq + nu) + m->def.contacts + m->slips + impact_room(&c->load.rates.impact)));
    if (!to) return;
    to[T] = x->t, to[LATCH] = latch, to[BOUND] = at->bound, to[RATE] = c->rate[c->v->columns];
    to = keep(keep(keep(keep(to + HEAD, x->q, nq), x->u, nu), flow.q, nq), flow.u, nu);
    to = keep(keep(to, load->state, m->def.contacts), load->sense, m->slips);
    impact_keep(&c->load.rates.impact, to);
}

/* Forces at the end of the state that lets go: joints break beside contacts that may part there. */
static bool find_forces(latch_change *c, const motion *x, const latch_load *load, int latch) {
    const carom_latch *l = &c->sim->model->def.latch[latch];
    const rates_place at = {x->t, x->q, x->u, load->state, load->sense, NULL};
    c->load.rates.rest = load->rates.rest;
    if (!load_change_forces(&c->load, &at, l->contact < 0) || !rates_unique(&c->load.rates))
        variation_lose(c->v, x->t, "forces are not unique at t = %.9g, where '%s' lets go", x->t, l->name);
    else if (l->contact >= 0 && fabs(rates_forces(&c->load.rates)[c->sim->model->N + l->contact]) > 1e-6 * l->force)
        variation_lose(c->v, x->t, "'%s' comes off by no force of its own at t = %.9g", l->name, x->t);
    return !c->v->lost;
}

static bool find_rates(latch_change *c, const motion *x, const latch_load *load, int latch) {
    const carom_model *m = c->sim->model;
    if (!find_forces(c, x, load, latch)) return false;
    const limit at = limit_of(m, latch, rates_forces(&c->load.rates));
    for (int k = 0; k <= c->v->columns; k++) c->rate[k] = limit_rate(c, &at, latch, k);
    if (!(c->rate[c->v->columns] > 0))
        variation_lose(c->v, x->t, "the load of '%s' only touches what it bears at t = %.9g", m->def.latch[latch].name,
                       x->t);
    else trace_break(c, x, load, latch, &at);
    return !c->v->lost;
}

void latch_change_break(latch_change *c, const motion *x, latch_load *load, int latch) {
    if (c->v->lost) return;
    hold_sides(c, true);
    latch_load_read(load, c->sim->model, &(latch_place){x->t, x->q, x->u, x->contact});
    if (find_rates(c, x, load, latch)) variation_meet(c->v, c->rate);
    hold_sides(c, false);
}

/* What t' weighs, which moves the state along (1, q_t, u_t). */
static double moved(const carom_model *m, const adjoint *a, const double *q_t, const double *u_t) {
    double sum = a->t;
    for (int i = 0; i < m->def.nq; i++) sum += a->q[i] * q_t[i];
    for (int i = 0; i < m->def.nu; i++) sum += a->u[i] * u_t[i];
    return sum;
}

static bool pull_break(void *self, const double *kept, adjoint *a) {
    latch_change *c = self;
    const carom_model *m = c->sim->model;
    const int nq = m->def.nq, nu = m->def.nu, latch = (int)kept[LATCH], bound = (int)kept[BOUND];
    const double *q = kept + HEAD, *u = q + nq, *q_t = u + nu, *u_t = q_t + nq, *state = u_t + nu,
                 *sense = state + m->def.contacts;
    const carom_place at = {kept[T], q, u};
    const double weight = -moved(m, a, q_t, u_t) / kept[RATE];
    if (!rates_look(&c->load.rates, &(rates_place){at.t, q, u, state, sense, NULL})) return false;
    impact_put_back(&c->load.rates.impact, c->load.rates.zero, sense + m->slips);
    const limit x = limit_of(m, latch, rates_forces(&c->load.rates));
    const double *lambda = rates_forces(&c->load.rates), size = latch_length(lambda, x.first, x.count);
    const bool joint = m->def.latch[latch].contact < 0;
    memset(c->weights, 0, (size_t)m->ns * sizeof *c->weights);
    for (int i = x.first; i < x.first + x.count; i++) c->weights[i] = weight / x.most * (joint ? lambda[i] / size : -1);
    if (joint) a->bound[3 * latch + bound] -= weight * size / (x.most * x.most);
    return load_change_pull(&c->load, &at, c->weights, a);
}

/* ---------------------------------------------------------------- after an event, (SE72) */

static bool pull_follow(void *self, const double *kept, adjoint *a) {
    const latch_change *c = self;
    const carom_model *m = c->sim->model;
    if (!(kept[0] < a->instants)) return false;
    a->instant[(int)kept[0]] += moved(m, a, kept + 1, kept + 1 + m->def.nq);
    return true;
}

void latch_change_follow(latch_change *c, const motion *x) {
    variation *v = c->v;
    const carom_model_def *d = &c->sim->model->def;
    if (v->lost || !v->given || v->instants == 0) return;
    const double *event = v->instant + (v->instants - 1) * v->columns;
    for (int k = 0; k < v->columns; k++) c->rate[k] = -event[k];
    c->rate[v->columns] = 1;
    double *to = trace_add(v, pull_follow, c, (size_t)(1 + d->nq + d->nu));
    if (to) {
        const carom_place flow = variation_column(v, v->columns);
        *to = v->instants - 1;
        keep(keep(to + 1, flow.q, d->nq), flow.u, d->nu);
    }
    variation_meet(v, c->rate);
    v->given = false, c->followed = true;
    for (int k = 0; k < v->columns; k++)
        if (isnan(event[k])) variation_lose(v, x->t, "what lets go at t = %.9g follows strikes at one instant", x->t);
}

/* ---------------------------------------------------------------- inputs */

/* Kept: the inputs before. What constants have weighed so far is settled by those after. */
static bool pull_inputs(void *self, const double *kept, adjoint *a) {
    const latch_change *c = self;
    tracing_settle(c->sim, a);
    model_assign_inputs(c->sim->own, c->sim->parameter, kept);
    c->sim->integrator->forget(c->sim->self);
    return true;
}

void latch_change_begin(latch_change *c, const double *state) {
    const int inputs = c->sim->model->def.inputs;
    double *to = trace_add(c->v, pull_inputs, c, (size_t)inputs);
    if (to) keep(to, state + c->sim->input, inputs);
}

static bool pull_instant(void *self, const double *kept, adjoint *a) {
    (void)self;
    if ((int)kept[0] < a->instants) a->t += a->instant[(int)kept[0]];
    return true;
}

void latch_change_end(latch_change *c, const motion *x, bool logged) {
    variation *v = c->v;
    if (!logged) return;
    if (!variation_keep_instant(v)) variation_lose(v, x->t, "out of memory at t = %.9g", x->t);
    if (v->lost) return;
    double *to = trace_add(v, pull_instant, c, 1);
    if (to) *to = v->instants - 1;
    if (!carom_sim_locates(c->sim)) return;
    if (x->t > v->last_event && !c->followed) variation_note(&v->margins.separation, x->t - v->last_event, x->t, -1);
    v->last_event = x->t, v->given = c->followed = false;
}

/* ---------------------------------------------------------------- setup */

bool latch_change_create(latch_change *c, carom_sim *sim, variation *v) {
    *c = (latch_change){.sim = sim, .v = v};
    const vector_part parts[] = {{&c->rate, v->columns + 1}, {&c->weights, sim->model->ns}};
    c->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    return load_change_create(&c->load, sim->model, v) && c->memory;
}

void latch_change_destroy(latch_change *c) {
    if (c->sim) load_change_destroy(&c->load);
    free(c->memory);
    *c = (latch_change){0};
}
