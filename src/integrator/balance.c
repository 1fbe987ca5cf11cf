#include "integrator/balance.h"
#include "error.h"
#include "model/definite.h"
#include "threads.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

carom_status accept_option(const carom_run_def *run, double *accept, carom_error *error) {
    int threads;
    const carom_status status = option_number(run, "accept", 0, 0.1, false, accept, error);
    return status ? status : threads_option(run, &threads, error);
}

carom_status threads_option(const carom_run_def *run, int *threads, carom_error *error) {
    double number = 1;
    const carom_status status = option_number(run, "threads", 1, 256, true, &number, error);
    *threads = (int)number;
    if (status || *threads == 1 || has_threads) return status;
    return carom_error_set(error, CAROM_DATA,
                           "option 'threads' is 1 where carom was built without OpenMP (cmake "
                           "-DCAROM_OPENMP=ON), not %d",
                           *threads);
}

/* ---------------------------------------------------------------- building */

static int law_count(const carom_model *m) {
    return m->F + m->rubs[m->def.contacts];
}

static void fill_laws(problem *p, const carom_model *m, int copy) {
    int first = p->nF + copy * m->ns;
    problem_law *l = p->law + copy * law_count(m);
    for (int i = 0; i < m->F; i++)
        *l++ = (problem_law){.law = i < m->N ? &law_bilateral : &law_signorini,
                             .size = 1,
                             .row = first + i,
                             .col = first + i,
                             .normal = -1,
                             .enabled = i < m->N || !contact_follows(m, i - m->N),
                             .branch = i < m->N ? LAW_HOLD : LAW_OPEN};
    for (int k = 0; k < m->def.contacts; k++) {
        const carom_model_contact *c = &m->def.contact[k];
        if (c->slips == 0) continue;
        int s = first + m->F + m->slip[k];
        const bool joint = contact_pressed_by(m, k) < 0;
        *l++ = (problem_law){.law = law_of_slips(c),
                             .size = c->slips,
                             .row = s,
                             .col = s,
                             .normal = first + (c->loads ? c->load[0] : m->N + k),
                             .follows = c->loads > 0,
                             .loads = joint ? c->loads : 0,
                             .load = {first + c->load[0], first + c->load[1], first + c->load[2], first + c->load[3]},
                             .preload = c->preload,
                             .mu = c->kinetic > 0 ? c->kinetic : c->friction,
                             .curved = c->by_slip,
                             .speed = s,
                             .place = -1,
                             .curve = {m->def.friction, m->def.context, k, &p->at},
                             .enabled = true};
    }
}

bool problem_build(problem *p, const carom_model *m, problem_shape shape, csr_block *blocks, int count) {
    int nF = shape.balances * m->def.nu + shape.updates * m->def.nq;
    *p = (problem){.n = nF + shape.copies * m->ns,
                   .nF = nF,
                   .laws = shape.copies * law_count(m),
                   .balances = shape.balances,
                   .velocities = shape.balances * m->def.nu,
                   .percussions = m->ns,
                   .joints = m->N,
                   .looks = shape.looks,
                   .velocity_level = shape.velocity_level,
                   .rated = shape.rated};
    p->law = calloc((size_t)p->laws + 1, sizeof *p->law);
    p->weight = calloc((size_t)nF, sizeof *p->weight);
    p->scale = calloc((size_t)nF, sizeof *p->scale);
    p->floor = calloc((size_t)nF, sizeof *p->floor);
    p->mass = definite_create(&m->def.M);
    p->from = calloc((size_t)nF, sizeof *p->from);
    p->group = calloc((size_t)p->n, sizeof *p->group);
    p->pace = calloc(2 * (size_t)p->n, sizeof *p->pace);
    if (!p->mass || !p->law || !p->weight || !p->scale || !p->floor || !p->from || !p->group || !p->pace ||
        !csr_assemble(&p->J, p->n + p->looks, p->n, blocks, count))
        return false;
    for (int copy = 0; copy < shape.copies; copy++) fill_laws(p, m, copy);
    return true;
}

void problem_free(problem *p) {
    free(p->law);
    free(p->weight);
    free(p->scale);
    free(p->floor);
    definite_destroy(p->mass);
    free(p->from);
    free(p->group);
    free(p->pace);
    csr_free(&p->J);
}

void balance_momentum(const carom_model *m, const double *M, const double *WT, const double *u, const double *v,
                      const double *P, double *rows) {
    const carom_pattern *pattern = &m->def.M;
    for (int i = 0; i < m->def.nu; i++) {
        double sum = 0;
        for (int e = pattern->start[i]; e < pattern->start[i + 1]; e++) {
            int j = pattern->index[e];
            sum += M[e] * (u[j] - v[j]);
        }
        rows[i] = sum;
    }
    if (P) pattern_multiply_transposed(&m->def.WT, WT, -1, P, rows);
}

/* ---------------------------------------------------------------- units */

static double diagonal(const carom_pattern *M, const double *value, int i) {
    for (int e = M->start[i]; e < M->start[i + 1]; e++)
        if (M->index[e] == i) return value[e];
    return 0;
}

/* w^T M^-1 w for the row [begin, end) of W^T, with the part of M that belongs to its support: Cholesky in place. */
static double inverse_mass(const carom_model *m, const double *M, const double *WT, int begin, int end) {
    enum { LARGEST = 24 };
    const carom_pattern *P = &m->def.M;
    const int *dof = m->def.WT.index + begin;
    int n = end - begin;
    double a[LARGEST][LARGEST], x[LARGEST], sum = 0;
    if (m->diagonal) { /* its entries are all there are */
        for (int i = 0; i < n; i++) sum += WT[begin + i] * WT[begin + i] / M[dof[i]];
        return sum;
    }
    if (n > LARGEST) {
        for (int i = 0; i < n; i++) sum += WT[begin + i] * WT[begin + i] / diagonal(P, M, dof[i]);
        return sum;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) a[i][j] = 0;
        for (int e = P->start[dof[i]], j = 0; e < P->start[dof[i] + 1]; e++) {
            while (j < i && dof[j] < P->index[e]) j++;
            if (dof[j] == P->index[e]) a[i][j] = M[e];
        }
    }
    for (int i = 0; i < n; i++) {
        x[i] = WT[begin + i];
        for (int j = 0; j <= i; j++) {
            for (int k = 0; k < j; k++) a[i][j] -= a[i][k] * a[j][k];
            if (j < i) a[i][j] /= a[j][j];
            else a[i][i] = sqrt(a[i][i]);
        }
        for (int k = 0; k < i; k++) x[i] -= a[i][k] * x[k];
        x[i] /= a[i][i];
        sum += x[i] * x[i];
    }
    return sum;
}

/* Of a law the largest over its rows of W^T. */
static law_extent measure(const carom_model *m, const double *M, const double *WT, int row, int size) {
    double most = 0, inverse = 0;
    for (int i = row; i < row + size; i++) {
        const int begin = m->def.WT.start[i], end = m->def.WT.start[i + 1];
        double sum = 0;
        for (int e = begin; e < end; e++) sum += WT[e] * WT[e];
        most = sum > most || isnan(sum) ? sum : most;
        const double G = inverse_mass(m, M, WT, begin, end);
        inverse = G > inverse || isnan(G) ? G : inverse;
    }
    if (most == 0) return (law_extent){1, 1}; /* no velocity can change it: any unit will do */
    return (law_extent){sqrt(most), inverse};
}

void problem_measure(const problem *p, const carom_model *m, const double *M, const double *WT, law_extent *extent) {
    for (int k = 0; p->laws > 0 && k < law_count(m); k++)
        extent[k] = measure(m, M, WT, p->law[k].row - p->nF, p->law[k].size);
}

/* The row of s that a law imposes, and the copy of it. */
static int row_of_law(const problem *p, const carom_model *m, const problem_law *l) {
    return (l->row - p->nF) % m->ns;
}
static int copy_of_law(const problem *p, const carom_model *m, const problem_law *l) {
    return (l->row - p->nF) / m->ns;
}

/* The position function a row of s belongs to; -1: none. */
static int position_of_row(const carom_model *m, int row) {
    return row < m->gamma ? row : row >= m->N && row < m->F ? row - m->N + m->def.ng : -1;
}

/* The copies of the law of a row of s from which on a position function is its row. */
static int first_position(const problem *p, const carom_model *m, int row) {
    return !p->velocity_level && position_of_row(m, row) >= 0 ? p->rated : INT_MAX;
}

bool problem_mass_sound(const problem *p, const carom_model *m, const double *M) {
    double pivot;
    return m->constant_mass || definite_row(p->mass, M, &pivot) == m->def.nu;
}

/* Balances as accelerations times dt, updates as positions over dt. */
static bool set_row_units(problem *p, const carom_model *m, const double *M, double dt) {
    const int nu = m->def.nu, balances = p->balances * nu;
    bool sound = true;
    for (int i = 0; i < balances; i++) {
        p->weight[i] = i < nu ? 1 / diagonal(&m->def.M, M, i) : p->weight[i - nu];
        p->scale[i] = 1;
        sound = sound && p->weight[i] > 0;
    }
    for (int i = balances; i < p->nF; i++) p->weight[i] = 1 / dt, p->scale[i] = dt;
    return sound && (p->nF == balances || dt > 0);
}

static bool set_units(problem *p, const carom_model *m, const double *M, const double *WT, const law_extent *known,
                      const law_gain *gain, double dt) {
    const int laws = p->laws ? law_count(m) : 0;
    bool sound = set_row_units(p, m, M, dt) && (!M || problem_mass_sound(p, m, M));
    for (int k = 0; k < laws; k++) {
        const int row = p->law[k].row - p->nF;
        const int positions = first_position(p, m, row);
        const law_extent x = known ? known[k] : measure(m, M, WT, row, p->law[k].size);
        for (int copy = 0; copy * laws < p->laws; copy++) {
            problem_law *l = &p->law[copy * laws + k];
            const bool position = copy >= positions;
            l->level = 1 / (position ? dt * x.length : x.length);
            l->G = (position ? gain[copy].position : gain[copy].velocity) * x.inverse_mass / x.length;
            sound = sound && l->G > 0 && l->G <= DBL_MAX;
        }
    }
    return sound;
}

bool problem_set_units(problem *p, const carom_model *m, const double *M, const double *WT, const law_gain *gain,
                       double dt) {
    return set_units(p, m, M, WT, NULL, gain, dt);
}

bool problem_set_known_units(problem *p, const carom_model *m, const double *M, const law_extent *extent,
                             const law_gain *gain, double dt) {
    return set_units(p, m, M, NULL, extent, gain, dt);
}

double contacts_weigh(problem *p, const carom_model *m, contact_weight weight, double dt) {
    double most = 1;
    if (!(weight.mass > 0) && weight.penalty == 1) return 1;
    for (int k = 0; k < p->laws; k++) {
        problem_law *l = &p->law[k];
        int row = row_of_law(p, m, l);
        if (row < m->N) continue;
        bool position = copy_of_law(p, m, l) >= first_position(p, m, row);
        double G = weight.mass > 0 ? l->level * (position ? dt : 1) / weight.mass : l->G / weight.penalty;
        most = fmax(most, l->G / G);
        l->G = G;
    }
    return most;
}

/* Sum of |x_j| over the entries of a row. */
static double reach(const carom_pattern *pattern, int row, const double *x) {
    double sum = 0;
    for (int e = pattern->start[row]; e < pattern->start[row + 1]; e++) sum += fabs(x[pattern->index[e]]);
    return sum;
}

/* What round-off in the positions does to the forces of a step: dt sum_j |dh_i/dq_j| |q_j|. */
static double disturbance(const stiffness *by, int row, const double *q, double dt) {
    double sum = 0;
    for (int e = by->pattern->start[row]; e < by->pattern->start[row + 1]; e++)
        sum += fabs(by->value[e]) * fabs(q[by->pattern->index[e]]);
    return dt * sum;
}

void problem_set_floor(problem *p, const carom_model *m, const double *u, const double *q, double dt,
                       const stiffness *by) {
    const carom_model_def *d = &m->def;
    const double part = 8 * DBL_EPSILON;
    const int balances = p->balances * d->nu, laws = p->laws ? law_count(m) : 0;
    for (int i = 0, j = 0; i < balances; i++, j = j + 1 < d->nu ? j + 1 : 0) {
        p->from[i] = u[j];
        p->floor[i] = by ? part * p->weight[i] * disturbance(by, j, q, dt) : 0;
    }
    for (int i = balances, j = 0; i < p->nF; i++, j = j + 1 < d->nq ? j + 1 : 0) {
        p->from[i] = q[j];
        p->floor[i] = part * fabs(p->from[i]) / dt;
    }
    for (int k = 0; k < laws; k++) {
        const int row = p->law[k].row - p->nF, positions = first_position(p, m, row);
        const double velocity = part * reach(&d->WT, row, u),
                     place = positions < INT_MAX ? part * reach(&d->c_q, position_of_row(m, row), q) / dt : 0;
        for (int copy = 0; copy * laws < p->laws; copy++)
            p->law[copy * laws + k].floor = copy >= positions && place > velocity ? place : velocity;
    }
}

void problem_raise_floor(problem *p, const carom_model *m, const double *WT, const double *P, double factor) {
    const carom_pattern *pattern = &m->def.WT;
    for (int k = 0; k < m->ns; k++)
        for (int e = pattern->start[k]; e < pattern->start[k + 1]; e++) {
            int i = pattern->index[e];
            p->floor[i] += 8 * DBL_EPSILON * p->weight[i] * fabs(factor * WT[e] * P[k]);
        }
}

/* ---------------------------------------------------------------- reading the solution */

problem_law *law_of_contact(problem *p, const carom_model *m, int copy, int contact) {
    return &p->law[copy * law_count(m) + m->N + contact];
}

problem_law *law_of_friction(problem *p, const carom_model *m, int copy, int contact) {
    problem_law *l = &p->law[copy * law_count(m) + m->F + m->rubs[contact]];
    return m->def.contact[contact].slips > 0 ? l : NULL;
}

problem_law *law_that_rubs(problem *p, const carom_model *m, int contact) {
    return contact_follows(m, contact) ? law_of_friction(p, m, 0, contact) : law_of_contact(p, m, 0, contact);
}

bool gaps_given_way(problem *p, const carom_model *m, double t, const double *q, const double *P, double factor,
                    double tolerance, double *kept) {
    const carom_model_def *d = &m->def;
    bool presses = false;
    for (int k = 0; k < d->contacts; k++) presses = presses || P[m->N + k] > 0;
    if (presses && d->position(d->context, t, q, kept, NULL)) return false;
    memset(kept, 0, (size_t)(presses ? d->ng : m->nc) * sizeof *kept);
    if (!presses) return true;
    for (int k = 0; k < d->contacts; k++) {
        const problem_law *l = law_of_contact(p, m, 0, k);
        double *gap = &kept[d->ng + k], most = 100 * SOLVER_GIVES_WAY * fmax(0, l->G * factor * P[m->N + k]);
        *gap = l->level * *gap < -tolerance && most > tolerance ? fmax(*gap, -most / l->level) : 0;
    }
    return true;
}

void contact_fix(problem *p, const carom_model *m, int copy, int contact, carom_contact_state state, int direction) {
    static const law_branch branch[] = {[CAROM_OPEN] = LAW_OPEN, [CAROM_SLIP] = LAW_SLIDE, [CAROM_STICK] = LAW_HOLD};
    problem_law *normal = law_of_contact(p, m, copy, contact), *friction = law_of_friction(p, m, copy, contact);
    normal->fixed = true;
    normal->given_branch = state == CAROM_OPEN ? LAW_OPEN : LAW_HOLD;
    if (!friction) return;
    friction->fixed = true;
    friction->given_branch = branch[state];
    friction->directed = state == CAROM_SLIP;
    friction->direction = direction;
}

double contact_rest(const problem *p, const carom_model *m, int copy, int contact, double tolerance) {
    const double given = m->def.contact[contact].rest;
    return given > 0 ? given : 100 * tolerance / law_of_contact((problem *)p, m, copy, contact)->level;
}

bool contacts_restitution(const problem *p, const carom_model *m, int copy, const double *s, double tolerance,
                          double *speed, double *e) {
    const carom_model_def *d = &m->def;
    for (int k = 0; k < d->contacts; k++) speed[k] = fabs(s[m->N + k]), e[k] = d->contact[k].restitution;
    if (d->restitution && d->restitution(d->context, speed, e)) return false;
    for (int k = 0; k < d->contacts; k++) {
        e[k] = fmin(fmax(e[k], 0), 1);
        if (!(e[k] * speed[k] > contact_rest(p, m, copy, k, tolerance))) e[k] = 0;
    }
    return true;
}

/* (L21) */
static double mu_of_state(const carom_model_contact *c, bool sticks) {
    return sticks || c->kinetic == 0 ? c->friction : c->kinetic;
}

void contacts_rub_as(problem *p, const carom_model *m, const double *state) {
    const int copies = p->laws / (law_count(m) > 0 ? law_count(m) : 1);
    for (int k = 0; k < m->def.contacts; k++)
        for (int copy = 0; copy < copies && m->def.contact[k].kinetic > 0; copy++) {
            problem_law *friction = law_of_friction(p, m, copy, k);
            if (friction) friction->mu = mu_of_state(&m->def.contact[k], state[k] == CAROM_STICK);
        }
}

/* The speed of slips, and its direction, any at rest; in one direction that along a sense (unless NULL), which may be
 * negative. */
static double speed_along(int slips, const double *slip, const double *sense, double along[LAW_SIZE]) {
    double size = 0;
    if (sense && slips == 1) {
        along[0] = sense[0];
        return sense[0] * slip[0];
    }
    for (int j = 0; j < slips; j++) size = hypot(size, slip[j]);
    for (int j = 0; j < slips; j++) along[j] = size > 0 ? slip[j] / size : j == 0;
    return size;
}

void contact_rub_at(problem *p, const carom_model *m, int contact, const double *slip, const double *sense) {
    static const double rest[LAW_SIZE];
    const carom_model_contact *c = &m->def.contact[contact];
    problem_law *friction = law_of_friction(p, m, 0, contact);
    if (friction && c->kinetic > 0) friction->mu = mu_of_state(c, !slip);
    if (!friction || !c->by_slip) return;
    double *along = friction->slip_along;
    friction->slip_speed = speed_along(c->slips, slip ? slip : rest, slip ? sense : NULL, along);
    friction->curved = false;
    friction->mu = friction_curve_at(&friction->curve, c->slips, friction->slip_speed, along, NULL);
}

void contact_press_with(problem *p, const carom_model *m, int contact, double factor, const double *P) {
    problem_law *friction = law_of_friction(p, m, 0, contact);
    for (int i = 0; friction && i < friction->loads; i++)
        friction->known[i] = factor * P[m->def.contact[contact].load[i]];
}

void contact_rub_by_rows(problem *p, const carom_model *m, int contact) {
    problem_law *friction = law_of_friction(p, m, 0, contact);
    if (friction) friction->curved = m->def.contact[contact].by_slip;
}

void contacts_release(problem *p) {
    for (int k = 0; k < p->laws; k++) p->law[k].fixed = p->law[k].directed = false;
}

void contact_states(problem *p, const carom_model *m, double *contact) {
    for (int k = 0; k < m->def.contacts; k++) {
        const problem_law *friction = law_of_friction(p, m, 0, k);
        bool sticks = friction && friction->branch == LAW_HOLD;
        bool open = (contact_follows(m, k) ? friction : law_of_contact(p, m, 0, k))->branch == LAW_OPEN;
        contact[k] = open ? CAROM_OPEN : sticks ? CAROM_STICK : CAROM_SLIP;
    }
}

static const char *name_of_row(const carom_model *m, const problem *p, int worst, const char **kind) {
    if (worst < p->nF) {
        int balances = p->balances * m->def.nu;
        *kind = "balance of";
        return worst < balances ? m->def.u_names[worst % m->def.nu] : m->def.q_names[(worst - balances) % m->def.nq];
    }
    int s = row_of_law(p, m, &p->law[worst - p->nF]);
    *kind = s < m->N ? "constraint" : "contact";
    if (s < m->gamma) return m->def.g_names[s];
    if (s < m->N) return m->def.gamma_names[s - m->gamma];
    if (s < m->F) return m->def.contact[s - m->N].name;
    int k = 0;
    while (m->slip[k + 1] <= s - m->F) k++;
    return m->def.contact[k].name;
}

void explain(step_report *report, const problem *p, const carom_model *m, const solver_report *r, const char *stage) {
    const size_t size = sizeof report->reason;
    char *reason = report->reason;
    const char *kind, *name = name_of_row(m, p, r->worst, &kind);
    report->exhausted = r->exhausted;
    if (r->exhausted) snprintf(reason, size, "out of memory for the equations of motion %s", stage);
    else if (r->undefined) snprintf(reason, size, "the model gives no finite numbers %s", stage);
    else if (r->singular) snprintf(reason, size, "the equations of motion are singular %s", stage);
    else snprintf(reason, size, "no solution found %s: %s '%s' is missed by %.3g", stage, kind, name, r->residual);
}

void explain_joints(step_report *report, const problem *p, const carom_model *m, const solver_report *r) {
    const int row = r->worst - p->nF;
    const size_t used = strlen(report->reason);
    if (!r->undefined && m->def.ng > 0 && row < m->def.ng)
        snprintf(report->reason + used, sizeof report->reason - used,
                 " (if joints have drifted apart, joints: closed keeps them together)");
}

bool explain_undefined(step_report *report, const char *where) {
    snprintf(report->reason, sizeof report->reason, "the model is not defined at the %s of the step", where);
    return false;
}
