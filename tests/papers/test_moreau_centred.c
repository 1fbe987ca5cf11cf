/* The symmetric and the variational Moreau-type scheme (moreau, 4.2 and 4.3): their first steps, where they coincide,
 * the energy of the spring pendulum of Fig. 4, and the momentum the variational scheme keeps. */
#include "support/complex_model.h"
#include "support/trial.h"

#include "run/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const schemes[] = {"symmetric_moreau", "variational_moreau"};

static trial start_scene(const char *scene, const char *name, const char *first, const char *second) {
    char scheme[64];
    snprintf(scheme, sizeof scheme, "run.integrator=%s", name);
    return trial_scene(scene, scheme, first, second, NULL);
}

/* The state as sim.c lays it out, for the integrator's own momentum. */
static double carried_momentum(carom_sim *sim, int i) {
    double p[8], *P = (double *)(size_t)carom_sim_percussion(sim);
    const carom_model *m = sim->model;
    motion now = {.t = carom_sim_time(sim),
                  .q = (double *)(size_t)carom_sim_q(sim),
                  .u = (double *)(size_t)carom_sim_u(sim),
                  .P = P,
                  .contact = P + m->ns,
                  .memory = P + m->ns + m->def.contacts};
    assert_int_equal(sim->integrator->momentum(sim->self, &now, p), 0);
    return p[i];
}

/* ---------------------------------------------------------------- first steps, (50) and (55)
 * A falling mass: half a kick gives u_1 = u_s - g dt/2, then u_k = u_s - (k - 1/2) g dt is the mean velocity of the
 * element, and q_k lies on the parabola. Moreau's u_1 = u_s leaves q_k behind by g dt t/2. */
static void falling_mass_is_exact(void **state) {
    (void)state;
    const double g = 9.81, v = 0.7, dt = 4e-3;
    for (int n = 0; n < 3; n++) {
        const bool moreau = n == 2;
        trial run = start_scene("paper/moreau/ball", moreau ? "moreau" : schemes[n], "run.dt=4e-3",
                                "model.coordinates.q.velocity=0.7");
        for (int k = 1; k <= 100; k++) { /* until t = 0.4, before it lands */
            trial_step(&run);
            double t = k * dt, off = moreau ? g * dt * t / 2 : 0;
            assert_near(trial_value(&run, "q"), 1 + v * t - g * t * t / 2 + off, 1e-13); /* 100 roundings of 1 */
            assert_near(trial_value(&run, "q_dot"), v - g * (moreau ? t : t + dt / 2), 1e-12);
            if (n == 1) assert_near(carried_momentum(run.sim, 0), 0.1 * (v - g * t), 1e-13); /* (M9): that of t_k */
        }
        trial_close(&run);
    }
}

/* A mass that rests on the floor. The half kick at t_0 is held by P_1/2, so that n steps carry (n + 1/2) m g dt. */
static void resting_mass_is_carried_from_the_start(void **state) {
    (void)state;
    const double m = 0.1, g = 9.81, dt = 1e-3;
    for (int n = 0; n < 2; n++) {
        trial run = start_scene("paper/moreau/ball", schemes[n], "model.coordinates.q.start=0", "run.until=0.1");
        for (int k = 1; k <= 100; k++) {
            trial_step(&run);
            assert_near(trial_value(&run, "floor.PN"), (k == 1 ? 1.5 : 1) * m * g * dt, 1e-15);
            assert_near(trial_value(&run, "q"), 0, 1e-15);
        }
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- where the schemes coincide
 * Constant M, forces that do not depend on u: then p = M u, b = h, and (49), (54) are the same equations. */
static void symmetric_and_variational_coincide(void **state) {
    (void)state;
    trial a = start_scene("paper/moreau/woodpecker", schemes[0], "run.dt=2e-5", "run.until=0.5"),
          b = start_scene("paper/moreau/woodpecker", schemes[1], "run.dt=2e-5", "run.until=0.5");
    const int first = trial_column(&a, "y"), last = trial_column(&a, "phi_S_dot");
    double worst = 0;
    long impacts = 0;
    while (!carom_sim_done(a.sim)) {
        trial_step(&a);
        trial_step(&b);
        for (int i = first; i <= last; i++) worst = fmax(worst, fabs(a.row[i] - b.row[i]));
        impacts += trial_value(&a, "beak.PN") > 0;
    }
    printf("woodpecker, %ld strikes: symmetric and variational differ by %.1e\n", impacts, worst);
    assert_at_most(worst, 1e-8); /* 25000 steps of tolerance 1e-11, velocities up to 30 */
    assert_true(impacts >= 3);
    trial_close(&a);
    trial_close(&b);
}

/* Moreau's recursion is the same from k = 2 on: started with their u_1, it gives their motion. */
static void moreau_coincides_after_the_first_step(void **state) {
    (void)state;
    trial centred = start_scene("paper/moreau/ball", schemes[0], "run.dt=1e-3", "run.until=2"),
          moreau =
              start_scene("paper/moreau/ball", "moreau", "model.coordinates.q.velocity=-9.81*1e-3/2", "run.until=2"),
          printed = start_scene("paper/moreau/ball", "moreau", "run.dt=1e-3", "run.until=2");
    double apart = 0;
    long impacts = 0;
    while (!carom_sim_done(centred.sim)) {
        trial_step(&centred);
        trial_step(&moreau);
        trial_step(&printed);
        assert_near(trial_value(&centred, "q"), trial_value(&moreau, "q"), 1e-9); /* 2000 steps of 1e-11, an impact
                                                                                   * magnifies at most by 1 + e */
        assert_near(trial_value(&centred, "q_dot"), trial_value(&moreau, "q_dot"), 1e-9);
        apart = fmax(apart, fabs(trial_value(&centred, "q") - trial_value(&printed, "q")));
        impacts += trial_value(&centred, "floor.PN") > 0;
    }
    assert_true(impacts >= 2);
    assert_at_least(apart, 9.81 * 1e-3 * 0.45 / 2); /* g dt t/2 at the first landing */
    trial_close(&centred);
    trial_close(&moreau);
    trial_close(&printed);
}

/* ---------------------------------------------------------------- Fig. 4: the energy of the spring pendulum */

typedef struct half {
    double worst, mean; /* of the relative energy error */
} half;

static void long_run(const char *name, half halves[2]) {
    trial run = start_scene("paper/moreau/spring_pendulum", name, "run.dt=1e-3", "run.until=1000");
    const int E = trial_column(&run, "E");
    const double E0 = run.row[E];
    halves[0] = halves[1] = (half){0};
    for (long n = 0, steps = carom_sim_total_steps(run.sim); n < steps; n++) {
        trial_step(&run);
        half *h = &halves[n >= steps / 2];
        const double error = (run.row[E] - E0) / E0;
        h->worst = fmax(h->worst, fabs(error));
        h->mean += error / ((double)steps / 2);
    }
    trial_close(&run);
    printf("%s: energy error up to %.2e, mean %.2e; then up to %.2e, mean %.2e\n", name, halves[0].worst,
           halves[0].mean, halves[1].worst, halves[1].mean);
}

/* u_k belongs to t_k + dt/2, so E at (q_k, u_k) is off by dt/2 times the power of spring and gravity, which reaches
 * 9.7 W: 7e-4 of |E(0)| = 7.13 J. An impact takes the place of the kick of its node, an error of the same size and
 * either sign. Together they stay near 2e-3 and do not grow: a drift as slow as 3e-4 in a thousand seconds would show
 * in the means. theta = 1/2, with M from the start of the step, drifts steadily. */
static void energy_of_the_spring_pendulum(void **state) {
    (void)state;
    half halves[2];
    for (int n = 0; n < 2; n++) {
        long_run(schemes[n], halves);
        for (int i = 0; i < 2; i++) assert_at_most(halves[i].worst, 3e-3);
        assert_near(halves[0].mean, halves[1].mean, 1.5e-4);
    }
    long_run("theta", halves);
    assert_near(halves[1].worst, 8e-2, 1e-2);
    assert_at_most(halves[1].mean, 2 * halves[0].mean); /* E(0) < 0: energy gained all the time */
}

/* ---------------------------------------------------------------- momentum of the variational scheme */

/* Without gravity phi is cyclic, and a ring at l = 1.15 in place of the wall keeps it so: p_phi of (M9) is
 * m (l_k^2 + l_{k+1}^2)/2 phi_dot_k, the same through free flight and impacts. */
static void angular_momentum_of_the_spring_pendulum(void **state) {
    (void)state;
    trial run =
        trial_scene("paper/moreau/spring_pendulum", "parameters.g=0", "model.coordinates.phi.velocity=2",
                    "model.contacts.wall.gap=1.15 - l", "model.coordinates.l.velocity=2", "run.until=100", NULL);
    const int l = trial_column(&run, "l"), l_dot = trial_column(&run, "l_dot"), phi_dot = trial_column(&run, "phi_dot"),
              PN = trial_column(&run, "wall.PN");
    const double dt = 1e-3, L = 1.1 * 1.1 * 2;
    double worst = 0;
    long impacts = 0, steps = 0;
    for (; !carom_sim_done(run.sim); steps++) {
        assert_near(carried_momentum(run.sim, 1), L, 1e-12 * L);
        trial_step(&run);
        double l0 = run.row[l], l1 = l0 + dt * run.row[l_dot];
        worst = fmax(worst, fabs((l0 * l0 + l1 * l1) / 2 * run.row[phi_dot] - L) / L);
        impacts += run.row[PN] > 0;
    }
    printf("spring pendulum in a ring: %ld steps, %ld impacts, momentum off by %.1e\n", steps, impacts, worst);
    assert_int_equal(steps, 100000);
    assert_true(impacts > 10);
    assert_at_most(worst, 1e-11); /* that of u: the tolerance of one step; it does not add up */
    trial_close(&run);
}

/* A pendulum on the sphere, q = (theta, phi): M_phi = sin^2 theta. */
static void sphere_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)p;
    M[0] = 1;
    M[3] = csin(q[0]) * csin(q[0]);
}
static void sphere_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)p;
    h[0] = csin(q[0]) * ccos(q[0]) * u[1] * u[1] - 9.81 * csin(q[0]);
    h[1] = -2 * csin(q[0]) * ccos(q[0]) * u[0] * u[1];
}
static void sphere_rate(double t, const cx *q, const cx *u, cx *rate, const double *p) {
    (void)t, (void)p;
    rate[1] = 2 * csin(q[0]) * ccos(q[0]) * u[0] * u[1];
}

/* Largest relative defect of m (sin^2 theta_k + sin^2 theta_{k+1})/2 phi_dot_k over 1e5 steps. */
static double defect_on_the_sphere(const char *name) {
    const double q0[] = {1.1, 0}, u0[] = {0.4, 2}, dt = 2e-3, L = sin(1.1) * sin(1.1) * 2;
    const complex_mechanics sphere = {
        .nq = 2, .nu = 2, .q0 = q0, .u0 = u0, .mass = sphere_mass, .force = sphere_force, .momentum_rate = sphere_rate};
    carom_model *model = complex_model(&sphere);
    trial run = trial_model(model, name, dt, 200, 1e-13, NULL);
    double worst = 0;
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        const double *q = carom_sim_q(run.sim), *u = carom_sim_u(run.sim), s0 = sin(q[0]), s1 = sin(q[0] + dt * u[0]);
        worst = fmax(worst, fabs((s0 * s0 + s1 * s1) / 2 * u[1] - L) / L);
    }
    trial_close(&run);
    carom_model_destroy(model);
    printf("sphere, %s: momentum off by %.1e\n", name, worst);
    return worst;
}

static void angular_momentum_on_the_sphere(void **state) {
    (void)state;
    assert_at_most(defect_on_the_sphere(schemes[1]), 1e-12);
    assert_at_least(defect_on_the_sphere(schemes[0]), 1e-8); /* (dt phi_dot)^2 of the other: what the scheme is for */
}

/* ---------------------------------------------------------------- what the variational scheme needs */
static void refuses_by_name(void **state) {
    (void)state;
    static const char *const missing[] = {"function momentum", "'p0' moves otherwise"};
    const double q0[] = {1.1, 0}, u0[] = {0.4, 2};
    const complex_mechanics sphere = {.nq = 2, .nu = 2, .q0 = q0, .u0 = u0, .mass = sphere_mass, .force = sphere_force};
    carom_scene *top;
    carom_error error;
    carom_model *model = complex_model(&sphere);
    assert_int_equal(carom_scene_load("scenes/gallery/top.yaml", NULL, 0, &top, &error), CAROM_OK);
    for (int i = 0; i < 2; i++) {
        carom_run_def run = carom_run_default();
        carom_sim *sim;
        run.integrator = schemes[1];
        assert_int_equal(carom_sim_create(i ? carom_scene_model(top) : model, &run, &sim, &error), CAROM_DATA);
        assert_non_null(strstr(error.message, missing[i]));
        assert_non_null(strstr(error.message, schemes[0]));
    }
    carom_scene_destroy(top);
    carom_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falling_mass_is_exact),
        cmocka_unit_test(resting_mass_is_carried_from_the_start),
        cmocka_unit_test(symmetric_and_variational_coincide),
        cmocka_unit_test(moreau_coincides_after_the_first_step),
        cmocka_unit_test(energy_of_the_spring_pendulum),
        cmocka_unit_test(angular_momentum_of_the_spring_pendulum),
        cmocka_unit_test(angular_momentum_on_the_sphere),
        cmocka_unit_test(refuses_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
