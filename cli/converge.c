/* carom converge SCENE: errors and orders over step sizes. */
#include "cli.h"
#include "interrupt.h"
#include "progress.h"
#include "studies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "study/report.h"

typedef struct converging {
    const arguments *a;
    const char **overrides;
    scheme *schemes;
    double *dt;
    convergence_def def;
    int kinds[NORMS], kind_count, workers;
    char csv[PATH_MAX], figure[PATH_MAX]; /* "": none */
    bool quiet;
    convergence *study;
    progress progress;
} converging;

/* ---------------------------------------------------------------- arguments */

static void add_norm(converging *s, int kind) {
    for (int i = 0; i < s->kind_count; i++)
        if (s->kinds[i] == kind) return;
    s->kinds[s->kind_count++] = kind;
}

static carom_status read_norms(converging *s, carom_error *error) {
    const char *list = option_value(s->a, "--norm");
    for (const char *from = list ? list : DEFAULT_NORM; from;) {
        const char *end = from + strcspn(from, ",");
        char name[64];
        int kind;
        snprintf(name, sizeof name, "%.*s", (int)(end - from), from);
        carom_status status = study_norm(name, true, &kind, error);
        if (status) return status;
        for (int k = 0; k < NORMS; k++)
            if (kind < 0 || kind == k) add_norm(s, k);
        from = *end ? end + 1 : NULL;
    }
    return CAROM_OK;
}

static carom_status read_outputs(converging *s, carom_error *error) {
    char folder[PATH_MAX];
    carom_status status = study_outputs(s->a, "converge", folder, s->figure, error);
    if (!status && folder[0]) status = study_path(folder, "converge.csv", s->csv, error);
    return status || !folder[0] ? status : check_output(s->a, s->csv, error);
}

static carom_status read_arguments(converging *s, carom_error *error) {
    const arguments *a = s->a;
    const char *dt = option_value(a, "--dt"), *integrators = option_value(a, "--integrators");
    convergence_def *d = &s->def;
    if (!dt) return carom_error_set(error, CAROM_DATA, "which step sizes? --dt 1e-2,5e-3 or --dt 1e-1..1e-3/5");
    s->quiet = option_value(a, "--quiet");
    s->overrides = malloc(((size_t)a->option_count + 1) * sizeof *s->overrides);
    if (!s->overrides) return carom_error_memory(error);
    *d =
        (convergence_def){.scene = a->words[0], .overrides = s->overrides, .reference = option_value(a, "--reference")};
    d->override_count = collect_overrides(a, s->overrides);
    carom_status status = read_norms(s, error);
    if (!status) status = study_workers(a, &s->workers, error);
    if (!status) status = read_step_sizes(dt, &s->dt, &d->dt_count, error);
    if (!status && integrators) status = study_schemes(integrators, &s->schemes, &d->scheme_count, error);
    d->dt = s->dt;
    d->schemes = s->schemes;
    return status;
}

/* ---------------------------------------------------------------- tables */

enum { ERROR_WIDTH = 12, ORDER_WIDTH = 6, COLUMN = ERROR_WIDTH + ORDER_WIDTH + 3 };

static void print_error(const convergence_curve *curve, int i) {
    char order[16] = "", value[16] = "failed";
    if (!isnan(curve->error[i])) snprintf(value, sizeof value, "%.3e%c", curve->error[i], curve->floor[i] ? '*' : ' ');
    if (i > 0 && !curve->floor[i] && !isnan(curve->order[i])) snprintf(order, sizeof order, "%.2f", curve->order[i]);
    printf("   %*s%*s", ERROR_WIDTH, value, ORDER_WIDTH, order);
}

static void print_table(const convergence *c, int x, int k) {
    const norm *kind = &norms[k];
    if (!convergence_differs(c, x, k)) {
        printf("\n%s: no error at all, with any integrator and step size\n", c->all.of[x].name);
        return;
    }
    printf("\n%s: error in the norm '%s', %s%s%s\n", c->all.of[x].name, kind->name, kind->formula,
           kind->reference[0] ? ", " : "", kind->reference);
    if (c->all.of[x].own_step)
        printf("(against a single step of the reference: of first order by construction where forces are smooth)\n");
    if (kind->power > 1)
        printf("(a square: an error of order p falls like dt^%dp; the orders below are p)\n", kind->power);
    printf("%12s", "dt");
    for (int s = 0; s < c->schemes; s++) printf("   %*s", COLUMN - 3, c->labels[s]);
    printf("\n");
    for (int i = 0; i < c->def.dt_count; i++) {
        printf("%12.6g", c->def.dt[i]);
        for (int s = 0; s < c->schemes; s++) print_error(convergence_of(c, x, k, s), i);
        printf("\n");
    }
    printf("%12s", "order");
    for (int s = 0; s < c->schemes; s++) {
        double overall = convergence_of(c, x, k, s)->overall;
        char text[16] = "-";
        if (!isnan(overall)) snprintf(text, sizeof text, "%.2f", overall);
        printf("   %*s", COLUMN - 3, text);
    }
    printf("\n");
}

/* Warns of errors that stay while dt falls: they are errors of something else. */
static void print_stalls(const convergence *c, int k) {
    for (int s = 0; s < c->schemes && !c->reference.exact; s++) {
        const convergence_curve *q = convergence_of(c, 0, k, s);
        if (c->components[0] && order_stalls(&norms[k], c->def.dt_count, c->def.dt, q->error, q->floor))
            printf("\n%s: q keeps its error whatever dt: the reference is no better than these runs; try --reference "
                   "%s@%g\n",
                   c->labels[s], c->labels[s], c->def.dt[c->def.dt_count - 1] / 4);
    }
}

static void print_left_out(const convergence *c) {
    const char *before = "\nnot given by the reference and left out: ";
    for (int i = 0; i < c->all.count; i++) {
        if (c->reference.given[i]) continue;
        printf("%s%s", before, c->all.names[i]);
        before = ", ";
    }
    if (before[0] == ',') printf("\n");
}

static void print_notes(const converging *s) {
    const convergence *c = s->study;
    bool floor = false;
    for (int x = 0; x < QUANTITIES; x++)
        for (int k = 0; k < s->kind_count; k++)
            for (int n = 0; n < c->schemes; n++)
                for (int i = 0; i < c->def.dt_count; i++)
                    floor = floor ||
                            (convergence_of(c, x, s->kinds[k], n)->floor[i] && convergence_differs(c, x, s->kinds[k]));
    if (floor) printf("\n* round-off: left out of the order\n");
    if (c->reference.interpolated) printf("\nthe reference is interpolated between its times\n");
    print_stalls(c, s->kinds[0]);
    print_left_out(c);
    if (c->failed) printf("\n");
    for (int n = 0; n < c->schemes && c->failed; n++)
        for (int i = 0; i < c->def.dt_count; i++) {
            const convergence_run *run = convergence_at(c, n, i);
            char reason[1100];
            if (run->status)
                printf("%s with dt = %g: %s\n", c->labels[n], c->def.dt[i],
                       carom_error_text(&run->error, reason, sizeof reason));
        }
}

static void print_all(const converging *s) {
    const convergence *c = s->study;
    printf("%s: %d step size%s, reference: %s\n", c->def.scene, c->def.dt_count, c->def.dt_count == 1 ? "" : "s",
           c->reference.text);
    for (int k = 0; k < s->kind_count; k++)
        for (int x = 0; x < QUANTITIES; x++)
            if (c->components[x]) print_table(c, x, s->kinds[k]);
    print_notes(s);
}

/* ---------------------------------------------------------------- the command */

static bool show_progress(void *context, const runs_progress *now) {
    converging *s = context;
    if (progress_due(&s->progress)) {
        char where[64];
        snprintf(where, sizeof where, "%d of %d runs", now->finished,
                 s->study->schemes * s->def.dt_count + s->study->reference.is_run);
        progress_show(&s->progress, (double)now->steps, s->study->steps, where, "steps");
    }
    return !interrupted;
}

static carom_status write_files(const converging *s, carom_error *error) {
    carom_status status = s->csv[0] ? convergence_csv(s->study, s->csv, error) : CAROM_OK;
    if (status) return status;
    if (s->figure[0]) status = convergence_draw(s->study, s->kinds, s->kind_count, s->figure, error);
    const char *drawn = status ? "" : s->figure;
    if (!s->quiet && (s->csv[0] || drawn[0])) printf("\n%s%s%s\n", s->csv, s->csv[0] && drawn[0] ? ", " : "", drawn);
    return status;
}

static int execute(converging *s) {
    carom_error error = {0};
    carom_status status = read_arguments(s, &error);
    if (!status) status = convergence_create(&s->def, &s->study, &error);
    study_catch_signals();
    if (!status) status = read_outputs(s, &error);
    if (status) return complain(&error);
    progress_start(&s->progress, 0, s->quiet);
    status = convergence_execute(s->study, s->workers, show_progress, s, &error);
    progress_clear(&s->progress);
    if (interrupted) return complain_about(EXIT_INTERRUPTED, "interrupted: nothing was written");
    if (status) return complain(&error);
    if (!s->quiet) print_all(s);
    if (write_files(s, &error)) return complain(&error);
    if (s->study->failed)
        return complain_about(EXIT_FAILED_RUN, "%d of %d runs failed", s->study->failed,
                              s->study->schemes * s->def.dt_count);
    return EXIT_SUCCESS;
}

static int converge(const arguments *a) {
    converging s = {.a = a};
    int code = execute(&s);
    convergence_destroy(s.study);
    schemes_destroy(s.schemes, s.def.scheme_count);
    free(s.overrides);
    free(s.dt);
    return code;
}

static const option options[] = {
    {"--dt", "LIST", "step sizes: 1e-2,5e-3 or 1e-1..1e-3/5 (5 from first to last, geometric)"},
    {"--integrators", "LIST", "rattle,lobatto:stages=3:variant=published (default: the scene's own)"},
    {"--reference", "REF", "exact, DT, INTEGRATOR@DT, or a file .yaml, .h5, .csv"},
    {"--norm", "LIST", "max, l2, lobatto (default), moreau, nsga, rattle, or all"},
    SCENE_OPTIONS,
    {"--jobs", "N", "runs at a time (default: one per processor)"},
    {"--out", "DIR", "folder of converge.csv and converge.png (default: SCENE_converge); 'none'"},
    {"--figure", "FILE", "the picture elsewhere: .png, .svg or .pdf"},
    {"--quiet", NULL, "no progress, no tables"},
    {0},
};

const command converge_command = {
    .name = "converge",
    .usage = "converge SCENE --dt LIST [--integrators LIST] [--reference REF] [--norm LIST] [--set KEY=VALUE]...\n"
             "               [--jobs N] [--out DIR] [--figure FILE] [--quiet]",
    .summary = "errors and orders over step sizes",
    .detail = "Runs a scene with several step sizes and integrators and compares positions q, velocities u and\n"
              "percussions (P of constraints, PN and PF of contacts: summed over each step of the run, and with\n"
              "_step against a single step of the reference) with a reference:\n"
              "the scene's exact solution, otherwise a run with an eighth of the finest step.\n",
    .options = options,
    .least = 1,
    .most = 1,
    .run = converge,
};
