/* The slider-crank with clearance (rattle, 5.2; lobatto, 6.2): closed kinematic loop of three bodies whose slider
 * hammers in its guide. Joints, gaps, slips and energy are evaluated here from (45)-(49), not taken from the model. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

static const double l1 = 0.153, l2 = 0.306, a = 0.05, b = 0.025, d = 0.052, g = 9.81, e_N = 0.4, mu = 0.01;
static const double mass[9] = {0.038, 0.038, 7.4e-5, 0.038, 0.038, 5.9e-4, 0.076, 0.076, 2.7e-6};

enum { JOINTS = 6, CORNERS = 4 };

/* g of (47) and, with velocities in place of dx, dy and dphi, its time derivative. */
static void joints(const double *q, double *value) {
    double c1 = l1 / 2 * cos(q[2]), s1 = l1 / 2 * sin(q[2]), c2 = l2 / 2 * cos(q[5]), s2 = l2 / 2 * sin(q[5]);
    value[0] = q[0] - c1, value[1] = q[1] - s1;
    value[2] = q[0] + c1 - q[3] + c2, value[3] = q[1] + s1 - q[4] + s2;
    value[4] = q[3] + c2 - q[6], value[5] = q[4] + s2 - q[7];
}

static void joint_velocities(const double *q, const double *u, double *value) {
    double c1 = l1 / 2 * cos(q[2]) * u[2], s1 = -l1 / 2 * sin(q[2]) * u[2];
    double c2 = l2 / 2 * cos(q[5]) * u[5], s2 = -l2 / 2 * sin(q[5]) * u[5];
    value[0] = u[0] - s1, value[1] = u[1] - c1;
    value[2] = u[0] + s1 - u[3] + s2, value[3] = u[1] + c1 - u[4] + c2;
    value[4] = u[3] + s2 - u[6], value[5] = u[4] + c2 - u[7];
}

typedef struct corner {
    double gap, gap_dot, slip;
} corner;

/* (48), (49). Corners 1, 2 are above (gap to the upper guide), 3, 4 below; 1, 3 at the rear. */
static corner corner_at(int k, const double *q, const double *u) {
    double s = sin(q[8]), c = cos(q[8]), top = k < 2 ? 1 : -1, front = k % 2 ? 1 : -1;
    double y = q[7] + front * a * s + top * b * c, y_dot = u[7] + u[8] * (front * a * c - top * b * s);
    return (corner){d / 2 - top * y, -top * y_dot, u[6] - u[8] * (front * a * s + top * b * c)};
}

static double energy(const double *q, const double *u) {
    double E = 0;
    for (int i = 0; i < 9; i++) E += mass[i] / 2 * u[i] * u[i];
    return E + g * (mass[1] * q[1] + mass[4] * q[4] + mass[7] * q[7]);
}

static double largest(int n, const double *x) {
    double value = 0;
    for (int i = 0; i < n; i++) value = fmax(value, fabs(x[i]));
    return value;
}

typedef struct snapshot {
    double q[9], u[9];
    corner at[CORNERS];
    double E;
} snapshot;

static snapshot look(const trial *run) {
    snapshot s;
    for (int i = 0; i < 9; i++) s.q[i] = carom_sim_q(run->sim)[i], s.u[i] = carom_sim_u(run->sim)[i];
    for (int k = 0; k < CORNERS; k++) s.at[k] = corner_at(k, s.q, s.u);
    s.E = energy(s.q, s.u);
    return s;
}

/* P = (P_g [6], P_N [4], P_F [4]) of the last step. */
static double PN_of(const trial *run, int k) {
    return carom_sim_percussion(run->sim)[JOINTS + k];
}
static double PF_of(const trial *run, int k) {
    return carom_sim_percussion(run->sim)[JOINTS + CORNERS + k];
}

static void check_start(const char *scene) {
    trial run = trial_scene(scene, NULL);
    static const char *names[] = {"x1", "y1", "phi1", "x2", "y2", "phi2", "x3", "y3", "phi3"};
    snapshot s = look(&run);
    for (int i = 0; i < 9; i++) assert_true(trial_value(&run, names[i]) == s.q[i]);
    static const char *corners[] = {"P1", "P2", "P3", "P4"};
    for (int k = 0; k < CORNERS; k++) {
        char name[32];
        snprintf(name, sizeof name, "%s.gap", corners[k]);
        assert_near(trial_value(&run, name), s.at[k].gap, 1e-16);
        snprintf(name, sizeof name, "%s.slip", corners[k]);
        assert_near(trial_value(&run, name), s.at[k].slip, 1e-15);
    }
    assert_near(trial_value(&run, "E"), s.E, 1e-14);
    assert_near(s.E, 7.4955, 5e-5);
    trial_close(&run);
}

static void check_constraints(const char *scene) {
    trial run = trial_scene(scene, NULL);
    double position = 0, velocity = 0, gap = 1, value[JOINTS];
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        snapshot s = look(&run);
        joints(s.q, value);
        position = fmax(position, largest(JOINTS, value));
        joint_velocities(s.q, s.u, value);
        velocity = fmax(velocity, largest(JOINTS, value));
        for (int k = 0; k < CORNERS; k++) gap = fmin(gap, s.at[k].gap);
    }
    assert_int_equal(carom_sim_steps(run.sim), 1467); /* 7 pi/150 in steps of 1e-4 */
    printf("joints %.1e, their velocities %.1e, smallest gap %.1e\n", position, velocity, gap);
    assert_at_most(position, 1e-11);
    assert_at_most(velocity, 1e-9);
    assert_at_least(gap, -1e-12);
    trial_close(&run);
}

/* Per step and corner: Newton's law where closed, nothing where open, friction in its cone and against the slip.
 * The laws are met to the residual a step was accepted with; 1e-8 is the largest the scene allows. */
static void check_contact_laws(const char *scene, const char *option) {
    trial run = trial_scene(scene, option, NULL);
    const double tolerance = 1e-8, closed = 1e-11;
    long impacts = 0, closings = 0;
    for (snapshot before = look(&run), now; !carom_sim_done(run.sim); before = now) {
        trial_step(&run);
        now = look(&run);
        for (int k = 0; k < CORNERS; k++) {
            const corner *old = &before.at[k], *new = &now.at[k];
            double PN = PN_of(&run, k), PF = PF_of(&run, k), xi = new->gap_dot + e_N * old->gap_dot;
            assert_at_least(PN, -1e-14);
            assert_at_most(fabs(PF), mu * PN + 1e-14);
            if (new->gap > closed) assert_true(PN < 1e-14);
            if (new->gap <= 0) assert_at_least(xi, -tolerance), closings++;
            if (PN < 1e-9) continue;
            assert_near(xi, 0, tolerance);
            impacts += old->gap > closed;
            if (fabs(PF) < mu * PN - 1e-10) assert_near(new->slip, 0, tolerance);
            if (fabs(new->slip) > 1e-6) assert_near(PF, -copysign(mu * PN, new->slip), 1e-10);
        }
    }
    printf("%ld corner impacts, %ld closed corner steps\n", impacts, closings);
    assert_true(impacts > 10);
    trial_close(&run);
}

/* The energy taken by the contacts over the run, in steps of dt: the sum of (s_n + s_{n+1})/2 . P per corner. The
 * scheme is symmetric of order two, so what is left of E - E(0) apart from it is second order while nothing jumps and
 * first order in an impact step, where forces and the motion within the step mix. Returns that remainder. */
static double balance(const char *scene, const char *dt, double *fall, double *rise, double *settled) {
    trial run = trial_scene(scene, dt, NULL);
    snapshot now = look(&run), before = now;
    const double E0 = now.E;
    double work = 0, lowest = E0, worst = 0;
    *rise = *settled = 0;
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        before = now;
        now = look(&run);
        for (int k = 0; k < CORNERS; k++)
            work += (before.at[k].gap_dot + now.at[k].gap_dot) / 2 * PN_of(&run, k) +
                    (before.at[k].slip + now.at[k].slip) / 2 * PF_of(&run, k);
        lowest = fmin(lowest, now.E);
        *rise = fmax(*rise, now.E - lowest);
        worst = fmax(worst, fabs(now.E - E0 - work));
        if (fabs(now.q[8]) > 0.05 * 0.017) *settled = trial_value(&run, "t");
    }
    *fall = E0 - now.E;
    printf("%s, %s: fall %.5f, largest rise %.2e, balance %.2e, phi3 settled at %.4f\n", scene, dt, *fall, *rise, worst,
           *settled);
    trial_close(&run);
    return worst;
}

static const char rattle_scene[] = "paper/rattle/slider_crank", lobatto_scene[] = "paper/lobatto/slider_crank";

static void names_and_start(void **state) {
    (void)state;
    check_start(rattle_scene);
    check_start(lobatto_scene);
}

static void constraints_hold_and_nothing_penetrates(void **state) {
    (void)state;
    check_constraints(rattle_scene);
    check_constraints(lobatto_scene);
}

/* The laws are on the percussion of a step in print; the cured ones are on stages. */
static void contact_laws_hold(void **state) {
    (void)state;
    check_contact_laws(rattle_scene, "run.integrator=rattle");
    check_contact_laws(lobatto_scene, "run.variant=published");
}

static void energy_falls_and_balances(void **state) {
    (void)state;
    double fall, rise, settled, other_fall, other_rise, other_settled;
    double middle = balance(rattle_scene, "run.dt=1e-4", &fall, &rise, &settled);
    assert_near(7.4955 - fall, 7.08, 0.01); /* "about 7.08 J" */
    assert_near(settled, 0.01, 0.005);
    /* No drift upwards: E of a symplectic scheme wavers with the motion, by about 7.5 J (150 rad/s dt)^2 at most; a
     * quarter of it at half the step. Energy gained in impacts or from one turn to the next would fall with dt only, or
     * not at all. */
    assert_at_most(rise, 7.5 * 0.015 * 0.015);
    balance(rattle_scene, "run.dt=2e-4", &other_fall, &other_rise, &other_settled);
    assert_near(log2(other_rise / rise), 2, 0.05);
    double fine = balance(rattle_scene, "run.dt=1e-5", &other_fall, &other_rise, &other_settled);
    assert_near(log10(rise / other_rise), 2, 0.05);
    assert_near(other_fall, fall, 0.01);
    assert_at_most(fine, middle / 2); /* first order at least, over a factor of ten in dt */
}

/* Three stages are of order four: E wavers by 7.5 J (150 rad/s dt)^4 at most, and falls otherwise. */
static void energy_falls_at_high_order(void **state) {
    (void)state;
    double fall, rise, settled;
    balance(lobatto_scene, "run.dt=1e-4", &fall, &rise, &settled);
    assert_near(7.4955 - fall, 7.08, 0.01);
    assert_near(settled, 0.01, 0.005);
    assert_at_most(rise, 7.5 * pow(0.015, 4));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_start),
        cmocka_unit_test(constraints_hold_and_nothing_penetrates),
        cmocka_unit_test(contact_laws_hold),
        cmocka_unit_test(energy_falls_and_balances),
        cmocka_unit_test(energy_falls_at_high_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
