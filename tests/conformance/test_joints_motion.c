/* Mechanisms of bodies and joints move as the same mechanisms do in coordinates without constraints, and as closed
 * solutions say. References are formulas of minimal coordinates, integrated by lobatto with five stages: order eight.
 */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double g = 9.81;

/* Positions of a mechanism at time T: a step of dt by lobatto with s stages; the text ends before its run. */
static trial finish(const char *text, int stages, double dt, double T) {
    trial run = trial_text("%srun: {integrator: lobatto, stages: %d, dt: %.17g, until: %.17g, tolerance: 1e-13}\n",
                           text, stages, dt, T);
    trial_finish(&run);
    return run;
}

/* The observed order of a mechanism that must be where it is told at time T. */
typedef struct comparison {
    const char *text;
    double T;
    int count;
    const char *names[6];
    double exact[6];
} comparison;

static double error_of(const comparison *c, int stages, double dt) {
    trial run = finish(c->text, stages, dt, c->T);
    double worst = 0;
    for (int i = 0; i < c->count; i++) worst = fmax(worst, fabs(trial_value(&run, c->names[i]) - c->exact[i]));
    trial_close(&run);
    return worst;
}

/* Orders 2s - 2 from the last of three halvings. */
static void check_orders(const char *what, const comparison *c, double dt) {
    for (int s = 2; s <= 3; s++) {
        double coarse = error_of(c, s, dt / 2), fine = error_of(c, s, dt / 4), order = log2(coarse / fine);
        printf("%s: %d stages, errors %.2e, %.2e, order %.2f\n", what, s, coarse, fine, order);
        assert_near(order, 2 * s - 2, 0.2); /* the next power of dt still shows */
    }
}

/* ---------------------------------------------------------------- pendulum: a rod on a hinge, in the plane and in
 * space (J + m l^2/4) phi_ddot = -m g l/2 sin(phi); reactions m (a - g) of the centre. */
#define ROD "parameters: {m: 2, l: 1, J: m*l^2/12, g: 9.81, phi0: 1}\n"
static const char minimal_pendulum[] = "carom: 1\n" ROD "model:\n"
                                       "  coordinates: {phi: {start: phi0}}\n"
                                       "  kinetic: (J + m*l^2/4)/2*phi_dot^2\n"
                                       "  potential: -m*g*l/2*cos(phi)\n";
static const char planar_pendulum[] =
    "carom: 1\n" ROD "model:\n"
    "  gravity: [0, -g]\n"
    "  bodies: {rod: {type: planar, mass: m, inertia: J, position: [l/2*sin(phi0), -l/2*cos(phi0)], angle: phi0}}\n"
    "  joints: {hinge: {type: revolute, bodies: [world, rod], at: [0, 0]}}\n";
static const char spatial_pendulum[] =
    "carom: 1\n" ROD "model:\n"
    "  gravity: [0, 0, -g]\n"
    "  bodies:\n"
    "    rod: {type: spatial, mass: m, inertia: [J, J, J/50], position: [l/2*sin(phi0), 0, -l/2*cos(phi0)],\n"
    "          rotation: {axis: [0, -1, 0], angle: phi0}}\n"
    "  joints: {hinge: {type: revolute, bodies: [world, rod], at: [0, 0, 0], axis: [0, 1, 0]}}\n";

static void pendulum(void **state) {
    (void)state;
    const double T = 1.2;
    trial exact = finish(minimal_pendulum, 5, 0.02, T);
    double phi = trial_value(&exact, "phi"), rate = trial_value(&exact, "phi_dot");
    trial_close(&exact);
    comparison plane = {planar_pendulum, T, 3, {"rod.x", "rod.phi", "rod.phi_dot"}, {sin(phi) / 2, phi, rate}};
    comparison space = {spatial_pendulum, T, 3, {"rod.x", "rod.z", "rod.wy"}, {sin(phi) / 2, -cos(phi) / 2, -rate}};
    check_orders("pendulum in the plane", &plane, 0.08);
    check_orders("pendulum in space", &space, 0.08);
}

/* From rest at phi0: phi_dot^2 = 3 g/l (cos phi - cos phi0), phi_ddot = -3/2 g/l sin phi. */
static void hinge_force(double phi, double phi0, double F[2]) {
    double square = 3 * g * (cos(phi) - cos(phi0)), acceleration = -1.5 * g * sin(phi), m = 2;
    F[0] = m * (cos(phi) * acceleration - sin(phi) * square) / 2;
    F[1] = m * ((sin(phi) * acceleration + cos(phi) * square) / 2 + g);
}

/* The mean force of a step and those at its ends are F'' dt^2/12 apart, and the phase of a second order scheme is off
 * by (w dt)^2/24 w t: with w^2 = 3/2 g/l and forces F of 60 N, 75 dt^2 and 150 dt^2. */
static const double force_slack = 225;

static void pendulum_reactions(void **state) {
    (void)state;
    const double dt = 1e-3;
    trial run = trial_text("%srun: {integrator: rattle, dt: %g, until: 1, tolerance: 1e-12}\n", planar_pendulum, dt);
    double before[2], after[2];
    hinge_force(1, 1, before);
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        hinge_force(trial_value(&run, "rod.phi"), 1, after);
        assert_near(trial_value(&run, "hinge1.P") / dt, (before[0] + after[0]) / 2, force_slack * dt * dt);
        assert_near(trial_value(&run, "hinge2.P") / dt, (before[1] + after[1]) / 2, force_slack * dt * dt);
        memcpy(before, after, sizeof before);
    }
    trial_close(&run);
}

/* A point on a rod, from the level: the tension is 3 m g cos(phi). */
static void tension_of_a_rod(void **state) {
    (void)state;
    const double dt = 1e-3;
    trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, -9.81]\n"
                           "  bodies: {bob: {type: point, mass: 2, position: [1.5, 0]}}\n"
                           "  joints: {rod: {type: distance, bodies: [world, bob]}}\n"
                           "run: {integrator: rattle, dt: %g, until: 1, tolerance: 1e-12}\n",
                           dt);
    double before = 0;
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        double after = 3 * 2 * g * -trial_value(&run, "bob.y") / 1.5;
        assert_near(-trial_value(&run, "rod1.P") / dt, (before + after) / 2, force_slack * dt * dt);
        before = after;
    }
    trial_close(&run);
}

/* ---------------------------------------------------------------- double pendulum, crossed hinges
 * a about y, b about the upper rod; the centre of the lower rod is (l, l/2 sin b, -l/2 cos b) in the frame of the upper
 * one, which turns at (0, a_dot, 0). */
static const char minimal_crossed[] =
    "carom: 1\n"
    "parameters: {m: 1, l: 1, J: m*l^2/12, Ja: m*l^2/200, g: 9.81}\n"
    "model:\n"
    "  coordinates: {a: {start: 0}, b: {start: 1}}\n"
    "  kinetic: (J + m*l^2/4)/2*a_dot^2\n"
    "    + m/2*((l/2*cos(b)*a_dot)^2 + (l/2*cos(b)*b_dot)^2 + (l/2*sin(b)*b_dot - l*a_dot)^2)\n"
    "    + (J*b_dot^2 + J*(a_dot*cos(b))^2 + Ja*(a_dot*sin(b))^2)/2\n"
    "  potential: -m*g*l*(1.5*sin(a) + cos(a)*cos(b)/2)\n";

static void scene_error(const char *scene, int stages, double dt, double T, int count, const char *const *names,
                        const double *exact, double *worst) {
    char with_stages[32], with_dt[64], until[64];
    snprintf(with_stages, sizeof with_stages, "run.stages=%d", stages);
    snprintf(with_dt, sizeof with_dt, "run.dt=%.17g", dt);
    snprintf(until, sizeof until, "run.until=%.17g", T);
    trial run = trial_scene(scene, "run.integrator=lobatto", with_stages, with_dt, until, "run.tolerance=1e-13", NULL);
    trial_finish(&run);
    *worst = 0;
    for (int i = 0; i < count; i++) *worst = fmax(*worst, fabs(trial_value(&run, names[i]) - exact[i]));
    trial_close(&run);
}

static void double_pendulum_in_space(void **state) {
    (void)state;
    static const char *const names[] = {"lower.x", "lower.y", "lower.z", "upper.wy"};
    const double T = 1.2, dt[] = {0.02, 0.01};
    trial exact = finish(minimal_crossed, 5, 0.02, T);
    double a = trial_value(&exact, "a"), b = trial_value(&exact, "b"), error[2];
    const double at[] = {cos(a) - sin(a) * cos(b) / 2, sin(b) / 2, -sin(a) - cos(a) * cos(b) / 2,
                         trial_value(&exact, "a_dot")};
    trial_close(&exact);
    for (int s = 2; s <= 3; s++) {
        for (int i = 0; i < 2; i++) scene_error("gallery/double_pendulum_space", s, dt[i], T, 4, names, at, &error[i]);
        double order = log2(error[0] / error[1]);
        printf("double pendulum in space: %d stages, errors %.2e, %.2e, order %.2f\n", s, error[0], error[1], order);
        assert_near(order, 2 * s - 2, 0.2); /* the next power of dt still shows */
    }
}

/* ---------------------------------------------------------------- double pendulum in the plane */
static const char minimal_double[] = "carom: 1\n"
                                     "parameters: {m: 1, l: 1, J: 1/12, g: 9.81}\n"
                                     "model:\n"
                                     "  coordinates: {a: {start: 1.5}, b: {start: 0.5}}\n"
                                     "  kinetic: (J + m*l^2/4)/2*a_dot^2 + J/2*b_dot^2\n"
                                     "    + m/2*(l^2*a_dot^2 + l^2/4*b_dot^2 + l^2*a_dot*b_dot*cos(a - b))\n"
                                     "  potential: -m*g*l*(1.5*cos(a) + cos(b)/2)\n";
static const char planar_double[] =
    "carom: 1\n"
    "parameters: {m: 1, l: 1, J: 1/12, g: 9.81, a1: 1.5, a2: 0.5}\n"
    "model:\n"
    "  gravity: [0, -g]\n"
    "  bodies:\n"
    "    rod[i=1..2]: {type: planar, mass: m, inertia: J, angle: 'a[i]',\n"
    "      position: ['(i-1)*l*sin(a1) + l/2*sin(a[i])', '-(i-1)*l*cos(a1) - l/2*cos(a[i])']}\n"
    "  joints:\n"
    "    pin: {type: revolute, bodies: [world, rod1], at: [0, 0]}\n"
    "    link[i=1..1]: {type: revolute, bodies: ['rod[i]', 'rod[i+1]'], points: [[0, -l/2], [0, l/2]]}\n";

static void double_pendulum_in_the_plane(void **state) {
    (void)state;
    const double T = 1;
    trial exact = finish(minimal_double, 5, 0.01, T);
    comparison c = {
        planar_double, T, 2, {"rod1.phi", "rod2.phi"}, {trial_value(&exact, "a"), trial_value(&exact, "b")}};
    trial_close(&exact);
    check_orders("double pendulum in the plane", &c, 0.04);
    trial run = finish(planar_double, 2, 0.1, 0.1);
    assert_near(trial_value(&run, "link1_2.g"), 0, 1e-12); /* rows of a family have two numbers */
    trial_close(&run);
}

/* ---------------------------------------------------------------- slider-crank without play, by the crank angle alone
 */
static const char minimal_crank[] =
    "carom: 1\n"
    "parameters: {l1: 0.153, l2: 0.306, m1: 0.038, m2: 0.038, m3: 0.076, J1: 7.4e-5, J2: 5.9e-4, g: 9.81}\n"
    "model:\n"
    "  coordinates: {a: {start: 0, velocity: 150}}\n"
    "  define:\n"
    "    s: -l1/l2*sin(a)\n"
    "    c: sqrt(1 - s^2)\n"
    "    w: -l1/l2*cos(a)/c*a_dot\n"
    "  kinetic: (J1 + m1*l1^2/4)/2*a_dot^2 + J2/2*w^2\n"
    "    + m2/2*((-l1*sin(a)*a_dot - l2/2*s*w)^2 + (l1*cos(a)*a_dot + l2/2*c*w)^2)\n"
    "    + m3/2*(l1*sin(a)*a_dot + l2*s*w)^2\n"
    "  potential: g*(m1*l1/2*sin(a) + m2*(l1*sin(a) + l2/2*s))\n";

static void slider_crank(void **state) {
    (void)state;
    static const char *const names[] = {"crank.phi", "slider.x"};
    const double T = 0.12;
    trial exact = finish(minimal_crank, 5, 2.5e-4, T);
    double a = trial_value(&exact, "a"), s = 0.153 / 0.306 * sin(a), error[2];
    const double at[] = {a, 0.153 * cos(a) + 0.306 * sqrt(1 - s * s)};
    trial_close(&exact);
    for (int k = 2; k <= 3; k++) {
        for (int i = 0; i < 2; i++)
            scene_error("gallery/slider_crank_bodies", k, 4e-4 / (1 << i), T, 2, names, at, &error[i]);
        double order = log2(error[0] / error[1]);
        printf("slider-crank: %d stages, errors %.2e, %.2e, order %.2f\n", k, error[0], error[1], order);
        assert_near(order, 2 * k - 2, 0.2); /* the next power of dt still shows */
    }
}

/* ---------------------------------------------------------------- spherical pendulum, of a rod and of a point
 * A symmetric rod that does not spin at the start never does. */
static const char minimal_spherical[] = "carom: 1\n"
                                        "model:\n"
                                        "  coordinates: {a: {start: 1}, b: {velocity: 2}}\n"
                                        "  kinetic: (a_dot^2 + (sin(a)*b_dot)^2)/2\n"
                                        "  potential: -cos(a)*%s\n";
static const char spherical_rod[] =
    "carom: 1\n"
    "parameters: {a: 1, J: 1/12}\n"
    "model:\n"
    "  gravity: [0, 0, -9.81]\n"
    "  bodies: # z along the rod, upwards; b_dot = 2 about the vertical\n"
    "    rod: {type: spatial, mass: 1, inertia: [J, J, J/20], position: [sin(a)/2, 0, -cos(a)/2],\n"
    "      velocity: [0, sin(a), 0], rotation: {axis: [0, -1, 0], angle: a}, angular_velocity: [2*sin(a), 0, 0]}\n"
    "  joints: {ball: {type: spherical, bodies: [world, rod], at: [0, 0, 0]}}\n";
static const char spherical_point[] =
    "carom: 1\n"
    "parameters: {a: 1}\n"
    "model:\n"
    "  gravity: [0, 0, -9.81]\n"
    "  bodies: {bob: {type: point, mass: 3, position: [sin(a), 0, -cos(a)], velocity: [0, 2*sin(a), 0]}}\n"
    "  joints: {rod: {type: distance, bodies: [world, bob]}}\n";

static void spherical_pendulum(void **state) {
    (void)state;
    const double T = 1.2;
    for (int point = 0; point < 2; point++) {
        char text[512];
        snprintf(text, sizeof text, minimal_spherical, point ? "9.81" : "9.81*1.5"); /* m g l/2 over m l^2/3 */
        trial exact = finish(text, 5, 0.02, T);
        double a = trial_value(&exact, "a"), b = trial_value(&exact, "b"), r = point ? 1 : 0.5;
        trial_close(&exact);
        comparison c = {point ? spherical_point : spherical_rod, T, 3, {0}, {0}};
        for (int i = 0; i < 3; i++)
            c.names[i] =
                point ? (const char *[]){"bob.x", "bob.y", "bob.z"}[i] : (const char *[]){"rod.x", "rod.y", "rod.z"}[i];
        c.exact[0] = r * sin(a) * cos(b), c.exact[1] = r * sin(a) * sin(b), c.exact[2] = -r * cos(a);
        check_orders(point ? "spherical pendulum of a point" : "spherical pendulum of a rod", &c, 0.08);
    }
}

/* ---------------------------------------------------------------- what slides: constant accelerations are exact */
static void sliding_joints(void **state) {
    (void)state;
    const double T = 0.5, incline = 0.4, spin = 3;
    trial run =
        trial_text("carom: 1\nparameters: {a: 0.4}\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                   "    box: {type: spatial, mass: 1, inertia: [1, 2, 2.5], position: [1, 2, 0.5], rotation: [0.5, "
                   "0.1, 0.7, -0.2]}\n"
                   "    ring: {type: spatial, mass: 1, inertia: [1, 1, 2], position: [0.5, 0, 0],\n"
                   "      velocity: [0, 1.5, 0], angular_velocity: [0, 0, 3]}\n"
                   "  joints:\n"
                   "    plane: {type: prismatic, bodies: [world, box], at: [0.3, 1, 0], axis: [cos(a), 0, -sin(a)]}\n"
                   "    pole: {type: cylindrical, bodies: [world, ring], at: [0, 0, 1], axis: [0, 0, 1]}\n"
                   "run: {integrator: rattle, dt: 0.01, until: %g, tolerance: 1e-13}\n",
                   T);
    trial_finish(&run);
    double s = g * sin(incline) * T * T / 2;
    assert_near(trial_value(&run, "box.x"), 1 + s * cos(incline), 1e-11); /* round-off of 50 steps */
    assert_near(trial_value(&run, "box.y"), 2, 1e-11);
    assert_near(trial_value(&run, "box.z"), 0.5 - s * sin(incline), 1e-11);
    assert_near(trial_value(&run, "box.wy"), 0, 1e-11);
    assert_near(trial_value(&run, "ring.z"), -g * T * T / 2, 1e-11);
    assert_near(trial_value(&run, "ring.wz"), spin, 1e-11);
    /* the turn itself is of second order, and a regular polygon has the exact radius */
    assert_near(hypot(trial_value(&run, "ring.x"), trial_value(&run, "ring.y")), 0.5, 1e-11);
    assert_near(trial_value(&run, "ring.x"), 0.5 * cos(spin * T), pow(spin * 0.01, 2) * spin * T);
    trial_close(&run);
}

/* ---------------------------------------------------------------- energy, drift */
/* Largest |E - E0| of a run by rattle, and largest |g| at its end. */
static double energy_error(const char *scene, double dt, double T, const char *override, double *drift) {
    char with_dt[64], until[64], name[64];
    snprintf(with_dt, sizeof with_dt, "run.dt=%g", dt);
    snprintf(until, sizeof until, "run.until=%g", T);
    trial run = trial_scene(scene, "run.integrator=rattle", with_dt, until, "run.tolerance=1e-11",
                            "model.gravity=[1, 0, -9.81]", override, NULL);
    double E0 = trial_value(&run, "E"), worst = 0;
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        worst = fmax(worst, fabs(trial_value(&run, "E") - E0));
    }
    const carom_model_def *def = carom_model_get(carom_scene_model(run.scene));
    for (int j = 0; j < def->ng; j++) {
        snprintf(name, sizeof name, "%s.g", def->g_names[j]);
        *drift = fmax(*drift, fabs(trial_value(&run, name)));
    }
    trial_close(&run);
    return worst;
}

static void energy_is_kept_in_loops(void **state) {
    (void)state;
    static const struct {
        const char *name, *override;
        double dt, T;
    } scenes[] = {{"gallery/four_bar_space", "model.joints.A.torque=0", 4e-3, 4},
                  {"gallery/bricard", NULL, 4e-3, 4},
                  {"gallery/slider_crank_bodies", NULL, 2e-4, 0.2}};
    for (int i = 0; i < 3; i++) {
        double drift = 0, coarse = energy_error(scenes[i].name, scenes[i].dt, scenes[i].T, scenes[i].override, &drift);
        double fine = energy_error(scenes[i].name, scenes[i].dt / 2, scenes[i].T, scenes[i].override, &drift);
        printf("%s: energy off by %.2e, %.2e, constraints by %.1e\n", scenes[i].name, coarse, fine, drift);
        assert_near(log2(coarse / fine), 2, 0.2); /* bounded and of second order; the next one still shows */
        assert_at_most(drift, 1e-11);             /* the tolerance of a step */
    }
}

/* ---------------------------------------------------------------- angles in space over many turns */

#define WHEEL "carom: 1\nmodel:\n  bodies: {a: {type: spatial, mass: 2, inertia: [0.003, 0.003, 0.004]}}\n"

/* Down a screw with the pitch h per radian a body falls with g/(1 + J/(m h^2)), 52 rad in a second; a spring that is
 * wound by three turns swings it about its rest, c (1 - cos(w t)) with w^2 = k/J. */
static void screw_and_wound_spring(void **state) {
    (void)state;
    const double h = 0.05, a = g / (1 + 0.004 / (2 * h * h)), T = 1, w = sqrt(0.02 / 0.004), rest = 6 * M_PI;
    const char screw[] = WHEEL "  gravity: [0, 0, -9.81]\n"
                               "  joints: {s: {type: cylindrical, bodies: [world, a], at: [0, 0, 0], axis: [0, 0, 1], "
                               "displacement: 0.05*s.angle}}\n";
    const char spring[] = WHEEL "  joints: {s: {type: revolute, bodies: [world, a], at: [0, 0, 0], axis: [0, 0, 1], "
                                "spring: 0.02, rest: 6*pi}}\n";
    comparison falls = {screw, T, 3, {"a.z", "a.wz", "s.turned"}, {-a / 2, -a / h, -a / 2 / h}};
    comparison swings = {spring, T, 2, {"a.wz", "s.turned"}, {rest * w * sin(w * T), rest * (1 - cos(w * T))}};
    check_orders("screw", &falls, 0.01);
    check_orders("wound spring", &swings, 0.04);
}

/* The flywheel of the gallery strikes three times and keeps the square of its restitution of the energy each time: the
 * percussion acts on all of m + J/h^2. Fine steps are needed for 100 rad/s; the error falls by 64 with four stages. */
static void flywheel_on_a_screw(void **state) {
    (void)state;
    for (int fine = 1; fine <= 2; fine++) {
        trial run = trial_scene("gallery/screw", "run.stages=4", fine == 2 ? "run.dt=2e-3" : "run.dt=4e-3",
                                "run.tolerance=1e-13", NULL);
        trial_finish(&run);
        double kept = pow(0.6, 6) * 2 * g * 2.5;
        assert_near(trial_value(&run, "E"), kept, fine == 2 ? 1e-10 : 6.4e-9);
        trial_close(&run);
    }
}

/* A gear of ratio -1/3 from rest under a constant torque: both angles are exact in every scheme that keeps joints, but
 * for the tolerance of some hundred steps. They pass full turns of the one at odd thirds of the other. */
static void gear_in_space(void **state) {
    (void)state;
    const char *const schemes[] = {"rattle", "lobatto",           "lobatto, events: locate",
                                   "nsga",   "generalized_alpha", "moreau, joints: closed"};
    const double T = 2, acceleration = 3 / (0.2 + 0.5 / 9);
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        trial run = trial_text(
            "carom: 1\nmodel:\n  bodies:\n    a: {type: spatial, mass: 1, inertia: [0.2, 0.2, 0.2]}\n"
            "    b: {type: spatial, mass: 1, inertia: [0.5, 0.5, 0.5], position: [2, 0, 0]}\n"
            "  joints:\n    m: {type: revolute, bodies: [world, a], at: [0, 0, 0], axis: [0, 0, 1], torque: 3}\n"
            "    n: {type: revolute, bodies: [world, b], at: [2, 0, 0], axis: [0, 0, 1], angle: -m.angle/3}\n"
            "  observe: {cosine: b.R11, sine: b.R21}\n"
            "run: {integrator: %s, dt: 1e-2, until: %g}\n",
            schemes[i], T);
        trial_finish(&run);
        double angle = trial_value(&run, "m.turned");
        assert_near(trial_value(&run, "a.wz"), acceleration * T, 1e-8);
        if (i < 5) assert_near(angle, acceleration * T * T / 2, 0.05); /* of 23.5: the midpoint rule of rotations */
        assert_near(trial_value(&run, "cosine"), cos(angle / 3), 1e-9);
        assert_near(trial_value(&run, "sine"), -sin(angle / 3), 1e-9);
        trial_close(&run);
    }
}

/* Turns are counted where a formula uses the angle, by the name of a joint or of its family, and nowhere else; limits
 * do without. */
static void counted_where_used(void **state) {
    (void)state;
    const struct {
        const char *joint, *observe;
        int coordinates;
    } cases[] = {
        {"torque: 1", "1", 14},
        {"torque: 1", "hinge[1].angle_rate", 14},
        {"torque: 1", "hinge2.angle", 15},
        {"torque: 1", "sum(i=1..2, hinge[i].angle)", 16},
        {"torque: \"-hinge[3 - i].angle\"", "1", 16},
        {"spring: 1", "1", 16},
        {"spring: 1, limits: [-1, 1]", "hinge1.angle", 14},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trial run = trial_text("carom: 1\nmodel:\n"
                               "  bodies: {\"b[i=1..2]\": {type: spatial, mass: 1, inertia: [1, 1, 1]}}\n"
                               "  joints: {\"hinge[i=1..2]\": {type: revolute, bodies: [world, \"b[i]\"], "
                               "at: [0, 0, 0], axis: [1, 0, 0], %s}}\n"
                               "  observe: {used: \"%s\"}\n"
                               "run: {integrator: rattle, dt: 0.1, until: 1}\n",
                               cases[i].joint, cases[i].observe);
        assert_int_equal(carom_model_get(carom_scene_model(run.scene))->nq, cases[i].coordinates);
        trial_close(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum),
        cmocka_unit_test(pendulum_reactions),
        cmocka_unit_test(tension_of_a_rod),
        cmocka_unit_test(double_pendulum_in_space),
        cmocka_unit_test(double_pendulum_in_the_plane),
        cmocka_unit_test(slider_crank),
        cmocka_unit_test(spherical_pendulum),
        cmocka_unit_test(sliding_joints),
        cmocka_unit_test(energy_is_kept_in_loops),
        cmocka_unit_test(screw_and_wound_spring),
        cmocka_unit_test(flywheel_on_a_screw),
        cmocka_unit_test(gear_in_space),
        cmocka_unit_test(counted_where_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
