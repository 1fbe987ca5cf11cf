#include "intervals.h"
#include "trial.h"

enum { MOST = 256 }; /* coordinates */

double interval_energy(const carom_sim *sim, double *state, const drift *d, double h) {
    static const double rest[MOST];
    const carom_model_def *def = &sim->model->def;
    double p[MOST], f[MOST], v[MOST], q1[MOST], V[2];
    motion now = sim_motion(sim, state);
    assert_true(def->nq <= MOST);
    assert_int_equal(sim->integrator->momentum(sim->self, &now, p), 0);
    assert_int_equal(def->force(def->context, now.t, now.q, rest, f, NULL, NULL), 0);
    for (int j = 0; j < def->nu; j++) p[j] += h / 2 * f[j];
    assert_true(drift_velocity(d, p, h, v));
    drift_position(d, now.q, v, h, q1);
    assert_int_equal(def->energy(def->context, now.t, now.q, rest, NULL, &V[0]), 0);
    assert_int_equal(def->energy(def->context, now.t, q1, rest, NULL, &V[1]), 0);
    return drift_kinetic(d, v) + (V[0] + V[1]) / 2;
}
