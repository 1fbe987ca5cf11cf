#include "viewer/clip.h"

#include "error.h"
#include "result/json.h"
#include "result/reader.h"
#include "viewer/events.h"
#include "viewer/motion.h"
#include "viewer/quantities.h"
#include "viewer/rows.h"
#include "viewer/touches.h"

#include <stdlib.h>
#include <string.h>

/* A browser opens a page with this many numbers in about a second. */
enum { NUMBERS = 3000000, FEWEST = 300 };

typedef struct clip {
    result_reader *reader;
    long rows, chosen;
    double *t;
    long *row;
    found found;
    events events;
    film film;
    carom_error nothing; /* why there is no film */
    int time, event[EVENT_FIELDS], *first;
    columns columns;
    quantities quantities;
    touches touches;
} clip;

/* ---- what there is */

static carom_status read_times(clip *c, carom_error *error) {
    int column = result_find(c->reader, "t");
    c->rows = result_rows(c->reader);
    if (c->rows == 0) return carom_error_set(error, CAROM_DATA, "%s holds no rows yet", result_path(c->reader));
    if (column < 0)
        return carom_error_set(error, CAROM_DATA, "%s does not record the time 't'", result_path(c->reader));
    if (!(c->t = malloc((size_t)c->rows * sizeof *c->t))) return carom_error_memory(error);
    return result_read(c->reader, column, 0, c->rows, c->t, error);
}

/* Contacts that are found count with their mean number per row. */
static long most_rows(const clip *c, const viewer_options *o) {
    long numbers = o->numbers > 0 ? o->numbers : NUMBERS;
    long touching = c->found.table ? FOUND_NUMBERS * (result_rows(c->found.table) / c->rows) : 0;
    long most = o->frames > 0 ? o->frames : numbers / (quantities_expected(c->reader) + touching + 1);
    return o->frames > 0 ? (most < 2 ? 2 : most) : most < FEWEST ? FEWEST : most;
}

/* A result without a drawing is shown by plots, and the page says why. */
static carom_status open_film(clip *c, const viewer_options *o, carom_error *error) {
    const instants when = {.rows = c->row, .row_count = c->chosen};
    carom_status status = film_open(c->reader, &when, &c->film, &c->nothing);
    if (status == CAROM_DATA && !o->drawn) return CAROM_OK;
    if (status) *error = c->nothing;
    c->nothing.message[0] = '\0';
    return status;
}

static carom_status prepare(clip *c, const viewer_options *o, carom_error *error) {
    carom_status status = read_times(c, error);
    if (!status) status = found_open(&c->found, c->reader, c->t, c->rows, error);
    if (!status) status = events_read(c->reader, c->t, c->rows, &c->found, &c->events, error);
    if (!status) status = rows_choose(c->t, c->rows, &c->events, most_rows(c, o), &c->row, &c->chosen, error);
    return status ? status : open_film(c, o, error);
}

/* ---- its numbers */

static void add_events(clip *c) {
    const events *e = &c->events;
    double *values = malloc((size_t)(e->count + 1) * sizeof *values);
    c->columns.failed |= !values;
    for (int f = 0; f < EVENT_FIELDS && values; f++) {
        for (long i = 0; i < e->count; i++) values[i] = e->event[i][f];
        c->event[f] = columns_add(&c->columns, f == EVENT_TIME ? CODED_TIME : CODED_QUANTITY, values, e->count);
    }
    free(values);
}

static carom_status add_times(clip *c, carom_error *error) {
    double *t = malloc((size_t)c->chosen * sizeof *t);
    if (!t) return carom_error_memory(error);
    for (long k = 0; k < c->chosen; k++) t[k] = c->t[c->row[k]];
    c->time = columns_add(&c->columns, CODED_TIME, t, c->chosen);
    free(t);
    return CAROM_OK;
}

static carom_status add_motion(clip *c, carom_error *error) {
    if (!c->film.drawing) return CAROM_OK;
    c->first = malloc(((size_t)c->film.drawing->things + 1) * sizeof *c->first);
    return c->first ? motion_write(&c->columns, &c->film, c->first, error) : carom_error_memory(error);
}

static carom_status write_numbers(clip *c, FILE *out, carom_error *error) {
    carom_status status = columns_open(&c->columns, out, error), closed;
    if (status) return status;
    status = add_times(c, error);
    if (!status) add_events(c);
    if (!status) status = add_motion(c, error);
    if (!status) status = quantities_write(&c->columns, c->reader, c->row, c->chosen, &c->quantities, error);
    if (!status) status = touches_write(&c->columns, &c->found, c->row, c->chosen, &c->touches, error);
    closed = columns_close(&c->columns, status ? NULL : error);
    return status ? status : closed;
}

/* ---- their description */

static void describe_run(const clip *c, FILE *out) {
    static const char *const texts[] = {"scene_path", "integrator", "status", "dt", "carom_version"};
    const char *title = result_text(c->reader, "title"), *path = result_path(c->reader);
    json_entry(out, "{", "title", title ? title : "");
    json_entry(out, ", ", "file", strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        json_entry(out, ", ", texts[i], result_text(c->reader, texts[i]));
    fprintf(out, ", \"rows\": %ld, \"frames\": %ld, \"time\": %d,\n", c->rows, c->chosen, c->time);
}

static void describe_events(const clip *c, FILE *out) {
    static const char *const fields[EVENT_FIELDS] = {"t", "contact", "kind", "PN", "loss"};
    fprintf(out, "\"events\": {\"located\": %s, \"count\": %ld", c->events.located ? "true" : "false", c->events.count);
    for (int f = 0; f < EVENT_FIELDS; f++) fprintf(out, ", \"%s\": %d", fields[f], c->event[f]);
    fputs(", \"kinds\": [", out);
    for (int k = 0; k < CAROM_EVENT_KINDS; k++)
        fputs(k > 0 ? ", " : "", out), json_text(out, carom_event_kind_name((carom_event_kind)k));
    fputs("], \"contacts\": [", out);
    for (int i = 0; i < c->events.contacts; i++) fputs(i > 0 ? ", " : "", out), json_text(out, c->events.contact[i]);
    fputs("]},\n", out);
}

static void describe(const clip *c, const viewer_options *o, FILE *out) {
    describe_run(c, out);
    fprintf(out, "\"live\": %s,\n", o->live ? "true" : "false");
    describe_events(c, out);
    if (c->film.drawing) fputs("\"drawing\": ", out), motion_describe(out, &c->film, c->first), fputs(",\n", out);
    else json_entry(out, "", "nothing", c->nothing.message), fputs(",\n", out);
    if (c->found.table) touches_describe(out, &c->touches, &c->found, &c->film);
    quantities_describe(out, &c->quantities);
    fputs(",\n\"columns\": ", out);
    columns_describe(&c->columns, out);
    fputs("}\n", out);
}

carom_status clip_write(FILE *out, result_reader *r, const viewer_options *o, const char *name, carom_error *error) {
    clip c = {.reader = r};
    carom_status status = prepare(&c, o, error);
    if (!status) {
        fprintf(out, "<script type=\"text/plain\" id=\"numbers-%s\">", name);
        status = write_numbers(&c, out, error);
        fprintf(out, "</script>\n<script type=\"application/json\" id=\"clip-%s\">\n", name);
    }
    if (!status) describe(&c, o, out);
    if (!status) fputs("</script>\n", out);
    if (!status && result_exhausted(r)) status = carom_error_memory(error);
    free(c.t);
    free(c.row);
    free(c.first);
    found_close(&c.found);
    events_free(&c.events);
    film_close(&c.film);
    columns_free(&c.columns);
    quantities_free(&c.quantities);
    touches_free(&c.touches);
    return status;
}
