/* The theta-method of Jean (1999), as compared in Capobianco, Eugster 2018, section 5 (docs/theory/moreau.md).
 *
 * From (t_0, q_0, u_0) to (t_1, q_1, u_1), with u_m = theta u_1 + (1 - theta) u_0, (J1)-(J4):
 *     M(t_0,q_0) (u_1 - u_0) = dt (theta h(t_1,q_1,u_1) + (1 - theta) h(t_0,q_0,u_0)) + W P
 *     q_1 = q_0 + dt/2 (q_dot(t_0,q_0,u_m) + q_dot(t_1,q_1,u_m))              (q_dot = u: eliminated)
 *     W, s^- and the laws at the predicted middle (t_0 + dt/2, q_m), for contacts with g_N <= 0 there
 *     q_m = q_0 + dt/2 u_0                                                    (general kinematics: (K1)) */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/node.h"

/* Blocks of the Jacobian: balance by u, (t_1, q_1) by u and q; (J2) by u and q. */
enum { MASS, FORCE_U, FORCE_Q, KINEMATIC_U, KINEMATIC_Q, IDENTITY, BLOCKS };

typedef struct scheme {
    node node; /* first */
    double theta;
    const double *q0, *u0; /* start of the present step */
    double t0, t1, dt;
    double *q1, *qm, *um, *h, *h_q, *h_u, *q_dot0, *q_dot1, *B0, *B1, *q_dot_q;
    double *memory;   /* these vectors in one piece */
    unit_matrix unit; /* of q */
} scheme;

/* ---------------------------------------------------------------- the step problem */

static void mean_velocity(scheme *o, const double *u) {
    for (int j = 0; j < o->node.m->def.nu; j++) o->um[j] = o->theta * u[j] + (1 - o->theta) * o->u0[j];
}

static const double *position_of(scheme *o, const double *x) {
    const carom_model *m = o->node.m;
    if (!m->trivial) return x + m->def.nu;
    for (int j = 0; j < m->def.nu; j++) o->q1[j] = o->q0[j] + o->dt * o->um[j];
    return o->q1;
}

static int kinematic_rows(scheme *o, const double *q, double *rows) {
    const carom_model_def *d = &o->node.m->def;
    if (d->kinematics(d->context, o->t0, o->q0, o->um, o->q_dot0, NULL, NULL) ||
        d->kinematics(d->context, o->t1, q, o->um, o->q_dot1, NULL, NULL))
        return 1;
    for (int i = 0; i < d->nq; i++) rows[i] = q[i] - o->q0[i] - o->dt / 2 * (o->q_dot0[i] + o->q_dot1[i]);
    return 0;
}

static int kinematic_jacobian(scheme *o, const csr_block *block, const double *q, csr *J) {
    const carom_model_def *d = &o->node.m->def;
    const double half = o->dt / 2;
    if (d->kinematics(d->context, o->t1, q, o->um, NULL, o->B1, o->q_dot_q)) return 1;
    csr_add(J, &block[KINEMATIC_U], -half * o->theta, o->B0);
    csr_add(J, &block[KINEMATIC_U], -half * o->theta, o->B1);
    csr_add(J, &block[KINEMATIC_Q], -half, o->q_dot_q);
    csr_add(J, &block[IDENTITY], 1, o->unit.value);
    return 0;
}

static int balance(void *self, const csr_block *block, const double *x, double *rows, csr *J) {
    scheme *o = self;
    const carom_model *m = o->node.m;
    const carom_model_def *d = &m->def;
    const double weight = o->dt * o->theta, by_q = m->trivial ? weight : 1; /* dq_1/du where q_1 is eliminated */
    mean_velocity(o, x);
    const double *q = position_of(o, x);
    if (d->force(d->context, o->t1, q, x, rows ? o->h : NULL, J ? o->h_q : NULL, J ? o->h_u : NULL)) return 1;
    if (rows) {
        balance_momentum(m, o->node.M, o->node.WT, x, o->u0, NULL, rows);
        for (int j = 0; j < d->nu; j++) rows[j] -= o->node.impact.f[j] + weight * o->h[j];
        if (!m->trivial && kinematic_rows(o, q, rows + d->nu)) return 1;
    }
    if (J) {
        csr_add(J, &block[MASS], 1, o->node.M);
        csr_add(J, &block[FORCE_U], -weight, o->h_u);
        csr_add(J, &block[FORCE_Q], -weight * by_q, o->h_q);
        if (!m->trivial && kinematic_jacobian(o, block, q, J)) return 1;
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
                   !d->force(d->context, o->t0, o->q0, o->u0, i->f, NULL, NULL) &&
                   (m->trivial || !d->kinematics(d->context, o->t0, o->q0, o->u0, NULL, o->B0, NULL));
    for (int j = 0; j < d->nu; j++) i->f[j] *= o->dt * (1 - o->theta);
    i->q = o->q0, i->dt = o->dt;
    if (!m->trivial) memcpy(i->z + d->nu, o->q0, (size_t)d->nq * sizeof *i->z);
    if (!defined) strcpy(report->reason, "the model gives no finite numbers at the start of the step");
    return defined;
}

static bool step(void *self, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    scheme *o = self;
    node *n = &o->node;
    o->t0 = now->t, o->q0 = now->q, o->u0 = now->u, o->t1 = next->t, o->dt = dt;
    if (!prepare(o, now, tolerance, report) || !node_solve(n, true, now->P, tolerance, report)) return false;
    mean_velocity(o, n->impact.z);
    memcpy(next->q, position_of(o, n->impact.z), (size_t)n->m->def.nq * sizeof *next->q);
    node_read(n, next);
    return true;
}

/* ---------------------------------------------------------------- setup */

static void destroy(void *self) {
    scheme *o = self;
    if (!o) return;
    node_destroy(&o->node);
    free(o->memory);
    unit_destroy(&o->unit);
    free(o);
}

static bool allocate(scheme *o, const carom_model_def *d) {
    const int nq = d->nq, nu = d->nu, B = pattern_nnz(&d->B);
    const vector_part parts[] = {
        {&o->q1, nq},
        {&o->qm, nq},
        {&o->um, nu},
        {&o->h, nu},
        {&o->h_q, pattern_nnz(&d->h_q)},
        {&o->h_u, pattern_nnz(&d->h_u)},
        {&o->q_dot0, nq},
        {&o->q_dot1, nq},
        {&o->B0, B},
        {&o->B1, B},
        {&o->q_dot_q, pattern_nnz(&d->q_dot_q)},
    };
    o->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    return unit_create(&o->unit, nq) && o->memory;
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
    if (!o || !allocate(o, d)) return carom_error_memory(error);
    o->theta = theta;
    const int q = model->trivial ? 0 : d->nu; /* column of q_1 */
    const impact_balance own = {
        .unknowns = d->nu + (model->trivial ? 0 : d->nq),
        .blocks = model->trivial ? KINEMATIC_U : BLOCKS,
        .block = {[MASS] = {.pattern = &d->M, .last = d->nu},
                  [FORCE_U] = {.pattern = &d->h_u, .last = d->nu},
                  [FORCE_Q] = {.pattern = &d->h_q, .last = d->nu, .col = q},
                  [KINEMATIC_U] = {.pattern = &d->B, .last = d->nq, .row = d->nu},
                  [KINEMATIC_Q] = {.pattern = &d->q_dot_q, .last = d->nq, .row = d->nu, .col = d->nu},
                  [IDENTITY] = {.pattern = &o->unit.pattern, .last = d->nq, .row = d->nu, .col = d->nu}},
        .context = o,
        .evaluate = balance,
    };
    return node_create(&o->node, model, &own) ? CAROM_OK : carom_error_memory(error);
}

static const carom_option_info options[] = {
    {"theta", "number in [0, 1]", "weight of the end of the step: 0 explicit, 1/2 trapezoidal, 1 implicit", "0.5"},
};

const integrator integrator_theta = {
    .info = {.name = "theta",
             .title = "Theta-method of Jean: implicit forces, contacts on velocity level at the middle of the step",
             .order = "1; 2 for theta = 1/2, constant M, without constraints and contacts",
             .conserves = "linear momentum for constant M; the energy of linear systems with theta = 1/2, whatever dt; "
                          "quadratic invariants of the kinematics. Positions drift: gaps are penetrated and joints "
                          "opened by O(dt); velocity laws hold at the middle of the step",
             .needs = "first derivatives of q_dot and h; M, g_N, W",
             .reference = "Jean: The non-smooth contact dynamics method. Computer Methods in Applied Mechanics and "
                          "Engineering 177 (1999); M(q) at the start of the step as in Capobianco, Eugster (2018)",
             .promise = {.order = 1,
                         .velocity_order = 1,
                         .joint_order = 1,
                         .rolling_order = 1,
                         .sliding_order = 1,
                         .event_order = 1,
                         .invariants = true},
             .options = options,
             .option_count = 1},
    .stages = 1,
    .create = create,
    .destroy = destroy,
    .start = node_start,
    .step = step,
    .stage = node_stage,
    .forget = node_forget,
};
