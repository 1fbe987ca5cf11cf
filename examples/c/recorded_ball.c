/* A program that steps a scene by itself and writes a result for carom plot, export and events: ball.h5, with a row for
 * the start and for each of 200 steps. */
#include <carom/result.h>
#include <stdio.h>
#include <string.h>

static const char scene_text[] = "carom: 1\n"
                                 "title: A ball that a program drops\n"
                                 "model:\n"
                                 "  coordinates: {y: {start: 1, unit: m}}\n"
                                 "  kinetic: y_dot^2/2\n"
                                 "  potential: 9.81*y\n"
                                 "  contacts: {floor: {gap: y, restitution: 0.8}}\n"
                                 "run: {integrator: lobatto, events: locate, dt: 5e-3, until: 1}\n";

int main(void) {
    carom_error error = {0};
    carom_scene *scene = NULL;
    carom_sim *sim = NULL;
    carom_result *result = NULL;
    carom_status status = carom_scene_parse(scene_text, strlen(scene_text), "ball", NULL, 0, &scene, &error);
    if (!status) status = carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error);
    if (!status) status = carom_result_create_run("ball.h5", scene, sim, &result, &error);
    while (!status && !carom_sim_done(sim)) {
        status = carom_sim_step(sim, &error);
        if (!status) status = carom_result_take(result, &error);
    }
    carom_status closed = carom_result_finish(result, status ? error.message : NULL, status ? NULL : &error);
    if (!status) status = closed;
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
    char text[1200];
    if (status) fprintf(stderr, "recorded_ball: %s\n", carom_error_text(&error, text, sizeof text));
    return status;
}
