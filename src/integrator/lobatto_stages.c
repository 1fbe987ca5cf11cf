#include "integrator/lobatto_stages.h"

#include <stdlib.h>
#include <string.h>

#include "integrator/lobatto_coefficients.h"

/* Families of blocks of the Jacobian, each with a member for every row and column stage: of the balance by V^i, q, V^j,
 * q, q, R^j; of (B7); of (B8), and of its rates; of (B9), (B10) by q and V, and of the rows the laws look at; of mu by
 * its place. */
enum {
    MASS,
    MOMENTUM,
    DAMPING,
    STIFFNESS,
    TURN,
    PERCUSSION,
    IDENTITY,
    KINEMATIC_U,
    KINEMATIC_Q,
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
    RUB_Q,
    FAMILIES
};

static csr_block *member(const lobatto_stages *l, int family, int row, int col) {
    return &l->block[(family * l->s + row) * l->s + col];
}

const double *lobatto_percussions(const lobatto_stages *l, int j) {
    return l->z + l->problem.nF + j * l->m->ns;
}

static int slip_rows(const lobatto_stages *l, int i) {
    const problem *p = &l->problem;
    return i == 0 ? p->n : p->nF + (i - 1) * l->m->ns + l->m->F;
}

int lobatto_sense_row(const lobatto_stages *l, int contact) {
    return l->problem.n + l->m->slips + l->m->slip[contact];
}

int lobatto_slip_row(const lobatto_stages *l, int i, int contact) {
    return slip_rows(l, i) + l->m->slip[contact];
}

/* (L26): whether mu depends on q, and the row of the derivatives of mu for R^i of a contact; at the first stage q is
 * given. */
static bool rubs_by_place(const carom_model *m) {
    return m->def.friction && pattern_nnz(&m->def.mu_q) > 0;
}
static int rub_row(const lobatto_stages *l, int i, int contact) {
    const problem *p = &l->problem;
    const int rows = l->m->def.mu_q.rows;
    return i == 0 ? -1 : p->n + p->looks - (l->s - 1 - i) * rows + contact;
}

/* ---------------------------------------------------------------- rows */

/* (B7) inserted, or the unknown itself. */
static void place_stages(lobatto_stages *l, const double *z) {
    int nu = l->m->def.nu, nq = l->m->def.nq;
    for (int i = 0; i < l->s; i++) {
        lobatto_stage *st = &l->stage[i];
        st->V = z + i * nu;
        if (i == 0) continue;
        st->Q = l->m->trivial ? st->inserted : z + l->s * nu + (i - 1) * nq;
        for (int k = 0; k < nq && l->m->trivial; k++) {
            double sum = 0;
            for (int j = 0; j < l->s; j++) sum += l->a[i * l->s + j] * z[j * nu + k];
            st->inserted[k] = l->q_n[k] + l->dt * sum;
        }
    }
    for (int i = 0; i < l->s; i++) l->stage[i].at = (friction_place){l->stage[i].t, l->stage[i].Q};
}

static int evaluate_stage(const lobatto_stages *l, int i, const double *R) {
    const carom_model *m = l->m;
    const carom_model_def *d = &m->def;
    lobatto_stage *st = &l->stage[i];
    bool first = i == 0, last = i == l->s - 1;
    if (model_momentum(m, st->t, st->Q, st->V, st->M, st->p, NULL, st->b, NULL, NULL)) return 1;
    if (m->ns && d->velocity(d->context, st->t, st->Q, st->V, st->s, first ? NULL : st->WT, NULL)) return 1;
    if (m->nc && !first && d->position(d->context, st->t, st->Q, st->c, NULL)) return 1;
    if (!m->trivial && d->kinematics(d->context, st->t, st->Q, st->V, st->q_dot, NULL, NULL)) return 1;
    for (int k = 0; k < d->nu; k++) st->F[k] = l->dt * st->b[k];
    if (!last) pattern_multiply_transposed(&d->WT, st->WT, 1, R + i * m->ns, st->F);
    return 0;
}

static void balance_rows(const lobatto_stages *l, double *rows) {
    int nu = l->m->def.nu, s = l->s;
    for (int i = 0; i < s; i++)
        for (int k = 0; k < nu; k++) {
            double sum = l->stage[i].p[k] - l->p_n[k];
            for (int j = 0; j < s - 1; j++) sum -= l->a_hat[i * s + j] * l->stage[j].F[k];
            rows[i * nu + k] = sum;
        }
}

static void update_rows(const lobatto_stages *l, double *rows) {
    int nq = l->m->def.nq, s = l->s;
    for (int i = 1; i < s; i++)
        for (int k = 0; k < nq; k++) {
            double sum = 0;
            for (int j = 0; j < s; j++) sum += l->a[i * s + j] * l->stage[j].q_dot[k];
            rows[(i - 1) * nq + k] = l->stage[i].Q[k] - l->q_n[k] - l->dt * sum;
        }
}

/* y_i of the rows [first, last) of s */
static void project(const lobatto_stages *l, int i, int first, int last, double *y) {
    for (int k = first; k < last; k++) {
        double sum = 0;
        for (int j = 0; j < l->s; j++) sum += l->pi[i * l->s + j] * l->stage[j].s[k];
        *y++ = sum;
    }
}

/* The derivatives of mu by Q^i; the rows that have them are zero themselves. */
static int rub_rows(const lobatto_stages *l, double *rows) {
    const carom_pattern *mu_q = &l->m->def.mu_q;
    for (int i = 1; i < l->s - 1; i++)
        for (int k = 0; k < mu_q->rows; k++) {
            const problem_law *friction = law_of_friction((problem *)&l->problem, l->m, i, k);
            const int entries = mu_q->start[k + 1] - mu_q->start[k];
            rows[rub_row(l, i, k)] = 0;
            if (!entries) continue;
            if (problem_mu_by_place(friction, rows, entries, l->stage[i].mu_q + mu_q->start[k])) return 1;
        }
    return 0;
}

static int rows_at(lobatto_stages *l, const double *z, double *rows) {
    const carom_model *m = l->m;
    const carom_model_def *d = &m->def;
    place_stages(l, z);
    for (int i = 0; i < l->s; i++)
        if (evaluate_stage(l, i, z + l->problem.nF)) return 1;
    balance_rows(l, rows);
    if (!m->trivial) update_rows(l, rows + l->s * d->nu);
    for (int i = 1; i < l->s; i++) {
        double *y = rows + l->problem.nF + (i - 1) * m->ns;
        project(l, i, 0, m->ns, y);
        if (l->problem.velocity_level) continue;
        memcpy(y, l->stage[i].c, (size_t)d->ng * sizeof *y);
        memcpy(y + m->N, l->stage[i].c + d->ng, (size_t)d->contacts * sizeof *y);
        for (int k = 0; k < m->nc && l->kept; k++) y[k < d->ng ? k : m->N + k - d->ng] -= l->kept[k];
    }
    if (l->looks) project(l, 0, m->F, m->ns, rows + slip_rows(l, 0));
    if (l->sense) memcpy(rows + l->problem.n + m->slips, l->sense, (size_t)m->slips * sizeof *rows);
    return rubs_by_place(m) ? rub_rows(l, rows) : 0;
}

/* ---------------------------------------------------------------- Jacobian */

static int differentiate_stage(const lobatto_stages *l, int i, const double *R) {
    const carom_model *m = l->m;
    const carom_model_def *d = &m->def;
    lobatto_stage *st = &l->stage[i];
    bool first = i == 0, last = i == l->s - 1;
    if (model_momentum(m, st->t, st->Q, st->V, NULL, NULL, first ? NULL : st->p_q, NULL, first || last ? NULL : st->b_q,
                       last ? NULL : st->b_u))
        return 1;
    if (!m->trivial && d->kinematics(d->context, st->t, st->Q, st->V, NULL, st->B, first ? NULL : st->q_dot_q))
        return 1;
    if (first) return 0;
    if (d->mass(d->context, st->t, st->Q, st->M)) return 1;
    if (m->nc && d->position(d->context, st->t, st->Q, NULL, st->c_q)) return 1;
    if ((d->ngamma + m->slips || l->problem.velocity_level) &&
        d->velocity(d->context, st->t, st->Q, st->V, NULL, NULL, st->s_q))
        return 1;
    return !last && m->ns && d->direction_q(d->context, st->t, st->Q, R + i * m->ns, st->Wr_q);
}

/* factor times a derivative by Q^j of the rows of stage i: by the V^k through (B7) where q_dot = u. */
static void add_by_q(lobatto_stages *l, int family, int i, int j, double factor, const double *values) {
    csr *J = &l->problem.J;
    if (j == 0 || factor == 0) return;
    if (!l->m->trivial) {
        csr_add(J, member(l, family, i, j), factor, values);
        return;
    }
    for (int k = 0; k < l->s; k++) csr_add(J, member(l, family, i, k), factor * l->dt * l->a[j * l->s + k], values);
}

static void differentiate_balance(lobatto_stages *l, int i) {
    csr *J = &l->problem.J;
    csr_add(J, member(l, MASS, i, i), 1, l->stage[i].M);
    add_by_q(l, MOMENTUM, i, i, 1, l->stage[i].p_q);
    for (int j = 0; j < l->s - 1; j++) {
        const lobatto_stage *st = &l->stage[j];
        double a = l->a_hat[i * l->s + j];
        csr_add(J, member(l, DAMPING, i, j), -a * l->dt, st->b_u);
        csr_add(J, member(l, PERCUSSION, i, j), -a, st->WT);
        add_by_q(l, STIFFNESS, i, j, -a * l->dt, st->b_q);
        add_by_q(l, TURN, i, j, -a, st->Wr_q);
    }
}

static void differentiate_update(lobatto_stages *l, int i) {
    csr *J = &l->problem.J;
    csr_add(J, member(l, IDENTITY, i, i), 1, l->unit.value);
    for (int j = 0; j < l->s; j++) {
        double factor = -l->dt * l->a[i * l->s + j];
        csr_add(J, member(l, KINEMATIC_U, i, j), factor, l->stage[j].B);
        if (j > 0) csr_add(J, member(l, KINEMATIC_Q, i, j), factor, l->stage[j].q_dot_q);
    }
}

static void differentiate_velocities(lobatto_stages *l, int i) {
    csr *J = &l->problem.J;
    for (int j = 0; j < l->s; j++) {
        const lobatto_stage *st = &l->stage[j];
        double share = l->pi[i * l->s + j];
        if (share == 0) continue;
        if (l->problem.velocity_level) {
            csr_add(J, member(l, JOINT_RATE_U, i, j), share, st->WT);
            csr_add(J, member(l, GAP_RATE_U, i, j), share, st->WT);
            add_by_q(l, JOINT_RATE_Q, i, j, share, st->s_q);
            add_by_q(l, GAP_RATE_Q, i, j, share, st->s_q);
        }
        csr_add(J, member(l, SPIN_U, i, j), share, st->WT);
        csr_add(J, member(l, SLIP_U, i, j), share, st->WT);
        add_by_q(l, SPIN_Q, i, j, share, st->s_q);
        add_by_q(l, SLIP_Q, i, j, share, st->s_q);
    }
}

static int jacobian_at(lobatto_stages *l, const double *z) {
    place_stages(l, z);
    for (int i = 0; i < l->s; i++)
        if (differentiate_stage(l, i, z + l->problem.nF)) return 1;
    csr_zero(&l->problem.J);
    for (int i = 0; i < l->s; i++) {
        differentiate_balance(l, i);
        if (!l->m->trivial && i > 0) differentiate_update(l, i);
        if (i > 0 && !l->problem.velocity_level) {
            add_by_q(l, JOINT, i, i, 1, l->stage[i].c_q);
            add_by_q(l, GAP, i, i, 1, l->stage[i].c_q);
        }
        differentiate_velocities(l, i);
        if (rubs_by_place(l->m) && i > 0 && i < l->s - 1) add_by_q(l, RUB_Q, i, i, 1, l->stage[i].mu_q);
    }
    return 0;
}

static int evaluate(void *self, const double *z, double *rows, bool jacobian) {
    if (rows && rows_at(self, z, rows)) return 1;
    return jacobian && jacobian_at(self, z);
}

/* ---------------------------------------------------------------- a step */

bool lobatto_stages_place(lobatto_stages *l, double t, const double *q, const double *u, double dt, bool by_rates) {
    const carom_model *m = l->m;
    const carom_model_def *d = &m->def;
    lobatto_stage *first = &l->stage[0];
    memcpy(l->q_n, q, (size_t)d->nq * sizeof *q);
    l->dt = dt;
    l->kept = NULL;
    l->problem.velocity_level = by_rates;
    for (int i = 0; i < l->s; i++) l->stage[i].t = t + l->c[i] * dt;
    first->Q = l->q_n;
    if (d->mass(d->context, t, q, first->M)) return false;
    return !m->ns || !d->velocity(d->context, t, q, u, NULL, first->WT, NULL);
}

bool lobatto_stages_begin(lobatto_stages *l, double t, const double *q, const double *u, double dt, bool by_rates) {
    const carom_model *m = l->m;
    const carom_model_def *d = &m->def;
    lobatto_stage *first = &l->stage[0];
    if (model_momentum(m, t, q, u, first->M, l->p_n, NULL, NULL, NULL, NULL)) return false;
    if (!lobatto_stages_place(l, t, q, u, dt, by_rates)) return false;
    l->sound = problem_set_units(&l->problem, m, first->M, first->WT, l->gain, dt);
    bool stiff = m->stiff && l->s > 2 && !model_momentum(m, t, q, u, first->M, NULL, NULL, NULL, l->stage[1].b_q, NULL);
    problem_set_floor(&l->problem, m, u, q, dt, stiff ? &(stiffness){&d->b_q, l->stage[1].b_q} : NULL);
    return true;
}

bool lobatto_stages_keep(lobatto_stages *l, const double *P, double factor, double tolerance) {
    lobatto_stage *first = &l->stage[0];
    if (l->problem.absolute) return true;
    l->kept = first->c;
    return gaps_given_way(&l->problem, l->m, first->t, l->q_n, P, factor, tolerance, first->c);
}

bool lobatto_stages_solve(lobatto_stages *l, solver_way *solve, double tolerance, solver_report *report) {
    *report = (solver_report){.singular = true};
    bool solved = l->sound && solve(l->solver, &l->problem, l->z, tolerance, report);
    place_stages(l, l->z); /* the values are those of the last evaluation, which was at the solution */
    bool sound = true;
    for (int i = 1; solved && sound && i < l->s - 1; i++) sound = problem_mass_sound(&l->problem, l->m, l->stage[i].M);
    report->singular = report->singular || !sound;
    return solved && sound;
}

/* ---------------------------------------------------------------- setup */

/* (S1) for the copies: a percussion R^{i-1} moves the rows of stage i by a a^ at position, by a^ = Pi a^ at velocity
 * level. */
static void set_gains(lobatto_stages *l) {
    int s = l->s;
    for (int i = 1; i < s; i++) {
        double position = 0;
        for (int k = 0; k < s; k++) position += l->a[i * s + k] * l->a_hat[k * s + i - 1];
        l->gain[i - 1] = (law_gain){position, l->a_hat[i * s + i - 1]};
    }
}

static bool allocate_stage(lobatto_stage *st, const carom_model *m) {
    const carom_model_def *d = &m->def;
    const vector_part parts[] = {
        {&st->inserted, d->nq},
        {&st->q_dot, d->nq},
        {&st->p, d->nu},
        {&st->b, d->nu},
        {&st->F, d->nu},
        {&st->c, m->nc},
        {&st->s, m->ns},
        {&st->WT, pattern_nnz(&d->WT)},
        {&st->M, pattern_nnz(&d->M)},
        {&st->p_q, pattern_nnz(&d->p_q)},
        {&st->b_q, pattern_nnz(&d->b_q)},
        {&st->b_u, pattern_nnz(&d->b_u)},
        {&st->Wr_q, pattern_nnz(&d->Wr_q)},
        {&st->c_q, pattern_nnz(&d->c_q)},
        {&st->s_q, pattern_nnz(&d->s_q)},
        {&st->B, pattern_nnz(&d->B)},
        {&st->q_dot_q, pattern_nnz(&d->q_dot_q)},
        {&st->mu_q, pattern_nnz(&d->mu_q)},
    };
    return (st->memory = vectors_create(parts, sizeof parts / sizeof *parts)) != NULL;
}

static bool allocate(lobatto_stages *l) {
    const carom_model *m = l->m;
    int s = l->s, nu = m->def.nu, nq = m->def.nq;
    const vector_part parts[] = {
        {&l->c, s},      {&l->b, s},    {&l->a, s * s}, {&l->a_hat, s * s},
        {&l->pi, s * s}, {&l->p_n, nu}, {&l->q_n, nq},  {&l->z, s * nu + (s - 1) * (nq + m->ns)},
    };
    l->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    l->block = calloc((size_t)l->blocks, sizeof *l->block);
    l->gain = calloc((size_t)s, sizeof *l->gain);
    l->stage = calloc((size_t)s, sizeof *l->stage);
    if (!l->memory || !l->block || !l->gain || !l->stage || !unit_create(&l->unit, nq)) return false;
    for (int i = 0; i < s; i++)
        if (!allocate_stage(&l->stage[i], m)) return false;
    return true;
}

static void list_blocks(lobatto_stages *l, int nF) {
    const carom_model *m = l->m;
    const carom_model_def *d = &m->def;
    int s = l->s, nu = d->nu, nq = d->nq, n = nF + (s - 1) * m->ns;
    for (int i = 0; i < s; i++)
        for (int k = 0; k < s; k++) {
            int balance = i * nu, update = s * nu + (i - 1) * nq, y = nF + (i - 1) * m->ns, V = k * nu;
            int q = m->trivial ? V : s * nu + (k - 1) * nq, R = nF + k * m->ns; /* columns */
            int slip = i == 0 ? n : y + m->F;
            bool by_q = m->trivial || k > 0, inner = by_q && s > 2, moved = !m->trivial && i > 0;
            bool rated = l->sense && i > 0; /* sub-steps between events may be small */
            bool rubs = rubs_by_place(m) && i > 0 && i < s - 1 && (m->trivial || i == k);
            csr_block all[FAMILIES] = {
                [MASS] = {&d->M, 0, i == k ? nu : 0, balance, V, false, NULL},
                [MOMENTUM] = {&d->p_q, 0, by_q && i > 0 ? nu : 0, balance, q, false, NULL},
                [DAMPING] = {&d->b_u, 0, k < s - 1 ? nu : 0, balance, V, false, NULL},
                [STIFFNESS] = {&d->b_q, 0, inner ? nu : 0, balance, q, false, NULL},
                [TURN] = {&d->Wr_q, 0, inner ? nu : 0, balance, q, false, NULL},
                [PERCUSSION] = {&d->WT, 0, k < s - 1 ? m->ns : 0, balance, R, true, NULL},
                [IDENTITY] = {&l->unit.pattern, 0, moved && i == k ? nq : 0, update, q, false, NULL},
                [KINEMATIC_U] = {&d->B, 0, moved ? nq : 0, update, V, false, NULL},
                [KINEMATIC_Q] = {&d->q_dot_q, 0, moved && k > 0 ? nq : 0, update, q, false, NULL},
                [JOINT] = {&d->c_q, 0, by_q && i > 0 ? d->ng : 0, y, q, false, NULL},
                [GAP] = {&d->c_q, d->ng, by_q && i > 0 ? m->nc : d->ng, y + m->N, q, false, NULL},
                [JOINT_RATE_Q] = {&d->s_q, 0, by_q && rated ? d->ng : 0, y, q, false, NULL},
                [GAP_RATE_Q] = {&d->s_q, m->N, by_q && rated ? m->F : m->N, y + m->N, q, false, NULL},
                [JOINT_RATE_U] = {&d->WT, 0, rated ? d->ng : 0, y, V, false, NULL},
                [GAP_RATE_U] = {&d->WT, m->N, rated ? m->F : m->N, y + m->N, V, false, NULL},
                [SPIN_Q] = {&d->s_q, m->gamma, by_q && i > 0 ? m->N : m->gamma, y + m->gamma, q, false, NULL},
                [SLIP_Q] = {&d->s_q, m->F, by_q && (i > 0 || l->looks) ? m->ns : m->F, slip, q, false, NULL},
                [SPIN_U] = {&d->WT, m->gamma, i > 0 ? m->N : m->gamma, y + m->gamma, V, false, NULL},
                [SLIP_U] = {&d->WT, m->F, i > 0 || l->looks ? m->ns : m->F, slip, V, false, NULL},
                [RUB_Q] = {&d->mu_q, 0, rubs ? d->mu_q.rows : 0, rubs ? rub_row(l, i, 0) : 0, q, false, NULL},
            };
            for (int f = 0; f < FAMILIES; f++) *member(l, f, i, k) = all[f];
        }
}

/* (L16): R_F^{i-1} has the speed of y_{i-1}; as printed, that of its own row. It acts at Q^{i-1}, (L26). */
static void place_speeds(lobatto_stages *l) {
    for (int k = 0; k < l->m->def.contacts; k++)
        for (int copy = 0; copy < l->s - 1; copy++) {
            problem_law *friction = law_of_friction(&l->problem, l->m, copy, k);
            if (!friction) continue;
            if (l->looks) friction->speed = lobatto_slip_row(l, copy, k);
            friction->curve.at = &l->stage[copy].at;
            if (rubs_by_place(l->m)) friction->place = rub_row(l, copy, k);
        }
}

bool lobatto_stages_create(lobatto_stages *l, const carom_model *m, int s, bool projected, bool located) {
    *l = (lobatto_stages){.m = m, .s = s, .blocks = FAMILIES * s * s};
    if (!allocate(l) || !lobatto_coefficients(s, l->c, l->b, l->a, l->a_hat, l->pi)) return false;
    for (int i = 0; i < s * s && !projected; i++) l->pi[i] = i / s == i % s;
    set_gains(l);
    problem_shape shape = {.balances = s, .updates = m->trivial ? 0 : s - 1, .copies = s - 1};
    /* forces of friction follow the slip where they act */
    const int slips = located ? 2 * m->slips : projected && model_slips_count(m) ? m->slips : 0;
    shape.looks = slips + (rubs_by_place(m) ? (s - 2) * m->def.mu_q.rows : 0);
    if (located && !(l->sense = calloc((size_t)m->slips + 1, sizeof *l->sense))) return false;
    l->looks = slips > 0;
    l->problem = (problem){.n = s * m->def.nu + shape.updates * m->def.nq + (s - 1) * m->ns, .looks = shape.looks};
    list_blocks(l, s * m->def.nu + shape.updates * m->def.nq);
    if (!problem_build(&l->problem, m, shape, l->block, l->blocks)) return false;
    place_speeds(l);
    l->problem.context = l;
    l->problem.evaluate = evaluate;
    return (l->solver = solver_create(&l->problem)) != NULL;
}

void lobatto_stages_destroy(lobatto_stages *l) {
    solver_destroy(l->solver);
    problem_free(&l->problem);
    if (l->block) csr_blocks_free(l->block, l->blocks);
    free(l->block);
    for (int i = 0; l->stage && i < l->s; i++) free(l->stage[i].memory);
    free(l->stage);
    free(l->gain);
    free(l->sense);
    unit_destroy(&l->unit);
    free(l->memory);
}
