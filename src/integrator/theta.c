/* The theta-method of Jean (1999), as compared in Capobianco, Eugster 2018, section 5 (docs/theory/moreau.md).
 *
 * From (t_0, q_0, u_0) to (t_1, q_1, u_1), with u_m = theta u_1 + (1 - theta) u_0, (J1)-(J4):
 *     M(t_0,q_0) (u_1 - u_0) = dt (theta h(t_1,q_1,u_1) + (1 - theta) h(t_0,q_0,u_0)) + W P
 *     q_1 = q_0 + dt/2 (q_dot(t_0,q_0,u_m) + q_dot(t_1,q_1,u_m))              (q_dot = u: eliminated)
 *     W, s^- and the laws at the predicted middle (t_0 + dt/2, q_m), for contacts with g_N <= 0 there
 *     q_m = q_0 + dt/2 u_0                                                    (general kinematics: (K1))
 * Where joints are kept closed, q_m and q_1 are moved by (H1)-(H3) with u_0 and u_m. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/node.h"
#include "integrator/path.h"

/* Blocks of the Jacobian: balance by u, (t_1, q_1) by u and q; then (J2). */
enum { MASS, FORCE_U, FORCE_Q, KINEMATIC };

typedef struct scheme {
    node node; /* first */
    double theta;
    path path;             /* with u_m */
    const double *q0, *u0; /* start of the present step */
    double t0, t1, dt;
    double *qm, *h, *h_q, *h_u;
    double *memory; /* these vectors in one piece */
} scheme;

/* ---------------------------------------------------------------- the step problem */

static int balance(void *self, const csr_block *block, const double *x, double *rows, csr *J) {
    scheme *o = self;
    const carom_model *m = o->node.m;
    const carom_model_def *d = &m->def;
    const double weight = o->dt * o->theta, *q = path_read(&o->path, x);
    if (d->force(d->context, o->t1, q, x, rows ? o->h : NULL, J ? o->h_q : NULL, J ? o->h_u : NULL)) return 1;
    if (rows) {
        balance_momentum(m, o->node.M, o->node.WT, x, o->u0, NULL, rows);
        for (int j = 0; j < d->nu; j++) rows[j] -= o->node.impact.f[j] + weight * o->h[j];
        if (path_rows(&o->path, q, rows)) return 1;
    }
    if (J) {
        csr_add(J, &block[MASS], 1, o->node.M);
        csr_add(J, &block[FORCE_U], -weight, o->h_u);
        csr_add(J, &block[FORCE_Q], -weight * path_by_q(&o->path), o->h_q);
        if (path_jacobian(&o->path, block + KINEMATIC, q, J)) return 1;
    }
    return 0;
}

/* ---------------------------------------------------------------- the step */

/* Quantities at the start and at the predicted middle. */
static bool prepare(scheme *o, const motion *now, double tolerance, step_report *report) {
    node *n = &o->node;
    const carom_model *m = n->m;
    const carom_model_def *d = &m->def;
    impact *i = &n->impact;
    motion middle = {.t = o->t0 + o->dt / 2, .q = o->qm};
    if (!node_advance(n, now, o->u0, &middle, o->dt / 2, tolerance, report)) return false;
    bool defined = node_visit(n, middle.t, middle.q, o->u0) && !d->mass(d->context, o->t0, o->q0, n->M) &&
                   !d->force(d->context, o->t0, o->q0, o->u0, i->f, m->stiff ? o->h_q : NULL, NULL) &&
                   !path_begin(&o->path, now, o->t1, o->dt, o->theta);
    for (int j = 0; j < d->nu; j++) {
        i->f[j] *= o->dt * (1 - o->theta);
        o->path.offset[j] = (1 - o->theta) * o->u0[j];
    }
    i->q = o->q0, i->dt = o->dt, i->stiff = (stiffness){&d->h_q, m->stiff ? o->h_q : NULL};
    if (!m->trivial) memcpy(i->z + d->nu, o->q0, (size_t)d->nq * sizeof *i->z);
    if (!defined) strcpy(report->reason, "the model gives no finite numbers at the start of the step");
    return defined;
}

static bool step(void *self, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    scheme *o = self;
    node *n = &o->node;
    o->t0 = now->t, o->q0 = now->q, o->u0 = now->u, o->t1 = next->t, o->dt = dt;
    contacts_rub_as(&n->impact.problem, n->m, now->contact);
    if (!prepare(o, now, tolerance, report) || !node_solve(n, true, now->P, tolerance, report)) return false;
    const double *q1 = path_read(&o->path, n->impact.z);
    node_read(n, next);
    if (n->closure) return node_advance(n, now, o->path.w, next, dt, tolerance, report);
    memcpy(next->q, q1, (size_t)n->m->def.nq * sizeof *next->q);
    return true;
}

/* ---------------------------------------------------------------- setup */

static void destroy(void *self) {
    scheme *o = self;
    if (!o) return;
    node_destroy(&o->node);
    path_destroy(&o->path);
    free(o->memory);
    free(o);
}

static bool allocate(scheme *o, const carom_model *m) {
    const carom_model_def *d = &m->def;
    const vector_part parts[] = {
        {&o->qm, d->nq}, {&o->h, d->nu}, {&o->h_q, pattern_nnz(&d->h_q)}, {&o->h_u, pattern_nnz(&d->h_u)}};
    o->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    return path_create(&o->path, m, PATH_CAYLEY) && o->memory;
}

static carom_status create(const carom_model *model, const carom_run_def *run, void **self, int *memory,
                           carom_error *error) {
    const carom_model_def *d = &model->def;
    double theta = 0.5;
    *self = NULL;
    *memory = 0;
    carom_status status = option_number(run, "theta", 0, 1, false, &theta, error);
    if (status) return status;
    scheme *o = *self = calloc(1, sizeof *o);
    if (!o || !allocate(o, model)) return carom_error_memory(error);
    o->theta = theta;
    impact_balance own = {
        .unknowns = path_unknowns(model),
        .block = {[MASS] = {.pattern = &d->M, .last = d->nu},
                  [FORCE_U] = {.pattern = &d->h_u, .last = d->nu},
                  [FORCE_Q] = {.pattern = &d->h_q, .last = d->nu, .col = path_column(model)}},
        .context = o,
        .evaluate = balance,
    };
    own.blocks = KINEMATIC + path_list_blocks(&o->path, own.block + KINEMATIC);
    return node_create(&o->node, model, &own) ? node_read_options(&o->node, run, error) : carom_error_memory(error);
}

static const carom_option_info options[] = {
    {"theta", "number in [0, 1]", "weight of the end of the step: 0 explicit, 1/2 trapezoidal, 1 implicit", "0.5"},
    NODE_OPTIONS,
};

const integrator integrator_theta = {
    .info = {.name = "theta",
             .title = "Theta-method of Jean: implicit forces, contacts on velocity level at the middle of the step",
             .order = "1; 2 for theta = 1/2, constant M, without constraints and contacts",
             .conserves = "linear momentum for constant M; the energy of linear systems with theta = 1/2, whatever dt; "
                          "quadratic invariants of the kinematics. Positions drift: gaps are penetrated and joints "
                          "opened by O(dt), unless told joints: closed; velocity laws hold at the middle of the step",
             .needs = "first derivatives of q_dot and h; M, g_N, W; dg/dq where joints are kept closed",
             .stability = "whatever dt, for theta >= 1/2; below, vibrations that are not damped grow, whatever dt",
             .reference = "Jean: The non-smooth contact dynamics method. Computer Methods in Applied Mechanics and "
                          "Engineering 177 (1999); M(q) at the start of the step as in Capobianco, Eugster (2018)",
             .promise = {PROMISE_ORDER(1), .event_order = 1, .invariants = true},
             .options = options,
             .option_count = sizeof options / sizeof *options},
    .stages = 1,
    .any_laws = true,
    .finds = true,
    .create = create,
    .destroy = destroy,
    .start = node_start,
    .step = step,
    .stage = node_stage,
    .forget = node_forget,
};
