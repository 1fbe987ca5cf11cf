/* A simulation from its model and run to its first state, and its end. */
#include "run/latch.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/found.h"

carom_run_def carom_run_default(void) {
    return (carom_run_def){.integrator = "rattle", .dt = 1e-3, .until = 1, .tolerance = 1e-10};
}

/* ---------------------------------------------------------------- the state */

motion sim_motion(const carom_sim *sim, double *state) {
    const carom_model *m = sim->model;
    motion x = {.t = state[STATE_TIME]};
    x.q = state + STATE_NEWTON + 3 * sim->integrator->stages;
    x.u = x.q + m->def.nq;
    x.P = x.u + m->def.nu;
    x.contact = x.P + m->ns;
    x.memory = x.contact + m->def.contacts;
    return x;
}

static size_t motion_size(const carom_sim *sim, int memory) {
    const carom_model *m = sim->model;
    return (size_t)(STATE_NEWTON + 3 * sim->integrator->stages + m->def.nq + m->def.nu + m->ns + m->def.contacts +
                    memory);
}

/* ---------------------------------------------------------------- creating */

static carom_status check_options(const integrator *type, const carom_run_def *run, carom_error *error) {
    const char *known[32];
    for (int k = 0; k < type->info.option_count; k++) known[k] = type->info.options[k].name;
    for (int i = 0; i < run->option_count; i++) {
        const char *name = run->options[i].name;
        bool found = false;
        for (int k = 0; k < type->info.option_count && !found; k++) found = !strcmp(name, known[k]);
        if (found) continue;
        const char *near = carom_nearest(name, known, type->info.option_count);
        return carom_error_set(error, CAROM_DATA, "integrator '%s' has no option '%s'%s%s%s", type->info.name, name,
                               near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return CAROM_OK;
}

carom_status sim_check_until(const carom_model *model, double dt, double until, carom_error *error) {
    const double start = model->def.t0;
    if (!(until > start) || isinf(until))
        return carom_error_set(error, CAROM_DATA, "until must lie after the start time %g", start);
    if ((until - start) / dt > RUN_MOST_STEPS)
        return carom_error_set(error, CAROM_DATA, "dt = %g is too small for a run until %g", dt, until);
    return CAROM_OK;
}

static carom_status check_run(const carom_model *model, const carom_run_def *run, carom_error *error) {
    const char *names[64];
    for (int i = 0; i < carom_integrators(); i++) names[i] = carom_integrator(i)->name;
    const integrator *type = run->integrator ? integrator_find(run->integrator) : NULL;
    if (!type) {
        const char *near = run->integrator ? carom_nearest(run->integrator, names, carom_integrators()) : NULL;
        return carom_error_set(error, CAROM_DATA, "there is no integrator '%s'%s%s%s",
                               run->integrator ? run->integrator : "", near ? ", did you mean '" : "", near ? near : "",
                               near ? "'?" : "");
    }
    if (!(run->dt > 0) || isinf(run->dt)) return carom_error_set(error, CAROM_DATA, "dt must be positive");
    if (!(run->tolerance > 0) || isinf(run->tolerance))
        return carom_error_set(error, CAROM_DATA, "tolerance must be positive");
    carom_status status = sim_check_until(model, run->dt, run->until, error);
    if (status) return status;
    if (model->def.symmetries && !type->momentum && !model_has_momentum(model))
        return carom_error_set(error, CAROM_DATA,
                               "the model lacks the function momentum, without which the momentum maps of symmetries "
                               "are unknown where M depends on q");
    return check_options(type, run, error);
}

/* Contacts that touch and do not part; what counts as zero is what typing ten digits leaves. */
static int initial_contacts(carom_sim *sim, motion *first) {
    const carom_model *m = sim->model;
    const carom_model_def *d = &m->def;
    const double zero = 1e-10;
    if (!d->contacts) return 0;
    if (d->position(d->context, first->t, first->q, sim->c, NULL)) return 1;
    const double *s = ledger_in(sim, sim->now).s;
    for (int k = 0; k < d->contacts; k++)
        first->contact[k] = sim->c[d->ng + k] <= zero && s[m->N + k] <= zero ? CAROM_SLIP : CAROM_OPEN;
    contacts_update_followers(m, first->contact);
    for (int k = 0; k < d->contacts; k++) {
        bool slips = d->contact[k].slips == 0;
        for (int i = m->slip[k]; i < m->slip[k + 1]; i++) slips = slips || fabs(s[m->F + i]) > zero;
        if (first->contact[k] == CAROM_SLIP && !slips) first->contact[k] = CAROM_STICK;
    }
    return 0;
}

void sim_reset(carom_sim *sim) {
    const carom_model_def *d = &sim->model->def;
    memset(sim->now, 0, sim->input * sizeof *sim->now);
    sim->now[STATE_TIME] = sim->now[STATE_ORIGIN] = d->t0;
    const motion first = sim_motion(sim, sim->now);
    memcpy(first.q, d->q0, (size_t)d->nq * sizeof *first.q);
    memcpy(first.u, d->u0, (size_t)d->nu * sizeof *first.u);
    if (d->power && d->power(d->context, d->t0, d->q0, d->u0, NULL, &sim->G)) sim->G = NAN;
    sim->total = sim_total(sim);
    latch_reset(sim);
    event_log_clear(&sim->log);
}

carom_status sim_begin(carom_sim *sim, bool contacts, carom_error *error) {
    motion first = sim_motion(sim, sim->now);
    support_start(sim, &first);
    step_report report = {0};
    bool defined = mass_holds(sim, first.t, first.q, &report) && work_start(sim, sim->now, &first) &&
                   (!contacts || !initial_contacts(sim, &first));
    if (defined && contacts) latch_start(sim, &first);
    if (defined && sim->integrator->start(sim->self, &first, &report) && latch_settle(sim, sim->now, &report))
        return CAROM_OK;
    if (report.exhausted) return carom_error_memory(error);
    if (report.reason[0]) return carom_error_set(error, CAROM_DATA, "the run cannot start: %s", report.reason);
    return carom_error_set(error, CAROM_DATA, "the model is not defined at the initial state");
}

/* t >= until, up to round-off */
long sim_total(const carom_sim *sim) {
    double steps = (sim->run.until - sim->now[STATE_ORIGIN]) / sim->dt;
    long more = steps > 0 ? (long)ceil(steps * (1 - 4 * DBL_EPSILON) - 1e-9) : 0;
    return (long)sim->now[STATE_FIRST] + (more > 0 ? more : sim->now[STATE_FIRST] == 0);
}

/* Growth beyond the limit is certain only as long as the forces stay as stiff as they are at the start. So it is told,
 * and whether to go on is left to the integrator. */
static carom_status look_for_limit(carom_sim *sim, carom_error *error) {
    const integrator *type = sim->integrator;
    if (!type->limit) return CAROM_OK;
    stability *found = &sim->stability;
    const bool divides = carom_sim_locates(sim) || sim->continuous;
    carom_status status = stability_measure(sim->model, type->limit(sim->self), sim->dt, divides, found, error);
    if (!status) stability_tell(found, sim->model, type->info.name, sim->dt, sim->note, sizeof sim->note);
    return !status && found->number > 1 && type->within ? carom_error_set(error, CAROM_DATA, "%s", sim->note) : status;
}

static carom_status check_detection(const carom_sim *sim, carom_error *error) {
    const char *name = sim->integrator->info.name;
    if (!sim->continuous) return CAROM_OK;
    if (carom_sim_locates(sim))
        return carom_error_set(error, CAROM_DATA,
                               "continuous detection is for steps that capture events; %s locates them", name);
    if (sim->integrator->whole)
        return carom_error_set(error, CAROM_DATA, "steps of %s cannot be divided, as continuous detection does", name);
    return CAROM_OK;
}

/* Contacts that the initial velocities, kept up, would pass within a step, (Z4). */
static void look_for_walls(carom_sim *sim) {
    const carom_model *m = sim->model;
    const size_t used = strlen(sim->note);
    const double time = fmin((double)sim->total, 1e4) * sim->dt;
    motion now = sim_motion(sim, sim->now), ahead = sim_motion(sim, sim->next);
    passage p;
    if (!m->def.contacts || sim->continuous || carom_sim_locates(sim) || model_q_dot(m, now.t, now.q, now.u, ahead.q))
        return;
    for (int i = 0; i < m->def.nq; i++) ahead.q[i] = now.q[i] + time * ahead.q[i];
    for (int k = 0; k < m->def.contacts; k++) {
        if (!passage_find(&sim->passages, (straight){.t = now.t, .h = time, .from = now.q, .to = ahead.q}, k, k + 1,
                          &p))
            continue;
        if ((p.out - p.in) * time < sim->dt) {
            snprintf(sim->note + used, sizeof sim->note - used,
                     "%sat its initial speed what strikes '%s' passes it in %.2g of a step, and may go unseen; take a "
                     "smaller dt, %s",
                     used ? "; " : "", m->def.contact[p.contact].name, (p.out - p.in) * time / sim->dt,
                     sim->integrator->whole ? "or events: locate with rattle or lobatto" : "or detection: continuous");
            return;
        }
    }
}

carom_status sim_make_integrator(carom_sim *sim, carom_error *error) {
    void *self = NULL, *before = sim->self;
    int memory = 0;
    sim->note[0] = 0;
    carom_status status = integrator_check_laws(sim->integrator, sim->model, error);
    if (!status) status = sim->integrator->create(sim->model, &sim->run, &self, &memory, error);
    sim->self = self;
    if (!status) status = check_detection(sim, error);
    if (!status) status = look_for_limit(sim, error);
    if (status && before) sim->integrator->destroy(self), sim->self = before; /* as it was */
    else sim->integrator->destroy(before);
    if (!status) sim->ledger = motion_size(sim, memory);
    return status ? status : sensitivity_attach(sim, error);
}

static bool allocate(carom_sim *sim) {
    const carom_model *model = sim->model;
    sim->input = sim->ledger + ledger_size(model);
    sim->size = sim->input + (size_t)model->def.inputs;
    sim->now = calloc(sim->size, sizeof *sim->now);
    sim->next = calloc(sim->size, sizeof *sim->next);
    sim->other = calloc(sim->size, sizeof *sim->other);
    sim->P = calloc((size_t)model->ns + 1, sizeof *sim->P);
    sim->contact = calloc((size_t)model->def.contacts + 1, sizeof *sim->contact);
    sim->dulled = calloc((size_t)model->def.contacts + 1, sizeof *sim->dulled);
    sim->rest = calloc((size_t)model->def.nu, sizeof *sim->rest);
    sim->held = calloc((size_t)model->def.switches + 1, sizeof *sim->held);
    sim->sides = calloc(4 * (size_t)model->ns + 1, sizeof *sim->sides);
    sim->support = calloc(8 * (size_t)model->def.supports + 1, sizeof *sim->support);
    sim->mass = definite_create(&model->def.M);
    sim->mass_values = calloc((size_t)pattern_nnz(&model->def.M) + 1, sizeof *sim->mass_values);
    return sim->now && sim->next && sim->other && sim->P && sim->contact && sim->dulled && sim->rest && sim->held &&
           sim->sides && sim->support && sim->mass && sim->mass_values && created_create(sim) && columns_create(sim) &&
           passages_create(&sim->passages, model) && latches_create(sim);
}

static carom_status build(carom_sim *sim, const carom_model *model, const carom_run_def *run, carom_error *error) {
    sim->integrator = integrator_find(run->integrator);
    sim->finding = found_integrator(sim->integrator);
    if (model->finder) sim->integrator = &sim->finding;
    sim->dt = run->dt;
    sim->tolerance = run->tolerance;
    sim->continuous = run->continuous;
    sim->alive = ALIVE;
    sim->log.own = sim->integrator->columns;
    if (!sim_create_values(sim, model)) return carom_error_memory(error);
    sim->log.model = sim->model;
    carom_status status = sim_own_run(sim, run, error);
    if (!status) status = sim_make_integrator(sim, error);
    if (!status && !allocate(sim)) status = carom_error_memory(error);
    if (status) return status;
    memcpy(sim->now + sim->input, model->def.input, (size_t)model->def.inputs * sizeof *sim->now);
    sim_reset(sim);
    return sim_begin(sim, true, error);
}

carom_status carom_sim_create(const carom_model *model, const carom_run_def *run, carom_sim **result,
                              carom_error *error) {
    assert_alive(model);
    *result = NULL;
    carom_status status = check_run(model, run, error);
    if (status) return status;
    carom_sim *sim = calloc(1, sizeof *sim);
    if (!sim) return carom_error_memory(error);
    status = build(sim, model, run, error);
    if (!status) look_for_walls(sim);
    if (status) {
        carom_sim_destroy(sim);
        return status;
    }
    *result = sim;
    return CAROM_OK;
}

void carom_sim_destroy(carom_sim *sim) {
    if (!sim) return;
    assert_alive(sim);
    sim->integrator->destroy(sim->self);
    columns_destroy(sim);
    free(sim->now);
    free(sim->next);
    free(sim->other);
    free(sim->P);
    free(sim->contact);
    free(sim->dulled);
    free(sim->sides);
    free(sim->held);
    free(sim->support);
    passages_destroy(&sim->passages);
    event_log_destroy(&sim->log);
    free(sim->rest);
    definite_destroy(sim->mass);
    free(sim->mass_values);
    created_destroy(sim);
    sensors_destroy(sim);
    sensitivity_destroy(sim);
    latches_destroy(sim);
    sim_destroy_values(sim);
    mark_destroyed(sim);
    free(sim);
}
