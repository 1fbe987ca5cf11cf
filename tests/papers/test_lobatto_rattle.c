/* For constant M and B the two-stage pair is RATTLE: V^1 = V^2 is its midpoint velocity, b_1 R^1 its first and the
 * sum of b_i R^i its second percussion; so are the cured rows of both, means over the two ends of the step, and the
 * published ones. Every step of both is compared. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

/* Both solve their steps to 1e-13; impacts and slipping corners magnify what is left. */
static void compare(const char *scene, const char *variant) {
    trial lobatto = trial_scene(scene, "run.integrator=lobatto", "run.stages=2", variant, "run.tolerance=1e-13", NULL);
    trial rattle = trial_scene(scene, "run.integrator=rattle", variant, "run.tolerance=1e-13", NULL);
    const carom_model_def *model = carom_model_get(carom_scene_model(rattle.scene));
    double q = 0, u = 0;
    while (!carom_sim_done(rattle.sim)) {
        trial_step(&rattle);
        trial_step(&lobatto);
        for (int i = 0; i < model->nq; i++) q = fmax(q, fabs(carom_sim_q(rattle.sim)[i] - carom_sim_q(lobatto.sim)[i]));
        for (int i = 0; i < model->nu; i++) u = fmax(u, fabs(carom_sim_u(rattle.sim)[i] - carom_sim_u(lobatto.sim)[i]));
        if (!(q <= 1e-10 && u <= 1e-8))
            fail_msg("%s, %s: apart by %g (q), %g (u) at t = %g", scene, variant, q, u, carom_sim_time(rattle.sim));
    }
    printf("%-26s %-21s %.1e (q) %.1e (u)\n", scene, variant, q, u);
    assert_true(carom_sim_done(lobatto.sim));
    trial_close(&lobatto);
    trial_close(&rattle);
}

static void compare_all(const char *const *scenes) {
    for (; *scenes; scenes++) compare(*scenes, "run.variant=cured"), compare(*scenes, "run.variant=published");
}

static void published_experiments(void **state) {
    (void)state;
    compare_all((const char *const[]){"paper/rattle/slope_1", "paper/rattle/slope_2", "paper/rattle/slope_3",
                                      "paper/rattle/slope_4", "paper/rattle/ball_2", "paper/rattle/ball_3",
                                      "paper/rattle/slider_crank", NULL});
}

static void skating_and_rolling(void **state) {
    (void)state;
    compare_all((const char *const[]){"gallery/knife_edge", "gallery/track_disk", "gallery/turntable", NULL});
}

static void turning_slip(void **state) {
    (void)state;
    compare_all((const char *const[]){"gallery/turning_slide", "gallery/bowl", NULL});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_experiments),
        cmocka_unit_test(skating_and_rolling),
        cmocka_unit_test(turning_slip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
