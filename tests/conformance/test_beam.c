/* Free beams that tumble and swing far out of their reference, as formula models with elastic elements: what schemes
 * promise of momentum and energy holds for them. */
#include "support/beams.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ELEMENTS = 3, NODES = ELEMENTS + 1 };
static const chain_matter matter = {.mass = 1.3, .inertia = {0.3, 0.1, 0.2}}; /* lumped */
static const double tolerance = 1e-12;

/* At rest straight, every velocity of order one: angles between neighbours reach about a half. */
static carom_model *thrown(const elastic *kind, beam_chain *c) {
    static const double stiffness[6] = {3, 4, 5, 60, 40, 40};
    double u0[6 * NODES];
    *c = chain_straight(kind, ELEMENTS, 1.5, stiffness);
    for (int i = 0; i < 6 * NODES; i++) u0[i] = sin(3.0 * i + 1);
    return chain_model(c, &matter, u0);
}

/* Linear and angular momentum; of a beam in the plane three of these are 0. */
static void momenta(const beam_chain *c, const double *q, const double *u, double J[6]) {
    memset(J, 0, 6 * sizeof *J);
    for (int i = 0; i < NODES; i++, q += chain_nq(c), u += chain_nu(c)) {
        bool flat = c->kind == &elastic_planar_beam;
        double share = c->beam[0].length / 2 * ((i > 0) + (i < ELEMENTS)), spin[3];
        const double x[3] = {q[0], q[1], flat ? 0 : q[2]}, v[3] = {u[0], u[1], flat ? 0 : u[2]};
        for (int k = 0; k < 3; k++) spin[k] = matter.inertia[k] * (!flat ? u[3 + k] : k == 2 ? u[2] : 0);
        if (!flat) quaternion_turn(q + 3, spin, spin);
        for (int k = 0; k < 3; k++) {
            int l = (k + 1) % 3, m = (k + 2) % 3;
            J[k] += share * matter.mass * v[k];
            J[3 + k] += share * (matter.mass * (x[l] * v[m] - x[m] * v[l]) + spin[k]);
        }
    }
}

typedef struct departure {
    double linear, angular; /* of the momenta from those at the start, at most */
    double energy[2]; /* in the first and the last quarter of the run, as a part of the kinetic energy thrown in */
    long steps;
} departure;

static departure follow(const beam_chain *c, const carom_model *model, const char *integrator, double dt,
                        double until) {
    trial run = trial_model(model, integrator, dt, until, tolerance, NULL);
    double J0[6], J[6], E0 = trial_value(&run, "E");
    departure d = {0};
    momenta(c, carom_sim_q(run.sim), carom_sim_u(run.sim), J0);
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        momenta(c, carom_sim_q(run.sim), carom_sim_u(run.sim), J);
        for (int k = 0; k < 3; k++) {
            d.linear = fmax(d.linear, fabs(J[k] - J0[k]));
            d.angular = fmax(d.angular, fabs(J[3 + k] - J0[3 + k]));
        }
        double t = carom_sim_time(run.sim), off = fabs(trial_value(&run, "E") / E0 - 1);
        if (t < until / 4) d.energy[0] = fmax(d.energy[0], off);
        if (t > until * 3 / 4) d.energy[1] = fmax(d.energy[1], off);
    }
    d.steps = carom_sim_steps(run.sim);
    trial_close(&run);
    return d;
}

/* In the plane q_dot = u and M is constant: both schemes keep all momenta to what a step may miss. */
static void momenta_in_the_plane(void **state) {
    (void)state;
    static const char *const schemes[] = {"rattle", "lobatto"};
    beam_chain c;
    carom_model *model = thrown(&elastic_planar_beam, &c);
    for (int k = 0; k < 2; k++) {
        departure d = follow(&c, model, schemes[k], 0.02, 20);
        printf("planar beam, %-8s momentum off by %.0e, angular by %.0e\n", schemes[k], d.linear, d.angular);
        assert_at_most(d.linear, (double)d.steps * tolerance * 2); /* mass 2, arms below 20 */
        assert_at_most(d.angular, (double)d.steps * tolerance * 40);
    }
    carom_model_destroy(model);
}

/* In space the schemes promise linear momentum only, as w has kinematics of its own; angular momentum then is as good
 * as the scheme's order. Were the element not objective, it would not be. */
static void momenta_in_space(void **state) {
    (void)state;
    static const struct {
        const char *scheme;
        double order;
    } schemes[] = {{"rattle", 2}, {"lobatto", 4}};
    beam_chain c;
    carom_model *model = thrown(&elastic_beam, &c);
    for (int k = 0; k < 2; k++) {
        double dt[3] = {0.02, 0.01, 0.005}, angular[3];
        for (int i = 0; i < 3; i++) {
            departure d = follow(&c, model, schemes[k].scheme, dt[i], 2);
            angular[i] = d.angular;
            assert_at_most(d.linear, (double)d.steps * tolerance * 2); /* mass 2 */
        }
        double order = observed_order(3, dt, angular);
        printf("beam in space, %-8s angular momentum off by %.0e %.0e %.0e, order %.2f\n", schemes[k].scheme,
               angular[0], angular[1], angular[2], order);
        assert_near(order, schemes[k].order, 0.1);
    }
    carom_model_destroy(model);
}

/* Energy neither grows nor decays: an error that grows in proportion to time would be four times larger at the end. */
static void energy_is_bounded(void **state) {
    (void)state;
    static const char *const schemes[] = {"rattle", "lobatto"};
    const elastic *kinds[] = {&elastic_beam, &elastic_planar_beam};
    for (int k = 0; k < 2; k++) {
        beam_chain c;
        carom_model *model = thrown(kinds[k], &c);
        for (int i = 0; i < 2; i++) {
            departure d = follow(&c, model, schemes[i], 0.02, 60);
            printf("%-12s %-8s energy off by %.1e in the first quarter, %.1e in the last\n", kinds[k]->name, schemes[i],
                   d.energy[0], d.energy[1]);
            assert_at_most(d.energy[1], 2 * d.energy[0]);
        }
        carom_model_destroy(model);
    }
}

/* A mass of 2 kg on a helical spring of light wire, dt^2 K/M up to 1e10 at its nodes: Newton's method takes the joint
 * between them in its stride, and the mass swings to v sqrt(M/k), k = G d^4/(8 D^3 N). */
static void light_spring_carries_heavy_mass(void **state) {
    (void)state;
    static const char *const schemes[] = {"nsga", "generalized_alpha", "theta"};
    const double k = 8e10 * pow(6e-3, 4) / (8 * pow(0.1, 3) * 4), swing = 0.02 * sqrt(2 / k);
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        trial run = trial_text("carom: 1\n"
                               "parameters: {n: 32, R: 0.05, N: 4, p: 0.01}\n"
                               "model:\n"
                               "  start: consistent\n"
                               "  bodies:\n"
                               "    m: {type: spatial, mass: 2, inertia: [0.01, 0.01, 0.01], position: [R, 0, -N*p],\n"
                               "        velocity: [0, 0, -0.02]}\n"
                               "  beams:\n"
                               "    w:\n"
                               "      type: spatial\n"
                               "      elements: n\n"
                               "      curve: [R*cos(2*pi*N*s), R*sin(2*pi*N*s), -N*p*s]\n"
                               "      section: {circle: 0.003}\n"
                               "      young: 2e11\n"
                               "      shear: 8e10\n"
                               "      density: 78\n"
                               "  joints:\n"
                               "    top: {type: fixed, bodies: [world, w1], at: [R, 0, 0]}\n"
                               "    bottom: {type: fixed, bodies: [\"w[n+1]\", m], at: [R, 0, -N*p]}\n"
                               "    guide: {type: prismatic, bodies: [world, m], at: [R, 0, -N*p], axis: [0, 0, 1]}\n"
                               "run: {integrator: %s, dt: 2e-3, until: 0.05}\n",
                               schemes[i]);
        double lowest = 0;
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            lowest = fmin(lowest, trial_value(&run, "m.z") + 0.04);
            assert_at_most(trial_value(&run, "newton"), 10); /* quadratic, from strains of 1e-3 */
        }
        printf("%s: swing %.5f of that of the formula\n", schemes[i], -lowest / swing);
        /* the formula leaves out shear, r^2/(2 R^2) = 2e-3 of k, and pitch, 1e-3; steps of T/78, elements of an eighth
         * turn */
        assert_near(-lowest / swing, 1, 0.01);
        trial_close(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momenta_in_the_plane),
        cmocka_unit_test(momenta_in_space),
        cmocka_unit_test(energy_is_bounded),
        cmocka_unit_test(light_spring_carries_heavy_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
