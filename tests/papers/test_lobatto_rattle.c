/* For constant M and q_dot = u the two-stage pair is RATTLE: V^1 = V^2 is its midpoint velocity, b_1 R^1 its first and
 * the sum of b_i R^i its second percussion. Both ways of taking friction agree then, too, as long as slip is a number:
 * the sign of the mean of two slips is that of either. Every step of both is compared. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

/* Both solve their steps to 1e-13; impacts and slipping corners magnify what is left. */
static void compare(const char *scene, const char *variant, const char *print) {
    trial lobatto = trial_scene(scene, "run.integrator=lobatto", "run.stages=2", variant, "run.tolerance=1e-13", NULL);
    trial rattle = trial_scene(scene, "run.integrator=rattle", print, "run.tolerance=1e-13", NULL);
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

static void compare_all(const char *variant, const char *print) {
    static const char *const scenes[] = {"paper/rattle/slope_1",     "paper/rattle/slope_2", "paper/rattle/slope_3",
                                         "paper/rattle/slope_4",     "paper/rattle/ball_2",  "paper/rattle/ball_3",
                                         "paper/rattle/slider_crank"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) compare(scenes[i], variant, print);
}

static void cured_is_rattle(void **state) {
    (void)state;
    compare_all("run.variant=cured", "run.velocity_constraints=second_order");
}

static void published_is_published_rattle(void **state) {
    (void)state;
    compare_all("run.variant=published", "run.velocity_constraints=published");
}

/* A velocity constraint and constant M: (R3) and its printed form are the rows of two stages. */
static void knife_edge_is_rattle(void **state) {
    (void)state;
    compare("gallery/knife_edge", "run.variant=cured", "run.velocity_constraints=second_order");
    compare("gallery/knife_edge", "run.variant=published", "run.velocity_constraints=published");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cured_is_rattle),
        cmocka_unit_test(published_is_published_rattle),
        cmocka_unit_test(knife_edge_is_rattle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
