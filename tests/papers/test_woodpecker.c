/* The woodpecker toy (moreau, Fig. 6 and 7): every integrator settles on the same limit cycle. The exact motion is not
 * known; what is asserted is that different schemes, one of them with contacts on position level, agree on its period,
 * on how far the woodpecker leans back, and on how far it descends, and that each of them converges there. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

static const char *const integrators[] = {"moreau", "symmetric_moreau", "rattle", "lobatto"};
enum { INTEGRATORS = sizeof integrators / sizeof *integrators };

typedef struct cycle {
    double period, lean, descent; /* means over the cycles in [1, 2] */
    double spread;                /* of the periods, relative */
} cycle;

/* A cycle ends where phi_S rises through -0.3, in free flight and fast. */
static cycle limit_cycle(const char *integrator, const char *dt) {
    char scheme[64];
    snprintf(scheme, sizeof scheme, "run.integrator=%s", integrator);
    trial run = trial_scene("paper/moreau/woodpecker", scheme, dt, NULL);
    const int t = trial_column(&run, "t"), phi = trial_column(&run, "phi_S"), y = trial_column(&run, "y");
    double before[3] = {0}, last[2] = {0}, lowest = 0, shortest = 1, longest = 0;
    cycle mean = {0};
    int cycles = -1;
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        const double now[3] = {run.row[t], run.row[phi], run.row[y]};
        lowest = fmin(lowest, now[1]);
        if (now[0] > 1 && before[1] < -0.3 && now[1] >= -0.3) {
            double part = (-0.3 - before[1]) / (now[1] - before[1]);
            double when = before[0] + part * (now[0] - before[0]), where = before[2] + part * (now[2] - before[2]);
            if (cycles >= 0) {
                mean.period += when - last[0], mean.descent += last[1] - where, mean.lean -= lowest;
                shortest = fmin(shortest, when - last[0]), longest = fmax(longest, when - last[0]);
            }
            last[0] = when, last[1] = where, lowest = 0;
            cycles++;
        }
        for (int i = 0; i < 3; i++) before[i] = now[i];
    }
    trial_close(&run);
    assert_true(cycles >= 5);
    mean.period /= cycles, mean.descent /= cycles, mean.lean /= cycles;
    mean.spread = (longest - shortest) / mean.period;
    printf("%-18s %-12s %d cycles: period %.6f s (spread %.1e), lean %.6f, descent %.4f mm\n", integrator, dt, cycles,
           mean.period, mean.spread, mean.lean, 1e3 * mean.descent);
    return mean;
}

/* About ten impacts and stick-slip transitions a cycle, each seen up to a step late: 1.4e-3 of the period at dt = 2e-5,
 * and the velocities with it. So at the finest step cycles repeat, and schemes and steps agree, within 0.5 %; that is
 * convergence, since at eight times the step cycles differ by far more. */
static void same_limit_cycle(void **state) {
    (void)state;
    const double within = 5e-3;
    cycle finest[INTEGRATORS];
    for (int i = 0; i < INTEGRATORS; i++) {
        cycle coarse = limit_cycle(integrators[i], "run.dt=1.6e-4"), fine = limit_cycle(integrators[i], "run.dt=4e-5");
        finest[i] = limit_cycle(integrators[i], "run.dt=2e-5");
        assert_at_most(finest[i].spread, within);
        assert_at_most(finest[i].spread, coarse.spread / 3); /* 8 for a first-order effect */
        assert_near(fine.period / finest[i].period, 1, within);
        assert_near(fine.lean / finest[i].lean, 1, within);
        assert_near(fine.descent / finest[i].descent, 1, within);
        assert_near(finest[i].period / finest[0].period, 1, within);
        assert_near(finest[i].lean / finest[0].lean, 1, within);
        assert_near(finest[i].descent / finest[0].descent, 1, within);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_limit_cycle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
