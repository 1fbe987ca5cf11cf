/* A simulation that a program steers: parameters, inputs, state, copies.
 *
 * Parameters change the model, so the integrator is made anew before the next step, as for a new run. Inputs change the
 * forces between two steps: the integrator starts again at the present state. */
#include "run/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/consistent.h"

/* ---------------------------------------------------------------- values of its own */

bool sim_create_values(carom_sim *sim, const carom_model *model) {
    const carom_model_def *d = &model->def;
    sim->model = sim->origin = model;
    if (!d->parameters && !d->inputs) return true;
    sim->own = model_fork(model);
    sim->parameter = malloc((2 * (size_t)d->parameters + 1) * sizeof *sim->parameter);
    if (!sim->own || !sim->parameter) return false;
    memcpy(sim->parameter, d->parameter, (size_t)d->parameters * sizeof *sim->parameter);
    sim->model = sim->own;
    model_assign_inputs(sim->own, sim->parameter, d->input);
    return true;
}

static void destroy_run(carom_sim *sim) {
    for (int i = 0; i < sim->run.option_count; i++) {
        free((char *)sim->run.options[i].name);
        free((char *)sim->run.options[i].text);
    }
    free((carom_option *)sim->run.options);
}

void sim_destroy_values(carom_sim *sim) {
    model_unfork(sim->own);
    free(sim->parameter);
    destroy_run(sim);
}

carom_status sim_own_run(carom_sim *sim, const carom_run_def *run, carom_error *error) {
    carom_option *copy = calloc((size_t)run->option_count + 1, sizeof *copy);
    bool ok = copy != NULL;
    sim->run = *run;
    sim->run.integrator = sim->integrator->info.name;
    sim->run.options = copy, sim->run.option_count = copy ? run->option_count : 0;
    for (int i = 0; ok && i < run->option_count; i++) {
        const carom_option *from = &run->options[i];
        copy[i].number = from->number;
        copy[i].name = strdup(from->name);
        copy[i].text = from->text ? strdup(from->text) : NULL;
        ok = copy[i].name && (copy[i].text || !from->text);
    }
    return ok ? CAROM_OK : carom_error_memory(error);
}

void sim_take_turn(carom_sim *sim) {
    if (sim->own && model_shares_context(sim->own))
        model_assign_inputs(sim->own, sim->parameter, sim->now + sim->input);
}

carom_status sim_renew(carom_sim *sim, carom_error *error) {
    sim_take_turn(sim);
    if (!sim->stale && sim->now[STATE_RENEW] == 0) return CAROM_OK;
    carom_status status = sim->stale ? sim_make_integrator(sim, error) : CAROM_OK;
    if (!status) status = sim_begin(sim, false, error);
    if (!status) sim->stale = false, sim->now[STATE_RENEW] = 0;
    return status;
}

/* ---------------------------------------------------------------- parameters and inputs */

/* The initial state for the present parameters, moved onto the constraints as that of the scene was. */
static carom_status start_consistent(carom_model *m, carom_error *error) {
    double *q = malloc(((size_t)m->def.nq + (size_t)m->def.nu + 1) * sizeof *q), *u = q + m->def.nq;
    if (!q) return carom_error_memory(error);
    memcpy(q, m->def.q0, (size_t)m->def.nq * sizeof *q);
    memcpy(u, m->def.u0, (size_t)m->def.nu * sizeof *u);
    contradiction left;
    const consistency found = make_consistent(m, m->def.t0, NULL, q, u, &left);
    if (found == CONSISTENT) model_set_start(m, q, u);
    free(q);
    if (found == CONSISTENT_MEMORY) return carom_error_memory(error);
    return found == CONSISTENT ? CAROM_OK
                               : carom_error_set(error, CAROM_DATA,
                                                 "no consistent initial state was found for these "
                                                 "values of the parameters");
}

static carom_status assign(carom_sim *sim, carom_error *error) {
    carom_status status = model_assign(sim->own, sim->parameter, sim->now + sim->input, error);
    return status || !sim->own->consistent ? status : start_consistent(sim->own, error);
}

double carom_sim_parameter(const carom_sim *sim, int parameter) {
    assert_alive(sim);
    assert(parameter >= 0 && parameter < sim->model->def.parameters);
    return sim->parameter[parameter];
}

static carom_status refuse_parameter(const carom_model_def *d, int i, carom_error *error) {
    const char *name = d->parameter_names[i], *fixed = d->parameter_fixed[i];
    if (fixed) return carom_error_set(error, CAROM_DATA, "parameter '%s' cannot change: %s", name, fixed);
    return carom_error_set(error, CAROM_DATA, "parameter '%s' must be a finite number", name);
}

carom_status carom_sim_set_parameter(carom_sim *sim, int parameter, double value, carom_error *error) {
    assert_alive(sim);
    const carom_model_def *d = &sim->model->def;
    assert(parameter >= 0 && parameter < d->parameters);
    const double before = sim->parameter[parameter];
    if (value == before) return CAROM_OK;
    if (d->parameter_fixed[parameter] || !isfinite(value)) return refuse_parameter(d, parameter, error);
    sim->parameter[parameter] = value;
    carom_status status = assign(sim, error);
    sim->stale = true;
    if (!status) sim->now[STATE_RENEW] = 1; /* where the state is loaded, too */
    if (!status) return CAROM_OK;
    sim->parameter[parameter] = before;
    assign(sim, NULL);
    return status;
}

/* Parameters that follow from others are computed from them. */
carom_status sim_set_parameters(carom_sim *sim, const double *value, carom_error *error) {
    const carom_model_def *d = &sim->model->def;
    const size_t count = (size_t)d->parameters, size = count * sizeof *value;
    double *now = sim->parameter;
    if (count == 0 || memcmp(now, value, size) == 0) return CAROM_OK;
    double *before = now + count;
    memcpy(before, now, size);
    for (size_t i = 0; i < count; i++)
        if (!d->parameter_fixed[i]) now[i] = value[i];
    carom_status status = assign(sim, error);
    for (size_t i = 0; i < count && !status; i++)
        if (!(now[i] == value[i])) status = refuse_parameter(d, (int)i, error);
    sim->stale = true;
    if (!status) return CAROM_OK;
    memcpy(now, before, size);
    assign(sim, NULL);
    return status;
}

double carom_sim_input_value(const carom_sim *sim, int input) {
    assert_alive(sim);
    assert(input >= 0 && input < sim->model->def.inputs);
    return sim->now[sim->input + (size_t)input];
}

void carom_sim_input(carom_sim *sim, int input, double value) {
    assert_alive(sim);
    assert(input >= 0 && input < sim->model->def.inputs);
    double *now = &sim->now[sim->input + (size_t)input];
    if (*now == value) return;
    *now = value;
    sim->now[STATE_RENEW] = 1;
    model_assign_inputs(sim->own, sim->parameter, sim->now + sim->input);
}

/* ---------------------------------------------------------------- state */

carom_status carom_sim_restart(carom_sim *sim, carom_error *error) {
    assert_alive(sim);
    sim_take_turn(sim);
    carom_status status = sim->stale ? sim_make_integrator(sim, error) : CAROM_OK;
    if (status) return status;
    sim->stale = false;
    sim->integrator->forget(sim->self);
    sim_reset(sim);
    status = sim_begin(sim, true, error);
    return status ? status : sensitivity_restart(sim, error);
}

static carom_status check_finite(const carom_model_def *d, double t, const double *q, const double *u,
                                 carom_error *error) {
    if (!isfinite(t)) return carom_error_set(error, CAROM_DATA, "the time must be finite");
    for (int i = 0; q && i < d->nq; i++)
        if (!isfinite(q[i])) return carom_error_set(error, CAROM_DATA, "'%s' must be finite", d->q_names[i]);
    for (int i = 0; u && i < d->nu; i++)
        if (!isfinite(u[i])) return carom_error_set(error, CAROM_DATA, "'%s' must be finite", d->u_names[i]);
    return CAROM_OK;
}

carom_status carom_sim_set_state(carom_sim *sim, double t, const double *q, const double *u, carom_error *error) {
    assert_alive(sim);
    sim_take_turn(sim);
    const carom_model_def *d = &sim->model->def;
    carom_status status = check_finite(d, t, q, u, error);
    if (!status && sim->stale) status = sim_make_integrator(sim, error);
    if (status) return status;
    sim->stale = false;
    memcpy(sim->next, sim->now,
           sim->size * sizeof *sim->now); /* so that the caller can return if it is no possible place */
    motion x = sim_motion(sim, sim->now);
    sim->now[STATE_TIME] = sim->now[STATE_ORIGIN] = t;
    sim->now[STATE_FIRST] = sim->now[STATE_STEPS];
    sim->now[STATE_RENEW] = 0;
    if (q) memcpy(x.q, q, (size_t)d->nq * sizeof *q);
    if (u) memcpy(x.u, u, (size_t)d->nu * sizeof *u);
    memset(x.P, 0, (size_t)sim->model->ns * sizeof *x.P);
    model_normalise(sim->model, x.q);
    if (q && model_settle_anchors(sim->model, t, x.q, sim->anchors))
        x.q[d->anchor_q[0]] = NAN; /* it is no possible place */
    sim->integrator->forget(sim->self);
    event_log_clear(&sim->log);
    status = sim_begin(sim, true, error);
    if (!status) status = sensitivity_replace(sim, error);
    if (status) {
        memcpy(sim->now, sim->next, sim->size * sizeof *sim->now);
        sim->now[STATE_RENEW] = 1;
    }
    sim->total = sim_total(sim);
    return status;
}

/* Of a row of s. */
static const char *name_of_row(const carom_model *m, int row) {
    const carom_model_def *d = &m->def;
    if (row < d->ng) return d->g_names[row];
    if (row < m->N) return d->gamma_names[row - d->ng];
    if (row < m->F) return d->contact[row - m->N].name;
    int k = 0;
    while (m->F + m->slip[k + 1] <= row) k++;
    return d->contact[k].name;
}

carom_status carom_sim_nearest(carom_sim *sim, double t, const carom_contact_state *contact, double *q, double *u,
                               carom_error *error) {
    assert_alive(sim);
    sim_take_turn(sim);
    const carom_model *m = sim->model;
    contradiction left;
    double *state = malloc(((size_t)m->def.contacts + 1) * sizeof *state);
    if (!state) return carom_error_memory(error);
    for (int k = 0; k < m->def.contacts && contact; k++) state[k] = contact[k];
    const consistency found = make_consistent(m, t, contact ? state : NULL, q, u, &left);
    free(state);
    if (found == CONSISTENT) return CAROM_OK;
    if (found == CONSISTENT_MEMORY) return carom_error_memory(error);
    if (found == CONSISTENT_UNDEFINED)
        return carom_error_set(error, CAROM_FAILED, "the constraints are not defined at t = %g", t);
    return carom_error_set(error, CAROM_FAILED,
                           "no state near the given one keeps joints and closed contacts at t = %g: '%s' is missed by "
                           "%.3g at best",
                           t, name_of_row(m, left.row), left.value);
}

carom_status carom_sim_set_until(carom_sim *sim, double until, carom_error *error) {
    assert_alive(sim);
    carom_status status = sim_check_until(sim->model, sim->dt, until, error);
    if (status) return status;
    sim->run.until = until;
    sim->total = sim_total(sim);
    return CAROM_OK;
}

/* Counts steps from here. The integrator forgets what it kept of earlier steps. */
carom_status carom_sim_set_dt(carom_sim *sim, double dt, carom_error *error) {
    assert_alive(sim);
    if (!(dt > 0) || isinf(dt)) return carom_error_set(error, CAROM_DATA, "dt must be positive");
    carom_status status = sim_check_until(sim->model, dt, sim->run.until, error);
    if (status) return status;
    sim->now[STATE_ORIGIN] = sim->now[STATE_TIME]; /* also of a state that was saved with another dt */
    sim->now[STATE_FIRST] = sim->now[STATE_STEPS];
    if (dt != sim->dt) sim->now[STATE_RENEW] = 1, sim->stale = true;
    sim->dt = sim->run.dt = dt;
    sim->total = sim_total(sim);
    return CAROM_OK;
}

carom_status carom_sim_copy(carom_sim *sim, carom_sim **copy, carom_error *error) {
    assert_alive(sim);
    carom_sim_forget(sim);
    *copy = NULL;
    const carom_model *model = sim->origin;
    carom_status status = carom_sim_create(model, &sim->run, copy, error);
    if (status) return status;
    carom_sim *other = *copy;
    memcpy(other->now, sim->now, sim->size * sizeof *sim->now);
    if (other->own) model_assign_inputs(other->own, other->parameter, other->now + other->input);
    status = sim_set_parameters(other, sim->parameter, error);
    if (!status && other->stale) status = sim_make_integrator(other, error);
    if (!status) status = sensors_copy(sim, other, error);
    if (status) {
        carom_sim_destroy(other);
        *copy = NULL;
        return status;
    }
    other->G = sim->G, other->total = sim->total, other->stale = sim->stale;
    other->callback = sim->callback, other->user = sim->user;
    return CAROM_OK;
}

void carom_sim_forget(carom_sim *sim) {
    assert_alive(sim);
    sim->integrator->forget(sim->self);
}

void carom_sim_set_callback(carom_sim *sim, carom_callback callback, void *user) {
    assert_alive(sim);
    sim->callback = callback, sim->user = user;
}
