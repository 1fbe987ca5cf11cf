/* Typed definitions say what scenes say: every word of scenes has its definition and every key its field; every scene
 * of the gallery and of the papers, and every example of a word, told again by definitions, gives the same bits. */
#include "retell.h"
#include "scene/def.h"
#include "scene/vocabulary/vocabulary.h"
#include "support/folder.h"
#include "support/trial.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* The scene, and the one that definitions make of its tree. */
static void compare(const carom_scene *scene, const node *root, const char *name) {
    carom_error error;
    char text[1200];
    carom_scene *retold = NULL;
    carom_sketch *sketch = carom_sketch_create(name);
    retell(sketch, scene, root);
    if (carom_sketch_scene(sketch, &retold, &error)) fail_msg("%s", carom_error_text(&error, text, sizeof text));
    carom_sketch_destroy(sketch);
    if (bits(scene) != bits(retold)) fail_msg("%s: other bits by definitions", name);
    assert_string_equal(carom_scene_title(scene), carom_scene_title(retold));
    assert_int_equal(carom_scene_every(scene), carom_scene_every(retold));
    assert_int_equal(carom_scene_records(scene), carom_scene_records(retold));
    assert_int_equal(carom_scene_plots(scene), carom_scene_plots(retold));
    carom_scene_destroy(retold);
}

static void compare_file(const char *path) {
    arena memory = {0};
    node *root;
    carom_error error;
    char text[1200];
    carom_scene *scene = NULL;
    assert_int_equal(document_load(&memory, path, "scene", &root, &error), CAROM_OK);
    if (carom_scene_load(path, NULL, 0, &scene, &error)) fail_msg("%s", carom_error_text(&error, text, sizeof text));
    compare(scene, root, path);
    carom_scene_destroy(scene);
    arena_release(&memory);
}

static void compare_all(const char *pattern, size_t least) {
    glob_t files;
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    assert_true(files.gl_pathc >= least);
    for (size_t i = 0; i < files.gl_pathc; i++) compare_file(files.gl_pathv[i]);
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

/* ---- words */

static void examples_give_the_same_bits(void **state) {
    (void)state;
    FILE *signal = fopen(in_folder("signal.csv"), "w"); /* for the example of 'table' */
    assert_non_null(signal);
    fputs("0, 1\n0.01, 2\n0.1, 1\n", signal);
    fclose(signal);
    assert_int_equal(chdir(the_folder()), 0);
    for (const word_family *f = vocabulary; f->name; f++)
        for (const scene_word *w = f->words; w->name; w++) {
            arena memory = {0};
            node *root;
            carom_error error;
            carom_scene *scene = NULL;
            char *text = vocabulary_scene(w);
            assert_int_equal(document_parse(&memory, text, strlen(text), w->name, &root, &error), CAROM_OK);
            assert_int_equal(carom_scene_parse(text, strlen(text), w->name, NULL, 0, &scene, &error), CAROM_OK);
            compare(scene, root, w->name);
            carom_scene_destroy(scene);
            arena_release(&memory);
            free(text);
        }
    assert_int_equal(chdir(CAROM_SOURCE_DIR), 0);
}

static const def_field *field_of(const def_type *type, const char *key) {
    for (const def_field *f = type->fields; f->key || f->count; f++) {
        if (f->key && !strcmp(f->key, key)) return f;
        const def_field *beside = f->kind == DEF_BESIDE ? field_of(f->type, key) : NULL;
        if (beside) return beside;
    }
    return NULL;
}

/* What says a word of a family, or every word of it: a definition, or a part of one, by the keys that lead there. */
static const struct {
    const char *family, *word;
    const def_type *type;
    const char *part[2];
} saying[] = {{"bodies", "frames", &def_frame, {0}},
              {"bodies", NULL, &def_body, {0}},
              {"shapes", NULL, &def_shape, {0}},
              {"joints", NULL, &def_joint, {0}},
              {"forces", "springs", &def_spring, {0}},
              {"forces", "loads", &def_load, {0}},
              {"elastic", "chains", &def_chain, {0}},
              {"elastic", "beams", &def_beam, {0}},
              {"elastic", "bars", &def_bar, {0}},
              {"elastic", "joins", &def_join, {0}},
              {"contacts", "gap", &def_gap, {0}},
              {"contacts", "rolling", &def_rolling, {0}},
              {"contacts", "beam", &def_contact, {"between"}},
              {"contacts", NULL, &def_contact, {0}},
              {"drawings", NULL, &def_drawing, {0}},
              {"model", "coordinates", &def_coordinate, {0}},
              {"model", "velocities", &def_velocity, {0}},
              {"model", "symmetries", &def_symmetry, {0}},
              {"parts", "rotation", &def_body, {"rotation"}},
              {"parts", "euler", &def_body, {"rotation"}},
              {"parts", "round", &def_shape, {"cylinder"}},
              {"parts", "breaks", &def_joint, {"breaks"}},
              {"parts", "section", &def_beam, {"section"}},
              {"parts", "start", &def_beam, {"start"}},
              {"parts", "then", &def_beam, {"start", "then"}},
              {"parts", "tips", &def_bar, {"tips"}},
              {"parts", "draw", &def_gap, {"draw"}}};

static const def_type *type_that_says(const char *family, const char *word) {
    for (size_t i = 0; i < sizeof saying / sizeof *saying; i++) {
        if (strcmp(saying[i].family, family) || (saying[i].word && strcmp(saying[i].word, word))) continue;
        const def_type *type = saying[i].type;
        for (int p = 0; p < 2 && saying[i].part[p]; p++) type = field_of(type, saying[i].part[p])->type;
        return type;
    }
    return NULL;
}

/* Friction is a value, several or a map: two words for the map, in all that have friction. */
static bool says_friction(const char *key) {
    const def_type *const having[] = {&def_joint, &def_contact, &def_gap};
    bool every = true;
    for (int i = 0; i < 3; i++) {
        bool found = false;
        for (const def_field *f = having[i]->fields; f->key || f->count; f++)
            found = found || (f->kind == DEF_PART && !strcmp(f->key, "friction") && field_of(f->type, key));
        every = every && found;
    }
    return every;
}

/* The maps of the scene and of its model, and the keys of its run. */
static bool says_key_of_scene(const char *word, const char *key) {
    static const def_type *const entries[] = {
        &def_body, &def_frame, &def_joint, &def_spring,     &def_load,     &def_contact, &def_rolling,  &def_chain,
        &def_beam, &def_bar,   &def_join,  &def_coordinate, &def_velocity, &def_gap,     &def_symmetry, &def_drawing};
    static const char *const files[] = {"carom", "extends"}; /* of files alone */
    const bool model = !strcmp(word, "model");
    bool said = model && field_of(&def_system, key);
    arena memory = {0};
    for (size_t i = 0; model && i < sizeof entries / sizeof *entries; i++)
        said = said || !strcmp(entries[i]->path[1], key);
    for (int kind = CAROM_PARAMETER; kind <= CAROM_UNIT; kind++) {
        const node *root = def_formula_tree(&memory, "sketch", (carom_formula_kind)kind, "x", carom_number(1));
        said = said || yaml_find(model ? yaml_find(root, "model") : root, key);
    }
    const node *twice;
    const carom_run_def run = {.integrator = "rattle", .dt = 1, .until = 1, .tolerance = 1, .continuous = true};
    const node *root = def_run_tree(&memory, "sketch", &run, &twice);
    static const char *const texts[] = {"a"};
    carom_report_def report = carom_default_report_def();
    report.title = report.description = "a", report.every = carom_number(2);
    report.record = report.plot = texts, report.records = report.plots = 1;
    const node *told = def_tree(&memory, "sketch", &def_report, NULL, &report, &twice);
    if (!strcmp(word, "run")) said = yaml_find(yaml_find(root, "run"), key) || yaml_find(yaml_find(told, "run"), key);
    if (!strcmp(word, "scene")) {
        said = said || !strcmp(key, "model") || yaml_find(root, key) || yaml_find(told, key);
        for (int i = 0; i < 2; i++) said = said || !strcmp(key, files[i]);
    }
    arena_release(&memory);
    return said;
}

static bool says(const char *family, const char *word, const char *key) {
    if (!strcmp(family, "scene")) return says_key_of_scene(word, key);
    if (!strcmp(family, "parts") && (!strcmp(word, "static") || !strcmp(word, "along"))) return says_friction(key);
    const def_type *type = type_that_says(family, word);
    return type && field_of(type, key);
}

static void every_key_has_a_field(void **state) {
    (void)state;
    int missing = 0, keys = 0;
    for (const word_family *f = vocabulary; f->name; f++)
        for (const scene_word *w = f->words; w->name; w++)
            for (const word_key *k = w->keys; k && k->name; k++, keys++)
                if (!says(f->name, w->name, k->name))
                    printf("no definition says '%s' of '%s' (%s)\n", k->name, w->name, f->name), missing++;
    assert_true(keys > 200);
    assert_int_equal(missing, 0);
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
        cmocka_unit_test(examples_give_the_same_bits),
        cmocka_unit_test(every_key_has_a_field),
        cmocka_unit_test(friction_of_two_coefficients),
        cmocka_unit_test(friction_of_an_ellipse_by_slip),
        cmocka_unit_test(friction_of_a_joint_with_two_coefficients),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
