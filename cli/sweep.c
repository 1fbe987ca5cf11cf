/* carom sweep SCENE --vary NAME=VALUES: many runs, over parameters and starts. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "error.h"
#include "interrupt.h"
#include "progress.h"
#include "record/recorder.h"
#include "studies.h"
#include "sweep/picture.h"
#include "task.h"

typedef struct sweeping {
    const arguments *a;
    carom_scene *scene;
    sweep_plan plan;
    sweep_question q;
    const char **vary, **keep, **name;
    char *names;   /* memory of the keep_name */
    char *command; /* what is asked, as it was typed */
    int varied, workers;
    long random;
    double tolerance;
    task_found task;
    char out[PATH_MAX];
    const char *figure;
    progress progress;
    long before; /* runs that an earlier command had done */
    bool quiet;
} sweeping;

/* ---------------------------------------------------------------- arguments */

static carom_status read_long(const arguments *a, const char *name, long least, long otherwise, long *value,
                              carom_error *error) {
    const char *text = option_value(a, name);
    char *end = NULL;
    *value = text ? strtol(text, &end, 10) : otherwise;
    if (text && (end == text || *end || *value < least || *value == LONG_MAX))
        return carom_error_set(error, CAROM_DATA, "%s needs a whole number from %ld on, not '%s'", name, least, text);
    return CAROM_OK;
}

/* "--keep v=abs(z_dot)" has a name of its own. */
static void split_keep(sweeping *s, const char *text, char **memory) {
    const char *equals = strchr(text, '=');
    const size_t length = equals ? (size_t)(equals - text) : strlen(text);
    s->name[s->q.kept] = *memory;
    memcpy(*memory, text, length), (*memory)[length] = 0;
    *memory += length + 1;
    s->keep[s->q.kept++] = equals ? equals + 1 : text;
}

static void keep_state(sweeping *s) {
    const carom_model_def *d = carom_model_get(carom_scene_model(s->scene));
    const int nq = d->nq - d->slacks, nu = d->nu - d->slacks;
    for (int i = 0; i < nq + nu && s->q.kept == i; i++) {
        s->keep[i] = s->name[i] = i < nq ? d->q_names[i] : d->u_names[i - nq];
        s->q.kept++;
    }
}

static carom_status read_lists(sweeping *s, carom_error *error) {
    const arguments *a = s->a;
    const carom_model_def *d = carom_model_get(carom_scene_model(s->scene));
    const size_t most = (size_t)a->option_count + (size_t)d->nq + (size_t)d->nu;
    size_t letters = 1;
    for (int i = 0; i < a->option_count; i++) letters += strlen(a->options[i].value ? a->options[i].value : "") + 1;
    s->vary = calloc(3 * most, sizeof *s->vary);
    s->names = calloc(letters, 1);
    if (!s->vary || !s->names) return carom_error_memory(error);
    s->keep = s->vary + most, s->name = s->keep + most;
    char *memory = s->names;
    for (int i = 0; i < a->option_count; i++) {
        if (!strcmp(a->options[i].option->name, "--vary")) s->vary[s->varied++] = a->options[i].value;
        if (!strcmp(a->options[i].option->name, "--keep")) split_keep(s, a->options[i].value, &memory);
    }
    if (s->q.kept == 0) keep_state(s);
    s->q.keep = s->keep, s->q.keep_name = s->name;
    return s->varied ? CAROM_OK : carom_error_set(error, CAROM_DATA, "what is varied? --vary e=0.1..0.9/200");
}

/* As text, all that decides what the result holds. */
static carom_status note_command(sweeping *s, carom_error *error) {
    static const char *const asked[] = {"--vary",   "--random", "--seed",   "--keep",    "--section",
                                        "--period", "--after",  "--points", "--lyapunov"};
    size_t size = 0;
    FILE *out = open_memstream(&s->command, &size);
    if (!out) return carom_error_memory(error);
    for (int i = 0; i < s->a->option_count; i++)
        for (size_t k = 0; k < sizeof asked / sizeof *asked; k++)
            if (!strcmp(s->a->options[i].option->name, asked[k]))
                fprintf(out, " %s %s", asked[k], s->a->options[i].value);
    s->q.command = fclose(out) ? NULL : s->command;
    for (char *c = s->command; s->q.command && *c; c++)
        if (*c == '\n') *c = ' ';
    return s->q.command ? CAROM_OK : carom_error_memory(error);
}

static carom_status read_section(sweeping *s, carom_error *error) {
    sweep_question *q = &s->q;
    const char *same = option_value(s->a, "--same");
    char *end = NULL;
    long points, exponents;
    q->section = option_value(s->a, "--section"), q->period = option_value(s->a, "--period");
    q->after = option_value(s->a, "--after");
    s->tolerance = same ? strtod(same, &end) : 1e-3;
    if (same && (end == same || *end || !(s->tolerance > 0 && s->tolerance < 1)))
        return carom_error_set(error, CAROM_DATA, "--same needs a number between 0 and 1, not '%s'", same);
    if (q->section && q->period)
        return carom_error_set(error, CAROM_DATA, "a section is given by --section or by --period, not by both");
    const bool has = q->section || q->period;
    if (!has && option_value(s->a, "--points"))
        return carom_error_set(error, CAROM_DATA, "--points needs a section: --section CONTACT, or --period FORMULA");
    carom_status status = read_long(s->a, "--points", 1, has ? 100 : 0, &points, error);
    if (!status) status = read_long(s->a, "--lyapunov", 1, 0, &exponents, error);
    const carom_model_def *d = carom_model_get(carom_scene_model(s->scene));
    if (!status && exponents > d->nq + d->nu)
        status = carom_error_set(error, CAROM_DATA, "--lyapunov: the state has %d components, and no more exponents",
                                 d->nq + d->nu);
    if (!status && points > 1000000) status = carom_error_set(error, CAROM_DATA, "--points: at most a million");
    if (!status) q->points = (int)points, q->exponents = (int)exponents;
    return status;
}

static carom_status read_outputs(sweeping *s, carom_error *error) {
    const char *out = option_value(s->a, "--out");
    char own[PATH_MAX];
    replace_extension(s->a->words[0], "_sweep.h5", own, sizeof own);
    carom_status status = study_path("", out ? out : own, s->out, error);
    s->figure = option_value(s->a, "--figure");
    if (!status) status = check_output(s->a, s->out, error);
    if (!status) status = recorder_may_overwrite(s->out, "--out", error);
    if (!status && s->figure) status = check_output(s->a, s->figure, error);
    return !status && s->figure ? sweep_picture_check(&s->q, s->random > 0, s->figure, error) : status;
}

static carom_status read_arguments(sweeping *s, carom_error *error) {
    long seed = 1;
    s->quiet = option_value(s->a, "--quiet");
    s->q.any_version = option_value(s->a, "--any-version");
    carom_status status = load_scene(s->a, s->a->words[0], &s->scene, error);
    if (status) return status;
    s->q.scene = s->scene, s->q.scene_path = s->a->words[0], s->q.plan = &s->plan;
    status = read_lists(s, error);
    if (!status) status = read_long(s->a, "--random", 1, 0, &s->random, error);
    if (!status) status = read_long(s->a, "--seed", 0, 1, &seed, error);
    if (!status)
        status = plan_create(carom_scene_model(s->scene), s->vary, s->varied, s->random, (unsigned long long)seed,
                             &s->plan, error);
    if (!status) status = read_section(s, error);
    if (!status) status = study_workers(s->a, &s->workers, error);
    if (!status) status = task_find(option_value(s->a, "--task"), &s->task, error);
    if (s->workers == 0 && s->task.launched) s->workers = 1;
    if (!status) status = note_command(s, error);
    return status ? status : read_outputs(s, error);
}

/* ---------------------------------------------------------------- what is printed */

static bool show_progress(void *context, const sweep_progress *now) {
    sweeping *s = context;
    s->before = now->first;
    if (progress_due(&s->progress)) {
        char where[80];
        snprintf(where, sizeof where, "%ld of %ld runs, %ld failed", now->done, now->total, now->failed);
        s->progress.first = (double)now->first;
        progress_show(&s->progress, (double)now->done, (double)now->total, where, "runs");
    }
    return !interrupted;
}

static void print_failed(const sweeping *s, const sweep_whole *w) {
    long run = 0;
    while (run < s->plan.runs && !w->reason[run]) run++;
    printf("failed: %ld, listed in %s.failed.csv", w->failed, s->out);
    if (run < s->plan.runs) printf("; the first is run %ld: %s", run, w->reason[run]);
    putchar('\n');
}

static void print_attractors(const sweeping *s, const sweep_whole *w) {
    int most = 0;
    long without = 0;
    for (long run = 0; run < s->plan.runs; run++) {
        const double number = w->row[run * w->columns + w->columns - 1];
        if (number > most) most = (int)number;
        without += number == 0;
    }
    printf("attractors: %d", most);
    if (without) printf("; %ld run%s without a cycle", without, without == 1 ? "" : "s");
    putchar('\n');
}

static void print_summary(const sweeping *s, const sweep_whole *w, double seconds) {
    printf("%s: %ld runs in %.3g s", s->out, s->plan.runs, seconds);
    if (s->before) printf(", %ld of them before", s->before);
    putchar('\n');
    if (w->failed) print_failed(s, w);
    if (s->q.points) print_attractors(s, w);
    if (s->figure) printf("%s\n", s->figure);
}

/* ---------------------------------------------------------------- the command */

static carom_status put_together(sweeping *s, double seconds, carom_error *error) {
    sweep_whole w;
    bool complete;
    carom_status status = whole_read(&s->q, s->out, s->task.task.of, s->tolerance, &w, &complete, error);
    if (!status && complete) status = whole_write(&s->q, s->out, s->task.task.of, &w, error);
    if (!status && complete && s->figure) status = sweep_picture_draw(&s->q, &w, s->figure, error);
    if (!status && complete && !s->quiet) print_summary(s, &w, seconds);
    if (!status && !complete && !s->quiet && !s->task.launched)
        printf("task %d of %d is done; the last one writes %s\n", s->task.task.number + 1, s->task.task.of, s->out);
    whole_destroy(&w, &s->q);
    return status;
}

/* If there are several tasks, the last one puts the parts together. Tasks that end at the same time take turns. */
static carom_status put_together_once(sweeping *s, double seconds, carom_error *error) {
    char lock[PATH_MAX];
    if (s->task.task.of == 1) return put_together(s, seconds, error);
    carom_status status = CAROM_OK;
    if (snprintf(lock, sizeof lock, "%s.lock", s->out) >= PATH_MAX)
        return carom_error_set(error, CAROM_DATA, "%s: the name is too long", s->out);
    const int file = open(lock, O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    if (file < 0) return carom_error_set(error, CAROM_FAILED, "%s: %s", lock, strerror(errno));
    while (flock(file, LOCK_EX) && errno == EINTR) {
    }
    status = put_together(s, seconds, error);
    unlink(lock);
    close(file);
    return status;
}

static int execute(sweeping *s) {
    carom_error error = {0};
    carom_status status = read_arguments(s, &error);
    if (status) return complain(&error);
    study_catch_signals();
    const double started = seconds_now();
    char *path = part_path(s->out, s->task.task);
    progress_start(&s->progress, 0, s->quiet || s->task.launched);
    status = path ? part_compute(&s->q, s->task.task, path, s->workers, show_progress, s, &error)
                  : carom_error_memory(&error);
    progress_clear(&s->progress);
    if (interrupted) {
        complain_about(EXIT_INTERRUPTED, "interrupted: the same command goes on from %s", path);
        free(path);
        return EXIT_INTERRUPTED;
    }
    free(path);
    if (!status) status = put_together_once(s, seconds_now() - started, &error);
    return status ? complain(&error) : EXIT_SUCCESS;
}

static int sweep(const arguments *a) {
    sweeping s = {.a = a};
    const int code = execute(&s);
    plan_destroy(&s.plan);
    carom_scene_destroy(s.scene);
    free(s.vary);
    free(s.names);
    free(s.command);
    return code;
}

static const option options[] = {
    {"--vary", "NAME=VALUES", "a parameter or start.x: 0.1..0.9/200 (a grid), 1,2,5 (a list), 0..1 (with --random)"},
    {"--random", "N", "N runs of a Latin hypercube in place of a grid"},
    {"--seed", "S", "seed of the random numbers (default 1)"},
    {"--keep", "FORMULA",
     "formulas of columns, for the end and the section; NAME=FORMULA names one (default: the state)"},
    {"--section", "WHERE", "points at strikes of a contact, or where a formula passes zero upwards"},
    {"--period", "FORMULA", "a point each period, a formula of parameters"},
    {"--after", "FORMULA", "length of the transient, which gives no points and no exponents"},
    {"--points", "N", "at most N points of a section; the run ends with the last (default 100)"},
    {"--lyapunov", "N", "the N largest Lyapunov exponents"},
    {"--same", "PART", "points are the same within this part of their range (default 1e-3)"},
    {"--task", "I/N", "the I-th of N parts, for batch systems; 'array': from the environment"},
    SCENE_OPTIONS,
    {"--jobs", "N", "runs at a time (default: one per processor)"},
    {"--out", "FILE", "the result (default: SCENE_sweep.h5)"},
    {"--figure", "FILE", "a picture: .png, .svg or .pdf"},
    {"--any-version", NULL, "resume also what another version of carom began"},
    {"--quiet", NULL, "no progress, no summary"},
    {0},
};

const command sweep_command = {
    .name = "sweep",
    .usage = "sweep SCENE --vary NAME=VALUES... [--random N] [--keep FORMULA]... [--section WHERE | --period FORMULA]\n"
             "            [--after FORMULA] [--lyapunov N] [--task I/N] [--out FILE] [--figure FILE] ...",
    .summary = "many runs over parameters and starts",
    .detail = "Runs a scene with all combinations of values, on all processors, and writes one result with a row for\n"
              "each run: what is varied, the formulas kept, events, exponents. With a section it also has its points,\n"
              "after how many of them they repeat (cycle) and in which periodic motion each run ends (attractor): a\n"
              "bifurcation diagram, or basins of attraction. If it is stopped or killed, the same command goes on.\n"
              "Under mpirun or srun, processes share the runs; the last one to end writes the result.\n",
    .options = options,
    .least = 1,
    .most = 1,
    .run = sweep,
};
