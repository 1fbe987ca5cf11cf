/* Equilibria and small motions about them, against closed forms and solutions of the beam's own equation. */
#include "modes/modes.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

#define RUN "run: {integrator: nsga, dt: 1e-3, until: 1}\n"

static modes_answer modes_of(const char *text, const char *const *overrides, int count) {
    carom_scene *scene;
    carom_error error;
    modes_answer a;
    if (carom_scene_parse(text, strlen(text), "test.yaml", overrides, count, &scene, &error))
        fail_msg("%d: %s", error.line, error.message);
    const carom_model_def *d = carom_model_get(carom_scene_model(scene));
    if (modes_find(carom_scene_model(scene), d->t0, d->q0, 40, &a, &error)) fail_msg("%s", error.message);
    carom_scene_destroy(scene);
    return a;
}

static void refused(const char *text, const char *reason) {
    carom_scene *scene;
    carom_error error;
    modes_answer a;
    if (carom_scene_parse(text, strlen(text), "test.yaml", NULL, 0, &scene, &error)) fail_msg("%s", error.message);
    const carom_model_def *d = carom_model_get(carom_scene_model(scene));
    assert_int_not_equal(modes_find(carom_scene_model(scene), d->t0, d->q0, 10, &a, &error), CAROM_OK);
    if (!strstr(error.message, reason)) fail_msg("'%s' does not say '%s'", error.message, reason);
    modes_free(&a);
    carom_scene_destroy(scene);
}

/* Relative to the larger. */
static void near(const char *what, double is, double should, double part) {
    const double off = fabs(is - should) / fmax(fabs(should), 1e-300);
    printf("%-40s %.12g, should be %.12g, off by %.1e of %.0e\n", what, is, should, off, part);
    assert_true(off <= part);
}

/* ---------------------------------------------------------------- a few masses */

/* omega_k = 2 sqrt(k/m) sin(k pi/(2 n + 2)); 1e-12: round-off of a matrix with entries of order one. */
static void masses_between_walls(void **state) {
    (void)state;
    enum { N = 30 };
    modes_answer a =
        modes_of("carom: 1\nparameters: {n: 30, k: 7, m: 0.3}\nmodel:\n  coordinates: {\"x[i=1..n]\": {start: 0.3*i}}\n"
                 "  kinetic: m/2*sum(i=1..n, x_dot[i]^2)\n"
                 "  potential: k/2*(x[1]^2 + x[n]^2 + sum(i=1..n-1, (x[i+1] - x[i])^2))\n" RUN,
                 NULL, 0);
    assert_int_equal(a.count, N);
    for (int k = 0; k < N; k++)
        near("a mass of a chain", cimag(a.mode[k].rate), 2 * sqrt(7 / 0.3) * sin((k + 1) * pi / (2 * N + 2)), 1e-12);
    modes_free(&a);
}

/* A pendulum of bodies, its joint a constraint, from 40 degrees off; and the one that stands upright. */
static void pendulum(void **state) {
    (void)state;
    static const char text[] =
        "carom: 1\nparameters: {phi: 0.7}\nmodel:\n  gravity: [0, -9.81]\n  bodies:\n"
        "    rod: {type: planar, mass: 2, inertia: 0.1, position: [0.5*sin(phi), -0.5*cos(phi)], angle: phi}\n"
        "  joints:\n    hinge: {type: revolute, bodies: [world, rod], at: [0, 0]}\n" RUN;
    const double omega = sqrt(2 * 9.81 * 0.5 / (0.1 + 2 * 0.25));
    modes_answer a = modes_of(text, NULL, 0);
    assert_int_equal(a.free, 1);
    near("pendulum", cimag(a.mode[0].rate), omega, 1e-12);
    near("its place", a.at.q[1], -0.5, 1e-12);
    modes_free(&a);
    a = modes_of(text, (const char *const[]){"parameters.phi=pi - 0.2"}, 1);
    near("upright", creal(a.mode[0].rate), omega, 1e-12);
    modes_free(&a);
}

/* x'' + 2 d x' + w^2 x = 0: the rates -d +- i sqrt(w^2 - d^2), and both of them where it is overdamped. */
static void damped(void **state) {
    (void)state;
    static const char text[] = "carom: 1\nparameters: {c: 1.2}\nmodel:\n  coordinates: {x: {start: 0.4}}\n"
                               "  kinetic: x_dot^2/2\n  potential: 8*x^2\n  forces: {x: -c*x_dot}\n" RUN;
    modes_answer a = modes_of(text, NULL, 0);
    assert_int_equal(a.count, 1);
    near("decay", creal(a.mode[0].rate), -0.6, 1e-12);
    near("damped frequency", cimag(a.mode[0].rate), sqrt(16 - 0.36), 1e-12);
    modes_free(&a);
    a = modes_of(text, (const char *const[]){"parameters.c=10"}, 1);
    assert_int_equal(a.count, 2);
    near("slow decay", creal(a.mode[0].rate), -2, 1e-12);
    near("fast decay", creal(a.mode[1].rate), -8, 1e-12);
    modes_free(&a);
}

/* A mass on a spring in a frame that turns: T = ((x' - W y)^2 + (y' + W x)^2)/2 has the frequencies w -+ W. */
static void turning_frame(void **state) {
    (void)state;
    modes_answer a = modes_of("carom: 1\nmodel:\n  coordinates: {x: {start: 0.1}, y: {start: 0.2}}\n"
                              "  kinetic: ((x_dot - 2*y)^2 + (y_dot + 2*x)^2)/2\n  potential: 25/2*(x^2 + y^2)\n" RUN,
                              NULL, 0);
    assert_int_equal(a.count, 2);
    near("slow", cimag(a.mode[0].rate), 3, 1e-12);
    near("fast", cimag(a.mode[1].rate), 7, 1e-12);
    modes_free(&a);
}

/* ---------------------------------------------------------------- contacts */

/* A ball in a bowl rolls with g/((R - r)(1 + J/(m r^2))) where it sticks, and slides with g/(R - r) where it does not.
 * It starts up the side, and the slip is held: it is the bottom that both find. */
static void ball_in_bowl(void **state) {
    (void)state;
    static const char text[] =
        "carom: 1\nparameters: {R: 1, r: 0.1, mu: 0.8, a: 0.2, g: 9.81}\nmodel:\n"
        "  coordinates: {x: {start: (R - r)*sin(a)}, y: {start: -(R - r)*cos(a)}, phi: {start: 0}}\n"
        "  kinetic: (x_dot^2 + y_dot^2)/2 + r^2/5*phi_dot^2\n  potential: g*y\n"
        "  contacts: {bowl: {gap: R - r - sqrt(x^2 + y^2), slip: (x_dot*(-y) + y_dot*x)/sqrt(x^2 + y^2) + r*phi_dot, "
        "friction: mu}}\n" RUN;
    modes_answer a = modes_of(text, NULL, 0);
    assert_int_equal(a.at.contact[0], CAROM_STICK);
    assert_int_equal(a.free, 1);
    near("rolling", cimag(a.mode[0].rate), sqrt(9.81 / 0.9 / 1.4), 1e-12);
    near("at the bottom", a.at.q[1], -0.9, 1e-12);
    modes_free(&a);
    a = modes_of(text, (const char *const[]){"parameters.mu=0"}, 1);
    assert_int_equal(a.at.contact[0], CAROM_SLIP);
    assert_true(cabs(a.mode[0].rate) == 0); /* it may turn */
    near("sliding", cimag(a.mode[1].rate), sqrt(9.81 / 0.9), 1e-12);
    modes_free(&a);
}

/* An ellipsoid that lies on its shortest half axis c rocks without slip with g (a^2/c - c)/(J/m + c^2) along its half
 * axis a, whose radius of curvature below is a^2/c; it may turn about the normal. An ellipse in the plane likewise. */
static void rocking(void **state) {
    (void)state;
    const double a = 0.5, b = 0.3, c = 0.2, g = 9.81;
    modes_answer egg =
        modes_of("carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                 "    egg: {type: spatial, mass: 2, position: [0, 0, 0.2], shape: {ellipsoid: [0.5, 0.3, 0.2]}}\n"
                 "  contacts:\n    table: {between: [egg, {body: world, plane: [0, 0, 1]}], friction: 0.6}\n" RUN,
                 NULL, 0);
    assert_int_equal(egg.count, 3);
    assert_true(cabs(egg.mode[0].rate) == 0);
    near("across", cimag(egg.mode[1].rate), sqrt(g * (b * b / c - c) / ((b * b + c * c) / 5 + c * c)), 1e-12);
    near("along", cimag(egg.mode[2].rate), sqrt(g * (a * a / c - c) / ((a * a + c * c) / 5 + c * c)), 1e-12);
    modes_free(&egg);
    egg = modes_of("carom: 1\nmodel:\n  gravity: [0, -9.81]\n  bodies:\n"
                   "    egg: {type: planar, mass: 2, position: [0, 0.2], shape: {ellipsoid: [0.5, 0.2]}}\n"
                   "  contacts:\n    table: {between: [egg, {body: world, plane: [0, 1]}], friction: 0.6}\n" RUN,
                   NULL, 0);
    near("in the plane", cimag(egg.mode[0].rate), sqrt(g * (a * a / c - c) / ((a * a + c * c) / 4 + c * c)), 1e-12);
    modes_free(&egg);
}

#define TABLE                                                                                                          \
    "carom: 1\nparameters: {mu: 0.5, tilt: 0}\nmodel:\n  gravity: [\"9.81*sin(tilt)\", 0, \"-9.81*cos(tilt)\"]\n"      \
    "  bodies:\n    block: {type: spatial, mass: 3, position: [0, 0, 0.1], shape: {box: [0.4, 0.3, 0.2]}}\n"           \
    "    load: {type: point, mass: 0.5, position: [1, 0, 0.1]}\n"                                                      \
    "  springs:\n    s: {between: [block, load], stiffness: 20, length: 1}\n"                                          \
    "  constraints: {up: load.z - 0.1, side: load.y}\n"                                                                \
    "  contacts:\n    table: {between: [block, {body: world, plane: [0, 0, 1]}], friction: mu}\n"

/* A block on four corners, more rows than it has velocities, with a load on a spring. It sticks: the load alone moves.
 * On ice both do, against each other. 1e-9: springs and rows of different sizes. */
static void block_on_table(void **state) {
    (void)state;
    modes_answer a = modes_of(TABLE RUN, NULL, 0);
    assert_int_equal(a.free, 1);
    near("load alone", cimag(a.mode[0].rate), sqrt(20 / 0.5), 1e-9);
    modes_free(&a);
    a = modes_of(TABLE RUN, (const char *const[]){"parameters.mu=0"}, 1);
    assert_int_equal(a.free, 4);
    near("both", cimag(a.mode[3].rate), sqrt(20 / 0.5 + 20 / 3.0), 1e-9);
    modes_free(&a);
}

/* Friction in the hinge of a pendulum holds it where m g l sin(phi) <= mu r m g, below 0.03 rad: nothing is free there,
 * and beyond it would slip. */
static void friction_in_joint(void **state) {
    (void)state;
#define HINGE(phi)                                                                                                     \
    "carom: 1\nmodel:\n  gravity: [0, -9.81]\n  bodies:\n    rod: {type: planar, mass: 2, inertia: 0.1, position: "    \
    "[0.5*sin(" phi "), -0.5*cos(" phi ")], angle: " phi                                                               \
    "}\n  joints:\n    hinge: {type: revolute, bodies: [world, rod], "                                                 \
    "at: [0, 0], friction: 0.3, radius: 0.05}\n" RUN
    modes_answer a = modes_of(HINGE("0.029"), NULL, 0);
    assert_int_equal(a.free, 0);
    modes_free(&a);
    refused(HINGE("0.031"), "contact 'hinge_friction' would slip");
}

/* What is not at rest anywhere near is told, with what moves. */
static void no_equilibrium(void **state) {
    (void)state;
    refused("carom: 1\nmodel:\n  coordinates: {x: {start: 0}, y: {start: 1}}\n  kinetic: (x_dot^2 + y_dot^2)/2\n"
            "  potential: 9.81*y + 3*x^2\n" RUN,
            "nothing balances a force of -9.81 on 'y_dot'");
    refused("carom: 1\nmodel:\n  coordinates: {x: {start: 0}, y: {start: 0}}\n  kinetic: (x_dot^2 + y_dot^2)/2\n"
            "  potential: 9.81*(0.8*y - 0.6*x)\n  contacts: {slope: {gap: y, slip: x_dot, friction: 0.7}}\n" RUN,
            "contact 'slope' would slip");
    refused("carom: 1\nmodel:\n  coordinates: {x: {start: 0}}\n  kinetic: x_dot^2/2\n"
            "  contacts: {lift: {gap: x - t}}\n" RUN,
            "moves by itself");
}

/* ---------------------------------------------------------------- beams */

/* EI = m = L = 1. The beam of the references does not stretch, shear or have rotary inertia. */
#define SLENDER                                                                                                        \
    "stiffness: [1, 1, 1, 1/thin, 1/thin, 1/thin], mass_per_length: 1, inertia_per_length: [thin, thin, thin]"
enum { LOWEST = 3 };

static void lowest(const char *text, int n, double thin, bool damped, double omega[LOWEST]) {
    char elements[64], section[64];
    snprintf(elements, sizeof elements, "parameters.n=%d", n);
    snprintf(section, sizeof section, "parameters.thin=%g", thin);
    modes_answer a = modes_of(text, (const char *const[]){elements, section}, 2);
    assert_int_equal(a.damped, damped);
    for (int i = 0; i < LOWEST; i++) omega[i] = cimag(a.mode[i].rate);
    modes_free(&a);
}

/* Thin without limit: what stretch, shear and rotary inertia change is thin times 2 to 4 omega at first, and the square
 * of this, 1e-7, remains. With n, 2 n and 4 n elements, extrapolated: errors are of even powers of 1/n. */
static void refine(const char *text, int n, bool damped, double omega[LOWEST]) {
    double value[3][LOWEST], thicker[LOWEST];
    for (int k = 0; k < 3; k++, n *= 2) {
        lowest(text, n, 1e-6, damped, value[k]);
        lowest(text, n, 2e-6, damped, thicker);
        for (int i = 0; i < LOWEST; i++) value[k][i] = 2 * value[k][i] - thicker[i];
    }
    for (int i = 0; i < LOWEST; i++) {
        const double once = (4 * value[1][i] - value[0][i]) / 3, twice = (4 * value[2][i] - value[1][i]) / 3;
        omega[i] = (16 * twice - once) / 15;
    }
}

/* 1 + cos(b) cosh(b) = 0; omega = b^2 */
static void cantilever(void **state) {
    (void)state;
    static const double root[LOWEST] = {1.8751040687119611664, 4.6940911329741745764, 7.8547574382376125649};
    double omega[LOWEST];
    refine("carom: 1\nparameters: {thin: 1, n: 8}\nmodel:\n  beams:\n"
           "    arm: {type: planar, elements: n, from: [0, 0], to: [1, 0], " SLENDER "}\n"
           "  joints:\n    clamp: {type: fixed, bodies: [world, arm1], at: [0, 0]}\n" RUN,
           16, false, omega);
    for (int i = 0; i < LOWEST; i++) near("cantilever", omega[i], root[i] * root[i], 1e-6);
}

/* The end of a heavy elastica, EI phi'' = -q (1 - s) cos(phi), phi(0) = 0, phi'(1) = 0: by shooting, with 2000 steps of
 * Runge and Kutta. */
static double elastica_sag(double load) {
    enum { STEPS = 2000 };
    double low = 0, high = load, y = 0;
    for (int turn = 0; turn < 60; turn++) {
        double phi = 0, bend = (low + high) / 2;
        const double h = 1. / STEPS;
        y = 0;
        for (int i = 0; i < STEPS; i++) {
            const double s = i * h, k1 = bend, l1 = -load * (1 - s) * cos(phi);
            const double k2 = bend + h / 2 * l1, l2 = -load * (1 - s - h / 2) * cos(phi + h / 2 * k1);
            const double k3 = bend + h / 2 * l2, l3 = -load * (1 - s - h / 2) * cos(phi + h / 2 * k2);
            const double k4 = bend + h * l3, l4 = -load * (1 - s - h) * cos(phi + h * k3);
            const double before = phi, middle = phi + h / 2 * (k1 + k2) / 2;
            phi += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), bend += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
            y += h / 6 * (sin(before) + 4 * sin(middle) + sin(phi));
        }
        if (bend > 0) high = (low + high) / 2;
        else low = (low + high) / 2;
    }
    return y;
}

/* A straight cantilever sags under its weight, by up to more than half of its length, though stretch is 1e8 times as
 * stiff as bending: Newton's method passes forces that are larger than those at its start, (ME5a). Elements leave
 * errors of second order, which are extrapolated; what is left of fourth order, 1e-4 with 16 and 32 of them. */
static void sagging(void **state) {
    static const double load[] = {0.5, 8};
    (void)state;
    for (int i = 0; i < 2; i++) {
        double sag[2];
        for (int fine = 0; fine < 2; fine++) {
            char text[600];
            snprintf(
                text, sizeof text,
                "carom: 1\nmodel:\n  gravity: [0, -%g]\n  beams:\n    arm: {type: planar, elements: %d, from: [0, 0], "
                "to: [1, 0], stiffness: [1, 1, 1, 1e8, 1e8, 1e8], mass_per_length: 1, inertia_per_length: [1e-8, "
                "1e-8, 1e-8]}\n  joints:\n    clamp: {type: fixed, bodies: [world, arm1], at: [0, 0]}\n" RUN,
                load[i], fine ? 32 : 16);
            modes_answer a = modes_of(text, NULL, 0);
            sag[fine] = -a.at.q[3 * (fine ? 32 : 16) + 1];
            modes_free(&a);
        }
        near("sag of a cantilever", (4 * sag[1] - sag[0]) / 3, elastica_sag(load[i]), 1e-4);
    }
}

static void simply_supported(void **state) {
    (void)state;
    double omega[LOWEST];
    refine("carom: 1\nparameters: {thin: 1, n: 8}\nmodel:\n  beams:\n"
           "    arm: {type: planar, elements: n, from: [0, 0], to: [1, 0], " SLENDER "}\n"
           "  joints:\n    left: {type: revolute, bodies: [world, arm1], at: [0, 0]}\n"
           "  constraints: {right: \"arm[n+1].y\"}\n" RUN,
           16, false, omega);
    for (int i = 0; i < LOWEST; i++) near("simply supported", omega[i], (i + 1) * (i + 1) * pi * pi, 1e-6);
}

/* w'''' - (T w')' - (omega^2 + W^2) w = 0, T = W^2 (1 - x^2)/2: an inextensible beam clamped to a hub that turns with
 * W, in the plane of its rotation. Its two solutions with w(0) = w'(0) = 0 as power series; what the free end misses.
 */
static double free_end(double omega, double W) {
    enum { TERMS = 80 };
    double end[2][2];
    for (int k = 0; k < 2; k++) {
        double a[TERMS + 4] = {0};
        a[2 + k] = 1;
        end[k][0] = end[k][1] = 0;
        for (int i = 0; i < TERMS; i++) {
            const double tension = W * W / 2 * ((i + 2) * (i + 1) * a[i + 2] - i * (i + 1) * a[i]);
            a[i + 4] = (tension + (omega * omega + W * W) * a[i]) / ((i + 4.0) * (i + 3) * (i + 2) * (i + 1));
        }
        for (int i = 2; i < TERMS + 4; i++) {
            end[k][0] += i * (i - 1.0) * a[i];
            end[k][1] += i * (i - 1.0) * (i - 2) * a[i];
        }
    }
    return end[0][0] * end[1][1] - end[1][0] * end[0][1];
}

static double turning_frequency(double near_omega, double W) {
    double low = 0.97 * near_omega, high = 1.03 * near_omega;
    const double sign = free_end(low, W);
    assert_true(sign * free_end(high, W) < 0);
    for (int k = 0; k < 60; k++) {
        const double middle = (low + high) / 2;
        *(sign * free_end(middle, W) > 0 ? &low : &high) = middle;
    }
    return low;
}

/* The frame of the hub: centrifugal and Coriolis forces on the nodes, of half a mass at the ends. */
static void rotating(void **state) {
    (void)state;
    const double W = 6;
    double omega[LOWEST];
    refine("carom: 1\nparameters: {thin: 1, n: 8, W: 6}\nmodel:\n  beams:\n"
           "    arm: {type: planar, elements: n, from: [0, 0], to: [1, 0], " SLENDER "}\n"
           "  joints:\n    clamp: {type: fixed, bodies: [world, arm1], at: [0, 0]}\n"
           "  loads:\n    \"hub[i=2..n+1]\": {body: \"arm[i]\", force: [\"if(i > n, 1/2, 1)/n*(W^2*arm[i].x + "
           "2*W*arm[i].y_dot)\", "
           "\"if(i > n, 1/2, 1)/n*(W^2*arm[i].y - 2*W*arm[i].x_dot)\"]}\n" RUN,
           16, true, omega);
    for (int i = 0; i < LOWEST; i++) near("rotating", omega[i], turning_frequency(omega[i], W), 1e-6);
    assert_true(omega[0] > 3.6); /* stiffer than at rest */
}

/* Rayleigh's damping: rates -d +- i sqrt(w^2 - d^2), d = (a + b w^2)/2, with w of the same beam without damping; lumped
 * and consistent masses, in the plane and in space. 1e-9: round-off of the lowest modes, whose stiffness is 1e-8 of the
 * highest. */
static void rayleigh(void **state) {
    (void)state;
    static const char text[] =
        "carom: 1\nparameters: {a: 0, b: 0}\nmodel:\n  beams:\n"
        "    arm: {type: %s, elements: 8, from: [0, 0%s], to: [1, 0%s], stiffness: [1, 1, 2, 1e4, 1e4, 1e4], "
        "mass_per_length: 1, inertia_per_length: [1e-4, 1e-4, 1e-4], mass: %s, damping: [a, b]}\n"
        "  joints:\n    clamp: {type: fixed, bodies: [world, arm1], at: [0, 0%s]}\n" RUN;
    const double a = 0.3, b = 0.002;
    for (int kind = 0; kind < 4; kind++) {
        char scene[1024];
        const bool space = kind % 2;
        const char *z = space ? ", 0" : "";
        snprintf(scene, sizeof scene, text, space ? "spatial" : "planar", z, z, kind < 2 ? "lumped" : "consistent", z);
        modes_answer free = modes_of(scene, NULL, 0),
                     slowed = modes_of(scene, (const char *const[]){"parameters.a=0.3", "parameters.b=0.002"}, 2);
        assert_true(slowed.damped && !free.damped);
        for (int i = 0; i < 4; i++) {
            const double w = cimag(free.mode[i].rate), d = (a + b * w * w) / 2;
            near("decay of a beam", creal(slowed.mode[i].rate), -d, 1e-9);
            near("its frequency", cimag(slowed.mode[i].rate), sqrt(w * w - d * d), 1e-9);
        }
        modes_free(&free);
        modes_free(&slowed);
    }
}

/* A free beam that is bent, flies and turns, with the viscosity of its strains alone: the dissipation vanishes for
 * every rigid velocity, and not for another one. */
static void rigid_motions(void **state) {
    (void)state;
    static const double b = 0.1;
    trial run = trial_text(
        "carom: 1\nmodel:\n  beams:\n    b: {type: spatial, elements: 3, curve: [2*sin(s), 2 - 2*cos(s), 0.3*s^2], "
        "stiffness: [1, 2, 3, 100, 50, 50], mass_per_length: 2, inertia_per_length: [0.3, 0.1, 0.2], "
        "damping: [0, %g], velocity: [1, 2, 3], angular_velocity: [3, -2, 1]}\n"
        "run: {integrator: rattle, dt: 1e-4, until: 1e-4}\n",
        b);
    const carom_model_def *d = carom_model_get(carom_scene_model(run.scene));
    double rigid, other, G, *u = calloc((size_t)d->nu, sizeof *u);
    assert_non_null(u);
    memcpy(u, d->u0, (size_t)d->nu * sizeof *u);
    assert_int_equal(d->power(d->context, 0, d->q0, u, &rigid, &G), 0);
    u[1] += 1;
    assert_int_equal(d->power(d->context, 0, d->q0, u, &other, &G), 0);
    printf("power of damping: %.1e in rigid motion, %.3g in another one\n", rigid, other);
    assert_true(fabs(rigid) < 1e-13 * fabs(other) && other < -1);
    free(u);
    trial_close(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rayleigh),          cmocka_unit_test(rigid_motions),    cmocka_unit_test(masses_between_walls),
        cmocka_unit_test(pendulum),          cmocka_unit_test(damped),           cmocka_unit_test(turning_frame),
        cmocka_unit_test(ball_in_bowl),      cmocka_unit_test(rocking),          cmocka_unit_test(block_on_table),
        cmocka_unit_test(friction_in_joint), cmocka_unit_test(no_equilibrium),   cmocka_unit_test(sagging),
        cmocka_unit_test(cantilever),        cmocka_unit_test(simply_supported), cmocka_unit_test(rotating),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
