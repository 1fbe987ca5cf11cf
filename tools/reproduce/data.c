/* Tables of runs: what a result holds, under the names of formulas. */
#include "error.h"
#include "reproduce/measure.h"
#include "result/result.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void data_destroy(data *d) {
    for (int i = 0; i < d->count; i++) {
        free(d->columns[i].name);
        free(d->columns[i].values);
    }
    free(d->columns);
    free(d->path);
    *d = (data){0};
}

static column *find(const data *d, const char *name) {
    for (int i = 0; i < d->count; i++)
        if (!strcmp(d->columns[i].name, name)) return &d->columns[i];
    return NULL;
}

const column *data_find(const data *d, const char *name) {
    return find(d, name);
}

/* A column without values, under a copy of the name; NULL: out of memory. */
static column *new_column(data *d, const char *name) {
    if (d->count == d->room) {
        int room = 2 * d->room + 16;
        column *larger = realloc(d->columns, (size_t)room * sizeof *larger);
        if (!larger) return NULL;
        d->columns = larger;
        d->room = room;
    }
    column *c = &d->columns[d->count];
    *c = (column){.name = strdup(name), .equals = -1};
    if (!c->name) return NULL;
    d->count++;
    return c;
}

bool data_add(data *d, const char *name, double value) {
    column *c = find(d, name);
    if (!c) c = new_column(d, name);
    if (!c) return false;
    if ((c->count & (c->count - 1)) == 0) { /* room is the next power of two */
        double *larger = realloc(c->values, (c->count ? 2 * (size_t)c->count : 1) * sizeof *larger);
        if (!larger) return false;
        c->values = larger;
    }
    c->values[c->count++] = value;
    return true;
}

/* ---------------------------------------------------------------- what a run has recorded */

/* A file may hold a quantity whose name carom uses otherwise ("dt"). Then the name means the quantity. */
static bool add_reference(data *d, column_place place, long count, int number, int equals, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
static bool add_reference(data *d, column_place place, long count, int number, int equals, const char *format, ...) {
    char *name;
    va_list arguments;
    va_start(arguments, format);
    int written = vasprintf(&name, format, arguments);
    va_end(arguments);
    if (written < 0) return false;
    for (char *c = name; *c; c++)
        if (*c == '/') *c = '.'; /* before/x */
    column *c = find(d, name);
    bool taken = c != NULL;
    if (!c) c = new_column(d, name);
    free(name);
    if (c && !taken) {
        c->count = count;
        c->place = place;
        c->number = number;
        c->equals = equals;
    }
    return c != NULL;
}

static bool refer_rows(data *d, const result_reader *r) {
    bool fine = true;
    for (int i = 0; i < result_columns(r) && fine; i++)
        fine = add_reference(d, COLUMN_OF_ROWS, result_rows(r), i, -1, "%s", result_name(r, i));
    return fine;
}

static bool refer_events(data *d, const result_reader *events) {
    if (!events) return true;
    long count = result_rows(events);
    int contact = result_find(events, "contact"), kind = result_find(events, "kind");
    bool fine = true;
    for (int i = 0; i < result_columns(events) && fine; i++)
        fine = add_reference(d, COLUMN_OF_EVENTS, count, i, -1, "events.%s", result_name(events, i));
    for (int i = 0; kind >= 0 && result_kind(events, i) && fine; i++)
        if (result_kind(events, i)[0]) /* a kind without a name was not looked for */
            fine = add_reference(d, COLUMN_OF_EVENTS, count, kind, i, "events.%s", result_kind(events, i));
    for (int i = 0; contact >= 0 && result_contact(events, i) && fine; i++)
        fine = add_reference(d, COLUMN_OF_EVENTS, count, contact, i, "events.at.%s", result_contact(events, i));
    return fine;
}

/* ---------------------------------------------------------------- numbers about it */

/* Adds a number under a name of two parts, unless a quantity has this name. */
static bool add_number(data *d, const char *group, const char *name, double value) {
    char *full;
    if (asprintf(&full, "%s%s", group, name) < 0) return false;
    bool fine = find(d, full) || data_add(d, full, value);
    free(full);
    return fine;
}

static bool tell_attribute(data *d, result_reader *r, const char *attribute) {
    int count;
    double *numbers = result_numbers(r, attribute, &count);
    bool fine = !numbers || add_number(d, "", attribute, numbers[0]);
    free(numbers);
    return fine;
}

/* "newton_max.1", "newton_max.2", ... */
static bool tell_stages(data *d, result_reader *r, const char *attribute) {
    int count;
    double *numbers = result_numbers(r, attribute, &count);
    bool fine = true;
    for (int i = 0; i < count && fine; i++) {
        char stage[16];
        snprintf(stage, sizeof stage, ".%d", i + 1);
        fine = add_number(d, attribute, stage, numbers[i]);
    }
    free(numbers);
    return fine;
}

static bool tell_parameters(data *d, result_reader *r) {
    int count;
    double *numbers = result_numbers(r, "parameter_values", &count);
    bool fine = true;
    for (int i = 0; i < count && i < result_parameters(r) && fine; i++)
        fine = add_number(d, "parameter.", result_parameter(r, i), numbers[i]);
    free(numbers);
    return fine;
}

/* Whatever is not a letter or a digit becomes '_', several in a row one, none at the end: "CFL_number". */
static void make_name(char *text) {
    char *to = text;
    for (const char *c = text; *c; c++) {
        bool kept = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        if (kept) *to++ = *c;
        else if (to > text && to[-1] != '_') *to++ = '_';
    }
    if (to > text && to[-1] == '_') to--;
    *to = '\0';
}

static bool tell_figures(data *d, result_reader *r) {
    bool fine = true;
    for (int i = 0; i < result_figures(r) && fine; i++) {
        int count;
        char *name = strdup(result_figure(r, i));
        double *numbers = name ? result_numbers(r, name, &count) : NULL;
        fine = name != NULL;
        if (numbers) {
            make_name(name);
            fine = add_number(d, "figure.", name, numbers[0]);
        }
        free(numbers);
        free(name);
    }
    return fine;
}

carom_status data_read_run(const char *path, data *d, carom_error *error) {
    *d = (data){0};
    result_reader *r;
    carom_status status = result_open(path, &r, error);
    if (status) return status;
    const char *outcome = result_text(r, "status");
    bool fine = (d->path = strdup(path)) && refer_rows(d, r) && refer_events(d, result_events(r)) &&
                tell_attribute(d, r, "dt") && tell_attribute(d, r, "until") && tell_attribute(d, r, "wall_seconds") &&
                add_number(d, "", "failed", outcome && !strncmp(outcome, "failed", 6)) &&
                tell_stages(d, r, "newton_max") && tell_stages(d, r, "newton_mean") && tell_parameters(d, r) &&
                tell_figures(d, r) && !result_exhausted(r);
    result_close(r);
    if (fine) return CAROM_OK;
    data_destroy(d);
    return carom_error_memory(error);
}

carom_status data_values(const data *d, const column *c, result_reader **reader, double *values, carom_error *error) {
    if (c->place == COLUMN_HELD) {
        if (c->count) memcpy(values, c->values, (size_t)c->count * sizeof *values);
        return CAROM_OK;
    }
    carom_status status = *reader ? CAROM_OK : result_open(d->path, reader, error);
    if (status) return status;
    result_reader *table = c->place == COLUMN_OF_ROWS ? *reader : result_events(*reader);
    if (!table || c->number >= result_columns(table))
        return carom_error_set(error, CAROM_DATA, "%s has changed: its column '%s' is gone", d->path, c->name);
    status = result_read(table, c->number, 0, c->count, values, error);
    for (long i = 0; i < c->count && c->equals >= 0 && !status; i++) values[i] = values[i] == c->equals;
    return status;
}
