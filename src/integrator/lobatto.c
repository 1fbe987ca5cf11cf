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
#include "integrator/lobatto_fixed.h"
#include "integrator/locate.h"
#include "integrator/report.h"

typedef struct lobatto {
    const carom_model *m;
    lobatto_scheme scheme;
    bool has_rough;
    lobatto_other rough; /* with two stages, for steps that are hard with more, (B19) */
    int spared,
        left; /* steps that follow a failure of Newton's method with two stages, (B20), and those left of them */
    bool located;
    lobatto_fixed fixed;
    locate locate;
    variation *varied;     /* goes along with the steps; NULL: none */
    lobatto_change change; /* of those that capture events */
} lobatto;

/* States and senses of slip, kept in the memory behind s. */
static double *modes_in(const lobatto *l, const motion *now) {
    return lobatto_velocities(&l->scheme, now) + l->m->ns;
}

static bool touches(const carom_model *m, const motion *x) {
    for (int k = 0; k < m->def.contacts; k++)
        if (x->contact[k] != CAROM_OPEN || x->P[m->N + k] > 0) return true;
    return false;
}

/* (B19): two stages, but only where contacts take part. A step without them that has no solution is divided, and keeps
 * its order. */
static bool capture_roughly(lobatto *l, const motion *now, motion *next, double dt, double tolerance,
                            step_report *report) {
    if (report->exhausted) return false;
    report_again(report, l->m->def.contacts);
    if (!lobatto_other_capture(&l->rough, now, next, dt, tolerance, report) || !touches(l->m, next)) return false;
    if (l->varied) variation_lose(l->varied, next->t, "the step to t = %.9g was taken with two stages", next->t);
    return true;
}

/* All stages, if Newton's method alone solves them. If it failed before it will probably fail again, so the attempt is
 * spared, (B20). */
static bool capture_easily(lobatto *l, const motion *now, motion *next, double dt, double tolerance,
                           step_report *report) {
    enum { MOST_SPARED = 7 };
    if (l->left > 0) return l->left--, false;
    l->scheme.easily = true;
    const bool taken = lobatto_capture(&l->scheme, now, next, dt, tolerance, report);
    l->scheme.easily = false;
    l->left = l->spared = taken ? 0 : l->spared < MOST_SPARED ? 2 * l->spared + 1 : MOST_SPARED;
    return taken;
}

static bool capture(lobatto *l, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    if (!l->has_rough) return lobatto_capture(&l->scheme, now, next, dt, tolerance, report);
    if (capture_easily(l, now, next, dt, tolerance, report) || capture_roughly(l, now, next, dt, tolerance, report))
        return true;
    if (report->exhausted) return false;
    report_again(report, l->m->def.contacts);
    return lobatto_capture(&l->scheme, now, next, dt, tolerance, report);
}

static bool step(void *self, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    lobatto *l = self;
    if (l->located)
        return locate_step(&l->locate, now, modes_in(l, now), next, modes_in(l, next), dt, tolerance, report);
    if (!capture(l, now, next, dt, tolerance, report)) return false;
    if (l->varied && !report->reduced) lobatto_change_step(&l->change, now);
    return true;
}

static bool start(void *self, motion *first, step_report *report) {
    lobatto *l = self;
    const carom_model_def *d = &l->m->def;
    double *s = lobatto_velocities(&l->scheme, first);
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
    lobatto_scheme *own = &l->scheme;
    *z = k == 0 ? own->stages.z : own->end.impact.z;
    return k == 0 ? &own->stages.problem : &own->end.impact.problem;
}

static void forget(void *self) {
    lobatto *l = self;
    lobatto_scheme_forget(&l->scheme);
    l->spared = l->left = 0;
    if (l->has_rough) lobatto_scheme_forget(&l->rough.scheme);
    if (l->located) lobatto_fixed_forget(&l->fixed);
    if (l->located) locate_forget(&l->locate);
}

static bool vary(void *self, variation *v) {
    lobatto *l = self;
    l->varied = v;
    if (l->located) return lobatto_fixed_vary(&l->fixed, v) && locate_vary(&l->locate, v);
    lobatto_change_destroy(&l->change);
    return !v || lobatto_change_create(&l->change, &l->scheme, v);
}

/* ---------------------------------------------------------------- setup */

static void destroy(void *self) {
    lobatto *l = self;
    if (!l) return;
    lobatto_change_destroy(&l->change);
    if (l->located) locate_destroy(&l->locate);
    if (l->located) lobatto_fixed_destroy(&l->fixed);
    if (l->has_rough) lobatto_other_destroy(&l->rough);
    lobatto_scheme_destroy(&l->scheme);
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
    int variant, samples;
    bool located;
    carom_status status = option_number(run, "stages", 2, 100, true, &stages, error);
    if (!status) status = option_choice(run, "variant", variants, &variant, error);
    if (!status) status = locate_options(run, model, (int)stages, variant == 1, &located, &samples, error);
    if (!status) status = check_model(model, (int)stages, error);
    if (status) return status;
    lobatto *l = *self = calloc(1, sizeof *l);
    if (!l) return carom_error_memory(error);
    l->m = model;
    *memory = (int)stages * model->ns;
    bool ok = lobatto_scheme_create(&l->scheme, model, (int)stages, variant == 1, located);
    l->has_rough = ok && stages > 2 && variant == 0 && model->def.contacts > 0;
    if (l->has_rough) ok = lobatto_other_create(&l->rough, &l->scheme, 2);
    if (ok && located) {
        l->located = true;
        ok = lobatto_fixed_create(&l->fixed, &l->scheme, l->has_rough ? &l->rough : NULL);
        fixed_scheme fixed = lobatto_fixed_scheme(&l->fixed);
        fixed.run = run;
        ok = locate_create(&l->locate, model, fixed, samples, *memory) && ok;
        *memory += locate_modes(model);
    }
    return ok ? CAROM_OK : carom_error_memory(error);
}

static bool rebounds(const carom_model *m) {
    for (int k = 0; k < m->def.contacts; k++)
        if (m->def.contact[k].restitution > 0) return true;
    return false;
}

/* (X10), (X19). What rebounds has the velocity of the start of the step, and may not turn before it strikes, (X20). */
static stability_limit limit(const void *self) {
    static const double pi = 3.14159265358979, squares[] = {4, 8, 9.68901115719298, 9.86239543133307};
    static const double divided[] = {0.280056016805602, 1.43765427443948, 2.50749002250289, 3.05971564013317};
    const lobatto *l = self;
    const int s = !l->located && rebounds(l->m) && l->scheme.stages.s > 5 ? 5 : l->scheme.stages.s;
    if (s < 6) return (stability_limit){.x = sqrt(squares[s - 2]), .divided = divided[s - 2]};
    const double x = 0.995 * pi * ((s - 2) / 2);
    return (stability_limit){.x = x, .divided = 0.87 * x};
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
         .option_count = sizeof options / sizeof *options},
    .stages = 2,
    .any_laws = true,
    .finds = true,
    .turns = true,
    INTEGRATOR_FUNCTIONS,
    .limit = limit,
    .events = events,
    .certifies = certifies,
    .sides = sides,
    .vary = vary,
};
