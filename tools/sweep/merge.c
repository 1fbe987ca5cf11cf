#include "sweep/merge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "result/csv.h"
#include "sweep/columns.h"

/* ---------------------------------------------------------------- reading parts */

static bool is_finished(const char *path) {
    struct stat there;
    result_reader *r;
    if (stat(path, &there) || result_open(path, &r, NULL)) return false;
    const char *status = result_text(r, "status");
    const bool finished = status && !strcmp(status, "finished");
    result_close(r);
    return finished;
}

static bool are_finished(const char *out, int tasks) {
    for (int i = 0; i < tasks; i++) {
        char *path = part_path(out, (sweep_task){i, tasks});
        const bool finished = path && is_finished(path);
        free(path);
        if (!finished) return false;
    }
    return true;
}

static carom_status read_rows(sweep_whole *w, result_reader *r, int part_columns, sweep_task task, carom_error *error) {
    const long rows = result_rows(r);
    double *values = malloc(((size_t)rows + 1) * sizeof *values);
    carom_status status = values ? CAROM_OK : carom_error_memory(error);
    for (int c = 0; c < part_columns && !status; c++) {
        status = result_read(r, c, 0, rows, values, error);
        for (long i = 0; i < rows && !status; i++) w->row[(task.number + i * task.of) * w->columns + c] = values[i];
    }
    free(values);
    return status;
}

/* Points of a part, [rows][size + 1]: the run, then time and kept values. In the file the axes lie between. */
static carom_status load_points(result_reader *r, const sweep_question *q, int size, double **points, long *count,
                                carom_error *error) {
    result_reader *events = result_events(r);
    *count = events ? result_rows(events) : 0;
    double *values = malloc(((size_t)*count + 1) * sizeof *values);
    *points = malloc(((size_t)*count + 1) * (size_t)(size + 1) * sizeof **points);
    carom_status status = values && *points ? CAROM_OK : carom_error_memory(error);
    for (int c = 0; c <= size && events && !status; c++) {
        status = result_read(events, c ? c + q->plan->axes : 0, 0, *count, values, error);
        for (long i = 0; i < *count && !status; i++) (*points)[i * (size + 1) + c] = values[i];
    }
    free(values);
    return status;
}

typedef struct point_list {
    double *points;
    long count;
} point_list;

/* Sorts points by run. Counts of points become their places; the points of a run stay in order. */
static carom_status join_points(sweep_whole *w, const point_list *lists, int tasks, long runs, int size,
                                carom_error *error) {
    sections *s = &w->sections;
    s->runs = runs, s->size = size;
    s->first = calloc((size_t)runs + 2, sizeof *s->first);
    if (!s->first) return carom_error_memory(error);
    for (int p = 0; p < tasks; p++)
        for (long i = 0; i < lists[p].count; i++) s->first[(long)lists[p].points[i * (size + 1)] + 1]++;
    for (long run = 0; run < runs; run++) s->first[run + 1] += s->first[run];
    s->point = malloc(((size_t)s->first[runs] + 1) * (size_t)size * sizeof *s->point);
    if (!s->point) return carom_error_memory(error);
    for (int p = 0; p < tasks; p++)
        for (long i = 0, last = -1, place = 0; i < lists[p].count; i++) {
            const double *from = lists[p].points + i * (size + 1);
            place = (long)from[0] == last ? place + 1 : s->first[(long)from[0]];
            last = (long)from[0];
            memcpy(s->point + place * size, from + 1, (size_t)size * sizeof *from);
        }
    return CAROM_OK;
}

static void read_reasons(sweep_whole *w, const char *part, long runs) {
    char path[4096], *record = NULL, *rest;
    size_t room = 0;
    snprintf(path, sizeof path, "%s.failed", part);
    FILE *in = fopen(path, "r");
    while (in && csv_record(in, &record, &room)) {
        rest = record;
        const long run = strtol(csv_field(&rest), NULL, 10);
        if (!rest || run < 0 || run >= runs) continue;
        free(w->reason[run]);
        w->reason[run] = strdup(csv_field(&rest));
    }
    free(record);
    if (in) fclose(in);
}

static carom_status read_part(sweep_whole *w, const sweep_question *q, const char *out, sweep_task task, int columns,
                              point_list *list, carom_error *error) {
    char *path = part_path(out, task);
    result_reader *r = NULL;
    carom_status status = path ? result_open(path, &r, error) : carom_error_memory(error);
    if (!status) status = read_rows(w, r, columns, task, error);
    if (!status && q->points) status = load_points(r, q, 1 + q->kept, &list->points, &list->count, error);
    if (!status) read_reasons(w, path, q->plan->runs);
    if (r) result_close(r);
    free(path);
    return status;
}

/* ---------------------------------------------------------------- attractors */

/* Points without their times. */
static carom_status find_attractors(sweep_whole *w, double tolerance, carom_error *error) {
    const sections *all = &w->sections;
    const long runs = all->runs, count = all->first[runs];
    sections s = {.runs = runs, .first = all->first, .size = all->size - 1};
    double *found = malloc(2 * (size_t)runs * sizeof *found);
    s.point = malloc(((size_t)count * (size_t)s.size + 1) * sizeof *s.point);
    for (long i = 0; s.point && i < count; i++)
        memcpy(s.point + i * s.size, all->point + i * all->size + 1, (size_t)s.size * sizeof *s.point);
    const bool ok = found && s.point && attractors_find(&s, tolerance, found, found + runs);
    for (long run = 0; ok && run < runs; run++) {
        double *row = w->row + run * w->columns + w->columns - 2;
        const bool failed = row[-1] != 0;
        row[0] = failed ? NAN : found[run], row[1] = failed ? NAN : found[runs + run];
    }
    free(found);
    free(s.point);
    return ok ? CAROM_OK : carom_error_memory(error);
}

carom_status whole_read(const sweep_question *q, const char *out, int tasks, double tolerance, sweep_whole *w,
                        bool *complete, carom_error *error) {
    const int more = q->points ? 2 : 0, columns = 3 + q->plan->axes + q->kept + q->exponents;
    *w = (sweep_whole){.columns = columns + more};
    *complete = are_finished(out, tasks);
    if (!*complete) return CAROM_OK;
    point_list *lists = calloc((size_t)tasks, sizeof *lists);
    w->row = calloc((size_t)q->plan->runs * (size_t)w->columns, sizeof *w->row);
    w->reason = calloc((size_t)q->plan->runs, sizeof *w->reason);
    carom_status status = lists && w->row && w->reason ? CAROM_OK : carom_error_memory(error);
    for (int p = 0; p < tasks && !status; p++)
        status = read_part(w, q, out, (sweep_task){p, tasks}, columns, &lists[p], error);
    if (!status && more) status = join_points(w, lists, tasks, q->plan->runs, 1 + q->kept, error);
    if (!status && more) status = find_attractors(w, tolerance, error);
    for (long run = 0; run < q->plan->runs && !status; run++) w->failed += w->row[run * w->columns + columns - 1] != 0;
    for (int p = 0; lists && p < tasks; p++) free(lists[p].points);
    free(lists);
    return status;
}

void whole_destroy(sweep_whole *w, const sweep_question *q) {
    for (long run = 0; w->reason && run < q->plan->runs; run++) free(w->reason[run]);
    free(w->reason);
    free(w->row);
    free(w->sections.first);
    free(w->sections.point);
}

/* ---------------------------------------------------------------- writing the whole */

static carom_status write_rows(const sweep_question *q, const sweep_whole *w, result_writer *writer,
                               carom_error *error) {
    const sections *s = &w->sections;
    const int axes = q->plan->axes;
    double *point = malloc(((size_t)axes + (size_t)s->size + 1) * sizeof *point);
    carom_status status = point ? CAROM_OK : carom_error_memory(error);
    for (long run = 0; run < q->plan->runs && !status; run++) {
        const double *row = w->row + run * w->columns;
        memcpy(point, row, (size_t)(1 + axes) * sizeof *point);
        for (long i = s->first ? s->first[run] : 0; s->first && i < s->first[run + 1] && !status; i++) {
            memcpy(point + 1 + axes, s->point + i * s->size, (size_t)s->size * sizeof *point);
            status = result_append_event(writer, point, error);
        }
        if (!status) status = result_append(writer, row, NULL, run + 1, error);
    }
    free(point);
    return status;
}

static carom_status write_result(const sweep_question *q, const char *out, const sweep_whole *w, carom_error *error) {
    sweep_columns c;
    result_writer *writer = NULL;
    carom_status status = sweep_columns_create(&c, q, true, error);
    if (!status) status = result_create(out, &c.info, c.rows, c.row, c.row_unit, 0, &writer, error);
    if (!status) status = write_rows(q, w, writer, error);
    if (writer) {
        const carom_status closed =
            result_finish(writer, &(result_summary){.status = status ? "failed" : "finished"}, status ? NULL : error);
        status = status ? status : closed;
    }
    sweep_columns_destroy(&c);
    return status;
}

static void write_line(FILE *f, const sweep_question *q, const sweep_whole *w, long run) {
    const double *row = w->row + run * w->columns;
    fprintf(f, "%ld", run);
    for (int k = 0; k < q->plan->axes; k++) fputc(',', f), csv_number(f, row[1 + k]);
    fputc(',', f);
    csv_text(f, w->reason[run] ? w->reason[run] : "");
    fputc('\n', f);
}

static carom_status write_reasons(const sweep_question *q, const char *out, const sweep_whole *w, carom_error *error) {
    char path[4096];
    FILE *f;
    snprintf(path, sizeof path, "%s.failed.csv", out);
    if (!w->failed) unlink(path);
    carom_status status = w->failed ? csv_open(path, &f, error) : CAROM_OK;
    if (status || !w->failed) return status;
    fputs("run", f);
    for (int k = 0; k < q->plan->axes; k++) fputc(',', f), csv_text(f, q->plan->axis[k].name);
    fputs(",reason\n", f);
    for (long run = 0; run < q->plan->runs; run++)
        if (w->row[run * w->columns + w->columns - (q->points ? 3 : 1)] != 0) write_line(f, q, w, run);
    return csv_close(path, f, CAROM_OK, error);
}

static void remove_parts(const char *out, int tasks) {
    for (int i = 0; i < tasks; i++) {
        char *path = part_path(out, (sweep_task){i, tasks}), reasons[4096];
        if (!path) continue;
        snprintf(reasons, sizeof reasons, "%s.failed", path);
        unlink(path);
        unlink(reasons);
        free(path);
    }
}

carom_status whole_write(const sweep_question *q, const char *out, int tasks, const sweep_whole *w,
                         carom_error *error) {
    carom_status status = write_result(q, out, w, error);
    if (!status) status = write_reasons(q, out, w, error);
    if (!status) remove_parts(out, tasks);
    return status;
}
