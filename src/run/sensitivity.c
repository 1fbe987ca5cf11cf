/* Derivatives of a run: what was asked for, the initial ones, and those of the steps (docs/theory/sensitivity.md). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/projection.h"
#include "integrator/variation.h"
#include "run/sim.h"

typedef struct sensitivity {
    variation work;                 /* goes along with the pieces of a step */
    variation step, piece;          /* at the start of the step, and of the piece */
    int *component;                 /* [columns] of the start: place in (q, u); -1: a parameter */
    char **name;                    /* [columns] as they were asked for */
    double *c, *s, *q_dot, *WT, *M; /* room */
    double *memory;
} sensitivity;

/* ---------------------------------------------------------------- what is asked for */

static const char *const prefix = "start.";

static const char *did_you_mean(const char *name, const char *const *known, int count, char *text, size_t size) {
    const char *near = carom_nearest(name, known, count);
    text[0] = 0;
    if (near) snprintf(text, size, ", did you mean '%s'?", near);
    return text;
}

/* A component of the start by its name: of q, else of u. */
static carom_status find_start(const carom_sim *sim, const char *name, int *place, carom_error *error) {
    const carom_model_def *d = &sim->model->def;
    const char *own = name + strlen(prefix);
    const int q = carom_model_coordinate(sim->model, own), u = carom_model_velocity(sim->model, own);
    char text[96];
    *place = q >= 0 ? q : d->nq + u;
    if (q >= 0 || u >= 0) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA, "there is no coordinate or velocity '%s'%s", own,
                           did_you_mean(own, d->q_names, d->nq, text, sizeof text));
}

static carom_status find_parameter(const carom_sim *sim, const char *name, int *parameter, carom_error *error) {
    const carom_model_def *d = &sim->model->def;
    char text[96];
    *parameter = carom_model_parameter(sim->model, name);
    if (*parameter < 0)
        return carom_error_set(error, CAROM_DATA, "there is no parameter '%s'%s; a start is named start.x", name,
                               did_you_mean(name, d->parameter_names, d->parameters, text, sizeof text));
    if (d->parameter_fixed && d->parameter_fixed[*parameter])
        return carom_error_set(error, CAROM_DATA, "there is no derivative by '%s', which cannot change: %s", name,
                               d->parameter_fixed[*parameter]);
    if (!d->assign_tangent)
        return carom_error_set(error, CAROM_DATA, "derivatives by parameters need the model's function assign_tangent");
    return CAROM_OK;
}

static carom_status find_all(carom_sim *sim, const char *const *by, carom_error *error) {
    sensitivity *x = sim->sensitivity;
    for (int k = 0; k < x->work.columns; k++) {
        x->component[k] = x->work.parameter[k] = -1;
        const bool start = !strncmp(by[k], prefix, strlen(prefix));
        carom_status status = start ? find_start(sim, by[k], &x->component[k], error)
                                    : find_parameter(sim, by[k], &x->work.parameter[k], error);
        if (status) return status;
    }
    return CAROM_OK;
}

/* ---------------------------------------------------------------- the start, (SE1) */

/* dq = B d for a displacement d, where q_dot = u is not all: rates of q_dot along u = d. */
static bool add_displacement(const sensitivity *x, const carom_place *at, const double *d, double *q) {
    const carom_model_def *model = &x->work.m->def;
    double *rate = x->q_dot;
    if (model->tangent(model->context, -1, at, &(carom_place){0, x->work.rest, d}, &(carom_tangent){.q_dot = rate}))
        return false;
    for (int i = 0; i < model->nq; i++) q[i] += rate[i];
    return true;
}

/* One correction of column k towards directions that joints allow, on positions or on velocities. */
static bool correct(carom_sim *sim, projection *p, int k, bool velocities) {
    sensitivity *x = sim->sensitivity;
    const carom_model *m = sim->model;
    const motion now = sim_motion(sim, sim->now);
    const carom_place at = {now.t, now.q, now.u}, rate = variation_column(&x->work, k);
    const carom_tangent wanted = {.c = velocities ? NULL : x->c, .s = velocities ? x->s : NULL};
    if (!variation_tangent(&x->work, k, &at, &rate, &wanted)) return false;
    memset(p->z, 0, (size_t)m->def.nu * sizeof *p->z);
    for (int r = 0; r < p->rows; r++) p->z[m->def.nu + r] = velocities ? -x->s[r] : -x->c[r];
    projection_solve(p);
    if (!velocities && !m->trivial) return add_displacement(x, &at, p->z, x->work.q + k * m->def.nq);
    double *to = velocities ? x->work.u + k * m->def.nu : x->work.q + k * m->def.nq;
    for (int j = 0; j < m->def.nu; j++) to[j] += p->z[j];
    return true;
}

/* The nearest directions that joints allow, in the metric of M, as (D11), (D12). */
static bool project(carom_sim *sim, bool velocities) {
    enum { CORRECTIONS = 3 }; /* each leaves 1e-8 of the one before */
    sensitivity *x = sim->sensitivity;
    const carom_model *m = sim->model;
    const carom_model_def *d = &m->def;
    const motion now = sim_motion(sim, sim->now);
    const int rows = velocities ? m->N : d->ng;
    if (rows == 0) return true;
    projection p;
    bool ok = projection_create(&p, m, rows) && !d->mass(d->context, now.t, now.q, x->M) &&
              !d->velocity(d->context, now.t, now.q, now.u, NULL, x->WT, NULL) &&
              projection_factor(&p, x->M, x->WT, NULL, 1e-8);
    for (int k = 0; k < x->work.columns && ok; k++)
        for (int i = 0; i < CORRECTIONS && ok; i++) ok = correct(sim, &p, k, velocities);
    projection_destroy(&p);
    return ok;
}

/* Contacts that are closed at the start must stay so, and those that stick: else it has a derivative on one side only.
 */
static carom_status check_contacts(carom_sim *sim, int k, const char *by, carom_error *error) {
    const sensitivity *x = sim->sensitivity;
    const carom_model *m = sim->model;
    const motion now = sim_motion(sim, sim->now);
    const carom_place at = {now.t, now.q, now.u}, rate = variation_column(&x->work, k);
    if (!variation_tangent(&x->work, k, &at, &rate,
                           &(carom_tangent){.c = m->nc ? x->c : NULL, .s = m->ns ? x->s : NULL}))
        return carom_error_set(error, CAROM_DATA, "the model's derivatives are not defined at the initial state");
    for (int c = 0; c < m->def.contacts; c++) {
        if (now.contact[c] == CAROM_OPEN) continue;
        bool moves = fabs(x->c[m->def.ng + c]) > 1e-9 || fabs(x->s[m->N + c]) > 1e-9;
        for (int j = m->F + m->slip[c]; j < m->F + m->slip[c + 1] && now.contact[c] == CAROM_STICK; j++)
            moves = moves || fabs(x->s[j]) > 1e-9;
        if (moves)
            return carom_error_set(error, CAROM_DATA,
                                   "'%s' moves contact '%s', which is closed at the start: there is no derivative", by,
                                   m->def.contact[c].name);
    }
    return CAROM_OK;
}

/* By parameters: what assign writes; by the start: a unit vector. initial: the state is that of the model. */
static carom_status set_start(carom_sim *sim, bool initial, carom_error *error) {
    sensitivity *x = sim->sensitivity;
    const carom_model_def *d = &sim->model->def;
    variation *v = &x->work;
    variation_begin(v);
    for (int k = 0; k < v->columns; k++) {
        double *q = v->q + k * d->nq, *u = v->u + k * d->nu, *coefficient = v->coefficient + 3 * k * d->contacts;
        memset(q, 0, (size_t)d->nq * sizeof *q);
        memset(u, 0, (size_t)d->nu * sizeof *u);
        v->t[k] = 0;
        const int c = x->component[k];
        if (c >= 0) (c < d->nq ? q : u - d->nq)[c] = 1;
        else if (d->assign_tangent(d->context, v->parameter[k], q, u, coefficient))
            return carom_error_set(error, CAROM_DATA, "the derivatives of the initial state are not defined");
        if (c < 0 && !initial) memset(q, 0, (size_t)d->nq * sizeof *q), memset(u, 0, (size_t)d->nu * sizeof *u);
    }
    variation_normalise(v, sim_motion(sim, sim->now).q);
    if (!project(sim, false) || !project(sim, true))
        return carom_error_set(error, CAROM_DATA, "the joints leave no derivative of the initial state");
    for (int k = 0; k < v->columns; k++) {
        carom_status status = check_contacts(sim, k, x->name[k], error);
        if (status) return status;
    }
    variation_copy(&x->step, v);
    return CAROM_OK;
}

carom_status sensitivity_restart(carom_sim *sim, carom_error *error) {
    return sim->sensitivity ? set_start(sim, true, error) : CAROM_OK;
}

carom_status sensitivity_replace(carom_sim *sim, carom_error *error) {
    return sim->sensitivity ? set_start(sim, false, error) : CAROM_OK;
}

/* ---------------------------------------------------------------- setup */

void sensitivity_destroy(carom_sim *sim) {
    sensitivity *x = sim->sensitivity;
    sim->sensitivity = NULL;
    if (!x) return;
    for (int k = 0; k < x->work.columns && x->name; k++) free(x->name[k]);
    free(x->name);
    free(x->component);
    free(x->memory);
    variation_destroy(&x->work);
    variation_destroy(&x->step);
    variation_destroy(&x->piece);
    free(x);
}

static bool create(carom_sim *sim, const char *const *by, int count) {
    const carom_model *m = sim->model;
    sensitivity *x = sim->sensitivity = calloc(1, sizeof *x);
    if (!x) return false;
    const vector_part parts[] = {{&x->c, m->nc},
                                 {&x->s, m->ns},
                                 {&x->q_dot, m->def.nq},
                                 {&x->WT, pattern_nnz(&m->def.WT)},
                                 {&x->M, pattern_nnz(&m->def.M)}};
    x->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    x->component = calloc((size_t)count + 1, sizeof *x->component);
    x->name = calloc((size_t)count + 1, sizeof *x->name);
    bool ok = variation_create(&x->work, m, count);
    ok = variation_create(&x->step, m, count) && ok;
    ok = variation_create(&x->piece, m, count) && ok;
    for (int k = 0; k < count && x->name; k++) ok = (x->name[k] = strdup(by[k])) && ok;
    return ok && x->memory && x->component && x->name;
}

carom_status sensitivity_attach(carom_sim *sim, carom_error *error) {
    if (!sim->sensitivity || sim->integrator->vary(sim->self, &sim->sensitivity->work)) return CAROM_OK;
    return carom_error_memory(error);
}

/* Impacts are differentiated as (E4), one problem for all contacts of an instant. */
static carom_status check_impacts(const carom_model_def *d, carom_error *error) {
    if (d->sequential || d->restitution)
        return carom_error_set(error, CAROM_DATA, "there are no derivatives of impacts %s",
                               d->sequential ? "that happen one after the other" : "with restitution by formula");
    if (d->friction)
        return carom_error_set(error, CAROM_DATA, "there are no derivatives of friction by a formula of the slip");
    for (int k = 0; k < d->contacts; k++)
        if (d->contact[k].impact && strcmp(d->contact[k].impact, "newton") && strcmp(d->contact[k].impact, "plastic"))
            return carom_error_set(error, CAROM_DATA,
                                   "contact '%s' has impact '%s', which has no derivatives; newton and plastic do",
                                   d->contact[k].name, d->contact[k].impact);
    return CAROM_OK;
}

static carom_status check(const carom_sim *sim, carom_error *error) {
    const char *name = sim->integrator->info.name;
    if (!sim->integrator->vary)
        return carom_error_set(error, CAROM_DATA, "%s has no derivatives of the motion; rattle and lobatto do", name);
    if (!sim->model->def.tangent)
        return carom_error_set(error, CAROM_DATA, "derivatives of the motion need the model's function tangent");
    if (carom_sim_steps(sim) > 0)
        return carom_error_set(error, CAROM_DATA, "derivatives are asked for before the first step");
    if (sim->model->consistent)
        return carom_error_set(
            error, CAROM_DATA,
            "a start that carom corrects ('start: consistent') has no derivative; give one that fits "
            "the joints");
    return check_impacts(&sim->model->def, error);
}

carom_status carom_sim_differentiate(carom_sim *sim, const char *const *by, int count, carom_error *error) {
    assert_alive(sim);
    carom_status status = check(sim, error);
    if (status) return status;
    if (sim->sensitivity) sim->integrator->vary(sim->self, NULL);
    sensitivity_destroy(sim);
    status = create(sim, by, count) ? find_all(sim, by, error) : carom_error_memory(error);
    if (!status) status = set_start(sim, true, error);
    if (!status) status = sensitivity_attach(sim, error);
    if (!status) return CAROM_OK;
    sim->integrator->vary(sim->self, NULL);
    sensitivity_destroy(sim);
    return status;
}

/* ---------------------------------------------------------------- steps */

void sensitivity_begin_step(carom_sim *sim) {
    if (!sim->sensitivity) return;
    variation_copy(&sim->sensitivity->work, &sim->sensitivity->step);
    sim->sensitivity->work.instants = 0;
}

void sensitivity_end_step(carom_sim *sim) {
    if (sim->sensitivity) variation_copy(&sim->sensitivity->step, &sim->sensitivity->work);
}

void sensitivity_begin_piece(carom_sim *sim) {
    if (sim->sensitivity) variation_copy(&sim->sensitivity->piece, &sim->sensitivity->work);
}

void sensitivity_undo_piece(carom_sim *sim) {
    if (sim->sensitivity) variation_copy(&sim->sensitivity->work, &sim->sensitivity->piece);
}

/* Anchors take their values after the step, (SE9). */
static void anchor(carom_sim *sim, const motion *end) {
    variation *v = &sim->sensitivity->work;
    const carom_model_def *d = &sim->model->def;
    const carom_place at = {end->t, end->q, end->u};
    for (int k = 0; k < v->columns && d->anchors; k++) {
        const carom_place rate = variation_column(v, k);
        if (!variation_tangent(v, k, &at, &rate, &(carom_tangent){.anchors = sim->anchors}))
            variation_lose_change(v, end->t, CHANGE_UNDEFINED, "the anchors");
        for (int i = 0; i < d->anchors; i++) v->q[k * d->nq + d->anchor_q[i]] = sim->anchors[i];
    }
}

void sensitivity_end_piece(carom_sim *sim, const motion *end, const step_report *report) {
    if (!sim->sensitivity) return;
    variation *v = &sim->sensitivity->work;
    variation_normalise(v, end->q);
    anchor(sim, end);
    if (report->yielded > 0) variation_lose(v, end->t, "contacts gave way at t = %.9g, for want of a solution", end->t);
    if (report->reduced)
        variation_lose(v, end->t, "the step to t = %.9g was taken with fewer stages, for want of a solution", end->t);
}

/* ---------------------------------------------------------------- looking */

static const variation *variation_of(const carom_sim *sim, int derivative) {
    assert_alive(sim);
    assert(sim->sensitivity && derivative >= 0 && derivative < sim->sensitivity->work.columns);
    return &sim->sensitivity->work;
}

int carom_sim_derivatives(const carom_sim *sim) {
    assert_alive(sim);
    return sim->sensitivity ? sim->sensitivity->work.columns : 0;
}

int sensitivity_parameter(const carom_sim *sim, int derivative) {
    return variation_of(sim, derivative)->parameter[derivative];
}

const double *carom_sim_q_by(const carom_sim *sim, int derivative) {
    return variation_of(sim, derivative)->q + derivative * sim->model->def.nq;
}

const double *carom_sim_u_by(const carom_sim *sim, int derivative) {
    return variation_of(sim, derivative)->u + derivative * sim->model->def.nu;
}

double carom_sim_event_by(const carom_sim *sim, int event, int derivative) {
    const variation *v = variation_of(sim, derivative);
    assert(event >= 0 && event < sim->log.events);
    const int at = sim->log.event[event].instant;
    return at < v->instants ? v->instant[at * v->columns + derivative] : NAN;
}

const char *carom_sim_lost(const carom_sim *sim) {
    assert_alive(sim);
    return sim->sensitivity && sim->sensitivity->work.lost ? sim->sensitivity->work.reason : NULL;
}

carom_margins carom_sim_margins(const carom_sim *sim) {
    return variation_of(sim, 0)->margins;
}
