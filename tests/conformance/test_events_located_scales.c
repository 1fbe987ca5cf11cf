/* Located events: what counts as closed belongs to a contact. Three equal beads on a line, restitution 1, strike one
 * after the other and hand on their velocity (0, 0, 1), however near the second and the third are; if both gaps closed
 * at once, Newton's law would give (-1/3, 2/3, 2/3). A fourth body that touches nothing is anywhere, at any speed. */
#include "support/trial.h"

#include <math.h>
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

/* (V39): a bead of a thousandth to a tenth of a micrometre above its floor, a micrometre or so from the origin, falls
 * and strikes after sqrt(2 h/g), to the rounding of the gap; without a gap it lies there from the start. */
static void small_gaps_of_small_bodies_are_open(void **state) {
    (void)state;
    static const char *const integrators[] = {"rattle", "lobatto"};
    static const double gaps[] = {1e-9, 9e-11, 5e-12, 0};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++) {
            const double h = gaps[k], fall = sqrt(2 * h / 9.81), dt = h > 0 ? 0.7 * fall : 1e-6;
            trial run = trial_text("carom: 1\nmodel:\n  coordinates: {y: {start: 1e-6 + %.17g}}\n"
                                   "  kinetic: y_dot^2/2\n  potential: 9.81*y\n"
                                   "  contacts: {floor: {gap: y - 1e-6}}\n"
                                   "run: {integrator: %s, events: locate, dt: %.17g, until: %.17g, tolerance: 1e-13}\n",
                                   h, integrators[i], dt, 2 * dt);
            int strikes = 0, count;
            while (!carom_sim_done(run.sim)) {
                trial_step(&run);
                const carom_event *event = carom_sim_events(run.sim, &count);
                for (int j = 0; j < count; j++, strikes++) assert_near(event[j].time, fall, 1e-5 * fall);
            }
            printf("%s, gap %g: %d strikes, expected after %g s\n", integrators[i], h, strikes, fall);
            assert_int_equal(strikes, h > 0);
            trial_close(&run);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(far_bodies_change_no_collision),
                                       cmocka_unit_test(small_gaps_of_small_bodies_are_open)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
