/* carom orbit SCENE: periodic motions and their multipliers. */
#include "branch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "derivative/orbit.h"
#include "error.h"
#include "waiting.h"

static void print_lines(const orbit_question *q, const orbit_answer *a) {
    const carom_model_def *d = carom_model_get(carom_scene_model(q->scene));
    printf("period %.12g from t = %.12g, %ld event%s, missed by %.1e after %d corrections\n", a->period, a->t,
           a->events, a->events == 1 ? "" : "s", a->residual, a->iterations);
    for (int i = 0; i < d->nq; i++) printf("  %-20s % .12g\n", d->q_names[i], a->q[i]);
    for (int i = 0; i < d->nu; i++) printf("  %-20s % .12g\n", d->u_names[i], a->u[i]);
    for (int i = 0; i < q->modulos; i++)
        printf("%s advances by %.12g\n", q->modulo[i].name,
               a->advance[carom_model_coordinate(carom_scene_model(q->scene), q->modulo[i].name)]);
    for (int i = 0; i < a->count; i++) {
        const double complex x = a->multiplier[i];
        printf("multiplier % .12g", creal(x));
        if (cimag(x) != 0) printf(" %c %.12g i", cimag(x) < 0 ? '-' : '+', fabs(cimag(x)));
        printf(", size %.12g\n", cabs(x));
    }
    if (a->count) printf("%s\n", cabs(a->multiplier[0]) < 1 ? "stable" : "unstable");
    const carom_margin *m = &a->margins.transversality;
    if (!isinf(m->least)) printf("least transversality %.4g at t = %.6g\n", m->least, m->time);
}

static void print_state(const char *const *names, const double *values, int count, const char *separator) {
    for (int i = 0; i < count; i++) printf("%s\"%s\": %.17g", i ? ", " : separator, names[i], values[i]);
}

static void print_object(const orbit_question *q, const orbit_answer *a) {
    const carom_model_def *d = carom_model_get(carom_scene_model(q->scene));
    printf("{\"period\": %.17g, \"multipliers\": [", a->period);
    for (int i = 0; i < a->count; i++)
        printf("%s[%.17g, %.17g]", i ? ", " : "", creal(a->multiplier[i]), cimag(a->multiplier[i]));
    printf("], \"residual\": %.3e, \"state\": {", a->residual);
    print_state(d->q_names, a->q, d->nq, "");
    print_state(d->u_names, a->u, d->nu, ", ");
    printf("}, \"events\": %ld, \"t\": %.17g}\n", a->events, a->t);
}

/* ---------------------------------------------------------------- what is asked for */

/* A number, or a formula of parameters. */
static carom_status evaluate(const carom_scene *scene, const char *text, double *value, carom_error *error) {
    const carom_model *model = carom_scene_model(scene);
    carom_sim *sim = NULL;
    objective *o = NULL;
    carom_status status = carom_sim_create(model, carom_scene_run(scene), &sim, error);
    if (!status) status = objective_create(sim, model, text, &o, error);
    if (!status) status = objective_read(o, sim, NULL, value, NULL, error);
    objective_destroy(o);
    if (sim) carom_sim_destroy(sim);
    return status;
}

static carom_status read_after(const arguments *a, orbit_question *q, carom_error *error) {
    const char *after = option_value(a, "--after");
    carom_status status = after ? evaluate(q->scene, after, &q->after, error) : CAROM_OK;
    if (!status && !(q->after >= 0 && isfinite(q->after)))
        status = carom_error_set(error, CAROM_DATA, "--after needs a time, not '%s'", after);
    return status;
}

carom_status read_count(const arguments *a, const char *name, int least, int *count, carom_error *error) {
    const char *text = option_value(a, name);
    char *end = NULL;
    if (!text) return CAROM_OK;
    const long value = strtol(text, &end, 10);
    if (end == text || *end || value < least || value > 1000000)
        return carom_error_set(error, CAROM_DATA, "%s needs a whole number from %d on, not '%s'", name, least, text);
    *count = (int)value;
    return CAROM_OK;
}

/* "x, phi=pi/4", cut into its parts: coordinates, and how far they advance. NULL: out of memory. */
static orbit_advance *read_modulo(char *text, int *count) {
    int most = 1;
    for (const char *c = text; *c; c++) most += *c == ',';
    orbit_advance *modulo = calloc((size_t)most, sizeof *modulo);
    *count = 0;
    for (char *part = strtok(text, ","); part && modulo; part = strtok(NULL, ",")) {
        char *sign = strchr(part, '=');
        modulo[(*count)++] = (orbit_advance){part + strspn(part, " "), sign ? sign + 1 : NULL};
        if (sign) *sign = 0;
    }
    return modulo;
}

static carom_status find_one(const arguments *a, const orbit_question *q, carom_error *error) {
    orbit_answer answer = {0};
    carom_status status = orbit_find(q, &answer, error);
    waiting_end();
    if (!status) (option_value(a, "--json") ? print_object : print_lines)(q, &answer);
    orbit_free(&answer);
    return status;
}

static int orbit(const arguments *a) {
    const char *modulo = option_value(a, "--modulo");
    orbit_question q = {.section = option_value(a, "--section"), .period = option_value(a, "--period")};
    carom_scene *scene = NULL;
    carom_error error;
    if (!q.section == !q.period)
        return complain_about(EXIT_BAD_DATA,
                              "orbit needs either a period, --period \"2*pi/w\", or a section, --section \"x_dot\"");
    char *text = strdup(modulo ? modulo : "");
    orbit_advance *advances = text ? read_modulo(text, &q.modulos) : NULL;
    carom_status status = advances ? load_scene(a, a->words[0], &scene, &error) : carom_error_memory(&error);
    q.modulo = advances;
    q.scene = scene;
    if (!status) status = read_after(a, &q, &error);
    if (!status) status = read_count(a, "--shots", 1, &q.shots, &error);
    waiting_begin("searching an orbit of", a->words[0]);
    if (!status && option_value(a, "--continue")) status = continue_orbit(a, &q, &error);
    else if (!status) status = find_one(a, &q, &error);
    waiting_end();
    const int code = status ? complain(&error) : EXIT_SUCCESS;
    free(advances);
    free(text);
    carom_scene_destroy(scene);
    return code;
}

static const option options[] = {
    {"--period", "FORMULA", "the period, where it is known: a formula of parameters"},
    {"--section", "FORMULA", "a period begins where this formula of columns grows through zero; its length is found"},
    {"--modulo", "NAMES",
     "coordinates that advance from one period to the next: x by any amount, phi=pi/4 by this much"},
    {"--after", "T", "simulate for this time first (default 0)"},
    {"--shots", "N", "divide a period into N parts, each with a start of its own: for very unstable ones (default 1)"},
    {"--continue", "NAME=A..B", "follow the orbit as this parameter changes, from A on"},
    {"--doublings", "N", "--continue: follow motions of twice the period, N times in a row (default 1)"},
    {"--points", "N", "--continue: at most N points of a branch (default 500)"},
    {"--csv", "FILE", "--continue: a table of all points"},
    {"--out", "FILE", "--continue: the same as a result, .h5"},
    {"--figure", "FILE", "--continue: bifurcation diagram and multipliers, .png, .svg or .pdf"},
    {"--json", NULL, "one JSON object: period, multipliers, residual, state (by name), events, t"},
    SCENE_OPTIONS,
    {0}};

const command orbit_command = {
    .name = "orbit",
    .usage = "orbit SCENE --period FORMULA | --section FORMULA [--modulo NAMES] [--after T] [--json]",
    .summary = "periodic motions and their multipliers",
    .detail =
        "Finds a periodic motion near the one that the scene leads to, by Newton's method on the map of a period\n"
        "with exact derivatives, and prints its state, its period and its multipliers: the motion is stable if\n"
        "all of them are smaller than one. Needs located events (run: {integrator: lobatto, events: locate}).\n",
    .options = options,
    .least = 1,
    .most = 1,
    .run = orbit,
};
