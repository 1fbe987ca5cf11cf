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

/* (V41): a wall of thickness 2a whose gap (x^2 - a^2)/L has next to no slope, 2a/L, where it closes. A body comes with
 * the velocity v from x = -x0, most of the way in one step, and leaves with -v. The time of the strike is v^-1 times a
 * place that is known to 1/16 of the rounding of x, 64 eps (x0 + dt v), and of dt times the tolerance; and times of the
 * size of the run are rounded. */
static void check_thin_wall(const char *integrator, double a, double L, double v, double x0) {
    const double dt = 0.3 * x0 / v, end = 2 * x0 / v, strike = (x0 - a) / v, tolerance = 1e-10;
    const double known = (64 * 2.3e-16 * (x0 + dt * v) + dt * tolerance) / 16 / v + 16 * 2.3e-16 * end;
    trial run = trial_text("carom: 1\nmodel:\n  coordinates: {x: {start: %.17g, velocity: %.17g}}\n"
                           "  kinetic: x_dot^2/2\n"
                           "  contacts: {wall: {gap: (x^2 - %.17g^2)/%.17g, restitution: 1}}\n"
                           "run: {integrator: %s, events: locate, dt: %.17g, until: %.17g, tolerance: %g}\n",
                           -x0, v, a, L, integrator, dt, end, tolerance);
    int strikes = 0, count;
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        const carom_event *event = carom_sim_events(run.sim, &count);
        for (int j = 0; j < count; j++, strikes++) assert_near(event[j].time, strike, known);
    }
    printf("%s, a %g, L %g, v %g, x0 %g: %d strikes, x_dot %.17g\n", integrator, a, L, v, x0, strikes,
           carom_sim_u(run.sim)[0]);
    assert_int_equal(strikes, 1);
    assert_near(carom_sim_u(run.sim)[0], -v, 1e-9 * v);
    trial_close(&run);
}

static void walls_without_slope_are_met(void **state) {
    (void)state;
    static const char *const integrators[] = {"rattle", "lobatto"};
    for (int i = 0; i < 2; i++) {
        for (double a = 1e-2; a > 1e-11; a /= 10)
            for (double L = 1e-3; L < 1e4; L *= 1e3) check_thin_wall(integrators[i], a, L, 1, 1);
        for (double v = 1e-4; v < 1e4; v *= 100) check_thin_wall(integrators[i], 1e-9, 1, v, 1e-7);
    }
}

/* The same where the way there is curved, x^3 pulling back: a step that ends elsewhere than at the wall finds another
 * slope of the gap there, gap_dot = -2 a x_dot/L. The speed is that of the energy, to what steps of 0.05 leave of it,
 * less than 1e-3; the place is known as above. */
static void thin_walls_are_met_where_they_are(void **state) {
    (void)state;
    static const char *const integrators[] = {"rattle", "lobatto"};
    const double dt = 0.05, speed = sqrt(1 + 0.5);
    for (int i = 0; i < 2; i++)
        for (double a = 1e-3; a > 1e-10; a /= 10) {
            trial run = trial_text("carom: 1\nmodel:\n  coordinates: {x: {start: -1, velocity: 1}}\n"
                                   "  kinetic: x_dot^2/2\n  potential: x^4/4\n"
                                   "  contacts: {wall: {gap: x^2 - %.17g^2, restitution: 1}}\n"
                                   "run: {integrator: %s, events: locate, dt: %g, until: 1.5}\n",
                                   a, integrators[i], dt);
            int strikes = 0, count;
            while (!carom_sim_done(run.sim)) {
                trial_step(&run);
                const carom_event *event = carom_sim_events(run.sim, &count);
                for (int j = 0; j < count; j++, strikes++) {
                    printf("%s, a %g: gap_dot %.9g\n", integrators[i], a, event[j].gap_dot[0]);
                    assert_near(event[j].gap_dot[0], -2 * a * speed, 2 * a * speed * 1e-3 + 2 * speed * dt * 1e-10);
                }
            }
            assert_int_equal(strikes, 1);
            trial_close(&run);
        }
}

/* Whatever unit a gap is written in: a ball that falls from rest strikes at sqrt(2 h/g) and every 2 sqrt(2 h/g) from
 * then on, and without restitution it strikes once and lies there. */
static void units_of_gaps_do_not_matter(void **state) {
    (void)state;
    static const char *const integrators[] = {"rattle", "lobatto"};
    const double fall = sqrt(2 * 0.01 / 9.81);
    for (int i = 0; i < 2; i++)
        for (int elastic = 0; elastic <= 1; elastic++)
            for (double unit = 1e-12; unit < 1e13; unit *= 1e3) {
                trial run = trial_text("carom: 1\nmodel:\n  coordinates: {y: {start: 0.01}}\n"
                                       "  kinetic: y_dot^2/2\n  potential: 9.81*y\n"
                                       "  contacts: {floor: {gap: %.17g*y, restitution: %d}}\n"
                                       "run: {integrator: %s, events: locate, dt: 7e-3, until: %.17g}\n",
                                       unit, elastic, integrators[i], 20 * fall);
                int strikes = 0, count;
                while (!carom_sim_done(run.sim)) {
                    trial_step(&run);
                    const carom_event *event = carom_sim_events(run.sim, &count);
                    for (int j = 0; j < count; j++, strikes++)
                        assert_near(event[j].time, (2 * strikes + 1) * fall, 1e-9 * (strikes + 1));
                }
                const double y = carom_sim_q(run.sim)[0];
                printf("%s, unit %g, restitution %d: %d strikes, y %g\n", integrators[i], unit, elastic, strikes, y);
                assert_int_equal(strikes, elastic ? 10 : 1);
                if (!elastic) assert_near(y, 0, 7e-3 * 1e-10);
                trial_close(&run);
            }
}

/* A slip in any unit: a block thrown at 2 m/s over a floor, mu = 0.3, g = 10, pulled by 2 t, stops when
 * 2 - 3 t + t^2 = 0, at 1 s, and is pulled loose where 2 t = 3, from where x_dot = (t - 1.5)^2. */
static void units_of_slips_do_not_matter(void **state) {
    (void)state;
    static const char *const integrators[] = {"rattle", "lobatto"};
    for (int i = 0; i < 2; i++)
        for (double unit = 1e-12; unit < 1e7; unit *= 1e3) {
            trial run = trial_text("carom: 1\nmodel:\n  coordinates: {x: {velocity: 2}, y: 0}\n"
                                   "  kinetic: (x_dot^2 + y_dot^2)/2\n  potential: 10*y\n  forces: {x: 2*t}\n"
                                   "  contacts: {floor: {gap: y, slip: %.17g*x_dot, friction: 0.3/%.17g}}\n"
                                   "run: {integrator: %s, events: locate, dt: 0.07, until: 2.1}\n",
                                   unit, unit, integrators[i]);
            double time[2] = {0};
            int events = 0, count;
            while (!carom_sim_done(run.sim)) {
                trial_step(&run);
                const carom_event *event = carom_sim_events(run.sim, &count);
                for (int j = 0; j < count && events < 2; j++) time[events++] = event[j].time;
            }
            const double u = carom_sim_u(run.sim)[0];
            printf("%s, unit %g: stops at %.12g, breaks loose at %.12g, x_dot %.12g\n", integrators[i], unit, time[0],
                   time[1], u);
            assert_near(time[0], 1, 1e-8);
            assert_near(time[1], 1.5, 1e-8);
            assert_near(u, 0.36, 1e-8);
            trial_close(&run);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_bodies_change_no_collision), cmocka_unit_test(small_gaps_of_small_bodies_are_open),
        cmocka_unit_test(walls_without_slope_are_met),    cmocka_unit_test(thin_walls_are_met_where_they_are),
        cmocka_unit_test(units_of_gaps_do_not_matter),    cmocka_unit_test(units_of_slips_do_not_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
