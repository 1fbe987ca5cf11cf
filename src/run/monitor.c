#include "run/monitor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "run/sim.h"

_Static_assert(sizeof((extremes){0}.work) / sizeof(double) == WORK_POWER, "a place for every work");

double model_energy(const carom_model_def *d, double t, const double *q, const double *u) {
    double T, V;
    return d->energy && !d->energy(d->context, t, q, u, &T, &V) ? T + V : NAN;
}

carom_status monitor_create(monitor *m, const carom_model *model, carom_error *error) {
    const carom_model_def *d = carom_model_get(model);
    int nc = d->ng + d->contacts, ns = nc + d->ngamma + carom_model_slips(model);
    *m = (monitor){.def = d, .seen = {.gap = INFINITY, .energy = model_energy(d, d->t0, d->q0, d->u0)}};
    m->c = malloc(((size_t)nc + 1) * sizeof *m->c);
    m->s = malloc(((size_t)ns + 1) * sizeof *m->s);
    return m->c && m->s ? CAROM_OK : carom_error_memory(error);
}

void monitor_destroy(monitor *m) {
    free(m->c);
    free(m->s);
}

static void see_positions(monitor *m, double t, const double *q) {
    const carom_model_def *d = m->def;
    if (d->ng + d->contacts == 0 || d->position(d->context, t, q, m->c, NULL)) return;
    for (int i = 0; i < d->ng; i++) m->seen.position = fmax(m->seen.position, fabs(m->c[i]));
    for (int i = 0; i < d->contacts; i++)
        if (m->c[d->ng + i] < m->seen.gap) {
            m->seen.gap = m->c[d->ng + i];
            m->seen.gap_contact = i;
            m->seen.gap_time = t;
        }
}

static void see_velocities(monitor *m, double t, const double *q, const double *u) {
    const carom_model_def *d = m->def;
    if (d->ng + d->ngamma == 0 || d->velocity(d->context, t, q, u, m->s, NULL, NULL)) return;
    for (int i = 0; i < d->ng + d->ngamma; i++) m->seen.velocity = fmax(m->seen.velocity, fabs(m->s[i]));
}

static bool see_energy(monitor *m, double t, const double *q, const double *u) {
    double T = 0, V = 0;
    if (!m->def->energy) return true;
    if (m->def->energy(m->def->context, t, q, u, &T, &V) || !isfinite(T + V)) return false;
    m->seen.kinetic = fmax(m->seen.kinetic, T);
    return true;
}

/* Without G, which forces do as well, (W4), but which comes and goes. */
static void see_works(monitor *m, const carom_sim *sim) {
    const double *work = ledger_in(sim, sim->now).work;
    for (int k = 0; k < WORK_POWER; k++) {
        m->seen.worked += fabs(work[k] - m->seen.work[k]);
        m->seen.work[k] = work[k];
    }
}

energy_balance monitor_balance(const monitor *m, const carom_sim *sim) {
    const carom_model_def *d = m->def;
    const double t = carom_sim_time(sim), *q = carom_sim_q(sim), *u = carom_sim_u(sim),
                 *work = ledger_in(sim, sim->now).work;
    double G = sim->G, sum = work[WORK_CONSTRAINTS] + work[WORK_IMPACTS] - work[WORK_HELD] + work[WORK_FRICTION];
    if (d->power && d->power(d->context, t, q, u, NULL, &G)) G = NAN;
    sum += work[WORK_FORCES] + (G - sim->G);
    return (energy_balance){model_energy(d, t, q, u) - m->seen.energy - sum, m->seen.kinetic + m->seen.worked};
}

/* Where impacts are not located, the forces of the step change the velocities they are measured by: small gains are
 * errors of the scheme. */
creation monitor_creation(const monitor *m, const carom_sim *sim) {
    const double *c = ledger_in(sim, sim->now).created;
    const bool exact = carom_sim_locates(sim);
    if (!(c[CREATED_SUM] > (exact ? 1e-9 : 1e-3) * m->seen.kinetic)) return (creation){0};
    return (creation){c[CREATED_SUM],          c[CREATED_MOST], c[CREATED_COUNT],
                      (int)c[CREATED_CONTACT], c[CREATED_TIME], exact};
}

unseen monitor_unseen(const carom_sim *sim) {
    const double *x = sim->now;
    return (unseen){x[STATE_PASSED], (int)x[STATE_PASSED_CONTACT], x[STATE_PASSED_TIME], x[STATE_PASSED_GAP],
                    !sim->integrator->whole && !sim->continuous};
}

located_zero monitor_zero(const carom_sim *sim) {
    return (located_zero){sim->run.dt * sim->tolerance, 10 * sim->tolerance};
}

double monitor_accepts(const carom_sim *sim) {
    for (int i = 0; i < sim->run.option_count; i++)
        if (strcmp(sim->run.options[i].name, "accept") == 0) return sim->run.options[i].number;
    return 0;
}

carom_status monitor_see(monitor *m, const carom_sim *sim, carom_error *error) {
    double t = carom_sim_time(sim);
    m->def = &sim->model->def; /* with the values that inputs have in it */
    if (!see_energy(m, t, carom_sim_q(sim), carom_sim_u(sim)))
        return carom_error_set(error, CAROM_FAILED,
                               "the energy is not finite at t = %.9g; is dt too large, or a sign wrong?", t);
    see_works(m, sim);
    see_positions(m, t, carom_sim_q(sim));
    see_velocities(m, t, carom_sim_q(sim), carom_sim_u(sim));
    int events;
    const carom_event *event = carom_sim_events(sim, &events);
    for (int i = 0; i < events; i++) m->seen.events[event[i].kind]++;
    if (carom_sim_steps(sim) > 0) m->seen.residual = fmax(m->seen.residual, carom_sim_residual(sim));
    return CAROM_OK;
}

void monitor_see_row(monitor *m, const double *row, int count, double t) {
    extremes *e = &m->seen;
    int columns = 0;
    for (int i = count - 1; i >= 0; i--) {
        if (isfinite(row[i])) continue;
        columns++;
        if (e->undefined == 0) e->undefined_column = i, e->undefined_time = t;
    }
    e->undefined += columns > 0;
    e->undefined_columns = fmax(e->undefined_columns, columns);
}
