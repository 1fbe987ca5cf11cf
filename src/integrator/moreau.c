/* Moreau's time stepping (Capobianco, Eugster 2018, section 4.1; docs/theory/moreau.md).
 *
 * The state between steps is (t_k, q_k, u_k), u_k the velocity after the percussion at t_k. One step, (M1)-(M3):
 *     q_{k+1} = q_k + dt u_k                                     (general kinematics: (K1))
 *     M (u_{k+1} - u_k) = h(t_{k+1}, q_{k+1}, u_k) dt + W P_{k+1}            M, W at (t_{k+1}, q_{k+1})
 *     xi_N, xi_F against the velocities of u_k at q_{k+1}, for contacts with g_N(q_{k+1}) <= 0
 * started from u_1 = u_s, which is the paper's first step. Bilateral constraints hold on velocity level. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/impact.h"
#include "integrator/kinematics.h"

typedef struct moreau {
    const carom_model *m;
    kinematics kinematics;
    impact impact;
    double *M, *WT, *c, *before;
} moreau;

static bool evaluate(moreau *o, double t, const double *q, const double *u, double dt) {
    const carom_model *m = o->m;
    const carom_model_def *d = &m->def;
    impact *i = &o->impact;
    if (d->mass(d->context, t, q, o->M) || d->force(d->context, t, q, u, i->f, NULL, NULL) ||
        (m->ns && d->velocity(d->context, t, q, u, o->before, o->WT, NULL)) ||
        (m->nc && d->position(d->context, t, q, o->c, NULL)))
        return false;
    for (int j = 0; j < d->nu; j++) i->f[j] *= dt;
    i->M = o->M, i->WT = o->WT, i->v = u, i->before = o->before;
    impact_set_chi(i, o->before, u);
    bool finite = true; /* gaps are no rows of the problem: nothing else would notice */
    for (int k = 0; k < d->contacts; k++) {
        finite = finite && isfinite(o->c[d->ng + k]);
        impact_close(i, k, o->c[d->ng + k] <= 0);
    }
    return finite;
}

static bool step(void *self, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    moreau *o = self;
    const carom_model *m = o->m;
    impact *i = &o->impact;
    size_t nu = (size_t)m->def.nu, ns = (size_t)m->ns;
    solver_report found;
    if (!kinematics_advance(&o->kinematics, now->t, now->q, now->u, next->t, dt, next->q, tolerance, &found)) {
        snprintf(report->reason, sizeof report->reason, "no solution found for the positions");
        return false;
    }
    double residual = found.residual;
    memcpy(i->z, now->u, nu * sizeof *i->z);
    memcpy(i->z + nu, now->P, ns * sizeof *i->z);
    found = (solver_report){.undefined = true};
    bool solved = evaluate(o, next->t, next->q, now->u, dt) && impact_solve(i, tolerance, &found);
    report->newton[0] = found.iterations;
    report->residual = found.residual > residual ? found.residual : residual;
    if (!solved) {
        explain(report->reason, sizeof report->reason, &i->problem, m, &found, "for the velocities");
        return false;
    }
    memcpy(next->u, i->z, nu * sizeof *i->z);
    memcpy(next->P, i->z + nu, ns * sizeof *i->z);
    contact_states(&i->problem, m, next->contact);
    return true;
}

static int start(void *self, motion *first) {
    (void)self, (void)first;
    return 0;
}

static problem *stage(void *self, int k, const double **z) {
    (void)k;
    moreau *o = self;
    *z = o->impact.z;
    return &o->impact.problem;
}

static void forget(void *self) {
    moreau *o = self;
    solver_forget(o->impact.solver);
    if (o->kinematics.solver) solver_forget(o->kinematics.solver);
}

static void destroy(void *self) {
    moreau *o = self;
    if (!o) return;
    kinematics_destroy(&o->kinematics);
    impact_destroy(&o->impact);
    free(o->M);
    free(o->WT);
    free(o->c);
    free(o->before);
    free(o);
}

static carom_status create(const carom_model *model, const carom_run_def *run, void **self, int *memory,
                           carom_error *error) {
    (void)run;
    moreau *o = *self = calloc(1, sizeof *o);
    if (!o) return carom_error_memory(error);
    *memory = 0;
    o->m = model;
    o->M = calloc((size_t)pattern_nnz(&model->def.M) + 1, sizeof *o->M);
    o->WT = calloc((size_t)pattern_nnz(&model->def.WT) + 1, sizeof *o->WT);
    o->c = calloc((size_t)model->nc + 1, sizeof *o->c);
    o->before = calloc((size_t)model->ns + 1, sizeof *o->before);
    bool ok = kinematics_create(&o->kinematics, model);
    ok = impact_create(&o->impact, model) && ok;
    return ok && o->M && o->WT && o->c && o->before ? CAROM_OK : carom_error_memory(error);
}

const integrator integrator_moreau = {
    .info = {.name = "moreau",
             .title = "Moreau's time stepping: explicit motion, contacts on velocity level",
             .order = "1",
             .conserves = "velocity constraints and impact laws of closed contacts; quadratic invariants of the "
                          "kinematics. Positions drift: gaps are penetrated and joints opened by O(dt)",
             .needs = "q_dot, M, h, g_N, W; no derivatives, but d(q_dot)/dq for general kinematics",
             .reference =
                 "Capobianco, Eugster: Time finite element based Moreau-type integrators. International Journal "
                 "for Numerical Methods in Engineering 114 (2018), section 4.1; after Moreau (1988)",
             .promise = {.order = 1,
                         .velocity_order = 1,
                         .joint_order = 1,
                         .rolling_order = 1,
                         .sliding_order = 1,
                         .event_order = 1,
                         .velocities = true,
                         .momentum = true,
                         .invariants = true}},
    .stages = 1,
    .create = create,
    .destroy = destroy,
    .start = start,
    .step = step,
    .stage = stage,
    .forget = forget,
};
