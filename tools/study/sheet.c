#include "study/sheet.h"

#include "error.h"
#include "result/csv.h"
#include "result/result.h"
#include "result/store.h"
#include "scene/scene.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sheet_destroy(sheet *s) {
    for (int i = 0; s->names && i < s->columns; i++) free(s->names[i]);
    free(s->names);
    free(s->values);
    *s = (sheet){0};
}

int sheet_find(const sheet *s, const char *name) {
    for (int i = 0; i < s->columns; i++)
        if (!strcmp(s->names[i], name)) return i;
    return -1;
}

/* ---------------------------------------------------------------- results */

/* Percussions of a result that leaves out steps are those of the steps it kept, without those between. */
static carom_status look_for_every_step(result_reader *reader, bool *every, carom_error *error) {
    const char *text = result_text(reader, "scene");
    carom_scene *scene = NULL;
    carom_status status = text ? scene_load_text(text, strlen(text), "scene", NULL, &scene, NULL) : CAROM_DATA;
    *every = !status && carom_scene_every(scene) == 1;
    carom_scene_destroy(scene);
    return result_exhausted(reader) || status == CAROM_MEMORY ? carom_error_memory(error) : CAROM_OK;
}

static carom_status read_result(const char *path, sheet *s, carom_error *error) {
    result_reader *reader;
    carom_status status = result_open(path, &reader, error);
    if (status) return status;
    int columns = result_columns(reader);
    s->rows = result_rows(reader);
    status = look_for_every_step(reader, &s->percussions, error);
    s->names = calloc((size_t)columns + 1, sizeof *s->names);
    s->values = malloc(((size_t)s->rows * (size_t)columns + 1) * sizeof *s->values);
    if (!s->names || !s->values) status = carom_error_memory(error);
    for (; s->columns < columns && !status; s->columns++) {
        if (!(s->names[s->columns] = strdup(result_name(reader, s->columns)))) status = carom_error_memory(error);
        else status = result_read(reader, s->columns, 0, s->rows, s->values + s->columns * s->rows, error);
    }
    result_close(reader);
    return status;
}

/* ---------------------------------------------------------------- CSV */

static carom_status read_names(char *line, const char *path, sheet *s, carom_error *error) {
    size_t room = 1;
    for (const char *c = line; *c; c++) room += *c == ',';
    if (!(s->names = calloc(room, sizeof *s->names))) return carom_error_memory(error);
    for (char *rest = line; rest;) {
        const char *name = csv_field(&rest);
        if (sheet_find(s, name) >= 0)
            return carom_error_at(error, CAROM_DATA, path, 1, 1, "two columns are named '%.80s'", name);
        if (!(s->names[s->columns] = strdup(name))) return carom_error_memory(error);
        s->columns++;
    }
    return CAROM_OK;
}

static carom_status read_numbers(char *line, const char *path, int number, int columns, double *row,
                                 carom_error *error) {
    int count = 0;
    for (char *rest = line; rest;) {
        char *field = csv_field(&rest), *end;
        if (count == columns) return carom_error_at(error, CAROM_DATA, path, number, 1, "more values than names");
        row[count++] = strtod(field, &end);
        if (end == field || *end)
            return carom_error_at(error, CAROM_DATA, path, number, 1, "'%.40s' is not a number", field);
    }
    return count == columns
               ? CAROM_OK
               : carom_error_at(error, CAROM_DATA, path, number, 1, "%d values for %d names", count, columns);
}

/* Rows as they come, [rows][columns], with room that doubles. */
static carom_status read_lines(FILE *in, const char *path, sheet *s, carom_error *error) {
    char *line = NULL;
    size_t size = 0, room = 0;
    ssize_t length;
    carom_status status = CAROM_OK;
    for (int number = 1; !status && (length = getline(&line, &size, in)) >= 0; number++) {
        while (length > 0 && strchr("\r\n", line[length - 1])) line[--length] = '\0';
        if (number == 1) status = read_names(line, path, s, error);
        if (number == 1 || !line[strspn(line, " \t")]) continue;
        if ((size_t)(s->rows + 1) * (size_t)s->columns > room) {
            room = 2 * room + 64 * (size_t)s->columns;
            double *larger = realloc(s->values, room * sizeof *larger);
            if (!larger) status = carom_error_memory(error);
            else s->values = larger;
        }
        if (!status) status = read_numbers(line, path, number, s->columns, s->values + s->rows * s->columns, error);
        if (!status) s->rows++;
    }
    free(line);
    return status;
}

static carom_status transpose(sheet *s, carom_error *error) {
    double *values = malloc(((size_t)s->rows * (size_t)s->columns + 1) * sizeof *values);
    if (!values) return carom_error_memory(error);
    for (long i = 0; i < s->rows; i++)
        for (int c = 0; c < s->columns; c++) values[c * s->rows + i] = s->values[i * s->columns + c];
    free(s->values);
    s->values = values;
    return CAROM_OK;
}

static carom_status read_csv(const char *path, sheet *s, carom_error *error) {
    FILE *in = fopen(path, "r");
    char reason[128];
    s->percussions = true;
    carom_status status = in ? read_lines(in, path, s, error) : CAROM_DATA;
    if (!in || (!status && ferror(in)))
        status = carom_error_set(error, CAROM_DATA, "%s: %s", path, store_reason(errno, reason, sizeof reason));
    if (in) fclose(in);
    return status ? status : transpose(s, error);
}

/* ---------------------------------------------------------------- both */

static carom_status check_times(const char *path, const sheet *s, carom_error *error) {
    int column = sheet_find(s, "t");
    if (column < 0) return carom_error_set(error, CAROM_DATA, "%s has no column 't'", path);
    if (s->rows < 2) return carom_error_set(error, CAROM_DATA, "%s has fewer than two rows", path);
    const double *t = s->values + column * s->rows;
    for (long i = 0; i < s->rows; i++)
        if (!isfinite(t[i]) || (i > 0 && !(t[i] > t[i - 1])))
            return carom_error_set(error, CAROM_DATA, "%s: the time does not increase in row %ld, where t = %.9g", path,
                                   i + 1, t[i]);
    return CAROM_OK;
}

carom_status sheet_read(const char *path, sheet *s, carom_error *error) {
    const char *dot = strrchr(path, '.');
    *s = (sheet){0};
    carom_status status = dot && !strcmp(dot, ".csv") ? read_csv(path, s, error) : read_result(path, s, error);
    if (!status) status = check_times(path, s, error);
    if (status) sheet_destroy(s);
    return status;
}
