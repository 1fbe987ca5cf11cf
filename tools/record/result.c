/* Results that programs write (carom/result.h). */
#include "carom/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "alive.h"
#include "error.h"
#include "record/recorder.h"

struct carom_result {
    unsigned alive;
    pid_t process; /* the process whose thread writes: a forked child does not have this thread and would wait for it
                      forever */
    result_writer *writer;
    const carom_scene *scene;
    carom_sim *sim; /* NULL: a table of the program's own */
    recording recording;
    double *state; /* of the simulation, at the last checkpoint */
    long rows;     /* of a table */
    double started;
};

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static carom_result *begin(void) {
    carom_result *r = calloc(1, sizeof *r);
    if (r) r->alive = ALIVE, r->process = getpid(), r->started = seconds_now();
    return r;
}

static void assert_usable(const carom_result *r) {
    assert_alive(r);
    assert(r->process == getpid() && "a result belongs to the process that has created it");
}

static void destroy(carom_result *r) {
    recording_destroy(&r->recording);
    free(r->state);
    mark_destroyed(r);
    free(r);
}

/* ---- the end */

static carom_status finish(carom_result *r, const char *failure, carom_error *error) {
    char outcome[800] = "finished";
    carom_status status = CAROM_OK;
    const double seconds = seconds_now() - r->started;
    if (failure) snprintf(outcome, sizeof outcome, "failed: %s", failure);
    else if (r->sim && !carom_sim_done(r->sim)) snprintf(outcome, sizeof outcome, "interrupted");
    if (r->writer && r->sim) status = recorder_finish(r->writer, r->sim, outcome, seconds, error);
    else if (r->writer)
        status = result_finish(r->writer, &(result_summary){.status = outcome, .wall_seconds = seconds}, error);
    destroy(r);
    return status;
}

carom_status carom_result_finish(carom_result *r, const char *failure, carom_error *error) {
    if (!r) return CAROM_OK;
    assert_usable(r);
    return finish(r, failure, error);
}

/* ---- of a run */

static carom_status append_row(carom_result *r, carom_error *error) {
    carom_status status = recording_take(&r->recording, r->sim, error);
    if (!status) status = recording_append_found(&r->recording, r->sim, r->writer, error);
    return status ? status : result_append(r->writer, r->recording.row, r->state, carom_sim_steps(r->sim), error);
}

carom_status carom_result_take(carom_result *r, carom_error *error) {
    assert_usable(r);
    assert(r->sim && "a table has no simulation: carom_result_append");
    int events;
    carom_status status = CAROM_OK;
    carom_sim_events(r->sim, &events);
    if (carom_sim_checkpoint(r->sim)) carom_sim_save(r->sim, r->state);
    for (int i = 0; i < events && !status; i++) {
        status = recording_take_event(&r->recording, r->sim, i, error);
        if (!status) status = result_append_event(r->writer, r->recording.event, error);
    }
    bool due = carom_sim_steps(r->sim) % carom_scene_every(r->scene) == 0 || carom_sim_done(r->sim);
    return !status && due ? append_row(r, error) : status;
}

/* The model has a force of the program that the scene does not have: carom run --resume could not go on with this run.
 */
static bool is_foreign(const carom_result *r) {
    return carom_model_get(carom_sim_model(r->sim))->force != carom_model_get(carom_scene_model(r->scene))->force;
}

static carom_status open_run(carom_result *r, const char *path, carom_error *error) {
    result_info info = {0};
    const size_t size = carom_sim_state_size(r->sim);
    r->state = malloc((size + 1) * sizeof *r->state);
    carom_status status = r->state ? CAROM_OK : carom_error_memory(error);
    if (!status) carom_sim_save(r->sim, r->state);
    if (!status) status = recording_create(&r->recording, r->scene, r->sim, error);
    if (!status) status = recorder_describe(r->scene, &r->recording, "", &info, error);
    if (!status)
        status = result_create(path, &info, r->recording.count, r->recording.names, r->recording.units,
                               is_foreign(r) ? 0 : size, &r->writer, error);
    recorder_free(&info);
    return status ? status : append_row(r, error);
}

carom_status carom_result_create_run(const char *path, const carom_scene *scene, carom_sim *sim, carom_result **result,
                                     carom_error *error) {
    *result = NULL;
    carom_status status = recorder_may_overwrite(path, "name", error);
    if (status) return status;
    carom_result *r = begin();
    if (!r) return carom_error_memory(error);
    r->scene = scene, r->sim = sim;
    status = open_run(r, path, error);
    if (status) finish(r, "it could not be recorded", NULL);
    else *result = r;
    return status;
}

/* ---- a table */

carom_result_def carom_default_result_def(void) {
    return (carom_result_def){.title = ""};
}

/* every unit that is not given is "" */
static const char **complete_units(const char *const *units, int columns) {
    const char **all = malloc(((size_t)columns + 1) * sizeof *all);
    for (int i = 0; all && i < columns; i++) all[i] = units && units[i] ? units[i] : "";
    return all;
}

/* What a table says about itself: of its scene, if it has one, and of the run; title, panels and events are its own. */
static carom_status create_table(carom_result *r, const char *path, const carom_result_def *def,
                                 const char *const *units, const char *const *event_units, carom_error *error) {
    const recording columns = {.count = def->columns, .names = (const char **)def->names};
    result_info run = {.scene = "", .integrator = ""};
    carom_status status = def->scene ? recorder_describe(def->scene, &columns, "", &run, error) : CAROM_OK;
    result_info info = run;
    info.title = def->title ? def->title : "", info.scene_path = "", info.every = 1;
    info.plots = def->plots, info.plot = def->plot;
    info.events = (result_events_info){.columns = def->event_columns,
                                       .names = def->event_names,
                                       .units = event_units,
                                       .contacts = def->contacts,
                                       .kinds = def->kinds,
                                       .contact = def->contact,
                                       .kind = def->kind};
    if (!status) status = result_create(path, &info, def->columns, def->names, units, 0, &r->writer, error);
    recorder_free(&run);
    return status;
}

static carom_status open_table(carom_result *r, const char *path, const carom_result_def *def, carom_error *error) {
    const char **units = complete_units(def->units, def->columns);
    const char **event_units = complete_units(def->event_units, def->event_columns);
    carom_status status =
        units && event_units ? create_table(r, path, def, units, event_units, error) : carom_error_memory(error);
    free(units);
    free(event_units);
    return status;
}

/* HDF5 takes '/' for folders and '.' for the present folder. A name with '#' in front is no quantity. */
static carom_status check_names(const carom_result_def *def, carom_error *error) {
    for (int i = 0; i < def->columns; i++) {
        const char *name = def->names[i];
        if (!*name || *name == '#' || strchr(name, '/') || strcmp(name, ".") == 0)
            return carom_error_set(
                error, CAROM_DATA,
                "a column cannot be called '%s': a name is not empty and not '.', does not begin with '#' "
                "and has no '/'",
                name);
    }
    return CAROM_OK;
}

carom_status carom_result_create(const char *path, const carom_result_def *def, carom_result **result,
                                 carom_error *error) {
    *result = NULL;
    assert(def->columns > 0 && def->names && "a table has columns");
    carom_status status = check_names(def, error);
    if (!status) status = recorder_may_overwrite(path, "name", error);
    if (status) return status;
    carom_result *r = begin();
    if (!r) return carom_error_memory(error);
    status = open_table(r, path, def, error);
    if (status) destroy(r);
    else *result = r;
    return status;
}

carom_status carom_result_append(carom_result *r, const double *row, carom_error *error) {
    assert_usable(r);
    assert(!r->sim && "the rows of a run are taken: carom_result_take");
    return result_append(r->writer, row, r->state, r->rows++, error);
}

carom_status carom_result_append_event(carom_result *r, const double *event, carom_error *error) {
    assert_usable(r);
    assert(!r->sim && "the events of a run are taken: carom_result_take");
    return result_append_event(r->writer, event, error);
}
