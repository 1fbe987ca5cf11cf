/* The work of forces and percussions over a run (docs/theory/mechanics.md, (W1)-(W9)).
 *
 * From one side to the next, with s, chi and the power at both and the percussion P between them:
 *     work of the forces   += dt/2 (power_0 + power_1)        (W4), G is added where it is read
 *     work of a percussion  = 1/2 P (s_0 + s_1)               (W6), by contacts, in normal and tangential direction
 *     work of what moves   += -1/2 P^T (chi_0 + chi_1)        (W7)
 * A step has two sides, its ends. Located events divide it: the two sides of an instant are an impact of length 0, and
 * between instants the motion is smooth. Schemes that kick take s_0 and chi_0 where they do, (W9a).
 * The sums and the values at the end of the step are part of the state: a resumed run continues them to the bit. */
#include "run/sim.h"

#include "integrator/found.h"

#include <math.h>
#include <string.h>

size_t ledger_size(const carom_model *model) {
    const carom_model_def *d = &model->def;
    return (size_t)(WORKS + 2 * d->contacts + 4 * d->supports + CREATED + d->latches +
                    (d->rheonomic ? 2 : 1) * model->ns);
}

typedef struct side {
    double time;     /* since the start of the step */
    const double *P; /* percussions since then; NULL: none */
    double *s, *chi, power;
} side;

static bool evaluate_rows(const carom_sim *sim, double t, const double *q, const double *u, side *x) {
    const carom_model *m = sim->model;
    const carom_model_def *d = &m->def;
    return !(m->ns && d->velocity(d->context, t, q, u, x->s, NULL, NULL)) &&
           !(d->rheonomic && m->ns && d->velocity(d->context, t, q, sim->rest, x->chi, NULL, NULL));
}

/* If the power is not defined, the sums become NaN, and the run goes on. */
static void evaluate_power(const carom_sim *sim, double t, const double *q, const double *u, side *x) {
    const carom_model_def *d = &sim->model->def;
    if (d->power && d->power(d->context, t, q, u, &x->power, NULL)) x->power = NAN;
}

/* s, chi and the power at a state. */
static bool evaluate(const carom_sim *sim, double t, const double *q, const double *u, side *x) {
    evaluate_power(sim, t, q, u, x);
    return evaluate_rows(sim, t, q, u, x);
}

static side side_of(const ledger *l, double time, const double *P) {
    return (side){time, P, l->s, l->chi, l->work[WORK_POWER]};
}

bool work_start(const carom_sim *sim, double *state, const motion *first) {
    ledger l = ledger_in(sim, state);
    side x = side_of(&l, 0, NULL);
    bool defined = evaluate(sim, first->t, first->q, first->u, &x);
    l.work[WORK_POWER] = x.power;
    return defined;
}

/* 1/2 P^T (s_0 + s_1) over n rows from the first one; P is the percussion between the sides. */
static double mean_work(const side *a, const side *b, const double *s0, const double *s1, int first, int n) {
    double work = 0;
    for (int i = first; i < first + n; i++) work += (a->P ? b->P[i] - a->P[i] : b->P[i]) * (s0[i] + s1[i]);
    return work / 2;
}

/* What velocities that are off by the tolerance or by round-off do to (W6). */
static double uncertainty(const carom_sim *sim, const side *a, const side *b, int first, int n) {
    double sum = 0;
    for (int i = first; i < first + n; i++) {
        double P = fabs(a->P ? b->P[i] - a->P[i] : b->P[i]);
        sum += P * (1e-9 * (fabs(a->s[i]) + fabs(b->s[i])) + 10 * sim->tolerance);
    }
    return sum;
}

/* start: time at which the step begins */
static void account(const carom_sim *sim, const side *a, const side *b, double start, const ledger *l) {
    const carom_model *m = sim->model;
    const carom_model_def *d = &m->def;
    l->work[WORK_FORCES] += (b->time - a->time) / 2 * (a->power + b->power);
    if (d->rheonomic) l->work[WORK_CONSTRAINTS] -= mean_work(a, b, a->chi, b->chi, 0, m->ns);
    for (int k = 0; k < d->contacts; k++) {
        double normal = mean_work(a, b, a->s, b->s, m->N + k, 1);
        double friction = mean_work(a, b, a->s, b->s, m->F + m->slip[k], d->contact[k].slips);
        l->work[WORK_IMPACTS] += normal;
        l->work[WORK_FRICTION] += friction;
        l->loss[2 * k] -= normal + friction;
        l->loss[2 * k + 1] -= friction;
        sim->gain[k] = normal + friction;
        sim->gain[d->contacts + k] =
            uncertainty(sim, a, b, m->N + k, 1) + uncertainty(sim, a, b, m->F + m->slip[k], d->contact[k].slips);
    }
    created_add(sim, start + b->time, l->created);
}

/* Up to the instant, and across it. */
static bool account_instant(const carom_sim *sim, const instant *i, double start, side *last, const ledger *l) {
    size_t ns = (size_t)sim->model->ns;
    for (int k = 0; k < 2; k++) {
        double *s = sim->sides + 2 * ns * (size_t)k;
        side x = {*i->t[k] - start, i->P[k], s, s + ns, 0};
        sim_hold(sim, i->side[k]);
        bool defined = evaluate(sim, *i->t[k], i->q, i->u[k], &x);
        sim_hold(sim, NULL);
        if (!defined) return false;
        account(sim, last, &x, start, l);
        memcpy(i->work[k], l->work, INSTANT_WORKS * sizeof *l->work);
        *last = x;
    }
    return true;
}

static bool any_percussion(const carom_sim *sim, const motion *end) {
    for (int i = 0; i < sim->model->ns; i++)
        if (end->P[i] != 0) return true;
    return false;
}

/* (W9a): the sides of a kick are both where the step ends. */
static bool take_kick(const carom_sim *sim, const motion *start, const motion *end, side *last) {
    if (!sim->integrator->kicks || !any_percussion(sim, end)) return true;
    last->s = sim->sides;
    last->chi = sim->sides + sim->model->ns;
    return evaluate_rows(sim, end->t, end->q, start->u, last);
}

/* (W9c): what contacts that stay closed take in normal direction is lost by the scheme. Where another one acts as well,
 * it is their share of an impact. */
static double work_held(const carom_sim *sim, const side *a, const side *b, const motion *start, const motion *end) {
    double work = 0;
    for (int k = 0; k < sim->model->def.contacts; k++)
        if (start->contact[k] != CAROM_OPEN && end->contact[k] != CAROM_OPEN)
            work += mean_work(a, b, a->s, b->s, sim->model->N + k, 1);
        else if (end->P[sim->model->N + k] != 0) return 0;
    return work;
}

/* What contacts that are found did in the step. */
static void account_found(const carom_sim *sim, const ledger *l) {
    if (!sim->model->finder) return;
    const found_work done = found_worked(sim->self);
    l->work[WORK_IMPACTS] += done.normal;
    l->work[WORK_FRICTION] += done.friction;
    l->work[WORK_HELD] += done.held;
}

/* Most schemes solve for s; places that are moved after the step, and surfaces that move, are evaluated anew. */
static bool is_known(const carom_sim *sim, side *x) {
    const carom_model_def *d = &sim->model->def;
    return sim->integrator->velocities && !d->rheonomic && !d->anchors && sim->integrator->velocities(sim->self, x->s);
}

/* On the sides of switches where the step ended. */
static bool evaluate_end(const carom_sim *sim, const motion *end, side *x) {
    const carom_model_def *d = &sim->model->def;
    if (is_known(sim, x)) return evaluate_power(sim, end->t, end->q, end->u, x), true;
    const int *sides = sim->integrator->sides ? sim->integrator->sides(sim->self) : NULL;
    if (sides) d->take_sides(d->context, sides);
    bool defined = evaluate(sim, end->t, end->q, end->u, x);
    if (sides) d->take_sides(d->context, NULL);
    return defined;
}

bool work_add(const carom_sim *sim, double *from, double *to, const motion *start, const motion *end, double dt,
              bool again, int first) {
    const ledger a = ledger_in(sim, from), b = ledger_in(sim, to);
    side last = side_of(&a, 0, NULL), next = side_of(&b, dt, end->P);
    if (!evaluate_end(sim, end, &next) || !take_kick(sim, start, end, &last)) return false;
    memcpy(b.work, a.work, WORK_POWER * sizeof *b.work);
    b.work[WORK_POWER] = next.power;
    b.work[WORK_HELD] = a.work[WORK_HELD];
    if (first == sim->log.instants) b.work[WORK_HELD] += work_held(sim, &last, &next, start, end);
    memcpy(b.created, a.created, CREATED * sizeof *b.created);
    for (int k = 0; k < 2 * sim->model->def.contacts; k++) b.loss[k] = again ? a.loss[k] : 0;
    for (int i = first; i < sim->log.instants; i++) {
        instant x = event_log_instant(&sim->log, i);
        if (!account_instant(sim, &x, from[STATE_TIME], &last, &b)) return false;
    }
    account(sim, &last, &next, from[STATE_TIME], &b);
    account_found(sim, &b);
    return true;
}
