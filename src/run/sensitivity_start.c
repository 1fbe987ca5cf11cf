/* The start of derivatives: what parameters and directions do to the initial state (docs/theory/sensitivity.md). */
#include <math.h>
#include <string.h>

#include "error.h"
#include "integrator/projection.h"
#include "run/sensitivity.h"

/* dq = B d for a displacement d, where q_dot = u is not all: rates of q_dot along u = d. */
static bool add_displacement(const sensitivity *x, const carom_place *at, const double *d, double *q) {
    const carom_model_def *model = &x->asked->m->def;
    double *rate = x->q_dot;
    if (model->tangent(model->context, -1, at, &(carom_place){0, x->asked->rest, d}, &(carom_tangent){.q_dot = rate}))
        return false;
    for (int i = 0; i < model->nq; i++) q[i] += rate[i];
    return true;
}

/* What a row of s misses: positions of joints and gaps are rows of c, in another order. */
static double missed(const sensitivity *x, const carom_model *m, int row, bool velocities) {
    if (!x->held[row]) return 0;
    if (velocities) return x->s[row];
    return x->c[projection_position(m, row)];
}

/* One correction of column k towards directions that are allowed, on positions or on velocities. */
static bool correct(carom_sim *sim, projection *p, int k, bool velocities) {
    sensitivity *x = sim->sensitivity;
    const carom_model *m = sim->model;
    const motion now = sim_motion(sim, sim->now);
    const carom_place at = {now.t, now.q, now.u}, rate = variation_column(x->asked, k);
    const carom_tangent wanted = {.c = velocities ? NULL : x->c, .s = velocities ? x->s : NULL};
    if (!variation_tangent(x->asked, k, &at, &rate, &wanted)) return false;
    memset(p->z, 0, (size_t)m->def.nu * sizeof *p->z);
    for (int r = 0; r < p->rows; r++) p->z[m->def.nu + r] = -missed(x, m, r, velocities);
    projection_solve(p);
    if (!velocities && !m->trivial) return add_displacement(x, &at, p->z, x->asked->q + k * m->def.nq);
    double *to = velocities ? x->asked->u + k * m->def.nu : x->asked->q + k * m->def.nq;
    for (int j = 0; j < m->def.nu; j++) to[j] += p->z[j];
    return true;
}

/* The nearest directions that are allowed, in the metric of M, as (D11), (D12). */
static bool project(carom_sim *sim, bool velocities, bool contacts) {
    enum { CORRECTIONS = 3 }; /* each leaves 1e-8 of the one before */
    sensitivity *x = sim->sensitivity;
    const carom_model *m = sim->model;
    const carom_model_def *d = &m->def;
    const motion now = sim_motion(sim, sim->now);
    const int rows = projection_hold(m, contacts ? now.contact : NULL, velocities, x->held);
    if (rows == 0) return true;
    projection p;
    bool ok = projection_create(&p, m, rows) && !d->mass(d->context, now.t, now.q, x->M) &&
              !d->velocity(d->context, now.t, now.q, now.u, NULL, x->WT, NULL) &&
              projection_factor(&p, x->M, x->WT, x->held, 1e-8);
    for (int k = 0; k < x->asked->columns && ok; k++)
        for (int i = 0; i < CORRECTIONS && ok; i++) ok = correct(sim, &p, k, velocities);
    projection_destroy(&p);
    return ok;
}

/* Contacts that are closed at the start, and those that stick: where events are located, what moves them off comes back
 * at once, (SE64); gaps that open do so on one side only, (SE65). */
static carom_status check_contact(const carom_sim *sim, const char *by, int c, bool moves, carom_error *error) {
    const carom_model *m = sim->model;
    const sensitivity *x = sim->sensitivity;
    const double apart = x->c[m->def.ng + c];
    const bool opens = fabs(apart) > 1e-9;
    const char *why = !carom_sim_locates(sim)    ? "there is no derivative"
                      : x->tracing               ? "there is no adjoint"
                      : !opens                   ? NULL
                      : x->work.from == 0        ? "there is no derivative but from one side"
                      : x->work.from * apart < 0 ? "there is no derivative from this side"
                                                 : NULL;
    if ((!moves && !opens) || !why) return CAROM_OK;
    return carom_error_set(error, carom_sim_locates(sim) ? CAROM_FAILED : CAROM_DATA,
                           "'%s' moves contact '%s', which is closed at the start: %s", by, m->def.contact[c].name,
                           why);
}

/* How fast the slip of a contact is, or how it is moved. */
static double slip_size(const carom_model *m, int c, const double *s) {
    double most = 0;
    for (int j = m->F + m->slip[c]; j < m->F + m->slip[c + 1]; j++) most = fmax(most, fabs(s[j]));
    return most;
}

/* Which contacts begin to slip from rest, where events are located. */
static bool find_beginning(const carom_sim *sim, const motion *now, bool *begins) {
    const carom_model *m = sim->model;
    const carom_model_def *d = &m->def;
    double *s = sim->sensitivity->s;
    bool any = false;
    if (m->ns && d->velocity(d->context, now->t, now->q, now->u, s, NULL, NULL)) return false;
    for (int c = 0; c < d->contacts; c++) {
        begins[c] = carom_sim_locates(sim) && now->contact[c] == CAROM_SLIP && d->contact[c].friction > 0 &&
                    d->contact[c].slips > 0 && slip_size(m, c, s) <= 1e-9;
        any = any || begins[c];
    }
    return any;
}

/* Slip that begins has a direction already, (SE77). */
static carom_status check_slip(const carom_sim *sim, const char *by, int c, bool begins, bool moves, bool any,
                               carom_error *error) {
    const sensitivity *x = sim->sensitivity;
    const char *name = sim->model->def.contact[c].name;
    if (any && moves)
        return carom_error_set(error, CAROM_FAILED,
                               "'%s' moves contact '%s' while slip begins from rest: there is no derivative", by, name);
    if (begins && x->work.from == 0 && slip_size(sim->model, c, x->s) > 1e-9)
        return carom_error_set(error, CAROM_FAILED, "'%s' moves contact '%s', which begins to slip from rest: %s", by,
                               name, x->tracing ? "there is no adjoint" : "there is no derivative but from one side");
    return CAROM_OK;
}

static carom_status check_contacts(carom_sim *sim, int k, const char *by, carom_error *error) {
    const sensitivity *x = sim->sensitivity;
    const carom_model *m = sim->model;
    const motion now = sim_motion(sim, sim->now);
    const carom_place at = {now.t, now.q, now.u}, rate = variation_column(x->asked, k);
    const bool any = find_beginning(sim, &now, x->begins);
    carom_status status = CAROM_OK;
    if (!variation_tangent(x->asked, k, &at, &rate,
                           &(carom_tangent){.c = m->nc ? x->c : NULL, .s = m->ns ? x->s : NULL}))
        return carom_error_set(error, CAROM_DATA, "the model's derivatives are not defined at the initial state");
    for (int c = 0; c < m->def.contacts && !status; c++) {
        if (now.contact[c] == CAROM_OPEN) continue;
        const bool sticks = now.contact[c] == CAROM_STICK;
        const bool moves = fabs(x->s[m->N + c]) > 1e-9 || (sticks && slip_size(m, c, x->s) > 1e-9);
        status = check_contact(sim, by, c, moves, error);
        if (!status) status = check_slip(sim, by, c, x->begins[c], moves, any, error);
    }
    return status;
}

/* By parameters: what assign writes, if the state is the model's own; by the start: a unit vector. */
static bool set_named(carom_sim *sim, int k, bool initial) {
    sensitivity *x = sim->sensitivity;
    const carom_model_def *d = &sim->model->def;
    variation *v = x->asked;
    double *q = v->q + k * d->nq, *u = v->u + k * d->nu;
    const int c = x->component[k];
    if (c >= 0) (c < d->nq ? q : u - d->nq)[c] = 1;
    else if (d->assign_tangent(d->context, v->parameter[k], q, u, v->coefficient + 3 * k * d->contacts)) return false;
    if (c < 0 && d->bear && d->bear_tangent(d->context, v->parameter[k], v->bound + 3 * k * d->latches)) return false;
    if (c < 0 && !initial) memset(q, 0, (size_t)d->nq * sizeof *q), memset(u, 0, (size_t)d->nu * sizeof *u);
    return true;
}

static void set_direction(const sensitivity *x, const carom_model_def *d, int k) {
    const double *from = x->along + (k - x->named) * (1 + d->nq + d->nu);
    x->asked->t[k] = from[0];
    memcpy(x->asked->q + k * d->nq, from + 1, (size_t)d->nq * sizeof *from);
    memcpy(x->asked->u + k * d->nu, from + 1 + d->nq, (size_t)d->nu * sizeof *from);
}

/* Where directions were asked for, what is closed stays closed, (SE14); else such columns are refused. */
carom_status sensitivity_start(carom_sim *sim, bool initial, carom_error *error) {
    sensitivity *x = sim->sensitivity;
    const carom_model_def *d = &sim->model->def;
    variation *v = x->asked;
    const bool directed = v->columns > x->named;
    variation_begin(v);
    memset(v->t, 0, (size_t)v->columns * sizeof *v->t);
    memset(v->q, 0, (size_t)(v->columns * d->nq) * sizeof *v->q);
    memset(v->u, 0, (size_t)(v->columns * d->nu) * sizeof *v->u);
    for (int k = 0; k < x->named; k++)
        if (!set_named(sim, k, initial && !directed))
            return carom_error_set(error, CAROM_DATA, "the derivatives of the initial state are not defined");
    for (int k = x->named; k < v->columns; k++) set_direction(x, d, k);
    const motion now = sim_motion(sim, sim->now);
    variation_normalise(v, now.q);
    sensitivity_anchor(sim, &now);
    if (!project(sim, false, directed) || !project(sim, true, directed))
        return carom_error_set(error, CAROM_DATA, "the joints leave no derivative of the initial state");
    for (int k = 0; k < x->named && !directed; k++) {
        carom_status status = check_contacts(sim, k, x->name[k], error);
        if (status) return status;
    }
    if (x->tracing) tracing_restart(x->tracing), variation_begin(&x->work);
    variation_copy(&x->step, &x->work);
    return CAROM_OK;
}
