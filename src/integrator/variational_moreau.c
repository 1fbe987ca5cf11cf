/* The variational Moreau-type scheme (Capobianco, Eugster 2018, section 4.3; docs/theory/moreau.md).
 *
 * With q_dot = u, p = dL/du and b = dL/dq + f, the momentum of the element after t_k and its balance, (M6)-(M8):
 *     D_k = (p(t_k,q_k,u_k) + p(t_{k+1},q_{k+1},u_k))/2,        q_{k+1} = q_k + dt u_k
 *     D_k - D_{k-1} = dt/2 (b(t_k,q_k,u_{k-1}) + b(t_k,q_k,u_k)) + W(t_k,q_k) P_k
 *     D_1 - p(t_1,q_1,u_s) = dt/2 b(t_1,q_1,u_1) + W P          P: the impulse that acts, half the printed P_1
 * In rows of rotations momenta turn with their frames and f replaces b, (M10)-(M14), integrator/spin:
 *     p^-_k - p^+_k = dt/2 (f(t_k,q_k,u_{k-1}) + f(t_k,q_k,u_k)) + W(t_k,q_k) P_k
 * Laws as in Moreau's scheme. memory: the run has started; D, in rows of rotations p^-, of the last node. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/frames.h"
#include "integrator/node.h"
#include "integrator/spin.h"

enum { MASS, DRIFT, FORCE, SPIN, BLOCKS }; /* of the Jacobian: M, p_q, b_u, and what rotations add */

typedef struct scheme {
    node node; /* first */
    spin spin;
    double dt;
    const double *q0;           /* where the element began */
    double *D;                  /* of the last node */
    double *p;                  /* at (t_k, q_k) */
    double *q1, *M1, *p1, *p_q; /* at t_{k+1} */
    double *mean;               /* of p and p1 */
    double *f, *b_u;            /* at (t_k, q_k) */
    double *room;               /* for a mass matrix */
    double *memory;             /* these vectors in one piece */
} scheme;

/* (M6) at the node for the velocity u; D_u = (M_k + M_{k+1} + dt p_q)/2 needs M_{k+1} and p_q. */
static int momentum_of_element(scheme *o, const double *u, bool value, bool derivative) {
    const node *n = &o->node;
    const carom_model_def *d = &n->m->def;
    const double t1 = n->t + o->dt;
    if (n->m->trivial)
        for (int j = 0; j < d->nu; j++) o->q1[j] = n->q[j] + o->dt * u[j];
    else memcpy(o->q1, n->q, (size_t)d->nq * sizeof *n->q); /* p does not depend on it */
    if (value && (model_momentum(n->m, n->t, n->q, u, o->room, o->p, NULL, NULL, NULL, NULL) ||
                  model_momentum(n->m, t1, o->q1, u, o->room, o->p1, NULL, NULL, NULL, NULL)))
        return 1;
    for (int j = 0; value && j < d->nu; j++) o->mean[j] = (o->p[j] + o->p1[j]) / 2;
    return derivative && (d->mass(d->context, t1, o->q1, o->M1) ||
                          model_momentum(n->m, t1, o->q1, u, NULL, NULL, o->p_q, NULL, NULL, NULL));
}

/* b, in rows of rotations (M13) */
static int force(scheme *o, double t, const double *q, const double *u) {
    const bool turns = o->spin.rotations > 0;
    if (model_momentum(o->node.m, t, q, u, o->room, turns ? o->p : NULL, NULL, o->f, NULL, NULL)) return 1;
    spin_force(&o->spin, u, o->p, o->f);
    return 0;
}

/* D(u) - c - w1 f(t,q,u), c what is known at the node */
static int balance(void *self, const csr_block *block, const double *u, double *rows, csr *J) {
    scheme *o = self;
    const node *n = &o->node;
    if (momentum_of_element(o, u, rows || o->spin.rotations, J != NULL) ||
        model_momentum(n->m, n->t, n->q, u, NULL, NULL, NULL, rows ? o->f : NULL, NULL, J ? o->b_u : NULL))
        return 1;
    if (rows) {
        memcpy(rows, o->mean, (size_t)n->m->def.nu * sizeof *rows);
        spin_element(&o->spin, o->dt, u, rows);
        spin_force(&o->spin, u, o->p, o->f);
        for (int j = 0; j < n->m->def.nu; j++) rows[j] -= n->impact.f[j] + n->w1 * o->f[j];
    }
    if (J) {
        const spin_state at = {o->dt, n->w1, u, o->p, o->mean, n->M, o->M1};
        csr_add(J, &block[MASS], 0.5, n->M);
        csr_add(J, &block[MASS], 0.5, o->M1);
        csr_add(J, &block[DRIFT], o->dt / 2, o->p_q);
        csr_add(J, &block[FORCE], -n->w1, o->b_u);
        csr_add(J, &block[SPIN], 1, spin_jacobian(&o->spin, &at));
    }
    return 0;
}

/* D of the node from its balance, not from u: so the errors that the tolerance allows never add up. */
static bool carry(scheme *o, step_report *report) {
    const node *n = &o->node;
    const impact *i = &n->impact;
    if (force(o, n->t, n->q, i->z)) return explain_undefined(report, "end");
    for (int j = 0; j < n->m->def.nu; j++) o->D[j] = i->f[j] + n->w1 * o->f[j];
    pattern_multiply_transposed(&n->m->def.WT, i->WT, 1, impact_percussion(i), o->D);
    return true;
}

static bool kick(void *self, double t, const double *q, const double *v, double w0, double w1, const double *P,
                 double tolerance, step_report *report) {
    scheme *o = self;
    node *n = &o->node;
    const carom_model_def *d = &n->m->def;
    n->t = t, n->q = q, n->w1 = w1;
    bool defined = node_visit(n, t, q, v) && !d->mass(d->context, t, q, n->M) && !force(o, t, q, v);
    if (q != o->q0) spin_turn(&o->spin, o->q0, q, o->D);
    for (int j = 0; j < d->nu; j++) n->impact.f[j] = o->D[j] + w0 * o->f[j];
    return node_solve(n, defined, P, tolerance, report) && carry(o, report);
}

static bool step(void *self, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    scheme *o = self;
    size_t size = (size_t)o->node.m->def.nu * sizeof *o->D;
    memcpy(o->D, now->memory + 1, size);
    o->q0 = now->q;
    if (!node_centred_step(&o->node, o, kick, now, next, dt, tolerance, report)) return false;
    memcpy(next->memory + 1, o->D, size);
    return true;
}

static bool start(void *self, motion *first, step_report *report) {
    scheme *o = self;
    (void)report;
    first->memory[0] = 0;
    return !model_momentum(o->node.m, first->t, first->q, first->u, o->room, first->memory + 1, NULL, NULL, NULL, NULL);
}

/* (M9): p_k = D_k - dt/2 b(t_k,q_k,u_k), in rows of rotations (M13); at the initial state p itself. */
static int momentum(void *self, const motion *now, double *p) {
    scheme *o = self;
    const carom_model *m = o->node.m;
    memcpy(p, now->memory + 1, (size_t)m->def.nu * sizeof *p);
    if (now->memory[0] == 0) return 0;
    if (force(o, now->t, now->q, now->u)) return 1;
    for (int j = 0; j < m->def.nu; j++) p[j] -= o->dt / 2 * o->f[j];
    return 0;
}

/* ---------------------------------------------------------------- setup */

static void destroy(void *self) {
    scheme *o = self;
    if (!o) return;
    node_destroy(&o->node);
    spin_destroy(&o->spin);
    free(o->memory);
    free(o);
}

static bool allocate(scheme *o, const carom_model_def *d) {
    const vector_part parts[] = {
        {&o->D, d->nu},
        {&o->q1, d->nq},
        {&o->p, d->nu},
        {&o->p1, d->nu},
        {&o->mean, d->nu},
        {&o->f, d->nu},
        {&o->M1, pattern_nnz(&d->M)},
        {&o->room, pattern_nnz(&d->M)},
        {&o->p_q, pattern_nnz(&d->p_q)},
        {&o->b_u, pattern_nnz(&d->b_u)},
    };
    return (o->memory = vectors_create(parts, sizeof parts / sizeof *parts)) != NULL;
}

/* (M10)-(M14): rotations, and p that does not depend on q. */
static carom_status accepts(const carom_model *model, carom_error *error) {
    const carom_model_def *d = &model->def;
    frames f;
    carom_status status = frames_create(&f, model, "variational_moreau", "symmetric_moreau takes", error);
    frames_destroy(&f);
    for (int i = 0; !status && i < d->nu; i++)
        if (d->p_q.start[i] < d->p_q.start[i + 1] || (d->mass_q && d->Mv_q.start[i] < d->Mv_q.start[i + 1]))
            status = carom_error_set(error, CAROM_DATA,
                                     "variational_moreau needs q_dot = u, or momenta that do not depend on positions; "
                                     "that of '%s' does: symmetric_moreau takes M(q) with any kinematics",
                                     d->u_names[i]);
    return status;
}

static carom_status create(const carom_model *model, const carom_run_def *run, void **self, int *memory,
                           carom_error *error) {
    const carom_model_def *d = &model->def;
    *self = NULL;
    carom_status status = model->trivial ? CAROM_OK : accepts(model, error);
    if (status) return status;
    if (!model_has_momentum(model))
        return carom_error_set(error, CAROM_DATA,
                               "variational_moreau needs the model's function momentum, since a model with mass_q "
                               "has M(q); symmetric_moreau does without");
    scheme *o = *self = calloc(1, sizeof *o);
    if (!o) return carom_error_memory(error);
    *memory = 1 + d->nu;
    o->dt = run->dt;
    bool ok = allocate(o, d);
    ok = spin_create(&o->spin, model) && ok;
    const impact_balance own = {
        .unknowns = d->nu,
        .blocks = BLOCKS,
        .block = {[MASS] = {.pattern = &d->M, .last = d->nu},
                  [DRIFT] = {.pattern = &d->p_q, .last = d->nu},
                  [FORCE] = {.pattern = &d->b_u, .last = d->nu},
                  [SPIN] = {.pattern = &o->spin.pattern, .last = d->nu}},
        .context = o,
        .evaluate = balance,
    };
    ok = ok && node_create(&o->node, model, &own);
    return ok ? node_read_options(&o->node, run, error) : carom_error_memory(error);
}

static const carom_option_info options[] = {NODE_OPTIONS};

const integrator integrator_variational_moreau = {
    .info = {.name = "variational_moreau",
             .title = "Variational Moreau-type stepping: discrete mechanics, contacts on velocity level",
             .order = "2 in q without constraints and contacts, else 1; u is that of the coming element: 1 at the node",
             .conserves = "its discrete momentum of every symmetry that acts affinely on q, for any M(q), through "
                          "impacts and constraints with the same symmetry; symplectic. Velocity constraints and impact "
                          "laws of closed contacts. Without constraints and contacts it is symmetric and energy errors "
                          "stay bounded over long times; with them positions drift: gaps are penetrated and joints "
                          "opened by O(dt), unless told joints: closed",
             .needs = "q_dot = u, or unit quaternions of bodies where p does not depend on q; p, b and their "
                      "derivatives (function momentum) where M depends on q, else M, h and "
                      "dh/du; g_N, W; dg/dq where joints are kept closed. A step that fails is not divided",
             .stability =
                 "dt omega < 2 for the largest frequency omega of small motions, joints held; dampers do not count",
             .reference =
                 "Capobianco, Eugster: Time finite element based Moreau-type integrators. International Journal "
                 "for Numerical Methods in Engineering 114 (2018), section 4.3",
             .promise = {.order = 2,
                         .velocity_order = 1,
                         .joint_order = 1,
                         .rolling_order = 1,
                         .sliding_order = 1,
                         .event_order = 1,
                         .velocities = true,
                         .symmetric = true,
                         .momentum = true,
                         .any_momentum = true,
                         .energy = true,
                         .invariants = true},
             .options = options,
             .option_count = sizeof options / sizeof *options},
    .stages = 1,
    .any_laws = true,
    .finds = true,
    .kicks = true,
    .whole = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .step = step,
    .stage = node_stage,
    .forget = node_forget,
    .limit = stoermer_verlet_limit,
    .momentum = momentum,
};
