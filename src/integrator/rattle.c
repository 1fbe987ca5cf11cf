/* Nonsmooth RATTLE (Breuling, Capobianco, Eugster, Leine; docs/theory/rattle.md).
 *
 * Stage 1, (R1)-(R5), finds q_1, the midpoint velocity u and the percussions P' of the first half step:
 *
 *     M_0 (u - u_0) = dt/2 h(t_0,q_0,u) + W_0 P'
 *     q_1 = q_0 + dt/2 (q_dot(t_0,q_0,u) + q_dot(t_1,q_1,u))
 *     g(t_1,q_1) = 0,   g_N(t_1,q_1) in N(-P_N')
 *     y = 1/2 (gamma(t_0,q_0,u) + gamma(t_1,q_1,u)) = 0,   y of gamma_F in N(-P_F')
 *
 * (published: y = gamma(t_1,q_1,u)).
 *
 * Stage 2, (R6)-(R9), finds u_1 and the percussions P of the whole step:
 *
 *     M_1 (u_1 - u) = dt/2 h(t_1,q_1,u) + W_1 (P - P')
 *     g_dot(t_1,q_1,u_1) = 0,   gamma(t_1,q_1,u_1) = 0
 *
 * with the laws (B13), (B14) of ending.h, earlier = P'. Where q_dot = u, q_1 = q_0 + dt u is eliminated. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/ending.h"
#include "integrator/locate.h"
#include "integrator/vectors.h"

/* Model quantities at one (t, q). */
typedef struct place {
    bool known;
    double t, *q;
    double *M, *WT, *B;
} place;

/* Blocks of the Jacobian of stage 1: balance by u, u, P'; g, g_N and their rates, gamma (spin) and gamma_F (slip) by q
 * and u; (R2). */
enum {
    MASS,
    DAMPING,
    PERCUSSION,
    JOINT,
    GAP,
    JOINT_RATE_Q,
    GAP_RATE_Q,
    JOINT_RATE_U,
    GAP_RATE_U,
    SPIN_Q,
    SLIP_Q,
    SPIN_U,
    SLIP_U,
    KINEMATIC_U,
    KINEMATIC_Q,
    IDENTITY
};

typedef struct rattle {
    const carom_model *m;
    bool published; /* as printed, else cured */
    int nF;         /* smooth unknowns of stage 1: u, and q where it is not eliminated */
    problem first;
    solver *first_solver;
    csr_block block[IDENTITY + 1];
    unit_matrix unit; /* of q */
    ending second;
    bool located;
    locate locate;
    double *sense, *stages; /* given senses of slip, and the percussions of both half steps, of located events */

    motion now;         /* start of the present step */
    const double *kept; /* what position functions are to stay at; NULL: zero */
    double t1, dt;
    place at0, at1;
    double *z1, *q1;
    double *h, *h_u, *c, *c_q, *s, *s_q, *WT, *q_dot0, *q_dot1, *B1, *q_dot_q;
    double *memory; /* these vectors and those of the places, in one piece */
} rattle;

/* ---------------------------------------------------------------- quantities at a place */

static bool is_at(const rattle *r, const place *p, double t, const double *q) {
    return p->known && p->t == t && !memcmp(p->q, q, (size_t)r->m->def.nq * sizeof *q);
}

static int visit(const rattle *r, place *p, double t, const double *q) {
    const carom_model_def *d = &r->m->def;
    if (is_at(r, p, t, q)) return 0;
    p->t = t;
    memcpy(p->q, q, (size_t)d->nq * sizeof *q);
    p->known = false;
    if (d->mass(d->context, t, q, p->M)) return 1;
    if (r->m->ns && d->velocity(d->context, t, q, r->now.u, NULL, p->WT, NULL)) return 1;
    if (!r->m->trivial && d->kinematics(d->context, t, q, r->now.u, NULL, p->B, NULL)) return 1;
    p->known = true;
    return 0;
}

/* The end of the last step is the start of this one. */
static int visit_start(rattle *r) {
    if (is_at(r, &r->at1, r->now.t, r->now.q)) {
        place start = r->at1;
        r->at1 = r->at0;
        r->at0 = start;
    }
    return visit(r, &r->at0, r->now.t, r->now.q);
}

/* ---------------------------------------------------------------- stage 1 */

static const double *position_of(const rattle *r, const double *z) {
    int n = r->m->def.nu;
    if (!r->m->trivial) return z + n;
    for (int i = 0; i < n; i++) r->q1[i] = r->now.q[i] + r->dt * z[i];
    return r->q1;
}

/* (R3), (R5): rows [first, last) of s at the end of the step, or their mean over both ends (affine in u). */
static void velocity_rows(const rattle *r, const double *u, int first, int last, double *y) {
    const carom_pattern *WT = &r->m->def.WT;
    const double *s0 = r->now.memory + r->m->ns;
    for (int k = first; k < last; k++) {
        double start = s0[k];
        for (int e = WT->start[k]; e < WT->start[k + 1]; e++) {
            int j = WT->index[e];
            start += r->at0.WT[e] * (u[j] - r->now.u[j]);
        }
        y[k] = r->published ? r->s[k] : (r->s[k] + start) / 2;
    }
}

static bool has_velocity_rows(const rattle *r) {
    return r->m->def.ngamma + r->m->nF > 0 || (r->first.velocity_level && r->m->ns > 0);
}

static int rows_of_stage1(rattle *r, const double *z, double *rows) {
    const carom_model *m = r->m;
    const carom_model_def *d = &m->def;
    const motion *now = &r->now;
    const double *u = z, *q = position_of(r, z), half = r->dt / 2;
    double *y = rows + r->nF;

    if (d->force(d->context, now->t, now->q, u, r->h, NULL, NULL)) return 1;
    balance_momentum(m, r->at0.M, r->at0.WT, u, now->u, z + r->nF, rows);
    for (int i = 0; i < d->nu; i++) rows[i] -= half * r->h[i];
    if (!m->trivial) {
        if (d->kinematics(d->context, now->t, now->q, u, r->q_dot0, NULL, NULL)) return 1;
        if (d->kinematics(d->context, r->t1, q, u, r->q_dot1, NULL, NULL)) return 1;
        for (int i = 0; i < d->nq; i++) rows[d->nu + i] = q[i] - now->q[i] - half * (r->q_dot0[i] + r->q_dot1[i]);
    }
    if (m->nc) {
        if (d->position(d->context, r->t1, q, r->c, NULL)) return 1;
        memcpy(y, r->c, (size_t)d->ng * sizeof *y);
        memcpy(y + m->N, r->c + d->ng, (size_t)d->contacts * sizeof *y);
        for (int k = 0; k < m->nc && r->kept; k++) y[k < d->ng ? k : m->N + k - d->ng] -= r->kept[k];
    }
    if (has_velocity_rows(r)) {
        if (d->velocity(d->context, r->t1, q, u, r->s, NULL, NULL)) return 1;
        velocity_rows(r, u, r->first.velocity_level ? 0 : m->gamma, m->N, y);
        velocity_rows(r, u, r->first.velocity_level ? m->N : m->F, m->ns, y);
    }
    if (r->located) memcpy(rows + r->first.n, r->sense, (size_t)m->nF * sizeof *rows);
    return 0;
}

static int jacobian_of_stage1(rattle *r, const double *z) {
    const carom_model *m = r->m;
    const carom_model_def *d = &m->def;
    const double *u = z, *q = position_of(r, z), half = r->dt / 2;
    const double by_q = m->trivial ? r->dt : 1; /* columns of q, or of u through q_1 = q_0 + dt u */
    const double share = r->published ? 1 : 0.5;
    csr *J = &r->first.J;
    const csr_block *b = r->block;

    csr_zero(J);
    csr_add(J, &b[MASS], 1, r->at0.M);
    csr_add(J, &b[PERCUSSION], -1, r->at0.WT);
    if (pattern_nnz(&d->h_u)) {
        if (d->force(d->context, r->now.t, r->now.q, u, NULL, NULL, r->h_u)) return 1;
        csr_add(J, &b[DAMPING], -half, r->h_u);
    }
    if (m->nc && !r->first.velocity_level) {
        if (d->position(d->context, r->t1, q, NULL, r->c_q)) return 1;
        csr_add(J, &b[JOINT], by_q, r->c_q);
        csr_add(J, &b[GAP], by_q, r->c_q);
    }
    if (has_velocity_rows(r)) {
        if (d->velocity(d->context, r->t1, q, u, NULL, r->WT, r->s_q)) return 1;
        for (int f = 0; f < 2 && r->first.velocity_level; f++) {
            csr_add(J, &b[JOINT_RATE_Q + f], share * by_q, r->s_q);
            csr_add(J, &b[JOINT_RATE_U + f], share, r->WT);
            csr_add(J, &b[JOINT_RATE_U + f], 1 - share, r->at0.WT);
        }
        csr_add(J, &b[SPIN_Q], share * by_q, r->s_q);
        csr_add(J, &b[SLIP_Q], share * by_q, r->s_q);
        csr_add(J, &b[SPIN_U], share, r->WT);
        csr_add(J, &b[SLIP_U], share, r->WT);
        csr_add(J, &b[SPIN_U], 1 - share, r->at0.WT);
        csr_add(J, &b[SLIP_U], 1 - share, r->at0.WT);
    }
    if (!m->trivial) {
        if (d->kinematics(d->context, r->t1, q, u, NULL, r->B1, r->q_dot_q)) return 1;
        csr_add(J, &b[KINEMATIC_U], -half, r->at0.B);
        csr_add(J, &b[KINEMATIC_U], -half, r->B1);
        csr_add(J, &b[KINEMATIC_Q], -half, r->q_dot_q);
        csr_add(J, &b[IDENTITY], 1, r->unit.value);
    }
    return 0;
}

static int evaluate_stage1(void *self, const double *z, double *rows, bool jacobian) {
    if (rows && rows_of_stage1(self, z, rows)) return 1;
    return jacobian && jacobian_of_stage1(self, z);
}

static bool solve_stage1(rattle *r, bool fixed, double tolerance, step_report *report) {
    const carom_model *m = r->m;
    const motion *now = &r->now;
    problem *p = &r->first;
    memcpy(r->z1, now->u, (size_t)m->def.nu * sizeof *r->z1);
    if (!m->trivial) memcpy(r->z1 + m->def.nu, now->q, (size_t)m->def.nq * sizeof *r->z1);
    for (int k = 0; k < m->ns; k++) r->z1[r->nF + k] = now->memory[k] * (r->located ? r->dt : 1);
    solver_report found = {.singular = true};
    bool solved = problem_set_units(p, m, r->at0.M, r->at0.WT, &(law_gain){1, 1}, r->dt);
    problem_set_floor(p, m, now->u, now->q, r->dt, NULL);
    if (solved) {
        ending_begin(&r->second, now, now->memory + m->ns, p, r->dt, tolerance);
        solved = (fixed ? solver_solve_fixed : solver_solve)(r->first_solver, p, r->z1, tolerance, &found);
    }
    report->newton[0] = found.iterations;
    report->residual = found.residual;
    if (!solved) explain(report->reason, sizeof report->reason, p, m, &found, "for the positions");
    return solved;
}

/* ---------------------------------------------------------------- stage 2 */

/* (R6), with P' exerted already. */
static bool balance_stage2(rattle *r, step_report *report) {
    const carom_model *m = r->m;
    const carom_model_def *d = &m->def;
    const double *u = r->z1, *q1 = position_of(r, r->z1);
    impact *i = &r->second.impact;
    if (visit(r, &r->at1, r->t1, q1) || d->force(d->context, r->t1, q1, u, i->f, NULL, NULL) ||
        (m->ns && d->velocity(d->context, r->t1, q1, u, r->s, NULL, NULL))) {
        strcpy(report->reason, "the model is not defined at the end of the step");
        return false;
    }
    i->M = r->at1.M, i->WT = r->at1.WT, i->v = u;
    for (int j = 0; j < d->nu; j++) i->f[j] *= r->dt / 2;
    impact_set_chi(i, r->s, u);
    memcpy(r->second.earlier, r->z1 + r->nF, (size_t)m->ns * sizeof *u);
    return true;
}

/* ---------------------------------------------------------------- the step */

static bool begin(rattle *r, const motion *now, const motion *next, double dt, bool by_rates, const double *kept,
                  step_report *report) {
    r->now = *now;
    r->kept = kept;
    r->dt = dt;
    r->t1 = next->t;
    r->first.velocity_level = by_rates;
    if (!visit_start(r)) return true;
    strcpy(report->reason, "the model is not defined at the start of the step");
    return false;
}

/* memory: P' of the last step (where events are located, over dt), then s(t, q, u), then modes */
static void read(rattle *r, motion *next) {
    const carom_model *m = r->m;
    memcpy(next->q, position_of(r, r->z1), (size_t)m->def.nq * sizeof *next->q);
    ending_read(&r->second, next);
    for (int k = 0; k < m->ns; k++) next->memory[k] = r->z1[r->nF + k] / (r->located ? r->dt : 1);
    impact_velocities(&r->second.impact, next->memory + m->ns);
}

static bool capture_step(rattle *r, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    if (!begin(r, now, next, dt, false, NULL, report) || !solve_stage1(r, false, tolerance, report) ||
        !balance_stage2(r, report))
        return false;
    ending_choose_laws(&r->second, &r->first, r->first_solver->rows, 1);
    if (!ending_solve(&r->second, tolerance, report)) return false;
    read(r, next);
    return true;
}

/* ---------------------------------------------------------------- located events */

static const double *stage_slips(const void *self, int i) {
    const rattle *r = self;
    (void)i;
    return r->first_solver->rows + r->nF + r->m->F;
}

static bool take(void *self, const motion *now, const double *sense, bool by_rates, const double *kept, motion *next,
                 double tolerance, step_report *report) {
    rattle *r = self;
    const carom_model *m = r->m;
    memcpy(r->sense, sense, (size_t)m->nF * sizeof *sense);
    for (int k = 0; k < m->def.contacts; k++) {
        bool given = m->def.contact[k].slips == 1; /* in more directions slip follows its own mean */
        int own = r->nF + m->F + m->slip[k];
        contact_fix(&r->first, m, 0, k, (carom_contact_state)now->contact[k], given ? r->first.n + m->slip[k] : own);
    }
    if (!begin(r, now, next, next->t - now->t, by_rates, kept, report) || !solve_stage1(r, true, tolerance, report) ||
        !balance_stage2(r, report))
        return false;
    ending_fix(&r->second, now->contact, sense, stage_slips(r, 1), 1);
    if (!ending_solve(&r->second, tolerance, report)) return false;
    read(r, next);
    memcpy(next->contact, now->contact, (size_t)m->def.contacts * sizeof *next->contact);
    memcpy(r->stages, r->z1 + r->nF, (size_t)m->ns * sizeof *r->stages);
    memcpy(r->stages + m->ns, impact_percussion(&r->second.impact), (size_t)m->ns * sizeof *r->stages);
    return true;
}

static bool admit(void *self, const motion *now, const double *sense, motion *next, double zero, double tolerance,
                  step_report *report) {
    rattle *r = self;
    if (!ending_admit(&r->second, now->contact, sense, stage_slips(r, 1), zero, tolerance, report, next)) return false;
    for (int k = 0; k < r->m->ns; k++) next->memory[k] = next->P[k] / (2 * r->dt);
    return true;
}

static bool capture_rest(void *self, const motion *now, motion *next, double tolerance, step_report *report) {
    rattle *r = self;
    contacts_release(&r->first);
    return capture_step(r, now, next, next->t - now->t, tolerance, report);
}

static double *stored_velocities(const void *self, const motion *x) {
    return x->memory + ((const rattle *)self)->m->ns;
}
static const double *stage_position(const void *self, int i) {
    const rattle *r = self;
    return i == 0 ? r->now.q : position_of(r, r->z1);
}
static const double *stage_velocity(const void *self, int i) {
    (void)i;
    return ((const rattle *)self)->z1;
}
static const double *stage_gaps(const void *self, int i) {
    (void)i;
    return ((const rattle *)self)->c;
}
static const double *stage_percussion(const void *self, int i) {
    const rattle *r = self;
    return r->stages + i * r->m->ns;
}

static bool step(void *self, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    rattle *r = self;
    const int modes = 2 * r->m->ns;
    if (!r->located) return capture_step(r, now, next, dt, tolerance, report);
    return locate_step(&r->locate, now, now->memory + modes, next, next->memory + modes, dt, tolerance, report);
}

static bool start(void *self, motion *first, step_report *report) {
    rattle *r = self;
    const carom_model *m = r->m;
    memset(first->memory, 0, (size_t)m->ns * sizeof *first->memory);
    if (m->ns && m->def.velocity(m->def.context, first->t, first->q, first->u, first->memory + m->ns, NULL, NULL))
        return false;
    return !r->located || locate_start(&r->locate, first, first->memory + 2 * m->ns, report);
}

static const event_log *events(void *self) {
    rattle *r = self;
    return r->located ? &r->locate.log : NULL;
}

static problem *stage(void *self, int k, const double **z) {
    rattle *r = self;
    *z = k == 0 ? r->z1 : r->second.impact.z;
    return k == 0 ? &r->first : &r->second.impact.problem;
}

static void forget(void *self) {
    rattle *r = self;
    solver_forget(r->first_solver);
    solver_forget(r->second.impact.solver);
    if (r->located) locate_forget(&r->locate);
}

/* ---------------------------------------------------------------- setup */

static void destroy(void *self) {
    rattle *r = self;
    if (!r) return;
    solver_destroy(r->first_solver);
    ending_destroy(&r->second);
    if (r->located) locate_destroy(&r->locate);
    problem_free(&r->first);
    csr_blocks_free(r->block, IDENTITY + 1);
    unit_destroy(&r->unit);
    free(r->memory);
    free(r);
}

static bool allocate(rattle *r) {
    const carom_model_def *d = &r->m->def;
    int nu = d->nu, nq = d->nq, ns = r->m->ns, nc = r->m->nc, WT = pattern_nnz(&d->WT), M = pattern_nnz(&d->M),
        B = pattern_nnz(&d->B);
    const vector_part parts[] = {
        {&r->at0.q, nq},
        {&r->at0.M, M},
        {&r->at0.WT, WT},
        {&r->at0.B, B},
        {&r->at1.q, nq},
        {&r->at1.M, M},
        {&r->at1.WT, WT},
        {&r->at1.B, B},
        {&r->z1, r->nF + ns},
        {&r->q1, nq},
        {&r->h, nu},
        {&r->c, nc},
        {&r->s, ns},
        {&r->WT, WT},
        {&r->s_q, pattern_nnz(&d->s_q)},
        {&r->q_dot0, nq},
        {&r->q_dot1, nq},
        {&r->B1, B},
        {&r->q_dot_q, pattern_nnz(&d->q_dot_q)},
        {&r->h_u, pattern_nnz(&d->h_u)},
        {&r->c_q, pattern_nnz(&d->c_q)},
        {&r->sense, r->m->nF},
        {&r->stages, 2 * ns},
    };
    r->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    return unit_create(&r->unit, nq) && r->memory;
}

static bool build(rattle *r) {
    const carom_model *m = r->m;
    const carom_model_def *d = &m->def;
    int y = r->nF, q = m->trivial ? 0 : d->nu, nu = d->nu; /* first row of y, column of q_1 */
    const int rated = r->located;                          /* short steps between events impose them */
    csr_block block[IDENTITY + 1] = {
        [MASS] = {&d->M, 0, nu, 0, 0, false, NULL},
        [DAMPING] = {&d->h_u, 0, nu, 0, 0, false, NULL},
        [PERCUSSION] = {&d->WT, 0, m->ns, 0, y, true, NULL},
        [JOINT] = {&d->c_q, 0, d->ng, y, q, false, NULL},
        [GAP] = {&d->c_q, d->ng, m->nc, y + m->N, q, false, NULL},
        [JOINT_RATE_Q] = {&d->s_q, 0, rated * d->ng, y, q, false, NULL},
        [GAP_RATE_Q] = {&d->s_q, m->N, m->N + rated * d->contacts, y + m->N, q, false, NULL},
        [JOINT_RATE_U] = {&d->WT, 0, rated * d->ng, y, 0, false, NULL},
        [GAP_RATE_U] = {&d->WT, m->N, m->N + rated * d->contacts, y + m->N, 0, false, NULL},
        [SPIN_Q] = {&d->s_q, m->gamma, m->N, y + m->gamma, q, false, NULL},
        [SLIP_Q] = {&d->s_q, m->F, m->ns, y + m->F, q, false, NULL},
        [SPIN_U] = {&d->WT, m->gamma, m->N, y + m->gamma, 0, false, NULL},
        [SLIP_U] = {&d->WT, m->F, m->ns, y + m->F, 0, false, NULL},
        [KINEMATIC_U] = {&d->B, 0, d->nq, nu, 0, false, NULL},
        [KINEMATIC_Q] = {&d->q_dot_q, 0, d->nq, nu, q, false, NULL},
        [IDENTITY] = {&r->unit.pattern, 0, d->nq, nu, q, false, NULL},
    };
    memcpy(r->block, block, sizeof block);
    problem_shape shape = {.balances = 1, .updates = !m->trivial, .copies = 1, .looks = r->located ? m->nF : 0};
    if (!problem_build(&r->first, m, shape, r->block, m->trivial ? KINEMATIC_U : IDENTITY + 1)) return false;
    r->first.context = r;
    r->first.evaluate = evaluate_stage1;
    return (r->first_solver = solver_create(&r->first)) && ending_create(&r->second, m, r->published);
}

static carom_status create(const carom_model *model, const carom_run_def *run, void **self, int *memory,
                           carom_error *error) {
    static const char *const variants[] = {"cured", "published", NULL};
    int variant, samples;
    bool located;
    carom_status status = option_choice(run, "variant", variants, &variant, error);
    if (!status) status = locate_options(run, model, 2, variant == 1, &located, &samples, error);
    if (status) return status;
    rattle *r = *self = calloc(1, sizeof *r);
    if (!r) return carom_error_memory(error);
    r->m = model;
    r->published = variant == 1;
    r->located = located;
    r->nF = model->def.nu + (model->trivial ? 0 : model->def.nq);
    *memory = 2 * model->ns;
    bool ok = allocate(r) && build(r);
    if (ok && r->located) {
        static const double nodes[] = {0, 1};
        fixed_scheme scheme = {.self = r,
                               .s = 2,
                               .c = nodes,
                               .take = take,
                               .admit = admit,
                               .capture = capture_rest,
                               .velocities = stored_velocities,
                               .position = stage_position,
                               .velocity = stage_velocity,
                               .gaps = stage_gaps,
                               .slips = stage_slips,
                               .percussion = stage_percussion};
        ok = locate_create(&r->locate, model, scheme, samples, *memory);
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
             .reference =
                 "Breuling, Capobianco, Eugster, Leine: A nonsmooth RATTLE algorithm for mechanical systems with "
                 "frictional unilateral constraints. Nonlinear Analysis: Hybrid Systems 52 (2024) 101469",
             .promise = {.order = 2,
                         .velocity_order = 2,
                         .joint_order = 2,
                         .rolling_order = 2,
                         .sliding_order = 2,
                         .event_order = 1,
                         .positions = true,
                         .velocities = true,
                         .symmetric = true,
                         .momentum = true,
                         .energy = true,
                         .invariants = true},
             .options = options,
             .option_count = 3},
    .stages = 2,
    .create = create,
    .destroy = destroy,
    .start = start,
    .step = step,
    .stage = stage,
    .forget = forget,
    .events = events,
};
