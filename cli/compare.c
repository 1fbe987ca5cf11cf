/* carom compare SCENE: integrators side by side. */
#include "cli.h"
#include "interrupt.h"
#include "progress.h"
#include "studies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "study/compare.h"
#include "study/converge.h"

enum { DEFAULT_REPEATS = 2, MOST_REPEATS = 50 };

typedef struct comparing {
    const arguments *a;
    const char **overrides;
    scheme *schemes;
    double *dt;
    compare_def def;
    char table[PATH_MAX], over_time[PATH_MAX], figure[PATH_MAX]; /* "": none */
    bool quiet, timing;
    progress progress;
} comparing;

/* ---------------------------------------------------------------- the table */

static int label_width(const comparison *c) {
    int width = (int)strlen("integrator");
    for (int i = 0; i < c->schemes; i++) {
        int length = (int)strlen(c->all[i * c->sizes].scheme->label);
        if (length > width) width = length;
    }
    return width;
}

static void print_head(const comparison *c, const norm *kind) {
    printf("%s%st = %g to %g\n", c->title, c->title[0] ? ", " : "", c->t0, c->until);
    printf("reference: %s; errors: %s\n", c->reference, kind->formula);
    if (isnan(c->energy_start)) return;
    if (c->conserved)
        printf("energy: largest %s, E(0) = %g%s\n", c->relative ? "|E - E(0)| / |E(0)|" : "|E - E(0)|", c->energy_start,
               c->relative ? "" : ", which is small: absolute");
    else printf("energy: E at the end, E(0) = %g, kept by none of the runs\n", c->energy_start);
}

static void print_columns(const comparison *c, int width) {
    printf("\n%-*s %9s %8s %9s %9s", width, "integrator", "dt", "steps", "error q", "error u");
    if (!isnan(c->energy_start)) printf(" %10s", "energy");
    if (c->contacts) printf(" %9s", "gap");
    if (c->position) printf(" %8s", "|g|");
    if (c->velocity) printf(" %8s", c->position ? "|g_dot|" : "|gamma|");
    printf(" %12s %9s %9s\n", "newton", "us/step", "CPU s");
}

/* "2.37e-05", or "-" if there is no number. */
static void print_number(int width, double value) {
    if (isnan(value)) printf(" %*s", width, "-");
    else printf(" %*.2e", width, value);
}

static void print_run(const comparison *c, const compared *run, int width) {
    const track *t = &run->run;
    printf("%-*s %9.4g", width, run->scheme->label, run->dt);
    if (t->status) {
        printf(" %s: %s\n", t->status == CAROM_DATA ? "refused" : "failed", t->error.message);
        return;
    }
    printf(" %8ld", t->steps);
    print_number(9, run->error_q);
    print_number(9, run->error_u);
    if (!isnan(c->energy_start) && c->conserved) print_number(10, run->energy);
    else if (!isnan(c->energy_start)) printf(" %10.4g", run->energy_end);
    if (c->contacts) print_number(9, t->seen.gap);
    if (c->position) print_number(8, t->seen.position);
    if (c->velocity) print_number(8, t->seen.velocity);
    char newton[32];
    snprintf(newton, sizeof newton, "%.2f (%d)", t->newton / (double)t->steps, t->newton_max);
    printf(" %12s %9.3g %9.3g\n", newton, 1e6 * run->seconds / (double)t->steps, run->seconds);
}

/* ---------------------------------------------------------------- gains */

static void print_effort(effort w, double least) {
    char text[32];
    double times = w.seconds / least;
    snprintf(text, sizeof text, "%.3g s%s", w.seconds, w.extrapolated ? "*" : "");
    if (isnan(w.seconds)) printf("  %12s %9s", "-", "");
    else printf("  %12s %8.*fx", text, times < 10 ? 2 : times < 100 ? 1 : 0, times);
}

static void print_gains(const comparison *c, const norm *kind, int width) {
    static const double errors[] = {1e-6, 1e-10};
    double least[2] = {NAN, NAN};
    for (int e = 0; e < 2; e++)
        for (int i = 0; i < c->schemes; i++) least[e] = fmin(least[e], comparison_effort(c, i, errors[e]).seconds);
    printf("\nprocessor time for an error of q (%s), and as a multiple of the fastest\n%-*s", kind->name, width,
           "integrator");
    for (int e = 0; e < 2; e++) printf("  %12g %9s", errors[e], "");
    printf("\n");
    for (int i = 0; i < c->schemes; i++) {
        printf("%-*s", width, c->all[i * c->sizes].scheme->label);
        for (int e = 0; e < 2; e++) print_effort(comparison_effort(c, i, errors[e]), least[e]);
        printf("\n");
    }
    printf("* extrapolated beyond the runs   - cannot be told from these runs\n");
}

/* A refusal that is the same for all step sizes is printed once. */
static bool same_refusal(const compared *a, const compared *b) {
    return a->run.status == CAROM_DATA && b->run.status == CAROM_DATA &&
           !strcmp(a->run.error.message, b->run.error.message);
}

static void print_comparison(const comparison *c, const norm *kind) {
    int width = label_width(c);
    print_head(c, kind);
    print_columns(c, width);
    for (int i = 0; i < c->schemes * c->sizes; i++)
        if (i % c->sizes == 0 || !same_refusal(&c->all[i - 1], &c->all[i])) print_run(c, &c->all[i], width);
    if (c->sizes > 1) print_gains(c, kind, width);
}

/* ---------------------------------------------------------------- files */

/* The numbers are written before anything is drawn. */
static carom_status write_files(const comparing *g, const comparison *c, carom_error *error) {
    carom_status status = g->table[0] ? comparison_write_csv(c, g->table, error) : CAROM_OK;
    if (!status && g->over_time[0]) status = comparison_write_over_time(c, g->over_time, error);
    if (status) return status;
    if (g->figure[0]) status = comparison_draw(c, g->figure, error);
    const char *drawn = status ? "" : g->figure;
    if (!g->quiet && (g->table[0] || drawn[0]))
        printf("\n%s%s%s%s%s\n", g->table, g->table[0] ? ", " : "", g->over_time, g->table[0] && drawn[0] ? ", " : "",
               drawn);
    return status;
}

/* ---------------------------------------------------------------- arguments */

static carom_status read_outputs(comparing *g, carom_error *error) {
    char folder[PATH_MAX];
    carom_status status = study_outputs(g->a, "compare", folder, g->figure, error);
    if (!status && folder[0]) status = study_path(folder, "compare.csv", g->table, error);
    if (!status && folder[0]) status = study_path(folder, "compare_over_time.csv", g->over_time, error);
    if (!status && folder[0]) status = check_output(g->a, g->table, error);
    if (!status && folder[0]) status = check_output(g->a, g->over_time, error);
    return status;
}

static carom_status read_repeats(comparing *g, carom_error *error) {
    const char *text = option_value(g->a, "--repeat");
    char *end = NULL;
    long number = text ? strtol(text, &end, 10) : DEFAULT_REPEATS;
    if (text && (end == text || *end || number < 0 || number > MOST_REPEATS))
        return carom_error_set(error, CAROM_DATA, "--repeat is a number of runs from 0 to %d, not '%s'", MOST_REPEATS,
                               text);
    g->def.repeats = (int)number;
    return CAROM_OK;
}

static carom_status read_arguments(comparing *g, carom_error *error) {
    const arguments *a = g->a;
    const char *integrators = option_value(a, "--integrators"), *dt = option_value(a, "--dt");
    const char *name = option_value(a, "--norm");
    compare_def *d = &g->def;
    int kind = 0;
    if (!integrators)
        return carom_error_set(error, CAROM_DATA,
                               "which integrators? --integrators rattle,moreau (carom list integrators)");
    g->quiet = option_value(a, "--quiet");
    g->overrides = malloc(((size_t)a->option_count + 1) * sizeof *g->overrides);
    if (!g->overrides) return carom_error_memory(error);
    d->scene = a->words[0], d->reference = option_value(a, "--reference");
    d->overrides = g->overrides, d->override_count = collect_overrides(a, g->overrides);
    carom_status status = study_norm(name ? name : DEFAULT_NORM, false, &kind, error);
    if (!status) d->norm = &norms[kind];
    if (!status) status = study_workers(a, &d->workers, error);
    if (!status) status = read_repeats(g, error);
    if (!status && dt) status = read_step_sizes(dt, &g->dt, &d->dt_count, error);
    if (!status) status = study_schemes(integrators, &g->schemes, &d->scheme_count, error);
    d->dt = g->dt, d->schemes = g->schemes;
    return status;
}

/* ---------------------------------------------------------------- the command */

static bool show_progress(void *context, const compare_progress *now) {
    comparing *g = context;
    if (now->timing && !g->timing) progress_start(&g->progress, 0, g->quiet);
    g->timing = now->timing;
    if (progress_due(&g->progress)) {
        char where[64];
        snprintf(where, sizeof where, "%d of %d runs%s", now->finished, now->runs, now->timing ? ", timing" : "");
        progress_show(&g->progress, now->steps, now->total, where, "steps");
    }
    return !interrupted;
}

/* It is no failure if an integrator refuses the scene, as long as another one accepts it. */
static int exit_code_of(const comparison *c) {
    int runs = c->schemes * c->sizes, failed = 0, refused = 0;
    for (int i = 0; i < runs; i++) {
        failed += c->all[i].run.status && c->all[i].run.status != CAROM_DATA;
        refused += c->all[i].run.status == CAROM_DATA;
    }
    if (refused == runs)
        return complain_about(EXIT_BAD_DATA, "all integrators refuse; %s: %s", c->all[0].scheme->label,
                              c->all[0].run.error.message);
    return failed ? complain_about(EXIT_FAILED_RUN, "%d of %d runs failed", failed, runs) : EXIT_SUCCESS;
}

static int execute(comparing *g) {
    carom_error error = {0};
    comparison c = {0};
    carom_status status = read_arguments(g, &error);
    g->def.watch = show_progress;
    g->def.context = g;
    if (!status) status = comparison_create(&g->def, &c, &error);
    study_catch_signals();
    if (!status) status = read_outputs(g, &error);
    if (status) return comparison_destroy(&c), complain(&error);
    progress_start(&g->progress, 0, g->quiet);
    status = comparison_execute(&c, &error);
    progress_clear(&g->progress);
    if (interrupted)
        return comparison_destroy(&c), complain_about(EXIT_INTERRUPTED, "interrupted: nothing was written");
    if (!status && !g->quiet) print_comparison(&c, g->def.norm);
    if (!status) status = write_files(g, &c, &error);
    int code = status ? complain(&error) : exit_code_of(&c);
    comparison_destroy(&c);
    return code;
}

static int compare(const arguments *a) {
    comparing g = {.a = a};
    int code = execute(&g);
    schemes_destroy(g.schemes, g.def.scheme_count);
    free(g.dt);
    free(g.overrides);
    return code;
}

static const option options[] = {
    {"--integrators", "A,B,...", "what to compare; with options: rattle:variant=published"},
    {"--dt", "LIST", "step sizes: 1e-2,5e-3 or 1e-1..1e-3/5 (default: that of the scene)"},
    {"--reference", "REF", "exact, a step size, INTEGRATOR@DT, a file .yaml, .h5 or .csv"},
    {"--norm", "NAME", "norm of errors: max, l2, lobatto (default), moreau, nsga, rattle"},
    SCENE_OPTIONS,
    {"--jobs", "N", "runs at a time (default: one per processor)"},
    {"--repeat", "N", "runs that are timed, one after the other (default: 2); 0: time the parallel runs"},
    {"--out", "DIR", "folder of compare.csv, .png and compare_over_time.csv (default: SCENE_compare); 'none'"},
    {"--figure", "FILE", "the picture elsewhere: .png, .svg or .pdf"},
    {"--quiet", NULL, "no progress, no table"},
    {0}};

const command compare_command = {
    .name = "compare",
    .usage = "compare SCENE --integrators A,B,... [--dt LIST] [--reference REF] [--norm NAME] [--set KEY=VALUE]...\n"
             "              [--jobs N] [--repeat N] [--out DIR] [--figure FILE] [--quiet]",
    .summary = "integrators side by side",
    .detail =
        "Runs a scene with several integrators, in parallel, and shows energy, errors, penetration, drift of\n"
        "constraints, Newton iterations and cost in one table and one figure; with several step sizes also the\n"
        "processor time that a given error costs. An integrator that fails or refuses is shown with its reason.\n",
    .options = options,
    .least = 1,
    .most = 1,
    .run = compare,
};
