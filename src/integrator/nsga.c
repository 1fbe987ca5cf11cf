/* The decoupled nonsmooth generalized-alpha scheme (Galvez, Cavalieri, Cosimo, Bruls, Cardona; docs/theory/nsga.md).
 *
 * Three problems in a row. The smooth motion (v~, q~, lambda~) of the system without contacts, by the generalized-alpha
 * method, and the position correction that closes constraints and contacts at q_1 are those of nsga_stages.h. The
 * velocity jump finds u_1 and the percussions Lambda:
 *
 *     M_1 (u_1 - v~) = dt (h(t_1,q_1,u_1) - h(t_1,q~,v~)) + dt (W_b1 - W_b~) lambda~ - dt (M_1 - M~) v~_dot
 *                    + W_1 Lambda, (G27) for contacts that stay closed                                      (G13)
 *     g_dot(t_1,q_1,u_1) = 0,   gamma(t_1,q_1,u_1) = 0                                                      (G14)
 *     xi_N in N(-Lambda_N) if the position correction closed the contact, else Lambda_N = 0                 (G15)
 *     xi_F in N(-Lambda_F)                                                                                  (G16)
 *
 * with 1 for (t_1,q_1), ~ for (t_1,q~), and xi = s(t_1,q_1,u_1) + e s(t_0,q_0,u_0). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/alpha.h"
#include "integrator/node.h"
#include "integrator/nsga_stages.h"
#include "integrator/rates.h"
#include "integrator/rehearsal.h"
#include "model/definite.h"

typedef struct nsga {
    const carom_model *m;
    alpha c;
    nsga_start start;
    nsga_smooth smooth;
    nsga_position position;
    node end;
    double *v_dot, *lambda; /* of the smooth motion; lambda: [ns], zero for contacts */
    double *forces;         /* directions of percussions in the jump, (G27) */
    bool published;
    double *memory; /* these vectors and those of the start, in one piece */
} nsga;

/* What one step hands to the next: v~_dot and lambda~, and what (G4) makes of them, a and l. */
typedef struct history {
    double *a, *v_dot, *l, *lambda;
} history;

static history history_in(const nsga *o, const motion *x) {
    const int nu = o->m->def.nu, bilateral = o->m->N;
    double *a = x->memory, *v_dot = a + nu, *l = v_dot + nu;
    return (history){a, v_dot, l, l + bilateral};
}

/* ---------------------------------------------------------------- generalized alpha */

/* (G5): a_1, and with it v~ and w~, as functions of v~_dot; then v~_dot and w~ as functions of v~. */
static void predict(nsga *o, const motion *now) {
    const alpha *c = &o->c;
    const history old = history_in(o, now);
    const double dt = o->start.dt, share = c->beta / c->gamma;
    o->smooth.tau = alpha_tau(c, dt);
    for (int j = 0; j < o->m->def.nu; j++) {
        double a = old.a[j], start = now->u[j] + dt * (1 - c->gamma) * a;
        o->smooth.v_hat[j] = start + dt * c->gamma * alpha_acceleration(c, a, old.v_dot[j], 0);
        o->smooth.path.offset[j] = now->u[j] + dt * (0.5 - c->beta) * a - share * start;
    }
}

/* ---------------------------------------------------------------- the three problems */

static bool count(nsga *o, const problem *p, int stage, bool solved, const solver_report *found, step_report *report) {
    static const char *const purpose[] = {"for the positions without contacts", "for the positions",
                                          "for the velocities"};
    report->newton[stage] = found->iterations;
    report->yielded = fmax(report->yielded, found->yielded);
    report->residual = fmax(report->residual, found->residual);
    if (!solved) explain(report, p, o->m, found, purpose[stage]);
    if (!solved && stage == 0 && !o->smooth.closed) explain_joints(report, p, o->m, found);
    return solved;
}

static bool begin(nsga *o, const motion *now, double t1, double dt, step_report *report) {
    const carom_model_def *d = &o->m->def;
    nsga_start *s = &o->start;
    s->now = *now, s->t1 = t1, s->dt = dt;
    contacts_rub_as(&o->position.problem, o->m, now->contact);
    contacts_rub_as(&o->end.impact.problem, o->m, now->contact);
    bool defined = !d->mass(d->context, now->t, now->q, s->M) &&
                   !(o->m->ns && d->velocity(d->context, now->t, now->q, now->u, s->s, s->WT, NULL)) &&
                   !path_begin(&o->smooth.path, now, t1, dt, o->c.beta / o->c.gamma) &&
                   !path_begin(&o->position.path, now, t1, dt, 1);
    if (!defined) explain_undefined(report, "start");
    return defined;
}

/* Forces are guessed as zero, not as the last ones: where joints are redundant what Newton's method adds to the
 * undetermined part of them must not add up over the steps. */
static bool move_smoothly(nsga *o, double tolerance, step_report *report) {
    const carom_model *m = o->m;
    const motion *now = &o->start.now;
    const history old = history_in(o, now);
    nsga_smooth *s = &o->smooth;
    double *P = s->z + s->problem.nF;
    predict(o, now);
    for (int j = 0; j < m->def.nu; j++) s->z[j] = now->u[j] + o->start.dt * old.a[j];
    if (!m->trivial) memcpy(s->z + m->def.nu, now->q, (size_t)m->def.nq * sizeof *s->z);
    memset(P, 0, (size_t)m->ns * sizeof *P);
    solver_report found;
    bool solved = nsga_smooth_solve(s, tolerance, &found);
    for (int j = 0; j < m->def.nu; j++) o->v_dot[j] = (s->z[j] - s->v_hat[j]) / s->tau;
    for (int k = 0; k < m->N; k++) o->lambda[k] = P[k] / s->tau;
    return count(o, &s->problem, 0, solved, &found, report);
}

/* A steady force moves by half of what it does to the velocity: half the last percussion is the guess. */
static bool correct_positions(nsga *o, double tolerance, step_report *report) {
    const carom_model *m = o->m;
    nsga_position *p = &o->position;
    for (int k = 0; k < m->ns; k++) p->z[p->problem.nF + k] = k < m->N ? 0 : o->start.now.P[k] / 2;
    for (int k = 0; k < m->def.contacts; k++) contact_press_with(&p->problem, m, k, o->start.dt / 2, o->lambda);
    solver_report found;
    bool solved = nsga_position_solve(p, tolerance, &found);
    return count(o, &p->problem, 1, solved, &found, report);
}

/* Model quantities at (t_1, q_1), and what (G13) knows before u_1: the terms of ~, and M_1 v~_dot. */
static bool prepare_jump(nsga *o, const double *q1) {
    const carom_model *m = o->m;
    const carom_model_def *d = &m->def;
    const double *v = o->smooth.z, dt = o->start.dt;
    node *n = &o->end;
    impact *i = &n->impact;
    n->t = o->start.t1, n->q = q1, n->w1 = dt;
    if (d->mass(d->context, n->t, q1, n->M) || (m->ns && d->velocity(d->context, n->t, q1, v, n->before, n->WT, NULL)))
        return false;
    i->M = n->M, i->WT = n->WT, i->v = v, i->q = o->start.now.q, i->dt = dt;
    i->problem.at = (friction_place){n->t, q1};
    impact_set_chi(i, n->before, v);
    i->before = o->start.s;
    i->known = o->lambda, i->known_over = dt;
    for (int j = 0; j < d->nu; j++) i->f[j] = -dt * o->smooth.h[j];
    pattern_multiply_transposed(&d->WT, n->WT, dt, o->lambda, i->f);
    pattern_multiply_transposed(&d->WT, o->smooth.WT, -dt, o->lambda, i->f);
    pattern_multiply(&d->M, n->M, -dt, o->v_dot, i->f);
    pattern_multiply(&d->M, o->smooth.M, dt, o->v_dot, i->f);
    return true;
}

/* Closed before the step, and at rest as far as its tolerance can tell; closed after it. */
static bool stays_closed(nsga *o, int contact, double tolerance) {
    const nsga_start *s = &o->start;
    return s->now.contact[contact] != CAROM_OPEN && fabs(s->s[o->m->N + contact]) <= 10 * tolerance &&
           law_of_contact(&o->position.problem, o->m, 0, contact)->branch == LAW_HOLD;
}

/* Says that no contact closes in the step. */
static bool nothing_strikes(nsga *o, double tolerance) {
    for (int k = 0; k < o->m->def.contacts; k++)
        if (law_of_contact(&o->position.problem, o->m, 0, k)->branch == LAW_HOLD && !stays_closed(o, k, tolerance))
            return false;
    return true;
}

/* (G27): forces of contacts that stay closed act over the step, in the mean of the directions at its ends. */
static void direct_forces(nsga *o, double tolerance) {
    const carom_model *m = o->m;
    const carom_pattern *WT = &m->def.WT;
    memcpy(o->forces, o->end.WT, (size_t)pattern_nnz(WT) * sizeof *o->forces);
    o->end.impact.forces = o->forces;
    if (o->published || !nothing_strikes(o, tolerance)) return;
    for (int k = m->N; k < m->ns; k++)
        for (int e = WT->start[k]; e < WT->start[k + 1]; e++) o->forces[e] = (o->start.WT[e] + o->end.WT[e]) / 2;
}

static bool jump(nsga *o, double tolerance, step_report *report) {
    const carom_model *m = o->m;
    impact *i = &o->end.impact;
    double *P = i->z + i->balance.unknowns, dt = o->start.dt;
    solver_report found = {.undefined = true};
    bool solved = false;
    if (prepare_jump(o, nsga_position_end(&o->position))) {
        direct_forces(o, tolerance);
        for (int k = 0; k < m->def.contacts; k++) {
            impact_close(i, k, law_of_contact(&o->position.problem, m, 0, k)->branch == LAW_HOLD);
            contact_press_with(&i->problem, m, k, dt, o->lambda);
        }
        memcpy(i->z, i->v, (size_t)m->def.nu * sizeof *i->z);
        for (int k = 0; k < m->ns; k++) P[k] = k < m->N ? 0 : o->start.now.P[k];
        solved = impact_solve(i, tolerance, &found);
        if (solved) impact_tell(i, report);
    }
    return count(o, &i->problem, 2, solved, &found, report);
}

/* ---------------------------------------------------------------- the step */

/* (G17): constraints exert what (G3), (G4) make of lambda~, and Lambda. */
static void read(nsga *o, const motion *now, motion *next) {
    const carom_model *m = o->m;
    const alpha *c = &o->c;
    const history old = history_in(o, now), new = history_in(o, next);
    memcpy(next->q, nsga_position_end(&o->position), (size_t)m->def.nq * sizeof *next->q);
    node_read(&o->end, next);
    for (int j = 0; j < m->def.nu; j++) {
        new.a[j] = alpha_acceleration(c, old.a[j], old.v_dot[j], o->v_dot[j]);
        new.v_dot[j] = o->v_dot[j];
    }
    for (int k = 0; k < m->N; k++) {
        new.l[k] = alpha_acceleration(c, old.l[k], old.lambda[k], o->lambda[k]);
        new.lambda[k] = o->lambda[k];
        next->P[k] += o->start.dt * ((1 - c->gamma) * old.l[k] + c->gamma * new.l[k]);
    }
}

static bool step(void *self, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    nsga *o = self;
    if (!begin(o, now, next->t, dt, report) || !move_smoothly(o, tolerance, report) ||
        !correct_positions(o, tolerance, report) || !jump(o, tolerance, report))
        return false;
    read(o, now, next);
    return true;
}

/* ---------------------------------------------------------------- the start */

/* (G18): accelerations and forces of the system without contacts. Explicit time in s that a model does not tell is
 * missing from both along M^-1 W_b only, where the first step's lambda~ makes up for it. */
static bool start(void *self, motion *first, step_report *report) {
    nsga *o = self;
    const carom_model *m = o->m;
    const carom_model_def *d = &m->def;
    const history h = history_in(o, first);
    rates r;
    solver_report found = {0};
    bool made = rates_create(&r, m), solved = false;
    double *open = calloc((size_t)(d->contacts + m->slips) + 1, sizeof *open); /* states and senses */
    if (made && open) {
        solved = rates_solve(&r, &(rates_place){first->t, first->q, first->u, open, open + d->contacts, NULL}, false,
                             &found);
        if (!solved) explain(report, &r.impact.problem, m, &found, "for the start");
    } else report->exhausted = true;
    for (int j = 0; solved && j < d->nu; j++) h.a[j] = h.v_dot[j] = r.impact.z[j];
    for (int k = 0; solved && k < m->N; k++) h.l[k] = h.lambda[k] = rates_forces(&r)[k];
    rates_destroy(&r);
    free(open);
    return solved;
}

static problem *stage(void *self, int k, const double **z) {
    nsga *o = self;
    if (k == 2) return node_stage(&o->end, 0, z);
    *z = k == 0 ? o->smooth.z : o->position.z;
    return k == 0 ? &o->smooth.problem : &o->position.problem;
}

static void forget(void *self) {
    nsga *o = self;
    solver_forget(o->smooth.solver);
    solver_forget(o->position.solver);
    node_forget(&o->end);
}

/* ---------------------------------------------------------------- setup */

static void destroy(void *self) {
    nsga *o = self;
    if (!o) return;
    nsga_smooth_destroy(&o->smooth);
    nsga_position_destroy(&o->position);
    node_destroy(&o->end);
    free(o->memory);
    free(o);
}

static bool allocate(nsga *o) {
    const carom_model_def *d = &o->m->def;
    const vector_part parts[] = {
        {&o->start.M, pattern_nnz(&d->M)},
        {&o->start.WT, pattern_nnz(&d->WT)},
        {&o->forces, pattern_nnz(&d->WT)},
        {&o->start.s, o->m->ns},
        {&o->v_dot, d->nu},
        {&o->lambda, o->m->ns},
    };
    return (o->memory = vectors_create(parts, sizeof parts / sizeof *parts)) != NULL;
}

static carom_status check_published(const carom_model *m, carom_error *error) {
    if (!m->slips || m->def.displacement) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA,
                           "the published friction of nsga acts against displacements, which some contact of the model "
                           "does not tell: give it 'displacement' beside 'slip', or take 'variant: general'");
}

/* (21): a characteristic mass of the problem, the mean of the diagonal of M at the start. Where M is not defined there,
 * the first step says so. */
static double typical_mass(nsga *o) {
    const carom_model_def *d = &o->m->def;
    double sum = 0;
    if (d->mass(d->context, d->t0, d->q0, o->start.M)) return 1;
    for (int i = 0; i < d->nu; i++) {
        const double *diagonal = pattern_entry(&d->M, o->start.M, i, i);
        sum += diagonal ? *diagonal : 0;
    }
    return sum / d->nu;
}

static carom_status create(const carom_model *model, const carom_run_def *run, void **self, int *memory,
                           carom_error *error) {
    static const char *const choices[] = {"on", "off", NULL}, *const variants[] = {"general", "published", NULL};
    double rho = 0.8, penalty = 1;
    int without, published = 0;
    bool closed;
    *self = NULL;
    carom_status status = option_number(run, "rho_inf", 0, 1, false, &rho, error);
    if (!status) status = option_number(run, "penalty", 1e-4, 1e4, false, &penalty, error);
    if (!status) status = option_choice(run, "position_friction", choices, &without, error);
    if (!status) status = option_choice(run, "variant", variants, &published, error);
    if (!status && published) status = check_published(model, error);
    if (!status && model->ns && !model->def.direction_q)
        status = carom_error_set(error, CAROM_DATA, "nsga needs the model's function 'direction_q', d(W r)/dq");
    if (!status) status = joints_choose(model, run, &closed, error);
    if (status) return status;
    nsga *o = *self = calloc(1, sizeof *o);
    if (!o) return carom_error_memory(error);
    o->m = o->start.m = model;
    o->c = alpha_for(rho);
    o->published = published;
    *memory = 2 * model->def.nu + 2 * model->N;
    const impact_balance own = node_implicit(&o->end, model);
    bool ok = allocate(o);
    ok = nsga_smooth_create(&o->smooth, &o->start, closed, published) && ok;
    ok = nsga_position_create(&o->position, &o->start, &o->smooth, o->lambda, !without, published) && ok;
    ok = node_create(&o->end, model, &own) && ok;
    const contact_weight weight = {.penalty = penalty, .mass = ok && published ? penalty * typical_mass(o) : 0};
    o->position.weight = o->end.impact.weight = weight;
    return ok ? CAROM_OK : carom_error_memory(error);
}

static const carom_option_info options[] = {
    {"rho_inf", "number in [0, 1]", "spectral radius at infinite frequency: 0 damps most, 1 not at all", "0.8"},
    {"position_friction", "on | off",
     "off: the position correction knows no friction; sticking contacts creep (for study)", "on"},
    {"penalty", "number in [1e-4, 1e4]",
     "multiple of the effective mass of a contact with which its state is chosen; results do not depend on it", "1"},
    {"variant", "general | published",
     "general: rotations by Cayley's map, friction of the position correction against mean slips, which every contact "
     "has. published: rotations by the exponential map, that friction against displacements of points on faces, states "
     "of contacts chosen with one mass for all",
     "general"},
    JOINTS_OPTION("positions of the smooth motion are kept on the joints, too",
                  "; others leave them by O(dt^3), which the position correction takes back"),
};

const integrator integrator_nsga = {
    .info = {.name = "nsga",
             .title = "Decoupled nonsmooth generalized-alpha: smooth motion, position correction, velocity jump",
             .order = "2 without contacts, 1 with them",
             .conserves =
                 "constraints and gaps on position and velocity level, quadratic invariants of the kinematics "
                 "(unit quaternions); linear momentum for constant M. High frequencies are damped as rho_inf says",
             .needs = "first derivatives of everything, d(M v)/dq, d(W r)/dq",
             .stability = "whatever dt",
             .reference = "Galvez, Cavalieri, Cosimo, Bruls, Cardona: A nonsmooth frictional contact formulation for "
                          "multibody system dynamics. International Journal for Numerical Methods in Engineering 121 "
                          "(2020)",
             .promise = {.order = 2,
                         .velocity_order = 2,
                         .joint_order = 2,
                         .rolling_order = 1,
                         .sliding_order = 1,
                         .event_order = 1,
                         .positions = true,
                         .velocities = true,
                         .invariants = true},
             .options = options,
             .option_count = sizeof options / sizeof *options},
    .stages = 3,
    .any_laws = true,
    .finds = true,
    .turns = true,
    INTEGRATOR_FUNCTIONS,
};
