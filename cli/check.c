/* carom check SCENE: is the model what it says it is? */
#include "cli.h"
#include "record/record.h"
#include "waiting.h"

#include <stdio.h>
#include <stdlib.h>

#include "scene/scene.h"

enum { SHOWN = 20 };

/* Prints the findings, worst first; returns the number of errors. */
static int print_findings(const carom_model *model) {
    carom_finding findings[SHOWN];
    waiting_begin("comparing derivatives of", "the model");
    int count = carom_model_check(model, findings, SHOWN);
    waiting_end();
    int shown = count < SHOWN ? count : SHOWN, errors = 0;
    for (int i = 0; i < shown; i++) {
        printf("%s: %s\n", findings[i].fatal ? "error" : "note", findings[i].text);
        errors += findings[i].fatal;
    }
    if (count > shown) printf("and %d more\n", count - shown);
    return errors;
}

static void print_ok(const carom_model_def *d) {
    int constraints = d->ng + d->ngamma, own = d->nq - d->slacks;
    printf("ok: %d coordinate%s, %d constraint%s, %d contact%s; derivatives agree with differences\n", own,
           own == 1 ? "" : "s", constraints, constraints == 1 ? "" : "s", d->contacts, d->contacts == 1 ? "" : "s");
}

/* What 'carom run' checks before the first step: what the integrator needs, the names to record. */
static carom_status check_run(const carom_scene *scene, carom_sim **sim, carom_error *error) {
    recording r = {0};
    carom_status status = carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), sim, error);
    if (!status) status = recording_create(&r, scene, *sim, error);
    recording_destroy(&r);
    return status;
}

static int check_model(const carom_scene *scene, const char *note, const char *path) {
    carom_error error;
    int errors = print_findings(carom_scene_model(scene));
    if (note) printf("note: %s\n", note);
    if (errors && scene_validate_start(scene, &error)) return complain(&error); /* says the same with line and column */
    if (errors) return complain_about(EXIT_BAD_DATA, "%s: a run of this model cannot be trusted", path);
    print_ok(carom_model_get(carom_scene_model(scene)));
    char shift[320];
    if (scene_shift_text(scene, shift, sizeof shift)) puts(shift);
    return EXIT_SUCCESS;
}

static int check(const arguments *a) {
    carom_scene *scene;
    carom_sim *sim = NULL;
    carom_error error;
    waiting_begin("reading", a->words[0]);
    carom_status status = load_scene(a, a->words[0], &scene, &error);
    if (!status) status = check_run(scene, &sim, &error);
    waiting_end();
    int code = status ? complain(&error) : check_model(scene, carom_sim_note(sim), a->words[0]);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
    return code;
}

static const option options[] = {SCENE_OPTIONS, {0}};

const command check_command = {
    .name = "check",
    .usage = "check SCENE [--set KEY=VALUE]...",
    .summary = "verify derivatives and the initial state",
    .detail = "Compares every derivative of the model with differences, and checks the mass matrix, the initial state\n"
              "(constraints, gaps, velocities), and dt against the limit of stability. Names what is off.\n"
              "Exit code 2 if a run could not be trusted.\n",
    .options = options,
    .least = 1,
    .most = 1,
    .run = check,
};
