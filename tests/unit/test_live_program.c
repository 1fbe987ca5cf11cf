/* Callbacks, sensors, models in C with values of their own, and misuse. */
#include "live.h"
#include "misuse.h"

#include <math.h>

/* ---------------------------------------------------------------- callbacks and sensors */

typedef struct watcher {
    int before, after, events, stop_before, stop_after;
} watcher;

static bool watch(carom_sim *sim, carom_moment moment, int event, void *user) {
    watcher *w = user;
    int count;
    const carom_event *list = carom_sim_events(sim, &count);
    if (moment == CAROM_AT_EVENT) {
        assert_true(event >= 0 && event < count);
        assert_true(list[event].time <= carom_sim_time(sim));
        w->events++;
        return true;
    }
    assert_int_equal(event, -1);
    return moment == CAROM_BEFORE_STEP ? w->before++ != w->stop_before : w->after++ != w->stop_after;
}

/* A ball falls from 1.25 m with g = 10: it strikes at t = 0.5, and with e = 1/2 again at 1. */
static const char BALL[] = "carom: 1\n"
                           "model:\n"
                           "  gravity: [0, 0, -10]\n"
                           "  bodies: {ball: {type: spatial, mass: 3, shape: {sphere: 0.1}, position: [0, 0, 1.35]}}\n"
                           "  frames: {ground: {shape: {plane: [0, 0, 1]}}}\n"
                           "  contacts: {hit: {between: [ball, ground], restitution: 0.5, friction: 0.3}}\n"
                           "run: {integrator: lobatto, events: locate, stages: 2, dt: 0.03, until: 0.9}\n";

static void callbacks_are_called_and_may_stop(void **state) {
    (void)state;
    carom_scene *scene = parse(BALL, NULL);
    carom_sim *sim = simulate(scene);
    watcher w = {.stop_before = -1, .stop_after = -1};
    carom_sim_set_callback(sim, watch, &w);
    check(carom_sim_run(sim, &error));
    assert_true(w.before == 30 && w.after == 30 && w.events == 1);
    check(carom_sim_restart(sim, &error));
    w = (watcher){.stop_before = 4, .stop_after = -1};
    assert_int_equal(carom_sim_run(sim, &error), CAROM_STOPPED);
    assert_int_equal(carom_sim_steps(sim), 4); /* the fifth is not taken ... */
    w.stop_after = w.after;
    assert_int_equal(carom_sim_run(sim, &error), CAROM_STOPPED);
    assert_int_equal(carom_sim_steps(sim), 5); /* ... and then it is */
    check(carom_sim_run(sim, &error));
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

static void sense(carom_sim *sim, const char *name, int expected, double *values) {
    int sensor, count;
    check(carom_sim_sensor(sim, name, &sensor, &count, &error));
    assert_int_equal(count, expected);
    check(carom_sim_sense(sim, sensor, values, &error));
}

static void sensors_tell_what_elements_do(void **state) {
    (void)state;
    carom_scene *scene = parse(BALL, NULL);
    carom_sim *sim = simulate(scene);
    double x[4];
    int sensor;
    run(sim, 10);
    sense(sim, "ball.position", 3, x);
    assert_true(fabs(x[2] - (1.35 - 5 * 0.09)) < 1e-12 && x[0] == 0);
    sense(sim, "ball.velocity", 3, x);
    assert_true(fabs(x[2] + 3) < 1e-12);
    sense(sim, "ball.rotation", 4, x);
    assert_true(x[0] == 1);
    sense(sim, "ball.angular_velocity", 3, x);
    sense(sim, "hit.gap", 1, x);
    assert_true(fabs(x[0] - (1.25 - 5 * 0.09)) < 1e-12);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
    scene = parse(BALL, "model.bodies.ball.position=[0, 0, 0.1]"); /* lies on the floor: the force is its weight */
    sim = simulate(scene);
    run(sim, 3);
    sense(sim, "hit.force", 3, x);
    assert_true(fabs(x[0] - 30) < 1e-10 && fabs(x[1]) < 1e-10);
    assert_int_equal(carom_sim_sensor(sim, "ball.positon", &sensor, NULL, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "there is no quantity 'ball.positon', did you mean 'ball.position'?"));
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

/* Two rods hang at rest: each joint bears the weight of its own, whatever the other one is called. */
static void forces_of_joints_are_their_own(void **state) {
    static const char *const others[] = {"pin_left", "pin12", "pin_drive7"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "carom: 1\nmodel: {gravity: [0, -10], bodies: {a: {type: planar, mass: 2, inertia: 1, position: [0, -1]}, "
            "b: {type: planar, mass: 3, inertia: 1, position: [5, -1]}}, joints: {pin: {type: revolute, bodies: "
            "[world, a], at: [0, 0]}, %s: {type: revolute, bodies: [world, b], at: [5, 0]}}}\n"
            "run: {integrator: rattle, dt: 0.01, until: 1}\n",
            others[i]);
        carom_scene *scene = parse(text, NULL);
        carom_sim *sim = simulate(scene);
        double force[2];
        run(sim, 2);
        sense(sim, "pin.force", 2, force);
        assert_true(fabs(force[0]) < 1e-10 && fabs(fabs(force[1]) - 20) < 1e-10);
        snprintf(text, sizeof text, "%s.force", others[i]);
        sense(sim, text, 2, force);
        assert_true(fabs(force[0]) < 1e-10 && fabs(fabs(force[1]) - 30) < 1e-10);
        carom_sim_destroy(sim);
        carom_scene_destroy(scene);
    }
}

/* A rod of 2 kg reaches out 1 m from a joint that is held by a drive, and a wheel of 3 kg stands still. Rows of others
 * have names that rows of the joint might have. Copies sense what the original does. */
static void rows_know_their_elements(void **state) {
    (void)state;
    carom_scene *scene =
        parse("carom: 1\nmodel: {gravity: [0, -10], bodies: {a: {type: planar, mass: 2, inertia: 1, position: [1, 0]}, "
              "b: {type: planar, mass: 3, inertia: 1, position: [5, 0.5], shape: {disk: 0.5}}, c: {type: point, mass: "
              "4, position: [0, 0]}}, "
              "frames: {ground: {shape: {plane: [0, 1]}, position: [0, 0]}}, joints: {pin: {type: revolute, "
              "bodies: [world, a], at: [0, 0], angle: 0}}, rolling: {wheel: {between: [b, ground]}}, "
              "constraints: {pin3: c.x, pin_drive2: c.y}}\nrun: {integrator: rattle, dt: 0.01, until: 1}\n",
              NULL);
    carom_sim *sim = simulate(scene), *copy;
    double force[4];
    int sensor, count;
    run(sim, 2);
    sense(sim, "pin.force", 3, force); /* the weight, and its torque of 20 N m */
    assert_true(fabs(force[0]) < 1e-10 && fabs(fabs(force[1]) - 20) < 1e-10 && fabs(fabs(force[2]) - 20) < 1e-10);
    sense(sim, "pin_drive.force", 1, force);
    assert_true(fabs(fabs(force[0]) - 20) < 1e-10);
    sense(sim, "pin_drive2.force", 1, force);
    assert_true(fabs(fabs(force[0]) - 40) < 1e-10);
    check(carom_sim_sensor(sim, "wheel.force", &sensor, &count, &error));
    assert_int_equal(count, 2);
    check(carom_sim_copy(sim, &copy, &error));
    check(carom_sim_sense(copy, sensor, force, &error));
    assert_true(fabs(fabs(force[0]) - 30) < 1e-10 && fabs(force[1]) < 1e-10);
    carom_sim_destroy(copy), carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

/* ---------------------------------------------------------------- models in C */

typedef struct spring {
    double k, f;
} spring;

static int mass(void *c, double t, const double *q, double *M) {
    (void)c, (void)t, (void)q;
    M[0] = 1;
    return 0;
}

static int force(void *c, double t, const double *q, const double *u, double *h, double *h_q, double *h_u) {
    const spring *s = c;
    (void)t, (void)u;
    if (h) h[0] = s->f - s->k * q[0];
    if (h_q) h_q[0] = -s->k;
    if (h_u) h_u[0] = 0;
    return 0;
}

static int assign(void *c, double *parameter, const double *input, double *q0, double *u0,
                  carom_model_contact *contact) {
    spring *s = c;
    (void)u0, (void)contact;
    s->k = parameter[0], s->f = input[0];
    if (q0) q0[0] = 1 / parameter[0];
    return parameter[0] < 0;
}

/* Two simulations of one model that keeps its values in one context take turns, and know nothing of each other. */
static void models_in_c_have_values_too(void **state) {
    (void)state;
    spring context = {0};
    const double one = 1, zero = 0;
    const char *const k = "k", *const f = "f";
    carom_model_def def = carom_model_default();
    def.nq = def.nu = 1, def.q0 = &one, def.u0 = &zero, def.context = &context, def.mass = mass, def.force = force;
    def.parameters = def.inputs = 1, def.parameter = &one, def.input = &zero, def.parameter_names = &k;
    def.input_names = &f, def.assign = assign;
    carom_model *model;
    check(carom_model_create(&def, &model, &error));
    carom_run_def lobatto = carom_run_default();
    lobatto.integrator = "lobatto", lobatto.dt = 1e-2, lobatto.until = 1;
    lobatto.options = &(carom_option){"stages", NULL, 4}, lobatto.option_count = 1;
    carom_sim *a, *b;
    check(carom_sim_create(model, &lobatto, &a, &error));
    check(carom_sim_create(model, &lobatto, &b, &error));
    check(carom_sim_set_parameter(b, carom_model_parameter(model, "k"), 4, &error));
    check(carom_sim_restart(b, &error));
    assert_true(carom_sim_q(b)[0] == 0.25);
    carom_sim_input(a, carom_model_input(model, "f"), 2);
    for (int i = 0; i < 100; i++) run(a, 1), run(b, 1);
    assert_true(fabs(carom_sim_q(a)[0] - (2 - cos(1))) < 1e-12);
    assert_true(fabs(carom_sim_q(b)[0] - 0.25 * cos(2)) < 1e-12);
    assert_int_equal(carom_sim_set_parameter(b, 0, -1, &error), CAROM_DATA);
    assert_true(carom_sim_parameter(b, 0) == 4);
    carom_sim_destroy(a), carom_sim_destroy(b);
    carom_model_destroy(model);
}

/* ---------------------------------------------------------------- misuse */

static void use_a_bad_event(void *sim) {
    double row[64];
    check(carom_sim_event_row(sim, 99, 0, row, &error));
}
static void use_a_bad_contact(void *sim) {
    carom_sim_contact(sim, 1);
}
static void use_a_bad_input(void *sim) {
    carom_sim_input(sim, 0, 1);
}
static void use_a_bad_side(void *sim) {
    double row[64];
    check(carom_sim_event_row(sim, 0, 2, row, &error));
}
static void use_a_bad_column(void *sim) {
    carom_sim_column_name(sim, carom_sim_columns(sim));
}
static void use_a_bad_integrator(void *sim) {
    (void)sim;
    carom_integrator(carom_integrators());
}
static void use_a_bad_law(void *sim) {
    (void)sim;
    carom_law(-1);
}
static const carom_scene *misused;
static void use_a_bad_plot(void *sim) {
    (void)sim;
    carom_scene_plot(misused, carom_scene_plots(misused));
}
static void use_a_bad_record(void *sim) {
    (void)sim;
    carom_scene_record(misused, -1);
}
static void use_a_bad_parameter(void *sim) {
    (void)sim;
    carom_scene_parameter(misused, carom_scene_parameters(misused), NULL);
}
static void use_null(void *sim) {
    (void)sim;
    carom_sim_time(NULL);
}
#ifndef CAROM_SANITIZED /* which sees it before the assertion does */
static void use_after_destruction(void *sim) {
    carom_sim_destroy(sim);
    carom_sim_time(sim);
}
static void use_a_destroyed_scene(void *sim) {
    carom_sim_destroy(sim);
    carom_scene_destroy((carom_scene *)misused);
    carom_scene_title(misused);
}
static void destroy_a_scene_twice(void *sim) {
    carom_sim_destroy(sim);
    carom_scene_destroy((carom_scene *)misused);
    carom_scene_destroy((carom_scene *)misused);
}
static void use_a_destroyed_model(void *sim) {
    const carom_model *model = carom_scene_model(misused);
    carom_sim_destroy(sim);
    carom_scene_destroy((carom_scene *)misused);
    carom_model_slips(model);
}
static void step_after_the_scene(void *sim) {
    carom_scene_destroy((carom_scene *)misused);
    check(carom_sim_step(sim, &error));
}
static void use_a_destroyed_sketch(void *sim) {
    (void)sim;
    carom_sketch *sketch = carom_sketch_create("ball");
    carom_sketch_destroy(sketch);
    carom_sketch_add(sketch, "run.dt=1");
}
#endif

/* Misuse of the interface ends the program at once, by an assertion. */
static void misuse_is_asserted(void **state) {
    (void)state;
    static void (*const misuses[])(void *) = {
        use_a_bad_event,
        use_a_bad_contact,
        use_a_bad_input,
        use_a_bad_side,
        use_null,
        use_a_bad_column,
        use_a_bad_integrator,
        use_a_bad_law,
        use_a_bad_plot,
        use_a_bad_record,
        use_a_bad_parameter,
#ifndef CAROM_SANITIZED
        use_after_destruction,
        use_a_destroyed_scene,
        destroy_a_scene_twice,
        use_a_destroyed_model,
        step_after_the_scene,
        use_a_destroyed_sketch,
#endif
    };
    carom_scene *scene = parse(BALL, NULL);
    carom_sim *sim = simulate(scene);
    misused = scene;
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++) assert_true(is_asserted(misuses[i], sim));
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callbacks_are_called_and_may_stop), cmocka_unit_test(sensors_tell_what_elements_do),
        cmocka_unit_test(forces_of_joints_are_their_own),    cmocka_unit_test(rows_know_their_elements),
        cmocka_unit_test(models_in_c_have_values_too),       cmocka_unit_test(misuse_is_asserted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
