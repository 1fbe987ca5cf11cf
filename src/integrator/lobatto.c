/* s-stage Lobatto IIIA-IIIB with frictional contact, order 2s-2 (Capobianco, Harsch, Leyendecker;
 * docs/theory/lobatto.md).
 *
 * First the stages, (B6)-(B10), which know nothing of the end velocity, since the last column of a^ vanishes. Then the
 * velocity problem (I1)-(I4) at (t_{n+1}, q_{n+1} = Q^s) for v_{n+1} and the percussion DP = sum_j b_j R^j of the step:
 *     p(t_{n+1},q_{n+1},v_{n+1}) = p_n + sum_j b_j F^j                                                      (B11)
 *     g_dot = 0,  gamma = 0                                                                                 (B12)
 *     xi_N in N(-DP_N) if a stage closed the contact, else DP_N = 0;    xi_F in N(-DP_F)                    (B13)
 * or, for contacts that slide on, the law (B14) of ending.h with earlier = sum_{j<s} b_j R^j. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/ending.h"
#include "integrator/lobatto_stages.h"
#include "integrator/locate.h"

typedef struct lobatto {
    const carom_model *m;
    lobatto_stages stages;
    bool overshoots; /* with an inner stage, a contact may be closed there and open at the end */
    ending end;
    bool easily; /* stages by Newton's method alone: what it does not solve is taken in another way */
    bool located;
    locate locate;
    double *last; /* R^s of a step with fixed states */
    struct lobatto
        *rough;        /* the same with two stages, for what is captured; NULL: this one has two, or locates nothing */
    double *from, *to; /* [2 ns] its memories before and after a step */
} lobatto;

/* The velocity functions s(t_n, q_n, v_n), kept in the memory after R^1..R^{s-1}. */
static double *velocities_in(const lobatto *l, const motion *now) {
    return now->memory + (l->stages.s - 1) * l->m->ns;
}

/* ---------------------------------------------------------------- the stages */

/* (B10): R_F^{i-1} slides along y_{i-1}, in contacts that were closed before and can turn their slip. */
static bool set_directions(lobatto *l, bool wanted) {
    lobatto_stages *st = &l->stages;
    bool any = false;
    for (int k = 0; k < l->m->def.contacts; k++)
        for (int copy = 0; copy < st->s - 1 && l->m->def.contact[k].slips > 1; copy++) {
            problem_law *friction = law_of_friction(&st->problem, l->m, copy, k);
            friction->directed = wanted && ending_persists(&l->end, k);
            friction->direction = lobatto_slip_row(st, copy, k);
            friction->still = l->end.still;
            any = any || friction->directed;
        }
    return any;
}

/* Percussions are kept in the memory; where events divide steps, over the length of theirs. */
static double kept_over(const lobatto *l) {
    return l->located ? l->stages.dt : 1;
}

static void guess(lobatto *l, const motion *now) {
    const carom_model_def *d = &l->m->def;
    const lobatto_stages *st = &l->stages;
    double *z = st->z;
    for (int i = 0; i < st->s; i++, z += d->nu) memcpy(z, now->u, (size_t)d->nu * sizeof *z);
    for (int i = 1; i < st->s && !l->m->trivial; i++, z += d->nq) memcpy(z, now->q, (size_t)d->nq * sizeof *z);
    for (int k = 0; k < (st->s - 1) * l->m->ns; k++) z[k] = now->memory[k] * kept_over(l);
}

static bool solve_stages(lobatto *l, const motion *now, double tolerance, step_report *report) {
    lobatto_stages *st = &l->stages;
    solver_way *const last_way = l->easily ? solver_solve_fixed : solver_solve_yielding;
    solver_report found;
    guess(l, now);
    bool directed = set_directions(l, true);
    solver_way *const first_way = directed && !l->easily ? solver_solve : last_way;
    bool solved = lobatto_stages_solve(st, first_way, tolerance, &found);
    report->newton[0] += found.iterations;
    if (!solved && directed) { /* slip that comes to rest has no direction to follow */
        guess(l, now);
        set_directions(l, false);
        solved = lobatto_stages_solve(st, last_way, tolerance, &found);
        report->newton[0] += found.iterations;
    }
    report->residual = found.residual;
    report->yielded = fmax(report->yielded, found.yielded);
    if (!solved) explain(report->reason, sizeof report->reason, &st->problem, l->m, &found, "for the positions");
    return solved;
}

/* A contact that presses at an inner stage and is open at the end has been thrown off in between: the impact law would
 * press on bodies that are apart, and stop them there. A gap below the tolerance is closed. */
static bool thrown_off(lobatto *l, int contact, double tolerance) {
    lobatto_stages *st = &l->stages;
    const problem_law *end = law_of_contact(&st->problem, l->m, st->s - 2, contact);
    return ending_touches(&l->end, &st->problem, st->s - 2, contact) > 0 &&
           end->level * solver_rows(st->solver)[end->row] > tolerance + end->floor;
}

static bool strikes(lobatto *l) {
    for (int k = 0; k < l->m->def.contacts; k++)
        if (ending_strikes(&l->end, &l->stages.problem, l->stages.s - 1, k)) return true;
    return false;
}

/* (B18): from the first stage that closes it, the contact stays closed. */
static void keep_closed(lobatto *l, int contact) {
    bool closed = false;
    for (int copy = 0; copy < l->stages.s - 1; copy++) {
        problem_law *normal = law_of_contact(&l->stages.problem, l->m, copy, contact);
        closed = closed || normal->branch == LAW_HOLD;
        if (closed) normal->law = &law_bilateral;
    }
}

static void let_go(lobatto *l) {
    for (int k = 0; k < l->m->def.contacts; k++)
        for (int copy = 0; copy < l->stages.s - 1; copy++)
            law_of_contact(&l->stages.problem, l->m, copy, k)->law = &law_signorini;
}

/* Without an impact, a contact that opens has lifted off, which stages may well do. True: some contact is caught. */
static bool catch_thrown_off(lobatto *l, double tolerance) {
    bool any = false;
    if (!l->overshoots || !strikes(l)) return false;
    for (int k = 0; k < l->m->def.contacts; k++)
        if (thrown_off(l, k, tolerance)) keep_closed(l, k), any = true;
    return any;
}

/* ---------------------------------------------------------------- the end of the step */

/* (B11), written as M (v_{n+1} - V^s) = f + W (DP - earlier): p is affine in the velocity. */
static bool balance_end(lobatto *l) {
    const carom_model *m = l->m;
    const carom_model_def *d = &m->def;
    lobatto_stages *st = &l->stages;
    lobatto_stage *last = &st->stage[st->s - 1];
    impact *e = &l->end.impact;
    if (d->mass(d->context, last->t, last->Q, last->M)) return false;
    e->M = last->M, e->WT = last->WT, e->v = last->V;
    for (int k = 0; k < d->nu; k++) {
        e->f[k] = st->p_n[k] - last->p[k];
        for (int j = 0; j < st->s; j++) e->f[k] += st->b[j] * st->stage[j].F[k];
    }
    for (int k = 0; k < m->ns; k++) {
        l->end.earlier[k] = 0;
        for (int j = 0; j < st->s - 1; j++) l->end.earlier[k] += st->b[j] * lobatto_percussions(st, j)[k];
    }
    impact_set_chi(e, last->s, last->V);
    return true;
}

/* b_s R^s over the sum of the others, for percussions of a steady force. */
static double share_of_end(const lobatto_stages *st) {
    double last = st->b[st->s - 1];
    return last / (1 - last);
}

/* ---------------------------------------------------------------- the step */

static bool take_stages(lobatto *l, const motion *now, double dt, double tolerance, step_report *report) {
    if (!lobatto_stages_begin(&l->stages, now->t, now->q, now->u, dt, false)) return explain_undefined(report, "start");
    ending_begin(&l->end, now, velocities_in(l, now), &l->stages.problem, dt, tolerance);
    if (!solve_stages(l, now, tolerance, report)) return false;
    if (!catch_thrown_off(l, tolerance)) return true;
    const bool caught = solve_stages(l, now, tolerance, report);
    let_go(l);
    return caught || solve_stages(l, now, tolerance, report);
}

static void read(lobatto *l, motion *next) {
    const lobatto_stages *st = &l->stages;
    const int ns = l->m->ns;
    memcpy(next->q, st->stage[st->s - 1].Q, (size_t)l->m->def.nq * sizeof *next->q);
    ending_read(&l->end, next);
    for (int j = 0; j < l->stages.s - 1; j++)
        for (int k = 0; k < ns; k++) next->memory[j * ns + k] = lobatto_percussions(st, j)[k] / kept_over(l);
    impact_velocities(&l->end.impact, velocities_in(l, next));
}

/* ---------------------------------------------------------------- located events */

/* States and senses of slip, kept in the memory behind s. */
static double *modes_in(const lobatto *l, const motion *now) {
    return velocities_in(l, now) + l->m->ns;
}

/* Laws of the stages for fixed states. Slip in one direction has a given sense; in more it follows y_{i-1}, which says
 * nothing in the first stage where slip begins from rest, and nowhere before there is slip at all (straight). True:
 * some slip begins. */
static bool fix_stages(lobatto *l, const motion *now, double tolerance, bool straight) {
    lobatto_stages *st = &l->stages;
    const carom_model *m = l->m;
    const double *s = velocities_in(l, now);
    bool any = false;
    for (int k = 0; k < m->def.contacts; k++) {
        carom_contact_state state = (carom_contact_state)now->contact[k];
        int slips = m->def.contact[k].slips;
        bool begins = state == CAROM_SLIP && slips > 1;
        for (int j = 0; j < slips; j++) begins = begins && fabs(s[m->F + m->slip[k] + j]) <= 100 * tolerance;
        for (int copy = 0; copy < st->s - 1; copy++) {
            bool given = slips == 1 || (begins && (straight || copy == 0));
            contact_fix(&st->problem, m, copy, k, state,
                        given ? lobatto_sense_row(st, k) : lobatto_slip_row(st, copy, k));
        }
        any = any || begins;
    }
    return any;
}

static bool solve_fixed_stages(lobatto *l, const motion *now, double tolerance, step_report *report) {
    lobatto_stages *st = &l->stages;
    solver_report found;
    bool begins = fix_stages(l, now, tolerance, true);
    guess(l, now);
    bool solved = lobatto_stages_solve(st, solver_solve_fixed, tolerance, &found);
    report->newton[0] += found.iterations;
    if (solved && begins && st->s > 2) {
        fix_stages(l, now, tolerance, false);
        solved = lobatto_stages_solve(st, solver_solve_fixed, tolerance, &found);
        report->newton[0] += found.iterations;
    }
    report->residual = found.residual;
    if (!solved) explain(report->reason, sizeof report->reason, &st->problem, l->m, &found, "for the positions");
    return solved;
}

static const double *stage_slips(const lobatto *l, int i) {
    const lobatto_stages *st = &l->stages;
    return solver_rows(st->solver) + lobatto_slip_row(st, i, 0);
}

static bool step_fixed(void *self, const motion *now, const double *sense, bool by_rates, const double *kept,
                       motion *next, double tolerance, step_report *report) {
    lobatto *l = self;
    const carom_model *m = l->m;
    lobatto_stages *st = &l->stages;
    memcpy(st->sense, sense, (size_t)m->slips * sizeof *sense);
    if (!lobatto_stages_begin(st, now->t, now->q, now->u, next->t - now->t, by_rates))
        return explain_undefined(report, "start");
    st->kept = kept;
    if (!solve_fixed_stages(l, now, tolerance, report)) return false;
    if (!balance_end(l)) return explain_undefined(report, "end");
    ending_fix(&l->end, now->contact, sense, stage_slips(l, st->s - 1), share_of_end(st));
    if (!ending_solve(&l->end, tolerance, report)) return false;
    read(l, next);
    memcpy(next->contact, now->contact, (size_t)m->def.contacts * sizeof *next->contact);
    for (int k = 0; k < m->ns; k++) l->last[k] = impact_percussion(&l->end.impact)[k] / st->b[st->s - 1];
    return true;
}

static bool admit(void *self, const motion *now, const double *sense, motion *next, double zero, double tolerance,
                  step_report *report) {
    lobatto *l = self;
    const int s = l->stages.s, ns = l->m->ns;
    if (!ending_admit(&l->end, now->contact, sense, stage_slips(l, s - 1), zero, tolerance, report, next)) return false;
    for (int k = 0; k < (s - 1) * ns; k++) next->memory[k] = next->P[k % ns] / kept_over(l);
    return true;
}

static void show_node(const void *self, int i, scheme_node *node) {
    const lobatto *l = self;
    const lobatto_stages *st = &l->stages;
    *node = (scheme_node){.q = st->stage[i].Q, .u = st->stage[i].V};
    node->percussion = i < st->s - 1 ? lobatto_percussions(st, i) : l->last;
    if (i > 0) node->gaps = st->stage[i].c, node->slips = stage_slips(l, i);
}

static bool capture_step(void *self, const motion *now, motion *next, double dt, double tolerance,
                         step_report *report) {
    lobatto *l = self;
    if (!take_stages(l, now, dt, tolerance, report)) return false;
    lobatto_stages *st = &l->stages;
    if (!balance_end(l)) return explain_undefined(report, "end");
    if (!ending_capture(&l->end, &st->problem, solver_rows(st->solver), st->s - 1, share_of_end(st), tolerance, report))
        return false;
    read(l, next);
    return true;
}

static bool obey(void *self, const motion *now, motion *next, double tolerance, step_report *report) {
    lobatto *l = self;
    contacts_release(&l->stages.problem);
    l->easily = l->rough != NULL;
    bool obeyed = capture_step(self, now, next, next->t - now->t, tolerance, report);
    l->easily = false;
    return obeyed;
}

/* x as the scheme with two stages keeps it: percussions of one stage, over the step, and s. */
static motion rough_motion(const lobatto *l, const motion *x, double *memory, double dt) {
    const int ns = l->m->ns;
    motion rough = *x;
    rough.memory = memory;
    for (int k = 0; k < ns; k++) memory[k] = x->memory[k] * dt, memory[ns + k] = velocities_in(l, x)[k];
    return rough;
}

/* What is captured has order 1 whatever the stages: two of them find a solution where more do not. */
static bool capture_rest(void *self, const motion *now, motion *next, double tolerance, step_report *report) {
    lobatto *l = self;
    const int ns = l->m->ns, s = l->stages.s;
    const double dt = next->t - now->t;
    if (!l->rough) return obey(self, now, next, tolerance, report);
    motion from = rough_motion(l, now, l->from, dt), to = rough_motion(l, next, l->to, dt);
    if (!capture_step(l->rough, &from, &to, dt, tolerance, report)) return false;
    for (int k = 0; k < (s - 1) * ns; k++) next->memory[k] = l->to[k % ns] / dt;
    memcpy(velocities_in(l, next), l->to + ns, (size_t)ns * sizeof *l->to);
    return true;
}

static bool step(void *self, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    lobatto *l = self;
    if (!l->located) return capture_step(l, now, next, dt, tolerance, report);
    return locate_step(&l->locate, now, modes_in(l, now), next, modes_in(l, next), dt, tolerance, report);
}

static bool start(void *self, motion *first, step_report *report) {
    lobatto *l = self;
    const carom_model_def *d = &l->m->def;
    double *s = velocities_in(l, first);
    memset(first->memory, 0, (size_t)(s - first->memory) * sizeof *s);
    if (l->m->ns && d->velocity(d->context, first->t, first->q, first->u, s, NULL, NULL)) return false;
    return !l->located || locate_start(&l->locate, first, modes_in(l, first), report);
}

static const event_log *events(void *self) {
    lobatto *l = self;
    return l->located ? locate_events(&l->locate) : NULL;
}

static bool certifies(void *self) {
    const lobatto *l = self;
    return l->located && locate_certifies(&l->locate);
}

static const int *sides(void *self) {
    const lobatto *l = self;
    return l->located ? locate_sides(&l->locate) : NULL;
}

static problem *stage(void *self, int k, const double **z) {
    lobatto *l = self;
    *z = k == 0 ? l->stages.z : l->end.impact.z;
    return k == 0 ? &l->stages.problem : &l->end.impact.problem;
}

static void forget(void *self) {
    lobatto *l = self;
    solver_forget(l->stages.solver);
    solver_forget(l->end.impact.solver);
    if (l->located) locate_forget(&l->locate);
    if (l->rough) forget(l->rough);
}

/* ---------------------------------------------------------------- setup */

static void destroy(void *self) {
    lobatto *l = self;
    if (!l) return;
    lobatto_stages_destroy(&l->stages);
    ending_destroy(&l->end);
    if (l->located) locate_destroy(&l->locate);
    destroy(l->rough);
    free(l->last);
    free(l);
}

/* NULL: out of memory. */
static lobatto *create_captured(const carom_model *m, int s, bool published, bool located) {
    lobatto *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->m = m;
    l->overshoots = !published && s > 2;
    bool ok = lobatto_stages_create(&l->stages, m, s, !published, located);
    l->stages.problem.absolute = published;
    if (ending_create(&l->end, m, published) && ok) return l;
    destroy(l);
    return NULL;
}

/* False: out of memory. */
static bool create_located(lobatto *l, int samples, int memory) {
    const int s = l->stages.s, ns = l->m->ns;
    const fixed_scheme scheme = {.self = l,
                                 .nodes = s,
                                 .c = l->stages.c,
                                 .s_at = (s - 1) * ns,
                                 .onset = s > 2 ? 1 : 1e-3, /* two stages do not know where slip turns */
                                 .step = step_fixed,
                                 .node = show_node,
                                 .admit = admit,
                                 .obey = obey,
                                 .capture = capture_rest};
    l->located = true;
    bool ok = locate_create(&l->locate, l->m, scheme, samples, memory);
    l->last = calloc(5 * (size_t)ns + 1, sizeof *l->last);
    if (s > 2) ok = (l->rough = create_captured(l->m, 2, false, false)) && ok;
    if (l->last) l->from = l->last + ns, l->to = l->from + 2 * ns;
    return ok && l->last;
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
    int variant, samples;
    bool located;
    carom_status status = option_number(run, "stages", 2, 100, true, &stages, error);
    if (!status) status = option_choice(run, "variant", variants, &variant, error);
    if (!status) status = locate_options(run, model, (int)stages, variant == 1, &located, &samples, error);
    if (!status) status = check_model(model, (int)stages, error);
    if (status) return status;
    lobatto *l = *self = create_captured(model, (int)stages, variant == 1, located);
    if (!l) return carom_error_memory(error);
    *memory = (int)stages * model->ns;
    if (located && !create_located(l, samples, *memory)) return carom_error_memory(error);
    if (located) *memory += locate_modes(model);
    return CAROM_OK;
}

static bool rebounds(const carom_model *m) {
    for (int k = 0; k < m->def.contacts; k++)
        if (m->def.contact[k].restitution > 0) return true;
    return false;
}

/* (X10), (X19). What rebounds has the velocity of the start of the step, and may not turn before it strikes, (X20). */
static stability_limit limit(const void *self) {
    static const double pi = 3.14159265358979, squares[] = {4, 8, 9.68901115719298, 9.86239543133307};
    static const double divided[] = {0.603022689155527, 1.96478718420951, 2.85062978587691, 3.12134754906924};
    const lobatto *l = self;
    const int s = !l->located && rebounds(l->m) && l->stages.s > 5 ? 5 : l->stages.s;
    if (s < 6) return (stability_limit){.x = sqrt(squares[s - 2]), .divided = divided[s - 2]};
    const double x = 0.995 * pi * ((s - 2) / 2);
    return (stability_limit){.x = x, .divided = 0.95 * x};
}

static const carom_option_info options[] = {
    {"stages", "integer from 2 to 100", "number of stages s; the order is 2s-2", "3"},
    {"variant", "cured | published",
     "cured: order 2s-2 also for velocity constraints, sticking and turning slip, impacts taken in the step in which "
     "any stage closes; published: the equations as printed (order s-1 and 1 there, late impacts for s >= 4)",
     "cured"},
    LOCATE_OPTIONS,
};

const integrator integrator_lobatto = {
    .info =
        {.name = "lobatto",
         .title = "Lobatto IIIA-IIIB with s stages: high order, contacts closed on position and velocity level",
         .order = "2s-2 while no contact changes its state, 1 across impacts and stick-slip transitions; 2s-2 "
                  "throughout with events: locate",
         .conserves = "constraints and gaps on position and velocity level; for q_dot = u symplectic, with linear and "
                      "angular momentum and the momenta of cyclic coordinates; symmetric. Not the energy of elastic "
                      "impacts: O(dt) is lost or won in each",
         .needs = "momentum p and b = dL/dq + f (or constant M), first derivatives of everything, d(W r)/dq for s > 2",
         .stability =
             "dt omega < 2, 2.828, 3.112, 3.140 for 2, 3, 4, 5 stages and 0.995 pi floor((s-2)/2) for more, omega the "
             "largest frequency of small motions, joints held; dampers do not count; at most 3.140 where contacts "
             "rebound",
         .reference =
             "Capobianco, Harsch, Leyendecker: Lobatto-type variational integrators for mechanical systems with "
             "frictional contact. Computer Methods in Applied Mechanics and Engineering",
         .promise = {PROMISE_ORDER(4), .event_order = 1, .positions = true, .velocities = true, .symmetric = true,
                     .momentum = true, .any_momentum = true, .energy = true},
         .options = options,
         .option_count = 4},
    .stages = 2,
    INTEGRATOR_FUNCTIONS,
    .limit = limit,
    .events = events,
    .certifies = certifies,
    .sides = sides,
};
