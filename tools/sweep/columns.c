#include "sweep/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "record/recorder.h"

/* ---------------------------------------------------------------- names */

typedef struct listing {
    const char **name, **unit;
    int count;
} listing;

static void add_column(listing *l, const char *name, const char *unit) {
    l->unit[l->count] = unit;
    l->name[l->count++] = name;
}

static void add_axes(listing *l, const sweep_question *q) {
    for (int k = 0; k < q->plan->axes; k++) {
        const char *name = q->plan->axis[k].name;
        add_column(l, name, q->plan->names[k].component >= 0 ? carom_scene_unit(q->scene, name + 6) : "");
    }
}

static void add_kept(listing *l, const sweep_question *q) {
    for (int k = 0; k < q->kept; k++) add_column(l, q->keep_name[k], carom_scene_unit(q->scene, q->keep[k]));
}

enum { NAME = 24 };

static void list_rows(sweep_columns *c, const sweep_question *q, bool whole) {
    listing l = {.name = c->row, .unit = c->row_unit};
    add_column(&l, "run", "");
    add_axes(&l, q);
    add_kept(&l, q);
    add_column(&l, "events", "");
    for (int k = 0; k < q->exponents; k++) {
        snprintf(c->names + k * NAME, NAME, "lyapunov%d", k + 1);
        add_column(&l, c->names + k * NAME, "1/s");
    }
    add_column(&l, "failed", "");
    if (whole && q->points) add_column(&l, "cycle", ""), add_column(&l, "attractor", "");
    c->rows = l.count;
}

static void list_points(sweep_columns *c, const sweep_question *q) {
    listing l = {.name = c->point, .unit = c->point_unit};
    if (!q->points) return;
    add_column(&l, "run", "");
    add_axes(&l, q);
    add_column(&l, "t", "s");
    add_kept(&l, q);
    c->points = l.count;
}

/* A name becomes that of a dataset: "x/y" would be y in a group x. */
static carom_status check_names(const char *const *names, int count, carom_error *error) {
    for (int i = 0; i < count; i++) {
        if (strchr(names[i], '/') || names[i][0] == '#' || !strcmp(names[i], "."))
            return carom_error_set(error, CAROM_DATA, "'%s' needs a name in the result: --keep \"name=%s\"", names[i],
                                   names[i]);
        for (int j = 0; j < i; j++)
            if (!strcmp(names[i], names[j]))
                return carom_error_set(error, CAROM_DATA,
                                       "'%s' is a column twice: give one another name, --keep \"name=%s\"", names[i],
                                       names[i]);
    }
    return CAROM_OK;
}

/* ---------------------------------------------------------------- what the file says */

static carom_status describe(sweep_columns *c, const sweep_question *q, carom_error *error) {
    const recording r = {.count = c->rows, .names = c->row};
    carom_status status = recorder_describe(q->scene, &r, q->scene_path, &c->info, error);
    if (status) return status;
    snprintf(c->title, sizeof c->title, "%s: %ld runs", carom_scene_title(q->scene), q->plan->runs);
    if (asprintf(&c->scene, "%s# sweep:%s\n", carom_scene_text(q->scene), q->command) < 0) c->scene = NULL;
    if (!c->scene) return carom_error_memory(error);
    c->info.title = c->title, c->info.scene = c->scene, c->info.plots = 0, c->info.every = 1;
    c->info.any_version = q->any_version;
    c->info.events = (result_events_info){.columns = c->points, .names = c->point, .units = c->point_unit};
    return CAROM_OK;
}

carom_status sweep_columns_create(sweep_columns *c, const sweep_question *q, bool whole, carom_error *error) {
    const size_t most = (size_t)(q->plan->axes + q->kept + q->exponents) + 8;
    *c = (sweep_columns){.row = calloc(4 * most, sizeof *c->row)};
    c->names = calloc((size_t)q->exponents + 1, NAME);
    if (!c->row || !c->names) return carom_error_memory(error);
    c->row_unit = c->row + most, c->point = c->row_unit + most, c->point_unit = c->point + most;
    list_rows(c, q, whole);
    list_points(c, q);
    carom_status status = check_names(c->row, c->rows, error);
    if (!status) status = check_names(c->point, c->points, error);
    return status ? status : describe(c, q, error);
}

void sweep_columns_destroy(sweep_columns *c) {
    recorder_free(&c->info);
    free(c->row);
    free(c->names);
    free(c->scene);
}
