/* nsga as printed (variant: published): the exponential map (27) and friction against the displacement (32). */
#include "scene/scene.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static trial open_text(const char *model, const char *variant) {
    char text[2048], complaint[1200];
    int size = snprintf(text, sizeof text, "carom: 1\n%srun: {integrator: nsga, dt: 0.01, until: 3, variant: %s}\n",
                        model, variant);
    assert_true(size > 0 && (size_t)size < sizeof text);
    trial t = {0};
    carom_error error;
    if (scene_load_text(text, (size_t)size, "scene", NULL, &t.scene, &error) ||
        carom_sim_create(carom_scene_model(t.scene), carom_scene_run(t.scene), &t.sim, &error))
        fail_msg("%s", carom_error_text(&error, complaint, sizeof complaint));
    t.row = calloc((size_t)carom_sim_columns(t.sim), sizeof *t.row);
    assert_int_equal(carom_sim_row(t.sim, t.row, &error), CAROM_OK);
    return t;
}

/* A body spins about a principal axis with 3 rad/s. The exponential map turns it by exactly 9 rad in 3 s, to round-off
 * of 300 steps; (K1) of the quaternion by 4 atan(h w/4) in a step, less by
 * w (h w)^2/48 t = 1.7e-4. */
static double angle_missed(const char *variant) {
    trial t = open_text(
        "model:\n  bodies: {b: {type: spatial, mass: 1, inertia: [1, 2, 3], angular_velocity: [0, 0, 3]}}\n", variant);
    while (!carom_sim_done(t.sim)) trial_stride(&t);
    const double *p = carom_sim_q(t.sim) + 3;
    double missed = remainder(2 * atan2(p[3], p[0]) - 9, 2 * acos(-1));
    trial_close(&t);
    return missed;
}

static void the_exponential_map(void **state) {
    (void)state;
    double published = angle_missed("published"), general = angle_missed("general");
    print_message("angle after 9 rad: off by %.1e with exp, %.2e with Cayley's map\n", published, general);
    assert_at_most(fabs(published), 1e-13);
    assert_near(general, -3 * 0.03 * 0.03 / 48 * 3, 1e-7);
}

/* A mass lies on a plate that turns to and fro as driven, and friction carries it along. Friction against the
 * displacement (32) holds the place of the mass on the plate, to the tolerance of 300 steps. The mean slip of a step
 * knows the arc to second order only: it misses up to r (h w)^3/12 = 1e-8 in a step. */
static const char *const TURNING =
    "model:\n"
    "  gravity: [0, 0, -9.81]\n"
    "  bodies:\n"
    "    plate: {type: spatial, mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, 0.8]}\n"
    "    mass: {type: point, mass: 0.1, position: [0, 0.3, 0], velocity: [-0.24, 0, 0]}\n"
    "  joints:\n"
    "    hinge: {type: revolute, bodies: [world, plate], at: [0, 0, 0], axis: [0, 0, 1], "
    "angle: 0.4*sin(2*t)}\n"
    "  contacts:\n"
    "    on: {between: [{body: mass, point: [0, 0, 0]}, {body: plate, plane: [0, 0, 1]}], "
    "friction: 3}\n";

static double moved(const char *variant) {
    trial t = open_text(TURNING, variant);
    const carom_model_def *d = carom_model_get(carom_scene_model(t.scene));
    double first[2], now[2], most = 0;
    assert_int_equal(d->displacement(d->context, 0, carom_sim_q(t.sim), first, NULL), 0);
    assert_near(fabs(first[0]) + fabs(first[1]), 0.3, 1e-12); /* one of the tangents of the plate runs along y */
    while (!carom_sim_done(t.sim)) {
        trial_stride(&t);
        assert_int_equal(carom_sim_contact(t.sim, 0), CAROM_STICK);
        assert_int_equal(d->displacement(d->context, carom_sim_time(t.sim), carom_sim_q(t.sim), now, NULL), 0);
        most = fmax(most, hypot(now[0] - first[0], now[1] - first[1]));
    }
    trial_close(&t);
    return most;
}

static void friction_holds_the_place(void **state) {
    (void)state;
    double published = moved("published"), general = moved("general");
    print_message("moves on the plate by %.1e as published, %.1e in general\n", published, general);
    assert_at_most(published, 300 * 1e-10 * 0.01); /* tolerance 1e-10 in velocity, steps of 0.01 */
    assert_at_most(general, 300 * 1.3e-8);
    assert_at_least(general, 1.3e-8);
}

/* How far the bob is from where it is in general, at the end; at most so many iterations. */
static double apart(const char *dt, int iterations) {
    trial published = trial_scene("paper/nsga/plate_pendulum", "run.variant=published", dt, NULL),
          general = trial_scene("paper/nsga/plate_pendulum", dt, NULL);
    while (!carom_sim_done(published.sim)) trial_stride(&published), trial_stride(&general);
    int x = carom_model_coordinate(carom_scene_model(general.scene), "bob.x");
    double off = carom_sim_q(published.sim)[x] - carom_sim_q(general.sim)[x];
    print_message("iterations at most %d, %d; bob.x differs by %.1e\n", carom_sim_newton_max(published.sim, 0),
                  carom_sim_newton_max(published.sim, 1), off);
    for (int k = 0; k < 2; k++) assert_true(carom_sim_newton_max(published.sim, k) <= iterations);
    trial_close(&published), trial_close(&general);
    return off;
}

/* Exact derivatives: Newton's method needs no more iterations than in general. The forces of contacts that stay closed
 * act at the end of the step in print and in the mean of both ends in general, (G27): the motions agree to first order,
 * and with half the step are half as far apart, up to a tenth of that. */
static void the_plate_of_the_paper(void **state) {
    (void)state;
    assert_near(apart("run.dt=5e-4", 5) / apart("run.dt=1e-3", 5), 0.5, 0.05);
}

static void contacts_without_displacements_are_named(void **state) {
    (void)state;
    carom_scene *scene;
    carom_sim *sim;
    carom_error error;
    const char *overrides[] = {"run.integrator=nsga", "run.variant=published"};
    assert_int_equal(carom_scene_load(CAROM_SOURCE_DIR "/scenes/gallery/marbles.yaml", overrides, 2, &scene, &error),
                     CAROM_OK);
    assert_int_equal(carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "'displacement' beside 'slip'"));
    carom_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exponential_map), cmocka_unit_test(friction_holds_the_place),
        cmocka_unit_test(the_plate_of_the_paper), cmocka_unit_test(contacts_without_displacements_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
