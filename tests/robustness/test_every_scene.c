/* Every integrator on every scene of the checkout: it takes some steps, or refuses before the first one with a
 * sentence. As it is, each scene runs, with every quantity that it names. */
#include "scene/scene.h"
#include "support/trial.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 25 };

typedef struct tally {
    int ran, refused;
} tally;

static bool finite_state(const carom_sim *sim, const carom_model_def *model) {
    for (int i = 0; i < model->nq; i++)
        if (!isfinite(carom_sim_q(sim)[i])) return false;
    for (int i = 0; i < model->nu; i++)
        if (!isfinite(carom_sim_u(sim)[i])) return false;
    return true;
}

/* A refusal tells what the integrator needs and this model lacks. */
static void check_refusal(const char *path, const char *name, carom_status status, const carom_error *error) {
    printf("%s, %s: %s\n", path, name, error->message);
    assert_int_equal(status, CAROM_DATA);
    assert_non_null(strstr(error->message, name));
    assert_true(strlen(error->message) > strlen(name) + 20);
}

/* Schemes that take stiff forces explicitly are unstable with steps that suit implicit ones. They say so before the
 * first step, and again where it ends. */
static bool unstable(const carom_sim *sim, const carom_error *error) {
    return carom_sim_note(sim) && strstr(error->message, "exceeds the limit of stability");
}

/* False: it could not go on. */
static bool steps(const char *path, const carom_scene *scene, const carom_integrator_info *type, bool locate,
                  tally *count) {
    const char *name = type->name;
    const carom_option events = {.name = "events", .text = "locate"};
    carom_run_def def = *carom_scene_run(scene);
    def.integrator = name;
    def.options = locate ? &events : NULL, def.option_count = locate;
    carom_sim *sim;
    carom_error error = {0};
    carom_status status = carom_sim_create(carom_scene_model(scene), &def, &sim, &error);
    if (status) {
        check_refusal(path, name, status, &error);
        count->refused++;
        return false;
    }
    bool going = true;
    for (int i = 0; i < STEPS && going && !carom_sim_done(sim); i++) {
        if (!carom_sim_step(sim, &error)) continue;
        going = false;
        if (!unstable(sim, &error)) fail_msg("%s, %s: %s", path, name, error.message);
        printf("%s, %s: %s\n", path, name, error.message);
    }
    if (!finite_state(sim, carom_model_get(carom_scene_model(scene)))) fail_msg("%s, %s: not finite", path, name);
    carom_sim_destroy(sim);
    count->ran++;
    return going;
}

static bool can_locate(const carom_integrator_info *type) {
    for (int i = 0; i < type->option_count; i++)
        if (strcmp(type->options[i].name, "events") == 0) return true;
    return false;
}

/* What a scene records, plots and gives units to is there. */
static void check_names(const char *path, const carom_scene *scene) {
    carom_sim *sim;
    carom_error error = {0};
    if (carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error))
        fail_msg("%s: %s", path, error.message);
    int count = carom_sim_columns(sim);
    const char **columns = malloc((size_t)count * sizeof *columns);
    assert_non_null(columns);
    for (int i = 0; i < count; i++) columns[i] = carom_sim_column_name(sim, i);
    if (scene_check_columns(scene, count, columns, &error)) fail_msg("%s: %s", path, error.message);
    free(columns);
    carom_sim_destroy(sim);
}

static void every_scene(void **state) {
    (void)state;
    glob_t list;
    tally count = {0};
    assert_int_equal(glob("scenes/gallery/*.yaml", 0, NULL, &list), 0);
    assert_int_equal(glob("scenes/paper/*/*.yaml", GLOB_APPEND, NULL, &list), 0);
    for (size_t k = 0; k < list.gl_pathc; k++) {
        carom_scene *scene;
        carom_error error = {0};
        if (carom_scene_load(list.gl_pathv[k], NULL, 0, &scene, &error))
            fail_msg("%s: %s", list.gl_pathv[k], error.message);
        check_names(list.gl_pathv[k], scene);
        for (int i = 0; i < carom_integrators(); i++) {
            const carom_integrator_info *type = carom_integrator(i);
            if (steps(list.gl_pathv[k], scene, type, false, &count) && can_locate(type))
                steps(list.gl_pathv[k], scene, type, true, &count);
        }
        carom_scene_destroy(scene);
    }
    printf("%zu scenes: %d runs, %d refusals\n", list.gl_pathc, count.ran, count.refused);
    assert_true(list.gl_pathc > 40 && count.ran > 3 * count.refused);
    globfree(&list);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_scene)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
