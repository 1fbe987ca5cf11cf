/* Located events of found contacts whose features change: against exact motions over edges and through impacts, orders,
 * conserved quantities, rest over checkpoints. docs/theory/contacts.md, (CF31) to (CF36). */
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

/* ---- a ball slides over an edge */

/* Without friction its centre goes round the edge with R theta_dot^2 = v^2/R + 2 g (1 - cos theta), and flies off where
 * that is g cos theta: cos theta = (v^2/gR + 2)/3. Its flight keeps v_x, the energy and x + v_x v_z/g. */
static double ball_misses(const char *integrator, double dt, const char *what) {
    const double R = 0.1, v = 0.4, cosine = (v * v / (g * R) + 2) / 3, speed = sqrt(g * R * cosine);
    const double exact[] = {speed * cosine, v * v / 2 + g * R,
                            R * sqrt(1 - cosine * cosine) * (1 - speed * speed * cosine / (g * R))};
    trial run =
        trial_text(HEAD "    b: " SPATIAL "shape: {sphere: 0.1}, position: [-0.05, 0.3, 0.1], velocity: [0.4, 0, 0]}\n"
                        "  contacts: {all: {among: [b, %s]}}\nrun: {integrator: %s, dt: %g, until: 0.35, " LOCATED,
                   what, integrator, dt);
    trial_finish(&run);
    assert_int_equal(carom_sim_captured(run.sim), 0);
    const double *q = carom_sim_q(run.sim), *u = carom_sim_u(run.sim);
    const double at[] = {u[0], (u[0] * u[0] + u[2] * u[2]) / 2 + g * q[2], q[0] + u[0] * u[2] / g};
    double error = fabs(u[1]) + fabs(q[1] - 0.3);
    for (int i = 0; i < 3; i++) error = fmax(error, fabs(at[i] - exact[i]));
    trial_close(&run);
    return error;
}

static void test_ball(void **state) {
    (void)state;
    static const char *const edges[] = {TABLE, "{body: world, cylinder: {radius: 1, length: 1}, at: [-1, 0.3, -0.5]}",
                                        "{body: world, hull: [[0, -1, 0], [0, 1, 0], [-2, 0.5, 0], [0, 0, -1]]}"};
    for (int k = 0; k < 3; k++) assert_at_most(ball_misses("lobatto, stages: 4", 1e-3, edges[k]), 1e-9);
    for (int i = 0; i < SCHEMES; i++) {
        double dt[3], error[3];
        for (int k = 0; k < 3; k++)
            dt[k] = schemes[i].dt / (1 << k), error[k] = ball_misses(schemes[i].integrator, dt[k], TABLE);
        const double order = observed_order(3, dt, error);
        printf("ball, %s: errors %.2g %.2g %.2g, order %.2f\n", schemes[i].integrator, error[0], error[1], error[2],
               order);
        assert_at_least(order, schemes[i].order - 0.5);
    }
}

/* ---- a box, a capsule, or a cylinder that lies or stands, slides over an edge and tips */

/* Without friction: until its centre is over the edge nothing happens. Then its lower face turns about the edge and
 * slides over it: with the edge at (xi, -c) in the box,
 * L = m/2 ((xi_dot + c phi_dot)^2 + xi^2 phi_dot^2) + J/2 phi_dot^2 + m g (xi sin phi - c cos phi), phi downward
 * negative; m = 1. */
static const double c = 0.05, J = 0.01;

static void tip_rates(const double y[4], double rate[4]) {
    const double xi = y[0], phi = y[1], v = y[2], w = y[3];
    /* d/dt(v + c w) = xi w^2 + g sin phi;  d/dt(c (v + c w) + (xi^2 + J) w) = g (xi cos phi + c sin phi) */
    const double first = xi * w * w + g * sin(phi);
    const double turn = (g * (xi * cos(phi) + c * sin(phi)) - c * first - 2 * xi * v * w) / (xi * xi + J);
    rate[0] = v, rate[1] = w, rate[3] = turn, rate[2] = first - c * turn;
}

/* x, z, phi, and their rates, so long after the centre passed the edge with the speed v: Runge-Kutta of order 4 in 1e4
 * steps, good to 1e-14. */
static void tipped(double v, double time, double state[6]) {
    double y[4] = {0, 0, -v, 0}, k[4][4], at[4];
    const int steps = 10000;
    const double h = time / steps;
    for (int i = 0; i < steps; i++) {
        tip_rates(y, k[0]);
        for (int s = 1; s < 4; s++) {
            for (int j = 0; j < 4; j++) at[j] = y[j] + (s < 3 ? h / 2 : h) * k[s - 1][j];
            tip_rates(at, k[s]);
        }
        for (int j = 0; j < 4; j++) y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
    const double C = cos(y[1]), S = sin(y[1]), along = -(y[2] + c * y[3]), up = -y[0] * y[3];
    const double end[] = {-y[0] * C - c * S, -y[0] * S + c * C, y[1], along * C - up * S, along * S + up * C, y[3]};
    memcpy(state, end, sizeof end);
}

static double box_misses(const char *integrator, double dt, const char *shape, const char *contacts) {
    const double v = 1, until = 0.256;
    double exact[6];
    tipped(v, until - 0.1 / v, exact);
    trial run =
        trial_text(HEAD "    b: " SPATIAL "inertia: [0.01, 0.01, 0.01], shape: {%s}, position: [-0.1, 0.03, 0.05], "
                        "velocity: [1, 0, 0]}\n%s\n"
                        "run: {integrator: %s, dt: %g, until: 0.256, " LOCATED,
                   shape, contacts, integrator, dt);
    trial_finish(&run);
    assert_int_equal(carom_sim_captured(run.sim), 0);
    const double *q = carom_sim_q(run.sim), *u = carom_sim_u(run.sim);
    const double at[] = {q[0], q[2], -2 * atan2(q[5], q[3]), u[0], u[2], -u[4]};
    double error = 0;
    for (int i = 0; i < 6; i++) error = fmax(error, fabs(at[i] - exact[i]));
    trial_close(&run);
    return error;
}

static void test_tipping(void **state) {
    (void)state;
    static const char *const tables[] = {
        "  contacts: {all: {among: [b, " TABLE "]}}",
        "  contacts: {all: {among: [{body: world, hull: [[0, -1, 0], [0, 1, 0], [-2, 0, 0], [-0.4, 0, -1]]}, b]}}"};
    /* the can stands off its centre of mass: no point of its rim passes the edge as it begins to tip */
    static const char *const shapes[] = {"box: [0.3, 0.2, 0.1]",
                                         "capsule: {radius: 0.05, length: 0.3}, axis: [1, 0, 0]",
                                         "cylinder: {radius: 0.05, length: 0.3}, axis: [1, 0, 0]",
                                         "cylinder: {radius: 0.15, length: 0.1}, at: [-0.013, 0, 0]"};
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    for (int i = 0; i < SHAPES; i++)
        for (int k = 0; k < 2; k++) assert_at_most(box_misses("lobatto, stages: 4", 2e-3, shapes[i], tables[k]), 1e-9);
    for (int i = 0; i < SHAPES * SCHEMES; i++) {
        const char *integrator = schemes[i / SHAPES].integrator, *shape = shapes[i % SHAPES];
        double dt[3], error[3];
        for (int k = 0; k < 3; k++) {
            dt[k] = schemes[i / SHAPES].dt / (1 << k);
            error[k] = box_misses(integrator, dt[k], shape, tables[0]);
        }
        const double order = observed_order(3, dt, error);
        printf("%s, %s: errors %.2g %.2g %.2g, order %.2f\n", shape, integrator, error[0], error[1], error[2], order);
        assert_at_least(order, schemes[i / SHAPES].order - 0.5);
    }
}

/* ---- many shapes */

/* Boxes, octahedra, balls and capsules that fly at each other keep their momentum and, without friction and loss, their
 * energy, to round-off that thirty impacts add up; and no step ends with an overlap, which would be told. */
static void test_cloud(void **state) {
    (void)state;
    trial run = trial_text(
        "carom: 1\nmodel:\n  bodies:\n"
        "    a[i=1..4]: " SPATIAL "shape: {box: [0.1, 0.12, 0.15]}, position: [0.25*(i-2.5), 0.02*i, 0.1*sin(i)], "
        "velocity: [-2*(i-2.5), 0.2*sin(i), -sin(i)], rotation: {axis: [1, sin(i), cos(2*i)], angle: i}, "
        "angular_velocity: [3*sin(i), 2, 4*cos(i)]}\n"
        "    h[i=1..2]: " SPATIAL "shape: {hull: [[0.1, 0, 0], [-0.1, 0, 0], [0, 0.1, 0], [0, -0.1, 0], [0, 0, 0.1], "
        "[0, 0, -0.1]]}, position: [0.3*(i-1.5), 0.25, 0.05*i], velocity: [-(i-1.5), -2, 0.2], "
        "rotation: {axis: [1, sin(i), cos(2*i)], angle: i}}\n"
        "    s[i=1..2]: " SPATIAL "shape: {sphere: 0.07}, position: [0.3*(i-1.4), -0.25, 0.07*i], "
        "velocity: [-(i-1.5), 2, -0.1]}\n"
        "    c[i=1..2]: " SPATIAL "shape: {capsule: {radius: 0.04, length: 0.2}}, position: [0.1*i, 0.1*i, 0.35], "
        "velocity: [0, 0, -2], rotation: {axis: [1, 0.2*i, 0], angle: 1.3}}\n"
        "  contacts: {all: {among: [a, h, s, c], restitution: 1}}\n"
        "run: {integrator: lobatto, stages: 3, dt: 2e-3, until: 0.3, " LOCATED);
    trial_keeps_motion(&run, 10, 10);
    trial_close(&run);
}

/* ---- friction, rest, checkpoints */

/* A box that turns slides over an edge askew, with friction, corner by corner: it stops nowhere and goes on with the
 * same bits from a checkpoint. Its corners go over to crossings of edges, which is no event.
 * Its error is at most ten times C dt^4, with C of the box of this size that slides straight over the edge without
 * friction, whose exact motion is known. The box askew slides 1.5 times as fast, so C may be 1.5^4 = 5 times as large;
 * friction and the third axis add about as much again. The motion it is compared with has order 8: its own error is
 * round-off. */
static void test_askew(void **state) {
    (void)state;
    static const char *const text =
        HEAD "    b: " SPATIAL "shape: {box: [0.3, 0.2, 0.1]}, position: [-0.1, 0.02, 0.05], velocity: [1.5, 0, 0], "
             "rotation: {axis: [0, 0, 1], angle: 0.2}}\n"
             "  contacts: {all: {among: [b, " TABLE "], friction: 0.3}}\n"
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
    static const char *const table = "  contacts: {all: {among: [b, " TABLE "]}}";
    const double step = 8e-3, C = box_misses("lobatto, stages: 3", step, "box: [0.3, 0.2, 0.1]", table) / pow(step, 4);
    printf("askew: errors %.2g %.2g, C = %.2g\n", error[0], error[1], C);
    for (int k = 0; k < 2; k++) assert_at_most(error[k], 10 * C * pow(dt[k], 4));
    assert_at_least(log2(error[0] / error[1]), 3.5);
    trial_resumes(trial_text(text, 3, 1e-2), trial_text(text, 3, 1e-2));
}

/* Boxes of one size on each other, edges on edges, stay: gaps, places and velocities to round-off of 100 steps. */
static void test_tower(void **state) {
    (void)state;
    trial run =
        trial_text(HEAD "    d[i=1..3]: " SPATIAL "shape: {box: [0.1, 0.1, 0.1]}, position: [-1, 0, 0.1*i-0.05]}\n"
                        "  contacts: {all: {among: [d, " TABLE "], friction: 0.3, restitution: 0.5}}\n"
                        "run: {integrator: lobatto, dt: 1e-2, until: 1, " LOCATED);
    trial_finish(&run);
    const double *q = carom_sim_q(run.sim), *u = carom_sim_u(run.sim);
    for (int i = 0; i < 3; i++) {
        assert_near(q[7 * i], -1, 1e-12);
        assert_near(q[7 * i + 2], 0.1 * i + 0.05, 1e-12);
        for (int j = 0; j < 6; j++) assert_near(u[6 * i + j], 0, 1e-12);
    }
    trial_close(&run);
}

/* A box on one of its size, edges on edges, slides until friction stops it after v^2/(2 mu g): no face beside the upper
 * one holds its corners. */
static void test_aligned(void **state) {
    (void)state;
    const double v = 0.4, mu = 0.5;
    trial run = trial_text(HEAD "    b: " SPATIAL "shape: {box: [0.1, 0.1, 0.1]}, position: [0, 0, 0.05], velocity: "
                                "[0.4, 0, 0]}\n  contacts: {all: {among: [b, {body: world, box: [0.1, 0.1, 0.1], at: "
                                "[0, 0, -0.05]}], friction: 0.5}}\n"
                                "run: {integrator: lobatto, dt: 1e-2, until: 0.2, " LOCATED);
    trial_finish(&run);
    assert_near(carom_sim_q(run.sim)[0], v * v / (2 * mu * g), 1e-11);
    assert_near(carom_sim_q(run.sim)[2], 0.05, 1e-12);
    assert_near(carom_sim_u(run.sim)[0], 0, 1e-12);
    trial_close(&run);
}

/* ---- a gap that jumps, in a formula */

/* A point slides off a table at x = 0 and falls from there on, (V45). */
static void test_gap_jumps(void **state) {
    (void)state;
    trial run = trial_text("carom: 1\nmodel:\n  coordinates: {x: {start: -0.1, velocity: 1}, z: {start: 0}}\n"
                           "  kinetic: x_dot^2/2 + z_dot^2/2\n  potential: 9.81*z\n"
                           "  contacts: {table: {gap: \"if(x < 0, z, 1)\"}}\n"
                           "run: {integrator: lobatto, dt: 3e-3, until: 0.3, " LOCATED);
    trial_finish(&run);
    const double *q = carom_sim_q(run.sim), *u = carom_sim_u(run.sim);
    assert_near(q[0], 0.2, 1e-12);
    assert_near(q[1], -g * 0.2 * 0.2 / 2, 1e-12);
    assert_near(u[1], -g * 0.2, 1e-12);
    trial_close(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ball),     cmocka_unit_test(test_tipping),
                                       cmocka_unit_test(test_cloud),    cmocka_unit_test(test_askew),
                                       cmocka_unit_test(test_tower),    cmocka_unit_test(test_aligned),
                                       cmocka_unit_test(test_gap_jumps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
