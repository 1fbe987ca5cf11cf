/* Located events of capsules with cylinders: across a side, on an end and over its rim, against exact motions, orders
 * and conserved quantities. docs/theory/contacts.md, (CF49) to (CF53). */
#include "support/located.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SPATIAL "{type: spatial, mass: 1, "
#define LOCATED "events: locate, tolerance: 1e-13}\n"
#define HEAD "carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
#define STUMP "{body: world, cylinder: {radius: 0.15, length: 0.2}, at: [0, 0, -0.1]}"
static const double g = 9.81;

/* ---- a blow across a side */

/* The capsule falls with its axis across that of a cylinder that lies, a beside its centre, m = 1: the percussion
 * there, P (1 + a^2/J) = (1 + e) g T, changes its velocity and turns it. After that it flies. Flight and blow are
 * followed exactly: round-off. */
static void test_blow(void **state) {
    (void)state;
    const double a = 0.05, J = 0.01, e = 0.5, high = 0.2, until = 0.25;
    trial run = trial_text(HEAD "    k: " SPATIAL "inertia: [0.01, 0.01, 0.01], shape: {capsule: {radius: 0.03, "
                                "length: 0.3}, axis: [0, 1, 0]}, position: [0.02, 0.05, 0.33]}\n"
                                "  contacts: {all: {among: [k, {body: world, cylinder: {radius: 0.1, length: 0.2}, "
                                "axis: [1, 0, 0]}], restitution: 0.5}}\n"
                                "run: {integrator: lobatto, dt: 1e-2, until: 0.25, " LOCATED);
    trial_finish(&run);
    const double T = sqrt(2 * high / g), P = (1 + e) * g * T / (1 + a * a / J), left = until - T;
    assert_int_equal(carom_sim_captured(run.sim), 0);
    assert_near(trial_value(&run, "k.z"), 0.13 + (P - g * T) * left - g * left * left / 2, 1e-12);
    assert_near(trial_value(&run, "k.y"), a, 1e-12);
    assert_near(carom_sim_u(run.sim)[3], -a * P / J, 1e-11);
    trial_close(&run);
}

/* ---- a capsule that rocks */

/* On a cylinder of radius R that lies across it: its lowest line is a plank, h below its axis, that rolls on the
 * cylinder, (h^2 + R^2 theta^2 + J) theta_ddot = -R^2 theta theta_dot^2 - g (R theta cos(theta) - h sin(theta)).
 * Runge-Kutta of order 4 in 1e4 steps. */
static const double R = 0.2, h = 0.05, J = 0.02;

static void rocked(double theta, double time, double y[2]) {
    const int steps = 10000;
    const double dt = time / steps;
    y[0] = theta, y[1] = 0;
    for (int i = 0; i < steps; i++) {
        double k[4][2], at[2];
        for (int s = 0; s < 4; s++) {
            const double part = s == 0 ? 0 : s < 3 ? dt / 2 : dt;
            for (int c = 0; c < 2; c++) at[c] = y[c] + (s ? part * k[s - 1][c] : 0);
            k[s][0] = at[1];
            k[s][1] = (-R * R * at[0] * at[1] * at[1] - g * (R * at[0] * cos(at[0]) - h * sin(at[0]))) /
                      (h * h + R * R * at[0] * at[0] + J);
        }
        for (int c = 0; c < 2; c++) y[c] += dt / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
    }
}

static double rocking_misses(const char *integrator, double dt) {
    double y[2];
    rocked(0.4, 0.48, y);
    trial run = trial_text("carom: 1\nparameters: {a: 0.4, R: 0.2, h: 0.05}\nmodel:\n  gravity: [0, 0, -9.81]\n"
                           "  bodies:\n    b: " SPATIAL "inertia: [0.02, 0.02, 0.02], shape: {capsule: {radius: h, "
                           "length: 0.6}, axis: [1, 0, 0]}, position: [(R+h)*sin(a) - R*a*cos(a), 0, (R+h)*cos(a) + "
                           "R*a*sin(a)], rotation: {axis: [0, 1, 0], angle: a}}\n  contacts: {all: {among: [b, {body: "
                           "world, cylinder: {radius: R, length: 0.3}, axis: [0, 1, 0]}], friction: 1}}\n"
                           "run: {integrator: %s, dt: %g, until: 0.48, " LOCATED,
                           integrator, dt);
    trial_finish(&run);
    assert_int_equal(carom_sim_captured(run.sim), 0);
    const double x = (R + h) * sin(y[0]) - R * y[0] * cos(y[0]), z = (R + h) * cos(y[0]) + R * y[0] * sin(y[0]);
    double error = fabs(trial_value(&run, "b.x") - x) + fabs(trial_value(&run, "b.z") - z);
    error += fabs(trial_value(&run, "b.y")) + fabs(carom_sim_u(run.sim)[4] - y[1]);
    trial_close(&run);
    return error;
}

static void test_rocking(void **state) {
    (void)state;
    for (int i = 0; i < SCHEMES; i++) {
        double dt[3], error[3];
        for (int k = 0; k < 3; k++) {
            dt[k] = schemes[i].dt / (1 << k);
            error[k] = rocking_misses(schemes[i].integrator, dt[k]);
        }
        const double order = observed_order(3, dt, error);
        printf("rocking, %s: errors %.2g %.2g %.2g, order %.2f\n", schemes[i].integrator, error[0], error[1], error[2],
               order);
        assert_at_least(order, schemes[i].order - 0.5);
    }
}

/* ---- on an end */

/* It lies across the end of a stump, on the two places where its axis crosses the rim, or with an end over the disk,
 * or, as long as the disk is wide, with both ends just over the rim; and rolls there as on a plane, for the time in
 * which the chord below it shrinks to a third. */
static void rolls_on_end(double length, double from, double v) {
    trial run = trial_text(HEAD "    k: " SPATIAL "shape: {capsule: {radius: 0.03, length: %g}, axis: [0, 1, 0]}, "
                                "position: [%g, 0, 0.03], velocity: [%g, 0, 0], angular_velocity: [0, %g, 0]}\n"
                                "  contacts: {all: {among: [k, " STUMP "], friction: 0.5}}\n"
                                "run: {integrator: lobatto, dt: 1e-2, until: 0.2, " LOCATED,
                           length, from, v, v / 0.03);
    trial_finish(&run);
    assert_int_equal(carom_sim_captured(run.sim), 0);
    assert_near(trial_value(&run, "k.x"), from + 0.2 * v, 1e-11);
    assert_near(trial_value(&run, "k.y"), 0, 1e-11);
    assert_near(trial_value(&run, "k.z"), 0.03, 1e-11);
    trial_close(&run);
}

static void test_on_end(void **state) {
    (void)state;
    const double length[] = {0.4, 0.2, 0.3};
    for (int i = 0; i < 3; i++) rolls_on_end(length[i], 0, 0), rolls_on_end(length[i], 0.02, 0.6);
}

/* Askew, with friction, it slides over the rim and tips, and goes on from a checkpoint with the same bits. The motion
 * that it is compared with has order 8: its own error is round-off. */
static void test_askew(void **state) {
    (void)state;
    static const char *const text =
        HEAD "    k: " SPATIAL "shape: {capsule: {radius: 0.03, length: 0.3}, axis: [1, 0.3, 0]}, position: [-0.05, "
             "0.02, 0.03], velocity: [2, 0.1, 0]}\n  contacts: {all: {among: [k, " STUMP "], friction: 0.3}}\n"
             "run: {integrator: lobatto, stages: %d, dt: %g, until: 0.1999, events: locate, tolerance: 1e-13}\n";
    double q[3][7], error[2];
    static const double dt[] = {1e-2, 5e-3};
    for (int k = 0; k < 3; k++) {
        trial run = k < 2 ? trial_text(text, 3, dt[k]) : trial_text(text, 5, 2e-3);
        trial_finish(&run);
        assert_int_equal(carom_sim_captured(run.sim), 0);
        memcpy(q[k], carom_sim_q(run.sim), sizeof q[k]);
        trial_close(&run);
    }
    for (int k = 0; k < 2; k++) {
        error[k] = 0;
        for (int i = 0; i < 7; i++) error[k] = fmax(error[k], fabs(q[k][i] - q[2][i]));
    }
    printf("askew: errors %.2g %.2g, order %.2f\n", error[0], error[1], log2(error[0] / error[1]));
    assert_at_most(q[2][2], 0.02);
    assert_at_least(log2(error[0] / error[1]), 3.5);
    trial_resumes(trial_text(text, 3, 1e-2), trial_text(text, 3, 1e-2));
}

/* ---- side by side */

/* On two cylinders that lie along it, a longer and a shorter one, the capsule stays. */
static void test_side_by_side(void **state) {
    (void)state;
    trial run = trial_text(HEAD "    k: " SPATIAL "shape: {capsule: {radius: 0.05, length: 0.2}, axis: [1, 0, 0]}, "
                                "position: [0, 0, 0.08]}\n  contacts: {all: {among: [k, {body: world, cylinder: "
                                "{radius: 0.05, length: 0.3}, at: [0, 0.06, 0], axis: [1, 0, 0]}, {body: world, "
                                "cylinder: {radius: 0.05, length: 0.1}, at: [0, -0.06, 0], axis: [1, 0, 0]}], "
                                "friction: 0.3}}\nrun: {integrator: lobatto, dt: 1e-2, until: 0.5, " LOCATED);
    trial_finish(&run);
    assert_int_equal(carom_sim_captured(run.sim), 0);
    assert_near(trial_value(&run, "k.z"), 0.08, 1e-12);
    assert_near(trial_value(&run, "k.y"), 0, 1e-12);
    trial_close(&run);
}

/* ---- many shapes */

/* Cylinders and capsules that fly at each other keep their momentum and, without friction and loss, their energy, to
 * round-off that dozens of impacts add up. */
static void test_cloud(void **state) {
    (void)state;
    trial run = trial_text(
        "carom: 1\nmodel:\n  bodies:\n"
        "    c[i=1..3]: " SPATIAL "shape: {cylinder: {radius: 0.07, length: 0.05*i}}, position: [0.25*(i-2), 0.02*i, "
        "0.1*sin(i)], velocity: [-2*(i-2), 0.2*sin(i), -sin(i)], rotation: {axis: [1, sin(i), cos(2*i)], angle: i}, "
        "angular_velocity: [3*sin(i), 2, 4*cos(i)]}\n"
        "    k[i=1..4]: " SPATIAL "shape: {capsule: {radius: 0.02*i, length: 0.2/i}}, position: [0.3*(i-2.5), "
        "0.3*sin(2*i), 0.25*cos(2*i)], velocity: [-(i-2.5), -3*sin(2*i), -3*cos(2*i)], rotation: {axis: [1, 0.2*i, 0], "
        "angle: 1.3*i}, angular_velocity: [3, 2*i, 1]}\n"
        "  contacts: {all: {among: [[c], [k]], restitution: 1}, others: {among: [k], restitution: 1}}\n"
        "run: {integrator: lobatto, stages: 3, dt: 2e-3, until: 0.3, " LOCATED);
    trial_keeps_motion(&run, 7, 6);
    trial_close(&run);
}

/* Capsules that fall on a stump, on a rim or with an end over it, never gain energy, nor go into what they fall on: a
 * step that would is none. */
static void test_thrown(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        trial run = trial_text(HEAD "    k: " SPATIAL "shape: {capsule: {radius: 0.03, length: %g}}, position: [0.12, "
                                    "0.03, 0.2], rotation: {axis: [1, %g, 0.2], angle: 0.6}, angular_velocity: [3, 1, "
                                    "2]}\n  contacts: {all: {among: [k, " STUMP "], friction: 0.3, restitution: 0.3}}\n"
                                    "run: {integrator: lobatto, dt: 2e-3, until: 0.4, events: locate}\n",
                               i % 2 ? 0.3 : 0.05, 0.5 * i);
        trial_never_gains(&run, 1e-5);
        trial_close(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blow),         cmocka_unit_test(test_rocking),
                                       cmocka_unit_test(test_on_end),       cmocka_unit_test(test_askew),
                                       cmocka_unit_test(test_side_by_side), cmocka_unit_test(test_cloud),
                                       cmocka_unit_test(test_thrown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
