/* Springs, dampers and loads on bodies, against closed solutions, independent integrations and conservation laws. */
#include "support/ode.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

#define RUN "run: {integrator: %s, dt: %.17g, until: %.17g, tolerance: 1e-13%s}\n"
#define LOBATTO "lobatto", 0.01
#define STAGES                                                                                                         \
    ", stages: 5" /* order 8: with rates up to 10 an error of (10 dt)^8 = 1e-8 times a constant below 1e-4             \
                   */

/* A model of one of these tests, to be run. */
static trial run_of(const char *model, const char *integrator, double dt, double until, const char *option) {
    char text[4096];
    snprintf(text, sizeof text, "carom: 1\n%s" RUN, model, integrator, dt, until, option);
    return trial_text("%s", text);
}

/* Order of an error at the end over four halved steps. */
static double order_of(const char *model, const char *integrator, double dt, double until, const char *option,
                       double (*error)(trial *run)) {
    double h[4], e[4];
    for (int k = 0; k < 4; k++) {
        h[k] = dt / (1 << k);
        trial run = run_of(model, integrator, h[k], until, option);
        e[k] = fabs(error(&run));
        trial_close(&run);
    }
    return observed_order(4, h, e);
}

/* ---------------------------------------------------------------- springs */

/* The published pendulum in polar coordinates, its wall moved out of reach, against a point mass on a spring. */
static void pendulum(void **state) {
    (void)state;
    trial polar =
        trial_scene("paper/moreau/spring_pendulum", "model.contacts.wall.gap=phi + 100", "run.integrator=lobatto",
                    "run.stages=5", "run.dt=0.01", "run.until=3", "run.tolerance=1e-13", NULL);
    trial_finish(&polar);
    trial run = run_of("parameters: {m: 1, k: 100, l0: 1, g: 9.81}\n"
                       "model:\n"
                       "  gravity: [0, -g]\n"
                       "  bodies: {bob: {type: point, mass: m, position: [1.1*sin(pi/4), -1.1*cos(pi/4)]}}\n"
                       "  springs: {rod: {between: [world, bob], stiffness: k, length: l0}}\n"
                       "  observe: {l: rod.length, l_dot: rod.rate}\n",
                       LOBATTO, 3, STAGES);
    double E = trial_value(&run, "E");
    trial_finish(&run);
    double l = trial_value(&polar, "l"), phi = trial_value(&polar, "phi");
    assert_near(trial_value(&run, "bob.x"), l * sin(phi), 1e-10);
    assert_near(trial_value(&run, "bob.y"), -l * cos(phi), 1e-10);
    assert_near(trial_value(&run, "l"), l, 1e-10);
    assert_near(trial_value(&run, "l_dot"), trial_value(&polar, "l_dot"), 1e-9); /* ten times as large as l */
    assert_near(trial_value(&run, "E"), E, 1e-9);
    assert_near(trial_value(&run, "E"), trial_value(&polar, "E"), 1e-9);
    trial_close(&run);
    trial_close(&polar);
}

/* A spring of free length 0 is harmonic in the plane, and may start and pass where it has no direction:
 * x = a cos w t, y = v/w sin w t with a = 0. */
static void spring_without_length(void **state) {
    (void)state;
    const double w = sqrt(8 / 2.0), t = 2;
    trial run = run_of("model:\n"
                       "  bodies: {ball: {type: point, mass: 2, position: [1, 2], velocity: [0, 3]}}\n"
                       "  springs: {s: {between: [ball, world], ends: [[1, 2], [1, 2]], stiffness: 8, length: 0}}\n",
                       LOBATTO, t, STAGES);
    trial_finish(&run);
    assert_near(trial_value(&run, "ball.x"), 1, 1e-12); /* 200 steps to 1e-13 */
    assert_near(trial_value(&run, "ball.y"), 2 + 3 / w * sin(w * t), 1e-11);
    trial_close(&run);
}

/* m x'' + c x' + k (x - l0) = 0 on a line, under-damped: x = l0 + exp(-D t)(a cos w t + b sin w t) */
static const char damped[] = "model:\n"
                             "  bodies: {cart: {type: point, mass: 2, position: [1.5], velocity: [0.4]}}\n"
                             "  springs: {s: {between: [world, cart], stiffness: 32, damping: 1.6, length: 1}}\n";

static double damped_position(double t) {
    const double D = 1.6 / 4, w = sqrt(16 - D * D), a = 0.5, b = (0.4 + D * a) / w;
    return 1 + exp(-D * t) * (a * cos(w * t) + b * sin(w * t));
}

static double damped_error(trial *run) {
    trial_finish(run);
    return trial_value(run, "cart.x") - damped_position(trial_value(run, "t"));
}

static void damped_oscillator(void **state) {
    (void)state;
    assert_near(order_of(damped, "rattle", 0.02, 2, "", damped_error), 2, 0.1);
    assert_near(order_of(damped, "lobatto", 0.08, 2, ", stages: 3", damped_error), 4, 0.1);
}

/* A point on a cubic spring with a damper, as a tension of any form, in the plane under gravity; the other end of the
 * spring is moved up and down. Parameters called length and rate are hidden in that formula, and only there. */
static void cubic(double t, const double *y, double *dy, const void *context) {
    (void)context;
    double s = 0.2 * sin(3 * t), ds = 0.6 * cos(3 * t), dx = y[0], dz = y[1] - s, l = hypot(dx, dz);
    double rate = (dx * y[2] + dz * (y[3] - ds)) / l,
           f = 40 * pow(l - 0.8, 3) + 0.3 * rate * rate * rate + 5 * (l - 0.8);
    dy[0] = y[2], dy[1] = y[3];
    dy[2] = -f * dx / l / 2;
    dy[3] = -f * dz / l / 2 - 9.81;
}

static void any_tension(void **state) {
    (void)state;
    trial run = run_of("parameters: {length: 0.8, rate: 5, g: 9.81}\n"
                       "model:\n"
                       "  gravity: [0, 0, -g]\n"
                       "  frames: {hand: {position: [0, 0, 0.2*sin(3*t)]}}\n"
                       "  define: {free: length, linear: rate*(s.length - free)}\n"
                       "  bodies: {ball: {type: point, mass: 2, position: [0.7, 0, -0.6], velocity: [0.5, 0, 0]}}\n"
                       "  springs:\n"
                       "    s: {between: [hand, ball], force: '40*(length - free)^3 + 0.3*rate^3 + linear'}\n",
                       LOBATTO, 2, STAGES);
    double y[4] = {0.7, -0.6, 0.5, 0};
    trial_finish(&run);
    ode_solve(4, cubic, NULL, 0, 2, y);
    assert_near(trial_value(&run, "ball.x"), y[0], 1e-10); /* CVODE at 1e-13 per step */
    assert_near(trial_value(&run, "ball.z"), y[1], 1e-10);
    assert_near(trial_value(&run, "ball.x_dot"), y[2], 1e-9);
    assert_near(trial_value(&run, "ball.y"), 0, 1e-14);
    trial_close(&run);
}

/* A chain by families: its potential is the sum over the springs. */
static void families(void **state) {
    (void)state;
    trial run = run_of("parameters: {n: 4}\n"
                       "model:\n"
                       "  bodies:\n"
                       "    'p[i=1..n]': {type: point, mass: 1, position: [i, i^2/10]}\n"
                       "  springs:\n"
                       "    's[i=1..n-1]': {between: ['p[i]', 'p[i+1]'], stiffness: 10*i, length: 0.5}\n"
                       "  observe: {longest: 's[n-1].length', 'stretch[i=1..n-1]': 's[i].length - 0.5'}\n",
                       LOBATTO, 0.1, STAGES);
    for (int k = 0; k < 2; k++) {
        double V = 0;
        for (int i = 1; i < 4; i++) {
            char name[4][16];
            for (int j = 0; j < 4; j++) snprintf(name[j], sizeof name[j], "p%d.%c", i + j / 2, j % 2 ? 'y' : 'x');
            double l = hypot(trial_value(&run, name[2]) - trial_value(&run, name[0]),
                             trial_value(&run, name[3]) - trial_value(&run, name[1]));
            snprintf(name[0], sizeof name[0], "stretch%d", i);
            assert_near(trial_value(&run, name[0]), l - 0.5, 1e-15);
            if (i == 3) assert_near(trial_value(&run, "longest"), l, 1e-15);
            V += 5 * i * (l - 0.5) * (l - 0.5);
        }
        assert_near(trial_value(&run, "V"), V, 1e-13); /* of sums around 10 */
        trial_finish(&run);
    }
    trial_close(&run);
}

/* ---------------------------------------------------------------- momentum */

#define PAIR                                                                                                           \
    "model:\n"                                                                                                         \
    "  bodies:\n"                                                                                                      \
    "    a: {type: spatial, mass: 1, inertia: [0.2, 0.3, 0.4], position: [0, 0.1, 0], velocity: [0.1, 0.2, 0],\n"      \
    "        rotation: [0.9, 0.1, -0.3, 0.2], angular_velocity: [1, 2, 0.3]}\n"                                        \
    "    b: {type: spatial, mass: 2, inertia: [0.5, 0.4, 0.3], position: [2, 0, 0], velocity: [-0.1, 0.2, 0.5],\n"     \
    "        angular_velocity: [0.1, -2, 0.3]}\n"                                                                      \
    "  springs:\n"                                                                                                     \
    "    s: {between: [a, b], points: [[0, 0.1, 0.2], [0, 0.2, 0.3]], stiffness: 6, length: 1, damping: 0.5}\n"        \
    "    n: {between: [a, b], ends: [[0.3, 0.1, 0], [1.5, 0, 0]], force: 3*(length - 1)^3 + 0.1*rate}\n"               \
    "  observe: {distance: n.length}\n"                                                                                \
    "  symmetries:\n"                                                                                                  \
    "    P1: {translate: [1, 0, 0]}\n    P2: {translate: [0, 1, 0]}\n    P3: {translate: [0, 0, 1]}\n"                 \
    "    L1: {rotate: [1, 0, 0]}\n    L2: {rotate: [0, 1, 0]}\n    L3: {rotate: [0, 0, 1]}\n"                          \
    "    screw: {translate: [0, 0, 2], rotate: [0, 0, 1], about: [0.5, -0.2]}\n"

static void of_body(const trial *run, const char *name, const char *const *part, int n, double *x) {
    for (int i = 0; i < n; i++) {
        char full[16];
        snprintf(full, sizeof full, "%s.%s", name, part[i]);
        x[i] = trial_value(run, full);
    }
}

static void add_cross(const double *a, const double *b, double *c) {
    for (int i = 0; i < 3; i++) c[i] += a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* P = sum of m v and L = sum of r x m v + A J w, by the columns alone; A x = x + 2 v x (p0 x + v x x) for |p| = 1. */
static void momenta(const trial *run, double P[3], double L[3]) {
    static const char *const q[] = {"x", "y", "z", "p0", "p1", "p2", "p3"};
    static const char *const u[] = {"x_dot", "y_dot", "z_dot", "wx", "wy", "wz"};
    static const double m[] = {1, 2}, J[2][3] = {{0.2, 0.3, 0.4}, {0.5, 0.4, 0.3}};
    for (int i = 0; i < 3; i++) P[i] = L[i] = 0;
    for (int k = 0; k < 2; k++) {
        double at[7], moves[6], mv[3], spin[3], twice[3] = {0}, turned[3] = {0};
        of_body(run, k ? "b" : "a", q, 7, at);
        of_body(run, k ? "b" : "a", u, 6, moves);
        for (int i = 0; i < 3; i++) mv[i] = m[k] * moves[i], spin[i] = J[k][i] * moves[3 + i];
        add_cross(at + 4, spin, twice);
        for (int i = 0; i < 3; i++) twice[i] = 2 * (twice[i] + at[3] * spin[i]);
        add_cross(at + 4, twice, turned);
        add_cross(at, mv, L);
        for (int i = 0; i < 3; i++) P[i] += mv[i], L[i] += spin[i] + turned[i];
    }
}

/* The maps are the momenta, and internal forces leave them alone: the linear one to round-off, the angular one to the
 * order of the scheme, as quaternions do not turn by straight lines. */
static void pair(void **state) {
    (void)state;
    static const char *const names[] = {"P1", "P2", "P3", "L1", "L2", "L3"};
    trial run = run_of(PAIR, LOBATTO, 2, STAGES);
    double start[6], now[6], E = trial_value(&run, "E");
    assert_near(trial_value(&run, "distance"), hypot(1.2, 0.1), 1e-15); /* where the ends are put, on turned bodies */
    momenta(&run, start, start + 3);
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        momenta(&run, now, now + 3);
        for (int i = 0; i < 6; i++) {
            assert_near(trial_value(&run, names[i]), now[i], 1e-12); /* that of the scheme is p to the tolerance */
            assert_near(now[i], start[i], i < 3 ? 1e-12 : 1e-10);    /* 200 steps to 1e-13; order 8 */
        }
        /* L about b is L - b x P, with b = (0.5, -0.2, 0) */
        double screw = 2 * now[2] + now[5] - (0.5 * now[1] + 0.2 * now[0]);
        assert_near(trial_value(&run, "screw"), screw, 1e-12);
    }
    assert_at_most(trial_value(&run, "E"), E - 1); /* dampers have been at work */
    trial_close(&run);
}

/* In the plane and among point masses RATTLE keeps both to round-off. */
static void flat_pair(void **state) {
    (void)state;
    trial run = run_of("model:\n"
                       "  bodies:\n"
                       "    a: {type: point, mass: 1, position: [0, 1], velocity: [0.3, 0]}\n"
                       "    b: {type: planar, mass: 2, inertia: 0.3, position: [1, 0], angular_velocity: 2}\n"
                       "  springs: {s: {between: [a, b], points: [[0, 0], [0, 0.2]], stiffness: 20, damping: 0.3}}\n"
                       "  symmetries: {Px: {translate: [1]}, Py: {translate: [0, 1]}, L: {rotate: [0, 0, 1]}}\n",
                       "rattle", 0.01, 5, "");
    assert_near(trial_value(&run, "V"), 0, 1e-30); /* free at the length it starts with */
    trial_finish(&run);
    assert_near(trial_value(&run, "Px"), 0.3, 1e-12); /* 500 steps to 1e-13, of numbers below 1 */
    assert_near(trial_value(&run, "Py"), 0, 1e-12);
    assert_near(trial_value(&run, "L"), -0.3 + 0.6, 1e-12);
    trial_close(&run);
}

/* ---------------------------------------------------------------- loads */

/* A body that turns steadily under a force that turns with it: a = F/m (cos w t, sin w t). Its velocity goes round a
 * circle; from rest it draws a cycloid, from v = (0, -F/(m w)) a circle. */
static void follower(void **state) {
    (void)state;
    const double F = 3, m = 2, w = 1.5, c = F / (m * w * w), t = 4;
    trial run = run_of("model:\n"
                       "  bodies:\n"
                       "    a: {type: planar, mass: 2, inertia: 1, position: [0, 0], angular_velocity: 1.5}\n"
                       "    b: {type: planar, mass: 2, inertia: 1, position: [-2/3, 0], velocity: [0, -1],\n"
                       "        angular_velocity: 1.5}\n"
                       "  loads: {push_a: {body: a, force: [3, 0], frame: body},\n"
                       "          push_b: {body: b, force: [3, 0], frame: body}}\n",
                       LOBATTO, t, STAGES);
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        assert_near(hypot(trial_value(&run, "b.x"), trial_value(&run, "b.y")), c, 1e-11); /* 400 steps to 1e-13 */
    }
    assert_near(trial_value(&run, "a.x"), c * (1 - cos(w * t)), 1e-11);
    assert_near(trial_value(&run, "a.y"), c * (w * t - sin(w * t)), 1e-11);
    trial_close(&run);
}

/* Off the centre it turns the body, too: phi = d F/J t^2/2, and the way is an integral of Fresnel's kind. In the
 * world's axes the same force at the same point has the lever d cos(phi): a pendulum. */
static void lever(double t, const double *y, double *dy, const void *context) {
    (void)t, (void)context;
    dy[0] = y[3], dy[1] = y[4], dy[2] = y[5];
    dy[3] = 3 / 2.0 * cos(y[2]), dy[4] = 3 / 2.0 * sin(y[2]), dy[5] = 0.4 * 3 / 0.5;
    dy[6] = y[7], dy[7] = 0.4 * 3 / 0.5 * cos(y[6]);
}

static void off_centre(void **state) {
    (void)state;
    trial run = run_of("parameters: {F: 3, d: 0.4}\n"
                       "model:\n"
                       "  bodies:\n"
                       "    a: {type: planar, mass: 2, inertia: 0.5, position: [0, 0]}\n"
                       "    b: {type: planar, mass: 2, inertia: 0.5, position: [0, 0]}\n"
                       "  loads: {push_a: {body: a, at: [0, -d], force: [F, 0], frame: body},\n"
                       "          push_b: {body: b, at: [0, -d], force: [F, 0]}}\n",
                       LOBATTO, 2, STAGES);
    double y[8] = {0};
    trial_finish(&run);
    ode_solve(8, lever, NULL, 0, 2, y);
    assert_near(trial_value(&run, "a.phi"), 0.4 * 3 / 0.5 * 2, 1e-11); /* exact but for 200 steps to 1e-13 */
    assert_near(trial_value(&run, "a.x"), y[0], 1e-10);
    assert_near(trial_value(&run, "a.y"), y[1], 1e-10);
    assert_near(trial_value(&run, "b.x"), 3 / 2.0 * 2, 1e-11);
    assert_near(trial_value(&run, "b.phi"), y[6], 1e-10);
    trial_close(&run);
}

/* A wheel on a tilted axis, driven by T and braked by c wz about it: wz = T/c (1 - exp(-c t/J)). With the torque along
 * the axes of the body, or of the world; in the plane likewise. */
static void wheel(void **state) {
    (void)state;
    const double T = 2, c = 0.7, J = 0.4, t = 1.5, spin = T / c * (1 - exp(-c * t / J));
    trial run = run_of("parameters: {T: 2, c: 0.7}\n"
                       "model:\n"
                       "  define: {drive: T - c*w2.wz}\n"
                       "  bodies:\n"
                       "    w1: {type: spatial, mass: 1, inertia: [0.3, 0.3, 0.4], position: [0, 0, 0],\n"
                       "         rotation: {axis: [1, 0, 0], angle: 0.6}}\n"
                       "    w2: {type: spatial, mass: 1, inertia: [0.3, 0.3, 0.4], position: [0, 0, 0],\n"
                       "         rotation: {axis: [1, 0, 0], angle: 0.6}}\n"
                       "    w3: {type: planar, mass: 1, inertia: 0.4, position: [0, 0]}\n"
                       "  loads:\n"
                       "    own: {body: w1, torque: [0, 0, T - c*w1.wz], frame: body}\n"
                       "    world: {body: w2, torque: [0, -sin(0.6)*drive, cos(0.6)*drive]}\n"
                       "    flat: {body: w3, torque: T - c*w3.phi_dot}\n",
                       LOBATTO, t, STAGES);
    trial_finish(&run);
    assert_near(trial_value(&run, "w1.wz"), spin, 1e-11); /* 150 steps to 1e-13 */
    assert_near(trial_value(&run, "w2.wz"), spin, 1e-11);
    assert_near(trial_value(&run, "w3.phi_dot"), spin, 1e-11);
    assert_near(trial_value(&run, "w1.wx"), 0, 1e-12);
    assert_near(trial_value(&run, "w2.wy"), 0, 1e-12);
    trial_close(&run);
}

/* ---------------------------------------------------------------- work */

static double missing_work(trial *run) {
    double E = trial_value(run, "E");
    trial_finish(run);
    return trial_value(run, "E") - E - trial_value(run, "work.forces");
}

/* Everything at once, with a spring whose end is moved: E - work.forces stays, with the second order of the trapezoidal
 * rule by which work is counted. */
static void work(void **state) {
    (void)state;
    static const char model[] = PAIR "  frames: {hand: {position: [0, 0, 1 + 0.3*sin(2*t)]}}\n"
                                     "  loads:\n"
                                     "    jet: {body: a, at: [0, 0, -0.3], force: [1, 0, exp(-t)], frame: body}\n"
                                     "    wind: {body: b, force: [0, sin(t), -0.2*b.z_dot]}\n"
                                     "    brake: {body: b, torque: [0, 0, -0.3*b.wz], frame: body}\n";
    static const char *const schemes[] = {"rattle", "lobatto"};
    for (int k = 0; k < 2; k++) {
        assert_near(order_of(model, schemes[k], 0.02, 2, k ? ", stages: 3" : "", missing_work), 2, 0.1);
        trial run = run_of(model, schemes[k], 0.01, 2, "");
        assert_at_most(fabs(missing_work(&run)), 1e-2); /* dt^2 times forces and rates up to 10 */
        assert_at_least(fabs(trial_value(&run, "work.forces")), 0.5);
        trial_close(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum),
        cmocka_unit_test(spring_without_length),
        cmocka_unit_test(damped_oscillator),
        cmocka_unit_test(any_tension),
        cmocka_unit_test(families),
        cmocka_unit_test(pair),
        cmocka_unit_test(flat_pair),
        cmocka_unit_test(follower),
        cmocka_unit_test(off_centre),
        cmocka_unit_test(wheel),
        cmocka_unit_test(work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
