/* Cylinders among other shapes, by mechanics: they roll, stand, wobble and meet as closed forms and invariants say. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FLOOR "{body: world, plane: [0, 0, 1]}"

/* ---- rolling */

/* Down a slope a solid cylinder rolls with 2/3 g sin(a), if friction suffices, and slides with g (sin(a) - mu cos(a))
 * if it does not. rattle follows a constant acceleration exactly; round-off grows with t^2/dt: 1e-11. */
static void roll(const char *slope, double mu, double acceleration) {
    trial run = trial_text("carom: 1\nparameters: {a: 0.3, r: 0.05, g: 9.81}\nmodel:\n  gravity: %s\n  bodies:\n"
                           "    can: {type: spatial, mass: 2, shape: {cylinder: {radius: r, length: 0.2}, "
                           "axis: [0, 1, 0]}, position: [0, 0, r]}\n"
                           "    slab: {type: spatial, mass: 1, shape: {box: [20, 1, 0.1]}, position: [0, 0, -0.05]}\n"
                           "  joints: {bed: {type: fixed, bodies: [world, slab], at: [0, 0, 0]}}\n"
                           "  contacts: {all: {among: [can, slab], friction: %g}}\n"
                           "run: {integrator: rattle, dt: 1e-3, until: 1, tolerance: 1e-13}\n",
                           slope, mu);
    trial_finish(&run);
    assert_near(trial_value(&run, "can.x"), acceleration / 2, 1e-11);
    assert_near(trial_value(&run, "can.z"), 0.05, 1e-12);
    trial_close(&run);
}

static void test_slope(void **state) {
    (void)state;
    const double g = 9.81, a = 0.3;
    roll("[g*sin(a), 0, -g*cos(a)]", 0.5, 2 * g * sin(a) / 3);
    roll("[g*sin(a), 0, -g*cos(a)]", 0.05, g * (sin(a) - 0.05 * cos(a)));
}

/* On top of a fixed cylinder of radius R one of radius r rolls off, theta_dot^2 = 4 g (1 - cos(theta))/(3 (R + r))
 * while theta is small enough for friction; the state there against this with O(dt). */
static double rolling_off(double dt) {
    trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                           "    roll: {type: spatial, mass: 1, shape: {cylinder: {radius: 0.1, length: 0.5}, "
                           "axis: [0, 1, 0]}, position: [0.3*sin(0.05), 0, 0.3*cos(0.05)]}\n"
                           "  contacts: {all: {among: [roll, {body: world, cylinder: {radius: 0.2, length: 0.6}, "
                           "axis: [0, 1, 0]}], friction: 2}}\n"
                           "run: {integrator: rattle, dt: %g, until: 0.5, tolerance: 1e-12}\n",
                           dt);
    trial_finish(&run);
    const double x = trial_value(&run, "roll.x"), z = trial_value(&run, "roll.z"), y = trial_value(&run, "roll.y");
    const double vx = trial_value(&run, "roll.x_dot"), vz = trial_value(&run, "roll.z_dot");
    assert_near(hypot(x, z), 0.3, 1e-12);
    assert_near(y, 0, 1e-12);
    assert_at_least(atan2(x, z), 0.2);
    trial_close(&run);
    return fabs((vx * vx + vz * vz) / 0.09 - 4 * 9.81 * (cos(0.05) - z / 0.3) / (3 * 0.3));
}

static void test_rolling_off(void **state) {
    (void)state;
    const double coarse = rolling_off(2e-3), fine = rolling_off(1e-3);
    assert_at_most(coarse, 0.05);
    assert_at_most(fine, 0.6 * coarse + 1e-6);
}

/* ---- rest */

static void stay(const char *bodies, const char *among, const char *who, double x, double z) {
    char name[32];
    trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n%s"
                           "  contacts: {all: {among: [%s, " FLOOR "], friction: 0.4}}\n"
                           "run: {integrator: rattle, dt: 2e-3, until: 0.5}\n",
                           bodies, among);
    trial_finish(&run);
    snprintf(name, sizeof name, "%s.x", who);
    assert_near(trial_value(&run, name), x, 1e-12);
    snprintf(name, sizeof name, "%s.z", who);
    assert_near(trial_value(&run, name), z, 1e-12);
    trial_close(&run);
}

#define CAN(name, position)                                                                                            \
    "    " name ": {type: spatial, mass: 0.4, shape: {cylinder: {radius: 0.05, length: 0.1}}, position: " position "}" \
    "\n"

static void test_stands(void **state) {
    (void)state;
    stay(CAN("a", "[0, 0, 0.05]"), "a", "a", 0, 0.05);
    stay(CAN("a", "[0, 0, 0.05]") CAN("b", "[0, 0, 0.15]") CAN("c", "[0.01, 0.02, 0.25]"), "a, b, c", "c", 0.01, 0.25);
    /* over the edge of a box, its centre of mass 1 mm inside; a box on a can; a box over the edge of a can */
    stay("    box: {type: spatial, mass: 3, shape: {box: [0.2, 0.2, 0.1]}, position: [0, 0, 0.05]}\n" CAN(
             "a", "[0.099, 0.03, 0.15]"),
         "a, box", "a", 0.099, 0.15);
    stay(CAN("a", "[0, 0, 0.05]") "    box: {type: spatial, mass: 1, shape: {box: [0.06, 0.2, 0.1]}, position: [0.01, "
                                  "0, 0.15]}\n",
         "a, box", "box", 0.01, 0.15);
    stay(CAN("a", "[0, 0, 0.05]") "    box: {type: spatial, mass: 1, shape: {box: [0.3, 0.3, 0.1]}, position: [0.049, "
                                  "0, 0.15]}\n",
         "box, a", "box", 0.049, 0.15);
    /* one that lies on two that stand; a rod on a can */
    stay(CAN("a", "[-0.1, 0, 0.05]")
             CAN("b", "[0.1, 0.01, 0.05]") "    roll: {type: spatial, mass: 1, shape: {cylinder: "
                                           "{radius: 0.03, length: 0.4}, axis: [1, 0, 0]}, "
                                           "position: [0, 0, 0.13]}\n",
         "a, b, roll", "roll", 0, 0.13);
    stay(CAN("a", "[0, 0, 0.05]") "    rod: {type: spatial, mass: 1, shape: {capsule: {radius: 0.03, length: 0.4}, "
                                  "axis: [1, 0, 0]}, position: [0.01, 0, 0.13]}\n",
         "a, rod", "rod", 0.01, 0.13);
}

/* ---- coins */

/* A coin that is thrown loses energy at impacts and by friction, and never gains: less than 1e-6 of what it has, for
 * the scheme of second order where it wobbles. In the end it lies. */
static void test_coin(void **state) {
    (void)state;
    trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                           "    coin: {type: spatial, mass: 0.01, shape: {cylinder: {radius: 0.012, length: 0.002}}, "
                           "position: [0, 0, 0.05], rotation: {axis: [1, 0.3, 0], angle: 0.6}, "
                           "angular_velocity: [3, 1, 2]}\n"
                           "  contacts: {all: {among: [coin, " FLOOR "], friction: 0.3}}\n"
                           "run: {integrator: rattle, dt: 2e-4, until: 0.6}\n");
    trial_never_gains(&run, 1e-6);
    assert_near(trial_value(&run, "coin.z"), 0.001, 1e-9);
    assert_near(trial_value(&run, "E"), 0.01 * 9.81 * 0.001, 1e-9);
    trial_close(&run);
}

/* One that turns by four degrees a step comes down on its rim, five degrees from flat. In the step its lowest point
 * runs on, beyond the points that were listed; the other side of its rim is no place for it. An impact with restitution
 * 0.5 takes energy. */
static void test_flat_coin(void **state) {
    (void)state;
    trial run =
        trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                   "    coin: %s\n"
                   "  contacts: {all: {among: [coin, {body: world, box: [1, 1, 0.1], at: [0, 0, -0.05]}], "
                   "friction: 0.3, restitution: 0.5}}\n"
                   "run: {integrator: rattle, dt: 1e-3, until: 0.001}\n",
                   "{type: spatial, density: 1000, shape: {cylinder: {radius: 0.0221837, length: 0.01}}, position: "
                   "[0.03368817, -0.1404386, 0.009737272], "
                   "rotation: [-0.07991055, -0.5955975, 0.7990854, 0.01845223], "
                   "velocity: [0.1283115, 0.269787, -0.6363645], angular_velocity: [-3.601603, 63.20609, 2.568482]}");
    const double energy = trial_value(&run, "E");
    trial_finish(&run);
    assert_at_most(trial_value(&run, "E"), energy);
    trial_close(&run);
}

/* Euler's disk without friction keeps its energy: the error of rattle falls with dt^2. */
static double energy_error(double dt) {
    trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                           "    disk: {type: spatial, mass: 0.4, shape: {cylinder: {radius: 0.04, length: 0.01}}, "
                           "rotation: {axis: [1, 0, 0], angle: 0.5}, angular_velocity: [0, 0, 60], "
                           "position: [0, 0, 0.04*sin(0.5) + 0.005*cos(0.5)]}\n"
                           "  contacts: {all: {among: [disk, " FLOOR "]}}\n"
                           "run: {integrator: rattle, dt: %g, until: 0.5, tolerance: 1e-13}\n",
                           dt);
    trial_step(&run); /* it strikes the floor as it begins */
    const double energy = trial_value(&run, "E");
    double most = 0;
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        most = fmax(most, fabs(trial_value(&run, "E") - energy));
    }
    trial_close(&run);
    return most / energy;
}

static void test_disk(void **state) {
    (void)state;
    const double coarse = energy_error(1e-3), fine = energy_error(5e-4);
    assert_at_most(coarse, 1e-3);
    assert_at_most(fine, coarse / 3);
}

/* ---- meeting others */

static const char *const shapes[] = {"cylinder: {radius: 0.08, length: 0.2}",
                                     "box: [0.2, 0.15, 0.1]",
                                     "sphere: 0.1",
                                     "capsule: {radius: 0.06, length: 0.15}",
                                     "cylinder: {radius: 0.12, length: 0.03}",
                                     "hull: [[0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2], [-0.1, -0.1, -0.1]]"};

static void momentum_of(const trial *run, double p[3]) {
    static const char *const parts[] = {"x_dot", "y_dot", "z_dot"};
    for (int k = 0; k < 3; k++) {
        p[k] = 0;
        for (int i = 1; i <= 8; i++) {
            char name[32];
            snprintf(name, sizeof name, "%s%d.%s", i <= 4 ? "b" : "c", i <= 4 ? i : i - 4, parts[k]);
            p[k] += trial_value(run, name);
        }
    }
}

/* A free cloud keeps its momentum, whatever flies in it: 400 steps of round-off and tolerance. */
static void test_momentum(void **state) {
    (void)state;
    static const char *const integrators[] = {"rattle", "moreau", "rattle", "lobatto", "rattle", "moreau"};
    for (int i = 0; i < 6; i++) {
        trial run = trial_text("carom: 1\nmodel:\n  bodies:\n"
                               "    b[i=1..4]: {type: spatial, mass: 1, shape: {%s}, position: [0.3*cos(2.4*i), "
                               "0.3*sin(2.4*i), 0.3*i - 1.35], velocity: [-2*cos(2.4*i), -2*sin(2.4*i), 5.4 - 1.2*i], "
                               "angular_velocity: [i, -2, 1]}\n"
                               "    c[i=1..4]: {type: spatial, mass: 1, shape: {%s}, position: [0.3*cos(2.4*i+9.6), "
                               "0.3*sin(2.4*i+9.6), 0.3*i - 0.15], velocity: [-2*cos(2.4*i+9.6), -2*sin(2.4*i+9.6), "
                               "0.6 - 1.2*i], angular_velocity: [i, -2, 1]}\n"
                               "  contacts: {cloud: {among: [b, c], friction: 0.4, restitution: 0.5}}\n"
                               "run: {integrator: %s, dt: 1e-3, until: 0.4, tolerance: 1e-12}\n",
                               shapes[0], shapes[i], integrators[i]);
        double before[3], after[3], energy = trial_value(&run, "E");
        momentum_of(&run, before);
        trial_finish(&run);
        momentum_of(&run, after);
        for (int k = 0; k < 3; k++) assert_near(after[k], before[k], 1e-11);
        assert_at_most(trial_value(&run, "E"), energy - 0.1); /* they have met */
        trial_close(&run);
    }
}

/* The order in which shapes are named is of no consequence: one meeting of two of them, to round-off that a step
 * amplifies little. */
static void test_order(void **state) {
    (void)state;
    for (int i = 0; i < 6; i++) {
        double x[2][7];
        for (int turned = 0; turned < 2; turned++) {
            trial run = trial_text("carom: 1\nmodel:\n  bodies:\n"
                                   "    a: {type: spatial, mass: 1, shape: {%s}, rotation: {axis: [1, 2, 0.5], angle: "
                                   "0.8}, position: [-0.3, 0, 0], velocity: [2, 0, 0]}\n"
                                   "    b: {type: spatial, mass: 1, shape: {%s}, rotation: {axis: [0.2, 1, 1], angle: "
                                   "1.3}, position: [0, 0.03, 0.02]}\n"
                                   "  contacts: {all: {among: [%s], friction: 0.3, restitution: 0.3}}\n"
                                   "run: {integrator: moreau, dt: 1e-3, until: 0.15, tolerance: 1e-12}\n",
                                   shapes[0], shapes[i], turned ? "b, a" : "a, b");
            trial_finish(&run);
            memcpy(x[turned], carom_sim_q(run.sim), sizeof *x);
            assert_at_most(trial_value(&run, "a.x_dot"), 1.9);
            trial_close(&run);
        }
        for (int k = 0; k < 7; k++) assert_near(x[0][k], x[1][k], 1e-7);
    }
}

/* Twenty cans fall into a box and on each other, many of them side by side. Every step has a solution, and none gains
 * energy, by more than the second order of rattle leaves of a flight: 1e-6. */
static void test_loose(void **state) {
    (void)state;
    trial run = trial_text(
        "carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
        "    can[i=1..20]: {type: spatial, mass: 0.3, shape: {cylinder: {radius: 0.033, length: 0.12}}, "
        "position: [0.145*((i-1)-3*floor((i-1)/3)-1), 0.145*(floor((i-1)/3)-3*floor((i-1)/9)-1), "
        "0.08 + 0.145*floor((i-1)/9)], rotation: {axis: [sin(3*i), cos(5*i), sin(2*i)], angle: 2*i}, "
        "angular_velocity: [sin(i), 2*cos(i), 1]}\n"
        "  contacts: {all: {among: [can, " FLOOR ", {body: world, plane: [1, 0, 0], at: [-0.22, 0, 0]}, "
        "{body: world, plane: [-1, 0, 0], at: [0.22, 0, 0]}, {body: world, plane: [0, 1, 0], at: [0, -0.22, 0]}, "
        "{body: world, plane: [0, -1, 0], at: [0, 0.22, 0]}], friction: 0.3, restitution: 0.2}}\n"
        "run: {integrator: rattle, dt: 1e-3, until: 0.56, accept: 1e-3}\n");
    double energy = trial_value(&run, "E");
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        assert_at_most(trial_value(&run, "E"), energy + 1e-6);
        energy = trial_value(&run, "E");
    }
    trial_close(&run);
}

/* Rims on a plane are those of 'between', while it does not lie flat. */
static void test_same_as_written(void **state) {
    (void)state;
    double x[2][7];
    for (int found = 0; found < 2; found++) {
        trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                               "    can: {type: spatial, mass: 1, shape: {cylinder: {radius: 0.1, length: 0.15}}, "
                               "rotation: {axis: [1, 0.2, 0], angle: 0.9}, position: [0, 0, 0.2], "
                               "velocity: [1, 0, 0], angular_velocity: [1, 2, 3]}\n"
                               "  contacts: {all: {%s: [can, " FLOOR "], friction: 0.3, restitution: 0.3}}\n"
                               "run: {integrator: moreau, dt: 5e-4, until: 0.3, tolerance: 1e-12}\n",
                               found ? "among" : "between");
        trial_finish(&run);
        memcpy(x[found], carom_sim_q(run.sim), sizeof *x);
        trial_close(&run);
    }
    for (int k = 0; k < 7; k++) assert_near(x[0][k], x[1][k], 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_slope),           cmocka_unit_test(test_rolling_off),
                                       cmocka_unit_test(test_stands),          cmocka_unit_test(test_coin),
                                       cmocka_unit_test(test_flat_coin),       cmocka_unit_test(test_disk),
                                       cmocka_unit_test(test_momentum),        cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_same_as_written), cmocka_unit_test(test_loose)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
