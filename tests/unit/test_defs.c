/* Typed definitions say what scenes say: every scene of the gallery and of the papers, told again by definitions, gives
 * the same bits. */
#include "retell.h"
#include "support/trial.h"

#include <glob.h>
#include <string.h>

enum { STEPS = 12 };

/* The state after a few steps, or at the start where the first one fails. */
static unsigned long long bits(const carom_scene *scene) {
    carom_sim *sim = NULL;
    carom_error error;
    char text[1200];
    carom_status status = carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error);
    if (status) fail_msg("%s", carom_error_text(&error, text, sizeof text));
    for (int i = 0; i < STEPS && !status && !carom_sim_done(sim); i++) status = carom_sim_step(sim, &error);
    unsigned long long hash = carom_sim_hash(sim);
    carom_sim_destroy(sim);
    return hash;
}

static void compare(const char *path) {
    arena memory = {0};
    node *root;
    carom_error error;
    char text[1200];
    carom_scene *scene = NULL, *retold = NULL;
    assert_int_equal(document_load(&memory, path, "scene", &root, &error), CAROM_OK);
    if (carom_scene_load(path, NULL, 0, &scene, &error)) fail_msg("%s", carom_error_text(&error, text, sizeof text));
    carom_sketch *sketch = carom_sketch_create(path);
    retell(sketch, scene, root);
    if (carom_sketch_scene(sketch, &retold, &error)) fail_msg("%s", carom_error_text(&error, text, sizeof text));
    carom_sketch_destroy(sketch);
    arena_release(&memory); /* definitions are copied, and so is what the scene needs of them */
    if (bits(scene) != bits(retold)) fail_msg("%s: other bits by definitions", path);
    assert_string_equal(carom_scene_title(scene), carom_scene_title(retold));
    assert_int_equal(carom_scene_every(scene), carom_scene_every(retold));
    assert_int_equal(carom_scene_records(scene), carom_scene_records(retold));
    assert_int_equal(carom_scene_plots(scene), carom_scene_plots(retold));
    carom_scene_destroy(scene);
    carom_scene_destroy(retold);
}

static void compare_all(const char *pattern, size_t least) {
    glob_t files;
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    assert_true(files.gl_pathc >= least);
    for (size_t i = 0; i < files.gl_pathc; i++) compare(files.gl_pathv[i]);
    globfree(&files);
}

static void gallery_gives_the_same_bits(void **state) {
    (void)state;
    compare_all("scenes/gallery/*.yaml", 40);
}

static void papers_give_the_same_bits(void **state) {
    (void)state;
    compare_all("scenes/paper/*/*.yaml", 20);
}

/* ---- forms that the scenes of the gallery do not have */

#define BLOCK                                                                                                          \
    "carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies: {block: {type: spatial, mass: 2, inertia: [1, 1, 1], "      \
    "position: [0, 0, 0], velocity: [1, 0.5, 0]}}\n"
#define RUN "run: {integrator: rattle, dt: 0.01, until: 1}\n"

static void add_block(carom_sketch *sketch) {
    carom_body_def block = carom_default_body_def();
    block.name = "block", block.type = "spatial", block.mass = carom_number(2);
    for (int i = 0; i < 3; i++) block.inertia[i] = carom_number(1), block.position[i] = carom_number(0);
    block.velocity[0] = carom_number(1), block.velocity[1] = carom_number(0.5), block.velocity[2] = carom_number(0);
    carom_sketch_body(sketch, &block);
    carom_system_def system = carom_default_system_def();
    system.gravity[0] = system.gravity[1] = carom_number(0), system.gravity[2] = carom_number(-9.81);
    carom_sketch_system(sketch, &system);
    carom_run_def run = carom_run_default();
    run.integrator = "rattle", run.dt = 0.01, run.until = 1;
    carom_sketch_run(sketch, &run);
}

/* The scene that the text gives and the one that the sketch gives end with the same bits. */
static void same_bits(const char *text, carom_sketch *sketch) {
    carom_scene *scene, *retold;
    carom_error error;
    if (carom_scene_parse(text, strlen(text), "text", NULL, 0, &scene, &error)) fail_msg("%s", error.message);
    if (carom_sketch_scene(sketch, &retold, &error)) fail_msg("%s: %s", error.file, error.message);
    carom_sketch_destroy(sketch);
    assert_true(bits(scene) == bits(retold));
    carom_scene_destroy(scene), carom_scene_destroy(retold);
}

static void friction_of_two_coefficients(void **state) {
    (void)state;
    carom_sketch *sketch = carom_sketch_create("sketch");
    add_block(sketch);
    carom_gap_def floor = carom_default_gap_def();
    floor.name = "floor", floor.gap = carom_formula("block.z");
    floor.slip[0] = carom_formula("block.x_dot"), floor.slip[1] = carom_formula("block.y_dot");
    floor.friction_by.static_ = carom_number(0.5), floor.friction_by.kinetic = carom_number(0.3);
    carom_sketch_gap(sketch, &floor);
    same_bits(BLOCK
              "  contacts: {floor: {gap: block.z, slip: [block.x_dot, block.y_dot], friction: {static: 0.5, kinetic: "
              "0.3}}}\n" RUN,
              sketch);
}

static void friction_of_an_ellipse_by_slip(void **state) {
    (void)state;
    carom_sketch *sketch = carom_sketch_create("sketch");
    add_block(sketch);
    carom_contact_def floor = carom_default_contact_def();
    floor.name = "floor";
    floor.between[0].body = "block", floor.between[1].body = "world";
    for (int i = 0; i < 3; i++)
        floor.between[0].shape.point[i] = carom_number(0), floor.between[1].shape.plane[i] = carom_number(i == 2);
    floor.friction_by.along[0] = carom_number(0.2), floor.friction_by.along[1] = carom_number(0.5);
    floor.friction_by.factor = carom_formula("1 + 0.3*exp(-slip/0.1)");
    carom_sketch_contact(sketch, &floor);
    same_bits(BLOCK "  contacts: {floor: {between: [{body: block, point: [0, 0, 0]}, {body: world, plane: [0, 0, 1]}], "
                    "friction: {along: [0.2, 0.5], factor: 1 + 0.3*exp(-slip/0.1)}}}\n" RUN,
              sketch);
}

static void friction_of_a_joint_with_two_coefficients(void **state) {
    (void)state;
    carom_sketch *sketch = carom_sketch_create("sketch");
    add_block(sketch);
    carom_joint_def hinge = carom_default_joint_def();
    hinge.name = "slide", hinge.type = "prismatic", hinge.bodies[0] = "world", hinge.bodies[1] = "block";
    for (int i = 0; i < 3; i++) hinge.at[i] = carom_number(0), hinge.axis[i] = carom_number(i == 0);
    hinge.friction_by.static_ = carom_number(0.4), hinge.friction_by.kinetic = carom_number(0.2);
    carom_sketch_joint(sketch, &hinge);
    same_bits(BLOCK
              "  joints: {slide: {type: prismatic, bodies: [world, block], at: [0, 0, 0], axis: [1, 0, 0], friction: "
              "{static: 0.4, kinetic: 0.2}}}\n" RUN,
              sketch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gallery_gives_the_same_bits),
        cmocka_unit_test(papers_give_the_same_bits),
        cmocka_unit_test(friction_of_two_coefficients),
        cmocka_unit_test(friction_of_an_ellipse_by_slip),
        cmocka_unit_test(friction_of_a_joint_with_two_coefficients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
