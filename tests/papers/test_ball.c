/* The rotating bouncing ball (rattle, 5.1; lobatto, 6.1): m = 1, R = 0.1, J = 2/5 m R^2, mu = 0.2, dropped from gap 0.9
 * with spin omega.
 *
 * With slip v = x_dot + R phi_dot a tangential impulse P_F changes v by P_F (1/m + R^2/J) = 3.5 P_F, and
 * R phi_dot - 5/2 x_dot keeps its value R omega. Rolling (v = 0) is therefore x_dot = -2/7 R omega, R phi_dot = 2/7 R
 * omega. Once the ball lies on the floor all its falling momentum has been taken up: the normal impulses since t = 0
 * sum to m g t, and while it slides P_F = -mu P_N, so v(t) = R omega - 3.5 mu g t until t = R omega / (3.5 mu g). The
 * sums hold for the scheme as they do for the ball: the slip phase ends in the step that contains that time. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

/* Nothing in these motions depends on the order of a scheme, so every one gives the same numbers. */
typedef struct scheme {
    const char *paper, *option;
} scheme;
static const scheme schemes[] = {{"rattle", "run.integrator=rattle"},
                                 {"lobatto", "run.stages=2"},
                                 {"lobatto", "run.stages=3"},
                                 {"lobatto", "run.stages=4"},
                                 {"lobatto", "run.stages=5"}};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

static trial open_ball(const scheme *with, int number, double dt, const char *option) {
    char scene[64], step[64];
    snprintf(scene, sizeof scene, "paper/%s/ball_%d", with->paper, number);
    snprintf(step, sizeof step, "run.dt=%.17g", dt);
    print_message("%s, %s, %s\n", scene, with->option, step);
    return trial_scene(scene, with->option, step, option, NULL);
}

static const double m = 1, R = 0.1, g = 9.81, mu = 0.2, drop = 0.9;

static void assert_end_velocity(const trial *run, double omega) {
    /* 1e-12: some ten roundings of numbers up to 50 per step that changes the velocity. */
    assert_near(trial_value(run, "x_dot"), -2. / 7 * R * omega, 1e-12);
    assert_near(trial_value(run, "y_dot"), 0, 1e-12);
    assert_near(trial_value(run, "phi_dot"), 2. / 7 * omega, 1e-12);
}

static void check_sliding_ball(const scheme *with, int number, double omega) {
    const double dt = 1e-2, t_impact = sqrt(2 * drop / g), t_stick = R * omega / (3.5 * mu * g);
    trial run = open_ball(with, number, dt, NULL);
    double slip = R * omega;
    bool fallen = false;
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        double t = trial_value(&run, "t"), PN = trial_value(&run, "floor.PN"), PF = trial_value(&run, "floor.PF");
        double state = trial_value(&run, "floor.state"), expected_PN, expected_PF;
        assert_at_least(trial_value(&run, "floor.gap"), -1e-12);
        if (t < t_impact - 1e-9) {
            assert_true(PN == 0 && PF == 0 && state == CAROM_OPEN);
            continue;
        }
        /* The step in which the ball lands takes up m g t, every other one m g dt; friction slides or just stops v. */
        expected_PN = m * g * (fallen ? dt : t);
        expected_PF = -fmin(mu * expected_PN, slip / 3.5);
        fallen = true;
        assert_near(PN, expected_PN, 1e-12);
        assert_near(PF, expected_PF, 1e-12);
        assert_int_equal((int)state, t < t_stick ? CAROM_SLIP : CAROM_STICK);
        slip += 3.5 * expected_PF;
        assert_near(trial_value(&run, "floor.slip"), slip, 1e-12);
        assert_near(slip, fmax(0, R * omega - 3.5 * mu * g * t), 1e-12);
        assert_near(trial_value(&run, "floor.gap"), 0, 1e-12);
    }
    assert_true(fallen);
    assert_end_velocity(&run, omega);
    trial_close(&run);
}

/* omega = 50: v = 5 before the impact, which takes up 3.5 mu m g t_impact = 2.94 of it; sliding until t = 0.72812. */
static void ball_2_slides_then_rolls(void **state) {
    (void)state;
    for (int i = 0; i < SCHEMES; i++) check_sliding_ball(&schemes[i], 2, 50);
}

/* omega = 10: v = 1, less than the impact can take up: rolling at once, no friction afterwards. */
static void ball_3_rolls_at_once(void **state) {
    (void)state;
    for (int i = 0; i < SCHEMES; i++) check_sliding_ball(&schemes[i], 3, 10);
}

/* Where the ball rolls to: x = integral of x_dot, with x_dot = -mu Lambda after the impact and -mu g (t - t_impact)
 * more until t_stick. The impact happens up to one step late, the stop is found to O(dt^2): error below 2 |x_dot| dt.
 */
static void ball_2_position(void **state) {
    (void)state;
    const double omega = 50, t_impact = sqrt(2 * drop / g), t_stick = R * omega / (3.5 * mu * g), end = 1.5;
    const double slide = t_stick - t_impact, v0 = -mu * g * t_impact, v1 = -2. / 7 * R * omega;
    const double x = (v0 + v1) / 2 * slide + v1 * (end - t_stick);
    for (int i = 0; i < 2 * SCHEMES; i++) {
        double dt = i % 2 ? 1e-3 : 1e-2;
        trial run = open_ball(&schemes[i / 2], 2, dt, NULL);
        trial_finish(&run);
        assert_near(trial_value(&run, "t"), end, 1e-9);
        assert_near(trial_value(&run, "x"), x, 2 * -v1 * dt);
        trial_close(&run);
    }
}

/* The exact bouncing ball: flight times shrink by e each time and add up to t_impact (1 + e)/(1 - e). */
static double exact_gap(double t, double e) {
    double t_impact = sqrt(2 * drop / g), v = g * t_impact, start = t_impact;
    if (t <= t_impact) return drop - g / 2 * t * t;
    for (int bounce = 0; bounce < 60; bounce++) {
        v *= e;
        double flight = 2 * v / g, s = t - start;
        if (s <= flight) return v * s - g / 2 * s * s;
        start += flight;
    }
    return 0;
}

/* e_N = 0.5 through the accumulation point at 3 t_impact = 1.285. Two outcomes are right at dt = 1e-2, where the ball
 * returns to gap 0 exactly in step 85; what is asserted holds for both. */
static void check_accumulation(const scheme *with, double dt) {
    trial run = open_ball(with, 1, dt, "run.until=2.1");
    const double E0 = trial_value(&run, "E");
    double E = E0, worst = 0;
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        double t = trial_value(&run, "t"), gap = trial_value(&run, "floor.gap"), next = trial_value(&run, "E");
        assert_at_least(gap, -1e-12);                           /* round-off of y - R */
        assert_at_least(trial_value(&run, "floor.PN"), -1e-14); /* round-off of the sum over the stages */
        /* Free flight under constant force is integrated exactly, impacts only lose: round-off is all that is left.
         */
        assert_at_most(next, E + 1e-12);
        E = next;
        worst = fmax(worst, fabs(gap - exact_gap(t, 0.5)));
    }
    /* Each impact comes up to dt late with a speed off by up to g dt, which shifts every later flight by as much:
     * the sum over the bounces stays below 4 dt times the first impact speed. */
    assert_at_most(worst, 4 * dt * sqrt(2 * g * drop));
    /* At rest: y_dot halves in every step after the accumulation point, at least 75 steps before the end. */
    assert_near(trial_value(&run, "y_dot"), 0, 1e-12);
    assert_near(trial_value(&run, "floor.gap"), 0, 1e-12);
    /* A rounding of y near 0.1 moves the velocity within the step by 1.4e-17/dt, and P_N by a few times m of it. */
    assert_near(trial_value(&run, "floor.PN"), m * g * dt, 1e-12 + 1e-15 / dt);
    assert_near(trial_value(&run, "x_dot"), 0, 1e-15);
    assert_near(E0 - E, m * g * drop, 1e-12);
    trial_close(&run);
}

static void ball_1_passes_the_accumulation_point(void **state) {
    (void)state;
    static const double dt[] = {1e-2, 0.0097, 0.0099, 0.0101, 0.0103, 7e-3, 1e-3};
    for (int i = 0; i < SCHEMES; i++)
        for (size_t k = 0; k < sizeof dt / sizeof *dt; k++) check_accumulation(&schemes[i], dt[k]);
    check_accumulation(&schemes[0], 1e-4);
}

/* Newton's law at the first impact: y_dot_{n+1} = -e y_dot_n with y_dot_n = -g t_n, t_n the last node before it. */
static void check_first_impact(const scheme *with) {
    trial run = open_ball(with, 1, 7e-3, NULL);
    double before = 0;
    while (trial_value(&run, "floor.PN") == 0) {
        before = trial_value(&run, "y_dot");
        assert_near(before, -g * trial_value(&run, "t"), 1e-12);
        trial_step(&run);
    }
    assert_near(trial_value(&run, "t"), 7e-3 * ceil(sqrt(2 * drop / g) / 7e-3), 1e-12);
    assert_near(trial_value(&run, "y_dot"), -0.5 * before, 1e-12);
    trial_close(&run);
}

static void ball_1_first_impact(void **state) {
    (void)state;
    for (int i = 0; i < SCHEMES; i++) check_first_impact(&schemes[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_2_slides_then_rolls), cmocka_unit_test(ball_3_rolls_at_once),
        cmocka_unit_test(ball_2_position),          cmocka_unit_test(ball_1_passes_the_accumulation_point),
        cmocka_unit_test(ball_1_first_impact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
