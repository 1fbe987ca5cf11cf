/* Typed definitions that are wrong or incomplete: the sentence names the definition and its field. Every key of scenes
 * has a field, inputs act, and numbers keep their bits. */
#include "carom/defs.h"
#include "scene/def.h"
#include "scene/vocabulary/vocabulary.h"
#include "support/trial.h"

#include <locale.h>
#include <math.h>
#include <string.h>

/* ---- completeness: the table of everything that a scene can say */

static bool has_field(const def_type *type, const char *key) {
    for (const def_field *f = type->fields; f->key || f->count; f++) {
        if (f->key && !strcmp(f->key, key)) return true;
        if (f->kind == DEF_BESIDE && has_field(f->type, key)) return true;
    }
    return false;
}

static void check_words(const char *family, const char *word, const def_type *type) {
    const char *keys[VOCABULARY_KEYS];
    int count = word ? vocabulary_keys(family, word, keys) : vocabulary_all_keys(family, keys);
    assert_true(count > 0);
    for (int i = 0; i < count; i++)
        if (!has_field(type, keys[i])) fail_msg("carom_%s_def has no field '%s'", type->what, keys[i]);
}

static void definitions_have_every_key(void **state) {
    (void)state;
    static const struct {
        const char *family, *word;
        const def_type *type;
    } words[] = {{"bodies", "point", &def_body},        {"bodies", "planar", &def_body},
                 {"bodies", "spatial", &def_body},      {"bodies", "frames", &def_frame},
                 {"shapes", NULL, &def_shape},          {"joints", NULL, &def_joint},
                 {"forces", "springs", &def_spring},    {"forces", "loads", &def_load},
                 {"elastic", "beams", &def_beam},       {"elastic", "chains", &def_chain},
                 {"elastic", "bars", &def_bar},         {"elastic", "joins", &def_join},
                 {"contacts", "gap", &def_gap},         {"contacts", "between", &def_contact},
                 {"contacts", "rolling", &def_rolling}, {"drawings", NULL, &def_drawing}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        check_words(words[i].family, words[i].word, words[i].type);
}

/* A load that is an input on a mass that is a parameter: u = F t/m after ten steps of Moreau's scheme, up to round-off.
 */
static void inputs_act(void **state) {
    (void)state;
    carom_error error;
    carom_scene *scene;
    carom_sim *sim;
    carom_sketch *sketch = carom_sketch_create("yard");
    carom_sketch_formula(sketch, CAROM_PARAMETER, "m", carom_number(4));
    carom_sketch_formula(sketch, CAROM_INPUT, "motor", carom_number(0));
    carom_body_def cart = carom_default_body_def();
    cart.name = "cart", cart.type = "point", cart.mass = carom_formula("m"), cart.position[0] = carom_number(0);
    carom_sketch_body(sketch, &cart);
    carom_load_def push = carom_default_load_def();
    push.name = "push", push.body = "cart", push.force[0] = carom_formula("motor");
    carom_sketch_load(sketch, &push);
    carom_run_def run = carom_run_default();
    run.integrator = "moreau", run.dt = 0.1, run.until = 1;
    carom_sketch_run(sketch, &run);
    assert_int_equal(carom_sketch_scene(sketch, &scene, &error), CAROM_OK);
    carom_sketch_destroy(sketch);
    assert_int_equal(carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error), CAROM_OK);
    carom_sim_input(sim, 0, 3);
    while (!carom_sim_done(sim)) assert_int_equal(carom_sim_step(sim, &error), CAROM_OK);
    assert_true(fabs(carom_sim_u(sim)[0] - 3 * 1.0 / 4) < 1e-14);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

/* ---- errors */

static carom_body_def ball(void) {
    carom_body_def def = carom_default_body_def();
    def.name = "ball", def.type = "point", def.mass = carom_number(2);
    def.position[0] = carom_number(0), def.position[1] = carom_number(1);
    return def;
}

/* A scene of one more definition than a ball; the error of it. */
static void expect(carom_sketch *sketch, const char *message) {
    carom_scene *scene;
    carom_error error;
    char text[1200] = "";
    carom_run_def run = carom_run_default();
    run.integrator = "moreau", run.dt = 1e-3, run.until = 1;
    carom_sketch_run(sketch, &run);
    carom_status status = carom_sketch_scene(sketch, &scene, &error);
    if (status) carom_error_text(&error, text, sizeof text);
    if (strncmp(text, message, strlen(message)) || !message[0] != !text[0])
        fail_msg("'%s' instead of '%s'", text, message);
    carom_scene_destroy(scene);
    carom_sketch_destroy(sketch);
}

static carom_sketch *with(const carom_body_def *def) {
    carom_sketch *sketch = carom_sketch_create("yard");
    carom_sketch_body(sketch, def);
    return sketch;
}

static void errors_name_definition_and_field(void **state) {
    (void)state;
    carom_body_def def = ball();
    expect(with(&def), "");
    def.mass = carom_number(-2);
    expect(with(&def), "yard: body 'ball', mass: the mass must be positive, it is -2");
    def.mass = carom_formula("2*m");
    expect(with(&def), "yard: body 'ball', mass: undefined name 'm'");
    def = ball();
    def.density = carom_number(1);
    expect(with(&def), "yard: body 'ball', density: unknown key 'density' in body 'ball'");
    def = ball();
    def.type = "planr";
    expect(with(&def), "yard: body 'ball', type: there is no type of body 'planr', did you mean 'planar'?");
    def = ball();
    def.position[0] = carom_default_body_def().position[0];
    expect(with(&def), "yard: body 'ball', position[0]: ");
    def = ball();
    def.type = "spatial", def.inertia[0] = carom_number(1), def.inertia_matrix[0][0] = carom_number(1);
    expect(with(&def), "yard: body 'ball', inertia: it is given twice");
}

static void names_are_given_once(void **state) {
    (void)state;
    carom_body_def def = ball();
    carom_sketch *sketch = with(&def);
    carom_sketch_body(sketch, &def);
    expect(sketch, "yard: body 'ball', type: 'type' is given already, by yard: body 'ball', type");
    sketch = with(&def);
    carom_sketch_formula(sketch, CAROM_PARAMETER, "g", carom_number(9.81));
    carom_sketch_formula(sketch, CAROM_PARAMETER, "g", carom_number(1.62));
    expect(sketch, "yard: parameter 'g': 'g' is given already, by yard: parameter 'g'");
    sketch = with(&def);
    carom_sketch_add(sketch, "model.bodies.ball.mass=3"); /* text changes what a definition gave */
    expect(sketch, "");
}

static void references_are_checked(void **state) {
    (void)state;
    carom_body_def def = ball();
    carom_spring_def cord = carom_default_spring_def();
    cord.name = "cord", cord.between[0] = "world", cord.between[1] = "bal", cord.stiffness = carom_number(10);
    carom_sketch *sketch = with(&def);
    carom_sketch_spring(sketch, &cord);
    expect(sketch, "yard: spring 'cord', between: there is no body or frame 'bal', did you mean 'ball'?");
    carom_contact_def touch = carom_default_contact_def();
    touch.name = "floor", touch.between[0].body = "ball";
    sketch = with(&def);
    carom_sketch_contact(sketch, &touch);
    expect(sketch, "yard: contact 'floor', between: 'floor' is between two bodies");
    touch.between[1].body = "world", touch.between[1].shape.plane[1] = carom_number(1);
    touch.between[1].shape.plane[0] = carom_number(0);
    touch.between[0].shape.sphere = carom_number(-0.1);
    sketch = with(&def);
    carom_sketch_contact(sketch, &touch);
    expect(sketch, "yard: contact 'floor', between[0].sphere: the radius of a sphere must be positive, it is -0.1");
}

/* Numbers keep their bits, and a decimal comma of the locale does not reach the scene. */
static void numbers_keep_their_bits(void **state) {
    (void)state;
    static const double numbers[] = {0.1, -1.0 / 3, 1e-300, 6.02214076e23, -0.0, 4503599627370497.5, 5e-324};
    static const char *const locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8"};
    carom_error error;
    carom_scene *scene;
    for (size_t k = 0; k < 3 * (sizeof numbers / sizeof *numbers); k++) {
        setlocale(LC_NUMERIC, locales[k % 3]);
        carom_body_def def = ball();
        def.velocity[0] = carom_number(numbers[k / 3]), def.velocity[1] = carom_number(0);
        carom_sketch *sketch = with(&def);
        carom_run_def run = carom_run_default();
        run.integrator = "moreau", run.dt = 1e-3, run.until = 1;
        carom_sketch_run(sketch, &run);
        carom_status status = carom_sketch_scene(sketch, &scene, &error);
        setlocale(LC_NUMERIC, "C");
        assert_int_equal(status, CAROM_OK);
        assert_true(carom_model_get(carom_scene_model(scene))->u0[0] == numbers[k / 3]);
        carom_scene_destroy(scene);
        carom_sketch_destroy(sketch);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions_have_every_key),       cmocka_unit_test(inputs_act),
        cmocka_unit_test(errors_name_definition_and_field), cmocka_unit_test(names_are_given_once),
        cmocka_unit_test(references_are_checked),           cmocka_unit_test(numbers_keep_their_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
