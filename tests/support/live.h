/* Simulations that a test steers: scenes from text, steps, parameters by name. */
#ifndef CAROM_TEST_LIVE_H
#define CAROM_TEST_LIVE_H

#include "carom/carom.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static carom_error error;

static inline void check(carom_status status) {
    if (status) fail_msg("%s", error.message);
}

static inline carom_scene *parse(const char *text, const char *override) {
    carom_scene *scene;
    check(carom_scene_parse(text, strlen(text), "scene", &override, !!override, &scene, &error));
    return scene;
}

static inline carom_sim *simulate(const carom_scene *scene) {
    carom_sim *sim;
    check(carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error));
    return sim;
}

static inline void run(carom_sim *sim, int steps) {
    for (int i = 0; i < steps; i++) check(carom_sim_step(sim, &error));
}

static inline void set(carom_sim *sim, const carom_scene *scene, const char *name, double value) {
    int i = carom_model_parameter(carom_scene_model(scene), name);
    assert_true(i >= 0);
    check(carom_sim_set_parameter(sim, i, value, &error));
    assert_true(carom_sim_parameter(sim, i) == value);
}

/* m x'' + k x = f, from x(0) = a with x'(0) = 0 */
#define OSCILLATOR                                                                                                     \
    "carom: 1\n"                                                                                                       \
    "parameters: {m: 2, k: 8, a: 0.3, twice: 2*a}\n"                                                                   \
    "inputs: {motor: 0}\n"                                                                                             \
    "model:\n"                                                                                                         \
    "  coordinates: {x: {start: a}}\n"                                                                                 \
    "  kinetic: m/2*x_dot^2\n"                                                                                         \
    "  potential: k/2*x^2\n"                                                                                           \
    "  forces: {x: motor}\n"                                                                                           \
    "run: {integrator: lobatto, stages: 4, dt: 1e-2, until: 2}\n"

#endif
