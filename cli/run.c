/* carom run SCENE: simulates and records. */
#include "cli.h"
#include "interrupt.h"
#include "monitor.h"
#include "pages.h"
#include "progress.h"
#include "record/recorder.h"
#include "stream.h"
#include "waiting.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "error.h"
#include "result/disk.h"
#include "result/result.h"
#include "scene/scene.h"
#include "stop.h"

typedef struct execution {
    const arguments *a;
    const char *path, *csv;  /* the scene; NULL: no CSV */
    const char *out;         /* the result; "": none */
    char own[NAME_MAX + 8];  /* its name, unless told */
    char page[NAME_MAX + 8]; /* the page that shows it; "": none */
    bool quiet;
    carom_scene *scene;
    carom_sim *sim;
    recording recording;
    monitor monitor;
    progress progress;
    result_writer *writer;
    stream text;   /* rows as they come */
    double *state; /* the last checkpoint: the simulation's state, then the monitor's extremes */
    long recorded; /* step of the last row; -1: there is none yet */
} execution;

/* ---------------------------------------------------------------- setting up */

static carom_status read_arguments(execution *s, carom_error *error) {
    const char *out = option_value(s->a, "--out");
    s->path = s->a->words[0];
    s->csv = option_value(s->a, "--csv");
    if (out && !out[0]) return carom_error_set(error, CAROM_DATA, "--out needs a file name, or 'none'");
    if (out && !strcmp(out, "-"))
        return carom_error_set(error, CAROM_DATA, "a result is a file, standard output takes text: --csv -");
    s->quiet = option_value(s->a, "--quiet") || (s->csv && !strcmp(s->csv, "-"));
    replace_extension(s->path, ".h5", s->own, sizeof s->own);
    bool piped = s->csv && !strcmp(s->csv, "-") && !option_value(s->a, "--resume"); /* no file unless told */
    s->out = !out ? (piped ? "" : s->own) : strcmp(out, "none") ? out : "";
    if (!s->out[0] && option_value(s->a, "--resume"))
        return carom_error_set(error, CAROM_DATA, "--resume needs a result file: leave out '--out none'");
    if (option_value(s->a, "--any-version") && !option_value(s->a, "--resume"))
        return carom_error_set(error, CAROM_DATA, "--any-version goes with --resume (carom help run)");
    if (!option_value(s->a, "--view")) return CAROM_OK;
    if (!s->out[0]) return carom_error_set(error, CAROM_DATA, "--view needs a result file: leave out '--out none'");
    replace_extension(s->out, ".html", s->page, sizeof s->page);
    return CAROM_OK;
}

static carom_status overwrites_result(const execution *s, carom_error *error) {
    return carom_error_set(error, CAROM_DATA, "the text would overwrite the result %s: choose another --csv", s->out);
}

/* Neither result nor page nor text may replace another file. A result that is resumed is read and written, so it is no
 * such file. */
static carom_status check_outputs(const execution *s, carom_error *error) {
    bool created = s->out[0] && !option_value(s->a, "--resume");
    carom_status status = created ? check_output(s->a, s->out, error) : CAROM_OK;
    if (!status && s->page[0]) status = check_output(s->a, s->page, error);
    if (status || !s->csv) return status;
    if (!strcmp(s->csv, s->out)) return overwrites_result(s, error);
    return check_csv(s->a, s->csv, error);
}

static carom_status load(execution *s, carom_error *error) {
    if (!s->quiet) waiting_begin("reading", s->path);
    carom_status status = load_scene(s->a, s->path, &s->scene, error);
    if (!status) status = check_outputs(s, error);
    if (!status) status = scene_validate_start(s->scene, error);
    waiting_end();
    if (status) return status;

    const carom_model *model = carom_scene_model(s->scene);
    if (!s->quiet) waiting_begin("preparing", carom_scene_run(s->scene)->integrator);
    status = carom_sim_create(model, carom_scene_run(s->scene), &s->sim, error);
    waiting_end();
    if (status == CAROM_DATA) status = scene_run_error(s->scene, error);
    if (!status) status = recording_create(&s->recording, s->scene, s->sim, error);
    if (!status) status = monitor_create(&s->monitor, model, error);
    if (status) return status;
    s->state = malloc((carom_sim_state_size(s->sim) + EXTREMES) * sizeof *s->state);
    return s->state ? CAROM_OK : carom_error_memory(error);
}

/* ---------------------------------------------------------------- the result file */

/* Whether there is something to resume. If the file is no result, result_resume says what is wrong with it. */
static bool begun(const char *path) {
    struct stat file;
    result_reader *reader;
    carom_error reason;
    if (stat(path, &file) && errno == ENOENT) return false;
    if (result_open(path, &reader, &reason)) return true;
    bool rows = result_rows(reader) > 0;
    result_close(reader);
    return rows;
}

static carom_status open_result(execution *s, const result_info *info, bool *finished, carom_error *error) {
    const recording *r = &s->recording;
    size_t size = carom_sim_state_size(s->sim) + EXTREMES;
    if (!option_value(s->a, "--resume") || !begun(s->out)) {
        carom_status status = recorder_may_overwrite(s->out, "--out", error);
        return status ? status : result_create(s->out, info, r->count, r->names, r->units, size, &s->writer, error);
    }
    long step;
    carom_status status =
        result_resume(s->out, info, r->count, r->names, size, &s->writer, s->state, &step, finished, error);
    if (status || *finished) return status;
    status = carom_sim_load(s->sim, s->state, error);
    if (status) return status;
    memcpy(&s->monitor.seen, s->state + size - EXTREMES, sizeof s->monitor.seen);
    s->recorded = step;
    return CAROM_OK;
}

static double wall_seconds(const execution *s) {
    return s->monitor.seen.seconds + seconds_now() - s->progress.started;
}

/* Saves the state from which a resumed run starts. */
static void save_checkpoint(execution *s) {
    extremes seen = s->monitor.seen;
    seen.seconds = wall_seconds(s);
    carom_sim_save(s->sim, s->state);
    memcpy(s->state + carom_sim_state_size(s->sim), &seen, sizeof seen);
}

/* ---------------------------------------------------------------- the text */

/* The text of a resumed run also needs the rows of its first part: it is written at the end, with all rows. */
static carom_status open_text(execution *s, carom_error *error) {
    if (!s->csv || option_value(s->a, "--resume")) return CAROM_OK;
    if (s->out[0] && disk_same(s->csv, s->out)) return overwrites_result(s, error);
    return stream_open(&s->text, s->csv, s->recording.count, s->recording.names, error);
}

static carom_status export_csv(const execution *s, carom_error *error) {
    result_reader *reader;
    if (disk_same(s->csv, s->out)) return overwrites_result(s, error);
    carom_status status = result_open(s->out, &reader, error);
    if (status) return status;
    int count = result_columns(reader), *columns = malloc((size_t)count * sizeof *columns);
    for (int i = 0; columns && i < count; i++) columns[i] = i;
    status = columns ? result_export_csv(reader, s->csv, columns, count, error) : carom_error_memory(error);
    free(columns);
    result_close(reader);
    return status;
}

/* ---------------------------------------------------------------- recording */

static carom_status record(execution *s, carom_error *error) {
    if (!s->writer && !s->text.file) return CAROM_OK;
    carom_status status = recording_take(&s->recording, s->sim, error);
    if (status) return status;
    monitor_see_row(&s->monitor, s->recording.row, s->recording.count, carom_sim_time(s->sim));
    if (s->recorded >= carom_sim_steps(s->sim)) return CAROM_OK;
    s->recorded = carom_sim_steps(s->sim);
    if (s->text.file) status = stream_row(&s->text, s->recording.row, error);
    if (s->writer && !status) status = recording_append_found(&s->recording, s->sim, s->writer, error);
    return s->writer && !status ? result_append(s->writer, s->recording.row, s->state, s->recorded, error) : status;
}

/* Records events, unless the result has those of this step already. */
static carom_status record_events(execution *s, carom_error *error) {
    int count;
    carom_sim_events(s->sim, &count);
    if (!s->writer || s->recorded >= carom_sim_steps(s->sim)) return CAROM_OK;
    carom_status status = CAROM_OK;
    for (int i = 0; i < count && !status; i++) {
        status = recording_take_event(&s->recording, s->sim, i, error);
        if (!status) status = result_append_event(s->writer, s->recording.event, error);
    }
    return status;
}

/* ---------------------------------------------------------------- running */

/* Rows are taken at the start, after every n-th step and at the end, but not where a run is interrupted. A resumed run
 * starts at the last checkpoint and repeats the steps up to the last row. So it gets the same rows as a run that was
 * not interrupted. */
static carom_status take_up(execution *s, carom_error *error) {
    bool due = carom_sim_steps(s->sim) % carom_scene_every(s->scene) == 0 || carom_sim_done(s->sim);
    carom_status status = monitor_see(&s->monitor, s->sim, error);
    if (status) return status;
    if (carom_sim_checkpoint(s->sim)) save_checkpoint(s);
    status = record_events(s, error);
    return !status && due ? record(s, error) : status;
}

static carom_status step_through(execution *s, carom_error *error) {
    carom_status status = take_up(s, error);
    while (!status && !interrupted && !carom_sim_done(s->sim)) {
        status = carom_sim_step(s->sim, error);
        if (status == CAROM_STOPPED) return CAROM_OK;
        if (status) record(s, NULL); /* the last state that was reached */
        else status = take_up(s, error);
        if (progress_due(&s->progress)) {
            char where[40];
            snprintf(where, sizeof where, "t = %-10.6g", carom_sim_time(s->sim));
            progress_show(&s->progress, (double)carom_sim_steps(s->sim), (double)carom_sim_total_steps(s->sim), where,
                          "steps");
        }
    }
    return status;
}

static carom_status finish_result(execution *s, const char *outcome, carom_error *error) {
    carom_status status = recorder_finish(s->writer, s->sim, outcome, wall_seconds(s), error);
    s->writer = NULL;
    return status;
}

/* ---------------------------------------------------------------- the end */

static void print_summary(const execution *s) {
    double seconds = wall_seconds(s);
    long steps = carom_sim_steps(s->sim);
    printf("%s%s%ld step%s to t = %.9g in %.3g s (%.3g steps/s)\n", s->out, s->out[0] ? ": " : "", steps,
           steps == 1 ? "" : "s", carom_sim_time(s->sim), seconds, seconds > 0 ? (double)steps / seconds : 0);
    char shift[320];
    if (scene_shift_text(s->scene, shift, sizeof shift)) puts(shift);
    monitor_print(&s->monitor, s->sim, s->recording.names);
}

/* Writes a word as a shell needs it: in quotes if it would be split or changed. */
static void write_word(FILE *out, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./=,:";
    if (word[0] && !word[strspn(word, plain)]) {
        fprintf(out, " %s", word);
        return;
    }
    fputs(" '", out);
    for (; *word; word++) fputs(*word == '\'' ? "'\\''" : (char[2]){*word}, out);
    fputc('\'', out);
}

/* The command that resumes the run; NULL: out of memory. */
static char *resume_command(const execution *s) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    fputs("carom run", out);
    write_word(out, s->path);
    fputs(" --resume", out);
    for (int i = 0; i < s->a->option_count; i++) {
        const given_option *o = &s->a->options[i];
        if (!strcmp(o->option->name, "--resume")) continue;
        fprintf(out, " %s", o->option->name);
        if (o->option->value) write_word(out, o->value);
    }
    return fclose(out) == 0 ? text : (free(text), NULL);
}

static int tell_interrupted(const execution *s) {
    enum { LONGEST = 700 }; /* as much as fits into a complaint */
    double t = carom_sim_time(s->sim);
    if (!s->out[0]) return complain_about(EXIT_INTERRUPTED, "interrupted at t = %.6g", t);
    char *again = resume_command(s);
    bool fits = again && strlen(again) < LONGEST;
    int code = complain_about(EXIT_INTERRUPTED, "interrupted at t = %.6g, recorded in %s; to go on: %s", t, s->out,
                              fits ? again : "the same command with --resume");
    free(again);
    return code;
}

static int tell_failed(const execution *s, carom_error *error) {
    size_t used = strlen(error->message);
    if (s->out[0] && !strstr(error->message, s->out))
        snprintf(error->message + used, sizeof error->message - used, "; what was recorded before is in %s", s->out);
    return complain(error);
}

static int simulate(execution *s, carom_error *error) {
    progress_start(&s->progress, (double)carom_sim_steps(s->sim), s->quiet);
    carom_status status = step_through(s, error);
    progress_clear(&s->progress);
    bool done = carom_sim_done(s->sim);
    char outcome[sizeof error->message + 16] = "finished";
    if (status) snprintf(outcome, sizeof outcome, "failed: %s", error->message);
    else if (!done) snprintf(outcome, sizeof outcome, "interrupted");
    if (s->writer) {
        carom_error closing;
        carom_status closed = finish_result(s, outcome, &closing);
        if (closed && !status) {
            status = closed;
            *error = closing;
        }
    }
    status = stream_close(&s->text, status, error);
    if (status) return tell_failed(s, error);
    if (!done) return tell_interrupted(s);
    if (s->csv && !s->text.path && (status = export_csv(s, error))) return complain(error);
    if (!s->quiet) print_summary(s);
    return EXIT_SUCCESS;
}

/* Prints what speaks against the run before its first step, also with --quiet, as for a failure. */
static void tell_note(const execution *s) {
    const char *note = carom_sim_note(s->sim);
    if (note && carom_sim_steps(s->sim) == 0) complain_about(EXIT_SUCCESS, "note: %s", note);
}

static int prepare_and_simulate(execution *s) {
    carom_error error = {0};
    if (read_arguments(s, &error) || load(s, &error)) return complain(&error);
    catch_signals();
    stop_on(&interrupted);
    bool finished = false;
    if (s->out[0]) {
        result_info info;
        carom_status status = recorder_describe(s->scene, &s->recording, s->path, &info, &error);
        info.any_version = option_value(s->a, "--any-version");
        if (!status) status = open_result(s, &info, &finished, &error);
        recorder_free(&info);
        if (status) return complain(&error);
    }
    if (!finished) {
        if (open_text(s, &error)) return complain(&error);
        tell_note(s);
        return simulate(s, &error);
    }
    if (s->csv && export_csv(s, &error)) return complain(&error);
    if (!s->quiet) printf("%s is finished already\n", s->out);
    return EXIT_SUCCESS;
}

/* Writes the page of what was recorded, also if the run failed. */
static int show_page(const execution *s, int code) {
    carom_error error;
    const char *const results[] = {s->out};
    if (page_write(results, 1, &(viewer_options){0}, s->page, &error)) return complain(&error);
    if (!s->quiet) printf("%s\n", s->page);
    page_open(s->page);
    return code;
}

static int run(const arguments *a) {
    execution s = {.a = a, .recorded = -1};
    int code = prepare_and_simulate(&s);
    if (s.page[0] && code != EXIT_BAD_DATA) code = show_page(&s, code);
    free(s.state);
    monitor_destroy(&s.monitor);
    recording_destroy(&s.recording);
    carom_sim_destroy(s.sim);
    carom_scene_destroy(s.scene);
    return code;
}

static const option options[] = {
    SCENE_OPTIONS,
    {"--out", "FILE", "the result (default: the scene's name with .h5, here); 'none': no file"},
    {"--csv", "FILE",
     "write the rows as text while they come; '-': to standard output, with --quiet, and without a result unless --out "
     "names one"},
    {"--resume", NULL, "go on where an interrupted run stopped, with the same bits"},
    {"--any-version", NULL, "with --resume: also a run that another version of carom began; bits may differ"},
    {"--quiet", NULL, "no progress, no summary"},
    {"--view", NULL, "watch the motion in a browser afterwards (carom view)"},
    {0},
};

const command run_command = {
    .name = "run",
    .usage = "run SCENE [--set KEY=VALUE]... [--out FILE] [--csv FILE] [--resume [--any-version]] [--quiet] [--view]",
    .summary = "simulate a scene",
    .detail = "Simulates a scene and records it. Progress is shown on a terminal, nothing in a pipe.\n"
              "Ctrl-C finishes the present step and writes everything; --resume goes on from there.\n",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
