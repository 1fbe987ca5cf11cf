/* The nonsmooth generalized-alpha method (Capobianco, Harsch, Eugster, Leine; docs/theory/generalized_alpha.md).
 *
 * One problem in every step, that of levels.h: positions, velocities and accelerations of joints and contacts together.
 * What one step hands to the next are accelerations and forces, and what (G4) makes of them, from which follow
 *
 *     v^ = u_0 + dt ((1 - gamma) a_0 + gamma a*),        P^ = dt ((1 - gamma) l_0 + gamma l*)
 *     w^ = u_0 + dt ((1/2 - beta) a_0 + beta a*),        K^ = dt ((1/2 - beta) l_0 + beta l*)                    (A15)
 *
 * with a*, l* for what a_1, l_1 are without the accelerations and forces at the end of the step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/alpha.h"
#include "integrator/levels.h"
#include "integrator/phase.h"
#include "integrator/rates.h"

typedef struct generalized_alpha {
    const carom_model *m;
    alpha c;
    levels levels;
} generalized_alpha;

/* What one step hands to the next: u_dot and lambda, and what (G4) makes of them, a and l. */
typedef struct history {
    double *a, *u_dot, *l, *lambda;
} history;

static history history_in(const generalized_alpha *o, const motion *x) {
    const int nu = o->m->def.nu, ns = o->m->ns;
    double *a = x->memory, *u_dot = a + nu, *l = u_dot + nu;
    return (history){a, u_dot, l, l + ns};
}

/* ---------------------------------------------------------------- the step */

/* (A15): the part of both integrals of a, or l, that is known at the start. */
static void predict(const alpha *c, double dt, double a, double f, double *once, double *twice) {
    const double known = alpha_acceleration(c, a, f, 0);
    *once = dt * ((1 - c->gamma) * a + c->gamma * known);
    *twice = dt * ((0.5 - c->beta) * a + c->beta * known);
}

static void predict_all(generalized_alpha *o, const motion *now) {
    levels *s = &o->levels;
    const history old = history_in(o, now);
    s->tau = alpha_tau(&o->c, s->dt), s->share = o->c.beta / o->c.gamma;
    for (int j = 0; j < o->m->def.nu; j++) {
        double once, twice;
        predict(&o->c, s->dt, old.a[j], old.u_dot[j], &once, &twice);
        s->v_hat[j] = now->u[j] + once, s->w_hat[j] = now->u[j] + twice;
    }
    for (int k = 0; k < o->m->ns; k++) predict(&o->c, s->dt, old.l[k], old.lambda[k], &s->P_hat[k], &s->K_hat[k]);
}

/* Accelerations and forces go on. Those of joints are guessed as zero: where they are redundant, what Newton's method
 * adds to the undetermined part of them must not add up over the steps. */
static void guess(generalized_alpha *o, const motion *now) {
    const carom_model *m = o->m;
    const carom_model_def *d = &m->def;
    levels *s = &o->levels;
    const history old = history_in(o, now);
    for (int j = 0; j < d->nu; j++) {
        levels_mean(s)[j] = now->u[j] + s->dt / 2 * old.a[j];
        levels_velocity(s)[j] = levels_smooth(s)[j] = now->u[j] + s->dt * old.a[j];
    }
    for (int i = 0; i < 2 && !m->trivial; i++)
        memcpy(s->z + s->path.at + i * d->nq, now->q, (size_t)d->nq * sizeof *now->q);
    for (int k = 0; k < m->ns; k++) {
        const double force = k < m->N ? 0 : old.lambda[k];
        levels_percussion(s, ON_VELOCITIES)[k] = s->dt * force;
        levels_percussion(s, ON_ACCELERATIONS)[k] = s->tau * force;
        levels_percussion(s, ON_POSITIONS)[k] = k < m->F ? s->dt / 2 * force : 0;
    }
}

static void read(generalized_alpha *o, const motion *now, motion *next) {
    const carom_model *m = o->m;
    levels *s = &o->levels;
    const history old = history_in(o, now), new = history_in(o, next);
    memcpy(next->q, levels_position(s), (size_t)m->def.nq * sizeof *next->q);
    memcpy(next->u, levels_velocity(s), (size_t)m->def.nu * sizeof *next->u);
    memcpy(next->P, levels_percussion(s, ON_VELOCITIES), (size_t)m->ns * sizeof *next->P);
    contact_states(&s->problem, m, next->contact);
    for (int j = 0; j < m->def.nu; j++) {
        new.u_dot[j] = (levels_smooth(s)[j] - s->v_hat[j]) / s->tau;
        new.a[j] = alpha_acceleration(&o->c, old.a[j], old.u_dot[j], new.u_dot[j]);
    }
    for (int k = 0; k < m->ns; k++) {
        new.lambda[k] = levels_percussion(s, ON_ACCELERATIONS)[k] / s->tau;
        new.l[k] = alpha_acceleration(&o->c, old.l[k], old.lambda[k], new.lambda[k]);
    }
}

static bool step(void *self, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    generalized_alpha *o = self;
    levels *s = &o->levels;
    solver_report found;
    if (!levels_begin(s, now, next->t, dt)) return explain_undefined(report, "start");
    predict_all(o, now);
    guess(o, now);
    bool solved = levels_solve(s, tolerance, &found, report);
    report->newton[0] = found.iterations;
    report->yielded = found.yielded;
    report->residual = found.residual;
    if (solved) read(o, now, next);
    else explain(report, &s->problem, o->m, &found, "for the positions and velocities");
    return solved;
}

/* ---------------------------------------------------------------- the start */

/* Contacts that are closed and at rest at the start, and how they slip. */
static bool find_states(const generalized_alpha *o, const motion *first, double *state, double *sense) {
    const carom_model *m = o->m;
    const carom_model_def *d = &m->def;
    const double zero = 1e-10; /* an error of ten typed digits is allowed */
    double *c = o->levels.c, *s = o->levels.s;
    if ((m->nc && d->position(d->context, first->t, first->q, c, NULL)) ||
        (m->ns && d->velocity(d->context, first->t, first->q, first->u, s, NULL, NULL)))
        return false;
    for (int k = 0; k < d->contacts; k++)
        state[k] = c[d->ng + k] <= zero && fabs(s[m->N + k]) <= zero ? CAROM_SLIP : CAROM_OPEN;
    contacts_update_followers(m, state);
    for (int k = 0; k < d->contacts; k++) {
        const double speed = slip_speed(m, k, s);
        if (state[k] == CAROM_SLIP && !(speed > zero)) state[k] = CAROM_STICK;
        for (int i = m->slip[k]; i < m->slip[k + 1] && speed > zero; i++) sense[i] = s[m->F + i] / speed;
    }
    return true;
}

/* (A13): accelerations and forces at the start, those of contacts included. */
static bool start(void *self, motion *first, step_report *report) {
    generalized_alpha *o = self;
    const carom_model *m = o->m;
    const carom_model_def *d = &m->def;
    const history h = history_in(o, first);
    rates r;
    solver_report found = {.undefined = true};
    bool solved = false;
    double *state = calloc((size_t)(d->contacts + m->slips) + 1, sizeof *state), *sense = state + d->contacts;
    if (!rates_create(&r, m) || !state) report->exhausted = true;
    else {
        solved = find_states(o, first, state, sense) &&
                 rates_solve(&r, &(rates_place){first->t, first->q, first->u, state, sense, NULL}, true, &found);
        if (!solved) explain(report, &r.impact.problem, m, &found, "for the start");
    }
    for (int j = 0; solved && j < d->nu; j++) h.a[j] = h.u_dot[j] = r.impact.z[j];
    for (int k = 0; solved && k < m->ns; k++) h.l[k] = h.lambda[k] = rates_forces(&r)[k];
    rates_destroy(&r);
    free(state);
    return solved;
}

static problem *stage(void *self, int k, const double **z) {
    generalized_alpha *o = self;
    (void)k;
    *z = o->levels.z;
    return &o->levels.problem;
}

static void forget(void *self) {
    solver_forget(((generalized_alpha *)self)->levels.solver);
}

/* ---------------------------------------------------------------- setup */

static void destroy(void *self) {
    generalized_alpha *o = self;
    if (!o) return;
    levels_destroy(&o->levels);
    free(o);
}

static carom_status check_model(const carom_model *m, carom_error *error) {
    if (m->ns && !m->def.direction_q)
        return carom_error_set(error, CAROM_DATA,
                               "generalized_alpha needs the model's function 'direction_q', d(W r)/dq");
    return CAROM_OK;
}

static carom_status create(const carom_model *model, const carom_run_def *run, void **self, int *memory,
                           carom_error *error) {
    static const char *const variants[] = {"general", "published", NULL};
    double rho = 0.9;
    int published = 0;
    *self = NULL;
    carom_status status = option_number(run, "rho_inf", 0, 1, false, &rho, error);
    if (!status) status = option_choice(run, "variant", variants, &published, error);
    if (!status) status = check_model(model, error);
    if (status) return status;
    generalized_alpha *o = *self = calloc(1, sizeof *o);
    if (!o) return carom_error_memory(error);
    o->m = model;
    o->c = alpha_for(rho);
    *memory = 2 * (model->def.nu + model->ns);
    return levels_create(&o->levels, model, published) ? CAROM_OK : carom_error_memory(error);
}

static const carom_option_info options[] = {
    {"rho_inf", "number in [0, 1]", "spectral radius at infinite frequency: 0 damps most, 1 not at all", "0.9"},
    {"variant", "general | published",
     "general: rotations by Cayley's map. published: positions by their series at the start of the step, quaternions "
     "brought back to length one after it",
     "general"},
};

const integrator integrator_generalized_alpha = {
    .info = {.name = "generalized_alpha",
             .title = "Nonsmooth generalized-alpha: positions, velocities and accelerations of contacts in one problem",
             .order = "2 while no contact changes its state and slip does not turn, 1 elsewhere",
             .conserves =
                 "constraints and gaps on position and velocity level, quadratic invariants of the kinematics "
                 "(unit quaternions); linear momentum for constant M. High frequencies are damped as rho_inf says",
             .needs = "first derivatives of everything, d(M v)/dq, d(W r)/dq",
             .stability = "whatever dt",
             .reference = "Capobianco, Harsch, Eugster, Leine: A nonsmooth generalized-alpha method for mechanical "
                          "systems with frictional contact. International Journal for Numerical Methods in Engineering "
                          "122 (2021) 6497-6526",
             .promise = {.order = 2,
                         .velocity_order = 2,
                         .joint_order = 2,
                         .rolling_order = 2,
                         .sliding_order = 1,
                         .event_order = 1,
                         .positions = true,
                         .velocities = true,
                         .invariants = true},
             .options = options,
             .option_count = sizeof options / sizeof *options},
    .stages = 1,
    .finds = true,
    .turns = true,
    INTEGRATOR_FUNCTIONS,
};
