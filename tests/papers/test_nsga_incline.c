/* A point mass on an incline (nsga, section 5.1): with a consistent start, constant forces are integrated exactly, so
 * that every number is known; and what happens without friction in the position correction. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

static const double m = 1, g = 9.81, mu = 0.3, v0 = 2, dt = 1e-3, round_off = 1e-12;

static double weight_along(void) {
    return m * g * sin(M_PI / 12);
}
static double weight_across(void) {
    return m * g * cos(M_PI / 12);
}
static double brake(void) {
    return (weight_along() + mu * weight_across()) / m;
}

/* Sliding up: P_F = -mu P_N; at rest: P_F holds the weight. Seven digits are those of the forces times dt. */
static void percussions(void **state) {
    (void)state;
    const double stop = v0 / brake();
    trial run = trial_scene("paper/nsga/incline", NULL);
    assert_near(stop, 0.371627, 5e-7);
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        const double t = trial_value(&run, "t"), PN = trial_value(&run, "plane.PN"), PF = trial_value(&run, "plane.PF");
        assert_near(PN, weight_across() * dt, round_off);
        assert_near(PN, 9.475732e-3, 5e-10);
        assert_at_most(fabs(PF), mu * PN + round_off);
        if (t < stop) assert_near(PF, -2.842720e-3, 5e-10);
        if (t > stop + dt) assert_near(PF, 2.539015e-3, 5e-10);
    }
    trial_close(&run);
}

/* Velocity and position are exact until the step in which the mass stops; friction takes what is left of the velocity
 * in that step, up to brake dt, and with it at most half of brake dt^2 of the way. Then nothing moves. */
static void slide_stop_and_stick(void **state) {
    (void)state;
    const double stop = v0 / brake();
    trial run = trial_scene("paper/nsga/incline", NULL);
    double rest = NAN;
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        const double t = trial_value(&run, "t"), x = trial_value(&run, "x");
        assert_near(trial_value(&run, "plane.gap"), 0, round_off);
        if (t < stop) {
            assert_near(trial_value(&run, "x_dot"), v0 - brake() * t, round_off);
            assert_near(x, v0 * t - brake() * t * t / 2, round_off);
            assert_int_equal(carom_sim_contact(run.sim, 0), CAROM_SLIP);
            continue;
        }
        if (isnan(rest)) rest = x;
        assert_int_equal(carom_sim_contact(run.sim, 0), CAROM_STICK);
        assert_near(trial_value(&run, "x_dot"), 0, 1e-15); /* below what the solver resolves */
        assert_near(x, rest, 1e-15);
    }
    assert_near(rest, v0 * stop / 2, brake() * dt * dt / 2);
    trial_close(&run);
}

/* Blind to friction, the correction leaves what the smooth motion moves along the plane: dt^2/2 g sin(alpha) in every
 * step, though the velocity is zero. */
static void creep_without_friction_of_positions(void **state) {
    (void)state;
    static const double steps[] = {1e-3, 2.5e-4};
    for (int k = 0; k < 2; k++) {
        char with_dt[32];
        snprintf(with_dt, sizeof with_dt, "run.dt=%g", steps[k]);
        trial run = trial_scene("paper/nsga/incline", "run.position_friction=off", "run.until=1", with_dt, NULL);
        double before = NAN;
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            const double x = trial_value(&run, "x");
            if (trial_value(&run, "t") > v0 / brake() + 2 * steps[k]) {
                assert_near(trial_value(&run, "x_dot"), 0, 1e-15);
                assert_near((x - before) / steps[k], -steps[k] * weight_along() / m / 2, 1e-12); /* eps x/dt */
            }
            before = x;
        }
        trial_close(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percussions),
        cmocka_unit_test(slide_stop_and_stick),
        cmocka_unit_test(creep_without_friction_of_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
