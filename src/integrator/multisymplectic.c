/* The multisymplectic integrator of Demoures, Gay-Balmaz, Desbrun, Ratiu and Aragon (2017) as a scheme in time
 * (docs/theory/multisymplectic.md). The state is (q_k, p_k), p_k the momentum at the node. An interval of length h:
 *
 *     p^-(v) = p_k + W P + h/2 f(q_k)                                                     (Y4) with an impulse, if any
 *     q_{k+1} = drift of q_k by v over h,   p_{k+1} = p^+(v) + h/2 f(q_{k+1})
 *
 * A step ends at (j + 1) dt. It is cut where a gap closes, at the smallest h with g_N(q_{k+1}) = 0 (Y5). Contacts that
 * are closed at a node and would be entered push with P = s P_0, P_0 by Newton's law with e = 1 for all together (Y6),
 * and s such that energy is kept: that of the node (Y10), T(M^-1 (p_k + W P)) = T(M^-1 p_k), or on demand that of the
 * intervals before and after it (Y7),
 *
 *     E = T(v) + (V(q_k) + V(q_{k+1}))/2.
 *
 * Bars that join while they touch switch their potential: such switches are located, and pass with an impulse of their
 * own (crossing.h).
 *
 * memory: figures; p; f; T(v) of the last interval; q at its beginning; what crossings keep. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/crossing.h"
#include "integrator/event_log.h"
#include "integrator/interval.h"
#include "integrator/multisymplectic_check.h"

enum { IMPACTS, GRAZINGS, RESTS, HOLDS, CROSSINGS, FIGURES };
enum { E_INTERVAL, COLUMNS };
enum { MOST_INTERVALS = 100 }; /* in a step */

typedef struct scheme {
    interval at;
    event_log log;
    bool joined; /* switches of the potential are located: */
    crossings crossings;
} scheme;

/* The places of the memory. */
typedef struct kept {
    double *figure, *p, *f, *T, *q_before, *crossings;
} kept;

static kept kept_in(const interval *x, double *memory) {
    double *p = memory + FIGURES, *f = p + x->m->def.nu, *T = f + x->m->def.nu;
    return (kept){memory, p, f, T, T + 1, T + 1 + x->m->def.nq};
}

/* ---------------------------------------------------------------- what happened at the node */

/* Before and after the impulse, as velocities M^-1 p at the node; contacts that have not parted by the end stay. A
 * contact that rests makes no event, but an instant: its impulse does its work there. */
static bool log_impulse(interval *x, event_log *log, bool struck, motion *next, const double *P_before,
                        step_report *report) {
    const carom_model_def *d = &x->m->def;
    motion before = {.t = x->t, .q = x->q, .u = x->u, .P = next->P, .contact = x->w}, after = before;
    double *u1 = x->column, *p1 = x->kick, size;
    memcpy(p1, x->p, (size_t)d->nu * sizeof *p1);
    for (int k = 0; k < d->contacts; k++) {
        x->w[k] = CAROM_OPEN;
        x->low[k] = x->P[k] > 0 && !interval_parted(x, k) ? CAROM_SLIP : CAROM_OPEN;
        if (x->P[k] > 0) interval_direct(x, k, x->P[k], p1);
    }
    drift_rates(&x->drift, p1, u1);
    after.u = u1, after.contact = x->low;
    if (!event_log_begin(log, &before, NULL, P_before)) return event_log_no_room(report);
    instant at = event_log_instant(log, log->instants);
    *at.own[0] = x->E;
    if (!interval_measure(x, at.own[1], &size, report)) return false;
    for (int k = 0; k < d->contacts; k++) {
        if (!struck || !(x->P[k] > 0)) continue;
        carom_event e = {.time = x->t, .contact = k, .kind = CAROM_STRIKE, .PN = x->P[k]};
        e.gap_dot[0] = interval_along(x, k, x->u), e.gap_dot[1] = interval_along(x, k, u1);
        e.loss = -x->P[k] * (e.gap_dot[0] + e.gap_dot[1]) / 2;
        event_log_add(log, e);
    }
    return event_log_end(log, &after, NULL, next->P) || event_log_no_room(report);
}

/* A contact that pushed and has not parted by the end of the interval rests. One that has parted was struck. */
static bool account(scheme *o, motion *next, step_report *report) {
    interval *x = &o->at;
    const carom_model *m = x->m;
    const carom_model_def *d = &m->def;
    bool pushed = false, struck = false;
    memcpy(x->y, next->P, (size_t)m->ns * sizeof *x->y);
    for (int k = 0; k < d->contacts; k++) {
        if (!(x->P[k] > 0)) continue;
        pushed = true;
        struck = struck || interval_parted(x, k);
        next->P[m->N + k] += x->P[k];
        next->contact[k] = CAROM_SLIP;
    }
    double *count = next->memory;
    count[HOLDS] += x->held;
    count[GRAZINGS] += x->grazing;
    count[RESTS] += pushed && !struck;
    count[IMPACTS] += struck;
    return !pushed || log_impulse(x, &o->log, struck, next, x->y, report);
}

/* ---------------------------------------------------------------- the step */

static bool begin(interval *x, const motion *now, motion *next, step_report *report) {
    const carom_model_def *d = &x->m->def;
    const kept k0 = kept_in(x, now->memory);
    memcpy(next->memory, k0.figure, FIGURES * sizeof *k0.figure);
    memset(next->P, 0, (size_t)x->m->ns * sizeof *next->P);
    for (int k = 0; k < d->contacts; k++) next->contact[k] = CAROM_OPEN;
    x->t = now->t;
    memcpy(x->q, now->q, (size_t)d->nq * sizeof *x->q);
    memcpy(x->p, k0.p, (size_t)d->nu * sizeof *x->p);
    memcpy(x->f, k0.f, (size_t)d->nu * sizeof *x->f);
    memcpy(x->q_before, k0.q_before, (size_t)d->nq * sizeof *x->q);
    x->T = *k0.T;
    return interval_gaps(x, x->q, x->gap, report);
}

static void end(interval *x, motion *next) {
    const carom_model_def *d = &x->m->def;
    memcpy(next->q, x->q, (size_t)d->nq * sizeof *x->q);
    drift_rates(&x->drift, x->p, next->u);
    const kept k = kept_in(x, next->memory);
    memcpy(k.p, x->p, (size_t)d->nu * sizeof *x->p);
    memcpy(k.f, x->f, (size_t)d->nu * sizeof *x->f);
    memcpy(k.q_before, x->q_before, (size_t)d->nq * sizeof *x->q);
    *k.T = x->T;
}

/* Intervals up to the end of the step; each ends at an impact, at a switch, or with the step. */
static bool take_intervals(scheme *o, const motion *now, motion *next, double dt, double tolerance,
                           step_report *report) {
    interval *x = &o->at;
    double done = 0;
    for (int n = 1; done < dt; n++) {
        const double rest = dt - done;
        int crossed = -1;
        bool last = n == MOST_INTERVALS;
        if (!(last ? interval_traverse(x, rest, report) : interval_pass(x, rest, report))) return false;
        if (o->joined && !last && !crossings_cut(&o->crossings, x, &crossed, report)) return false;
        if (interval_entered(x) && !interval_hold(x, x->h, report)) return false;
        if (!interval_meets(x, tolerance, report)) return false;
        report->captured = report->captured || (x->held && (last || x->stopped));
        done = x->h < rest ? done + x->h : dt;
        if (!account(o, next, report) || !interval_arrive(x, done < dt ? now->t + done : next->t, report)) return false;
        interval_look(x);
        next->memory[CROSSINGS] += crossed >= 0;
        if (crossed >= 0 && !crossings_pass(&o->crossings, x, crossed, report)) return false;
    }
    return true;
}

static bool step(void *self, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    scheme *o = self;
    interval *x = &o->at;
    event_log_clear(&o->log);
    if (!begin(x, now, next, report)) return false;
    interval_look(x);
    bool taken = !o->joined || crossings_begin(&o->crossings, x, kept_in(x, now->memory).crossings, report);
    taken = taken && take_intervals(o, now, next, dt, tolerance, report);
    if (o->joined) crossings_end(&o->crossings, x, kept_in(x, next->memory).crossings);
    if (taken) end(x, next);
    return taken;
}

static bool start(void *self, motion *first, step_report *report) {
    scheme *o = self;
    const interval *x = &o->at;
    const carom_model_def *d = &x->m->def;
    const kept k = kept_in(x, first->memory);
    (void)report;
    if (o->joined && crossings_start(&o->crossings, first->t, first->q, k.crossings)) return false;
    memset(k.figure, 0, FIGURES * sizeof *k.figure);
    drift_momenta(&x->drift, first->u, k.p);
    memcpy(k.q_before, first->q, (size_t)d->nq * sizeof *first->q);
    *k.T = drift_kinetic(&x->drift, first->u);
    return !d->force(d->context, first->t, first->q, x->rest, k.f, NULL, NULL);
}

static void forget(void *self) {
    (void)self;
}

static const event_log *events(void *self) {
    return &((scheme *)self)->log;
}

static int momentum(void *self, const motion *now, double *p) {
    const interval *x = &((scheme *)self)->at;
    memcpy(p, kept_in(x, now->memory).p, (size_t)x->m->def.nu * sizeof *p);
    return 0;
}

/* E of the interval that ended at the state. */
static int column(void *self, const motion *now, double *E) {
    const interval *x = &((scheme *)self)->at;
    const carom_model_def *d = &x->m->def;
    const kept k = kept_in(x, now->memory);
    double before, V;
    if (d->energy(d->context, now->t, k.q_before, x->rest, NULL, &before) ||
        d->energy(d->context, now->t, now->q, x->rest, NULL, &V))
        return 1;
    *E = *k.T + (before + V) / 2;
    return 0;
}

/* ---------------------------------------------------------------- setup */

static void destroy(void *self) {
    scheme *o = self;
    if (!o) return;
    interval_destroy(&o->at);
    event_log_destroy(&o->log);
    crossings_destroy(&o->crossings);
    free(o);
}

/* Which elements may join; which energy impacts and joins keep. */
static carom_status read_contact(scheme *o, const carom_model *model, const carom_run_def *run, carom_error *error) {
    static const char *const contacts[] = {"node", "joined", NULL}; /* the first is the default */
    static const char *const of_impacts[] = {"node", "interval", NULL}, *const of_joins[] = {"interval", "node", NULL};
    int contact, energy = 0;
    carom_status status = option_choice(run, "contact", contacts, &contact, error);
    o->joined = contact == 1;
    if (!status) status = option_choice(run, "energy", o->joined ? of_joins : of_impacts, &energy, error);
    o->at.at_node = (energy == 0) != o->joined;
    if (!status && o->joined && (!model->def.switches || !model->def.ranges))
        status =
            carom_error_set(error, CAROM_DATA,
                            "'contact: joined' joins elastic bars while they touch, but this model has none: give it "
                            "'joins', or take 'contact: node'");
    return status;
}

static carom_status create(const carom_model *model, const carom_run_def *run, void **self, int *memory,
                           carom_error *error) {
    static const char *const moved_by[] = {"so3", "se3", NULL};
    int frame = 0;
    scheme *o = *self = calloc(1, sizeof *o);
    if (!o) return carom_error_memory(error);
    o->log.model = model;
    o->log.own = COLUMNS;
    carom_status status = read_contact(o, model, run, error);
    *memory = FIGURES + 2 * model->def.nu + 1 + model->def.nq + (o->joined ? crossings_memory(model) : 0);
    if (!status) status = option_choice(run, "frames", moved_by, &frame, error);
    if (!status) status = multisymplectic_accepts(model, error);
    if (!status) status = drift_create(&o->at.drift, model, error);
    if (!status) status = multisymplectic_conservative(&o->at.drift, error);
    if (!status && frame) status = drift_join(&o->at.drift, error);
    if (status) return status;
    bool made = interval_create(&o->at, model) && (!o->joined || crossings_create(&o->crossings, model));
    return made ? CAROM_OK : carom_error_memory(error);
}

static const char *const figure_names[FIGURES] = {[IMPACTS] = "impacts",
                                                  [GRAZINGS] = "impacts without an energy root (grazing)",
                                                  [RESTS] = "intervals with resting contacts",
                                                  [HOLDS] = "intervals with contacts held at zero gap",
                                                  [CROSSINGS] = "joins and partings"};
static const char *const column_names[COLUMNS] = {[E_INTERVAL] = "E.interval"};

/* (X5). Impulses are chosen to keep energy, so a divided step returns what it changes. */
static stability_limit limit(const void *self) {
    (void)self;
    return (stability_limit){.x = 2};
}

static const carom_option_info options[] = {
    {"energy", "node | interval",
     "which energy an impact keeps. node: T + V at the impact itself, so that what the steps between impacts keep is "
     "kept for ever. interval: that of the intervals before and after it, the published condition; T + V of the "
     "recorded states then wanders by O(dt^2) per impact",
     "node; interval with 'contact: joined'"},
    {"contact", "node | joined",
     "node: ends of bars strike each other. joined: their last elements are split, and one element while they touch; "
     "where they join and part is located (contact time integrators 1 and 2 of the paper)",
     "node"},
    {"frames", "so3 | se3",
     "how bodies in space move over an interval. so3: their centres along a straight line, by a velocity in the world. "
     "se3: centre and axes as one, by Cayley's map of SE(3), as published",
     "so3"},
};

const integrator integrator_multisymplectic = {
    .info = {.name = "multisymplectic",
             .title = "Multisymplectic variational integrator: explicit, impacts that keep energy and momentum",
             .order = "2 while no contact closes, and across impacts",
             .conserves =
                 "momentum maps of all symmetries that act as translations and rotations, through impacts with "
                 "the same symmetry; energy in impacts; gaps. Symplectic and symmetric: energy errors stay bounded "
                 "between impacts",
             .needs =
                 "constant mass that leaves rotations alone; q_dot = u or rotations by unit quaternions; forces of a "
                 "potential; no joints; contacts without friction and with restitution 1, where newton, poisson and "
                 "energetic say the same: impacts that make the action stationary keep energy, so that none that "
                 "loses some can be one",
             .stability = "dt omega < 2 for the largest frequency omega of small motions; no run begins beyond",
             .reference =
                 "Demoures, Gay-Balmaz, Desbrun, Ratiu, Aragon: A multisymplectic integrator for elastodynamic "
                 "frictionless impact problems. Computer Methods in Applied Mechanics and Engineering 315 (2017)",
             .promise = {.order = 2,
                         .velocity_order = 2,
                         .event_order = 2,
                         .positions = true,
                         .symmetric = true,
                         .momentum = true,
                         .energy = true,
                         .impact_energy = true,
                         .invariants = true},
             .options = options,
             .option_count = sizeof options / sizeof *options},
    .create = create,
    .destroy = destroy,
    .start = start,
    .step = step,
    .forget = forget,
    .limit = limit,
    .within = true,
    .events = events,
    .momentum = momentum,
    .figures = FIGURES,
    .figure_names = figure_names,
    .columns = COLUMNS,
    .column_names = column_names,
    .column = column,
};
