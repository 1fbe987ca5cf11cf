#include "integrator/rattle_stage.h"

#include <stdlib.h>
#include <string.h>

/* Blocks of the Jacobian of the problem: balance by u, u, P'; g, g_N and their rates, gamma (spin) and gamma_F (slip)
 * by q and u; (R2). */
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

_Static_assert(IDENTITY + 1 == RATTLE_BLOCKS, "one block each");

/* ---------------------------------------------------------------- quantities at a place */

static bool is_at(const rattle_stage *r, const rattle_place *p, double t, const double *q) {
    return p->known && p->t == t && !memcmp(p->q, q, (size_t)r->m->def.nq * sizeof *q);
}

/* velocities, unless NULL: s of u there, too. */
static int visit(const rattle_stage *r, rattle_place *p, double t, const double *q, const double *u,
                 double *velocities) {
    const carom_model_def *d = &r->m->def;
    const bool known = is_at(r, p, t, q), any = r->m->ns > 0;
    if (any && (!known || velocities) && d->velocity(d->context, t, q, u, velocities, known ? NULL : p->WT, NULL))
        return 1;
    if (known) return 0;
    p->t = t;
    memcpy(p->q, q, (size_t)d->nq * sizeof *q);
    p->weighed = (p->weighed && r->m->constant_mass) || !d->mass(d->context, t, q, p->M);
    p->known = p->weighed && (r->m->trivial || !d->kinematics(d->context, t, q, u, NULL, p->B, NULL));
    if (p->known) problem_measure(&r->problem, r->m, p->M, p->WT, p->extent);
    return !p->known;
}

void rattle_stage_forget(rattle_stage *r) {
    r->at0.known = r->at1.known = r->at0.weighed = r->at1.weighed = false;
}

/* The end of the last step is the start of this one. */
static int visit_start(rattle_stage *r) {
    if (is_at(r, &r->at1, r->now.t, r->now.q)) {
        rattle_place start = r->at1;
        r->at1 = r->at0;
        r->at0 = start;
    }
    return visit(r, &r->at0, r->now.t, r->now.q, r->now.u, NULL);
}

/* ---------------------------------------------------------------- the problem */

static const double *position_of(const rattle_stage *r, const double *z) {
    int n = r->m->def.nu;
    if (!r->m->trivial) return z + n;
    for (int i = 0; i < n; i++) r->q1[i] = r->now.q[i] + r->dt * z[i];
    return r->q1;
}

/* (R3), (R5): rows [first, last) of s at the end of the step, or their mean over both ends (affine in u). */
static void velocity_rows(const rattle_stage *r, const double *u, int first, int last, double *y) {
    const carom_pattern *WT = &r->m->def.WT;
    const double *s0 = rattle_velocities(r->m, &r->now);
    for (int k = first; k < last; k++) {
        double start = s0[k];
        for (int e = WT->start[k]; e < WT->start[k + 1]; e++) {
            int j = WT->index[e];
            start += r->at0.WT[e] * (u[j] - r->now.u[j]);
        }
        y[k] = r->published ? r->s[k] : (r->s[k] + start) / 2;
    }
}

static bool has_velocity_rows(const rattle_stage *r) {
    return r->m->def.ngamma + r->m->slips > 0 || (r->problem.velocity_level && r->m->ns > 0);
}

/* (R2), with q_dot at both ends */
static void update_rows(const rattle_stage *r, const double *z, double *rows) {
    const int nu = r->m->def.nu;
    const double *q = z + nu, half = r->dt / 2;
    for (int i = 0; i < r->m->def.nq; i++) rows[nu + i] = q[i] - r->now.q[i] - half * (r->q_dot0[i] + r->q_dot1[i]);
}

static int update(void *self, const double *z, double *rows) {
    rattle_stage *r = self;
    const carom_model_def *d = &r->m->def;
    if (d->kinematics(d->context, r->now.t, r->now.q, z, r->q_dot0, NULL, NULL)) return 1;
    if (d->kinematics(d->context, r->t1, z + d->nu, z, r->q_dot1, NULL, NULL)) return 1;
    update_rows(r, z, rows);
    return 0;
}

/* (R1), with the forces */
static void balance_rows(const rattle_stage *r, const double *z, double *rows) {
    balance_momentum(r->m, r->at0.M, r->at0.WT, z, r->now.u, z + r->nF, rows);
    for (int i = 0; i < r->m->def.nu; i++) rows[i] -= r->dt / 2 * r->h[i];
}

static int balance(void *self, const double *z, double *rows) {
    rattle_stage *r = self;
    const carom_model_def *d = &r->m->def;
    if (d->force(d->context, r->now.t, r->now.q, z, r->h, NULL, NULL)) return 1;
    balance_rows(r, z, rows);
    return 0;
}

/* Of position functions by q, at the end. */
static int derive_positions(rattle_stage *r, const double *q) {
    const carom_model *m = r->m;
    const carom_model_def *d = &m->def;
    if (!r->ended || !r->gaps_as_slips) return d->position(d->context, r->t1, q, NULL, r->c_q);
    const int *from = d->WT.start, *to = d->c_q.start, joints = to[d->ng], all = to[m->nc];
    memcpy(r->c_q, r->at1.WT, (size_t)joints * sizeof *r->c_q);
    memcpy(r->c_q + joints, r->at1.WT + from[m->N], (size_t)(all - joints) * sizeof *r->c_q);
    return 0;
}

/* Whether friction may have a row in Newton's step from z, where the gaps are known: only what presses or touches, up
 * to round-off (S19), rubs. */
static bool may_rub(const rattle_stage *r, const double *z) {
    const carom_model *m = r->m;
    for (int k = 0; k < m->def.contacts; k++) {
        const problem_law *normal = law_of_contact((problem *)&r->problem, m, 0, k);
        const double gap = r->c[m->def.ng + k] - (r->kept ? r->kept[m->def.ng + k] : 0);
        if (contact_follows(m, k) || z[normal->col] != 0 || !(normal->level * gap > normal->floor)) return true;
    }
    return false;
}

/* What the model says at z: values for the rows, derivatives for J. */
static int look(rattle_stage *r, const double *z, bool values, bool derivatives) {
    const carom_model *m = r->m;
    const carom_model_def *d = &m->def;
    const double *u = z, *q = position_of(r, z);
    const bool damped = derivatives && pattern_nnz(&d->h_u) > 0, exact = derivatives && !r->problem.rough,
               closes = exact && !r->problem.velocity_level;
    if ((values || damped) &&
        d->force(d->context, r->now.t, r->now.q, u, values ? r->h : NULL, NULL, damped ? r->h_u : NULL))
        return 1;
    if (m->nc && values && d->position(d->context, r->t1, q, r->c, closes ? r->c_q : NULL)) return 1;
    if (m->nc && closes && !values && derive_positions(r, q)) return 1;
    r->turns = exact && !r->positions_only && (!r->problem.lean || d->ngamma > 0 || r->located || may_rub(r, z));
    const bool slips = r->turns;
    if (has_velocity_rows(r) && (values || slips) &&
        d->velocity(d->context, r->t1, q, u, values ? r->s : NULL, slips && !r->ended ? r->WT : NULL,
                    slips ? r->s_q : NULL))
        return 1;
    if (m->trivial) return 0;
    if (values && d->kinematics(d->context, r->now.t, r->now.q, u, r->q_dot0, NULL, NULL)) return 1;
    return d->kinematics(d->context, r->t1, q, u, values ? r->q_dot1 : NULL, derivatives ? r->B1 : NULL,
                         derivatives ? r->q_dot_q : NULL);
}

static void write_rows(const rattle_stage *r, const double *z, double *rows) {
    const carom_model *m = r->m;
    const carom_model_def *d = &m->def;
    double *y = rows + r->nF;
    balance_rows(r, z, rows);
    if (!m->trivial) update_rows(r, z, rows);
    memcpy(y, r->c, (size_t)d->ng * sizeof *y);
    memcpy(y + m->N, r->c + d->ng, (size_t)d->contacts * sizeof *y);
    for (int k = 0; k < m->nc && r->kept; k++) y[k < d->ng ? k : m->N + k - d->ng] -= r->kept[k];
    if (has_velocity_rows(r)) {
        velocity_rows(r, z, r->problem.velocity_level ? 0 : m->gamma, m->N, y);
        velocity_rows(r, z, r->problem.velocity_level ? m->N : m->F, m->ns, y);
    }
    if (r->located) memcpy(rows + r->problem.n, r->sense, (size_t)m->slips * sizeof *rows);
}

static void write_jacobian(rattle_stage *r) {
    const carom_model *m = r->m;
    const double half = r->dt / 2;
    const double by_q = m->trivial ? r->dt : 1; /* columns of q, or of u through q_1 = q_0 + dt u */
    const double share = r->published ? 1 : 0.5;
    csr *J = &r->problem.J;
    const csr_block *b = r->block;

    csr_zero(J);
    csr_add(J, &b[MASS], 1, r->at0.M);
    csr_add(J, &b[PERCUSSION], -1, r->at0.WT);
    if (pattern_nnz(&m->def.h_u)) csr_add(J, &b[DAMPING], -half, r->h_u);
    if (r->problem.rough) {
        csr_add(J, &b[JOINT_RATE_U], r->dt, r->at0.WT);
        csr_add(J, &b[GAP_RATE_U], r->dt, r->at0.WT);
        csr_add(J, &b[SPIN_U], 1, r->at0.WT);
        csr_add(J, &b[SLIP_U], 1, r->at0.WT);
    }
    if (m->nc && !r->problem.velocity_level && !r->problem.rough) {
        csr_add(J, &b[JOINT], by_q, r->c_q);
        csr_add(J, &b[GAP], by_q, r->c_q);
    }
    if (has_velocity_rows(r) && r->turns) {
        const double *WT = r->ended ? r->at1.WT : r->WT;
        for (int f = 0; f < 2 && r->problem.velocity_level; f++) {
            csr_add(J, &b[JOINT_RATE_Q + f], share * by_q, r->s_q);
            csr_add(J, &b[JOINT_RATE_U + f], share, WT);
            csr_add(J, &b[JOINT_RATE_U + f], 1 - share, r->at0.WT);
        }
        csr_add(J, &b[SPIN_Q], share * by_q, r->s_q);
        csr_add(J, &b[SLIP_Q], share * by_q, r->s_q);
        csr_add(J, &b[SPIN_U], share, WT);
        csr_add(J, &b[SLIP_U], share, WT);
        csr_add(J, &b[SPIN_U], 1 - share, r->at0.WT);
        csr_add(J, &b[SLIP_U], 1 - share, r->at0.WT);
    }
    if (!m->trivial) {
        csr_add(J, &b[KINEMATIC_U], -half, r->at0.B);
        csr_add(J, &b[KINEMATIC_U], -half, r->B1);
        csr_add(J, &b[KINEMATIC_Q], -half, r->q_dot_q);
        csr_add(J, &b[IDENTITY], 1, r->unit.value);
    }
}

static int evaluate(void *self, const double *z, double *rows, bool jacobian) {
    rattle_stage *r = self;
    if (look(r, z, rows != NULL, jacobian)) return 1;
    if (rows) write_rows(r, z, rows);
    if (jacobian) write_jacobian(r);
    return 0;
}

/* ---------------------------------------------------------------- the step */

bool rattle_stage_place(rattle_stage *r, const motion *now, double t1, double dt, bool by_rates, const double *kept) {
    r->now = *now;
    r->kept = kept;
    r->dt = dt;
    r->t1 = t1;
    r->problem.velocity_level = by_rates;
    r->problem.at = (friction_place){now->t, now->q}; /* where P' acts */
    return !visit_start(r);
}

bool rattle_stage_begin(rattle_stage *r, const motion *now, double t1, double dt, bool by_rates, const double *kept) {
    if (!rattle_stage_place(r, now, t1, dt, by_rates, kept)) return false;
    r->sound = problem_set_known_units(&r->problem, r->m, r->at0.M, r->at0.extent, &(law_gain){1, 1}, dt);
    problem_set_floor(&r->problem, r->m, now->u, now->q, dt, NULL);
    return true;
}

bool rattle_stage_keep(rattle_stage *r, double factor, double tolerance) {
    if (r->problem.absolute || r->problem.accept > 0) return true;
    r->kept = r->given_way;
    const double *last = rattle_last(r->m, &r->now);
    return gaps_given_way(&r->problem, r->m, r->now.t, r->now.q, last, factor, tolerance, r->given_way);
}

/* (R15). The scheme as printed begins where the step does. */
static void guess_motion(rattle_stage *r) {
    const carom_model_def *d = &r->m->def;
    const double *added = rattle_added(&r->now), *q0 = r->now.q, half = r->dt / 2;
    double *u = r->z, *q = r->z + d->nu;
    for (int i = 0; i < d->nu; i++) u[i] = r->now.u[i] + (r->published ? 0 : added[i]);
    if (r->m->trivial) return;
    memcpy(q, q0, (size_t)d->nq * sizeof *q);
    if (r->published || d->kinematics(d->context, r->now.t, q0, u, r->q_dot0, NULL, NULL)) return;
    for (int i = 0; i < d->nq; i++) q[i] = q0[i] + r->dt * r->q_dot0[i];
    if (d->kinematics(d->context, r->t1, q, u, r->q_dot1, NULL, NULL)) return;
    for (int i = 0; i < d->nq; i++) q[i] = q0[i] + half * (r->q_dot0[i] + r->q_dot1[i]);
}

bool rattle_stage_solve(rattle_stage *r, const double *guess, double scale, bool fixed, double tolerance,
                        solver_report *report) {
    const carom_model *m = r->m;
    guess_motion(r);
    for (int k = 0; k < m->ns; k++) r->z[r->nF + k] = guess[k] * scale;
    *report = (solver_report){.singular = true};
    return r->sound &&
           (fixed ? solver_solve_fixed : solver_solve_yielding)(r->solver, &r->problem, r->z, tolerance, report);
}

bool rattle_stage_end(rattle_stage *r) {
    return !visit(r, &r->at1, r->t1, rattle_stage_position(r), r->z, r->s);
}

const double *rattle_stage_position(const rattle_stage *r) {
    return position_of(r, r->z);
}
const double *rattle_stage_percussion(const rattle_stage *r) {
    return r->z + r->nF;
}
int rattle_slip_row(const rattle_stage *r) {
    return r->nF + r->m->F;
}

/* ---------------------------------------------------------------- setup */

static bool allocate(rattle_stage *r) {
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
        {&r->z, r->nF + ns},
        {&r->q1, nq},
        {&r->h, nu},
        {&r->c, nc},
        {&r->given_way, nc},
        {&r->s, ns},
        {&r->WT, WT},
        {&r->s_q, pattern_nnz(&d->s_q)},
        {&r->q_dot0, nq},
        {&r->q_dot1, nq},
        {&r->B1, B},
        {&r->q_dot_q, pattern_nnz(&d->q_dot_q)},
        {&r->h_u, pattern_nnz(&d->h_u)},
        {&r->c_q, pattern_nnz(&d->c_q)},
        {&r->sense, r->m->slips},
    };
    r->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    r->at0.extent = calloc((size_t)ns + 1, sizeof(law_extent));
    r->at1.extent = calloc((size_t)ns + 1, sizeof(law_extent));
    return unit_create(&r->unit, nq) && r->memory && r->at0.extent && r->at1.extent;
}

/* Where q_dot = u, rates of position functions are c_q u + c_t. */
static bool gaps_are_slips(const carom_model *m) {
    const carom_pattern *WT = &m->def.WT, *c_q = &m->def.c_q;
    bool same = m->trivial;
    for (int k = 0; k < m->nc && same; k++) {
        const int row = k < m->def.ng ? k : m->N + k - m->def.ng, count = c_q->start[k + 1] - c_q->start[k];
        same = WT->start[row + 1] - WT->start[row] == count &&
               !memcmp(WT->index + WT->start[row], c_q->index + c_q->start[k], (size_t)count * sizeof *c_q->index);
    }
    return same;
}

static void list_blocks(rattle_stage *r, bool roughly) {
    const carom_model *m = r->m;
    const carom_model_def *d = &m->def;
    int y = r->nF, q = m->trivial ? 0 : d->nu, nu = d->nu; /* first row of y, column of q_1 */
    const int rated = r->located || roughly; /* short steps between events impose rates; rough Jacobians have them */
    csr_block block[RATTLE_BLOCKS] = {
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
}

bool rattle_stage_create(rattle_stage *r, const carom_model *m, bool published, bool located, double accept) {
    *r = (rattle_stage){.m = m, .published = published, .located = located};
    r->nF = m->def.nu + (m->trivial ? 0 : m->def.nq);
    if (!allocate(r)) return false;
    list_blocks(r, accept > 0);
    r->gaps_as_slips = gaps_are_slips(m);
    problem_shape shape = {.balances = 1, .updates = !m->trivial, .copies = 1, .looks = located ? m->slips : 0};
    if (!problem_build(&r->problem, m, shape, r->block, m->trivial ? KINEMATIC_U : RATTLE_BLOCKS)) return false;
    r->problem.accept = accept;
    r->problem.context = r;
    r->problem.balance = balance;
    r->problem.update = m->trivial ? NULL : update;
    r->problem.evaluate = evaluate;
    r->problem.absolute = published;
    return (r->solver = solver_create(&r->problem)) != NULL;
}

void rattle_stage_destroy(rattle_stage *r) {
    solver_destroy(r->solver);
    problem_free(&r->problem);
    csr_blocks_free(r->block, RATTLE_BLOCKS);
    unit_destroy(&r->unit);
    free(r->at0.extent);
    free(r->at1.extent);
    free(r->memory);
}
