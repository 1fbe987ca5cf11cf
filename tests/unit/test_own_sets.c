/* Laws of friction of a program's own with several slips (docs/theory/laws.md, (L27), (L28)): captured and located, by
 * every integrator with friction, against differential equations and closed forms of their own. mu g = 2.943. */
#include "support/own_sets.h"
#include "support/rk4.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double mu = 0.3, g = 9.81;
static const char *const schemes[] = {"moreau",
                                      "symmetric_moreau",
                                      "variational_moreau",
                                      "theta",
                                      "nsga",
                                      "generalized_alpha",
                                      "rattle",
                                      "lobatto",
                                      "rattle, events: locate",
                                      "lobatto, events: locate",
                                      "lobatto, stages: 4, events: locate"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

#define PUCK                                                                                                           \
    "carom: 1\nmodel:\n  coordinates: {x: {velocity: %g}, y: {velocity: %g}, z: 0}\n"                                  \
    "  kinetic: (x_dot^2 + y_dot^2 + z_dot^2)/2\n  potential: 9.81*z\n  forces: {x: \"%s\", y: \"%s\"}\n"              \
    "  contacts: {floor: {gap: z, slip: [x_dot, y_dot], friction: 0.3, law: %s}}\n"                                    \
    "run: {integrator: %s, dt: %g, until: %.17g, tolerance: 1e-12}\n"

static void registered(void **state) {
    carom_finding findings[4];
    (void)state;
    for (int i = 0; i < 2; i++) {
        const carom_law_def *law = i ? &own_copy : &own_ellipsoid;
        assert_int_equal(carom_law_register(law, NULL), CAROM_OK);
        const int count = carom_law_check(law, findings, 4);
        for (int k = 0; k < count && k < 4; k++) printf("%s: %s\n", law->info.name, findings[k].text);
        assert_int_equal(count, 0);
    }
    carom_error error;
    carom_law_def lame = own_copy;
    lame.info.name = "lame", lame.gauge = NULL;
    assert_int_equal(carom_law_register(&lame, &error), CAROM_DATA);
    assert_string_equal(error.message, "the law 'lame' needs both of the functions support and gauge, or none");
}

/* ---- an edge that is not that of the set is found */

static void wrong_support(int n, const double *y, double *p, double p_y[CAROM_LAW_SIZE][CAROM_LAW_SIZE]) {
    own_ellipsoid.support(n, y, p, p_y);
    p[0] -= own_centre[0];
}
static void stiff_support(int n, const double *y, double *p, double p_y[CAROM_LAW_SIZE][CAROM_LAW_SIZE]) {
    own_ellipsoid.support(n, y, p, p_y);
    p_y[0][1] = 0;
}
static double wrong_gauge(int n, const double *x, double *gauge_x) {
    const double size = own_ellipsoid.gauge(n, x, gauge_x);
    gauge_x[0] = -gauge_x[0];
    return size;
}

static void wrong_edges_are_found(void **state) {
    carom_finding finding;
    carom_law_def wrong = own_ellipsoid;
    (void)state;
    wrong.support = stiff_support;
    assert_int_equal(carom_law_check(&wrong, &finding, 1), 1);
    assert_non_null(strstr(finding.text, "derivatives of support"));
    wrong = own_ellipsoid, wrong.gauge = wrong_gauge;
    assert_int_equal(carom_law_check(&wrong, &finding, 1), 1);
    assert_non_null(strstr(finding.text, "gauge"));
    wrong = own_ellipsoid, wrong.support = wrong_support;
    assert_int_equal(carom_law_check(&wrong, &finding, 1), 2);
}

/* ---- slip that turns: v' = wind - mu g p(v) */

/* The point of C(1) for a direction, and the components of v' = force - mu g p. */
static void point(int n, const double *v, double *p) {
    double size = 0;
    for (int i = 0; i < n; i++) size = hypot(size, own_axis[i] * v[i]);
    for (int i = 0; i < n; i++) p[i] = own_centre[i] + own_axis[i] * own_axis[i] * v[i] / size;
}

static void turning(double t, const double *y, double *rate) {
    double p[2];
    (void)t;
    point(2, y + 2, p);
    rate[0] = y[2], rate[1] = y[3], rate[2] = -mu * g * p[0], rate[3] = 3 - mu * g * p[1];
}

static double error_of(const trial *run, const double *exact) {
    const double *q = carom_sim_q(run->sim), *u = carom_sim_u(run->sim);
    return hypot(hypot(q[0] - exact[0], q[1] - exact[1]), hypot(u[0] - exact[2], u[1] - exact[3]));
}

static double turning_error(const char *scheme, double dt, const double *exact) {
    trial run = trial_text(PUCK, 2., -0.5, "0", "3", "ellipsoid", scheme, dt, 0.4);
    trial_finish(&run);
    const double error = error_of(&run, exact);
    trial_close(&run);
    return error;
}

/* Orders 2s-2, captured and located, by halving of a step; all others are near by O(dt), 10 dt. */
static void slip_turns(void **state) {
    static const struct {
        const char *scheme;
        double dt, order;
    } by[] = {{"rattle", 0.02, 2},
              {"rattle, events: locate", 0.02, 2},
              {"lobatto, stages: 3", 0.04, 4},
              {"lobatto, stages: 2, events: locate", 0.02, 2},
              {"lobatto, stages: 3, events: locate", 0.04, 4},
              {"lobatto, stages: 4, events: locate", 0.08, 6}};
    double exact[4] = {0, 0, 2, -0.5};
    (void)state;
    rk4_run(turning, 4, 0.4, 20000, exact);
    for (int i = 0; i < SCHEMES; i++) assert_at_most(turning_error(schemes[i], 1e-3, exact), 10 * 1e-3);
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        const double coarse = turning_error(by[i].scheme, by[i].dt, exact),
                     fine = turning_error(by[i].scheme, by[i].dt / 2, exact);
        printf("%-36s %.2e, %.2e, order %.2f\n", by[i].scheme, coarse, fine, log2(coarse / fine));
        assert_at_least(log2(coarse / fine), by[i].order - 0.3);
    }
}

/* The same with mu by the slip speed, (L16). */
static void turning_by_speed(double t, const double *y, double *rate) {
    const double now = 0.25 + 0.1 * exp(-hypot(y[2], y[3]));
    double p[2];
    (void)t;
    point(2, y + 2, p);
    rate[0] = y[2], rate[1] = y[3], rate[2] = -now * g * p[0], rate[3] = 3 - now * g * p[1];
}

static void slip_turns_and_slows(void **state) {
    double exact[4] = {0, 0, 2, -0.5}, error[2];
    (void)state;
    rk4_run(turning_by_speed, 4, 0.4, 20000, exact);
    for (int k = 0; k < 2; k++) {
        trial run = trial_text("carom: 1\nmodel:\n  coordinates: {x: {velocity: 2}, y: {velocity: -0.5}, z: 0}\n"
                               "  kinetic: (x_dot^2 + y_dot^2 + z_dot^2)/2\n  potential: 9.81*z\n  forces: {y: 3}\n"
                               "  contacts: {floor: {gap: z, slip: [x_dot, y_dot], friction: 0.25 + 0.1*exp(-slip), "
                               "law: ellipsoid}}\n"
                               "run: {integrator: lobatto, stages: 3, events: locate, dt: %g, until: 0.4}\n",
                               k ? 0.02 : 0.04);
        trial_finish(&run);
        error[k] = error_of(&run, exact);
        trial_close(&run);
    }
    printf("mu by slip speed: %.2e, %.2e, order %.2f\n", error[0], error[1], log2(error[0] / error[1]));
    assert_at_least(log2(error[0] / error[1]), 3.7);
}

/* Two slips and a spin w with inertia 0.1 and radius 0.3. */
static void drilling(double t, const double *v, double *rate) {
    const double y[3] = {v[0], v[1], 0.3 * v[2]};
    double p[3];
    (void)t;
    point(3, y, p);
    rate[0] = -mu * g * p[0], rate[1] = -mu * g * p[1], rate[2] = -mu * g * 0.3 * p[2] / 0.1;
}

static double drilling_error(double dt, const double *exact) {
    trial run = trial_text("carom: 1\nmodel:\n"
                           "  coordinates: {x: {velocity: 2}, y: {velocity: 1}, z: 0, w: {velocity: 9}}\n"
                           "  kinetic: (x_dot^2 + y_dot^2 + z_dot^2 + 0.1*w_dot^2)/2\n  potential: 9.81*z\n"
                           "  contacts: {c: {gap: z, slip: [x_dot, y_dot, 0.3*w_dot], friction: 0.3, law: ellipsoid}}\n"
                           "run: {integrator: lobatto, stages: 3, events: locate, dt: %g, until: 0.32}\n",
                           dt);
    trial_finish(&run);
    const double *u = carom_sim_u(run.sim), error = hypot(hypot(u[0] - exact[0], u[1] - exact[1]), u[3] - exact[2]);
    trial_close(&run);
    return error;
}

static void slip_and_spin_turn(void **state) {
    double exact[3] = {2, 1, 9};
    (void)state;
    rk4_run(drilling, 3, 0.32, 20000, exact);
    const double coarse = drilling_error(0.04, exact), fine = drilling_error(0.02, exact);
    printf("three slips: %.2e, %.2e, order %.2f\n", coarse, fine, log2(coarse / fine));
    assert_at_least(log2(coarse / fine), 3.7);
}

/* ---- slip that stops: with v = e^l (cos a, sin a), a, t, x, y by l; what is left at l = -25 is below 1e-10 */

static void stopping(double l, const double *y, double *rate) {
    const double speed = exp(l), d[2] = {cos(y[0]), sin(y[0])};
    double p[2];
    point(2, d, p);
    const double along = p[0] * d[0] + p[1] * d[1], across = p[1] * d[0] - p[0] * d[1];
    rate[0] = across / along, rate[1] = -speed / (mu * g * along);
    rate[2] = rate[1] * speed * d[0], rate[3] = rate[1] * speed * d[1];
}

static double last_event(trial *run, carom_event_kind kind) {
    double last = NAN;
    int count;
    while (!carom_sim_done(run->sim)) {
        trial_step(run);
        const carom_event *event = carom_sim_events(run->sim, &count);
        for (int i = 0; i < count; i++) last = event[i].kind == kind ? event[i].time : last;
    }
    return last;
}

/* The slip stops in all schemes and stays at rest, in its place by O(dt); where events are located at the instant and
 * the place, to (dt/stop)^4 of them: (0.01/0.6)^4 = 8e-8 for three stages. */
static void slip_stops(void **state) {
    const double v[2] = {1, 0.8};
    double y[4] = {atan2(v[1], v[0])};
    (void)state;
    const double start = log(hypot(v[0], v[1])), steps = 40000, h = (-25 - start) / steps;
    for (int i = 0; i < steps; i++) rk4_step(stopping, 4, start + i * h, h, y);
    printf("stops at t = %.10f, angle %.6f\n", y[1], y[0]);
    for (int i = 0; i < SCHEMES; i++) {
        trial run = trial_text(PUCK, v[0], v[1], "0", "0", "ellipsoid", schemes[i], 1e-2, 1.);
        const double stop = last_event(&run, CAROM_STOP), *q = carom_sim_q(run.sim), *u = carom_sim_u(run.sim);
        const bool fine = carom_sim_locates(run.sim) && !strncmp(schemes[i], "lobatto", 7);
        printf("%-36s %.2e %.2e\n", schemes[i], hypot(q[0] - y[2], q[1] - y[3]), stop - y[1]);
        assert_near(q[0], y[2], fine ? 8e-8 : 1e-2);
        assert_near(q[1], y[3], fine ? 8e-8 : 1e-2);
        assert_near(hypot(u[0], u[1]), 0, 1e-9);
        assert_true(carom_sim_contact(run.sim, 0) == CAROM_STICK);
        if (fine) assert_near(stop, y[1], 8e-8);
        trial_close(&run);
    }
}

/* ---- stick that breaks: under the load (2.4 t, 1.8 t^3), where it reaches the edge of the set mu g C(1) */

static void load_at(double t, double *load) {
    load[0] = 2.4 * t, load[1] = 1.8 * t * t * t;
}

/* |(load/(mu g) - centre)/axis| and its derivatives by load/(mu g), along the normal */
static double edge(double t, double *normal) {
    double load[2], size = 0;
    load_at(t, load);
    for (int i = 0; i < 2; i++) {
        const double x = (load[i] / (mu * g) - own_centre[i]) / own_axis[i];
        normal[i] = x / own_axis[i], size = hypot(size, x);
    }
    const double length = hypot(normal[0], normal[1]);
    for (int i = 0; i < 2; i++) normal[i] /= length;
    return size;
}

static double breaking_time(void) {
    double low = 0, high = 3, normal[2];
    for (int i = 0; i < 60; i++) {
        const double t = (low + high) / 2;
        if (edge(t, normal) < 1) low = t;
        else high = t;
    }
    return low;
}

static void loaded(double t, const double *y, double *rate) {
    double p[2], load[2];
    point(2, y + 2, p);
    load_at(t, load);
    for (int i = 0; i < 2; i++) rate[i] = y[2 + i], rate[2 + i] = load[i] - mu * g * p[i];
}

/* Slip begins along the normal n of the edge with (d load/dt . n) (t - t0)^2/2, up to third order in t - t0: 1e-4 of
 * time for the reference, 1e-12. It turns with a rate of mu g/v, and v grows with the square of the time. */
static void loaded_reference(double t0, double until, double *y) {
    const double part = 1e-4;
    double n[2];
    edge(t0, n);
    const double rate = 2.4 * n[0] + 5.4 * t0 * t0 * n[1];
    for (int i = 0; i < 2; i++) y[i] = n[i] * rate * part * part * part / 6, y[2 + i] = n[i] * rate * part * part / 2;
    for (double t = t0 + part, h; t < until; t = until - t <= h ? until : t + h) {
        h = fmin(fmin(0.1 * (t - t0) * (t - t0), 1e-4), until - t);
        rk4_step(loaded, 4, t, h, y);
    }
}

static double loaded_error(const char *scheme, double dt, double until, const double *exact, double *begins) {
    trial run = trial_text(PUCK, 0., 0., "2.4*t", "1.8*t^3", "ellipsoid", scheme, dt, until);
    *begins = last_event(&run, CAROM_BREAK);
    const double error = error_of(&run, exact);
    trial_close(&run);
    return error;
}

/* By O(dt) in captured runs. Where events are located orders are kept through it. Slip begins where its acceleration
 * exceeds 100 tolerance/dt = 2e-8, (V32), and it grows by more than 2 in a second: 1e-8. */
static void stick_breaks(void **state) {
    static const struct {
        const char *scheme;
        double order;
    } by[] = {{"rattle, events: locate", 2}, {"lobatto, stages: 3, events: locate", 4}};
    const double t0 = breaking_time(), until = 2;
    double exact[4], begins;
    (void)state;
    loaded_reference(t0, until, exact);
    assert_true(t0 > 0.5 && t0 < 1.5);
    for (int i = 0; i < SCHEMES; i++) assert_at_most(loaded_error(schemes[i], 1e-2, until, exact, &begins), 0.1);
    for (int i = 0; i < 2; i++) {
        const double coarse = loaded_error(by[i].scheme, 0.02, until, exact, &begins);
        assert_near(begins, t0, 1e-8);
        const double fine = loaded_error(by[i].scheme, 0.005, until, exact, &begins);
        assert_near(begins, t0, 1e-8);
        printf("%-36s %.2e, %.2e, order %.2f\n", by[i].scheme, coarse, fine, log2(coarse / fine) / 2);
        assert_at_least(log2(coarse / fine) / 2, by[i].order - 0.3);
    }
}

/* ---- the copy of Coulomb's ball moves as Coulomb's: 200 steps, each solved to 1e-12, and stops located to 1e-10 */

static void alike(const char *friction, const char *scheme) {
    trial both[2];
    for (int k = 0; k < 2; k++) {
        both[k] = trial_text("carom: 1\nmodel:\n  coordinates: {x: {velocity: 1}, y: {velocity: 0.3}, z: 0}\n"
                             "  kinetic: (x_dot^2 + y_dot^2 + z_dot^2)/2\n  potential: 9.81*z\n"
                             "  forces: {x: 4*sin(3*t), y: 2.5*cos(2*t)}\n"
                             "  contacts: {floor: {gap: z, slip: [x_dot, y_dot], friction: %s, law: %s}}\n"
                             "run: {integrator: %s, dt: 1e-2, until: 2, tolerance: 1e-12}\n",
                             friction, k ? "copy" : "coulomb", scheme);
        trial_finish(&both[k]);
    }
    for (int j = 0; j < 2; j++) {
        assert_near(carom_sim_q(both[1].sim)[j], carom_sim_q(both[0].sim)[j], 1e-9);
        assert_near(carom_sim_u(both[1].sim)[j], carom_sim_u(both[0].sim)[j], 1e-9);
    }
    for (int k = 0; k < 2; k++) trial_close(&both[k]);
}

static void copies_move_alike(void **state) {
    static const char *const frictions[] = {"0.3", "0.25 + 0.1*exp(-slip)", "{static: 0.35, kinetic: 0.25}",
                                            "0.3 + 0.05*sin(x)"};
    (void)state;
    for (int i = 0; i < SCHEMES; i++)
        for (int k = 0; k < 4; k++) alike(frictions[k], schemes[i]);
}

/* ---- impacts: the slip of a mass point by its normal percussion, (L7) */

static void pressed(double p, const double *v, double *rate) {
    double x[2];
    (void)p;
    point(2, v, x);
    rate[0] = -mu * x[0], rate[1] = -mu * x[1];
}

/* Of speed 1 and e = 0.6, so that P_N = 1.6 by every law: energetic and poisson go the way of the slip to 1e-6; newton
 * asks for the force of the slip after the impact. */
static void impacts_slip_as_they_turn(void **state) {
    double way[2] = {1, 0.7}, p[2];
    (void)state;
    rk4_run(pressed, 2, 1.6, 20000, way);
    for (int i = 0; i < SCHEMES; i++)
        for (int k = 0; k < 3; k++) {
            static const char *const laws[] = {"newton", "poisson", "energetic"};
            trial run =
                trial_text("carom: 1\nmodel:\n"
                           "  coordinates: {x: {velocity: 1}, y: {velocity: 0.7}, z: {start: 0.1, velocity: -1}}\n"
                           "  kinetic: (x_dot^2 + y_dot^2 + z_dot^2)/2\n"
                           "  contacts: {floor: {gap: z, slip: [x_dot, y_dot], friction: 0.3, law: ellipsoid,"
                           " restitution: 0.6, impact: %s}}\n"
                           "run: {integrator: %s, dt: 1e-2, until: 0.2}\n",
                           laws[k], schemes[i]);
            trial_finish(&run);
            const double *u = carom_sim_u(run.sim);
            point(2, u, p);
            for (int j = 0; j < 2; j++)
                assert_near(u[j], k ? way[j] : (j ? 0.7 : 1) - 1.6 * mu * p[j], k ? 1e-6 : 1e-8);
            trial_close(&run);
        }
}

/* With ten times the friction the slip is over before the impact is, and stays so. */
static void impacts_stop_slip(void **state) {
    (void)state;
    for (int i = 0; i < SCHEMES; i++) {
        trial run = trial_text("carom: 1\nmodel:\n"
                               "  coordinates: {x: {velocity: 1}, y: {velocity: 0.7}, z: {start: 0.1, velocity: -1}}\n"
                               "  kinetic: (x_dot^2 + y_dot^2 + z_dot^2)/2\n"
                               "  contacts: {floor: {gap: z, slip: [x_dot, y_dot], friction: 3, law: ellipsoid,"
                               " restitution: 0.6, impact: energetic}}\n"
                               "run: {integrator: %s, dt: 1e-2, until: 0.2}\n",
                               schemes[i]);
        trial_finish(&run);
        const double *u = carom_sim_u(run.sim);
        assert_near(hypot(u[0], u[1]), 0, 1e-9);
        assert_near(u[2], 0.6, 1e-9);
        trial_close(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registered),
        cmocka_unit_test(wrong_edges_are_found),
        cmocka_unit_test(slip_turns),
        cmocka_unit_test(slip_and_spin_turn),
        cmocka_unit_test(slip_turns_and_slows),
        cmocka_unit_test(slip_stops),
        cmocka_unit_test(stick_breaks),
        cmocka_unit_test(copies_move_alike),
        cmocka_unit_test(impacts_slip_as_they_turn),
        cmocka_unit_test(impacts_stop_slip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
