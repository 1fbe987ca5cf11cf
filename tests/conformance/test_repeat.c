/* The same input gives the same bits: run twice, run among others, saved and loaded. */
#include "support/disks.h"
#include "support/trial.h"

#include <stdlib.h>

/* ---------------------------------------------------------------- two runs */
enum { STEPS = 300 };

static void same_bits_alone_and_among_others(void **state) {
    (void)state;
    static throw_of_disks d;
    throw_disks(&d, 7, 0.35, 0.7, 1);
    for (int n = 0; n < carom_integrators(); n++) {
        const char *name = carom_integrator(n)->name;
        unsigned long long hash[STEPS];
        trial alone, first, second;
        if (!trial_offer(&alone, d.model, name, 2e-3, 2e-3 * STEPS, 1e-10)) continue;
        for (int i = 0; i < STEPS; i++) trial_stride(&alone), hash[i] = carom_sim_hash(alone.sim);
        assert_true(hash[0] != hash[STEPS - 1]);
        trial_offer(&first, d.model, name, 2e-3, 2e-3 * STEPS, 1e-10);
        trial_offer(&second, d.model, name, 2e-3, 2e-3 * STEPS, 1e-10);
        for (int i = 0; i < STEPS; i++) {
            trial_step(&first); /* rows are read in between, which must not matter */
            trial_stride(&second);
            assert_true(carom_sim_hash(first.sim) == hash[i]);
            assert_true(carom_sim_hash(second.sim) == hash[i]);
        }
        trial_close(&alone), trial_close(&first), trial_close(&second);
    }
    carom_model_destroy(d.model);
}

/* ---------------------------------------------------------------- checkpoints */
/* Saved at a checkpoint and loaded into a fresh simulation, or into one that has run on, the run goes on with the same
 * bits: piles whose systems are large and sparse, redundant, and need cures. */
static void check_resume(trial *whole, trial *fresh) {
    size_t size = carom_sim_state_size(whole->sim);
    double *saved = calloc(size, sizeof *saved);
    assert_non_null(saved);
    long half = carom_sim_total_steps(whole->sim) / 2 / CAROM_CHECKPOINT * CAROM_CHECKPOINT;
    while (carom_sim_steps(whole->sim) < half) trial_step(whole);
    carom_sim_save(whole->sim, saved);
    unsigned long long middle = carom_sim_hash(whole->sim);
    trial_finish(whole);
    unsigned long long end = carom_sim_hash(whole->sim);
    assert_int_equal(carom_sim_load(fresh->sim, saved, NULL), CAROM_OK);
    assert_true(carom_sim_hash(fresh->sim) == middle);
    assert_int_equal(carom_sim_steps(fresh->sim), half);
    trial_finish(fresh);
    assert_true(carom_sim_hash(fresh->sim) == end);
    assert_memory_equal(fresh->row, whole->row, (size_t)carom_sim_columns(whole->sim) * sizeof *whole->row);
    assert_int_equal(carom_sim_load(whole->sim, saved, NULL), CAROM_OK);
    trial_finish(whole);
    assert_true(carom_sim_hash(whole->sim) == end);
    free(saved);
    trial_close(whole);
    trial_close(fresh);
}

static void resume_disks(unsigned long long seed, double mu, double e, double until) {
    static throw_of_disks d;
    throw_disks(&d, seed, mu, e, 1);
    for (int n = 0; n < carom_integrators(); n++) {
        const char *name = carom_integrator(n)->name;
        trial whole, fresh;
        if (!trial_offer(&whole, d.model, name, 2e-3, until, 1e-10)) continue;
        trial_offer(&fresh, d.model, name, 2e-3, until, 1e-10);
        check_resume(&whole, &fresh);
    }
    carom_model_destroy(d.model);
}

static void checkpoints_continue_with_the_same_bits(void **state) {
    (void)state;
    resume_disks(11, 0.35, 0.7, 0.8);
    resume_disks(5, 0.7, 0, 1);
    static const char *scenes[] = {"paper/rattle/slider_crank", "paper/rattle/slope_4", "paper/rattle/ball_1",
                                   "gallery/column", "gallery/box"};
    for (int i = 0; i < 5; i++) {
        trial whole = trial_scene(scenes[i], NULL), fresh = trial_scene(scenes[i], NULL);
        check_resume(&whole, &fresh);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_alone_and_among_others),
                                       cmocka_unit_test(checkpoints_continue_with_the_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
