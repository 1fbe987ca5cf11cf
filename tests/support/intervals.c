#include "intervals.h"
#include "trial.h"

enum { MOST = 256 }; /* coordinates */

typedef struct traversed {
    motion now;
    double kicked[MOST], v[MOST], q1[MOST]; /* momentum at the beginning, velocity, end */
    double V[2];
} traversed;

static const double rest[MOST];

static traversed traverse(const carom_sim *sim, double *state, const drift *d, double h) {
    const carom_model_def *def = &sim->model->def;
    traversed x = {.now = sim_motion(sim, state)};
    double f[MOST];
    assert_true(def->nq <= MOST);
    assert_int_equal(sim->integrator->momentum(sim->self, &x.now, x.kicked), 0);
    assert_int_equal(def->force(def->context, x.now.t, x.now.q, rest, f, NULL, NULL), 0);
    for (int j = 0; j < def->nu; j++) x.kicked[j] += h / 2 * f[j];
    assert_true(drift_velocity(d, x.now.q, x.kicked, h, x.v));
    drift_position(d, x.now.q, x.v, h, x.q1);
    assert_int_equal(def->energy(def->context, x.now.t, x.now.q, rest, NULL, &x.V[0]), 0);
    assert_int_equal(def->energy(def->context, x.now.t, x.q1, rest, NULL, &x.V[1]), 0);
    return x;
}

double interval_energy(const carom_sim *sim, double *state, const drift *d, double h) {
    traversed x = traverse(sim, state, d, h);
    return drift_kinetic(d, x.v) + (x.V[0] + x.V[1]) / 2;
}

double node_energy(const carom_sim *sim, double *state, const drift *d, double h) {
    const carom_model_def *def = &sim->model->def;
    traversed x = traverse(sim, state, d, h);
    double p[MOST], f[MOST], u[MOST];
    drift_turn(d, x.kicked, x.v, h, p);
    assert_int_equal(def->force(def->context, x.now.t, x.q1, rest, f, NULL, NULL), 0);
    for (int j = 0; j < def->nu; j++) p[j] += h / 2 * f[j];
    drift_rates(d, p, u);
    return drift_kinetic(d, u) + x.V[1];
}
