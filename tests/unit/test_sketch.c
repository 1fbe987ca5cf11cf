/* Scenes that programs put together, entry by entry. */
#include "scene/scene.h"
#include "trial.h"

#include <string.h>

static carom_sketch *falling(void) {
    carom_sketch *sketch = carom_sketch_create("fall");
    assert_non_null(sketch);
    carom_sketch_add(sketch, "model.gravity=[0, -%g]", 10.0);
    for (int i = 1; i <= 40; i++)
        carom_sketch_add(sketch, "model.bodies.drop%d={type: point, mass: %d, position: [0, %d]}", i, i, i);
    carom_sketch_add(sketch, "run={integrator: rattle, dt: 1e-2, until: 1}");
    return sketch;
}

/* A scene by entries is the same scene in one piece; later entries change earlier ones. */
static void test_entries(void **state) {
    (void)state;
    carom_sketch *sketch = falling();
    carom_sketch_add(sketch, "model.bodies.drop7.velocity=[1, 0]");
    carom_sketch_add(sketch, "run.dt=%.17g", 0.1 + 0.2);
    carom_scene *scene = NULL, *same = NULL;
    assert_int_equal(carom_sketch_scene(sketch, &scene, NULL), CAROM_OK);
    carom_sketch_destroy(sketch);
    const carom_model *model = carom_scene_model(scene);
    const carom_model_def *def = carom_model_get(model);
    assert_true(carom_scene_run(scene)->dt == 0.1 + 0.2);
    assert_int_equal(carom_model_coordinate(model, "drop40.y"), 79);
    assert_true(def->q0[79] == 40 && def->u0[carom_model_velocity(model, "drop7.x_dot")] == 1);
    const char *text = carom_scene_text(scene);
    assert_int_equal(scene_load_text(text, strlen(text), "fall", NULL, &same, NULL), CAROM_OK);
    assert_string_equal(carom_scene_text(same), text);
    carom_scene_destroy(same);
    carom_scene_destroy(scene);
}

/* The entry stands for the file, and there are no lines in it. */
static void test_errors(void **state) {
    (void)state;
    static const struct {
        const char *entry, *file, *part;
    } wrong[] = {
        {"model.bodies.drop3.mas=2", "fall: model.bodies.drop3.mas", "did you mean 'mass'?"},
        {"model.bodies.drop3.mass=-2", "fall: model.bodies.drop3.mass", "positive"},
        {"modell.gravity=[0, 1]", "fall: modell.gravity", "did you mean 'model'?"},
        {"extends=other.yaml", "fall: extends", "belongs in a scene file"},
        {"run", "fall: run", "key=value"},
        {"run={", "fall: run", ""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        carom_sketch *sketch = falling();
        carom_sketch_add(sketch, "%s", wrong[i].entry);
        carom_scene *scene = NULL;
        carom_error error = {0};
        assert_int_equal(carom_sketch_scene(sketch, &scene, &error), CAROM_DATA);
        assert_null(scene);
        assert_string_equal(error.file, wrong[i].file);
        assert_int_equal(error.line, 0);
        if (!strstr(error.message, wrong[i].part)) fail_msg("\"%s\" does not say \"%s\"", error.message, wrong[i].part);
        carom_sketch_destroy(sketch);
    }
    carom_sketch_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_entries), cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests_name("sketch", tests, NULL, NULL);
}
