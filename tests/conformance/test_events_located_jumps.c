/* Located events where velocities jump although no gap closes: frames, drives and belts whose given motion has a kink,
 * against exact motions; and steps that would pull. */
#include "support/smooth.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

static const char *const INTEGRATORS[] = {"rattle", "lobatto"};

typedef struct story {
    int events;
    carom_event last;
    double P; /* sum of PN */
} story;

static story follow(trial *run) {
    story s = {0};
    while (!carom_sim_done(run->sim)) {
        int count;
        trial_step(run);
        const carom_event *event = carom_sim_events(run->sim, &count);
        s.events += count;
        if (count) s.last = event[count - 1];
        assert_at_least(trial_value(run, "floor.PN"), 0);
        s.P += trial_value(run, "floor.PN");
    }
    assert_int_equal(carom_sim_captured(run->sim), 0);
    return s;
}

/* ---------------------------------------------------------------- a lift, per unit of mass m
 * The ball lies on a floor at height z(t). All motions are parabolas, which both schemes integrate exactly: what is
 * left is round-off of numbers around 1 over 40 steps, and residuals of 1e-12. T is at the end of a step, or anywhere.
 */
static const double STOPS[] = {0.1, 0.105, 0.0333, 0.09999999999999999};
enum { STOP_COUNT = sizeof STOPS / sizeof *STOPS };
static const double EXACT = 1e-11;

static trial lift(const char *integrator, const char *height, double T, double velocity, double e) {
    return trial_text(
        "carom: 1\nparameters: {T: %.17g}\nmodel:\n  gravity: [0, -9.81]\n"
        "  bodies: {ball: {type: point, mass: 2, position: [0, 0], velocity: [0, %g]}}\n"
        "  frames: {lift: {position: [0, \"%s\"]}}\n  contacts:\n"
        "    floor: {between: [{body: ball, point: [0, 0]}, {body: lift, plane: [0, 1]}], restitution: %g}\n"
        "run: {integrator: %s, events: locate, dt: 1e-2, until: 0.2, tolerance: 1e-12}\n",
        T, velocity, height, e, integrator);
}

/* The floor stops at T, the ball goes on. */
static void a_lift_that_stops_throws_the_ball(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < STOP_COUNT; k++) {
            const double T = STOPS[k], rest = 0.2 - T;
            trial run = lift(INTEGRATORS[i], "min(t, T)", T, 1, 0.5);
            story s = follow(&run);
            assert_int_equal(s.events, 1);
            assert_int_equal(s.last.kind, CAROM_OPENING);
            assert_near(s.last.time, T, 1e-15);
            assert_near(s.last.gap_dot[1], 1, EXACT);
            assert_near(s.P, 2 * 9.81 * T, EXACT);
            assert_near(trial_value(&run, "ball.y"), T + rest - 9.81 / 2 * rest * rest, EXACT);
            assert_near(trial_value(&run, "ball.y_dot"), 1 - 9.81 * rest, EXACT);
            assert_near(trial_value(&run, "work.constraints"), 2 * 9.81 * T, EXACT);
            trial_close(&run);
        }
}

/* The floor starts to rise with velocity v at T: a percussion m v, whatever the restitution, since nothing approached;
 * the lift does the work m v^2/2 in that instant. */
static void a_lift_that_starts_strikes_the_ball(void **state) {
    (void)state;
    static const char *const heights[] = {"max(0, 1.5*(t - T))", "if(t < T, 0, 1.5*(t - T))",
                                          "0.75*(t - T + abs(t - T))"};
    const double v = 1.5, m = 2;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < STOP_COUNT * 3; k++) {
            const double T = STOPS[k % STOP_COUNT], rise = v * (0.2 - T);
            trial run = lift(INTEGRATORS[i], heights[k / STOP_COUNT], T, 0, k % 2 * 0.5);
            story s = follow(&run);
            assert_at_most(s.events, k / STOP_COUNT == 2 ? 2 : 1); /* abs has a slope of its own at 0 */
            assert_int_equal(s.last.kind, CAROM_STRIKE);
            assert_near(s.last.time, T, 1e-15);
            if (s.events == 1) assert_near(s.last.PN, m * v, EXACT);
            assert_near(s.last.loss, 0, EXACT);
            assert_near(s.P, m * v + m * 9.81 * 0.2, EXACT);
            assert_near(trial_value(&run, "ball.y"), rise, EXACT);
            assert_near(trial_value(&run, "ball.y_dot"), v, EXACT);
            assert_near(trial_value(&run, "work.constraints"), m * v * v / 2 + m * 9.81 * rise, EXACT);
            trial_close(&run);
        }
}

/* It starts and stops within one step. The ball is thrown up with v at the height v d, d the time between. */
static void two_jumps_in_a_step(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        const double T = 0.1031, d = 0.004, v = 1.5, rest = 0.2 - T - d;
        trial run = lift(INTEGRATORS[i], "1.5*min(max(0, t - T), 0.004)", T, 0, 0);
        story s = follow(&run);
        assert_int_equal(s.events, 2);
        assert_int_equal(s.last.kind, CAROM_OPENING);
        assert_near(s.P, 2 * v + 2 * 9.81 * (T + d), EXACT);
        assert_near(trial_value(&run, "ball.y"), v * d + v * rest - 9.81 / 2 * rest * rest, EXACT);
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- a drive that stops: no contact at all
 * A bar of length L turns about its end with w until T. The pivot drive takes m L^2/3 w out of it. */
static void a_drive_stops(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            const double T = STOPS[k], w = 3, inertia = 2 * 0.25 / 3;
            trial run = trial_text(
                "carom: 1\nparameters: {T: %.17g}\nmodel:\n  bodies:\n"
                "    bar: {type: planar, mass: 2, inertia: 2*0.25/12, position: [0.25, 0], velocity: [0, 0.75], "
                "angular_velocity: 3}\n"
                "  joints: {pivot: {type: revolute, bodies: [world, bar], at: [0, 0], angle: \"3*min(t, T)\"}}\n"
                "run: {integrator: %s, events: locate, dt: 1e-2, until: 0.2, tolerance: 1e-12}\n",
                T, INTEGRATORS[i]);
            double P = 0, E = trial_value(&run, "E");
            while (!carom_sim_done(run.sim)) {
                trial_step(&run);
                P += trial_value(&run, "pivot_drive.P");
            }
            assert_near(E, inertia * w * w / 2, EXACT);
            assert_near(fabs(P), inertia * w, EXACT);
            assert_near(trial_value(&run, "bar.phi"), w * T, EXACT);
            assert_near(trial_value(&run, "bar.phi_dot"), 0, EXACT);
            assert_near(trial_value(&run, "work.constraints"), -E, EXACT);
            trial_close(&run);
        }
}

/* ---------------------------------------------------------------- a belt that starts
 * The block sticks to it until T, slips with mu g while the belt runs ahead with v, and sticks again after v/(mu g). */
static void a_belt_starts(void **state) {
    (void)state;
    const double mu_g = 0.3 * 9.81, v = 0.25;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < STOP_COUNT; k++) {
            const double T = STOPS[k], slips = v / mu_g;
            trial run = trial_text("carom: 1\nparameters: {T: %.17g}\nmodel:\n  coordinates: {x: {}, y: {}}\n"
                                   "  kinetic: x_dot^2 + y_dot^2\n  potential: 2*9.81*y\n  contacts:\n"
                                   "    floor: {gap: y, slip: \"x_dot - if(t < T, 0, 0.25)\", friction: 0.3}\n"
                                   "run: {integrator: %s, events: locate, dt: 1e-2, until: 0.25, tolerance: 1e-12}\n",
                                   T, INTEGRATORS[i]);
            story s = follow(&run);
            assert_int_equal(s.events, 2);
            assert_int_equal(s.last.kind, CAROM_STOP);
            assert_near(s.last.time, T + slips, EXACT);
            assert_near(s.P, 2 * 9.81 * 0.25, EXACT);
            assert_near(trial_value(&run, "x"), v * slips / 2 + v * (0.25 - T - slips), EXACT);
            assert_near(trial_value(&run, "work.friction"), -2 * mu_g * v * slips / 2, EXACT);
            trial_close(&run);
        }
}

/* ---------------------------------------------------------------- order
 * V = 2 x^2 + x^2 y + 9.81 y on a floor z = sin(2t)/2 that stops at T: until then y = z, after that
 *     x_dotdot = -4 x - 2 x y,   y_dotdot = -9.81 - x^2. */
static const double T_STOP = 0.2173;

static void ride(real t, const real *y, real *dy, const void *context) {
    (void)context;
    dy[0] = y[1], dy[1] = -4 * y[0] - 2 * y[0] * sinl(2 * t) / 2;
}
static void fly(real t, const real *y, real *dy, const void *context) {
    (void)t, (void)context;
    dy[0] = y[1], dy[1] = -4 * y[0] - 2 * y[0] * y[2];
    dy[2] = y[3], dy[3] = (real)-9.81 - y[0] * y[0];
}

static void order_is_kept(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double order, dt;
    } scheme[] = {{"rattle", 2, 0.02}, {"lobatto", 4, 0.04}, {"lobatto, stages: 4", 6, 0.08}};
    const double until = 0.32;
    real y[4] = {1, 0, sinl(2 * (real)T_STOP) / 2, cosl(2 * (real)T_STOP)};
    smooth_solve(2, ride, NULL, 0, (real)T_STOP, y);
    smooth_solve(4, fly, NULL, (real)T_STOP, (real)until, y);
    for (int i = 0; i < 3; i++) {
        double h[4], error[4];
        for (int k = 0; k < 4; k++) {
            h[k] = scheme[i].dt / (1 << k);
            trial run = trial_text("carom: 1\nmodel:\n  coordinates: {x: {start: 1}, y: {velocity: 1}}\n"
                                   "  kinetic: (x_dot^2 + y_dot^2)/2\n  potential: 2*x^2 + x^2*y + 9.81*y\n"
                                   "  contacts: {floor: {gap: \"y - sin(2*min(t, %.17g))/2\"}}\n"
                                   "run: {integrator: %s, events: locate, dt: %.17g, until: %g, tolerance: 1e-14}\n",
                                   T_STOP, scheme[i].name, h[k], until);
            story s = follow(&run);
            assert_int_equal(s.events, 1);
            const double *q = carom_sim_q(run.sim), *u = carom_sim_u(run.sim);
            error[k] = fmax(fmax(fabs(q[0] - (double)y[0]), fabs(q[1] - (double)y[2])),
                            fmax(fabs(u[0] - (double)y[1]), fabs(u[1] - (double)y[3])));
            trial_close(&run);
        }
        double order = observed_order(4, h, error);
        printf("%s through a jump: errors %.1e .. %.1e, order %.2f of %g\n", scheme[i].name, error[0], error[3], order,
               scheme[i].order);
        /* jumps divide steps at places that change with dt, which moves errors by a part of themselves: 0.3 of an order
         * over a factor of 8 in dt */
        assert_at_least(order, scheme[i].order - 0.3);
    }
}

/* ---------------------------------------------------------------- over a ridge
 * A bead slides up a slope, a = 1/2, and leaves it at the ridge x = 0 where the slope turns down, a switch of its gap.
 * x_dotdot = -g a/(1 + a^2) until then. Forces are constant on both sides, so that only tolerances count. */
static void a_ridge_does_not_hold(void **state) {
    (void)state;
    const double g = 10, a = 0.5, dt = 1e-2, pull = g * a / (1 + a * a), v = sqrt(25 - 2 * pull), top = (5 - v) / pull;
    const double rest = 0.6 - top, close = 1e-9;
    for (int i = 0; i < 2; i++) {
        trial run =
            trial_text("carom: 1\nmodel:\n  coordinates: {x: {start: -1, velocity: 5}, y: {start: -0.5, velocity: "
                       "2.5}}\n  kinetic: (x_dot^2 + y_dot^2)/2\n  potential: 10*y\n"
                       "  contacts: {floor: {gap: y + abs(x)/2}}\n"
                       "run: {integrator: %s, events: locate, dt: %g, until: 0.6}\n",
                       INTEGRATORS[i], dt);
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            assert_at_least(trial_value(&run, "floor.PN"), 0);
        }
        assert_int_equal(carom_sim_captured(run.sim), 0);
        assert_near(trial_value(&run, "x_dot"), v, close);
        assert_near(trial_value(&run, "y_dot"), a * v - g * rest, close);
        assert_near(trial_value(&run, "x"), v * rest, close);
        assert_near(trial_value(&run, "y"), a * v * rest - g * rest * rest / 2, close);
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- a stone in the corner of a cup
 * While it sticks at both walls it has three ways to move and four equations: two gaps on positions, two slips on
 * velocities. The arm is turned by a drive and throws it. */
static trial catapult(const char *integrator, double dt) {
    return trial_text(
        "carom: 1\nparameters: {L: 1, r: 0.05, turn: 1.2, T: 0.35}\nmodel:\n  gravity: [0, -9.81]\n  bodies:\n"
        "    arm: {type: planar, mass: 2, shape: {box: [L, 0.04]}, position: [0, 0]}\n"
        "    stone: {type: planar, mass: 0.3, shape: {disk: r}, position: [-0.4, 0.02 + r]}\n  joints:\n"
        "    pivot: {type: revolute, bodies: [world, arm], at: [0.2, 0], "
        "angle: \"-turn*if(t < T, (1 - cos(pi*t/T))/2, 1)\"}\n  contacts:\n"
        "    cup: {between: [stone, {body: arm, plane: [0, 1], at: [0, 0.02]}], friction: 0.6}\n"
        "    lip: {between: [stone, {body: arm, plane: [1, 0], at: [-0.4 - r, 0]}], friction: 0.3}\n"
        "run: {integrator: %s, events: locate, dt: %g, until: 0.4}\n",
        integrator, dt);
}

/* Contacts push, and friction stays in its cone up to half of what the force changes in a step: 0.3 kg with up to
 * turn/2 (pi/T)^2 0.6 m = 29 m/s^2 that changes within T. */
static void check_laws(const trial *run, const char *PN, const char *PF, double mu, double dt) {
    double N = trial_value(run, PN);
    assert_at_least(N, 0);
    assert_at_most(fabs(trial_value(run, PF)), mu * N + 0.3 * 29 / 0.35 * dt * dt / 2);
}

static void a_corner_holds(void **state) {
    (void)state;
    static const char *const names[] = {"stone.x", "stone.y", "stone.phi"};
    static const char *const zeros[] = {"pivot1.g", "pivot2.g", "pivot_drive.g"};
    double far[3] = {0};
    for (int k = 0; k < 5; k++) {
        const double dt = k < 2 ? 1e-3 : 4e-3 / (1 << (k - 2));
        trial run = catapult(k == 0 ? "lobatto, stages: 4" : k == 1 ? "lobatto" : "rattle", dt);
        double drift = 0, error = 0;
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            check_laws(&run, "cup.PN", "cup.PF", 0.6, dt);
            check_laws(&run, "lip.PN", "lip.PF", 0.3, dt);
            for (int i = 0; i < 3; i++) drift = fmax(drift, fabs(trial_value(&run, zeros[i])));
            assert_at_least(trial_value(&run, "cup.gap"), -1e-12);
            assert_at_least(trial_value(&run, "lip.gap"), -1e-12);
        }
        for (int i = 0; i < 3 && k == 0; i++) far[i] = trial_value(&run, names[i]);
        for (int i = 0; i < 3; i++) error = fmax(error, fabs(trial_value(&run, names[i]) - far[i]));
        printf("catapult, dt = %g: off by %.1e, joints by %.1e\n", dt, error, drift);
        assert_int_equal(carom_sim_captured(run.sim) + carom_sim_substeps(run.sim), 0);
        assert_at_most(drift, 1e-12); /* positions of size 1 end on the constraints to round-off of some operations */
        /* rattle has order 2: rates pi/T and accelerations up to turn/2 (pi/T)^2 make up for a factor of 50 at most */
        assert_at_most(error, k < 2 ? 50 * pow(dt, 3) : 50 * dt * dt);
        trial_close(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lift_that_stops_throws_the_ball),
        cmocka_unit_test(a_lift_that_starts_strikes_the_ball),
        cmocka_unit_test(two_jumps_in_a_step),
        cmocka_unit_test(a_drive_stops),
        cmocka_unit_test(a_belt_starts),
        cmocka_unit_test(order_is_kept),
        cmocka_unit_test(a_ridge_does_not_hold),
        cmocka_unit_test(a_corner_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
