/* Momentum maps of rattle over 1e5 steps.
 *
 * Drum, Cartesian: every percussion is radial, W_n at q_n and W_{n+1} at q_{n+1}, and q_{n+1} - q_n is along u_{n+1/2};
 * so q_n x u_n = q_n x u_{n+1/2} = q_{n+1} x u_{n+1/2} = q_{n+1} x u_{n+1} whatever the percussions are: kept to
 * round-off.
 *
 * Polar, M = diag(m, m l^2), h_phi = -2 m l l_dot phi_dot: the first stage gives l_n^2 phi_dot_n = l_n l_{n+1}
 * phi_dot_{n+1/2}, the second l_{n+1}^2 phi_dot_{n+1} = l_{n+1} l_n phi_dot_{n+1/2}: p_phi = m l^2 phi_dot is kept by
 * every solved step, although the scheme is not symplectic for M(q). On the sphere the same p_phi is only nearly kept,
 * with a second-order defect. */
#include "support/complex_model.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

enum { STEPS = 100000 };
static const double dt = 1e-3, bound = 1e-11;

/* ---------------------------------------------------------------- drum */
enum { MASS, STIFFNESS, RADIUS };

static void point_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q;
    M[0] = M[3] = p[MASS];
}
static void central_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)u;
    for (int i = 0; i < 2; i++) h[i] = -p[STIFFNESS] * q[i];
}
static void drum_gap(double t, const cx *q, cx *gap, const double *p) {
    (void)t;
    gap[0] = p[RADIUS] - csqrt(q[0] * q[0] + q[1] * q[1]);
}
static void drum_velocity(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t, (void)p;
    s[0] = -(q[0] * u[0] + q[1] * u[1]) / csqrt(q[0] * q[0] + q[1] * q[1]);
}

static void check_drum(double restitution, double stiffness, long *impacts) {
    const carom_contact_def contact = {.name = "drum", .restitution = restitution};
    const double p[] = {0.7, stiffness, 1}, q0[] = {0.3, -0.2}, u0[] = {1.1, 2.3};
    const complex_mechanics drum = {.nq = 2,
                                    .nu = 2,
                                    .contacts = 1,
                                    .contact = &contact,
                                    .q0 = q0,
                                    .u0 = u0,
                                    .parameter = p,
                                    .mass = point_mass,
                                    .force = central_force,
                                    .position = drum_gap,
                                    .velocity = drum_velocity};
    carom_model *model = complex_model(&drum);
    trial run = trial_model(model, "rattle", dt, STEPS * dt, 1e-10, NULL);
    const double L0 = p[MASS] * (q0[0] * u0[1] - q0[1] * u0[0]);
    double worst = 0, gap = 1;
    *impacts = 0;
    for (long n = 0; n < STEPS; n++) {
        trial_step(&run);
        const double *q = carom_sim_q(run.sim), *u = carom_sim_u(run.sim);
        worst = fmax(worst, fabs(p[MASS] * (q[0] * u[1] - q[1] * u[0]) - L0));
        gap = fmin(gap, 1 - hypot(q[0], q[1]));
        *impacts += carom_sim_percussion(run.sim)[0] > 0;
    }
    printf("drum e = %g, k = %g: %ld contact steps, L off by %.1e, gap %.1e\n", restitution, stiffness, *impacts, worst,
           gap);
    assert_at_most(worst, bound);
    assert_at_least(gap, -1e-9); /* position error allowed by the tolerance 1e-10 */
    trial_close(&run);
    carom_model_destroy(model);
}

static void angular_momentum_in_a_drum(void **state) {
    (void)state;
    long impacts;
    check_drum(1, 0, &impacts);
    assert_true(impacts > 50);
    check_drum(0.8, 0, &impacts); /* ends rolling along the wall, held there by its curvature */
    assert_true(impacts > STEPS / 2);
    check_drum(1, 3, &impacts);
    check_drum(0, 0, &impacts);
    assert_true(impacts > STEPS / 2);
}

/* ---------------------------------------------------------------- polar coordinates, q = (l, phi) */
static void polar_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t;
    M[0] = p[MASS];
    M[3] = p[MASS] * q[0] * q[0];
}
static void polar_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t;
    h[0] = p[MASS] * q[0] * u[1] * u[1] - p[STIFFNESS] * (q[0] - 1);
    h[1] = -2 * p[MASS] * q[0] * u[0] * u[1];
}
static void ring_gap(double t, const cx *q, cx *gap, const double *p) {
    (void)t;
    gap[0] = p[RADIUS] - q[0];
}
static void ring_velocity(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t, (void)q, (void)p;
    s[0] = -u[0];
}

static void check_polar(double radius, double restitution, bool touches) {
    const carom_contact_def contact = {.name = "ring", .restitution = restitution};
    const double p[] = {0.9, 20, radius}, q0[] = {1.1, 0.4}, u0[] = {0.3, 1.7};
    const complex_mechanics polar = {.nq = 2,
                                     .nu = 2,
                                     .contacts = 1,
                                     .contact = &contact,
                                     .q0 = q0,
                                     .u0 = u0,
                                     .parameter = p,
                                     .mass = polar_mass,
                                     .force = polar_force,
                                     .position = ring_gap,
                                     .velocity = ring_velocity};
    carom_model *model = complex_model(&polar);
    /* tolerance: round-off, since what a step misses adds up over 1e5 steps */
    trial run = trial_model(model, "rattle", dt, STEPS * dt, 1e-15, NULL);
    const double p0 = p[MASS] * q0[0] * q0[0] * u0[1];
    double worst = 0;
    long contact_steps = 0;
    for (long n = 0; n < STEPS; n++) {
        trial_step(&run);
        const double *q = carom_sim_q(run.sim), *u = carom_sim_u(run.sim);
        worst = fmax(worst, fabs(p[MASS] * q[0] * q[0] * u[1] - p0));
        contact_steps += carom_sim_percussion(run.sim)[0] > 0;
    }
    printf("polar R = %g, e = %g: %ld contact steps, p_phi off by %.1e\n", radius, restitution, contact_steps, worst);
    assert_true((contact_steps > 0) == touches);
    assert_at_most(worst, bound);
    trial_close(&run);
    carom_model_destroy(model);
}

static void angular_momentum_in_polar_coordinates(void **state) {
    (void)state;
    check_polar(100, 0, false);
    check_polar(1.15, 1, true); /* free, l would oscillate between 1.07 and 1.19 */
    check_polar(1.15, 0.5, true);
}

/* ---------------------------------------------------------------- spherical pendulum, q = (theta, phi) from the
 * downward axis */
static void sphere_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)p;
    M[0] = 1;
    M[3] = csin(q[0]) * csin(q[0]);
}
static void sphere_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)p;
    cx s = csin(q[0]), c = ccos(q[0]);
    h[0] = s * c * u[1] * u[1] - 9.81 * s;
    h[1] = -2 * s * c * u[0] * u[1];
}

/* The symmetric step leaves p_phi with an error that is second order in dt and comes back with the motion: over 60
 * nutations no more than over six. */
static void momentum_on_the_sphere_is_second_order(void **state) {
    (void)state;
    const double q0[] = {0.8, 0}, u0[] = {0.2, 2.5}, p0 = sin(0.8) * sin(0.8) * 2.5;
    const complex_mechanics sphere = {.nq = 2, .nu = 2, .q0 = q0, .u0 = u0, .mass = sphere_mass, .force = sphere_force};
    carom_model *model = complex_model(&sphere);
    double h[3], worst[3];
    for (int k = 0; k < 3; k++) {
        h[k] = 4e-3 / (1 << k);
        trial run = trial_model(model, "rattle", h[k], 60, 1e-13, NULL);
        double early = 0;
        worst[k] = 0;
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            double s = sin(carom_sim_q(run.sim)[0]);
            worst[k] = fmax(worst[k], fabs(s * s * carom_sim_u(run.sim)[1] - p0));
            if (carom_sim_time(run.sim) <= 6) early = worst[k];
        }
        trial_close(&run);
        assert_at_most(worst[k], 1.1 * early);
    }
    assert_near(observed_order(3, h, worst), 2, 0.05);
    carom_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angular_momentum_in_a_drum),
        cmocka_unit_test(angular_momentum_in_polar_coordinates),
        cmocka_unit_test(momentum_on_the_sphere_is_second_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
