/* Evaluating a model under test. */
#include "model/probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/difference.h"

/* ---------------------------------------------------------------- names */

int probe_length(const probe *p, axis a) {
    const int length[] = {[AXIS_Q] = p->def->nq,   [AXIS_U] = p->def->nu,      [AXIS_C] = p->model->nc,
                          [AXIS_S] = p->model->ns, [AXIS_F] = p->model->slips, [AXIS_CONTACT] = p->def->contacts};
    return length[a];
}

static label slip_name(const carom_model *m, int slip) {
    int contact = 0;
    while (m->slip[contact + 1] <= slip) contact++;
    const carom_model_contact *c = &m->def.contact[contact];
    label l;
    if (c->slips == 1) snprintf(l.text, sizeof l.text, "%s.slip", c->name);
    else snprintf(l.text, sizeof l.text, "%s.slip%d", c->name, slip - m->slip[contact] + 1);
    return l;
}

label probe_name(const probe *p, axis a, int i) {
    const carom_model *m = p->model;
    const carom_model_def *d = p->def;
    if (a == AXIS_F || (a == AXIS_S && i >= m->F)) return slip_name(m, a == AXIS_F ? i : i - m->F);
    label l;
    if (a == AXIS_CONTACT) snprintf(l.text, sizeof l.text, "%s.mu", d->contact[i].name);
    else if (a == AXIS_Q || a == AXIS_U)
        snprintf(l.text, sizeof l.text, "%s", a == AXIS_Q ? d->q_names[i] : d->u_names[i]);
    else if (i < d->ng) snprintf(l.text, sizeof l.text, "%s.%s", d->g_names[i], a == AXIS_S ? "g_dot" : "g");
    else if (a == AXIS_C) snprintf(l.text, sizeof l.text, "%s.gap", d->contact[i - d->ng].name);
    else if (i < m->N) snprintf(l.text, sizeof l.text, "%s.gamma", d->gamma_names[i - m->gamma]);
    else snprintf(l.text, sizeof l.text, "%s.gap_dot", d->contact[i - m->N].name);
    return l;
}

/* ---------------------------------------------------------------- the functions of the model, at p->now */

#define AT p->def->context, p->now.t, p->now.q

int probe_q_dot(probe *p, double *f) {
    return model_q_dot(p->model, p->now.t, p->now.q, p->now.u, f);
}
int probe_force(probe *p, double *f) {
    return p->def->force(AT, p->now.u, f, NULL, NULL);
}
int probe_p(probe *p, double *f) {
    return p->def->momentum(AT, p->now.u, f, NULL, NULL, NULL, NULL);
}
int probe_b(probe *p, double *f) {
    return p->def->momentum(AT, p->now.u, NULL, NULL, f, NULL, NULL);
}
int probe_c(probe *p, double *f) {
    return p->def->position(AT, f, NULL);
}
int probe_s(probe *p, double *f) {
    return p->def->velocity(AT, p->now.u, f, NULL, NULL);
}
static int matrix_B(probe *p, double *J) {
    return p->def->kinematics(AT, p->now.u, NULL, J, NULL);
}
static int matrix_q_dot_q(probe *p, double *J) {
    return p->def->kinematics(AT, p->now.u, NULL, NULL, J);
}
int probe_mass(probe *p, double *J) {
    return p->def->mass(AT, J);
}
static int matrix_Mv_q(probe *p, double *J) {
    return p->def->mass_q ? p->def->mass_q(AT, p->v, J) : 0;
}
static int matrix_h_q(probe *p, double *J) {
    return p->def->force(AT, p->now.u, NULL, J, NULL);
}
static int matrix_h_u(probe *p, double *J) {
    return p->def->force(AT, p->now.u, NULL, NULL, J);
}
static int matrix_p_q(probe *p, double *J) {
    return p->def->momentum(AT, p->now.u, NULL, J, NULL, NULL, NULL);
}
static int matrix_b_q(probe *p, double *J) {
    return p->def->momentum(AT, p->now.u, NULL, NULL, NULL, J, NULL);
}
static int matrix_b_u(probe *p, double *J) {
    return p->def->momentum(AT, p->now.u, NULL, NULL, NULL, NULL, J);
}
static int matrix_c_q(probe *p, double *J) {
    return p->def->position(AT, NULL, J);
}
static int matrix_WT(probe *p, double *J) {
    return p->def->velocity(AT, p->now.u, NULL, J, NULL);
}
static int matrix_s_q(probe *p, double *J) {
    return p->def->velocity(AT, p->now.u, NULL, NULL, J);
}
static int matrix_Wr_q(probe *p, double *J) {
    return p->def->direction_q(AT, p->r, J);
}
static int value_d(probe *p, double *f) {
    return p->def->displacement(AT, f, NULL);
}
static int matrix_d_q(probe *p, double *J) {
    return p->def->displacement(AT, NULL, J);
}

int probe_mu(probe *p, const double *slip, int contact, double *mu, double *mu_slip) {
    double along[3], speed = 0;
    const int slips = p->def->contact[contact].slips;
    for (int i = 0; i < slips; i++) speed = hypot(speed, slip[i]);
    for (int i = 0; i < slips; i++) along[i] = slip[i] / speed;
    return p->def->friction(p->def->context, contact, p->now.t, p->now.q, speed, along, mu, mu_slip, NULL);
}
/* For slips of 1/2 along all rows. */
static int value_mu(probe *p, double *f) {
    const double slip[3] = {0.5, 0.5, 0.5};
    int undefined = 0;
    for (int k = 0; k < p->def->contacts; k++) {
        f[k] = 0;
        if (p->def->contact[k].by_slip) undefined = undefined || probe_mu(p, slip, k, &f[k], NULL);
    }
    return undefined;
}
static int matrix_mu_q(probe *p, double *J) {
    const carom_model_def *d = p->def;
    int undefined = 0;
    for (int k = 0; k < d->contacts; k++) {
        const double all = sqrt(d->contact[k].slips), along[3] = {1 / all, 1 / all, 1 / all};
        double mu, *row = J + d->mu_q.start[k];
        for (int e = d->mu_q.start[k]; e < d->mu_q.start[k + 1]; e++) J[e] = 0;
        if (!d->contact[k].by_slip) continue;
        undefined = undefined || d->friction(d->context, k, p->now.t, p->now.q, all / 2, along, &mu, NULL, row);
    }
    return undefined;
}

int probe_H(probe *p, double *f) {
    double T = 0, V = 0, G = 0;
    int undefined = p->def->energy(AT, p->now.u, &T, &V) || p->def->power(AT, p->now.u, NULL, &G);
    f[0] = T + V - G;
    return undefined;
}

int probe_maps(probe *p, double *f) {
    const carom_model_def *d = p->def;
    if (d->symmetry(AT, p->xi)) return 1;
    if (model_momentum(p->model, p->now.t, p->now.q, p->now.u, p->factor, p->momentum, NULL, NULL, NULL, NULL))
        return 1;
    for (int k = 0; k < d->symmetries; k++) {
        f[k] = 0;
        for (int j = 0; j < d->nu; j++) f[k] += p->xi[k * d->nu + j] * p->momentum[j];
    }
    return 0;
}

static int value_Mv(probe *p, double *f) {
    const carom_pattern *M = &p->def->M;
    int undefined = probe_mass(p, p->factor);
    for (int i = 0; i < M->rows; i++) {
        f[i] = 0;
        for (int e = M->start[i]; e < M->start[i + 1]; e++) f[i] += p->factor[e] * p->v[M->index[e]];
    }
    return undefined;
}

static int value_Wr(probe *p, double *f) {
    const carom_pattern *WT = &p->def->WT;
    int undefined = matrix_WT(p, p->factor);
    memset(f, 0, (size_t)WT->cols * sizeof *f);
    for (int i = 0; i < WT->rows; i++)
        for (int e = WT->start[i]; e < WT->start[i + 1]; e++) f[WT->index[e]] += p->factor[e] * p->r[i];
    return undefined;
}

void probe_derivatives(const probe *p, derivative list[DERIVATIVES]) {
    const carom_model_def *d = p->def;
    derivative all[DERIVATIVES] = {
        {"dq_dot/du", "q_dot", probe_q_dot, matrix_B, &d->B, AXIS_Q, AXIS_U, d->kinematics},
        {"dq_dot/dq", "q_dot", probe_q_dot, matrix_q_dot_q, &d->q_dot_q, AXIS_Q, AXIS_Q, d->kinematics},
        {"d(M v)/dq", "M v", value_Mv, matrix_Mv_q, &d->Mv_q, AXIS_U, AXIS_Q, true},
        {"dh/dq", "h", probe_force, matrix_h_q, &d->h_q, AXIS_U, AXIS_Q, true},
        {"dh/du", "h", probe_force, matrix_h_u, &d->h_u, AXIS_U, AXIS_U, true},
        {"dp/dq", "p", probe_p, matrix_p_q, &d->p_q, AXIS_U, AXIS_Q, d->momentum},
        {"dp/du = M", "p", probe_p, probe_mass, &d->M, AXIS_U, AXIS_U, d->momentum},
        {"db/dq", "b", probe_b, matrix_b_q, &d->b_q, AXIS_U, AXIS_Q, d->momentum},
        {"db/du", "b", probe_b, matrix_b_u, &d->b_u, AXIS_U, AXIS_U, d->momentum},
        {"dc/dq", "c", probe_c, matrix_c_q, &d->c_q, AXIS_C, AXIS_Q, d->position},
        {"ds/du", "s", probe_s, matrix_WT, &d->WT, AXIS_S, AXIS_U, d->velocity},
        {"ds/dq", "s", probe_s, matrix_s_q, &d->s_q, AXIS_S, AXIS_Q, d->velocity},
        {"d(W r)/dq", "W r", value_Wr, matrix_Wr_q, &d->Wr_q, AXIS_U, AXIS_Q, d->velocity && d->direction_q},
        {"dd/dq", "d", value_d, matrix_d_q, &d->d_q, AXIS_F, AXIS_Q, d->displacement},
        {"dmu/dq", "mu", value_mu, matrix_mu_q, &d->mu_q, AXIS_CONTACT, AXIS_Q, d->friction},
    };
    memcpy(list, all, sizeof all);
}

/* ---------------------------------------------------------------- moving about */

static void copy_state(const probe *p, state *to, const state *from) {
    to->t = from->t;
    memcpy(to->q, from->q, (size_t)p->def->nq * sizeof *to->q);
    memcpy(to->u, from->u, (size_t)p->def->nu * sizeof *to->u);
}

/* Beyond a switch the functions go on as at the base: kinks and jumps are no errors of derivatives. */
static void hold_sides(probe *p) {
    const carom_model_def *d = p->def;
    if (!d->switches) return;
    d->take_sides(d->context, NULL);
    if (d->switching(AT, p->now.u, p->f)) return;
    for (int j = 0; j < d->switches; j++) {
        bool floors = d->switch_info[j].kind == CAROM_SWITCH_FLOOR;
        p->side[j] = floors ? (int)floor(fmax(-1e9, fmin(p->f[j], 1e9))) : p->f[j] < 0 ? -1 : 1;
    }
    d->take_sides(d->context, p->side);
}

void probe_start(probe *p, const state *s) {
    copy_state(p, &p->base, s);
    copy_state(p, &p->now, s);
    p->direction.t = 0;
    memset(p->direction.q, 0, (size_t)p->def->nq * sizeof *p->direction.q);
    memset(p->direction.u, 0, (size_t)p->def->nu * sizeof *p->direction.u);
    hold_sides(p);
}

static void move(probe *p, double x) {
    p->now.t = p->base.t + x * p->direction.t;
    for (int i = 0; i < p->def->nq; i++) p->now.q[i] = p->base.q[i] + x * p->direction.q[i];
    for (int i = 0; i < p->def->nu; i++) p->now.u[i] = p->base.u[i] + x * p->direction.u[i];
}

typedef struct moving_value {
    probe *p;
    probe_function value;
} moving_value;

static int along(void *context, double x, double *f) {
    moving_value *m = context;
    move(m->p, x);
    return m->value(m->p, f);
}

void probe_differentiate(probe *p, probe_function value, int n, double scale) {
    difference(along, &(moving_value){p, value}, n, 1e-2 * scale, p->terms, p->work, p->d, p->error);
    move(p, 0);
}

/* ---------------------------------------------------------------- memory */

static double *carve(double **memory, size_t n) {
    double *block = *memory;
    *memory += n;
    return block;
}

static state carve_state(const carom_model_def *d, double **memory) {
    double *q = carve(memory, (size_t)d->nq);
    return (state){0, q, carve(memory, (size_t)d->nu)};
}

/* One block of memory for every vector. */
bool probe_create(probe *p, const carom_model *model) {
    const carom_model_def *d = &model->def;
    *p = (probe){.model = model, .def = d};
    derivative list[DERIVATIVES];
    probe_derivatives(p, list);
    int rows = d->symmetries > 1 ? d->symmetries : 1, entries = pattern_nnz(&d->M) + 1;
    rows = d->observables > rows ? d->observables : rows;
    rows = d->switches > rows ? d->switches : rows;
    for (axis a = AXIS_Q; a <= AXIS_S; a++) rows = probe_length(p, a) > rows ? probe_length(p, a) : rows;
    for (int i = 0; i < DERIVATIVES; i++) {
        int nnz = pattern_nnz(list[i].pattern);
        entries = nnz > entries ? nnz : entries;
    }
    entries = entries > rows ? entries : rows;
    size_t states = (PROBE_STATES + 3) * (size_t)(d->nq + d->nu), factors = (size_t)(2 * d->nu + p->model->ns);
    size_t symmetries = (size_t)d->symmetries * (size_t)d->nu;
    size_t work = difference_work(rows);
    double *memory =
        calloc(states + factors + symmetries + 2 * (size_t)entries + 4 * (size_t)rows + work, sizeof *memory);
    p->memory = memory;
    p->side = calloc((size_t)d->switches + 1, sizeof *p->side);
    p->rows = rows;
    if (!memory || !p->side) return false;
    for (int s = 0; s < PROBE_STATES; s++) p->at[s] = carve_state(d, &memory);
    p->base = carve_state(d, &memory);
    p->direction = carve_state(d, &memory);
    p->now = carve_state(d, &memory);
    p->v = carve(&memory, (size_t)d->nu);
    p->r = carve(&memory, (size_t)p->model->ns);
    p->xi = carve(&memory, symmetries);
    p->momentum = carve(&memory, (size_t)d->nu);
    p->J = carve(&memory, (size_t)entries);
    p->factor = carve(&memory, (size_t)entries);
    p->f = carve(&memory, (size_t)rows);
    p->d = carve(&memory, (size_t)rows);
    p->error = carve(&memory, (size_t)rows);
    p->terms = carve(&memory, (size_t)rows);
    p->work = carve(&memory, work);
    return true;
}

void probe_destroy(probe *p) {
    if (p->def->switches) p->def->take_sides(p->def->context, NULL);
    free(p->side);
    free(p->memory);
}
