/* Located events again and again: the same bits when a run is repeated or resumed, and contacts that stop together. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---------------------------------------------------------------- a box on four corners, pushed without spin
 * All corners slide alike and stop together at v/(mu g): 12 contact rows for 6 coordinates. */
static void box_slides_and_stops(void **state) {
    (void)state;
    const double v = sqrt(4 + 0.25), stop = v / (0.25 * 9.81), way = v * stop / 2;
    for (int s = 2; s <= 4; s++) {
        trial run = trial_located("gallery/box", s, 0.05, 1.2, "model.coordinates.psi.velocity=0", NULL);
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            double t = fmin(carom_sim_time(run.sim), stop), length = v * t - 0.25 * 9.81 * t * t / 2;
            assert_near(trial_value(&run, "x"), 2 / v * length, 1e-11); /* 24 steps, solved to 1e-13 */
            assert_near(trial_value(&run, "y"), 0.5 / v * length, 1e-11);
            assert_near(trial_value(&run, "psi"), 0, 1e-11);
        }
        assert_near(trial_value(&run, "x"), 2 / v * way, 1e-11);
        for (int k = 0; k < 4; k++) assert_int_equal(carom_sim_contact(run.sim, k), CAROM_STICK);
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- a box that lands flat on its four corners
 * On a spring k x it falls from the height H with the velocity v, lands with V = sqrt(2 g H) and loses mu V of its slip
 * at once, since it is too wide to tip: mu h < a. Then it slides on with mu g until T. The percussions of the four
 * corners are not unique; the motion is, and its order is 2s-2: amplitudes and phases before and after, in closed form.
 */
static double landed_box(double t, double v, double H) {
    const double w = 3, mu = 0.25, g = 9.81, fall = sqrt(2 * H / g); /* w^2 = k/m */
    if (t < fall) return v / w * sin(w * t);
    double x = v / w * sin(w * fall) + mu * g / (w * w), u = v * cos(w * fall) - mu * g * fall, r = w * (t - fall);
    return x * cos(r) + u / w * sin(r) - mu * g / (w * w);
}

static void box_lands_on_four_corners(void **state) {
    (void)state;
    const double v = 4, H = 0.2, T = 0.36;
    for (int s = 2; s <= 4; s++) {
        double dt[4], error[4];
        for (int k = 0; k < 4; k++) {
            int n = 3 + 2 * k;
            trial run = trial_located("gallery/box", s, dt[k] = T / n, T,
                                      "model.coordinates={x: {velocity: 4}, y: {velocity: 0}, z: {start: 0.3}, psi: "
                                      "{velocity: 0}}",
                                      "model.forces={x: -18*x}");
            trial_finish(&run);
            error[k] = fabs(trial_value(&run, "x") - landed_box(T, v, H));
            assert_int_equal(carom_sim_captured(run.sim), 0);
            for (int i = 0; i < 4; i++) assert_int_equal(carom_sim_contact(run.sim, i), CAROM_SLIP);
            assert_near(trial_value(&run, "psi") + trial_value(&run, "alpha") + trial_value(&run, "beta"), 0, 1e-10);
            trial_close(&run);
        }
        double order = observed_order(4, dt, error);
        printf("box on four corners, s = %d: errors %.1e .. %.1e, order %.2f\n", s, error[0], error[3], order);
        assert_at_least(order, 2 * s - 2 - 0.5); /* the landing divides steps at places that change with dt */
    }
}

/* ---------------------------------------------------------------- the same bits
 * Run twice, and saved and loaded at a checkpoint. */
static void check_repeat(const char *scene, int s, double dt, double until) {
    trial whole = trial_located(scene, s, dt, until, NULL, NULL),
          fresh = trial_located(scene, s, dt, until, NULL, NULL);
    double *saved = calloc(carom_sim_state_size(whole.sim), sizeof *saved);
    assert_non_null(saved);
    long half = carom_sim_total_steps(whole.sim) / 2 / CAROM_CHECKPOINT * CAROM_CHECKPOINT;
    assert_true(half > 0);
    while (carom_sim_steps(whole.sim) < half) {
        trial_step(&whole), trial_stride(&fresh);
        assert_true(carom_sim_hash(whole.sim) == carom_sim_hash(fresh.sim));
    }
    carom_sim_save(whole.sim, saved);
    trial_finish(&whole), trial_finish(&fresh);
    unsigned long long end = carom_sim_hash(whole.sim);
    assert_true(carom_sim_hash(fresh.sim) == end);
    trial_close(&fresh);
    fresh = trial_located(scene, s, dt, until, NULL, NULL);
    assert_int_equal(carom_sim_load(fresh.sim, saved, NULL), CAROM_OK);
    trial_finish(&fresh);
    if (carom_sim_hash(fresh.sim) != end) fail_msg("%s, s = %d: resumed from step %ld with other bits", scene, s, half);
    free(saved);
    trial_close(&whole), trial_close(&fresh);
}

static void same_bits(void **state) {
    (void)state;
    for (int s = 2; s <= 4; s++) {
        check_repeat("paper/rattle/slider_crank", s, 4e-4, 0.04);
        check_repeat("gallery/rocking_rod", s, 1e-2, 1);
        check_repeat("gallery/tethered_puck", s, 5e-2, 6);
        check_repeat("gallery/bowl", s, 5e-2, 5);
        check_repeat("gallery/column", s, 1e-2, 1.5);
    }
}

/* ---------------------------------------------------------------- a force that turns within a step
 * Half a second is 2.5 rad of the force: slip begins in one direction and ends in the other within one step. An instant
 * has one event at most for a single contact without restitution: slip that has just begun is not over. */
static void instants_have_one_event(void **state) {
    (void)state;
    for (int s = 2; s <= 4; s++) {
        trial run = trial_located("gallery/stick_slip", s, 0.5, 6, NULL, NULL);
        for (double last = 0; !carom_sim_done(run.sim);) {
            int count;
            trial_step(&run);
            const carom_event *e = carom_sim_events(run.sim, &count);
            for (int i = 0; i < count; last = e[i++].time) assert_true(e[i].time > last);
        }
        trial_close(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(box_slides_and_stops),
                                       cmocka_unit_test(box_lands_on_four_corners),
                                       cmocka_unit_test(instants_have_one_event)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
