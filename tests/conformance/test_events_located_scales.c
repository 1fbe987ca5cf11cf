/* Located events: what counts as closed belongs to a contact. Three equal beads on a line, restitution 1, strike one
 * after the other and hand on their velocity (0, 0, 1), however near the second and the third are; if both gaps closed
 * at once, Newton's law would give (-1/3, 2/3, 2/3). A fourth body that touches nothing is anywhere, at any speed. */
#include "support/trial.h"

#include <stdio.h>

static void check_beads(const char *integrator, double unit, double gap, double far, double far_velocity) {
    /* all velocities are sums and products of a few numbers, solved to the tolerance */
    trial run = trial_text("carom: 1\nparameters: {L: %g, d: %g, X: %g, V: %g}\nmodel:\n  coordinates:\n"
                           "    a: {start: -0.1*L, velocity: L}\n    b: 0\n    c: {start: d*L}\n"
                           "    far: {start: X, velocity: V}\n"
                           "  kinetic: (a_dot^2 + b_dot^2 + c_dot^2 + far_dot^2)/2\n"
                           "  contacts: {ab: {gap: b - a, restitution: 1}, bc: {gap: c - b, restitution: 1}}\n"
                           "run: {integrator: %s, events: locate, dt: 1e-3, until: 0.3}\n",
                           unit, gap, far, far_velocity, integrator);
    trial_finish(&run);
    const double *u = carom_sim_u(run.sim);
    printf("%s, L %g, d %g, X %g, V %g: %g %g %g\n", integrator, unit, gap, far, far_velocity, u[0], u[1], u[2]);
    for (int i = 0; i < 3; i++) assert_near(u[i], i == 2 ? unit : 0, 1e-9 * (1 + unit));
    trial_close(&run);
}

static void far_bodies_change_no_collision(void **state) {
    (void)state;
    static const char *const integrators[] = {"rattle", "lobatto"};
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 4; k++) {
            const double gaps[] = {1e-5, 1e-7, 1e-9, 2e-10}; /* the last above 1e-10, which is closed at the start */
            check_beads(integrators[i], 1, gaps[k], 0, 0);
            check_beads(integrators[i], 1, gaps[k], 1e6, 0);
            check_beads(integrators[i], 1, gaps[k], -1e12, 0);
            check_beads(integrators[i], 1, gaps[k], 1, 1e6);
        }
        check_beads(integrators[i], 1e8, 1e-5, 0, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(far_bodies_change_no_collision)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
