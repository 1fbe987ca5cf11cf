#include "run/latch_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/phase.h"
#include "integrator/vectors.h"

double latch_length(const double *x, int first, int count) {
    double length = 0;
    for (int i = first; i < first + count; i++) length = hypot(length, x[i]);
    return length;
}

/* ---------------------------------------------------------------- at a place */

/* Slip at rest has no sense yet: the free solution finds it. */
void latch_load_read(latch_load *l, const carom_model *m, const latch_place *at) {
    const carom_model_def *d = &m->def;
    if (m->ns && d->velocity(d->context, at->t, at->q, at->u, l->rates.s, NULL, NULL)) return;
    for (int k = 0; k < d->contacts; k++) {
        const double speed = slip_speed(m, k, l->rates.s);
        l->state[k] =
            at->contact[k] == CAROM_SLIP && speed < 1e-9 && d->contact[k].slips ? CAROM_STICK : at->contact[k];
        for (int j = m->slip[k]; j < m->slip[k + 1]; j++) l->sense[j] = speed > 0 ? l->rates.s[m->F + j] / speed : 0;
    }
}

static bool holds(const carom_sim *sim, const double *state, const carom_latch *l) {
    return l->contact < 0 && state[sim->input + (size_t)l->input] != 0;
}

static bool solve(latch_load *l, const carom_sim *sim, const latch_place *at) {
    const int *sides = sim->integrator->sides ? sim->integrator->sides(sim->self) : NULL;
    const carom_model_def *d = &sim->model->def;
    solver_report report;
    if (sides) d->take_sides(d->context, sides);
    latch_load_read(l, sim->model, at);
    l->rates.tolerance = sim->tolerance, l->rates.rest = sim->tolerance / sim->dt;
    const bool solved =
        rates_solve(&l->rates, &(rates_place){at->t, at->q, at->u, l->state, l->sense, NULL}, true, &report);
    if (sides) d->take_sides(d->context, NULL);
    return solved;
}

bool latch_load_at(latch_load *l, const carom_sim *sim, const latch_place *at, const double *state) {
    const carom_model_def *d = &sim->model->def;
    bool any = false;
    for (int i = 0; i < d->latches; i++) any = any || holds(sim, state, &d->latch[i]);
    if (!any || !solve(l, sim, at)) return false;
    const double *lambda = rates_forces(&l->rates);
    l->worst = -1;
    for (int i = 0; i < d->latches; i++) {
        const carom_latch *of = &d->latch[i];
        l->excess[i] = -1;
        if (!holds(sim, state, of)) continue;
        const double force = latch_length(lambda, of->row, of->forces) / of->force,
                     torque = latch_length(lambda, of->row + of->forces, of->torques) / of->torque;
        l->excess[i] = fmax(force, torque) - 1;
        l->worst = fmax(l->worst, l->excess[i]);
    }
    return true;
}

/* ---------------------------------------------------------------- within a piece */

/* Its rates as well, of side 0 or 1 of a smooth part. */
static bool look(latch_load *l, const carom_sim *sim, const latch_place *at, const double *state, int side) {
    if (!latch_load_at(l, sim, at, state) || model_q_dot(sim->model, at->t, at->q, at->u, l->q_dot[side])) return false;
    memcpy(l->u_dot[side], l->rates.impact.z, (size_t)sim->model->def.nu * sizeof(double));
    return true;
}

/* The cubic through two values with two rates, at a part x of the interval h. */
static void interpolate(int n, double h, double x, const double *a, const double *a_dot, const double *b,
                        const double *b_dot, double *y) {
    const double p = x * x * (3 - 2 * x), c = h * x * (1 - x) * (1 - x), d = -h * x * x * (1 - x);
    for (int i = 0; i < n; i++) y[i] = a[i] + p * (b[i] - a[i]) + c * a_dot[i] + d * b_dot[i];
}

/* The first place of a smooth part, its end among them, where a load is too large. */
static double first_within(latch_load *l, const carom_sim *sim, const latch_place *a, const latch_place *b,
                           const double *state) {
    const carom_model_def *d = &sim->model->def;
    const double h = b->t - a->t;
    if (!look(l, sim, a, state, 0)) return INFINITY;
    if (l->worst > 1e-9) return a->t;
    if (!look(l, sim, b, state, 1)) return INFINITY;
    const double end = l->worst;
    for (int i = 1; i < 4 && h > 0; i++) {
        interpolate(d->nq, h, i / 4., a->q, l->q_dot[0], b->q, l->q_dot[1], l->q);
        interpolate(d->nu, h, i / 4., a->u, l->u_dot[0], b->u, l->u_dot[1], l->u);
        if (latch_load_at(l, sim, &(latch_place){a->t + i / 4. * h, l->q, l->u, a->contact}, state) && l->worst > 0)
            return a->t + i / 4. * h;
    }
    return end > 0 ? b->t : INFINITY;
}

double latch_load_within(latch_load *l, const carom_sim *sim, const motion *a, const motion *b, const double *state) {
    const event_log *log = sim->integrator->events(sim->self);
    latch_place last = {a->t, a->q, a->u, a->contact};
    double found = INFINITY;
    for (int n = 0; n <= log->instants && isinf(found); n++) {
        latch_place next = {b->t, b->q, b->u, b->contact};
        instant at = {0};
        if (n < log->instants) {
            at = event_log_instant(log, n);
            next = (latch_place){*at.t[0], at.q, at.u[0], at.contact[0]};
        }
        found = first_within(l, sim, &last, &next, state);
        if (n < log->instants) last = (latch_place){*at.t[1], at.q, at.u[1], at.contact[1]};
    }
    return found - a->t;
}

/* ---------------------------------------------------------------- setup */

bool latch_load_create(latch_load *l, const carom_model *m) {
    const carom_model_def *d = &m->def;
    const vector_part parts[] = {{&l->excess, d->latches}, {&l->state, d->contacts}, {&l->sense, m->slips},
                                 {&l->q_dot[0], d->nq},    {&l->q_dot[1], d->nq},    {&l->u_dot[0], d->nu},
                                 {&l->u_dot[1], d->nu},    {&l->q, d->nq},           {&l->u, d->nu}};
    l->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    return rates_create(&l->rates, m) && l->memory;
}

void latch_load_destroy(latch_load *l) {
    if (l->memory) rates_destroy(&l->rates);
    free(l->memory);
}
