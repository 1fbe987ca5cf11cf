/* Located events of contacts that are found: against the same contacts written out, orders through impacts, chains of
 * impacts within one step between bodies that were far apart at its start, rest over checkpoints. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FLOOR "{body: world, plane: [0, 0, 1]}"
#define LOCATED "events: locate, tolerance: 1e-13}\n"

/* ---- against contacts between pairs */

#define BALLS                                                                                                          \
    "carom: 1\nparameters: {R: 0.1}\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"                                    \
    "    cue: {type: spatial, mass: 1, shape: {sphere: R}, position: [-0.4, 0.03, 1.5*R], velocity: [3, 0, 0], "       \
    "angular_velocity: [0, 5, 20]}\n"                                                                                  \
    "    ball[i=1..2]: {type: spatial, mass: 1, shape: {sphere: R}, position: [2.2*R*(i-1), 0.02*(-1)^i, R]}\n"        \
    "    die: {type: spatial, mass: 1, shape: {box: [R, R, R]}, position: [0.1, 1, 0.3], "                             \
    "rotation: {axis: [1, 2, 3], angle: 1}}\n  contacts:\n"
#define LAW "friction: 0.2, restitution: 0.47}\n"
#define RUN "run: {integrator: %s, dt: 5e-3, until: 0.25, " LOCATED

/* The same rows but for the order and tangents of contacts, on which a located motion does not depend. Round-off of
 * 1e-13 in velocities is amplified by some ten impacts, each by less than ten. */
static void test_same_as_written(void **state) {
    (void)state;
    static const char *const integrators[] = {"rattle", "lobatto"};
    static const char *const quantities[] = {"cue.x", "cue.wy", "ball1.x",       "ball2.y",
                                             "die.x", "die.wz", "work.friction", "work.impacts"};
    for (int i = 0; i < 2; i++) {
        trial written = trial_text(
            BALLS "    table[i=1..2]: {between: [\"ball[i]\", " FLOOR "], " LAW "    cue_table: {between: [cue, " FLOOR
                  "], " LAW "    die_table: {between: [die, " FLOOR "], " LAW
                  "    shot[i=1..2]: {between: [cue, \"ball[i]\"], " LAW "    bump: {between: [ball1, ball2], " LAW RUN,
            integrators[i]);
        trial found = trial_text(BALLS "    all: {among: [[cue, ball], [cue, ball, " FLOOR "]], " LAW
                                       "    throw: {among: [[die], [" FLOOR "]], " LAW RUN,
                                 integrators[i]);
        trial_finish(&written), trial_finish(&found);
        assert_true(carom_sim_certifies(found.sim));
        assert_int_equal(carom_sim_captured(found.sim), carom_sim_captured(written.sim));
        for (size_t k = 0; k < sizeof quantities / sizeof *quantities; k++)
            assert_near(trial_value(&found, quantities[k]), trial_value(&written, quantities[k]), 1e-7);
        assert_at_most(trial_value(&written, "work.friction"), -0.1);
        trial_close(&written), trial_close(&found);
    }
}

/* Capsules that cross, strike with their ends and fall on the floor: the same five and two gaps in both ways. */
static void test_capsules(void **state) {
    (void)state;
    static const char *const bodies =
        "carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
        "    a: {type: spatial, mass: 1, shape: {capsule: {radius: 0.05, length: 0.3}}, position: [0, 0, 0.5], "
        "rotation: {axis: [1, 0, 0], angle: 1.5}, velocity: [0.3, 0, -1]}\n"
        "    b: {type: spatial, mass: 1, shape: {capsule: {radius: 0.05, length: 0.4}}, position: [0.02, 0.03, 0.3], "
        "rotation: {axis: [0, 1, 0], angle: 1.2}}\n  contacts:\n";
    static const char *const run = "run: {integrator: lobatto, dt: 2e-3, until: 0.3, " LOCATED;
    trial written = trial_text("%s    ab: {between: [a, b], " LAW "    af: {between: [a, " FLOOR "], " LAW
                               "    bf: {between: [b, " FLOOR "], " LAW "%s",
                               bodies, run);
    trial found = trial_text("%s    all: {among: [a, b, " FLOOR "], " LAW "%s", bodies, run);
    const double energy = trial_value(&found, "E");
    trial_finish(&written), trial_finish(&found);
    for (int i = 0; i < 14; i++) assert_near(carom_sim_q(found.sim)[i], carom_sim_q(written.sim)[i], 1e-7);
    assert_at_most(trial_value(&found, "E"), energy - 1); /* they have met */
    trial_close(&written), trial_close(&found);
}

/* ---- order */

/* Two balls on springs that stretch, in a field: they strike each other and the floor, with friction. */
enum { NQ = 14 };
static void end_of(const char *integrator, double dt, double *q) {
    trial run =
        trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                   "    a: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [-0.5, 0, 0.4], "
                   "velocity: [1.5, 0, 0], angular_velocity: [3, 1, 0]}\n"
                   "    b: {type: spatial, mass: 2, shape: {sphere: 0.15}, position: [0.5, 0.05, 0.35], "
                   "velocity: [-1, 0, 0.5]}\n"
                   "  springs:\n"
                   "    sa: {between: [a, world], points: [[0.05, 0, 0], [0, 0, 1]], stiffness: 20, length: 0.5}\n"
                   "    sb: {between: [b, world], points: [[0, 0.05, 0], [0, 0, 1]], stiffness: 30, length: 0.4}\n"
                   "  contacts: {all: {among: [a, b, " FLOOR "], friction: 0.3, restitution: 0.7}}\n"
                   "run: {integrator: %s, dt: %g, until: 0.64, " LOCATED,
                   integrator, dt);
    int events = 0;
    while (!carom_sim_done(run.sim)) {
        int count;
        trial_stride(&run);
        carom_sim_events(run.sim, &count);
        events += count;
    }
    assert_at_least(events, 2);
    assert_int_equal(carom_sim_captured(run.sim), 0);
    memcpy(q, carom_sim_q(run.sim), NQ * sizeof *q);
    trial_close(&run);
}

/* Order 2s-2 through impacts. An order that is seen over two halvings is off by its next term: half an order is left.
 */
static void test_orders(void **state) {
    (void)state;
    static const struct {
        const char *integrator;
        double dt, order;
    } cases[] = {{"rattle", 0.01, 2}, {"lobatto, stages: 3", 0.02, 4}, {"lobatto, stages: 4", 0.08, 6}};
    double exact[NQ], q[NQ];
    end_of("lobatto, stages: 5", 0.01, exact);
    for (int i = 0; i < 3; i++) {
        double dt[3], error[3];
        for (int k = 0; k < 3; k++) {
            dt[k] = cases[i].dt / (1 << k);
            error[k] = 0;
            end_of(cases[i].integrator, dt[k], q);
            for (int j = 0; j < NQ; j++) error[k] = fmax(error[k], fabs(q[j] - exact[j]));
        }
        const double order = observed_order(3, dt, error);
        printf("%s: errors %.2g %.2g %.2g, order %.2f\n", cases[i].integrator, error[0], error[1], error[2], order);
        assert_at_least(order, cases[i].order - 0.5);
    }
}

/* ---- no pair is missed within a step */

/* Equal balls in a row hand their velocity on, whatever dt: the one that is struck was at rest, and far from the next.
 * Then the first one comes back from the wall: 50 m/s, 0.5 m between walls, steps of 0.05 s. */
static void test_chain(void **state) {
    (void)state;
    trial row = trial_text("carom: 1\nmodel:\n  bodies:\n"
                           "    b[i=1..4]: {type: spatial, mass: 1, shape: {sphere: 0.05}, position: [i, 0, 0], "
                           "velocity: [20*(i < 1.5), 0, 0]}\n"
                           "  contacts: {all: {among: [b], restitution: 1}}\n"
                           "run: {integrator: rattle, dt: 0.25, until: 0.25, " LOCATED);
    trial_finish(&row);
    for (int i = 0; i < 3; i++) assert_near(carom_sim_u(row.sim)[6 * i], 0, 1e-9);
    assert_near(carom_sim_u(row.sim)[18], 20, 1e-9);
    assert_near(carom_sim_q(row.sim)[21], 4 + 20 * (0.25 - 2.7 / 20), 1e-9);
    trial_close(&row);
    trial walls = trial_text("carom: 1\nmodel:\n  bodies:\n"
                             "    b: {type: spatial, mass: 1, shape: {sphere: 0.05}, position: [0.1, 0, 0], "
                             "velocity: [50, 0, 0]}\n"
                             "  contacts: {all: {among: [b, {body: world, plane: [1, 0, 0]}, {body: world, plane: [-1, "
                             "0, 0], at: [0.6, 0, 0]}], restitution: 1}}\n"
                             "run: {integrator: lobatto, dt: 0.05, until: 0.5, " LOCATED);
    trial_finish(&walls);
    const double way = fmod(0.05 + 50 * 0.5, 1);
    assert_near(carom_sim_q(walls.sim)[0], 0.05 + (way < 0.5 ? way : 1 - way), 1e-9);
    trial_close(&walls);
}

/* A ball at rest is struck, and comes back to where it was within the same step: driven by its spring, or by a post
 * that stands in its way. It ends at rest in any case, and only the time at which the striker leaves tells which it
 * was: b = v/omega sin(omega t) reaches the post at omega t = pi/6. Eight stages follow the oscillation to 1e-8 or so.
 */
static void test_return(void **state) {
    (void)state;
    trial run =
        trial_text("carom: 1\nparameters: {R: 0.02}\nmodel:\n  bodies:\n"
                   "    a: {type: spatial, mass: 1, shape: {sphere: R}, position: [-0.1 - 2*R, 0, 0], velocity: "
                   "[2, 0, 0]}\n"
                   "    b: {type: spatial, mass: 1, shape: {sphere: R}}\n"
                   "  loads: {spring: {body: b, force: [-100*b.x, 0, 0]}}\n"
                   "  contacts: {all: {among: [a, b, {body: world, sphere: R, at: [0.1 + 2*R, 0, 0]}], "
                   "restitution: 1}}\n"
                   "run: {integrator: lobatto, stages: 8, dt: 0.4, until: 0.4, " LOCATED);
    trial_finish(&run);
    const double met = 0.05 + acos(-1) / 30;
    assert_near(carom_sim_q(run.sim)[0], -0.04 - 2 * (0.4 - met), 1e-6);
    assert_near(carom_sim_u(run.sim)[6], 0, 1e-6);
    trial_close(&run);
}

/* ---- rest */

/* A ball that rolls keeps its states over checkpoints, at which what contacts hold is forgotten: nothing happens. */
static void test_rolls(void **state) {
    (void)state;
    static const char *const text = "carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                                    "    b: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [0, 0, 0.1], "
                                    "velocity: [0.3, 0, 0], angular_velocity: [0, 3, 0]}\n"
                                    "    c: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [1, 0, 0.1], "
                                    "velocity: [0.5, 0, 0]}\n"
                                    "  contacts: {all: {among: [b, c, " FLOOR "], friction: 0.3, restitution: 0.5}}\n"
                                    "run: {integrator: %s, dt: 1e-3, until: 0.45, events: locate, tolerance: 1e-8}\n";
    static const char *const integrators[] = {"rattle", "lobatto"};
    for (int i = 0; i < 2; i++) {
        trial run = trial_text(text, integrators[i]);
        int events = 0;
        while (!carom_sim_done(run.sim)) {
            int count;
            trial_stride(&run);
            carom_sim_events(run.sim, &count);
            events += count;
        }
        assert_int_equal(events, 1); /* c slides, and rolls from then on */
        assert_near(carom_sim_q(run.sim)[0], 0.3 * 0.45, 1e-8);
        assert_near(carom_sim_u(run.sim)[6], 0.5 * 5 / 7, 1e-8);
        trial_close(&run);
        trial_resumes(trial_text(text, integrators[i]), trial_text(text, integrators[i]));
    }
}

static void test_refused(void **state) {
    (void)state;
    trial_refused("'a' and 'b' make others", NULL,
                  "carom: 1\nmodel:\n  bodies:\n"
                  "    a: {type: spatial, mass: 1, shape: {cylinder: {radius: 0.1, length: 1}}}\n"
                  "    b: {type: spatial, mass: 1, shape: {cylinder: {radius: 0.1, length: 1}}, position: [2, 0, 0]}\n"
                  "  contacts: {all: {among: [a, b]}}\nrun: {integrator: rattle, dt: 1e-3, until: 1, " LOCATED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_written), cmocka_unit_test(test_capsules), cmocka_unit_test(test_orders),
        cmocka_unit_test(test_chain),           cmocka_unit_test(test_return),   cmocka_unit_test(test_rolls),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
