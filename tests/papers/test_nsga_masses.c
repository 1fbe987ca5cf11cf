/* Sliding masses connected by springs (nsga, section 5.3), and independence of the penalty on the nonsmooth examples of
 * the paper. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MASSES = 21 };
static const double m = 0.0025, d = 0.05, k = 20, mu = 0.3, g = 9.81;

/* Long waves travel a mass per sqrt(m/k): 20 springs in 0.2236 s; short ones run ahead, but have to overcome friction.
 * The paper reads 0.22 s. Before that the last mass does not move at all, held by friction. */
static void the_wave_reaches_the_last_mass(void **state) {
    (void)state;
    trial run = trial_scene("paper/nsga/sliding_masses", "run.until=0.3", NULL);
    double begins = NAN;
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        if (!isnan(begins)) continue;
        if (carom_sim_contact(run.sim, MASSES - 1) == CAROM_SLIP) begins = trial_value(&run, "t");
        else assert_near(trial_value(&run, "x21"), 20 * d, 1e-12);
    }
    printf("the last mass starts at %.3f s\n", begins);
    assert_near(begins, 20 * sqrt(m / k), 0.015); /* 0.22 s, two digits; the front is smeared over three masses */
    trial_close(&run);
}

/* A chain at rest holds itself against mu m g at every mass, so that spring i is stretched by min(i, 21 - i) mu m g/k
 * at most; the sum of all bounds is 4 %, and since waves leave stretched and pressed springs, a tenth of that is the
 * initial length recovered. Energy is that of the pull, less what friction took. */
static void the_chain_recovers_its_length(void **state) {
    (void)state;
    trial run = trial_scene("paper/nsga/sliding_masses", NULL);
    const double limit = mu * m * g * 1e-3;
    double kinetic = 0;
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        const double *P = carom_sim_percussion(run.sim);
        kinetic = fmax(kinetic, trial_value(&run, "T"));
        for (int i = 0; i < MASSES; i++) {
            assert_near(P[i], m * g * 1e-3, 1e-13); /* tolerance 1e-11 of masses of 0.0025 */
            assert_at_most(fabs(P[MASSES + i]), limit + 1e-13);
            assert_at_least(carom_sim_q(run.sim)[MASSES + i], -1e-13);
        }
    }
    assert_at_most(trial_value(&run, "T"), 1e-4 * kinetic);
    assert_near(trial_value(&run, "x21") - trial_value(&run, "x1"), 20 * d, 0.004);
    assert_near(trial_value(&run, "E"), trial_value(&run, "work.forces") + trial_value(&run, "work.friction"),
                1e-3 * trial_value(&run, "work.forces")); /* trapezoidal rule over steps of 1/90 radian */
    trial_close(&run);
}

/* The first mass after the pull, against rattle with steps a 16th as long, whose own error is as much smaller. */
static void first_order(void **state) {
    (void)state;
    trial fine =
        trial_scene("paper/nsga/sliding_masses", "run.integrator=rattle", "run.until=0.3", "run.dt=6.25e-5", NULL);
    trial_finish(&fine);
    double dt[3], error[3];
    for (int i = 0; i < 3; i++) {
        char with_dt[40];
        dt[i] = 4e-3 / (1 << i), error[i] = 0;
        snprintf(with_dt, sizeof with_dt, "run.dt=%.17g", dt[i]);
        trial run = trial_scene("paper/nsga/sliding_masses", "run.until=0.3", with_dt, NULL);
        trial_finish(&run);
        for (int j = 0; j < MASSES; j++)
            error[i] = fmax(error[i], fabs(carom_sim_q(run.sim)[j] - carom_sim_q(fine.sim)[j]));
        trial_close(&run);
        printf("dt = %g: positions off by %.1e\n", dt[i], error[i]);
    }
    assert_at_least(observed_order(3, dt, error), 0.85); /* the reference counts for a 16th of the finest error */
    trial_close(&fine);
}

/* ---------------------------------------------------------------- the penalty */

static void penalty(void **state) {
    (void)state;
    static const char *const scenes[] = {"paper/nsga/incline", "paper/nsga/rocking_rod_1", "paper/nsga/rocking_rod_3",
                                         "paper/nsga/sliding_masses"};
    static const char *const penalties[] = {"run.penalty=1e-2", "run.penalty=0.1", "run.penalty=10"};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++) {
            trial one = trial_scene(scenes[i], "run.until=0.3", NULL);
            trial other = trial_scene(scenes[i], "run.until=0.3", penalties[j], NULL);
            double worst = 0;
            while (!carom_sim_done(one.sim)) {
                trial_step(&one), trial_step(&other);
                for (int c = 0; c < carom_sim_columns(one.sim); c++) {
                    const char *name = carom_sim_column_name(one.sim, c);
                    if (strstr(name, "newton") || strstr(name, "residual")) continue;
                    worst = fmax(worst, fabs(one.row[c] - other.row[c]));
                }
            }
            printf("%-28s %s: %.0e\n", scenes[i], penalties[j], worst);
            assert_at_most(worst, 1e-7); /* what the paper claims; the tolerance of the runs is 1e-11 */
            trial_close(&one), trial_close(&other);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wave_reaches_the_last_mass),
        cmocka_unit_test(the_chain_recovers_its_length),
        cmocka_unit_test(first_order),
        cmocka_unit_test(penalty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
