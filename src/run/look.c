/* What a simulation shows of its state and of the steps so far, and the state as a whole, for checkpoints. */
#include "run/sim.h"

#include <string.h>

#include "hash.h"
#include "integrator/found.h"

bool carom_sim_done(const carom_sim *sim) {
    assert_alive(sim);
    return carom_sim_steps(sim) >= sim->total;
}

long carom_sim_steps(const carom_sim *sim) {
    assert_alive(sim);
    return (long)sim->now[STATE_STEPS];
}

long carom_sim_total_steps(const carom_sim *sim) {
    assert_alive(sim);
    return sim->total;
}

const carom_model *carom_sim_model(const carom_sim *sim) {
    assert_alive(sim);
    return sim->model;
}

double carom_sim_time(const carom_sim *sim) {
    assert_alive(sim);
    return sim->now[STATE_TIME];
}

const double *carom_sim_q(const carom_sim *sim) {
    assert_alive(sim);
    return sim_motion(sim, sim->now).q;
}

const double *carom_sim_u(const carom_sim *sim) {
    assert_alive(sim);
    return sim_motion(sim, sim->now).u;
}

const double *carom_sim_percussion(const carom_sim *sim) {
    assert_alive(sim);
    return sim_motion(sim, sim->now).P;
}

carom_contact_state carom_sim_contact(const carom_sim *sim, int contact) {
    assert_alive(sim);
    assert(contact >= 0 && contact < sim->model->def.contacts);
    return (carom_contact_state)sim_motion(sim, sim->now).contact[contact];
}

const char *carom_event_kind_name(carom_event_kind kind) {
    static const char *const names[CAROM_EVENT_KINDS] = {"strike", "opening", "stop", "break", "thud", "fracture"};
    assert((int)kind >= 0 && (int)kind < CAROM_EVENT_KINDS);
    return names[kind];
}

const carom_event *carom_sim_events(const carom_sim *sim, int *count) {
    assert_alive(sim);
    *count = sim->log.events;
    return sim->log.event;
}

static int entries_of(const carom_model *m) {
    return m->finder ? m->finder->laws : 0;
}

int carom_sim_event_names(const carom_sim *sim) {
    assert_alive(sim);
    const carom_model_def *d = &sim->model->def;
    return d->contacts + d->latches + entries_of(sim->model);
}

const char *carom_sim_event_name(const carom_sim *sim, int contact) {
    assert_alive(sim);
    const carom_model_def *d = &sim->model->def;
    assert(contact >= 0 && contact < carom_sim_event_names(sim));
    if (contact < d->contacts) return d->contact[contact].name;
    contact -= d->contacts;
    return contact < d->latches ? d->latch[contact].name : sim->model->finder->law[contact - d->latches].contact.name;
}

int carom_sim_found(const carom_sim *sim, carom_found *contacts, int max) {
    assert_alive(sim);
    const int count = sim->model->finder ? found_count(sim->self, carom_sim_time(sim)) : 0;
    for (int k = 0; k < count && k < max; k++) contacts[k] = found_look(sim->self, k);
    return count;
}

bool carom_sim_locates(const carom_sim *sim) {
    assert_alive(sim);
    return sim_located(sim) != NULL;
}

/* A law of impact has a solution if there is no friction or no rebound, (L4). Joints that break are always reported. */
bool carom_sim_has_events(const carom_sim *sim) {
    assert_alive(sim);
    const carom_model_def *d = &sim->model->def;
    bool rubs = false, rebounds = false, breaks = false;
    for (int k = 0; k < d->contacts; k++) {
        rubs = rubs || (d->contact[k].slips > 0 && d->contact[k].friction > 0);
        rebounds = rebounds || d->contact[k].restitution > 0 || d->contact[k].tangential_restitution > 0;
    }
    for (int i = 0; i < d->latches; i++) breaks = breaks || d->latch[i].contact < 0;
    return carom_sim_locates(sim) || breaks || (rubs && rebounds);
}

long carom_sim_switched(const carom_sim *sim) {
    assert_alive(sim);
    return (long)sim->now[STATE_SWITCHED];
}

bool carom_sim_certifies(const carom_sim *sim) {
    assert_alive(sim);
    return carom_sim_locates(sim) && sim->integrator->certifies && sim->integrator->certifies(sim->self);
}

long carom_sim_doubts(const carom_sim *sim, int *contact, double *time) {
    assert_alive(sim);
    *contact = (int)sim->now[STATE_DOUBTED];
    *time = sim->now[STATE_DOUBT_TIME];
    return (long)sim->now[STATE_DOUBTS];
}

double carom_sim_residual(const carom_sim *sim) {
    assert_alive(sim);
    return sim->now[STATE_RESIDUAL];
}

long carom_sim_substeps(const carom_sim *sim) {
    assert_alive(sim);
    return (long)sim->now[STATE_DIVIDED];
}

long carom_sim_captured(const carom_sim *sim) {
    assert_alive(sim);
    return (long)sim->now[STATE_CAPTURED];
}

long carom_sim_reduced(const carom_sim *sim) {
    assert_alive(sim);
    return (long)sim->now[STATE_REDUCED];
}

long carom_sim_weakened(const carom_sim *sim, double *fastest) {
    assert_alive(sim);
    if (fastest) *fastest = sim->now[STATE_LOST];
    return (long)sim->now[STATE_WEAKENED];
}

long carom_sim_yields(const carom_sim *sim, double *fastest) {
    assert_alive(sim);
    if (fastest) *fastest = sim->now[STATE_YIELDED];
    return (long)sim->now[STATE_YIELDS];
}

int carom_sim_stages(const carom_sim *sim) {
    assert_alive(sim);
    return sim->integrator->stages;
}

int carom_sim_newton(const carom_sim *sim, int stage) {
    assert_alive(sim);
    assert(stage >= 0 && stage < sim->integrator->stages);
    return (int)sim->now[STATE_NEWTON + stage];
}

int carom_sim_newton_max(const carom_sim *sim, int stage) {
    assert_alive(sim);
    assert(stage >= 0 && stage < sim->integrator->stages);
    return (int)sim->now[STATE_NEWTON + sim->integrator->stages + stage];
}

double carom_sim_newton_mean(const carom_sim *sim, int stage) {
    assert_alive(sim);
    assert(stage >= 0 && stage < sim->integrator->stages);
    double steps = sim->now[STATE_STEPS];
    return steps > 0 ? sim->now[STATE_NEWTON + 2 * sim->integrator->stages + stage] / steps : 0;
}

const char *carom_sim_note(const carom_sim *sim) {
    assert_alive(sim);
    return sim->note[0] ? sim->note : NULL;
}

/* Its own, then the CFL number (X14). */
int carom_sim_figures(const carom_sim *sim) {
    assert_alive(sim);
    return sim->integrator->figures + (sim->stability.number > 0);
}

const char *carom_sim_figure(const carom_sim *sim, int i, double *value) {
    assert_alive(sim);
    assert(i >= 0 && i < carom_sim_figures(sim));
    if (i == sim->integrator->figures) {
        *value = sim->stability.number;
        return "CFL number";
    }
    *value = sim_motion(sim, sim->now).memory[i];
    return sim->integrator->figure_names[i];
}

/* ---------------------------------------------------------------- checkpoints */

bool carom_sim_checkpoint(const carom_sim *sim) {
    return carom_sim_steps(sim) % CAROM_CHECKPOINT == 0;
}

size_t carom_sim_state_size(const carom_sim *sim) {
    assert_alive(sim);
    return sim->size + (size_t)sim->model->def.parameters;
}

void carom_sim_save(const carom_sim *sim, double *state) {
    assert_alive(sim);
    memcpy(state, sim->now, sim->size * sizeof *state);
    for (int i = 0; i < sim->model->def.parameters; i++) state[sim->size + (size_t)i] = sim->parameter[i];
}

carom_status carom_sim_load(carom_sim *sim, const double *state, carom_error *error) {
    assert_alive(sim);
    carom_status status = sim_set_parameters(sim, state + sim->size, error);
    if (!status && sim->stale) status = sim_make_integrator(sim, error);
    if (status) return status;
    sim->stale = false;
    sim->integrator->forget(sim->self);
    memcpy(sim->now, state, sim->size * sizeof *state);
    sim->total = sim_total(sim);
    if (sim->own) model_assign_inputs(sim->own, sim->parameter, sim->now + sim->input);
    event_log_clear(&sim->log);
    return CAROM_OK;
}

unsigned long long carom_sim_hash(const carom_sim *sim) {
    assert_alive(sim);
    return hash_bytes(0, sim->now, sim->size * sizeof *sim->now);
}
