/* Scenes from text, what they mean, and where the finger points when they are wrong. */
#ifndef CAROM_SCENE_TEXT_H
#define CAROM_SCENE_TEXT_H

#include "scene/scene.h"
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static inline carom_scene *scene_of(const char *text) {
    carom_scene *scene = NULL;
    carom_error error = {0};
    char complaint[1200];
    if (scene_load_text(text, strlen(text), "test.yaml", NULL, &scene, &error))
        fail_msg("%s", carom_error_text(&error, complaint, sizeof complaint));
    return scene;
}

/* Takes the '@' out of marked and tells where it was. */
static inline void unmark(const char *marked, char *text, size_t size, int *line, int *column) {
    const char *mark = strchr(marked, '@');
    assert_non_null(mark);
    snprintf(text, size, "%.*s%s", (int)(mark - marked), marked, mark + 1);
    *line = *column = 1;
    for (const char *c = marked; c < mark; c++) *c == '\n' ? (++*line, *column = 1) : ++*column;
}

/* The error must be one sentence at line and column that says part. */
static inline void assert_error(const carom_error *error, const char *text, int line, int column, const char *part) {
    char complaint[1200];
    carom_error_text(error, complaint, sizeof complaint);
    assert_int_equal(error->status, CAROM_DATA);
    if (!strstr(error->message, part)) fail_msg("\"%s\" does not say \"%s\"", complaint, part);
    if (error->line != line || error->column != column)
        fail_msg("%s: expected %d:%d in\n%s", complaint, line, column, text);
    assert_null(strchr(error->message, '\n'));
}

/* Loading the text fails at the '@'. */
static inline void rejects(const char *marked, const char *part) {
    char text[8192];
    int line, column;
    unmark(marked, text, sizeof text, &line, &column);
    carom_scene *scene = NULL;
    carom_error error = {0};
    if (scene_load_text(text, strlen(text), "test.yaml", NULL, &scene, &error) == CAROM_OK)
        fail_msg("accepted:\n%s", text);
    assert_null(scene);
    assert_string_equal(error.file, "test.yaml");
    assert_error(&error, text, line, column, part);
}

#define RUN "run: {integrator: rattle, dt: 1e-2, until: 1}\n"
#define MODEL                                                                                                          \
    "model:\n"                                                                                                         \
    "  coordinates: {x: 0, y: 1}\n"                                                                                    \
    "  kinetic: x_dot^2 + y_dot^2\n"

static const carom_model_def *def_of(const carom_scene *scene) {
    return carom_model_get(carom_scene_model(scene));
}

/* M at a state, full storage; the pattern of every matrix of a model is explicit. */
static inline void mass(const carom_model_def *def, const double *q, double *full) {
    double values[64];
    assert_true(def->M.start[def->nu] <= 64);
    assert_int_equal(def->mass(def->context, 0, q, values), 0);
    memset(full, 0, (size_t)(def->nu * def->nu) * sizeof *full);
    for (int i = 0; i < def->nu; i++)
        for (int k = def->M.start[i]; k < def->M.start[i + 1]; k++) full[i * def->nu + def->M.index[k]] = values[k];
}

/* equal up to a few roundings */
#define assert_close(a, b) assert_near(a, b, 1e-14 * fmax(1, fabs((double)(b))))

static const char ball[] = "carom: 1\n"
                           "title: A ball\n"
                           "parameters: {J: 2/5*m*R^2, m: 2*R*10, R: 0.1, omega: 50, mu: 0.2}\n"
                           "model:\n"
                           "  coordinates:\n"
                           "    x:\n"
                           "    y: {start: 10*R, unit: m}\n"
                           "    phi: {velocity: omega, unit: rad}\n"
                           "  kinetic: m/2*(x_dot^2 + y_dot^2) + J/2*phi_dot^2\n"
                           "  potential: m*9.81*y\n"
                           "  contacts:\n"
                           "    floor: {gap: y - R, slip: x_dot + R*phi_dot, friction: mu, restitution: 1/2}\n"
                           "run: {integrator: rattle, dt: 1e-2, until: 3*pi, tolerance: 1e-9, every: 5,\n"
                           "      record: [y, '*.gap'], variant: published}\n"
                           "plot: [y, 'x:y']\n"
                           "units: {x: mm}\n";

#endif
