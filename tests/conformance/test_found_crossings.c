/* Located events of cylinders with boxes and hulls: on faces and edges, rims and sides, against exact motions, orders
 * and conserved quantities. Tipping over edges is in test_found_edges.c. docs/theory/contacts.md, (CF44) to (CF47). */
#include "support/located.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SPATIAL "{type: spatial, mass: 1, "
#define LOCATED "events: locate, tolerance: 1e-13}\n"
#define TABLE "{body: world, box: [2, 2, 0.2], at: [-1, 0, -0.1]}"
#define HEAD "carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
static const double g = 9.81;

/* ---- rolling along an edge */

/* A solid cylinder rolls down along the edge of a slope, half of it beyond the edge, with 2/3 g sin(a): on the lowest
 * point of one rim and on the edge under its side. Lobatto's stages follow a constant acceleration exactly; round-off
 * grows with t^2/dt: 1e-11. */
static void test_rolling(void **state) {
    (void)state;
    const double a = 0.3;
    trial run = trial_text("carom: 1\nparameters: {a: 0.3, g: 9.81}\nmodel:\n  gravity: [0, g*sin(a), -g*cos(a)]\n"
                           "  bodies:\n    can: {type: spatial, mass: 2, shape: {cylinder: {radius: 0.05, length: "
                           "0.2}, axis: [1, 0, 0]}, position: [-0.03, -0.9, 0.05]}\n"
                           "  contacts: {all: {among: [can, " TABLE "], friction: 0.5}}\n"
                           "run: {integrator: lobatto, dt: 1e-2, until: 0.9, " LOCATED);
    trial_finish(&run);
    assert_int_equal(carom_sim_captured(run.sim), 0);
    assert_near(trial_value(&run, "can.y"), -0.9 + g * sin(a) / 3 * 0.81, 1e-11);
    assert_near(trial_value(&run, "can.x"), -0.03, 1e-11);
    assert_near(trial_value(&run, "can.z"), 0.05, 1e-11);
    trial_close(&run);
}

/* ---- a plank that rocks */

/* On a cylinder of radius R that lies, with its centre h above its lower face, and J about its middle, m = 1. It rolls:
 * (h^2 + R^2 theta^2 + J) theta_ddot = -R^2 theta theta_dot^2 - g (R theta cos(theta) - h sin(theta)).
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

/* Narrow, it lies with its long edges across the side; wide, on the lowest points of the rims, over a face that
 * moves. */
static double rocking_misses(const char *integrator, double dt, double width) {
    const double theta = 0.4, until = 0.48;
    double y[2];
    rocked(theta, until, y);
    trial run = trial_text("carom: 1\nparameters: {a: 0.4, R: 0.2, h: 0.05}\nmodel:\n  gravity: [0, 0, -9.81]\n"
                           "  bodies:\n    b: " SPATIAL "inertia: [0.02, 0.02, 0.02], shape: {box: [0.6, %g, 0.1]}, "
                           "position: [(R+h)*sin(a) - R*a*cos(a), 0, (R+h)*cos(a) + R*a*sin(a)], rotation: {axis: "
                           "[0, 1, 0], angle: a}}\n  contacts: {all: {among: [b, {body: world, cylinder: {radius: 0.2, "
                           "length: 0.3}, axis: [0, 1, 0]}], friction: 1}}\n"
                           "run: {integrator: %s, dt: %g, until: 0.48, " LOCATED,
                           width, integrator, dt);
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
    for (int i = 0; i < 2 * SCHEMES; i++) {
        const double width = i % 2 ? 0.5 : 0.2;
        double dt[3], error[3];
        for (int k = 0; k < 3; k++) {
            dt[k] = schemes[i / 2].dt / (1 << k);
            error[k] = rocking_misses(schemes[i / 2].integrator, dt[k], width);
        }
        const double order = observed_order(3, dt, error);
        printf("rocking, width %g, %s: errors %.2g %.2g %.2g, order %.2f\n", width, schemes[i / 2].integrator, error[0],
               error[1], error[2], order);
        assert_at_least(order, schemes[i / 2].order - 0.5);
    }
}

/* ---- standing */

/* A can on a table that it overhangs falls if its centre is beyond the edge, by a hundredth of the radius, and stands
 * where it is if not: it rests on the points of its rim and where the edge crosses this. */
static double stands(double part) {
    trial run = trial_text(HEAD "    can: " SPATIAL "shape: {cylinder: {radius: 0.05, length: 0.1}}, position: "
                                "[%g*0.05, 0.1, 0.05]}\n  contacts: {all: {among: [can, " TABLE "], friction: 0.6}}\n"
                                "run: {integrator: lobatto, dt: 1e-2, until: 0.5, " LOCATED,
                           part);
    trial_finish(&run);
    assert_int_equal(carom_sim_captured(run.sim), 0);
    const double high = trial_value(&run, "can.z") - 0.05;
    trial_close(&run);
    return high;
}

static void test_stands(void **state) {
    (void)state;
    assert_near(stands(-0.01), 0, 1e-12);
    assert_at_most(stands(0.01), -1e-4);
}

/* A can on a smaller box, which stands on a larger can: everything stays, by corners over ends. */
static void test_tower(void **state) {
    (void)state;
    trial run = trial_text(
        HEAD
        "    b: " SPATIAL "shape: {box: [0.06, 0.06, 0.06]}, position: [0, 0, 0.03]}\n"
        "    c: " SPATIAL "shape: {cylinder: {radius: 0.05, length: 0.1}}, position: [0.01, 0, 0.11]}\n"
        "  contacts: {all: {among: [[b], [c, {body: world, cylinder: {radius: 0.1, length: 0.2}, at: [0, 0, -0.1]}]], "
        "friction: 0.5, restitution: 0.3}}\nrun: {integrator: lobatto, dt: 1e-2, until: 1, " LOCATED);
    trial_finish(&run);
    const double *q = carom_sim_q(run.sim), *u = carom_sim_u(run.sim);
    assert_near(q[2], 0.03, 1e-12);
    assert_near(q[7], 0.01, 1e-12);
    assert_near(q[9], 0.11, 1e-12);
    for (int j = 0; j < 12; j++) assert_near(u[j], 0, 1e-12);
    trial_close(&run);
}

/* ---- askew over an edge */

/* A can that lies slides askew over an edge, with friction, tips and turns, and goes on from a checkpoint with the same
 * bits. The motion that it is compared with has order 8: its own error is round-off. */
static void test_askew(void **state) {
    (void)state;
    static const char *const text =
        HEAD "    b: " SPATIAL "shape: {cylinder: {radius: 0.05, length: 0.3}, axis: [1, 0.3, 0]}, position: [-0.1, "
             "0.02, 0.05], velocity: [1.5, 0, 0]}\n  contacts: {all: {among: [b, " TABLE "], friction: 0.3}}\n"
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
    assert_at_least(log2(error[0] / error[1]), 3.5);
    trial_resumes(trial_text(text, 3, 1e-2), trial_text(text, 3, 1e-2));
}

/* ---- many shapes */

/* Cylinders, boxes, octahedra and balls that fly at each other keep their momentum and, without friction and loss,
 * their energy, to round-off that thirty impacts add up; and no step ends with an overlap, which would be told. */
static void test_cloud(void **state) {
    (void)state;
    trial run = trial_text(
        "carom: 1\nmodel:\n  bodies:\n"
        "    a[i=1..3]: " SPATIAL "shape: {box: [0.1, 0.12, 0.15]}, position: [0.25*(i-2), 0.02*i, 0.1*sin(i)], "
        "velocity: [-2*(i-2), 0.2*sin(i), -sin(i)], rotation: {axis: [1, sin(i), cos(2*i)], angle: i}, "
        "angular_velocity: [3*sin(i), 2, 4*cos(i)]}\n"
        "    h[i=1..2]: " SPATIAL "shape: {hull: [[0.1, 0, 0], [-0.1, 0, 0], [0, 0.1, 0], [0, -0.1, 0], [0, 0, 0.1], "
        "[0, 0, -0.1]]}, position: [0.3*(i-1.5), 0.25, 0.05*i], velocity: [-(i-1.5), -2, 0.2], "
        "rotation: {axis: [1, sin(i), cos(2*i)], angle: i}}\n"
        "    s: " SPATIAL "shape: {sphere: 0.07}, position: [0.1, -0.25, 0.07], velocity: [-0.2, 2, -0.1]}\n"
        "    c[i=1..2]: " SPATIAL "shape: {cylinder: {radius: 0.06, length: 0.06*i}}, position: [0.2*(i-1.5), 0.05*i, "
        "0.55*(i-1.5)], velocity: [0, 0, -6*(i-1.5)], rotation: {axis: [1, 0.2*i, 0], angle: 1.3*i}, "
        "angular_velocity: [3, 2*i, 1]}\n"
        "  contacts: {all: {among: [[c], [a, h, s]], restitution: 1}, others: {among: [a, h, s], restitution: 1}}\n"
        "run: {integrator: lobatto, stages: 3, dt: 2e-3, until: 0.3, " LOCATED);
    trial_keeps_motion(&run, 8, 10);
    trial_close(&run);
}

/* ---- thrown */

/* Cans that fall on an edge, a rim, or a corner over an end never gain energy, nor go into what they fall on: a step
 * that would is none. */
static void test_thrown(void **state) {
    (void)state;
    static const char *const onto[] = {TABLE,
                                       "{body: world, cylinder: {radius: 0.15, length: 0.2}, at: [0.05, 0, -0.1]}"};
    static const char *const what[] = {"cylinder: {radius: 0.05, length: 0.1}", "box: [0.1, 0.12, 0.08]"};
    for (int i = 0; i < 3; i++) {
        trial run = trial_text(HEAD "    b: " SPATIAL "shape: {%s}, position: [0.02, 0.03, 0.2], rotation: {axis: [1, "
                                    "%g, 0.2], angle: 0.6}, angular_velocity: [3, 1, 2]}\n"
                                    "  contacts: {all: {among: [b, %s], friction: 0.3, restitution: 0.3}}\n"
                                    "run: {integrator: lobatto, dt: 2e-3, until: 0.4, events: locate}\n",
                               what[i == 2], 0.5 * i, onto[i == 2]);
        trial_never_gains(&run, 1e-5);
        trial_close(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rolling), cmocka_unit_test(test_rocking),
                                       cmocka_unit_test(test_stands),  cmocka_unit_test(test_tower),
                                       cmocka_unit_test(test_askew),   cmocka_unit_test(test_cloud),
                                       cmocka_unit_test(test_thrown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
