/* carom modes SCENE: an equilibrium, and the frequencies and shapes of small motions about it. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "error.h"
#include "modes/modes_record.h"
#include "result/csv.h"
#include "scene/scene.h"
#include "waiting.h"

typedef struct report {
    const carom_model *model;
    modes_answer answer;
    double complex *by; /* [nq] of one mode */
} report;

/* ---------------------------------------------------------------- what is printed */

static double damping_of(double complex rate) {
    return cabs(rate) > 0 ? -creal(rate) / cabs(rate) : 0;
}

/* The coordinates that move, with the largest motion first. */
static void print_shape(const report *r) {
    const carom_model_def *d = carom_model_get(r->model);
    enum { SHOWN = 3 };
    int shown[SHOWN];
    for (int k = 0; k < SHOWN && k < d->nq; k++) {
        int best = -1;
        for (int i = 0; i < d->nq; i++) {
            bool taken = false;
            for (int j = 0; j < k; j++) taken = taken || shown[j] == i;
            if (!taken && (best < 0 || cabs(r->by[i]) > cabs(r->by[best]) * (1 + 1e-9))) best = i;
        }
        shown[k] = best;
        if (cabs(r->by[best]) < 1e-3) break;
        printf("%s%s", k ? ", " : "  ", d->q_names[best]);
        if (k) printf(" %.3g", creal(r->by[best]));
    }
    putchar('\n');
}

static void print_lines(report *r) {
    static const char *const states[] = {[CAROM_SLIP] = "closed", [CAROM_STICK] = "sticks"};
    const carom_model_def *d = carom_model_get(r->model);
    const modes_answer *a = &r->answer;
    printf("equilibrium after %d correction%s, forces balance to %.1e; %d free motion%s\n", a->at.iterations,
           a->at.iterations == 1 ? "" : "s", a->at.residual, a->free, a->free == 1 ? "" : "s");
    for (int i = 0; i < d->nq && d->nq <= 20; i++) printf("  %-20s % .12g\n", d->q_names[i], a->at.q[i]);
    for (int k = 0; k < d->contacts; k++)
        if (a->at.contact[k] != CAROM_OPEN) printf("  %-20s %s\n", d->contact[k].name, states[a->at.contact[k]]);
    printf("mode  frequency (Hz)    omega (rad/s)%s  moves\n", a->damped ? "     growth (1/s)      damping" : "");
    for (int k = 0; k < a->count; k++) {
        const double complex rate = a->mode[k].rate;
        if (modes_coordinates(r->model, a, k, r->by)) continue;
        printf("%4d  %-16.10g  %-16.10g", k + 1, cimag(rate) / (2 * M_PI), cimag(rate));
        if (a->damped) printf("  %-16.10g  %-12.6g", creal(rate), damping_of(rate));
        else if (creal(rate) > 0) printf("  grows by e^(%.6g t)", creal(rate));
        print_shape(r);
    }
    if (a->count < a->free) printf("%d more (--count)\n", a->free - a->count);
}

static void print_object(report *r) {
    const carom_model_def *d = carom_model_get(r->model);
    const modes_answer *a = &r->answer;
    printf("{\"residual\": %.3e, \"free\": %d, \"damped\": %s, \"state\": {", a->at.residual, a->free,
           a->damped ? "true" : "false");
    for (int i = 0; i < d->nq; i++) printf("%s\"%s\": %.17g", i ? ", " : "", d->q_names[i], a->at.q[i]);
    printf("}, \"held\": [");
    for (int k = 0, count = 0; k < d->contacts; k++)
        if (a->at.contact[k] != CAROM_OPEN) printf("%s\"%s\"", count++ ? ", " : "", d->contact[k].name);
    printf("], \"modes\": [");
    for (int k = 0; k < a->count; k++) {
        const double complex rate = a->mode[k].rate;
        if (modes_coordinates(r->model, a, k, r->by)) continue;
        printf("%s{\"frequency\": %.17g, \"omega\": %.17g, \"growth\": %.17g, \"damping\": %.17g, \"shape\": {",
               k ? ", " : "", cimag(rate) / (2 * M_PI), cimag(rate), creal(rate), damping_of(rate));
        for (int i = 0; i < d->nq; i++)
            printf("%s\"%s\": [%.17g, %.17g]", i ? ", " : "", d->q_names[i], creal(r->by[i]), cimag(r->by[i]));
        printf("}}");
    }
    printf("]}\n");
}

static carom_status write_csv(report *r, const char *path, carom_error *error) {
    const carom_model_def *d = carom_model_get(r->model);
    const modes_answer *a = &r->answer;
    FILE *out;
    carom_status status = csv_open(path, &out, error);
    if (status) return status;
    fprintf(out, "mode,frequency,omega,growth,damping");
    for (int i = 0; i < (a->damped ? 2 : 1) * d->nq; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s%s", d->q_names[i % d->nq], i < d->nq ? "" : ".imaginary");
        fputc(',', out), csv_text(out, name);
    }
    for (int k = 0; k < a->count; k++) {
        const double complex rate = a->mode[k].rate;
        if (modes_coordinates(r->model, a, k, r->by)) continue;
        const double numbers[] = {cimag(rate) / (2 * M_PI), cimag(rate), creal(rate), damping_of(rate)};
        fprintf(out, "\n%d", k + 1);
        for (int i = 0; i < 4; i++) fputc(',', out), csv_number(out, numbers[i]);
        for (int i = 0; i < d->nq; i++) fputc(',', out), csv_number(out, creal(r->by[i]));
        for (int i = 0; i < d->nq && a->damped; i++) fputc(',', out), csv_number(out, cimag(r->by[i]));
    }
    fputc('\n', out);
    return csv_close(path, out, CAROM_OK, error);
}

/* ---------------------------------------------------------------- what is asked for */

static carom_status read_number(const arguments *a, const char *name, double least, double *value, carom_error *error) {
    const char *text = option_value(a, name);
    char *end = NULL;
    if (!text) return CAROM_OK;
    *value = strtod(text, &end);
    if (end != text && !*end && isfinite(*value) && *value >= least) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA, "%s needs a number of at least %g, not '%s'", name, least, text);
}

/* Simulates the scene for this time; the search begins there. */
static carom_status find_after(const carom_scene *scene, double after, int count, modes_answer *answer,
                               carom_error *error) {
    const carom_model *model = carom_scene_model(scene);
    carom_run_def run = *carom_scene_run(scene);
    carom_sim *sim = NULL;
    run.until = carom_model_get(model)->t0 + after;
    carom_status status = carom_sim_create(model, &run, &sim, error);
    if (!status) status = carom_sim_run(sim, error);
    if (!status) status = modes_find(model, carom_sim_time(sim), carom_sim_q(sim), count, answer, error);
    if (sim) carom_sim_destroy(sim);
    return status;
}

static carom_status find(const carom_scene *scene, double after, int count, modes_answer *answer, carom_error *error) {
    const carom_model_def *d = carom_model_get(carom_scene_model(scene));
    if (after > 0) return find_after(scene, after, count, answer, error);
    return modes_find(carom_scene_model(scene), d->t0, d->q0, count, answer, error);
}

static carom_status compute(const arguments *a, const carom_scene *scene, report *r, carom_error *error) {
    const char *csv = option_value(a, "--csv"), *out = option_value(a, "--out");
    double after = 0, count = 12, amplitude = 0;
    carom_status status = csv ? check_csv(a, csv, error) : CAROM_OK;
    if (!status && out) status = check_output(a, out, error);
    if (!status) status = read_number(a, "--after", 0, &after, error);
    if (!status) status = read_number(a, "--count", 1, &count, error);
    if (!status) status = read_number(a, "--amplitude", 0, &amplitude, error);
    if (status) return status;
    r->model = carom_scene_model(scene);
    r->by = calloc((size_t)carom_model_get(r->model)->nq + 1, sizeof *r->by);
    if (!r->by) return carom_error_memory(error);
    waiting_begin("searching modes of", a->words[0]);
    status = find(scene, after, (int)fmin(count, 1e6), &r->answer, error);
    waiting_end();
    if (!status && csv) status = write_csv(r, csv, error);
    if (!status && out) status = modes_record(out, scene, &r->answer, amplitude, error);
    return status;
}

static int modes(const arguments *a) {
    carom_scene *scene = NULL;
    carom_error error;
    report r = {0};
    carom_status status = load_scene(a, a->words[0], &scene, &error);
    if (!status) status = compute(a, scene, &r, &error);
    if (!status) (option_value(a, "--json") ? print_object : print_lines)(&r);
    const int code = status ? complain(&error) : EXIT_SUCCESS;
    modes_free(&r.answer);
    free(r.by);
    carom_scene_destroy(scene);
    return code;
}

static const option options[] = {
    {"--count", "N", "print the N slowest modes (default 12)"},
    {"--after", "T", "simulate for this time first (default 0)"},
    {"--out", "RESULT", "a result that shows each mode, for carom view, movie and plot"},
    {"--amplitude", "A", "--out: how far the coordinate that moves most goes (default: by what is drawn)"},
    {"--csv", "FILE", "write frequencies and shapes to a table"},
    {"--json", NULL, "one JSON object: residual, free, damped, state, held, modes"},
    SCENE_OPTIONS,
    {0}};

const command modes_command = {
    .name = "modes",
    .usage = "modes SCENE [--count N] [--after T] [--out RESULT] [--csv FILE] [--json] [--set KEY=VALUE]...",
    .summary = "an equilibrium, and frequencies and shapes about it",
    .detail = "Finds the state at rest near the start, by Newton's method on the balance of forces, and the small\n"
              "motions about it: frequencies, growth and damping, shapes. Contacts that are closed at the equilibrium\n"
              "stay closed, and stick where they have friction.\n",
    .options = options,
    .least = 1,
    .most = 1,
    .run = modes,
};
