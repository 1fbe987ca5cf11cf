#include "integrator/rates.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/phase.h"
#include "integrator/vectors.h"

bool rates_create(rates *r, const carom_model *m) {
    const carom_model_def *d = &m->def;
    *r = (rates){0};
    vector_part parts[] = {{&r->M, pattern_nnz(&d->M)},
                           {&r->WT, pattern_nnz(&d->WT)},
                           {&r->s_q, pattern_nnz(&d->s_q)},
                           {&r->q_dot, d->nq},
                           {&r->reach, d->nu},
                           {&r->s, m->ns},
                           {&r->zero, d->nu > m->ns ? d->nu : m->ns}};
    r->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    const bool created = impact_create(&r->impact, m);
    r->impact.problem.rates = true;
    return created && r->memory;
}

void rates_destroy(rates *r) {
    impact_destroy(&r->impact);
    free(r->memory);
}

/* ---------------------------------------------------------------- solving */

static double mass_of(const rates *r, int i) {
    const carom_pattern *M = &r->impact.m->def.M;
    for (int e = M->start[i]; e < M->start[i + 1]; e++)
        if (M->index[e] == i) return r->M[e];
    return 0;
}

/* The largest acceleration without contacts, at least 1. */
static double largest_of(const rates *r) {
    const carom_model *m = r->impact.m;
    double most = 1;
    for (int i = 0; i < m->def.nu; i++) most = fmax(most, fabs(r->impact.f[i] / mass_of(r, i)));
    for (int k = 0; k < m->ns; k++) most = fmax(most, fabs(r->impact.chi[k]));
    return most;
}

/* Accelerations are known to a part of the largest one: those of redundant contacts agree no better than velocities. */
static double tolerance_of(const rates *r) {
    return fmax(fmax(1e-12, r->tolerance) * r->largest, r->rest);
}

/* Light bodies between heavy ones: in a row that holds them, forces of the size of all weights together cancel and
 * leave their round-off, (V34). */
static double round_off(rates *r) {
    const carom_model *m = r->impact.m;
    double weight = 0, most = 0;
    for (int i = 0; i < m->def.nu; i++) weight += fabs(r->impact.f[i]);
    for (int k = 0; k < r->impact.problem.laws; k++) most = fmax(most, r->impact.problem.law[k].G);
    return 64 * DBL_EPSILON * weight * most;
}

static bool evaluate(rates *r, const rates_place *at) {
    impact *i = &r->impact;
    const carom_model *m = i->m;
    const carom_model_def *d = &m->def;
    i->problem.at = (friction_place){at->t, at->q};
    if (d->mass(d->context, at->t, at->q, r->M) || d->force(d->context, at->t, at->q, at->u, i->f, NULL, NULL))
        return false;
    if (m->ns && (d->velocity(d->context, at->t, at->q, at->u, r->s, r->WT, NULL) ||
                  model_velocity_rate(m, at->t, at->q, at->u, r->s_q, r->q_dot, i->chi)))
        return false;
    r->largest = largest_of(r);
    return true;
}

/* The solution starts from given forces or from none, since forces of earlier solutions are not part of a checkpoint.
 */
static void begin(rates *r, const double *guess) {
    impact *i = &r->impact;
    const carom_model *m = i->m;
    i->M = r->M, i->WT = r->WT, i->v = r->zero, i->before = r->zero;
    memset(i->z, 0, (size_t)(m->def.nu + m->ns) * sizeof *i->z);
    if (guess) memcpy(i->z + m->def.nu, guess, (size_t)m->ns * sizeof *i->z);
}

/* What all forces together, without their signs, do to the velocities. */
static void measure(rates *r, const double *lambda) {
    const carom_model *m = r->impact.m;
    const carom_pattern *WT = &m->def.WT;
    r->measured = lambda;
    for (int j = 0; j < m->def.nu; j++) r->reach[j] = fabs(r->impact.f[j]);
    for (int k = 0; k < m->ns; k++)
        for (int e = WT->start[k]; e < WT->start[k + 1]; e++) r->reach[WT->index[e]] += fabs(r->WT[e] * lambda[k]);
    for (int j = 0; j < m->def.nu; j++) r->reach[j] /= mass_of(r, j);
}

static bool solve(rates *r, const rates_place *at, bool free, solver_report *report) {
    impact *i = &r->impact;
    const carom_model *m = i->m;
    for (int k = 0; k < m->def.contacts; k++) {
        carom_contact_state now = (carom_contact_state)at->state[k];
        const double *sense = at->sense + m->slip[k];
        if (free && now != CAROM_OPEN) impact_join(i, k, now == CAROM_SLIP ? sense : NULL);
        else impact_fix(i, k, now, sense);
        const bool slides = now == CAROM_SLIP && m->def.contact[k].slips > 0;
        contact_rub_at(&i->problem, m, k, slides ? r->s + m->F + m->slip[k] : NULL, sense);
    }
    const double tolerance = tolerance_of(r);
    bool solved = impact_solve(i, tolerance, report);
    const double coarse = fmin(round_off(r), 1e6 * tolerance);
    if (!solved && report->residual <= coarse) solved = impact_solve(i, coarse, report);
    r->work += 1 + report->iterations;
    measure(r, rates_forces(r));
    return solved;
}

bool rates_solve(rates *r, const rates_place *at, bool free, solver_report *report) {
    *report = (solver_report){.undefined = true};
    if (!evaluate(r, at)) return false;
    begin(r, at->guess);
    return solve(r, at, free, report);
}

bool rates_unique(rates *r) {
    return solver_unique(r->impact.solver, &r->impact.problem, r->impact.z);
}

double rates_row(const rates *r, int row) {
    const carom_pattern *WT = &r->impact.m->def.WT;
    double rate = r->impact.chi[row];
    for (int e = WT->start[row]; e < WT->start[row + 1]; e++) rate += r->WT[e] * r->impact.z[WT->index[e]];
    return rate;
}

/* ---------------------------------------------------------------- what counts as zero, (V32) */

/* A problem misses a row by its tolerance, or by 1e-10 of the terms of the row, whichever is less, (S11). The direction
 * of the row is known to round-off, so a little of the forces across it is in the row, too. */
static double zero_of_rows(const rates *r, int first, int count, double unit, double most) {
    const carom_pattern *WT = &r->impact.m->def.WT;
    double across = 0;
    for (int k = first; k < first + count; k++) {
        double sum = fabs(r->impact.chi[k]), reach = 0, length = 0;
        for (int e = WT->start[k]; e < WT->start[k + 1]; e++) {
            sum += fabs(r->WT[e]) * r->reach[WT->index[e]];
            reach += r->reach[WT->index[e]];
            length = fmax(length, fabs(r->WT[e]));
        }
        most = fmax(most, sum);
        across = fmax(across, length * reach);
    }
    return 100 * fmin(tolerance_of(r) * unit, 1e-10 * most) + 1000 * DBL_EPSILON * most + 4 * DBL_EPSILON * across;
}

/* min(1, |W_k|): the tolerance is one for accelerations of bodies. */
static double unit_of(const problem_law *l) {
    return fmin(1, 1 / l->level);
}

static double zero_of_gap(rates *r, int k) {
    const problem_law *normal = law_of_contact(&r->impact.problem, r->impact.m, 0, k);
    return zero_of_rows(r, r->impact.m->N + k, 1, unit_of(normal), 0);
}

/* What friction can do counts as well: rolling bodies have no other force along their slip. */
static double zero_of_slip(rates *r, int k) {
    const carom_model *m = r->impact.m;
    const problem_law *friction = law_of_friction(&r->impact.problem, m, 0, k);
    if (!friction) return 0;
    const double unit = unit_of(friction);
    return zero_of_rows(r, m->F + m->slip[k], friction->size, unit,
                        unit * friction->mu * friction->G * fabs(contact_load(m, k, r->measured)));
}

/* ---------------------------------------------------------------- states that persist */

/* The smallest of lambda_N and mu lambda_N - |lambda_F|, as accelerations; *far: one is below zero, not by round-off.
 */
static double margin(rates *r, const rates_place *at, const bool *held, const double *lambda, bool *far) {
    const carom_model *m = r->impact.m;
    problem *p = &r->impact.problem;
    double least = INFINITY;
    *far = false;
    for (int k = 0; k < m->def.contacts; k++) {
        double N = law_of_contact(p, m, 0, k)->G * lambda[m->N + k];
        if (at->state[k] == CAROM_OPEN) continue;
        if (!held[k] && !contact_follows(m, k))
            least = fmin(least, N),
            *far = *far || (N < 0 && N * unit_of(law_of_contact(p, m, 0, k)) < -zero_of_gap(r, k));
        if (at->state[k] != CAROM_STICK || m->def.contact[k].slips == 0) continue;
        const problem_law *friction = law_of_friction(p, m, 0, k);
        double F = friction->G * friction_margin(m, k, lambda);
        least = fmin(least, F);
        *far = *far || (F < 0 && F < -zero_of_slip(r, k) / unit_of(friction) - 1e-10 * fabs(N));
    }
    return least;
}

static double slip_rate(const rates *r, int k) {
    const carom_model *m = r->impact.m;
    double size = 0;
    for (int j = m->F + m->slip[k]; j < m->F + m->slip[k + 1]; j++) size = hypot(size, rates_row(r, j));
    return size;
}

/* An acceleration ends the state of a contact. */
static bool departs(rates *r, const rates_place *at, const bool *held) {
    const carom_model *m = r->impact.m;
    for (int k = 0; k < m->def.contacts; k++) {
        if (at->state[k] != CAROM_OPEN && !held[k] && rates_row(r, m->N + k) > zero_of_gap(r, k)) return true;
        if (at->state[k] == CAROM_STICK && slip_rate(r, k) > zero_of_slip(r, k)) return true;
    }
    return false;
}

/* The forces that keep the states and are nearest to the guess come first. If they leave their cones, the free
 * solution, started from them, tells whether others stay inside. It starts from no forces if rows contradict each
 * other, so that no forces keep the states, or if rows nearly do so, and these forces are absurd. */
double rates_persist(rates *r, const rates_place *at, const bool *held, bool *ends) {
    solver_report found;
    bool kept = rates_solve(r, at, false, &found);
    *ends = true;
    if (found.undefined) return NAN;
    double least = kept ? margin(r, at, held, rates_forces(r), ends) : -1;
    if (!*ends) return least;
    if (!kept || least < -100 * r->largest) begin(r, NULL);
    if (!solve(r, at, true, &found)) return NAN;
    *ends = departs(r, at, held);
    return *ends ? least : -least;
}

/* A row whose acceleration is not zero although nothing accelerates. */
static bool is_driven(const rates *r, int row) {
    return fabs(r->impact.chi[row]) > tolerance_of(r);
}

bool rates_exist(const rates *r, const double *state) {
    const carom_model *m = r->impact.m;
    bool driven = false;
    for (int k = 0; k < m->N; k++) driven = driven || is_driven(r, k);
    for (int k = 0; k < m->def.contacts && !driven; k++) {
        if (state[k] == CAROM_OPEN) continue;
        driven = is_driven(r, m->N + k) || (state[k] == CAROM_SLIP && m->def.contact[k].friction > 0);
        for (int j = m->F + m->slip[k]; j < m->F + m->slip[k + 1]; j++) driven = driven || is_driven(r, j);
    }
    return !driven;
}

bool rates_look(rates *r, const rates_place *at) {
    return evaluate(r, at) &&
           problem_set_units(&r->impact.problem, r->impact.m, r->M, r->WT, &(law_gain){.velocity = 1}, r->impact.dt);
}

bool rates_in_cones(rates *r, const rates_place *at, const bool *held, const double *lambda) {
    bool far;
    measure(r, lambda);
    margin(r, at, held, lambda, &far);
    return !far;
}

/* ---------------------------------------------------------------- states that follow, (V31) */

/* Slip begins against its force. That is the direction of the acceleration, but with less round-off. Without a force,
 * slip begins along the acceleration. */
static void begin_sense(const rates *r, int k, double *sense) {
    const carom_model *m = r->impact.m;
    const int slips = m->def.contact[k].slips, first = m->F + m->slip[k];
    const double rate = slip_rate(r, k);
    if (slips == 0 || slip_against(m, k, rates_forces(r), sense)) return;
    for (int j = 0; j < slips; j++) sense[j] = rate > 0 ? rates_row(r, first + j) / rate : j == 0;
}

/* One motion may begin at several contacts at once, faster at some than at others. So a tenth of the bound that ends a
 * state is enough for the others. */
static bool slips_now(rates *r, int k) {
    return r->impact.m->def.contact[k].friction == 0 || slip_rate(r, k) > zero_of_slip(r, k) / 10;
}

void rates_read(rates *r, double *state, double *sense) {
    const carom_model *m = r->impact.m;
    for (int k = 0; k < m->def.contacts; k++) {
        if (state[k] == CAROM_OPEN) continue;
        if (rates_row(r, m->N + k) > zero_of_gap(r, k) / 10) state[k] = CAROM_OPEN;
        else if (state[k] == CAROM_STICK && slips_now(r, k)) {
            begin_sense(r, k, sense + m->slip[k]);
            state[k] = CAROM_SLIP;
        }
    }
    contacts_update_followers(m, state);
}
