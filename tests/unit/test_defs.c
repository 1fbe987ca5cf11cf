/* Typed definitions say what scenes say: every scene of the gallery and of the papers, told again by definitions, gives
 * the same bits. */
#include "retell.h"
#include "support/trial.h"

#include <glob.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gallery_gives_the_same_bits),
        cmocka_unit_test(papers_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
