#include "integrator/levels_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/islands.h"
#include "integrator/process.h"

/* ---------------------------------------------------------------- balances */

/* Whether the impulse of a spin or slip moves positions, (A4); (A14). */
static bool moves(const levels *o, int row) {
    return !o->impulsive || row < o->m->F;
}

/* W r is what percussions do in the balances (A1)-(A3); (A4) in spins and slips of the first, (A17) in the second. */
static const double *percussions(levels *o, const double *z, int balance) {
    const carom_model *m = o->m;
    const double *P = z + o->problem.nF, *L = P + m->ns, *K = L + m->ns;
    double *r = o->r + balance * m->ns;
    for (int k = 0; k < m->ns; k++) {
        const bool placed = k < m->gamma || (k >= m->N && k < m->F);
        const double impulse = P[k] - o->P_hat[k];
        if (balance == 0) r[k] = placed ? K[k] - o->K_hat[k] : moves(o, k) * (o->share * L[k] + (impulse - L[k]) / 2);
        else r[k] = balance == 1 ? impulse + o->P_I[k] : L[k];
    }
    return r;
}

static const double *hat(const levels *o, int balance) {
    return balance == 0 ? o->w_hat : o->v_hat;
}

static double over(const levels *o, int balance) {
    return balance == 0 ? o->share * o->tau : o->tau;
}

static void balance_rows(levels *o, const double *z, double *rows) {
    const int nu = o->m->def.nu;
    for (int b = 0; b < LEVELS; b++) {
        double *row = rows + b * nu;
        balance_momentum(o->m, o->M, o->WT, z + b * nu, hat(o, b), percussions(o, z, b), row);
        for (int j = 0; j < nu; j++) row[j] -= over(o, b) * o->h[j];
    }
}

static int balance_jacobian(levels *o, const double *z, const double *q, double by_q, csr *J) {
    const carom_model_def *d = &o->m->def;
    const csr_block *block = o->block;
    if (d->force(d->context, o->t1, q, z + d->nu, NULL, o->h_q, o->h_u)) return 1;
    for (int b = 0; b < LEVELS; b++) {
        csr_add(J, &block[MASS + b], 1, o->M);
        csr_add(J, &block[STIFFNESS + b], -over(o, b) * by_q, o->h_q);
        csr_add(J, &block[DAMPING + b], -over(o, b), o->h_u);
        for (int j = 0; j < d->nu; j++) o->x[j] = z[b * d->nu + j] - hat(o, b)[j];
        if (d->mass_q && d->mass_q(d->context, o->t1, q, o->x, o->Mv_q)) return 1;
        if (d->mass_q) csr_add(J, &block[MASS_Q + b], by_q, o->Mv_q);
        if (o->m->ns && d->direction_q(d->context, o->t1, q, percussions(o, z, b), o->Wr_q)) return 1;
        if (o->m->ns) csr_add(J, &block[TURN + b], -by_q, o->Wr_q);
    }
    csr_add(J, &block[P_ALL], -1, o->WT);
    csr_add(J, &block[L_ALL], -1, o->WT);
    csr_add(J, &block[K_JOINT], -1, o->WT);
    csr_add(J, &block[K_GAP], -1, o->WT);
    for (int f = 0; f < (o->impulsive ? 1 : 2); f++) {
        csr_add(J, &block[P_SPIN + f], -0.5, o->WT);
        csr_add(J, &block[L_SPIN + f], 0.5 - o->share, o->WT);
    }
    return 0;
}

/* ---------------------------------------------------------------- accelerations */

/* The residual of (A11): r - q_0 - dt q_dot_1, also into its rows. */
static void place_rows(levels *o, const double *z, double *rows) {
    const int nq = o->m->def.nq, first = o->path.at + nq;
    for (int i = 0; i < nq && !o->m->trivial; i++)
        rows[first + i] = o->missed[i] = z[first + i] - o->now.q[i] - o->dt * o->q_dot[i];
}

/* (A10): tau s_dot = W^T (v - v^) + tau zeta, and by (A11) what r misses. */
static void second_rows(levels *o, const double *z, double *y) {
    const carom_model_def *d = &o->m->def;
    for (int j = 0; j < d->nu; j++) o->x[j] = z[2 * d->nu + j] - o->v_hat[j];
    for (int k = 0; k < o->m->ns; k++) y[k] = o->tau * o->zeta[k];
    pattern_multiply(&d->WT, o->WT, 1, o->x, y);
    if (!o->m->trivial) pattern_multiply(&d->s_q, o->s_q, o->tau / o->dt, o->missed, y);
}

/* d(W^T x)/dq: s is affine in u. Into turned, with x = v - v^. */
static int turn_of_rows(levels *o, const double *z, const double *q) {
    const carom_model_def *d = &o->m->def;
    for (int j = 0; j < d->nu; j++) o->x[j] = z[d->nu + j] + z[2 * d->nu + j] - o->v_hat[j];
    if (d->velocity(d->context, o->t1, q, o->x, NULL, NULL, o->turned)) return 1;
    for (int e = 0; e < pattern_nnz(&d->s_q); e++) o->turned[e] -= o->s_q[e];
    return 0;
}

/* (A12): the rates of W^T and s_q along the motion, which are the derivatives of zeta, by central differences over a
 * part of the step. tau times them are off by (dt/T)^3/25000 for motions of the time scale T. */
static int rates_of_rows(levels *o, const double *u, const double *q, const csr_block *block, double by_q, csr *J) {
    const carom_model_def *d = &o->m->def;
    const double part = o->dt / 64, factor = o->tau / (2 * part);
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < d->nq; i++) o->moved[i] = q[i] + side * part * o->q_dot[i];
        if (d->velocity(d->context, o->t1 + side * part, o->moved, u, NULL, o->before_WT, o->before_s_q)) return 1;
        csr_add(J, &block[SECOND_U], side * factor, o->before_WT);
        csr_add(J, &block[SECOND_Q], side * factor * by_q, o->before_s_q);
    }
    return 0;
}

static int second_jacobian(levels *o, const double *z, const double *q, double by_q, csr *J) {
    const csr_block *block = o->block;
    if (turn_of_rows(o, z, q) || rates_of_rows(o, z + o->m->def.nu, q, block, by_q, J)) return 1;
    csr_add(J, &block[SECOND_V], 1, o->WT);
    csr_add(J, &block[SECOND_Q], by_q, o->turned);
    csr_add(J, &block[SECOND_R], o->m->trivial ? o->tau : o->tau / o->dt, o->s_q);
    return 0;
}

static int place_jacobian(levels *o, const double *u, const double *q, csr *J) {
    const carom_model_def *d = &o->m->def;
    if (o->m->trivial) return 0;
    if (d->kinematics(d->context, o->t1, q, u, NULL, o->B, o->q_dot_q)) return 1;
    csr_add(J, &o->block[PLACE_R], 1, o->path.unit.value);
    csr_add(J, &o->block[PLACE_U], -o->dt, o->B);
    csr_add(J, &o->block[PLACE_Q], -o->dt, o->q_dot_q);
    return 0;
}

/* ---------------------------------------------------------------- laws */

static law_branch branch_at(const problem_law *l, const double *z, const double *rows) {
    law_branch branch;
    problem_law_error(l, z, rows, &branch);
    return branch;
}

static bool has_direction(const levels *o, int contact, const double *slips) {
    double square = 0;
    for (int i = o->m->slip[contact]; i < o->m->slip[contact + 1]; i++) square += slips[i] * slips[i];
    return square > o->still * o->still;
}

/* (A6)-(A8): a level takes part where the one before it holds the contact, and slip tells the direction of the force.
 */
static void choose_levels(levels *o, const double *z, const double *rows) {
    problem *p = &o->problem;
    for (int k = 0; k < o->m->def.contacts; k++) {
        problem_law *normal[LEVELS], *friction[LEVELS];
        for (int i = 0; i < LEVELS; i++)
            normal[i] = law_of_contact(p, o->m, i, k), friction[i] = law_of_friction(p, o->m, i, k);
        normal[ON_VELOCITIES]->enabled = branch_at(normal[ON_POSITIONS], z, rows) == LAW_HOLD;
        normal[ON_ACCELERATIONS]->enabled = !o->impulsive && branch_at(normal[ON_VELOCITIES], z, rows) == LAW_HOLD;
        if (!friction[0]) continue;
        const int by = contact_pressed_by(o->m, k);
        for (int i = 0; i < LEVELS - 1; i++) {
            const problem_law *pressing = by < 0 ? NULL : law_of_contact(p, o->m, i, by);
            friction[i]->enabled = pressing ? pressing->enabled : i == ON_VELOCITIES || !o->impulsive;
        }
        bool slips = branch_at(friction[ON_VELOCITIES], z, rows) == LAW_SLIDE && has_direction(o, k, rows + p->n);
        friction[ON_ACCELERATIONS]->fixed = friction[ON_ACCELERATIONS]->directed = slips;
    }
}

static void law_rows(levels *o, const double *z, double *rows) {
    const carom_model *m = o->m;
    double *y = rows + o->problem.nF, *y_q = y + ON_POSITIONS * m->ns;
    memcpy(y, o->s, (size_t)m->ns * sizeof *y);
    for (int k = 0; k < m->def.contacts; k++) {
        y[m->N + k] += o->e_N[k] * o->s0[m->N + k];
        for (int l = m->F + m->slip[k]; l < m->F + m->slip[k + 1]; l++) y[l] += o->e_F[k] * o->s0[l];
    }
    second_rows(o, z, y + ON_ACCELERATIONS * m->ns);
    memset(y_q, 0, (size_t)m->ns * sizeof *y_q);
    memcpy(y_q, o->c, (size_t)m->def.ng * sizeof *y_q);
    memcpy(y_q + m->N, o->c + m->def.ng, (size_t)m->def.contacts * sizeof *y_q);
    memcpy(rows + o->problem.n, o->s + m->F, (size_t)m->slips * sizeof *rows);
    if (!o->chosen) choose_levels(o, z, rows);
}

/* ---------------------------------------------------------------- the problem */

/* zeta of a model that does not tell its rate: ds/dq q_dot, and the rate of what moves by itself, by central
 * differences over a part of the step, off by (dt/T)^2/25000 of it. */
static int rate_of_velocities(levels *o, const double *q, const double *u) {
    const carom_model *m = o->m;
    const carom_model_def *d = &m->def;
    const double part = o->dt / 64;
    if (model_velocity_rate(m, o->t1, q, u, o->turned, o->moved, o->zeta)) return 1;
    for (int side = -1; side <= 1 && !d->velocity_rate; side += 2) {
        if (d->velocity(d->context, o->t1 + side * part, q, u, o->s, NULL, NULL)) return 1;
        for (int k = 0; k < m->ns; k++) o->zeta[k] += side * o->s[k] / (2 * part);
    }
    return 0;
}

static int rows_at(levels *o, const double *z, double *rows) {
    const carom_model *m = o->m;
    const carom_model_def *d = &m->def;
    const double *q = path_read(&o->path, z), *u = z + d->nu;
    if (d->mass(d->context, o->t1, q, o->M) || d->force(d->context, o->t1, q, u, o->h, NULL, NULL) ||
        model_q_dot(m, o->t1, q, u, o->q_dot) || (m->nc && d->position(d->context, o->t1, q, o->c, NULL)))
        return 1;
    if (m->ns && (rate_of_velocities(o, q, u) || d->velocity(d->context, o->t1, q, u, o->s, o->WT, o->s_q))) return 1;
    balance_rows(o, z, rows);
    place_rows(o, z, rows);
    law_rows(o, z, rows);
    return path_rows(&o->path, q, rows);
}

static int jacobian_at(levels *o, const double *z) {
    const carom_model *m = o->m;
    const carom_model_def *d = &m->def;
    const double *q = path_read(&o->path, z), *u = z + d->nu, by_q = path_by_q(&o->path);
    csr *J = &o->problem.J;
    csr_zero(J);
    if (balance_jacobian(o, z, q, by_q, J) || place_jacobian(o, u, q, J) ||
        (m->nc && d->position(d->context, o->t1, q, NULL, o->c_q)) || (m->ns && second_jacobian(o, z, q, by_q, J)))
        return 1;
    csr_add(J, &o->block[JOINT], by_q, o->c_q);
    csr_add(J, &o->block[GAP], by_q, o->c_q);
    for (int f = 0; f < 2; f++) {
        csr_add(J, &o->block[f == 0 ? RATE_U : LOOK_U], 1, o->WT);
        csr_add(J, &o->block[f == 0 ? RATE_Q : LOOK_Q], by_q, o->s_q);
    }
    return path_jacobian(&o->path, o->block + LEVEL_BLOCKS, q, J);
}

int levels_evaluate(void *self, const double *z, double *rows, bool jacobian) {
    if (rows && rows_at(self, z, rows)) return 1;
    return jacobian && jacobian_at(self, z);
}

/* ---------------------------------------------------------------- the step */

bool levels_begin(levels *o, const motion *now, double t1, double dt) {
    const carom_model_def *d = &o->m->def;
    o->now = *now, o->t1 = t1, o->dt = dt;
    contacts_rub_as(&o->problem, o->m, now->contact);
    o->problem.at = (friction_place){now->t, now->q}; /* friction by slip speed is of order 1 here */
    return !d->mass(d->context, now->t, now->q, o->M0) &&
           !(o->m->ns && d->velocity(d->context, now->t, now->q, now->u, o->s0, o->WT0, NULL)) &&
           !path_begin(&o->path, now, t1, dt, 1);
}

/* (L3), and (A17): a process has rebounds of its own. False: a formula for it is not defined. */
static bool set_restitution(levels *o, double tolerance) {
    const carom_model_def *d = &o->m->def;
    if (!contacts_restitution(&o->problem, o->m, ON_VELOCITIES, o->s0, tolerance, o->speed, o->e_N)) return false;
    for (int k = 0; k < d->contacts; k++) {
        o->e_F[k] = d->contact[k].tangential_restitution;
        if (impact_is_process(o->m, k)) o->e_N[k] = 0;
    }
    return true;
}

/* (L4) for the contacts of an island, or, root -1, for all: true if one of them had a rebound to lose. */
static bool drop_rebounds(levels *o, int root, step_report *report) {
    bool any = false;
    for (int k = 0; k < o->m->def.contacts; k++) {
        const double rebound = o->e_N[k] * -o->s0[o->m->N + k];
        if (!law_of_contact(&o->problem, o->m, ON_VELOCITIES, k)->enabled ||
            (root >= 0 && island_of_row(o->m, o->island, o->m->N + k) != root))
            continue;
        any = any || rebound != 0 || o->e_F[k] != 0;
        o->e_N[k] = o->e_F[k] = 0;
        if (!(rebound > 0)) continue;
        report->weakened++;
        report->lost = fmax(report->lost, rebound);
        if (report->dulled) report->dulled[k] = 1;
    }
    return any;
}

/* The contacts connected with the row that failed lose their rebound. If they have none, all contacts do. */
static bool weaken(levels *o, int worst, step_report *report) {
    islands_find(o->m, &o->problem, o->island);
    const int root = island_of_worst(o->m, &o->problem, o->island, worst);
    return (root >= 0 && drop_rebounds(o, root, report)) || drop_rebounds(o, -1, report);
}

/* Lets no contact take part in the velocities. */
static void strike_none(levels *o) {
    for (int k = 0; k < o->m->def.contacts; k++)
        for (int i = ON_VELOCITIES; i <= ON_ACCELERATIONS; i++) {
            problem_law *friction = law_of_friction(&o->problem, o->m, i, k);
            law_of_contact(&o->problem, o->m, i, k)->enabled = false;
            if (friction) friction->enabled = i == ON_VELOCITIES && contact_pressed_by(o->m, k) < 0;
        }
}

/* A contact strikes if the positions close it. */
static bool choice_holds(levels *o) {
    for (int k = 0; k < o->m->def.contacts; k++) {
        const problem_law *position = law_of_contact(&o->problem, o->m, ON_POSITIONS, k);
        const bool closed = branch_at(position, o->z, solver_rows(o->solver)) == LAW_HOLD;
        if (law_of_contact(&o->problem, o->m, ON_VELOCITIES, k)->enabled != closed) return false;
    }
    return true;
}

static bool strike(levels *o, double tolerance, solver_report *found, step_report *report) {
    bool more = true;
    while (more && !solver_solve(o->solver, &o->problem, o->z, tolerance, found))
        more = !found->undefined && weaken(o, found->worst, report);
    return more || (!found->undefined && solver_give_way(o->solver, &o->problem, o->z, tolerance, found));
}

/* (A14), (A16): the positions first, which know of velocities by forces alone, then the velocities of the contacts that
 * they close; again where these forces open or close one. */
static bool solve_impulsive(levels *o, double tolerance, solver_report *found, step_report *report) {
    enum { TURNS = 3 };
    o->impulsive = o->chosen = true;
    strike_none(o);
    bool solved = solver_solve(o->solver, &o->problem, o->z, tolerance, found);
    o->chosen = solved;
    for (int turn = 0; turn < TURNS && (turn == 0 || (solved && !choice_holds(o))); turn++) {
        if (solved) choose_levels(o, o->z, solver_rows(o->solver));
        solved = strike(o, tolerance, found, report);
    }
    o->chosen = false;
    return solved;
}

/* Solves (A14) if Newton's method alone does not solve the whole problem. */
static bool solve(levels *o, double tolerance, solver_report *found, step_report *report) {
    o->impulsive = false;
    if (solver_solve_newton(o->solver, &o->problem, o->z, tolerance, found)) return true;
    report->reduced = !found->undefined && solve_impulsive(o, tolerance, found, report);
    return report->reduced;
}

/* ---------------------------------------------------------------- impacts as a process, (A17) */

/* The process at the solution without rebound, of the contacts that positions close there. False: nothing strikes, or
 * the model is not defined. */
static bool run_process(levels *o, double tolerance, solver_report *found) {
    const carom_model *m = o->m;
    const carom_model_def *d = &m->def;
    const double *q = levels_position(o);
    impact *i = o->strike;
    if (d->mass(d->context, o->t1, q, o->M) || d->velocity(d->context, o->t1, q, o->now.u, NULL, o->WT, NULL))
        return false;
    i->M = o->M, i->WT = o->WT, i->v = o->now.u, i->q = o->now.q, i->dt = o->dt, i->before = o->s0;
    i->problem.at = (friction_place){o->t1, q};
    for (int k = 0; k < d->contacts; k++)
        impact_close(i, k, law_of_contact(&o->problem, m, ON_POSITIONS, k)->branch == LAW_HOLD);
    return impact_process(i, tolerance, found);
}

/* (A17): once more, with the percussions of the process where something struck. */
static bool solve_after_process(levels *o, double tolerance, solver_report *found, step_report *report) {
    double *P = levels_percussion(o, ON_VELOCITIES);
    const int spent = found->iterations;
    solver_report ran;
    if (!run_process(o, tolerance, &ran)) return true;
    memcpy(o->P_I, o->strike->process->now.P, (size_t)o->m->ns * sizeof *o->P_I);
    memset(P + o->m->N, 0, (size_t)(o->m->ns - o->m->N) * sizeof *P);
    const bool solved = solve(o, tolerance, found, report);
    found->iterations += spent + ran.iterations;
    impact_tell(o->strike, report);
    if (solved) process_add(o->strike->process, &o->problem, P);
    memset(o->P_I, 0, (size_t)o->m->ns * sizeof *o->P_I);
    return solved;
}

/* ---------------------------------------------------------------- all of it */

bool levels_solve(levels *o, double tolerance, solver_report *found, step_report *report) {
    static const law_gain gain[LEVELS] = {{1, 1}, {1, 1}, {1, 1}};
    const carom_model *m = o->m;
    const carom_model_def *d = &m->def;
    const motion *now = &o->now;
    *found = (solver_report){.singular = true};
    if (!problem_set_units(&o->problem, m, o->M0, o->WT0, gain, o->dt)) return false;
    bool stiff = m->stiff && !d->force(d->context, now->t, now->q, now->u, NULL, o->h_q, NULL);
    problem_set_floor(&o->problem, m, now->u, now->q, o->dt, stiff ? &(stiffness){&d->h_q, o->h_q} : NULL);
    o->still = 10 * tolerance;
    if (!set_restitution(o, tolerance)) return !(found->undefined = true);
    if (!solve(o, tolerance, found, report)) return false;
    return !o->strike || solve_after_process(o, tolerance, found, report);
}
