/* Setup allocates, a step computes: no allocation in the step loop; and setup survives every allocation that fails. The
 * C library's malloc is replaced by one that counts, and fails when told to (not under the sanitizers, which bring
 * their own). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "carom/carom.h"

static long allocations, held, fails = -1; /* so far; not yet freed; the one that fails from now on, -1: none */

#if !defined CAROM_SANITIZED && defined __GLIBC__
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void __libc_free(void *old);

/* to libraries, too: KLU's allocations count */
#define VISIBLE __attribute__((visibility("default")))

static bool refused(void) {
    allocations++;
    return fails >= 0 && fails-- == 0;
}

VISIBLE void *malloc(size_t size) {
    void *room = refused() ? NULL : __libc_malloc(size);
    held += room != NULL;
    return room;
}

VISIBLE void *calloc(size_t count, size_t size) {
    void *room = refused() ? NULL : __libc_calloc(count, size);
    held += room != NULL;
    return room;
}

VISIBLE void *realloc(void *old, size_t size) {
    void *room = refused() ? NULL : __libc_realloc(old, size);
    held += !old && room;
    return room;
}

VISIBLE void free(void *old) {
    held -= old != NULL;
    __libc_free(old);
}
#endif

/* A step allocates nothing unless a contact changes its state, or a checkpoint makes the sparse solver forget its
 * pivots: then large systems are factorised anew. Small ones never allocate. */
static void run(const char *scene_path, const char *integrator, const char *parameter, int steps, bool large) {
    char choice[64] = "run.integrator=";
    const char *overrides[] = {strcat(choice, integrator), parameter};
    carom_scene *scene;
    carom_sim *sim;
    carom_error error;
    int quiet = 0;
    bool changed = true; /* in the last step */
    assert_int_equal(carom_scene_load(scene_path, overrides, 2, &scene, &error), CAROM_OK);
    if (carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error) == CAROM_DATA) {
        carom_scene_destroy(scene); /* not made for this scene */
        return;
    }
    assert_non_null(sim);
    int contacts = carom_model_get(carom_scene_model(scene))->contacts;
    carom_contact_state states[1000] = {0};
    for (int step = 0; step < steps; step++) {
        bool excused = large && (changed || carom_sim_checkpoint(sim));
        changed = false;
        long before = allocations;
        assert_int_equal(carom_sim_step(sim, &error), CAROM_OK);
        for (int k = 0; k < contacts; k++) {
            changed = changed || states[k] != carom_sim_contact(sim, k);
            states[k] = carom_sim_contact(sim, k);
        }
        for (int k = 0; k < carom_sim_stages(sim); k++) changed = changed || carom_sim_newton(sim, k) > 1;
        if (excused || (large && changed)) continue;
        assert_int_equal(allocations, before);
        quiet++;
    }
    assert_true(quiet > steps / 2);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

static void small(void **state) {
    (void)state;
    run("scenes/paper/rattle/slider_crank.yaml", "rattle", "run.until=1", 1400, false);
    for (int i = 0; i < carom_integrators(); i++) {
        const char *name = carom_integrator(i)->name;
        run("scenes/paper/rattle/ball_1.yaml", name, "run.until=9", 600, false);
        run("scenes/gallery/bowl.yaml", name, "run.until=9", 60, false);
    }
    run("scenes/gallery/top.yaml", "theta", "run.until=9", 100, false); /* general kinematics */
    run("scenes/gallery/top.yaml", "lobatto", "run.until=9", 100, false);
    run("scenes/paper/multisymplectic/beam_fast.yaml", "multisymplectic", "run.until=9", 100, false);
}

static void large(void **state) {
    (void)state;
    run("scenes/gallery/column.yaml", "rattle", "parameters.n=200", 300, true);
}

/* Each allocation of a simulation in turn fails: an error, and everything that was there is given back. */
static void fail_each(const char *scene_path, const char *integrator, const char *option) {
    char choice[64] = "run.integrator=";
    const char *overrides[] = {strcat(choice, integrator), option};
    carom_scene *scene;
    carom_sim *sim;
    carom_error error;
    assert_int_equal(carom_scene_load(scene_path, overrides, option ? 2 : 1, &scene, &error), CAROM_OK);
    const carom_model *model = carom_scene_model(scene);
    const carom_run_def *run = carom_scene_run(scene);
    const bool offered = carom_sim_create(model, run, &sim, &error) == CAROM_OK;
    carom_sim_destroy(sim);
    long n = 0;
    for (bool failed = offered; failed; n++) {
        const long before = held;
        fails = n;
        const carom_status status = carom_sim_create(model, run, &sim, &error);
        fails = -1;
        failed = status != CAROM_OK;
        assert_int_equal(status, failed ? CAROM_MEMORY : CAROM_OK);
        carom_sim_destroy(sim);
        assert_int_equal(held, before);
    }
    assert_true(!offered || n > 20 || allocations == 0); /* valgrind, too, brings its own */
    carom_scene_destroy(scene);
}

/* Among them a loop with too many joints, and a rim. Located events also where given motions jump. */
static void failing(void **state) {
    (void)state;
    static const char *const scenes[] = {"scenes/paper/rattle/slider_crank.yaml",
                                         "scenes/gallery/top.yaml",
                                         "scenes/gallery/bowl.yaml",
                                         "scenes/paper/multisymplectic/bars_5.yaml",
                                         "scenes/gallery/four_bar_space.yaml",
                                         "scenes/gallery/coin.yaml"};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
        for (int i = 0; i < carom_integrators(); i++) fail_each(scenes[k], carom_integrator(i)->name, NULL);
    static const char *const located[] = {"scenes/paper/rattle/slider_crank.yaml", "scenes/gallery/shaken_table.yaml",
                                          "scenes/gallery/coin.yaml"};
    for (size_t k = 0; k < sizeof located / sizeof *located; k++) {
        fail_each(located[k], "rattle", "run.events=locate");
        fail_each(located[k], "lobatto", "run.events=locate");
    }
}

/* Where a step of a small system allocates for its located events, each allocation in turn fails: so does the step, and
 * taken again it is the one that it would have been. */
static void fail_in_steps(const char *scene_path, const char *const *overrides, int override_count, int steps) {
    carom_scene *scene;
    carom_sim *calm, *sim;
    carom_error error;
    int failures = 0;
    assert_int_equal(strncmp(scene_path, "carom:", 6) == 0
                         ? carom_scene_parse(scene_path, strlen(scene_path), "test", NULL, 0, &scene, &error)
                         : carom_scene_load(scene_path, overrides, override_count, &scene, &error),
                     CAROM_OK);
    const carom_model *model = carom_scene_model(scene);
    assert_int_equal(carom_sim_create(model, carom_scene_run(scene), &calm, &error), CAROM_OK);
    assert_int_equal(carom_sim_create(model, carom_scene_run(scene), &sim, &error), CAROM_OK);
    for (int step = 0; step < steps; step++) {
        assert_int_equal(carom_sim_step(calm, &error), CAROM_OK);
        bool failed = true;
        for (long n = 0; failed; n++) {
            fails = n;
            const carom_status status = carom_sim_step(sim, &error);
            failed = status != CAROM_OK;
            assert_true(failed == (fails < 0));
            fails = -1;
            assert_int_equal(status, failed ? CAROM_MEMORY : CAROM_OK);
            failures += failed;
        }
        assert_true(carom_sim_hash(sim) == carom_sim_hash(calm));
    }
    assert_true(failures > 0 || allocations == 0);
    carom_sim_destroy(sim);
    carom_sim_destroy(calm);
    carom_scene_destroy(scene);
}

static void failing_steps(void **state) {
    (void)state;
    const char *crank[] = {"run.events=locate", "run.dt=2e-4", "run.until=1"};
    fail_in_steps("scenes/paper/rattle/slider_crank.yaml", crank, 3, 60);
    fail_in_steps("scenes/paper/multisymplectic/beam_fast.yaml", NULL, 0, 300);
}

/* Large systems of joints find their blocks in steps: of chains, of rings of which rows are left out, and of light
 * links between heavy ones, whose rows grow. Without room no other way takes their place. */
static void failing_steps_of_joints(void **state) {
    (void)state;
    static const char hinges[] = "    j[i=1..n-1]: {type: revolute, axis: [0, 0, 1], bodies: [\"s[i]\", \"s[i+1]\"],\n"
                                 "                  at: [\"R*cos(2*pi*(i+0.5)/n)\", \"R*sin(2*pi*(i+0.5)/n)\", 0]}\n";
    static const char *const last[] = {"    top: {type: spherical, bodies: [world, \"s[n]\"], at: [R, 0, 0]}\n",
                                       "    jn: {type: revolute, axis: [0, 0, 1], bodies: [\"s[n]\", s1], at: "
                                       "[\"R*cos(pi/n)\", \"R*sin(pi/n)\", 0]}\n"};
    static const char *const mass[] = {"1", "1", "10^(24*(i/2 - floor(i/2)) - 6)"};
    for (int k = 0; k < 3; k++) {
        char scene[2000];
        snprintf(scene, sizeof scene,
                 "carom: 1\nparameters: {n: 24, R: n/(2*pi)}\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                 "    s[i=1..n]: {type: spatial, mass: %s, inertia: [0.1*%s, 0.1*%s, 0.1*%s],\n"
                 "                position: [\"R*cos(2*pi*i/n)\", \"R*sin(2*pi*i/n)\", 0]}\n"
                 "  joints:\n%s%srun: {integrator: rattle, dt: 1e-3, until: 1}\n",
                 mass[k], mass[k], mass[k], mass[k], hinges, last[k == 1]);
        fail_in_steps(scene, NULL, 0, 3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(small), cmocka_unit_test(large), cmocka_unit_test(failing),
                                       cmocka_unit_test(failing_steps), cmocka_unit_test(failing_steps_of_joints)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
