/* 'start: consistent': constraints hold afterwards, and the state has moved no more than it must. */
#include "scene/scene.h"
#include "trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RUN "run: {integrator: rattle, dt: 1e-2, until: 1}\n"

/* g and s are sums of a few terms of order one, brought to where Newton's method no longer improves them. */
static const double rounded = 1e-14;

static carom_scene *scene_of(const char *text) {
    carom_scene *scene = NULL;
    carom_error error = {0};
    char complaint[1200];
    if (scene_load_text(text, strlen(text), "test.yaml", NULL, &scene, &error))
        fail_msg("%s", carom_error_text(&error, complaint, sizeof complaint));
    return scene;
}

static const carom_model_def *def_of(const carom_scene *scene) {
    return carom_model_get(carom_scene_model(scene));
}

static void assert_consistent(const carom_scene *scene) {
    const carom_model_def *d = def_of(scene);
    double c[32], s[32];
    carom_error error = {0};
    char complaint[1200];
    if (d->ng) assert_int_equal(d->position(d->context, 0, d->q0, c, NULL), 0);
    assert_int_equal(d->velocity(d->context, 0, d->q0, d->u0, s, NULL, NULL), 0);
    for (int i = 0; i < d->ng; i++) assert_near(c[i], 0, rounded);
    for (int i = 0; i < d->ng + d->ngamma; i++) assert_near(s[i], 0, rounded * 10); /* velocities up to ten */
    if (scene_validate_start(scene, &error)) fail_msg("%s", carom_error_text(&error, complaint, sizeof complaint));
}

/* The velocities that are left are admissible, and what was taken away does no work on them: u^T M (u - given) = 0 if
 * constraints rest. */
static void assert_least(const carom_scene *scene, const double *given) {
    const carom_model_def *d = def_of(scene);
    double M[256], sum = 0, T = 0;
    assert_int_equal(d->mass(d->context, 0, d->q0, M), 0);
    for (int i = 0; i < d->nu; i++)
        for (int e = d->M.start[i]; e < d->M.start[i + 1]; e++) {
            int j = d->M.index[e];
            sum += d->u0[i] * M[e] * (d->u0[j] - given[j]);
            T += d->u0[i] * M[e] * d->u0[j];
        }
    assert_at_least(T, 0.01); /* something is left */
    assert_near(sum, 0, 1e-13 * T);
}

/* ---- a pendulum off its circle: moved along the rod, its speed along the rod taken away */
static void pendulum(void **state) {
    (void)state;
    for (int copies = 1; copies <= 3; copies++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "carom: 1\nmodel:\n  start: consistent\n"
                 "  coordinates: {x: {start: 0.9, velocity: 3}, y: {start: -1.2, velocity: 1}}\n"
                 "  kinetic: (x_dot^2 + y_dot^2)/2\n"
                 "  constraints: {rod: [%s]}\n" RUN,
                 copies == 1   ? "x^2 + y^2 - 1"
                 : copies == 2 ? "x^2 + y^2 - 1, 5*(x^2 + y^2 - 1)"
                               : "x^2 + y^2 - 1, sqrt(x^2 + y^2) - 1, 0.1*(1 - x^2 - y^2)");
        carom_scene *scene = scene_of(text);
        const carom_model_def *d = def_of(scene);
        assert_near(d->q0[0], 0.6, rounded);
        assert_near(d->q0[1], -0.8, rounded);
        double along = 3 * 0.6 - 1 * 0.8;
        assert_near(d->u0[0], 3 - along * 0.6, rounded);
        assert_near(d->u0[1], 1 + along * 0.8, rounded);
        assert_consistent(scene);
        assert_least(scene, (double[]){3, 1});
        char shift[320];
        assert_true(scene_shift_text(scene, shift, sizeof shift));
        assert_string_equal(shift,
                            "consistent start: positions moved by up to 0.4 (y), velocities by up to 0.8 (y_dot)");
        carom_scene_destroy(scene);
    }
}

/* ---- the metric is that of M: a heavy and a light mass that should be at the same place meet at their centre of mass
 */
static void heavy_and_light(void **state) {
    (void)state;
    carom_scene *scene = scene_of("carom: 1\nmodel:\n  start: consistent\n"
                                  "  bodies: {a: {type: point, mass: 3, position: 0, velocity: 2},\n"
                                  "           b: {type: point, mass: 1, position: 4}}\n"
                                  "  constraints: {glue: [a.x - b.x, 2*b.x - 2*a.x]}\n" RUN);
    const carom_model_def *d = def_of(scene);
    for (int i = 0; i < 2; i++) assert_near(d->q0[i], 1, rounded), assert_near(d->u0[i], 1.5, rounded);
    carom_scene_destroy(scene);
}

/* ---- a four-bar linkage of planar bodies, placed roughly, with velocities of one bar alone */
static void four_bar(void **state) {
    (void)state;
    carom_scene *scene =
        scene_of("carom: 1\nparameters: {l1: 1, l2: 3, l3: 2, d: 3.2}\nmodel:\n  start: consistent\n  bodies:\n"
                 "    crank: {type: planar, mass: 1, shape: {box: [l1, 0.1]}, position: [0.3, 0.4], angle: 1, "
                 "angular_velocity: 4}\n"
                 "    rod: {type: planar, mass: 2, shape: {box: [l2, 0.1]}, position: [2, 1.5], angle: 0.2}\n"
                 "    rocker: {type: planar, mass: 1.5, shape: {box: [l3, 0.1]}, position: [3.5, 1], angle: 1.2}\n"
                 "  constraints:\n"
                 "    a: [crank.x - l1/2*cos(crank.phi), crank.y - l1/2*sin(crank.phi)]\n"
                 "    b: [crank.x + l1/2*cos(crank.phi) - rod.x + l2/2*cos(rod.phi),\n"
                 "        crank.y + l1/2*sin(crank.phi) - rod.y + l2/2*sin(rod.phi)]\n"
                 "    c: [rod.x + l2/2*cos(rod.phi) - rocker.x - l3/2*cos(rocker.phi),\n"
                 "        rod.y + l2/2*sin(rod.phi) - rocker.y - l3/2*sin(rocker.phi)]\n"
                 "    e: [rocker.x - l3/2*cos(rocker.phi) - d, rocker.y - l3/2*sin(rocker.phi)]\n" RUN);
    assert_consistent(scene);
    assert_least(scene, (double[]){0, 0, 4, 0, 0, 0, 0, 0, 0});
    carom_scene_destroy(scene);
}

/* ---- a body in space hung up at a corner: the quaternion stays a unit one */
static void hung_up(void **state) {
    (void)state;
    carom_scene *scene = scene_of(
        "carom: 1\nmodel:\n  start: consistent\n  bodies:\n"
        "    b: {type: spatial, mass: 2, shape: {box: [1, 2, 3]}, rotation: [1, 2, 3, 4], position: [1, 0, -1],\n"
        "        velocity: [1, 2, 3], angular_velocity: [3, 1, 2]}\n"
        "  constraints:\n"
        "    corner: [b.x + b.R11/2 + b.R12 + 1.5*b.R13, b.y + b.R21/2 + b.R22 + 1.5*b.R23,\n"
        "             b.z + b.R31/2 + b.R32 + 1.5*b.R33]\n" RUN);
    const carom_model_def *d = def_of(scene);
    assert_consistent(scene);
    assert_least(scene, (double[]){1, 2, 3, 3, 1, 2});
    double square = 0;
    for (int i = 3; i < 7; i++) square += d->q0[i] * d->q0[i];
    assert_near(square, 1, 1e-15);
    carom_scene_destroy(scene);
}

/* ---- constraints on velocity, and one that moves */
static void velocities(void **state) {
    (void)state;
    carom_scene *scene =
        scene_of("carom: 1\nmodel:\n  start: consistent\n"
                 "  coordinates: {x: {velocity: 2}, y: {velocity: 1}, phi: {start: pi/2, velocity: 3}}\n"
                 "  kinetic: (x_dot^2 + y_dot^2 + phi_dot^2)/2\n"
                 "  velocity_constraints: {knife: x_dot*sin(phi) - y_dot*cos(phi)}\n" RUN);
    const double sideways[] = {0, 1, 3};
    for (int i = 0; i < 3; i++) assert_near(def_of(scene)->u0[i], sideways[i], rounded);
    assert_near(def_of(scene)->q0[0], 0, 0);
    carom_scene_destroy(scene);
    scene = scene_of("carom: 1\nmodel:\n  start: consistent\n  coordinates: {x: 0.5, y: {velocity: 1}}\n"
                     "  kinetic: (x_dot^2 + y_dot^2)/2\n"
                     "  constraints: {driven: x - sin(2*t)}\n" RUN);
    const double driven[] = {2, 1};
    for (int i = 0; i < 2; i++) assert_near(def_of(scene)->u0[i], driven[i], rounded);
    assert_near(def_of(scene)->q0[0], 0, rounded);
    carom_scene_destroy(scene);
}

/* ---- what it leaves alone: contacts, and scenes that do not ask for it */
static void left_alone(void **state) {
    (void)state;
    carom_error error = {0};
    carom_scene *scene = scene_of("carom: 1\nmodel:\n  start: consistent\n  coordinates: {x: 0.5, y: -0.25}\n"
                                  "  kinetic: (x_dot^2 + y_dot^2)/2\n  constraints: {rail: x}\n"
                                  "  contacts: {floor: {gap: y}}\n" RUN);
    assert_near(def_of(scene)->q0[0], 0, rounded);
    assert_near(def_of(scene)->q0[1], -0.25, 0);
    assert_int_equal(scene_validate_start(scene, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "contact 'floor' penetrates"));
    carom_scene_destroy(scene);
    scene = scene_of("carom: 1\nmodel:\n  start: as_given\n  coordinates: {x: 0.5}\n  kinetic: x_dot^2\n"
                     "  constraints: {rail: x}\n" RUN);
    assert_near(def_of(scene)->q0[0], 0.5, 0);
    char shift[320];
    assert_false(scene_shift_text(scene, shift, sizeof shift));
    carom_scene_destroy(scene);
}

/* ---- sentences where there is nothing to find */
static void rejects(const char *constraints, int line, const char *part) {
    char text[1024];
    snprintf(text, sizeof text,
             "carom: 1\nmodel:\n  start: consistent\n  coordinates: {x: {velocity: 1}, y: 1}\n"
             "  kinetic: (x_dot^2 + y_dot^2)/2\n%s\n" RUN,
             constraints);
    carom_scene *scene = NULL;
    carom_error error = {0};
    assert_int_equal(scene_load_text(text, strlen(text), "test.yaml", NULL, &scene, &error), CAROM_DATA);
    if (!strstr(error.message, part)) fail_msg("\"%s\" does not say \"%s\"", error.message, part);
    assert_int_equal(error.line, line);
}

static void contradictions(void **state) {
    (void)state;
    /* least squares: x = 1 */
    rejects("  constraints: {near: x, also: x, far: x - 3}", 6, "constraint 'far' is still -2 at best");
    rejects("  constraints: {circle: x^2 + y^2 + 1}", 6, "constraint 'circle' is still 1");
    rejects("  velocity_constraints:\n    slow: x_dot - 1\n    too: x_dot - 1\n    fast: x_dot - 4", 9,
            "no consistent velocities near the given ones were found: constraint 'fast' is still -2 at best");
    rejects("  constraints: {root: sqrt(x - 1)}", 2, "not defined at the start");
}

/* ---- another length after the scene was loaded: a start of another run is consistent as well. (3, 4) with (1, 2) goes
 * to (0.6, 0.8) l, and keeps the part of its velocity across the rod, (-0.8, 0.6) 0.4 */
static void restarted(void **state) {
    (void)state;
    trial run = trial_text("carom: 1\nparameters: {l: 5}\nmodel:\n  start: consistent\n"
                           "  coordinates: {x: {start: 3, velocity: 1}, y: {start: 4, velocity: 2}}\n"
                           "  kinetic: (x_dot^2 + y_dot^2)/2\n  constraints: {rod: x^2 + y^2 - l^2}\n" RUN);
    const int length = carom_model_parameter(carom_scene_model(run.scene), "l");
    for (int k = 1; k < 10; k++) {
        const double l = k == 5 ? 0.25 : 0.5 * k, expected[] = {0.6 * l, 0.8 * l, -0.32, 0.24};
        trial_step(&run);
        assert_int_equal(carom_sim_set_parameter(run.sim, length, l, NULL), CAROM_OK);
        assert_int_equal(carom_sim_restart(run.sim, NULL), CAROM_OK);
        for (int i = 0; i < 2; i++) {
            assert_near(carom_sim_q(run.sim)[i], expected[i], rounded * 10);
            assert_near(carom_sim_u(run.sim)[i], expected[2 + i], rounded * 10);
        }
    }
    trial_close(&run);
}

/* ---- any other state: a mass on a rod (3, 4) l/5, which moves with the time, and a ball on a circle that it touches
 * and on which it must not slip. Both stay on the line from the centre, their speeds across it; what rolls must rest.
 */
static void nearest(void **state) {
    (void)state;
    trial run = trial_text("carom: 1\nparameters: {l: 5}\nmodel:\n"
                           "  coordinates: {x: 3, y: 4, a: {start: 0}, b: {start: 1}}\n"
                           "  kinetic: (x_dot^2 + y_dot^2 + a_dot^2 + b_dot^2)/2\n"
                           "  constraints: {rod: sqrt(x^2 + y^2) - l*(1 + t)}\n"
                           "  contacts: {disk: {gap: a^2 + b^2 - 1, slip: a*b_dot - b*a_dot, friction: 1}}\n" RUN);
    const carom_contact_state open = CAROM_OPEN, slip = CAROM_SLIP, stick = CAROM_STICK;
    const double given[] = {3.3, 4.4, 0, 1.01}, speed[] = {1, 2, 0.3, 0.4};
    carom_error error = {0};
    for (int k = 0; k < 4; k++) {
        const carom_contact_state *contact[] = {NULL, &open, &slip, &stick};
        double q[4], u[4];
        memcpy(q, given, sizeof q), memcpy(u, speed, sizeof u);
        assert_int_equal(carom_sim_nearest(run.sim, 1, contact[k], q, u, &error), CAROM_OK);
        assert_near(q[0], 6, rounded * 10), assert_near(q[1], 8, rounded * 10);
        assert_near(0.6 * u[0] + 0.8 * u[1], 5, rounded * 10);    /* the rod grows by l */
        assert_near(-0.8 * u[0] + 0.6 * u[1], 0.4, rounded * 10); /* as before */
        assert_near(q[3], k < 2 ? 1.01 : 1, rounded), assert_near(u[3], k < 2 ? 0.4 : 0, rounded);
        assert_near(u[2], k < 3 ? 0.3 : 0, rounded);
    }
    double q[] = {0, 0, 0, 1}, u[4] = {0};
    assert_int_equal(carom_sim_nearest(run.sim, 1, NULL, q, u, &error),
                     CAROM_FAILED); /* the rod has no direction there */
    assert_int_equal(carom_sim_nearest(run.sim, -3, NULL, memcpy(q, given, sizeof q), u, &error), CAROM_FAILED);
    assert_non_null(strstr(error.message, "'rod' is missed by"));
    trial_close(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum),       cmocka_unit_test(heavy_and_light), cmocka_unit_test(four_bar),
        cmocka_unit_test(hung_up),        cmocka_unit_test(velocities),      cmocka_unit_test(left_alone),
        cmocka_unit_test(contradictions), cmocka_unit_test(restarted),       cmocka_unit_test(nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
