/* Momentum maps xi^T p of a symmetry xi over 2e4 steps, p as the scheme carries it: momentum for constant M,
 * any_momentum for M(q), through impacts whose percussions have the symmetry. */
#include "run/sim.h"
#include "support/complex_model.h"
#include "support/drum.h"
#include "support/problems.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double tolerance = 1e-13; /* of a step: what it misses adds up over a run */

static void momentum_of(carom_sim *sim, double *own, double *plain) {
    const carom_model *m = sim->model;
    double *P = (double *)carom_sim_percussion(sim), M[36];
    motion now = {.t = carom_sim_time(sim),
                  .q = (double *)carom_sim_q(sim),
                  .u = (double *)carom_sim_u(sim),
                  .P = P,
                  .contact = P + m->ns,
                  .memory = P + m->ns + m->def.contacts};
    assert_int_equal(model_momentum(m, now.t, now.q, now.u, M, plain, NULL, NULL, NULL, NULL), 0);
    if (sim->integrator->momentum) assert_int_equal(sim->integrator->momentum(sim->self, &now, own), 0);
    else memcpy(own, plain, (size_t)m->def.nu * sizeof *own);
}

typedef void symmetry(const double *q, const double *p, double *J); /* momentum maps J from q and p */
enum { MAPS = 3 };

typedef struct symmetric_system {
    const char *name;
    complex_mechanics mechanics;
    symmetry *maps;
    int count;
    bool any;    /* M(q): any_momentum */
    double size; /* of the largest arm times mass: what a velocity of one does to J */
} symmetric_system;

/* Three masses in the plane: a rod between the first two, a stiffening spring from each to the third. */
static const double chain_mass[3] = {1, 0.6, 1.7};
static void chain_masses(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    for (int i = 0; i < 6; i++) M[7 * i] = chain_mass[i / 2];
}
static void chain_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)u, (void)p;
    for (int i = 0; i < 6; i++) h[i] = 0;
    for (int i = 0; i < 2; i++) {
        cx d[2] = {q[4] - q[2 * i], q[5] - q[2 * i + 1]}, r2 = d[0] * d[0] + d[1] * d[1];
        for (int j = 0; j < 2; j++) {
            h[2 * i + j] += (3 + 2 * i) * r2 * d[j];
            h[4 + j] -= (3 + 2 * i) * r2 * d[j];
        }
    }
}
static void chain_rod(double t, const cx *q, cx *c, const double *p) {
    (void)t, (void)p;
    cx d[2] = {q[2] - q[0], q[3] - q[1]};
    c[0] = (d[0] * d[0] + d[1] * d[1] - 1) / 2;
}
static void chain_rod_velocity(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t, (void)p;
    s[0] = (q[2] - q[0]) * (u[2] - u[0]) + (q[3] - q[1]) * (u[3] - u[1]);
}
static void chain_maps(const double *q, const double *p, double *J) {
    J[0] = J[1] = J[2] = 0;
    for (int i = 0; i < 3; i++) {
        J[0] += p[2 * i], J[1] += p[2 * i + 1];
        J[2] += q[2 * i] * p[2 * i + 1] - q[2 * i + 1] * p[2 * i];
    }
}
static const complex_mechanics chain = {.nq = 6,
                                        .nu = 6,
                                        .ng = 1,
                                        .q0 = (double[]){0, 0, 1, 0, 0.4, 0.7},
                                        .u0 = (double[]){0.3, -1, 0.3, 1, -0.5, 0.2},
                                        .mass = chain_masses,
                                        .force = chain_force,
                                        .position = chain_rod,
                                        .velocity = chain_rod_velocity};

static void drum_map(const double *q, const double *p, double *J) {
    J[0] = q[0] * p[1] - q[1] * p[0];
}

/* Central spring in polar coordinates (l, phi) inside the ring l <= R, and the spherical pendulum (theta, phi). */
static void ring_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)p;
    M[0] = 0.9, M[3] = 0.9 * q[0] * q[0];
}
static void ring_rate(double t, const cx *q, const cx *u, cx *rate, const double *p) {
    (void)t, (void)p;
    rate[0] = 0, rate[1] = 1.8 * q[0] * u[0] * u[1];
}
static void ring_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)p;
    h[0] = 0.9 * q[0] * u[1] * u[1] - 20 * (q[0] - 1);
    h[1] = -1.8 * q[0] * u[0] * u[1];
}
static void ring_gap(double t, const cx *q, cx *gap, const double *p) {
    (void)t, (void)p;
    gap[0] = 1.15 - q[0]; /* free, l would swing between 1.07 and 1.19 */
}
static void ring_velocity(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t, (void)q, (void)p;
    s[0] = -u[0];
}
static void cyclic_map(const double *q, const double *p, double *J) {
    (void)q;
    J[0] = p[1];
}
static const complex_mechanics ring = {.nq = 2,
                                       .nu = 2,
                                       .contacts = 1,
                                       .contact = &(carom_model_contact){.name = "ring", .restitution = 0.9},
                                       .q0 = (double[]){1.1, 0.4},
                                       .u0 = (double[]){0.3, 1.7},
                                       .mass = ring_mass,
                                       .momentum_rate = ring_rate,
                                       .force = ring_force,
                                       .position = ring_gap,
                                       .velocity = ring_velocity};

enum { KEPT_STEPS = 20000 };
static const double dt = 5e-3;

/* How far the momentum maps leave their first value. The scheme's own momentum may need a step to begin, and must be
 * that of its velocity, dL/du, but for what a velocity and an arm of order one change in a step. */
static bool momentum_error(const symmetric_system *s, const char *scheme, double *worst) {
    carom_model *model = complex_model(&s->mechanics);
    trial run;
    bool made = trial_offer(&run, model, scheme, dt, KEPT_STEPS * dt, tolerance);
    double p[6], plain[6], J[MAPS], J_plain[MAPS], first[MAPS] = {0};
    *worst = 0;
    for (int n = 0; made && !carom_sim_done(run.sim); n++) {
        trial_stride(&run);
        momentum_of(run.sim, p, plain);
        s->maps(carom_sim_q(run.sim), p, J);
        s->maps(carom_sim_q(run.sim), plain, J_plain);
        for (int i = 0; i < s->count; i++) assert_near(J[i], J_plain[i], 10 * dt * s->size);
        if (n == 0) memcpy(first, J, sizeof first);
        for (int i = 0; i < s->count; i++) *worst = fmax(*worst, fabs(J[i] - first[i]));
    }
    if (made) trial_close(&run);
    carom_model_destroy(model);
    return made;
}

static void momentum_maps(void **state) {
    (void)state;
    static const double none = 0, pull = 3;
    static const carom_model_contact elastic = {.name = "drum", .slips = 1, .restitution = 1},
                                     damped = {.name = "drum", .slips = 1, .restitution = 0.8};
    const symmetric_system systems[] = {
        {"p_x, p_y, L of a chain", chain, chain_maps, 3, false, 3},
        {"L in a drum, elastic", drum(&elastic, &pull), drum_map, 1, false, DRUM_MASS},
        {"L in a drum, accumulating", drum(&damped, &none), drum_map, 1, false, DRUM_MASS},
        {"p_phi in a ring, M(q)", ring, cyclic_map, 1, true, 1},
        {"p_phi on the sphere, M(q)", sphere, cyclic_map, 1, true, 1},
    };
    int missed = 0;
    for (int i = 0; i < carom_integrators(); i++) {
        const carom_integrator_info *info = carom_integrator(i);
        for (size_t k = 0; k < sizeof systems / sizeof *systems; k++) {
            const symmetric_system *s = &systems[k];
            bool promised = s->any ? info->promise.any_momentum : info->promise.momentum;
            double worst;
            if (!promised || !momentum_error(s, info->name, &worst)) continue;
            bool kept = worst <= KEPT_STEPS * tolerance * s->size;
            printf("%-20s %-28s off by %.0e%s\n", info->name, s->name, worst, kept ? "" : "  MISSED");
            missed += !kept;
        }
    }
    assert_int_equal(missed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(momentum_maps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
