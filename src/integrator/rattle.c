/* Nonsmooth RATTLE (Breuling, Capobianco, Eugster, Leine; docs/theory/rattle.md).
 *
 * Stage 1, (R1)-(R5) in rattle_stage.h, finds q_1, the midpoint velocity u and the percussions P' of the first half
 * step. Stage 2, (R6)-(R9), finds u_1 and the percussions P of the whole step:
 *
 *     M_1 (u_1 - u) = dt/2 h(t_1,q_1,u) + W_1 (P - P')
 *     g_dot(t_1,q_1,u_1) = 0,   gamma(t_1,q_1,u_1) = 0
 *
 * with the laws (B13), (B14) of ending.h, earlier = P'. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/ending.h"
#include "integrator/locate.h"
#include "integrator/rattle_change.h"
#include "integrator/rattle_stage.h"
#include "integrator/turned.h"

typedef struct rattle {
    const carom_model *m;
    rattle_stage first;
    ending second;
    bool located;
    locate locate;
    double *stages;       /* the percussions of both half steps, of located events */
    double *guess;        /* [ns] of P' */
    const double *s;      /* at the end of the last step */
    double *ended;        /* [nu + ns] the solution of stage 2 with fixed states */
    variation *varied;    /* goes along with the steps; NULL: none */
    rattle_change change; /* of a step */
} rattle;

/* ---------------------------------------------------------------- stage 1 */

/* Percussions are kept in the memory; where events divide steps, over the length of theirs. */
static double kept_over(const rattle *r) {
    return r->located ? r->first.dt : 1;
}

/* Half of the last P, where a contact rests. P' of the last step also took back the rounding errors of gaps, which this
 * step does not have: with it, a tower at rest would be solved again in every step. */
static const double *guess_stage1(rattle *r, const motion *now) {
    const carom_model *m = r->m;
    memcpy(r->guess, rattle_last(m, now), (size_t)m->ns * sizeof *r->guess);
    for (int k = 0; k < m->def.contacts; k++) {
        if (!ending_persists(&r->second, k)) continue;
        r->guess[m->N + k] = now->P[m->N + k] / 2;
        for (int i = m->F + m->slip[k]; i < m->F + m->slip[k + 1]; i++) r->guess[i] = now->P[i] / 2;
    }
    return r->guess;
}

static bool solve_stage1(rattle *r, const motion *now, bool fixed, double tolerance, step_report *report) {
    const carom_model *m = r->m;
    problem *p = &r->first.problem;
    solver_report found;
    ending_begin(&r->second, now, rattle_velocities(m, now), p, r->first.dt, tolerance);
    const double *guess = r->located || p->accept > 0 ? rattle_last(m, now) : guess_stage1(r, now);
    bool solved = rattle_stage_solve(&r->first, guess, kept_over(r), fixed, tolerance, &found);
    report->newton[0] = found.iterations;
    report->yielded = fmax(report->yielded, found.yielded);
    report->residual = found.residual;
    if (!solved) explain(report, p, m, &found, "for the positions");
    return solved;
}

/* ---------------------------------------------------------------- stage 2 */

/* (R6), with P' exerted already. */
static bool balance_stage2(rattle *r) {
    const carom_model_def *d = &r->m->def;
    rattle_stage *first = &r->first;
    const double *u = first->z;
    impact *i = &r->second.impact;
    if (!rattle_stage_end(first) || d->force(d->context, first->t1, rattle_stage_position(first), u, i->f, NULL, NULL))
        return false;
    i->M = first->at1.M, i->WT = first->at1.WT, i->extent = first->at1.extent, i->v = u;
    i->problem.at = (friction_place){first->t1, first->at1.q};
    for (int j = 0; j < d->nu; j++) i->f[j] *= first->dt / 2;
    impact_set_chi(i, first->s, u);
    memcpy(r->second.earlier, rattle_stage_percussion(first), (size_t)r->m->ns * sizeof *u);
    return true;
}

/* ---------------------------------------------------------------- the step */

/* (R15) of the next step: nothing where a contact has closed or has another friction, or where both halves of this one
 * differ by more than a smooth motion does; nor where what is added is too little to matter. */
static void remember_added(const rattle *r, const motion *now, const motion *next, double tolerance) {
    const carom_model_def *d = &r->m->def;
    bool smooth = !r->located;
    for (int k = 0; k < d->contacts; k++)
        smooth = smooth && (next->contact[k] == CAROM_OPEN || next->contact[k] == now->contact[k]);
    for (int i = 0; i < d->nu; i++) {
        const double mid = r->first.z[i], first = mid - now->u[i], second = next->u[i] - mid;
        const bool goes_on = smooth && fabs(second - first) <= fabs(second) / 2 && fabs(second) > tolerance;
        const double before = rattle_second(r->m, now)[i]; /* 0: not known */
        rattle_second(r->m, next)[i] = goes_on ? second : 0;
        rattle_added(next)[i] = !goes_on ? 0 : before == 0 ? second : second + (first - before);
    }
}

/* Where events are located, P' is kept over dt. */
static void read(rattle *r, const motion *now, motion *next, double tolerance) {
    const carom_model *m = r->m;
    memcpy(next->q, rattle_stage_position(&r->first), (size_t)m->def.nq * sizeof *next->q);
    ending_read(&r->second, next);
    for (int k = 0; k < m->ns; k++) rattle_last(m, next)[k] = rattle_stage_percussion(&r->first)[k] / kept_over(r);
    impact_velocities(&r->second.impact, rattle_velocities(m, next));
    r->s = rattle_velocities(m, next);
    remember_added(r, now, next, tolerance);
}

static void rub_as(rattle *r, const motion *now) {
    contacts_rub_as(&r->first.problem, r->m, now->contact);
    contacts_rub_as(&r->second.impact.problem, r->m, now->contact);
}

/* (S28) */
static bool has_turned(rattle *r, const motion *now, double tolerance, step_report *report) {
    rattle_stage *first = &r->first;
    const turned_step x = {.t = now->t,
                           .dt = first->dt,
                           .z = first->z,
                           .h = first->h,
                           .WT = first->at0.WT,
                           .P = rattle_stage_percussion(first),
                           .q = {now->q, rattle_stage_position(first)},
                           .gaps = r->second.gaps};
    return turned_without_cause(r->m, &first->problem, &x, tolerance, report);
}

static bool capture_step(rattle *r, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    rattle_stage *first = &r->first;
    rub_as(r, now);
    if (!rattle_stage_begin(first, now, next->t, dt, false, NULL) || !rattle_stage_keep(first, kept_over(r), tolerance))
        return explain_undefined(report, "start");
    if (!solve_stage1(r, now, false, tolerance, report)) return false;
    if (has_turned(r, now, tolerance, report)) return false;
    if (!balance_stage2(r)) return explain_undefined(report, "end");
    if (!ending_capture(&r->second, &first->problem, solver_rows(first->solver), 1, 1, tolerance, report)) return false;
    read(r, now, next, tolerance);
    return true;
}

/* ---------------------------------------------------------------- located events */

static const double *stage_slips(const rattle *r) {
    return solver_rows(r->first.solver) + rattle_slip_row(&r->first);
}

static bool step_fixed(void *self, const motion *now, const double *sense, bool by_rates, bool finely,
                       const double *kept, motion *next, double tolerance, step_report *report) {
    rattle *r = self;
    (void)finely; /* (V28): its order is no more than two */
    const carom_model *m = r->m;
    rattle_stage *first = &r->first;
    rub_as(r, now);
    memcpy(first->sense, sense, (size_t)m->slips * sizeof *sense);
    for (int k = 0; k < m->def.contacts; k++) {
        bool given = m->def.contact[k].slips == 1; /* in more directions slip follows its own mean */
        int row = (given ? first->problem.n : rattle_slip_row(first)) + m->slip[k];
        contact_fix(&first->problem, m, 0, k, (carom_contact_state)now->contact[k], row);
    }
    if (!rattle_stage_begin(first, now, next->t, next->t - now->t, by_rates, kept))
        return explain_undefined(report, "start");
    if (!solve_stage1(r, now, true, tolerance, report)) return false;
    if (!balance_stage2(r)) return explain_undefined(report, "end");
    ending_fix(&r->second, now->contact, sense, stage_slips(r), 1);
    if (!ending_solve(&r->second, tolerance, report)) return false;
    read(r, now, next, tolerance);
    memcpy(next->contact, now->contact, (size_t)m->def.contacts * sizeof *next->contact);
    memcpy(r->stages, rattle_stage_percussion(first), (size_t)m->ns * sizeof *r->stages);
    memcpy(r->stages + m->ns, impact_percussion(&r->second.impact), (size_t)m->ns * sizeof *r->stages);
    memcpy(r->ended, r->second.impact.z, (size_t)(m->def.nu + m->ns) * sizeof *r->ended);
    return true;
}

/* The end of a step with fixed states may have been solved again since, for other percussions. */
static void vary_fixed(void *self, const motion *now, const double *sense, bool by_laws) {
    rattle *r = self;
    if (!by_laws) {
        ending_fix(&r->second, now->contact, sense, stage_slips(r), 1);
        memcpy(r->second.impact.z, r->ended, (size_t)(r->m->def.nu + r->m->ns) * sizeof *r->ended);
    }
    rattle_change_step(&r->change, now);
}

static bool admit(void *self, const motion *now, const double *sense, motion *next, double zero, double tolerance,
                  step_report *report) {
    rattle *r = self;
    if (!ending_admit(&r->second, now->contact, sense, stage_slips(r), zero, tolerance, report, next)) return false;
    for (int k = 0; k < r->m->ns; k++) rattle_last(r->m, next)[k] = next->P[k] / (2 * r->first.dt);
    return true;
}

static bool capture_rest(void *self, const motion *now, motion *next, double tolerance, step_report *report) {
    rattle *r = self;
    contacts_release(&r->first.problem);
    return capture_step(r, now, next, next->t - now->t, tolerance, report);
}

/* Both halves change velocities by what they do, with W at their end of the step (W9f). */
static void add_work(const void *self, const motion *now, const motion *next, double *work) {
    const rattle *r = self;
    const carom_model *m = r->m;
    const carom_pattern *WT = &m->def.WT;
    const double *P = rattle_stage_percussion(&r->first), *s0 = rattle_velocities(m, now);
    const double *middle = r->first.s, *s1 = rattle_velocities(m, next);
    for (int k = 0; k < m->ns; k++) {
        double after = s0[k];
        for (int e = WT->start[k]; e < WT->start[k + 1]; e++)
            after += r->first.at0.WT[e] * (r->first.z[WT->index[e]] - now->u[WT->index[e]]);
        work[k] += P[k] * (s0[k] + after) / 2 + (next->P[k] - P[k]) * (middle[k] + s1[k]) / 2;
    }
}

static void show_node(const void *self, int i, scheme_node *node) {
    const rattle *r = self;
    *node = (scheme_node){.percussion = r->stages + i * r->m->ns};
    if (i == 1) node->gaps = r->first.c, node->slips = stage_slips(r);
}

static bool step(void *self, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    rattle *r = self;
    const int modes = rattle_memory(r->m);
    if (!r->located) {
        const bool taken = capture_step(r, now, next, dt, tolerance, report);
        if (taken && r->varied) rattle_change_step(&r->change, now);
        return taken;
    }
    return locate_step(&r->locate, now, now->memory + modes, next, next->memory + modes, dt, tolerance, report);
}

static bool start(void *self, motion *first, step_report *report) {
    rattle *r = self;
    const carom_model *m = r->m;
    rattle_stage_forget(&r->first);
    memset(first->memory, 0, (size_t)rattle_memory(m) * sizeof *first->memory);
    if (m->ns && m->def.velocity(m->def.context, first->t, first->q, first->u, rattle_velocities(m, first), NULL, NULL))
        return false;
    return !r->located || locate_start(&r->locate, first, first->memory + rattle_memory(m), report);
}

static const event_log *events(void *self) {
    rattle *r = self;
    return r->located ? locate_events(&r->locate) : NULL;
}

static bool certifies(void *self) {
    const rattle *r = self;
    return r->located && locate_certifies(&r->locate);
}

static const int *sides(void *self) {
    const rattle *r = self;
    return r->located ? locate_sides(&r->locate) : NULL;
}

static bool velocities(const void *self, double *s) {
    const rattle *r = self;
    if (!r->located) memcpy(s, r->s, (size_t)r->m->ns * sizeof *s);
    return !r->located;
}

static problem *stage(void *self, int k, const double **z) {
    rattle *r = self;
    *z = k == 0 ? r->first.z : r->second.impact.z;
    return k == 0 ? &r->first.problem : &r->second.impact.problem;
}

static void forget(void *self) {
    rattle *r = self;
    rattle_stage_forget(&r->first);
    solver_forget(r->first.solver);
    solver_forget(r->second.impact.solver);
    if (r->located) locate_forget(&r->locate);
}

static bool vary(void *self, variation *v) {
    rattle *r = self;
    r->varied = v;
    rattle_change_destroy(&r->change);
    const bool ok = !v || rattle_change_create(&r->change, &r->first, &r->second, v);
    return (!r->located || locate_vary(&r->locate, v)) && ok;
}

/* ---------------------------------------------------------------- setup */

static void destroy(void *self) {
    rattle *r = self;
    if (!r) return;
    rattle_change_destroy(&r->change);
    rattle_stage_destroy(&r->first);
    ending_destroy(&r->second);
    if (r->located) locate_destroy(&r->locate);
    free(r->stages);
    free(r->guess);
    free(r->ended);
    free(r);
}

static carom_status create(const carom_model *model, const carom_run_def *run, void **self, int *memory,
                           carom_error *error) {
    static const char *const variants[] = {"cured", "published", NULL};
    int variant, samples;
    bool located;
    carom_status status = option_choice(run, "variant", variants, &variant, error);
    double accept = 0;
    if (!status) status = accept_option(run, &accept, error);
    if (!status) status = locate_options(run, model, 2, variant == 1, &located, &samples, error);
    if (status) return status;
    rattle *r = *self = calloc(1, sizeof *r);
    if (!r) return carom_error_memory(error);
    r->m = model;
    *memory = rattle_memory(model);
    bool ok = rattle_stage_create(&r->first, model, variant == 1, located, accept);
    ok = ending_create(&r->second, model, variant == 1) && ok;
    ok = (r->guess = calloc((size_t)model->ns + 1, sizeof *r->guess)) != NULL && ok;
    r->second.impact.problem.accept = accept;
    if (ok && located) {
        static const double nodes[] = {0, 1};
        fixed_scheme scheme = {.self = r,
                               .nodes = 2,
                               .c = nodes,
                               .s_at = rattle_velocities_at(model),
                               .of_u = 2,
                               .run = run,
                               .onset = 1e-3, /* no stage knows where slip turns */
                               .step = step_fixed,
                               .node = show_node,
                               .work = add_work,
                               .admit = admit,
                               .obey = capture_rest,
                               .capture = capture_rest,
                               .vary = vary_fixed};
        ok = locate_create(&r->locate, model, scheme, samples, *memory);
        r->located = true;
        r->stages = calloc(2 * (size_t)model->ns + 1, sizeof *r->stages);
        r->ended = calloc((size_t)(model->def.nu + model->ns), sizeof *r->ended);
        ok = ok && r->stages && r->ended;
        *memory += locate_modes(model);
    }
    return ok ? CAROM_OK : carom_error_memory(error);
}

static const carom_option_info options[] = {
    {"variant", "cured | published",
     "cured: order 2 also for velocity constraints, sticking and turning slip; published: the equations as printed "
     "(order 1 there)",
     "cured"},
    LOCATE_OPTIONS,
    ACCEPT_OPTIONS,
};

const integrator integrator_rattle = {
    .info = {.name = "rattle",
             .title = "Nonsmooth RATTLE: two half steps, contacts closed on position and velocity level",
             .order =
                 "2 while no contact changes its state, 1 across impacts and stick-slip transitions; 2 throughout with "
                 "events: locate",
             .conserves = "constraints and gaps on position and velocity level, quadratic invariants of the kinematics "
                          "(unit quaternions); linear and angular momentum for constant M and q_dot = u, where it is "
                          "also symplectic; symmetric. Not the energy of elastic impacts: O(dt) is lost or won in each",
             .needs = "first derivatives of q_dot, h, g, g_N, gamma, gamma_F",
             .stability =
                 "dt omega < 2 for the largest frequency omega of small motions, joints held; dampers do not count",
             .reference =
                 "Breuling, Capobianco, Eugster, Leine: A nonsmooth RATTLE algorithm for mechanical systems with "
                 "frictional unilateral constraints. Nonlinear Analysis: Hybrid Systems 52 (2024) 101469",
             .promise = {PROMISE_ORDER(2), .event_order = 1, .positions = true, .velocities = true, .symmetric = true,
                         .momentum = true, .energy = true, .invariants = true},
             .options = options,
             .option_count = sizeof options / sizeof *options},
    .stages = 2,
    .any_laws = true,
    .finds = true,
    .rates = 2,
    INTEGRATOR_FUNCTIONS,
    .limit = stoermer_verlet_limit,
    .events = events,
    .certifies = certifies,
    .sides = sides,
    .velocities = velocities,
    .vary = vary,
};
