/* s-stage Lobatto IIIA-IIIB with frictional contact, order 2s-2 (Capobianco, Harsch, Leyendecker;
 * docs/theory/lobatto.md).
 *
 * First the stages, (B6)-(B10), which know nothing of the end velocity, since the last column of a^ vanishes. Then the
 * velocity problem (I1)-(I4) at (t_{n+1}, q_{n+1} = Q^s) for v_{n+1} and the percussion DP = sum_j b_j R^j of the step:
 *     p(t_{n+1},q_{n+1},v_{n+1}) = p_n + sum_j b_j F^j                                                      (B11)
 *     g_dot = 0,  gamma = 0                                                                                 (B12)
 *     xi_N in N(-DP_N) if a stage closed the contact, else DP_N = 0;    xi_F in N(-DP_F)                    (B13)
 * In a step without impact, contacts that were closed before and can turn their slip instead continue:
 *     gamma_F(t_{n+1},q_{n+1},v_{n+1}) in N(-R_F^s) on the ball of radius mu R_N^s, sliding along y_s       (B14) */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/impact.h"
#include "integrator/lobatto_stages.h"

typedef struct lobatto {
    const carom_model *m;
    bool published;
    lobatto_stages stages;
    impact end;
    double *before;   /* [ns] s at t_n, without the slips of contacts that continue */
    double *earlier;  /* [ns] sum_{j<s} b_j R^j */
    double *counted;  /* [ns] the part of it that the unknown percussions of the end contain */
    bool *persistent; /* [contacts] closed and not moving at t_n */
} lobatto;

/* ---------------------------------------------------------------- the stages */

/* The velocity functions s(t_n, q_n, v_n), kept in the memory after R^1..R^{s-1}. */
static double *velocities_in(const lobatto *l, const motion *now) {
    return now->memory + (l->stages.s - 1) * l->m->ns;
}

static void find_persistent(lobatto *l, const motion *now, double tolerance) {
    for (int k = 0; k < l->m->def.contacts; k++) {
        const problem_law *normal = law_of_contact(&l->stages.problem, l->m, 0, k);
        double gap_dot = normal->level * l->stages.dt * velocities_in(l, now)[l->m->N + k];
        l->persistent[k] = now->contact[k] != CAROM_OPEN && fabs(gap_dot) <= 10 * (tolerance + normal->floor);
    }
}

/* (B10): R_F^{i-1} slides along y_{i-1}, in contacts that go on sliding. */
static bool set_directions(lobatto *l, bool wanted) {
    lobatto_stages *st = &l->stages;
    bool any = false;
    for (int k = 0; k < l->m->def.contacts; k++)
        for (int copy = 0; copy < st->s - 1 && l->m->def.contact[k].slips > 1; copy++) {
            problem_law *friction = law_of_friction(&st->problem, l->m, copy, k);
            friction->directed = wanted && !l->published && l->persistent[k];
            friction->direction = lobatto_slip_row(st, copy, k);
            any = any || friction->directed;
        }
    return any;
}

static void guess(lobatto *l, const motion *now) {
    const carom_model_def *d = &l->m->def;
    double *z = l->stages.z;
    for (int i = 0; i < l->stages.s; i++, z += d->nu) memcpy(z, now->u, (size_t)d->nu * sizeof *z);
    for (int i = 1; i < l->stages.s && !l->m->trivial; i++, z += d->nq) memcpy(z, now->q, (size_t)d->nq * sizeof *z);
    memcpy(z, now->memory, (size_t)((l->stages.s - 1) * l->m->ns) * sizeof *z);
}

static bool solve_stages(lobatto *l, const motion *now, double tolerance, step_report *report) {
    solver_report found = {.singular = true};
    guess(l, now);
    bool directed = set_directions(l, true), solved = lobatto_stages_solve(&l->stages, tolerance, &found);
    report->newton[0] = found.iterations;
    if (!solved && directed) { /* slip that comes to rest has no direction to follow */
        guess(l, now);
        set_directions(l, false);
        solved = lobatto_stages_solve(&l->stages, tolerance, &found);
        report->newton[0] += found.iterations;
    }
    report->residual = found.residual;
    if (!solved) explain(report->reason, sizeof report->reason, &l->stages.problem, l->m, &found, "for the positions");
    return solved;
}

/* ---------------------------------------------------------------- the end of the step */

/* Stages that close a contact: the augmented set of lobatto (67), asked of their laws. */
static int closed_stages(lobatto *l, int contact) {
    int closed = 0;
    for (int copy = l->published ? l->stages.s - 2 : 0; copy < l->stages.s - 1; copy++)
        closed += law_of_contact(&l->stages.problem, l->m, copy, contact)->branch == LAW_HOLD;
    return closed;
}

/* (B13), or (B14) for contacts that continue: then the unknown is the percussion of the last stage, b_s R^s. */
static void choose_laws(lobatto *l) {
    const carom_model *m = l->m;
    lobatto_stages *st = &l->stages;
    bool strikes = l->published;
    for (int k = 0; k < m->def.contacts; k++) {
        int closed = closed_stages(l, k);
        strikes = strikes || (closed > 0 && !l->persistent[k]);
        impact_close(&l->end, k, closed > 0);
    }
    for (int k = 0; k < m->def.contacts && !strikes; k++) {
        int F = m->F + m->slip[k], slips = m->def.contact[k].slips;
        if (slips < 2 || !l->persistent[k] || closed_stages(l, k) < st->s - 1) continue;
        double y[LAW_SIZE];
        lobatto_slip(st, st->s - 1, k, y);
        impact_slide_on(&l->end, k, l->earlier[m->N + k], y);
        memset(l->counted + F, 0, (size_t)slips * sizeof *l->counted);
        memset(l->before + F, 0, (size_t)slips * sizeof *l->before);
    }
}

/* (B11), written as M (v_{n+1} - V^s) = f + W DP: p is affine in the velocity. */
static bool balance_end(lobatto *l) {
    const carom_model *m = l->m;
    const carom_model_def *d = &m->def;
    lobatto_stages *st = &l->stages;
    lobatto_stage *last = &st->stage[st->s - 1];
    impact *e = &l->end;
    if (d->mass(d->context, last->t, last->Q, last->M)) return false;
    e->M = last->M, e->WT = last->WT, e->v = last->V, e->before = l->before;
    for (int k = 0; k < d->nu; k++) {
        e->f[k] = st->p_n[k] - last->p[k];
        for (int j = 0; j < st->s; j++) e->f[k] += st->b[j] * st->stage[j].F[k];
    }
    pattern_multiply_transposed(&d->WT, e->WT, -1, l->counted, e->f);
    impact_set_chi(e, last->s, last->V);
    return true;
}

static bool solve_end(lobatto *l, const motion *now, double tolerance, step_report *report) {
    const carom_model *m = l->m;
    size_t ns = (size_t)m->ns, nu = (size_t)m->def.nu;
    for (size_t k = 0; k < ns; k++) {
        l->earlier[k] = 0;
        for (int j = 0; j < l->stages.s - 1; j++)
            l->earlier[k] += l->stages.b[j] * lobatto_percussions(&l->stages, j)[k];
    }
    memcpy(l->counted, l->earlier, ns * sizeof *l->counted);
    memcpy(l->before, velocities_in(l, now), ns * sizeof *l->before);
    choose_laws(l);
    solver_report found = {.undefined = true};
    bool solved = false;
    if (balance_end(l)) {
        memcpy(l->end.z, l->end.v, nu * sizeof *l->end.z);
        for (size_t k = 0; k < ns; k++) l->end.z[nu + k] = now->P[k] + l->counted[k] - l->earlier[k];
        solved = impact_solve(&l->end, tolerance, &found);
    }
    report->newton[1] = found.iterations;
    report->residual = fmax(report->residual, found.residual);
    if (!solved) explain(report->reason, sizeof report->reason, &l->end.problem, m, &found, "for the velocities");
    return solved;
}

/* ---------------------------------------------------------------- the step */

static bool step(void *self, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    lobatto *l = self;
    const carom_model *m = l->m;
    lobatto_stages *st = &l->stages;
    size_t nu = (size_t)m->def.nu, ns = (size_t)m->ns;
    if (!lobatto_stages_begin(st, now->t, now->q, now->u, dt)) {
        strcpy(report->reason, "the model is not defined at the start of the step");
        return false;
    }
    find_persistent(l, now, tolerance);
    if (!solve_stages(l, now, tolerance, report) || !solve_end(l, now, tolerance, report)) return false;

    memcpy(next->q, st->stage[st->s - 1].Q, (size_t)m->def.nq * sizeof *next->q);
    memcpy(next->u, l->end.z, nu * sizeof *next->u);
    for (size_t k = 0; k < ns; k++) next->P[k] = l->end.z[nu + k] + l->earlier[k] - l->counted[k];
    contact_states(&l->end.problem, m, next->contact);
    memcpy(next->memory, lobatto_percussions(st, 0), (size_t)(st->s - 1) * ns * sizeof *next->memory);
    impact_velocities(&l->end, velocities_in(l, next));
    return true;
}

static int start(void *self, motion *first) {
    const lobatto *l = self;
    const carom_model_def *d = &l->m->def;
    double *s = velocities_in(l, first);
    memset(first->memory, 0, (size_t)(s - first->memory) * sizeof *s);
    return l->m->ns && d->velocity(d->context, first->t, first->q, first->u, s, NULL, NULL);
}

static problem *stage(void *self, int k, const double **z) {
    lobatto *l = self;
    *z = k == 0 ? l->stages.z : l->end.z;
    return k == 0 ? &l->stages.problem : &l->end.problem;
}

static void forget(void *self) {
    lobatto *l = self;
    solver_forget(l->stages.solver);
    solver_forget(l->end.solver);
}

/* ---------------------------------------------------------------- setup */

static void destroy(void *self) {
    lobatto *l = self;
    if (!l) return;
    lobatto_stages_destroy(&l->stages);
    impact_destroy(&l->end);
    free(l->before);
    free(l->persistent);
    free(l);
}

static carom_status check_model(const carom_model *m, int s, carom_error *error) {
    if (!model_has_momentum(m))
        return carom_error_set(error, CAROM_DATA,
                               "lobatto needs the model's function 'momentum', since its mass matrix depends on q");
    if (s > 2 && m->ns && !m->def.direction_q)
        return carom_error_set(error, CAROM_DATA,
                               "lobatto with more than two stages needs the model's function 'direction_q', d(W r)/dq");
    return CAROM_OK;
}

static carom_status create(const carom_model *model, const carom_run_def *run, void **self, int *memory,
                           carom_error *error) {
    static const char *const variants[] = {"cured", "published", NULL};
    double stages = 3;
    int variant;
    carom_status status = option_number(run, "stages", 2, 100, true, &stages, error);
    if (!status) status = option_choice(run, "variant", variants, &variant, error);
    if (!status) status = check_model(model, (int)stages, error);
    if (status) return status;
    lobatto *l = *self = calloc(1, sizeof *l);
    if (!l) return carom_error_memory(error);
    size_t ns = (size_t)model->ns;
    l->m = model;
    l->published = variant == 1;
    l->before = calloc(3 * ns + 1, sizeof *l->before);
    l->persistent = calloc((size_t)model->def.contacts + 1, sizeof *l->persistent);
    *memory = (int)stages * model->ns;
    bool ok = lobatto_stages_create(&l->stages, model, (int)stages, !l->published);
    if (!impact_create(&l->end, model) || !ok || !l->before || !l->persistent) return carom_error_memory(error);
    l->earlier = l->before + ns;
    l->counted = l->earlier + ns;
    return CAROM_OK;
}

static const carom_option_info options[] = {
    {"stages", "integer from 2 to 100", "number of stages s; the order is 2s-2", "3"},
    {"variant", "cured | published",
     "cured: order 2s-2 also for velocity constraints, sticking and turning slip, impacts taken in the step in which "
     "any stage closes; published: the equations as printed (order s-1 and 1 there, late impacts for s >= 4)",
     "cured"},
};

const integrator integrator_lobatto = {
    .info = {.name = "lobatto",
             .title = "Lobatto IIIA-IIIB with s stages: high order, contacts closed on position and velocity level",
             .order = "2s-2 while no contact changes its state, 1 across impacts and stick-slip transitions",
             .conserves =
                 "constraints and gaps on position and velocity level; for q_dot = u symplectic, with linear and "
                 "angular momentum and the momenta of cyclic coordinates; symmetric. Not the energy of elastic "
                 "impacts: O(dt) is lost or won in each",
             .needs =
                 "momentum p and b = dL/dq + f (or constant M), first derivatives of everything, d(W r)/dq for s > 2",
             .reference =
                 "Capobianco, Harsch, Leyendecker: Lobatto-type variational integrators for mechanical systems with "
                 "frictional contact. Computer Methods in Applied Mechanics and Engineering",
             .promise = {.order = 4,
                         .velocity_order = 4,
                         .joint_order = 4,
                         .rolling_order = 4,
                         .sliding_order = 4,
                         .event_order = 1,
                         .positions = true,
                         .velocities = true,
                         .symmetric = true,
                         .momentum = true,
                         .any_momentum = true,
                         .energy = true},
             .options = options,
             .option_count = 2},
    .stages = 2,
    .create = create,
    .destroy = destroy,
    .start = start,
    .step = step,
    .stage = stage,
    .forget = forget,
};
