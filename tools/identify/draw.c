/* A row of panels for each measured column: what was measured on the motion that was found, and residuals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "identify/identify.h"
#include "study/figure.h"

/* The motion that was found, step by step: rows of (record, t, columns). */
typedef struct trace {
    double *row;
    long count;
    int width;
} trace;

static bool keep_row(void *context, int record, double t, const double *values) {
    trace *x = context;
    if ((x->count & (x->count - 1)) == 0) { /* room doubles */
        double *more = realloc(x->row, (size_t)(x->count ? 2 * x->count : 1) * (size_t)x->width * sizeof *more);
        if (!more) return false;
        x->row = more;
    }
    double *to = x->row + x->count++ * x->width;
    to[0] = record, to[1] = t;
    memcpy(to + 2, values, (size_t)(x->width - 2) * sizeof *to);
    return true;
}

/* ---------------------------------------------------------------- series */

typedef struct drawing {
    const identify_question *q;
    const identify_answer *a;
    trace trace;
    double *memory, *next; /* points of all series */
    figure_series *series; /* of all panels, those of a panel in a row */
    int used;
} drawing;

static double *next_points(drawing *d, long count) {
    double *at = d->next;
    d->next += count;
    return at;
}

/* The motion of a record: column of the trace. */
static void add_motion(drawing *d, int record, int column) {
    figure_series s = {.x = next_points(d, d->trace.count), .y = next_points(d, d->trace.count), .style = FIGURE_LINES};
    for (long i = 0; i < d->trace.count; i++) {
        const double *row = d->trace.row + i * d->trace.width;
        if (row[0] != record) continue;
        ((double *)s.x)[s.count] = row[1], ((double *)s.y)[s.count++] = row[2 + column];
    }
    if (s.count) d->series[d->used++] = s;
}

/* What a series of points shows of a measurement. */
typedef double (*aspect)(const drawing *d, int i);

static double measured(const drawing *d, int i) {
    const measurement *m = &d->q->data->at[i];
    return m->column == EVENT_TIME ? (double)m->number : m->value;
}

static double residual(const drawing *d, int i) {
    return d->q->data->at[i].value - d->a->prediction[i];
}

static void add_points(drawing *d, int record, int column, aspect of) {
    const records *data = d->q->data;
    figure_series s = {.label = data->record[record].name,
                       .x = next_points(d, data->measurements),
                       .y = next_points(d, data->measurements),
                       .style = FIGURE_POINTS};
    for (int i = 0; i < data->measurements; i++) {
        if (data->at[i].record != record || data->at[i].column != column) continue;
        ((double *)s.x)[s.count] = data->at[i].t, ((double *)s.y)[s.count++] = of(d, i);
    }
    if (s.count) d->series[d->used++] = s;
}

/* ---------------------------------------------------------------- panels */

static void add_panel(drawing *d, int column, aspect of, const char *label, figure_panel *p) {
    const int first = d->used;
    for (int r = 0; r < d->q->data->count && of == measured && column != EVENT_TIME; r++) add_motion(d, r, column);
    for (int r = 0; r < d->q->data->count; r++) add_points(d, r, column, of);
    *p = (figure_panel){.x_label = "t", .y_label = label, .series = d->series + first, .count = d->used - first};
}

static bool has_column(const records *data, int column) {
    for (int i = 0; i < data->measurements; i++)
        if (data->at[i].column == column) return true;
    return false;
}

static carom_status draw(drawing *d, figure_panel *panels, char (*label)[80], const char *path, carom_error *error) {
    const records *data = d->q->data;
    int count = 0;
    for (int i = 0; i <= data->columns; i++) {
        const int c = i < data->columns ? i : EVENT_TIME;
        if (!has_column(data, c)) continue;
        const char *name = c == EVENT_TIME ? "number of the event" : data->column[c].name;
        snprintf(label[count / 2], sizeof *label, "%.60s, residual", c == EVENT_TIME ? "t of the event" : name);
        add_panel(d, c, measured, name, &panels[count]);
        add_panel(d, c, residual, label[count / 2], &panels[count + 1]);
        count += 2;
    }
    return figure_draw(path, carom_scene_title(d->q->scene), panels, count, 2, error);
}

static carom_status trace_motion(drawing *d, carom_error *error) {
    double *x = calloc((size_t)d->a->unknowns + 1, sizeof *x);
    predictor *p = NULL;
    carom_status status = x ? predictor_create(d->q, &p, error) : carom_error_memory(error);
    for (int k = 0; k < d->a->unknowns && !status; k++) x[k] = d->a->estimate[k].value;
    if (!status) status = predictor_trace(p, x, keep_row, &d->trace, error);
    predictor_destroy(p);
    free(x);
    return status;
}

carom_status identify_draw(const identify_question *q, const identify_answer *a, const char *path, carom_error *error) {
    const size_t kinds = (size_t)q->data->columns + 1, sets = (size_t)q->data->count;
    drawing d = {.q = q, .a = a, .trace = {.width = 2 + q->data->columns}};
    carom_status status = trace_motion(&d, error);
    const size_t points = 2 * (size_t)d.trace.count + 4 * (size_t)q->data->measurements;
    d.memory = d.next = malloc((kinds * sets * points + 1) * sizeof *d.memory);
    d.series = calloc(3 * kinds * sets + 1, sizeof *d.series);
    figure_panel *panels = calloc(2 * kinds, sizeof *panels);
    char(*label)[80] = calloc(kinds, sizeof *label);
    if (!status && !(d.memory && d.series && panels && label)) status = carom_error_memory(error);
    if (!status) status = draw(&d, panels, label, path, error);
    free(d.trace.row);
    free(d.memory);
    free(d.series);
    free(panels);
    free(label);
    return status;
}
