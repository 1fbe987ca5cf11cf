/* Steps of heaps against those of the same scheme by its step problems. */
#include "friction/heap.h"
#include "integrator/heap_step.h"
#include "model/model.h"
#include "solver/solver.h"
#include "support/trial.h"
#include "threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- steps */

static const char scene[] =
    "carom: 1\nparameters: {R: 0.05}\nmodel:\n  gravity: [0.3, 0.1, -9.81]\n  bodies:\n"
    "    s[i=1..12]: {type: spatial, mass: 1 + 0.1*i, shape: {sphere: R*(1 + 0.02*i)}, position: "
    "[2.6*R*(i - 2*floor((i-1)/2) - 1.5) + 1e-2*sin(7*i), 2.6*R*(floor((i-1)/2) - 2*floor((i-1)/4) - 0.5) + "
    "1e-2*sin(5*i), R*(1.3 + 2.6*floor((i-1)/4))], velocity: [0.5*sin(3*i), 0.5*cos(2*i), -1], "
    "angular_velocity: [3*cos(i), 5, 2*sin(i)]}\n"
    "  contacts: {pile: {among: [s, {body: world, plane: [0, 0, 1]}, {body: world, sphere: 0.02, at: [0, 0, 0.02]}], "
    "friction: 0.3, restitution: 0.2}}\n"
    "run: {integrator: %s, dt: 1e-3, until: 0.12, accept: 1e-9}\n";

/* Boxes with three inertias, cubes, capsules and balls that fall on a plane, on a ball of the world and on each other:
 * faces, edges, vertices and round surfaces meet. */
static const char mixed[] =
    "carom: 1\nmodel:\n  gravity: [0.3, 0.1, -9.81]\n  bodies:\n"
    "    b[i=1..3]: {type: spatial, mass: 1 + 0.1*i, shape: {box: [0.1, 0.14, 0.05*i]}, rotation: {axis: [1, i, 0.5], "
    "angle: 0.3*i}, position: [0.2*i - 0.4, 0.02*i, 0.1 + 0.01*i], velocity: [0.1*sin(3*i), 0.1*cos(2*i), -0.3], "
    "angular_velocity: [cos(i), 2, sin(i)]}\n"
    "    c[i=1..2]: {type: spatial, mass: 1, shape: {capsule: {radius: 0.03, length: 0.15}}, rotation: {axis: [1, i, "
    "0.5], angle: 1.2*i}, position: [0.2*i - 0.3, 0, 0.22], velocity: [0, 0.1, -1], angular_velocity: [1, i, 1]}\n"
    "    s[i=1..2]: {type: spatial, mass: 0.5, shape: {sphere: 0.05}, position: [0.25*i - 0.35, 0.03, 0.35], "
    "velocity: [0, 0, -1]}\n"
    "  contacts: {pile: {among: [b, c, s, {body: world, plane: [0, 0, 1]}, {body: world, sphere: 0.02, at: [0, 0.1, "
    "0.02]}], friction: 0.3, restitution: 0.2}}\n"
    "run: {integrator: %s, dt: 1e-3, until: 0.12, accept: 1e-9}\n";

/* Cans, coins, a box and a ball that fall on a plane, on a cylinder of the world and on each other: rims on faces,
 * along sides, across edges and each other. */
static const char cans[] =
    "carom: 1\nmodel:\n  gravity: [0.3, 0.1, -9.81]\n  bodies:\n"
    "    c[i=1..3]: {type: spatial, mass: 1 + 0.1*i, shape: {cylinder: {radius: 0.04, length: 0.05*i}}, rotation: "
    "{axis: "
    "[1, i, 0.5], angle: 0.8*i}, position: [0.2*i - 0.4, 0.02*i, 0.1 + 0.01*i], velocity: [0.1*sin(3*i), 0.1*cos(2*i), "
    "-0.3], angular_velocity: [cos(i), 2, sin(i)]}\n"
    "    d[i=1..2]: {type: spatial, mass: 0.5, shape: {cylinder: {radius: 0.05, length: 0.02}}, rotation: {axis: [1, "
    "i, "
    "0.5], angle: 1.2*i}, position: [0.2*i - 0.3, 0.02, 0.21], velocity: [0, 0.1, -1], angular_velocity: [1, i, 1]}\n"
    "    b: {type: spatial, mass: 0.5, shape: {box: [0.1, 0.06, 0.08]}, rotation: {axis: [1, 2, 0.5], angle: 1}, "
    "position: [0, 0.03, 0.33], velocity: [0, 0, -1]}\n"
    "    s: {type: spatial, mass: 0.5, shape: {sphere: 0.05}, position: [0.2, 0.03, 0.35], velocity: [0, 0, -1]}\n"
    "  contacts: {pile: {among: [c, d, b, s, {body: world, plane: [0, 0, 1]}, {body: world, cylinder: {radius: 0.03, "
    "length: 0.5}, axis: [1, 0, 0], at: [0, 0.1, 0.03]}], friction: 0.3, restitution: 0.2}}\n"
    "run: {integrator: %s, dt: 1e-3, until: 0.12, accept: 1e-9}\n";

static void ignore(void *count, problem *p, const double *z) {
    (void)p, (void)z;
    ++*(int *)count;
}

/* The same scheme with the same laws, by step problems and without: whoever watches step problems makes them be solved.
 * Both miss laws by 1e-9 of percussions of some 0.1 m/s in each of 120 steps; a few impacts one after the other amplify
 * that by some ten each. So both motions differ by less than 1e-9 * 0.1 * 120 * 1e3 in velocities, and bodies by less
 * than 1e-6 m; the smallest error of a law that one of them had wrong, dt^2 g in a step, would be larger. Both carry
 * slip as tangents are carried. So percussions of 0.2 kg m/s differ by no more than 5e-5. (In its first step
 * symmetric_moreau adds up percussions of two places, as components or as vectors.) */
static void compare_steps(const char *text, int schemes) {
    static const char *const integrators[] = {"moreau", "rattle", "symmetric_moreau"};
    for (int k = 0; k < schemes; k++) {
        trial run[2] = {trial_text(text, integrators[k]), trial_text(text, integrators[k])};
        const int nq = carom_scene_model(run[0].scene)->def.nq;
        int solved = 0, touched = 0;
        double apart = 0;
        static carom_found met[2][100];
        while (!carom_sim_done(run[0].sim)) {
            trial_stride(&run[0]);
            solver_show(ignore, &solved);
            trial_stride(&run[1]);
            solver_show(NULL, NULL);
            const int count = carom_sim_found(run[0].sim, met[0], 100);
            assert_int_equal(carom_sim_found(run[1].sim, met[1], 100), count);
            for (int i = 0; i < count; i++, touched++) {
                assert_string_equal(met[0][i].first, met[1][i].first);
                assert_string_equal(met[0][i].second, met[1][i].second);
                for (int j = 0; j < 3; j++) {
                    assert_near(met[0][i].point[j], met[1][i].point[j], 1e-6);
                    if (carom_sim_steps(run[0].sim) > 1) assert_near(met[0][i].P[j], met[1][i].P[j], 5e-5);
                }
            }
            assert_near(trial_value(&run[0], "E"), trial_value(&run[1], "E"), 1e-5);
        }
        for (int i = 0; i < nq; i++) apart = fmax(apart, fabs(carom_sim_q(run[0].sim)[i] - carom_sim_q(run[1].sim)[i]));
        assert_at_most(apart, 1e-6);
        assert_true(solved > 100 && touched > 100);
        assert_near(trial_value(&run[0], "work.friction"), trial_value(&run[1], "work.friction"), 1e-5);
        trial_close(&run[0]), trial_close(&run[1]);
    }
}

static void test_steps(void **state) {
    (void)state;
    compare_steps(scene, 3);
}

static void test_steps_of_any_shape(void **state) {
    (void)state;
    compare_steps(mixed, 2); /* symmetric_moreau takes such bodies by step problems */
}

/* However few percussions are wrong by how much: after every step of a pile that falls and settles no gap is below the
 * part E/50 of a radius, (FC22). The sum over all contacts alone, (FC11), lets some sink twice as deep. */
static void test_depth(void **state) {
    (void)state;
    enum { MANY = 343, ROOM = 20 * MANY };
    static const char pile[] =
        "carom: 1\nparameters: {k: 7, R: 0.05}\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
        "    s[i=1..343]: {type: spatial, mass: 1, shape: {sphere: R}, position: [2.1*R*(i - k*floor((i-1)/k) - 0.5 + "
        "0.02*sin(7*i)), 2.1*R*(floor((i-1)/k) - k*floor((i-1)/k^2) + 0.5 + 0.02*sin(5*i)), "
        "2.02*R*(floor((i-1)/k^2) + 0.5)], velocity: [0, 0, -1]}\n"
        "  contacts:\n    pile: {among: [s, {body: world, plane: [0, 0, 1]}, {body: world, plane: [1, 0, 0]}, {body: "
        "world, plane: [0, 1, 0]}, {body: world, plane: [-1, 0, 0], at: [2.1*R*k, 0, 0]}, {body: world, plane: "
        "[0, -1, 0], at: [0, 2.1*R*k, 0]}], friction: 0.3}\n"
        "run: {integrator: rattle, dt: 1e-3, until: 0.15, accept: %s}\n";
    static const struct {
        const char *text;
        double E;
    } accepted[] = {{"1e-2", 1e-2}, {"1e-3", 1e-3}};
    static carom_found met[ROOM];
    for (int i = 0; i < 2; i++) {
        trial run = trial_text(pile, accepted[i].text);
        double deepest = 0;
        while (!carom_sim_done(run.sim)) {
            trial_stride(&run);
            const int count = carom_sim_found(run.sim, met, ROOM);
            assert_in_range(count, 1, ROOM);
            for (int k = 0; k < count; k++) deepest = fmin(deepest, met[k].gap);
        }
        assert_at_least(deepest, -accepted[i].E / 50 * 0.05);
        assert_at_most(deepest, 0); /* bodies do meet */
        trial_close(&run);
    }
}

/* A ball that rests on a plane within E/100 of its radius from it stays there, and carries its weight: velocities are
 * those of an exact solution, so only round-off moves it, 1e-13 m in a step of a thousand. From farther away it closes
 * its gap, from deeper it comes up to this depth, to the part E of the velocities that this takes, 1e-6 m/s, in a step
 * of 1e-3 s (FC37). */
static void test_kept_gaps(void **state) {
    (void)state;
    static const double gap[] = {4e-7, -4e-7, 6e-7, -7e-7}, end[] = {4e-7, -4e-7, 0, -5e-7};
    for (int i = 0; i < 4; i++) {
        carom_found met[1];
        trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n    s: {type: spatial, mass: 2, "
                               "shape: {sphere: 0.05}, position: [0, 0, 0.05 + %.1e]}\n"
                               "  contacts: {floor: {among: [s, {body: world, plane: [0, 0, 1]}], friction: 0.3}}\n"
                               "run: {integrator: rattle, dt: 1e-3, until: 1, accept: 1e-3}\n",
                               gap[i]);
        for (int k = 0; k < 10; k++) trial_stride(&run);
        const double height = carom_sim_q(run.sim)[2];
        assert_near(height, 0.05 + end[i], i < 2 ? 1e-12 : 1e-9);
        while (!carom_sim_done(run.sim)) {
            trial_stride(&run);
            assert_int_equal(carom_sim_newton(run.sim, 0) + carom_sim_newton(run.sim, 1), 0);
            assert_int_equal(carom_sim_found(run.sim, met, 1), 1);
            assert_near(met[0].PN, 2 * 9.81 * 1e-3, 1e-12);
        }
        assert_near(carom_sim_q(run.sim)[2], height, 1e-10);
        trial_close(&run);
    }
}

/* Bricks whose corners lie on edges of those below: which of the features that meet there are listed changes from step
 * to step, and loads go from one to the other (FC38). At rest a guess then misses no more than the errors of the last
 * steps, a few E, which few sweeps divide by a few. A contact that lost its load would miss all of it, and positions
 * take dozens. Checkpoints, after which features are chosen anew, are among these steps. */
static void test_inherited_loads(void **state) {
    (void)state;
    trial run = trial_text(
        "carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n    b[i=1..30]: {type: spatial, mass: 1, shape: {box: "
        "[0.2, 0.1, 0.1]}, position: [0.2001*(i - 6*floor((i-1)/6)) + 0.1*(floor((i-1)/6) - 2*floor((i-1)/12)), 0, "
        "0.1*floor((i-1)/6) + 0.05]}\n  contacts: {wall: {among: [b, {body: world, plane: [0, 0, 1]}], friction: "
        "0.6}}\n"
        "run: {integrator: rattle, dt: 1e-3, until: 0.3, accept: 1e-3}\n");
    while (!carom_sim_done(run.sim)) {
        trial_stride(&run);
        if (carom_sim_steps(run.sim) > 100) assert_in_range(carom_sim_newton(run.sim, 0), 0, 8);
    }
    trial_close(&run);
}

/* Packed spheres at rest: what positions miss at the guess is what velocities missed in the last step, E/5 of all
 * percussions or less, (FC39), beside E of the first half of them. So hardly any step sweeps for positions, and bodies
 * move by no more than E of what contacts carry, some 0.1 m/s. */
static void test_steps_without_sweeps(void **state) {
    (void)state;
    trial run = trial_text(
        "carom: 1\nparameters: {k: 6, R: 0.05, s: 0.0501, h: sqrt(4*R^2 - 2*s^2)}\nmodel:\n  gravity: [0, 0, -9.81]\n"
        "  bodies:\n    a[i=1..180]: {type: spatial, mass: 1, shape: {sphere: R}, position: [2*s*(i - k*floor((i-1)/k) "
        "- 0.5), 2*s*(floor((i-1)/k) - k*floor((i-1)/k^2) + 0.5), R + 2*h*floor((i-1)/k^2)]}\n"
        "    b[i=1..100]: {type: spatial, mass: 1, shape: {sphere: R}, position: [2*s*(i - (k-1)*floor((i-1)/(k-1))), "
        "2*s*(floor((i-1)/(k-1)) - (k-1)*floor((i-1)/(k-1)^2) + 1), R + h + 2*h*floor((i-1)/(k-1)^2)]}\n"
        "  contacts: {pile: {among: [a, b, {body: world, plane: [0, 0, 1]}, {body: world, plane: [1, 0, 0]}, {body: "
        "world, plane: [0, 1, 0]}, {body: world, plane: [-1, 0, 0], at: [2*s*k, 0, 0]}, {body: world, plane: [0, -1, "
        "0], at: [0, 2*s*k, 0]}], friction: 0.3}}\n"
        "run: {integrator: rattle, dt: 1e-3, until: 0.3, accept: 1e-3}\n");
    int swept = 0;
    double speed = 0;
    while (!carom_sim_done(run.sim)) {
        trial_stride(&run);
        swept += carom_sim_steps(run.sim) > 100 && carom_sim_newton(run.sim, 0) > 0;
    }
    for (int i = 0; i < 6 * 280; i++)
        if (i % 6 < 3) speed += carom_sim_u(run.sim)[i] * carom_sim_u(run.sim)[i] / 280;
    assert_in_range(swept, 0, 50); /* of 200 */
    assert_at_most(sqrt(speed), 1e-4);
    trial_close(&run);
}

static void test_steps_of_cylinders(void **state) {
    (void)state;
    compare_steps(cans, 2);
}

/* Ten boxes on each other, exactly solved: once a step problem has found the percussions, steps at rest need none. Gaps
 * and slips stay what round-off makes of them, 1e-12 m in ten seconds, and nothing else happens in a run that is
 * resumed from a checkpoint: its bits are the same. */
static void rest(const char *tower, int axes, int nq) {
    trial run = trial_text("%s", tower), again = trial_text("%s", tower);
    double *saved = malloc(carom_sim_state_size(run.sim) * sizeof *saved);
    carom_error error;
    int iterations = 0, late = 0;
    while (!carom_sim_done(run.sim)) {
        trial_stride(&run);
        const int newton = carom_sim_newton(run.sim, 0) + carom_sim_newton(run.sim, 1);
        iterations += newton, late += carom_sim_steps(run.sim) > 10 ? newton : 0;
        if (carom_sim_steps(run.sim) == 10 * CAROM_CHECKPOINT) carom_sim_save(run.sim, saved);
    }
    assert_true(iterations > 0);
    assert_int_equal(late, 0);
    for (int i = 0; i < 10; i++) {
        const double *q = carom_sim_q(run.sim) + nq * i;
        for (int k = 0; k < axes - 1; k++) assert_near(q[k], 0, 1e-12);
        assert_near(q[axes - 1], 0.2 * i + 0.1, 1e-12);
    }
    static carom_found met[100];
    const int count = carom_sim_found(run.sim, met, 100);
    double weight = 0;
    for (int i = 0; i < count; i++) {
        assert_at_least(met[i].gap, -1e-12);
        if (!strcmp(met[i].first, "world") || !strcmp(met[i].second, "world")) weight += met[i].PN;
    }
    assert_near(weight, 10 * 9.81 * 1e-3, 1e-12);
    assert_int_equal(carom_sim_load(again.sim, saved, &error), CAROM_OK);
    while (!carom_sim_done(again.sim)) trial_stride(&again);
    assert_true(carom_sim_hash(again.sim) == carom_sim_hash(run.sim));
    free(saved);
    trial_close(&run), trial_close(&again);
}

static void test_rest(void **state) {
    (void)state;
    rest("carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n    b[i=1..10]: {type: spatial, mass: 1, "
         "shape: {box: [0.2, 0.3, 0.2]}, position: [0, 0, 0.2*i - 0.1]}\n"
         "  contacts: {tower: {among: [b, {body: world, plane: [0, 0, 1]}], friction: 0.5}}\n"
         "run: {integrator: rattle, dt: 1e-3, until: 10}\n",
         3, 7);
    rest("carom: 1\nmodel:\n  gravity: [0, -9.81]\n  bodies:\n    b[i=1..10]: {type: planar, mass: 1, "
         "shape: {box: [0.2, 0.2]}, position: [0, 0.2*i - 0.1]}\n"
         "  contacts: {tower: {among: [b, {body: world, plane: [0, 1]}], friction: 0.5}}\n"
         "run: {integrator: rattle, dt: 1e-3, until: 10}\n",
         2, 3);
}

/* A run of dice goes on from a checkpoint with the same bits: what contacts carry is part of the state. */
static void test_resumed(void **state) {
    (void)state;
    trial run = trial_text(mixed, "rattle"), again = trial_text(mixed, "rattle");
    double *saved = malloc(carom_sim_state_size(run.sim) * sizeof *saved);
    carom_error error;
    while (!carom_sim_done(run.sim)) {
        trial_stride(&run);
        if (carom_sim_steps(run.sim) == 3 * CAROM_CHECKPOINT) carom_sim_save(run.sim, saved);
    }
    assert_int_equal(carom_sim_load(again.sim, saved, &error), CAROM_OK);
    while (!carom_sim_done(again.sim)) trial_stride(&again);
    assert_true(carom_sim_hash(again.sim) == carom_sim_hash(run.sim));
    free(saved);
    trial_close(&run), trial_close(&again);
}

/* More than one thread is refused where there are none, before the first step. */
static void test_threads_option(void **state) {
    (void)state;
    static const char text[] = "carom: 1\nmodel: {coordinates: {x: {start: 1}}, kinetic: x_dot^2/2}\n"
                               "run: {integrator: rattle, dt: 1e-3, until: 1, accept: 1e-3, threads: 2}\n";
    carom_scene *loaded;
    carom_sim *sim;
    carom_error error;
    assert_int_equal(carom_scene_parse(text, sizeof text - 1, "text", NULL, 0, &loaded, &error), CAROM_OK);
    const carom_status status = carom_sim_create(carom_scene_model(loaded), carom_scene_run(loaded), &sim, &error);
    assert_int_equal(status, has_threads ? CAROM_OK : CAROM_DATA);
    if (status) assert_non_null(strstr(error.message, "built without OpenMP"));
    else carom_sim_destroy(sim);
    carom_scene_destroy(loaded);
}

/* Which models and runs are stepped so. */
static void test_kinds(void **state) {
    (void)state;
    static const char *const text = "carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                                    "    b[i=1..2]: {type: spatial, mass: 1, shape: %s, position: [0, 0, i]%s}\n"
                                    "  contacts: {all: {among: [b, {body: world, plane: [0, 0, 1]}], friction: 0.2}}\n"
                                    "run: {integrator: %s, dt: 1e-3, until: 1%s}\n";
    static const struct {
        const char *integrator, *shape, *more, *accept;
        bool is_heap;
    } cases[] = {{"rattle", "{sphere: 0.1}", "", ", accept: 1e-3", true},
                 {"rattle", "{sphere: 0.1}", "", "", true},
                 {"moreau", "{sphere: 0.1}", "", "", false},
                 {"moreau", "{sphere: 0.1}", ", inertia: [1, 1, 2]", ", accept: 1e-3", true},
                 {"lobatto", "{sphere: 0.1}", "", "", false},
                 {"rattle", "{capsule: {radius: 0.1, length: 0.2}}", "", ", accept: 1e-3", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        heap_step *made;
        trial run = trial_text(text, cases[i].shape, cases[i].more, cases[i].integrator, cases[i].accept);
        const carom_model *model = carom_scene_model(run.scene);
        assert_true(heap_step_create(&made, model, model->finder, carom_scene_run(run.scene)));
        assert_true((made != NULL) == cases[i].is_heap);
        heap_step_destroy(made);
        trial_close(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads_option),
                                       cmocka_unit_test(test_steps),
                                       cmocka_unit_test(test_steps_of_any_shape),
                                       cmocka_unit_test(test_steps_of_cylinders),
                                       cmocka_unit_test(test_depth),
                                       cmocka_unit_test(test_kept_gaps),
                                       cmocka_unit_test(test_inherited_loads),
                                       cmocka_unit_test(test_steps_without_sweeps),
                                       cmocka_unit_test(test_rest),
                                       cmocka_unit_test(test_resumed),
                                       cmocka_unit_test(test_kinds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
