/* Derivatives of a run: what was asked for, and those of the steps (docs/theory/sensitivity.md). */
#include "run/sensitivity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/adjoint.h"
#include "integrator/impact_change.h"
#include "integrator/vectors.h"
#include "run/latch.h"

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
    for (int k = 0; k < x->asked->columns; k++) x->asked->parameter[k] = -1;
    for (int k = 0; k < x->named; k++) {
        x->component[k] = -1;
        const bool start = !strncmp(by[k], prefix, strlen(prefix));
        carom_status status = start ? find_start(sim, by[k], &x->component[k], error)
                                    : find_parameter(sim, by[k], &x->asked->parameter[k], error);
        if (status) return status;
    }
    return CAROM_OK;
}

/* ---------------------------------------------------------------- setup */

carom_status sensitivity_restart(carom_sim *sim, carom_error *error) {
    return sim->sensitivity ? sensitivity_start(sim, true, error) : CAROM_OK;
}

carom_status sensitivity_replace(carom_sim *sim, carom_error *error) {
    return sim->sensitivity ? sensitivity_start(sim, false, error) : CAROM_OK;
}

void sensitivity_destroy(carom_sim *sim) {
    sensitivity *x = sim->sensitivity;
    sim->sensitivity = NULL;
    if (!x) return;
    for (int k = 0; k < x->named && x->name; k++) free(x->name[k]);
    free(x->name);
    free(x->component);
    free(x->along);
    free(x->held);
    free(x->begins);
    free(x->memory);
    variation_destroy(&x->work);
    variation_destroy(&x->step);
    variation_destroy(&x->piece);
    variation_destroy(&x->first);
    tracing_destroy(x->tracing);
    free(x);
    latch_vary(sim);
}

static bool create_room(sensitivity *x, const carom_model *m) {
    const vector_part parts[] = {{&x->c, m->nc},
                                 {&x->s, m->ns},
                                 {&x->q_dot, m->def.nq},
                                 {&x->WT, pattern_nnz(&m->def.WT)},
                                 {&x->M, pattern_nnz(&m->def.M)}};
    x->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    x->held = calloc((size_t)m->ns + 1, sizeof *x->held);
    x->begins = calloc((size_t)m->def.contacts + 1, sizeof *x->begins);
    return x->memory && x->held && x->begins;
}

static bool create(carom_sim *sim, const char *const *by, int count, const double *along, int directions, bool traced) {
    const carom_model *m = sim->model;
    const size_t size = (size_t)directions * (size_t)(1 + m->def.nq + m->def.nu);
    sensitivity *x = sim->sensitivity = calloc(1, sizeof *x);
    if (!x) return false;
    x->named = count;
    x->component = calloc((size_t)count + 1, sizeof *x->component);
    x->name = calloc((size_t)count + 1, sizeof *x->name);
    x->along = calloc(size + 1, sizeof *x->along);
    bool ok = create_room(x, m) && x->component && x->name && x->along;
    const int columns = traced ? 0 : count + directions;
    x->asked = traced ? &x->first : &x->work;
    ok = variation_create(&x->work, m, columns) && ok;
    ok = variation_create(&x->step, m, columns) && ok;
    ok = variation_create(&x->piece, m, columns) && ok;
    if (traced) ok = variation_create(&x->first, m, count) && ok;
    for (int k = 0; k < count && x->name; k++) ok = (x->name[k] = strdup(by[k])) && ok;
    if (ok && size > 0) memcpy(x->along, along, size * sizeof *along);
    return ok;
}

carom_status sensitivity_attach(carom_sim *sim, carom_error *error) {
    if (sim->sensitivity && sim->sensitivity->tracing && sim->now[STATE_STEPS] > sim->now[STATE_FIRST]) {
        variation_lose(&sim->sensitivity->work, carom_sim_time(sim),
                       "a parameter changed during the run, which is traced");
        variation_lose(&sim->sensitivity->step, carom_sim_time(sim), "%s", sim->sensitivity->work.reason);
    }
    if (!sim->sensitivity || (sim->integrator->vary(sim->self, &sim->sensitivity->work) && latch_vary(sim)))
        return CAROM_OK;
    return carom_error_memory(error);
}

/* Impacts are differentiated as (E4), or as the process that they are, (SE73); located slip and stick by Coulomb's law.
 */
static carom_status check_laws(const carom_sim *sim, carom_error *error) {
    const carom_model_def *d = &sim->model->def;
    if (d->restitution && !d->restitution_tangent)
        return carom_error_set(
            error, CAROM_DATA,
            "derivatives of restitution that follows the speed need the model's function restitution_tangent");
    if (d->bear && !d->bear_tangent)
        return carom_error_set(error, CAROM_DATA, "derivatives of what lets go need the model's function bear_tangent");
    if (d->friction && !d->friction_tangent)
        return carom_error_set(
            error, CAROM_DATA,
            "derivatives of friction that follows the slip need the model's function friction_tangent");
    for (int k = 0; k < d->contacts; k++)
        if (!impact_has_rates(sim->model, k))
            return carom_error_set(error, CAROM_DATA,
                                   "contact '%s' has impact '%s', which has no derivatives: its law needs expand_by",
                                   d->contact[k].name, d->contact[k].impact);
    for (int k = 0; k < d->contacts && carom_sim_locates(sim); k++)
        if (d->contact[k].law && strcmp(d->contact[k].law, "coulomb") && strcmp(d->contact[k].law, "coulomb_contensou"))
            return carom_error_set(error, CAROM_DATA,
                                   "contact '%s' has the law '%s', which has no derivatives where events are located",
                                   d->contact[k].name, d->contact[k].law);
    return CAROM_OK;
}

static carom_status check(const carom_sim *sim, bool named, carom_error *error) {
    const char *name = sim->integrator->info.name;
    if (!sim->integrator->vary)
        return carom_error_set(error, CAROM_DATA, "%s has no derivatives of the motion; rattle and lobatto do", name);
    if (!sim->model->def.tangent)
        return carom_error_set(
            error, CAROM_DATA,
            "derivatives of the motion need the model's function tangent, which a force of the program has not");
    if (sim->now[STATE_STEPS] > sim->now[STATE_FIRST])
        return carom_error_set(error, CAROM_DATA, "derivatives are asked for before the first step");
    if (sim->model->consistent && named)
        return carom_error_set(
            error, CAROM_DATA,
            "a start that carom corrects ('start: consistent') has no derivative; give one that fits "
            "the joints");
    return check_laws(sim, error);
}

carom_status sensitivity_ask(carom_sim *sim, const char *const *by, int count, const double *along, int directions,
                             const sensitivity_kind *kind, carom_error *error) {
    carom_status status = check(sim, directions == 0, error);
    if (status) return status;
    if (sim->sensitivity) sim->integrator->vary(sim->self, NULL);
    sensitivity_destroy(sim);
    const bool made =
        create(sim, by, count, along, directions, kind->traced) && (!kind->traced || tracing_create(sim, kind->memory));
    if (made) sim->sensitivity->work.from = kind->from;
    status = made ? find_all(sim, by, error) : carom_error_memory(error);
    if (!status) status = sensitivity_start(sim, true, error);
    if (!status) status = sensitivity_attach(sim, error);
    if (!status) return CAROM_OK;
    sim->integrator->vary(sim->self, NULL);
    sensitivity_destroy(sim);
    return status;
}

carom_status carom_sim_differentiate_along(carom_sim *sim, const char *const *by, int count, const double *along,
                                           int directions, carom_error *error) {
    assert_alive(sim);
    return sensitivity_ask(sim, by, count, along, directions, &(sensitivity_kind){0}, error);
}

carom_status carom_sim_differentiate(carom_sim *sim, const char *const *by, int count, carom_error *error) {
    return carom_sim_differentiate_along(sim, by, count, NULL, 0, error);
}

carom_status carom_sim_differentiate_from(carom_sim *sim, int side, const char *const *by, int count,
                                          carom_error *error) {
    assert_alive(sim);
    assert(side >= -1 && side <= 1);
    return sensitivity_ask(sim, by, count, NULL, 0, &(sensitivity_kind){.from = side}, error);
}

/* ---------------------------------------------------------------- steps */

void sensitivity_begin_step(carom_sim *sim) {
    if (!sim->sensitivity) return;
    variation_copy(&sim->sensitivity->work, &sim->sensitivity->step);
    sim->sensitivity->work.instants = 0;
}

void sensitivity_end_step(carom_sim *sim) {
    if (sim->sensitivity && sim->sensitivity->tracing) tracing_end_step(sim);
    if (sim->sensitivity) variation_copy(&sim->sensitivity->step, &sim->sensitivity->work);
}

void sensitivity_begin_piece(carom_sim *sim) {
    if (sim->sensitivity) variation_copy(&sim->sensitivity->piece, &sim->sensitivity->work);
}

void sensitivity_undo_piece(carom_sim *sim) {
    if (sim->sensitivity) variation_copy(&sim->sensitivity->work, &sim->sensitivity->piece);
}

void sensitivity_anchor(carom_sim *sim, const motion *end) {
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

/* (SE9) transposed: the projection is symmetric. */
static bool pull_normalised(void *self, const double *kept, adjoint *a) {
    const carom_model_def *d = &a->m->def;
    (void)self;
    for (int r = 0; r < d->rotations; r++) normalised_rate(kept + d->rotation[r].q, a->q + d->rotation[r].q);
    return true;
}

/* Anchors of before have no effect: their weights are those of the function that sets them. */
static bool pull_anchored(void *self, const double *kept, adjoint *a) {
    carom_sim *sim = self;
    const carom_model_def *d = &a->m->def;
    const carom_place at = {kept[0], kept + 1, kept + 1 + d->nq};
    for (int i = 0; i < d->anchors; i++) sim->anchors[i] = a->q[d->anchor_q[i]], a->q[d->anchor_q[i]] = 0;
    return adjoint_place(a, &at, &(carom_tangent){.anchors = sim->anchors}, &a->t, a->q, a->u);
}

static void trace_end(carom_sim *sim, variation *v, const motion *end) {
    const carom_model_def *d = &sim->model->def;
    double *to = d->rotations ? trace_add(v, pull_normalised, sim, (size_t)d->nq) : NULL;
    if (to) keep(to, end->q, d->nq);
    to = d->anchors ? trace_add(v, pull_anchored, sim, (size_t)(1 + d->nq + d->nu)) : NULL;
    if (!to) return;
    *to++ = end->t;
    keep(keep(to, end->q, d->nq), end->u, d->nu);
}

void sensitivity_end_piece(carom_sim *sim, const motion *end, const step_report *report) {
    if (!sim->sensitivity) return;
    variation *v = &sim->sensitivity->work;
    trace_end(sim, v, end);
    variation_normalise(v, end->q);
    sensitivity_anchor(sim, end);
    if (report->yielded > 0) variation_lose(v, end->t, "contacts gave way at t = %.9g, for want of a solution", end->t);
    if (report->reduced)
        variation_lose(v, end->t, "the step to t = %.9g was taken in a simpler form, for want of a solution", end->t);
}

/* ---------------------------------------------------------------- looking */

static const variation *variation_of(const carom_sim *sim, int derivative) {
    assert_alive(sim);
    assert(sim->sensitivity && derivative >= 0 && derivative < sim->sensitivity->work.columns);
    return &sim->sensitivity->work;
}

int carom_sim_derivatives(const carom_sim *sim) {
    assert_alive(sim);
    return sim->sensitivity ? sim->sensitivity->asked->columns : 0;
}

int sensitivity_parameter(const carom_sim *sim, int derivative) {
    assert(derivative >= 0 && derivative < carom_sim_derivatives(sim));
    return sim->sensitivity->asked->parameter[derivative];
}

const double *carom_sim_q_by(const carom_sim *sim, int derivative) {
    assert_alive(sim);
    return variation_of(sim, derivative)->q + derivative * sim->model->def.nq;
}

const double *carom_sim_u_by(const carom_sim *sim, int derivative) {
    assert_alive(sim);
    return variation_of(sim, derivative)->u + derivative * sim->model->def.nu;
}

void carom_sim_set_direction(carom_sim *sim, int derivative, const double *q_by, const double *u_by) {
    assert_alive(sim);
    const size_t nq = (size_t)sim->model->def.nq, nu = (size_t)sim->model->def.nu, k = (size_t)derivative;
    assert(variation_of(sim, derivative)->parameter[derivative] < 0 && "a derivative by the start");
    sensitivity *x = sim->sensitivity;
    memcpy(x->work.q + k * nq, q_by, nq * sizeof *q_by);
    memcpy(x->work.u + k * nu, u_by, nu * sizeof *u_by);
    variation_copy(&x->step, &x->work);
}

double carom_sim_event_by(const carom_sim *sim, int event, int derivative) {
    assert_alive(sim);
    const variation *v = variation_of(sim, derivative);
    assert(event >= 0 && event < sim->log.events);
    const int at = sim->log.event[event].instant;
    return at < v->instants ? v->instant[at * v->columns + derivative] : NAN;
}

/* Whether the state is that of an event, whose time moves. A trace does not know whether it does. */
static bool ends_at_event(const carom_sim *sim) {
    const variation *v = &sim->sensitivity->work;
    bool moves = v->trace && !v->given && v->last_event == carom_sim_time(sim);
    for (int k = 0; k < v->columns; k++) moves = moves || v->t[k] != 0;
    return moves && sim->now[STATE_STEPS] > sim->now[STATE_FIRST];
}

const char *carom_sim_lost(const carom_sim *sim) {
    assert_alive(sim);
    if (!sim->sensitivity) return NULL;
    if (sim->sensitivity->work.lost) return sim->sensitivity->work.reason;
    return ends_at_event(sim) ? "an event happens at the very end of the last step" : NULL;
}

const char *carom_sim_caveat(const carom_sim *sim) {
    assert_alive(sim);
    return sim->sensitivity && sim->sensitivity->work.caveat[0] ? sim->sensitivity->work.caveat : NULL;
}

carom_margins carom_sim_margins(const carom_sim *sim) {
    assert_alive(sim);
    assert(sim->sensitivity);
    return sim->sensitivity->work.margins;
}
