/* Setup allocates, a step computes: no allocation in the step loop. The C library's malloc is replaced by one that
 * counts (not under the sanitizers, which bring their own). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "carom/carom.h"

static long allocations;

#if !defined CAROM_SANITIZED && defined __GLIBC__
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    allocations++;
    return __libc_realloc(old, size);
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
    assert_int_equal(carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error), CAROM_OK);
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
    for (int i = 0; i < carom_integrators(); i++)
        run("scenes/paper/rattle/ball_1.yaml", carom_integrator(i)->name, "run.until=9", 600, false);
}

static void large(void **state) {
    (void)state;
    run("scenes/gallery/column.yaml", "rattle", "parameters.n=200", 300, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(small), cmocka_unit_test(large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
