/* Masses that differ by any factor, and bodies that are almost points: every integrator, against mechanics. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const schemes[] = {"moreau", "symmetric_moreau", "variational_moreau", "theta", "rattle", "lobatto",
                                      "nsga",   "generalized_alpha"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

/* A block falls on another one that rests on the floor, plastic. Both end at rest. The forces are the weights,
 * (m1 + m2) g and m2 g, to round-off of 2e-15 per step, and the places are those of the contact: 0, but for what
 * schemes that drift let pass, 1.4 m/s for a step. */
static void land(const char *scheme, double m1, double m2) {
    const double g = 9.81, dt = 1e-3;
    trial run = trial_text("carom: 1\nmodel:\n"
                           "  coordinates: {a: 0, b: {start: 0.1}}\n"
                           "  kinetic: %.17g*a_dot^2/2 + %.17g*b_dot^2/2\n"
                           "  potential: 9.81*(%.17g*a + %.17g*b)\n"
                           "  contacts: {floor: {gap: a}, between: {gap: b - a}}\n"
                           "run: {integrator: %s, dt: %g, until: 0.3}\n",
                           m1, m2, m1, m2, scheme, dt);
    trial_finish(&run);
    assert_near(trial_value(&run, "a"), 0, 1.5 * dt);
    assert_near(trial_value(&run, "b"), 0, 1.5 * dt);
    assert_near(trial_value(&run, "a_dot"), 0, 1e-12);
    assert_near(trial_value(&run, "b_dot"), 0, 1e-12);
    assert_near(trial_value(&run, "floor.PN") / ((m1 + m2) * g * dt), 1, 1e-10);
    assert_near(trial_value(&run, "between.PN") / (m2 * g * dt), 1, 1e-10);
    trial_close(&run);
}

static void blocks_of_any_mass(void **state) {
    (void)state;
    static const double pairs[][2] = {{1, 1e9}, {1e-9, 1e6}, {1e-7, 1e8}, {1e9, 1e-6}, {1e15, 1}, {1e-15, 1e-15}};
    for (int i = 0; i < SCHEMES; i++)
        for (int k = 0; k < 6; k++) land(schemes[i], pairs[k][0], pairs[k][1]);
}

/* Four blocks with friction, pushed sideways by 0.3 m/s at the top: all come to rest, in any order of the masses. The
 * top slides for at most v/(mu g) = 0.1 s. */
static void rub(const char *scheme, const double *m) {
    trial run = trial_text("carom: 1\nmodel:\n"
                           "  coordinates: {\"y[i=1..4]\": 0, \"x[i=1..3]\": 0, x4: {velocity: 0.3}}\n"
                           "  kinetic: (%.17g*(x1_dot^2 + y1_dot^2) + %.17g*(x2_dot^2 + y2_dot^2)\n"
                           "    + %.17g*(x3_dot^2 + y3_dot^2) + %.17g*(x4_dot^2 + y4_dot^2))/2\n"
                           "  potential: 9.81*(%.17g*y1 + %.17g*y2 + %.17g*y3 + %.17g*y4)\n"
                           "  contacts:\n"
                           "    c1: {gap: y1, slip: x1_dot, friction: 0.3}\n"
                           "    c2: {gap: y2 - y1, slip: x2_dot - x1_dot, friction: 0.3}\n"
                           "    c3: {gap: y3 - y2, slip: x3_dot - x2_dot, friction: 0.3}\n"
                           "    c4: {gap: y4 - y3, slip: x4_dot - x3_dot, friction: 0.3}\n"
                           "run: {integrator: %s, dt: 1e-3, until: 0.5}\n",
                           m[0], m[1], m[2], m[3], m[0], m[1], m[2], m[3], scheme);
    trial_finish(&run);
    for (int i = 0; i < 8; i++) assert_near(carom_sim_u(run.sim)[i], 0, 1e-9);
    trial_close(&run);
}

static void stacks_in_any_order(void **state) {
    (void)state;
    static const double masses[][4] = {{1, 1, 1, 1},           {1e-7, 1e8, 1e-7, 1e8}, {1e8, 1e-7, 1, 1e-3},
                                       {1e-7, 1e-2, 1e3, 1e8}, {1e8, 1e3, 1e-2, 1e-7}, {1e-3, 1e-7, 1e8, 1}};
    for (int i = 0; i < SCHEMES; i++)
        for (int k = 0; k < 6; k++) rub(schemes[i], masses[k]);
}

/* A pendulum of length 1 with a bob of inertia J swings as a point within J: compared with J = 0 in polar form,
 * phi'' = -g sin(phi), by the classical method of Runge and Kutta, order 4, 1e-13. */
static double swing(double phi, double omega, double T) {
    const int n = 20000;
    const double h = T / n, g = 9.81;
    for (int i = 0; i < n; i++) {
        double k1 = omega, l1 = -g * sin(phi), k2 = omega + h / 2 * l1, l2 = -g * sin(phi + h / 2 * k1);
        double k3 = omega + h / 2 * l2, l3 = -g * sin(phi + h / 2 * k2), k4 = omega + h * l3;
        double l4 = -g * sin(phi + h * k3);
        phi += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), omega += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    return phi;
}

/* Errors: (1 + omega T) (omega dt)^p with omega = 3.2 and the order with joints. Newton's method works as for any body:
 * the mean of its steps says that no cure was needed. */
static void bobs_like_points(void **state) {
    (void)state;
    const double exact = sin(swing(atan2(0.6, 0.8), 0, 1));
    for (int i = 0; i < SCHEMES; i++)
        for (double J = 1e-6; J > 1e-16; J *= 1e-3) {
            int order = i < 4 ? 1 : 2;
            trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, -9.81]\n"
                                   "  bodies: {b: {type: planar, mass: 1, inertia: %g, position: [0.6, -0.8]}}\n"
                                   "  joints: {j: {type: revolute, bodies: [world, b], at: [0, 0]}}\n"
                                   "run: {integrator: %s, dt: 1e-3, until: 1}\n",
                                   J, schemes[i]);
            trial_finish(&run);
            assert_near(trial_value(&run, "b.x"), exact, J + 4.2 * pow(3.2e-3, order));
            assert_at_most(carom_sim_newton_mean(run.sim, 0), 12);
            trial_close(&run);
        }
}

/* Forty links of 1e6 and 1e-6 kg in turn, hinged in a row: W^T M^-1 W has entries of 1e6 of which 1e-6 has to be left,
 * and no pivot is above 1e-11 of the largest. More unknowns than fit a full matrix, (S12). */
static trial chain_of_light_and_heavy(const char *vertical, const char *horizontal, double until) {
    return trial_text(
        "carom: 1\nparameters: {n: 20, down: %s, along: %s}\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
        "    a[i=1..n]: {type: spatial, mass: 1e6, inertia: [1e5, 1e5, 1e5],\n"
        "                position: [along*(2*i - 1.5), 0, -down*(2*i - 1.5)]}\n"
        "    b[i=1..n]: {type: spatial, mass: 1e-6, inertia: [1e-7, 1e-7, 1e-7],\n"
        "                position: [along*(2*i - 0.5), 0, -down*(2*i - 0.5)]}\n"
        "  joints:\n"
        "    top: {type: spherical, bodies: [world, a1], at: [0, 0, 0]}\n"
        "    j[i=2..n]: {type: spherical, bodies: [\"b[i-1]\", \"a[i]\"],\n"
        "                at: [along*(2*i - 2), 0, -down*(2*i - 2)]}\n"
        "    k[i=1..n]: {type: spherical, bodies: [\"a[i]\", \"b[i]\"],\n"
        "                at: [along*(2*i - 1), 0, -down*(2*i - 1)]}\n"
        "run: {integrator: rattle, dt: 1e-3, until: %g}\n",
        vertical, horizontal, until);
}

static double force_at(const trial *run, const char *joint, int i) {
    char name[40];
    snprintf(name, sizeof name, "%s%d_3.P", joint, i);
    return fabs(trial_value(run, name)) / 1e-3;
}

/* At rest each joint carries what hangs below it, to round-off of the joint at the top, 1e-15 of which each of the
 * other joints may have for each of the links above it. */
static void hanging_chains_of_light_and_heavy(void **state) {
    (void)state;
    const double g = 9.81, heavy = 1e6 * g, light = 1e-6 * g;
    trial run = chain_of_light_and_heavy("1", "0", 0.05);
    trial_finish(&run);
    for (int i = 1; i <= 20; i++) {
        const double below = (20 - i) * (heavy + light) + light;
        if (i > 1) assert_near(force_at(&run, "j", i), below + heavy, 40 * 1e-15 * 20 * heavy);
        assert_near(force_at(&run, "k", i), below, 40 * 1e-15 * 20 * heavy);
    }
    for (int i = 0; i < 240; i++) assert_near(carom_sim_u(run.sim)[i], 0, 1e-12);
    trial_close(&run);
}

/* It falls out of a horizontal row. The waves that run along it have no more than omega = 2 sqrt(n g/l) = 40/s, and so
 * errors of energy of (omega dt)^2 = 2e-3 of what has been exchanged. Joints stay closed to round-off of places of
 * 40 m. */
static void falling_chains_of_light_and_heavy(void **state) {
    (void)state;
    trial run = chain_of_light_and_heavy("0", "1", 0.2);
    const double before = trial_value(&run, "T") + trial_value(&run, "V");
    trial_finish(&run);
    const double T = trial_value(&run, "T");
    assert_at_least(T, 1e6);
    assert_near(T + trial_value(&run, "V"), before, 2e-3 * T);
    assert_near(trial_value(&run, "k20_1.g"), 0, 1e-12);
    assert_near(trial_value(&run, "k20_3.g"), 0, 1e-12);
    assert_at_most(carom_sim_newton_mean(run.sim, 0), 12);
    trial_close(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_any_mass), cmocka_unit_test(stacks_in_any_order), cmocka_unit_test(bobs_like_points),
        cmocka_unit_test(hanging_chains_of_light_and_heavy), cmocka_unit_test(falling_chains_of_light_and_heavy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
