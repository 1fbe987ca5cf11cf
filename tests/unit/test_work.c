/* The energy balance of docs/theory/mechanics.md: E(t) - E(0) is the sum of the recorded works, each of which is known
 * for the problems here. */
#include "scene/scene.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static trial text_trial(const char *text, const char *integrator, double dt, double until) {
    trial run = {0};
    carom_error error = {0};
    char all[4096];
    snprintf(all, sizeof all, "carom: 1\n%s\nrun: {integrator: %s, dt: %.17g, until: %.17g, tolerance: 1e-13}\n", text,
             integrator, dt, until);
    if (scene_load_text(all, strlen(all), "test.yaml", NULL, &run.scene, &error)) fail_msg("%s", error.message);
    trial simulated = trial_model(carom_scene_model(run.scene), integrator, dt, until, 1e-13, NULL);
    simulated.scene = run.scene;
    return simulated;
}

static bool has(const trial *run, const char *name) {
    bool found = false;
    for (int i = 0; i < carom_sim_columns(run->sim); i++) found |= !strcmp(carom_sim_column_name(run->sim, i), name);
    return found;
}

static double works(const trial *run) {
    static const char *const parts[] = {"work.forces", "work.constraints", "work.impacts", "work.friction"};
    double sum = 0;
    for (int i = 0; i < 4; i++) sum += has(run, parts[i]) ? trial_value(run, parts[i]) : 0;
    return sum;
}

/* ---------------------------------------------------------------- impacts and friction */

#define SPHERE                                                                                                         \
    "parameters: {m: 2, R: 0.1, J: 2/5*m*R^2, g: %g, mu: %g, e: 0.6}\n"                                                \
    "model:\n"                                                                                                         \
    "  coordinates: {x: {velocity: 1}, y: {start: 0.25, velocity: -3}, phi: {velocity: 40}}\n"                         \
    "  kinetic: m/2*(x_dot^2 + y_dot^2) + J/2*phi_dot^2\n"                                                             \
    "  potential: m*g*y\n"                                                                                             \
    "  contacts: {floor: {gap: y - R, slip: x_dot + R*phi_dot, friction: mu, restitution: e}}\n"

/* Rates of gaps and slips at the end of a step come from its problem: they are those of the velocities there, to the
 * round-off of numbers around 10. In flight, in impacts, and on the floor. */
static void rates_of_the_end(void **state) {
    (void)state;
    static const char *const schemes[] = {"moreau", "symmetric_moreau", "rattle"};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        snprintf(text, sizeof text, SPHERE, 9.81, 0.2);
        trial run = text_trial(text, schemes[k], 1e-2, 2);
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            assert_near(trial_value(&run, "floor.gap_dot"), trial_value(&run, "y_dot"), 1e-13);
            assert_near(trial_value(&run, "floor.slip"),
                        trial_value(&run, "x_dot") + 0.1 * trial_value(&run, "phi_dot"), 1e-13);
        }
        assert_near(trial_value(&run, "floor.slip"), 0, 1e-12); /* it came to roll */
        trial_close(&run);
    }
}

/* One impact without gravity. M and W are constant: by Thomson and Tait's theorem the loss is that of E, to round-off
 * of numbers around 10. Normal: m v^2 (1 - e^2)/2. Friction: the slip of 5 changes by 7/2 P_F/m; at mu = 0.2 it goes
 * on, at mu = 2 it stops, and takes with it the whole m/2 * 2/7 * 5^2. */
static void an_impact(void **state) {
    (void)state;
    static const char *const schemes[] = {"moreau", "rattle"};
    for (int k = 0; k < 4; k++) {
        char text[1024];
        double m = 2, v = 3, e = 0.6, mu = k / 2 ? 2 : 0.2, slip = 5;
        snprintf(text, sizeof text, SPHERE, 0.0, mu);
        trial run = text_trial(text, schemes[k % 2], 1e-2, 0.2);
        double E = trial_value(&run, "E"), P = m * v * (1 + e), normal = m * v * v * (1 - e * e) / 2;
        double friction = mu > 1 ? m / 7 * slip * slip : mu * P * (slip - 3.5 * mu * P / m / 2);
        int impacts = 0;
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            bool hit = trial_value(&run, "floor.PN") > 0;
            impacts += hit;
            assert_near(trial_value(&run, "floor.loss"), hit ? normal + friction : 0, 1e-12);
            assert_near(trial_value(&run, "floor.lossF"), hit ? friction : 0, 1e-12);
        }
        assert_int_equal(impacts, 1);
        assert_near(trial_value(&run, "work.impacts"), -normal, 1e-12);
        assert_near(trial_value(&run, "work.friction"), -friction, 1e-12);
        assert_near(trial_value(&run, "E") - E, works(&run), 1e-12);
        assert_false(has(&run, "work.forces") || has(&run, "work.constraints"));
        trial_close(&run);
    }
}

/* Many bounces under gravity. In every step T changes by the works of contacts and weight, -m g dt (y_dot_0 +
 * y_dot_1)/2, to round-off. Moreau moves by dt y_dot_0 instead, and the difference telescopes: what is missing in the
 * balance of E is m g dt (y_dot_start - y_dot)/2, of first order. RATTLE moves by the midpoint velocity and misses
 * O(dt) at impacts. */
static void bounces(void **state) {
    (void)state;
    const double m = 2, g = 9.81, dt = 1e-3;
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text, SPHERE, g, 0.2);
        trial run = text_trial(text, k ? "rattle" : "moreau", dt, 1.5);
        double E = trial_value(&run, "E"), v0 = trial_value(&run, "y_dot"), impacts = 0, loss = 0;
        while (!carom_sim_done(run.sim)) {
            double T = trial_value(&run, "T"), v = trial_value(&run, "y_dot"), W = works(&run);
            trial_step(&run);
            double weight = -m * g * dt * (v + trial_value(&run, "y_dot")) / 2;
            assert_near(trial_value(&run, "T") - T, works(&run) - W + weight, 1e-12); /* eps T, T < 20, and 1e-13 u */
            impacts += trial_value(&run, "y_dot") - v > 0.05;
            loss += trial_value(&run, "floor.loss");
        }
        double missing = trial_value(&run, "E") - E - works(&run);
        assert_at_least(impacts, 5);
        assert_near(loss, -works(&run), 1e-11); /* 1500 round-offs of numbers below 20 */
        if (k == 0) assert_near(missing, m * g * dt * (v0 - trial_value(&run, "y_dot")) / 2, 1e-11);
        else assert_at_most(fabs(missing), m * g * dt * 2 * 3 / (1 - 0.6)); /* sum of |Delta y_dot| of the bounces */
        trial_close(&run);
    }
}

/* A ball in a round bowl, drawn about by a spring: hundreds of elastic impacts, each at the end of a step over which
 * the normal turns. Both sides of a kick are there, (W9a), and none costs anything: round-off of as many numbers
 * around 10. */
static void turning_normals(void **state) {
    (void)state;
    static const char *const schemes[] = {"moreau", "symmetric_moreau", "variational_moreau"};
    for (int k = 0; k < 3; k++) {
        trial run = text_trial("model:\n"
                               "  coordinates: {x: {start: 0.2, velocity: 3}, y: {start: -0.1, velocity: 4}}\n"
                               "  kinetic: (x_dot^2 + y_dot^2)/2\n"
                               "  potential: 3*((x - 0.3)^2 + 2*y^2)\n"
                               "  contacts: {bowl: {gap: 1 - sqrt(x^2 + y^2), restitution: 1}}\n",
                               schemes[k], 1e-2, 200);
        int impacts = 0;
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            impacts += trial_value(&run, "bowl.PN") > 0;
        }
        assert_at_least(impacts, 200);
        assert_near(trial_value(&run, "work.impacts"), 0, 1e-12);
        trial_close(&run);
    }
}

/* A block slides down an incline: constant forces, linear velocities, so the trapezoidal rule is exact. */
static void incline(void **state) {
    (void)state;
    const double m = 3, g = 9.81, mu = 0.3, alpha = 0.7, t = 0.5;
    trial run = text_trial("parameters: {m: 3, g: 9.81, mu: 0.3, a: 0.7}\n"
                           "model:\n"
                           "  coordinates: {x: , y: }\n"
                           "  kinetic: m/2*(x_dot^2 + y_dot^2)\n"
                           "  potential: m*g*(y*cos(a) - x*sin(a))\n"
                           "  contacts: {plane: {gap: y, slip: x_dot, friction: mu}}\n",
                           "rattle", 1e-2, t);
    double E = trial_value(&run, "E"), x = g * (sin(alpha) - mu * cos(alpha)) * t * t / 2;
    trial_finish(&run);
    assert_near(trial_value(&run, "x"), x, 1e-12); /* 50 steps to a residual of 1e-13 */
    assert_near(trial_value(&run, "work.friction"), -mu * m * g * cos(alpha) * x, 1e-10);
    assert_near(trial_value(&run, "work.impacts"), 0, 1e-12);
    assert_near(trial_value(&run, "E") - E, works(&run), 1e-10); /* forces of 30 times the above */
    trial_close(&run);
}

/* A paddle moves with speed w into a resting mass: the relative velocity turns to -e of itself, the paddle does the
 * work P w, of which the impact takes m w^2 (1 - e^2)/2. */
static void paddle(void **state) {
    (void)state;
    const double m = 2, w = 1.5, e = 0.5, P = m * w * (1 + e);
    trial run = text_trial("parameters: {m: 2, w: 1.5}\n"
                           "model:\n"
                           "  coordinates: {x: 0.1}\n"
                           "  kinetic: m/2*x_dot^2\n"
                           "  contacts: {paddle: {gap: x - w*t, restitution: 0.5}}\n",
                           "rattle", 1e-2, 0.2);
    trial_finish(&run);
    assert_near(trial_value(&run, "x_dot"), w * (1 + e), 1e-12);
    assert_near(trial_value(&run, "work.constraints"), P * w, 1e-12);
    assert_near(trial_value(&run, "work.impacts"), -m * w * w * (1 - e * e) / 2, 1e-12);
    assert_near(trial_value(&run, "E"), works(&run), 1e-12);
    assert_false(has(&run, "work.friction") || has(&run, "paddle.lossF"));
    trial_close(&run);
}

/* ---------------------------------------------------------------- forces and moving frames */

/* How far the balance is from closing at the end, for halved steps. */
static double balance_order(const char *text, double until, double *last) {
    double h[4], missing[4];
    for (int k = 0; k < 4; k++) {
        h[k] = 0.02 / (1 << k);
        trial run = text_trial(text, "rattle", h[k], until);
        double E = trial_value(&run, "E");
        trial_finish(&run);
        *last = trial_value(&run, "E") - E;
        missing[k] = fabs(*last - works(&run));
        trial_close(&run);
    }
    return observed_order(4, h, missing);
}

/* x'' + 2 D x' + x = 0: second order, as the scheme and the trapezoidal rule are. E is that of
 * exp(-D t)(cos w t + D/w sin w t). */
static void damped_oscillator(void **state) {
    (void)state;
    const double D = 0.2, w = sqrt(1 - D * D), t = 3, decay = exp(-D * t);
    double x = decay * (cos(w * t) + D / w * sin(w * t)), v = -decay / w * sin(w * t), lost;
    double order = balance_order("parameters: {D: 0.2}\n"
                                 "model:\n"
                                 "  coordinates: {x: 1}\n"
                                 "  kinetic: x_dot^2/2\n"
                                 "  potential: x^2/2\n"
                                 "  dissipation: D*x_dot^2\n",
                                 t, &lost);
    assert_near(order, 2, 0.1);
    assert_near(lost, (x * x + v * v - 1) / 2, 1e-5); /* h^2 times derivatives of order one, h = 0.0025 */
}

/* Everything that may depend on time does: masses, stiffnesses, a vector potential, forces, and kinematics with a
 * drift. Only the balance is known, and closes with second order. */
static void explicit_time(void **state) {
    (void)state;
    double last;
    const char *plain = "model:\n"
                        "  coordinates: {x: 1, y: {velocity: 0.5}}\n"
                        "  kinetic: (2 + sin(t))/2*(x_dot^2 + y_dot^2) + x_dot*y*cos(t) + x^2*t/3\n"
                        "  potential: (1 + t)*x^2/2 + cos(y - t)\n"
                        "  forces: {x: -0.3*x_dot + sin(2*t), y: x*y_dot}\n";
    const char *drifting = "model:\n"
                           "  coordinates: {x: 1, y: 0}\n"
                           "  velocities: {v: 0.4, w: 0.2}\n"
                           "  kinematics: {x: 'v*cos(t) - w*sin(t) + 0.3*y', y: 'v*sin(t) + w*cos(t) + 0.2*sin(t)'}\n"
                           "  kinetic: (v^2 + 2*w^2)/2 + 0.1*v*x\n"
                           "  potential: x^2*(1 + t/2)/2 + y^4/4\n"
                           "  forces: {v: -0.1*v}\n";
    assert_near(balance_order(plain, 2, &last), 2, 0.1);
    assert_true(fabs(last) > 0.1);
    assert_near(balance_order(drifting, 2, &last), 2, 0.1);
    assert_true(fabs(last) > 0.1);
}

/* A bead on a rod that is turned at the rate w: r = r0 cosh(w t), and the motor does m w^2 (r^2 - r0^2). */
static void motor(void **state) {
    (void)state;
    trial run = text_trial("parameters: {m: 2, w: 1.5}\n"
                           "model:\n"
                           "  coordinates: {r: 0.5}\n"
                           "  kinetic: m/2*(r_dot^2 + w^2*r^2)\n",
                           "rattle", 1e-3, 1);
    trial_finish(&run);
    double r = trial_value(&run, "r"), work = 2 * 1.5 * 1.5 * (r * r - 0.25);
    assert_near(r, 0.5 * cosh(1.5), 1e-5);                      /* h^2 times derivatives of order 10 */
    assert_near(trial_value(&run, "work.forces"), work, 1e-12); /* without explicit time only G changes */
    trial_close(&run);
}

/* A pendulum whose support is shaken, with the support in T or as a constraint: two ways to the same work, each with
 * its own error of second order, and a wall that is struck. */
static void shaken_pendulum(void **state) {
    (void)state;
    const char *reduced = "parameters: {m: 1, l: 1, g: 9.81, a: 0.2, w: 3}\n"
                          "model:\n"
                          "  coordinates: {phi: {start: 0.5, velocity: -a*w*cos(0.5)/l}}\n"
                          "  define: {vx: a*w*cos(w*t) + l*phi_dot*cos(phi), vy: l*phi_dot*sin(phi)}\n"
                          "  kinetic: m/2*(vx^2 + vy^2)\n"
                          "  potential: -m*g*l*cos(phi)\n";
    const char *full = "parameters: {m: 1, l: 1, g: 9.81, a: 0.2, w: 3}\n"
                       "model:\n"
                       "  coordinates:\n"
                       "    x: {start: l*sin(0.5), velocity: a*w*(1 - cos(0.5)^2)}\n"
                       "    y: {start: -l*cos(0.5), velocity: -a*w*cos(0.5)*sin(0.5)}\n"
                       "  kinetic: m/2*(x_dot^2 + y_dot^2)\n"
                       "  potential: m*g*y\n"
                       "  constraints: {rod: (x - a*sin(w*t))^2 + y^2 - l^2}\n";
    double E1, E2;
    assert_near(balance_order(reduced, 2, &E1), 2, 0.1);
    assert_near(balance_order(full, 2, &E2), 2, 0.1);
    assert_true(fabs(E1) > 0.1);
    assert_near(E1, E2, 1e-3); /* h^2 times g^2 */
}

/* The same pendulum strikes a wall: percussions reach the support, too, and the balance knows. First order, as impacts
 * are; 10 bounds what a step of length h may miss per unit of time. */
static void shaken_impacts(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        double h = 1e-3 / (1 << 2 * k);
        trial run = text_trial("parameters: {m: 1, l: 1, g: 9.81, a: 0.2, w: 3}\n"
                               "model:\n"
                               "  coordinates: {phi: 0.5}\n"
                               "  define: {vx: a*w*cos(w*t) + l*phi_dot*cos(phi), vy: l*phi_dot*sin(phi)}\n"
                               "  kinetic: m/2*(vx^2 + vy^2)\n"
                               "  potential: -m*g*l*cos(phi)\n"
                               "  contacts: {wall: {gap: a*sin(w*t) + l*sin(phi), restitution: 0.7}}\n",
                               "rattle", h, 3);
        double E = trial_value(&run, "E"), impacts = 0;
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            impacts += trial_value(&run, "wall.loss") > 1e-3;
        }
        assert_at_least(impacts, 2);
        assert_at_most(fabs(trial_value(&run, "E") - E - works(&run)), 10 * h);
        assert_at_least(-trial_value(&run, "work.impacts"), 0.1);
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- momentum maps */

/* docs/theory/rattle.md: exact for constant M, and for polar coordinates; 1e4 steps of round-off. The ball rolls off a
 * floor with friction, about the contact point. */
static void conserved_maps(void **state) {
    (void)state;
    static const char *const scenes[] = {"gallery/drum", "gallery/polar_pendulum", "paper/rattle/ball_2"};
    static const char *const maps[] = {"angular_momentum", "angular_momentum", "rolling"};
    const double by_hand[] = {0.5 * (0.3 * 1.1 + 0.2 * 0.4), 1.4 * 1.4, 0.4 * 0.01 * 50};
    for (int k = 0; k < 3; k++) {
        trial run = trial_scene(scenes[k], "run.tolerance=1e-15", NULL);
        double L = trial_value(&run, maps[k]), worst = 0, impacts = 0;
        assert_near(L, by_hand[k], 1e-15);
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            worst = fmax(worst, fabs(trial_value(&run, maps[k]) - L));
            impacts += carom_sim_percussion(run.sim)[0] > 0;
        }
        assert_at_least(impacts, 3);
        assert_at_most(worst, 1e-12);
        trial_close(&run);
    }
}

/* Spherical coordinates: of second order only. A family of symmetries, and one of the velocities it moves. */
static void other_maps(void **state) {
    (void)state;
    double h[3], worst[3];
    for (int k = 0; k < 3; k++) {
        h[k] = 0.02 / (1 << k);
        trial run = text_trial("model:\n"
                               "  coordinates: {theta: {start: 0.8, velocity: 0.2}, phi: {velocity: 2.5}}\n"
                               "  kinetic: (theta_dot^2 + sin(theta)^2*phi_dot^2)/2\n"
                               "  potential: -9.81*cos(theta)\n"
                               "  symmetries: {Lz: {phi: 1}}\n",
                               "rattle", h[k], 6);
        double L = trial_value(&run, "Lz");
        worst[k] = 0;
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            worst[k] = fmax(worst[k], fabs(trial_value(&run, "Lz") - L));
        }
        assert_at_least(worst[k], 1e-10);
        trial_close(&run);
    }
    assert_near(observed_order(3, h, worst), 2, 0.1);

    for (int k = 0; k < 3; k++) { /* quasi-velocities: the spatial angular momentum of a free body */
        char dt[40];
        snprintf(dt, sizeof dt, "run.dt=%g", h[k]);
        trial run = trial_scene("gallery/top", dt, "run.until=10", NULL);
        assert_near(trial_value(&run, "Lx"), 0.01, 0);
        assert_near(trial_value(&run, "Ly"), 4, 0);
        assert_near(trial_value(&run, "Lz"), 0, 0);
        trial_finish(&run);
        worst[k] = hypot(trial_value(&run, "Ly") - 4, hypot(trial_value(&run, "Lx") - 0.01, trial_value(&run, "Lz")));
        trial_close(&run);
    }
    assert_near(observed_order(3, h, worst), 2, 0.1);

    trial run = text_trial("parameters: {n: 3, m: [1, 2, 4]}\n"
                           "model:\n"
                           "  coordinates: {'x[i=1..n]': {velocity: i}}\n"
                           "  kinetic: sum(i=1..n, m[i]/2*x_dot[i]^2)\n"
                           "  symmetries: {px: {'x[i=1..n]': 1}, 'S[k=1..2]': {'x[i=1..n]': i*k, }}\n",
                           "rattle", 0.1, 1);
    assert_near(trial_value(&run, "px"), 1 + 4 + 12, 0);
    assert_near(trial_value(&run, "S1"), 1 + 8 + 36, 0);
    assert_near(trial_value(&run, "S2"), 2 * (1 + 8 + 36), 0);
    trial_close(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_of_the_end), cmocka_unit_test(an_impact),      cmocka_unit_test(bounces),
        cmocka_unit_test(incline),          cmocka_unit_test(paddle),         cmocka_unit_test(damped_oscillator),
        cmocka_unit_test(explicit_time),    cmocka_unit_test(motor),          cmocka_unit_test(shaken_pendulum),
        cmocka_unit_test(shaken_impacts),   cmocka_unit_test(conserved_maps), cmocka_unit_test(other_maps),
        cmocka_unit_test(turning_normals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
