#include "integrator/node.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

/* ---------------------------------------------------------------- the kick */

/* M (u - v) - f - w1 h(t,q,u) */
static int implicit_balance(void *self, const csr_block *block, const double *u, double *rows, csr *J) {
    node *n = self;
    const carom_model_def *d = &n->m->def;
    const bool implicit = n->w1 != 0;
    if (implicit && d->force(d->context, n->t, n->q, u, rows ? n->h : NULL, NULL, J ? n->h_u : NULL)) return 1;
    if (rows) {
        balance_momentum(n->m, n->M, n->WT, u, n->impact.v, NULL, rows);
        for (int j = 0; j < d->nu; j++) rows[j] -= n->impact.f[j] + (implicit ? n->w1 * n->h[j] : 0);
    }
    if (J) csr_add(J, &block[0], 1, n->M);
    if (J && implicit) csr_add(J, &block[1], -n->w1, n->h_u);
    return 0;
}

impact_balance node_implicit(node *n, const carom_model *m) {
    const carom_model_def *d = &m->def;
    return (impact_balance){
        .unknowns = d->nu,
        .blocks = 2,
        .block = {{.pattern = &d->M, .last = d->nu}, {.pattern = &d->h_u, .last = d->nu}},
        .context = n,
        .evaluate = implicit_balance,
    };
}

bool node_visit(node *n, double t, const double *q, const double *v) {
    const carom_model *m = n->m;
    const carom_model_def *d = &m->def;
    impact *i = &n->impact;
    if ((m->ns && d->velocity(d->context, t, q, v, n->before, n->WT, NULL)) ||
        (m->nc && d->position(d->context, t, q, n->c, NULL)))
        return false;
    i->M = n->M, i->WT = n->WT, i->v = v, i->before = n->before;
    i->problem.at = (friction_place){t, q};
    impact_set_chi(i, n->before, v);
    bool finite = true; /* gaps are no rows of the problem, so nothing else would notice */
    for (int k = 0; k < d->contacts; k++) {
        finite = finite && isfinite(n->c[d->ng + k]);
        impact_close(i, k, n->c[d->ng + k] <= 0);
    }
    return finite;
}

bool node_solve(node *n, bool defined, const double *P, double tolerance, step_report *report) {
    impact *i = &n->impact;
    solver_report found = {.undefined = true};
    memcpy(i->z + i->balance.unknowns, P, (size_t)n->m->ns * sizeof *P);
    if (defined) memcpy(i->z, i->v, (size_t)n->m->def.nu * sizeof *i->z);
    bool solved = defined && impact_solve(i, tolerance, &found);
    report->newton[0] += found.iterations;
    report->yielded = fmax(report->yielded, found.yielded);
    if (solved) impact_tell(i, report);
    report->residual = fmax(report->residual, found.residual);
    if (!solved) explain(report, &i->problem, n->m, &found, "for the velocities");
    if (!solved && n->drifts) explain_joints(report, &i->problem, n->m, &found);
    return solved;
}

bool node_kick(node *n, double t, const double *q, const double *v, double w0, double w1, const double *P,
               double tolerance, step_report *report) {
    const carom_model_def *d = &n->m->def;
    impact *i = &n->impact;
    if (!pattern_nnz(&d->h_u)) w0 += w1, w1 = 0; /* the force knows no velocity: the problem stays linear */
    n->t = t, n->q = q, n->w1 = w1;
    n->weighed = (n->weighed && n->m->constant_mass) || !d->mass(d->context, t, q, n->M);
    bool defined =
        n->weighed && node_visit(n, t, q, v) && (w0 == 0 || !d->force(d->context, t, q, v, i->f, NULL, NULL));
    for (int j = 0; j < d->nu; j++) i->f[j] = w0 != 0 ? w0 * i->f[j] : 0;
    return node_solve(n, defined, P, tolerance, report);
}

/* ---------------------------------------------------------------- the step */

bool node_advance(node *n, const motion *now, const double *u, motion *next, double dt, double tolerance,
                  step_report *report) {
    solver_report found;
    if (n->closure) return closure_advance(n->closure, now, u, next, dt, tolerance, report);
    bool solved = kinematics_advance(&n->kinematics, now->t, now->q, u, next->t, dt, next->q, tolerance, &found);
    report->residual = fmax(report->residual, found.residual);
    if (!solved) snprintf(report->reason, sizeof report->reason, "no solution found for the positions");
    return solved;
}

void node_read(node *n, motion *next) {
    const impact *i = &n->impact;
    memcpy(next->u, i->z, (size_t)n->m->def.nu * sizeof *next->u);
    memcpy(next->P, impact_percussion(i), (size_t)n->m->ns * sizeof *next->P);
    contact_states(&n->impact.problem, n->m, next->contact);
}

/* What the half kick at the start does belongs to the first step. */
static void join(const node *n, const double *P, const double *contact, motion *next) {
    for (int k = 0; k < n->m->ns; k++) next->P[k] += P[k];
    for (int k = 0; k < n->m->def.contacts; k++) next->contact[k] = fmax(next->contact[k], contact[k]);
}

bool node_centred_step(node *n, void *scheme, node_kicks *kick, const motion *now, motion *next, double dt,
                       double tolerance, step_report *report) {
    motion start = *now;
    const bool first = now->memory[0] == 0;
    contacts_rub_as(&n->impact.problem, n->m, now->contact);
    if (first) {
        if (!kick(scheme, now->t, now->q, now->u, 0, dt / 2, now->P, tolerance, report)) return false;
        start.u = n->u, start.P = n->P, start.contact = n->contact;
        node_read(n, &start);
    }
    if (!node_advance(n, now, start.u, next, dt, tolerance, report) ||
        !kick(scheme, next->t, next->q, start.u, dt / 2, dt / 2, start.P, tolerance, report))
        return false;
    node_read(n, next);
    if (first) join(n, start.P, start.contact, next);
    next->memory[0] = 1;
    return true;
}

/* ---------------------------------------------------------------- setup */

static bool allocate(node *n) {
    const carom_model_def *d = &n->m->def;
    const vector_part parts[] = {
        {&n->M, pattern_nnz(&d->M)},
        {&n->WT, pattern_nnz(&d->WT)},
        {&n->c, n->m->nc},
        {&n->before, n->m->ns},
        {&n->h, d->nu},
        {&n->h_u, pattern_nnz(&d->h_u)},
        {&n->u, d->nu},
        {&n->P, n->m->ns},
        {&n->contact, d->contacts},
    };
    return (n->memory = vectors_create(parts, sizeof parts / sizeof *parts)) != NULL;
}

bool node_create(node *n, const carom_model *m, const impact_balance *own) {
    *n = (node){.m = m};
    bool ok = allocate(n);
    ok = kinematics_create(&n->kinematics, m) && ok;
    return (own ? impact_create_with(&n->impact, m, own) : impact_create(&n->impact, m)) && ok;
}

carom_status node_read_options(node *n, const carom_run_def *run, carom_error *error) {
    bool closed;
    carom_status status = accept_option(run, &n->impact.problem.accept, error);
    if (!status) status = joints_choose(n->m, run, &closed, error);
    if (status) return status;
    n->drifts = !closed;
    if (!closed) return CAROM_OK;
    n->closure = calloc(1, sizeof *n->closure);
    return n->closure && closure_create(n->closure, n->m) ? CAROM_OK : carom_error_memory(error);
}

void node_destroy(node *n) {
    if (n->closure) closure_destroy(n->closure);
    free(n->closure);
    kinematics_destroy(&n->kinematics);
    impact_destroy(&n->impact);
    free(n->memory);
}

/* ---------------------------------------------------------------- functions of integrators */

bool node_start(void *self, motion *first, step_report *report) {
    (void)first, (void)report;
    ((node *)self)->weighed = false; /* the model may be another now */
    return true;
}

problem *node_stage(void *self, int stage, const double **z) {
    (void)stage;
    node *n = self;
    *z = n->impact.z;
    return &n->impact.problem;
}

bool node_velocities(const void *self, double *s) {
    impact_velocities(&((const node *)self)->impact, s);
    return true;
}

void node_forget(void *self) {
    node *n = self;
    n->weighed = false;
    solver_forget(n->impact.solver);
    if (n->kinematics.solver) solver_forget(n->kinematics.solver);
    if (n->closure) solver_forget(n->closure->solver);
}

void node_free(void *self) {
    if (!self) return;
    node_destroy(self);
    free(self);
}
