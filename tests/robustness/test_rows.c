/* Rows of elastic masses that touch, by multisymplectic: however many contacts act at once, an impact keeps momentum
 * and energy, no gap closes beyond round-off, and what misses the tolerance is no step. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

/* The first mass strikes a row of n at rest. Newton's law with e = 1 for all contacts together is (Y6), (Y10). */
static void strike(int n) {
    trial run = trial_text("carom: 1\n"
                           "title: A row of masses\n"
                           "parameters: {n: %d}\n"
                           "model:\n"
                           "  coordinates: {\"x[i=1..n]\": {start: \"i\", velocity: \"if(i < 2, 1, 0)\"}}\n"
                           "  kinetic: sum(i=1..n, x_dot[i]^2)/2\n"
                           "  contacts: {\"c[i=1..n-1]\": {gap: \"x[i+1] - x[i] - 1\", restitution: 1}}\n"
                           "run: {integrator: multisymplectic, dt: 0.1, until: 0.3}\n",
                           n);
    double p = 0, E = 0;
    trial_step(&run);
    trial_step(&run);
    for (int i = 0; i < n; i++)
        p += carom_sim_u(run.sim)[i], E += carom_sim_u(run.sim)[i] * carom_sim_u(run.sim)[i] / 2;
    printf("%d masses: p - 1 = %.2g, E/E_0 - 1 = %.2g, residual %.2g\n", n, p - 1, 2 * E - 1,
           carom_sim_residual(run.sim));
    assert_near(p, 1, 1e-12); /* n roundings of impulses up to 1 */
    assert_near(E, 0.5, 1e-12);
    assert_at_most(carom_sim_residual(run.sim), 1e-10);
    assert_int_equal(carom_sim_captured(run.sim), 0);
    for (int i = 0; i + 1 < n; i++)
        assert_at_least(carom_sim_q(run.sim)[i + 1] - carom_sim_q(run.sim)[i] - 1, -1e-13 * n);
    trial_close(&run);
}

static void rows_of_masses(void **state) {
    (void)state;
    const int sizes[] = {2, 20, 101, 160};
    for (int i = 0; i < 4; i++) strike(sizes[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_of_masses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
