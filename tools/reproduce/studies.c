/* Tables of studies: converge.csv and compare.csv, with the integrators under their short names. */
#include "error.h"
#include "reproduce/measure.h"
#include "result/csv.h"
#include "result/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 64 };

typedef struct study {
    const char *path, *norm; /* norm NULL: a comparison */
    const char *const *label, *const *alias;
    int count;
    data *table;
    int line; /* records so far */
    char *head;
    const char *name[MOST_FIELDS]; /* of the columns, in head */
    int columns;
    int norm_at, integrator_at, quantity_at, dt_at, error_at, order_at; /* columns; -1: none */
    bool norm_found;
    carom_error *error;
} study;

static carom_status complain(study *s, const char *what, const char *text) {
    return carom_error_at(s->error, CAROM_DATA, s->path, s->line, 1, "%s '%.80s'", what, text);
}

static carom_status split(study *s, char *record, const char **fields, int *count) {
    *count = 0;
    for (char *rest = record; rest;) {
        const char *field = csv_field(&rest);
        if (*count == MOST_FIELDS) return complain(s, "more fields than a study has, at", field);
        fields[(*count)++] = field;
    }
    return CAROM_OK;
}

static int place_of(const study *s, const char *name) {
    for (int i = 0; i < s->columns; i++)
        if (!strcmp(s->name[i], name)) return i;
    return -1;
}

static carom_status read_head(study *s, const char *record) {
    if (!(s->head = strdup(record))) return carom_error_memory(s->error);
    carom_status status = split(s, s->head, s->name, &s->columns);
    if (status) return status;
    s->integrator_at = place_of(s, "integrator");
    s->norm_at = place_of(s, "norm");
    s->quantity_at = place_of(s, "quantity");
    s->dt_at = place_of(s, "dt");
    s->error_at = place_of(s, "error");
    s->order_at = place_of(s, "overall_order");
    static const char *const needed[] = {"integrator", "dt", "norm", "quantity", "error", "overall_order"};
    for (int i = 0; i < (s->norm ? 6 : 2); i++)
        if (place_of(s, needed[i]) < 0) return complain(s, "there is no column", needed[i]);
    return CAROM_OK;
}

static carom_status read_number(study *s, const char *field, double *value) {
    char *end;
    *value = strtod(field, &end);
    return end == field || *end ? complain(s, "this is not a number:", field) : CAROM_OK;
}

/* One more value of "alias.name"; once: of a number, if there is none. */
static carom_status add_value(study *s, const char *alias, const char *name, const char *suffix, double value,
                              bool once) {
    char *full;
    if (asprintf(&full, "%s.%s%s", alias, name, suffix) < 0) return carom_error_memory(s->error);
    bool fine = (once && data_find(s->table, full)) || data_add(s->table, full, value);
    free(full);
    return fine ? CAROM_OK : carom_error_memory(s->error);
}

static carom_status length_of(const study *s, const char *alias, const char *name, long *length) {
    char *full;
    if (asprintf(&full, "%s.%s", alias, name) < 0) return carom_error_memory(s->error);
    const column *c = data_find(s->table, full);
    *length = c ? c->count : 0;
    free(full);
    return CAROM_OK;
}

/* Every quantity has the same step sizes: those of the first one are kept. */
static carom_status add_error(study *s, const char *alias, const char *const *field) {
    const char *quantity = field[s->quantity_at];
    double dt, error, order;
    long sizes, errors;
    carom_status status = read_number(s, field[s->dt_at], &dt);
    if (!status) status = read_number(s, field[s->error_at], &error);
    if (!status) status = read_number(s, field[s->order_at], &order);
    if (!status) status = add_value(s, alias, quantity, "", error, false);
    if (!status) status = add_value(s, alias, quantity, ".order", order, true);
    if (!status) status = length_of(s, alias, "dt", &sizes);
    if (!status) status = length_of(s, alias, quantity, &errors);
    if (!status && sizes < errors) status = add_value(s, alias, "dt", "", dt, false);
    return status;
}

static carom_status add_numbers(study *s, const char *alias, const char *const *field) {
    static const char *const texts[] = {"integrator", "hash", "status"};
    carom_status status = CAROM_OK;
    for (int i = 0; i < s->columns && !status; i++) {
        bool number = true;
        for (int k = 0; k < 3; k++) number = number && strcmp(s->name[i], texts[k]);
        double value;
        if (number) status = read_number(s, field[i], &value);
        if (number && !status) status = add_value(s, alias, s->name[i], "", value, false);
    }
    return status;
}

static carom_status read_record(study *s, char *record) {
    const char *field[MOST_FIELDS];
    int count;
    carom_status status = split(s, record, field, &count);
    if (status) return status;
    if (count != s->columns)
        return carom_error_at(s->error, CAROM_DATA, s->path, s->line, 1, "%d values for %d names", count, s->columns);
    if (s->norm && strcmp(field[s->norm_at], s->norm)) return CAROM_OK;
    s->norm_found = true;
    for (int i = 0; i < s->count && !status; i++)
        if (!strcmp(s->label[i], field[s->integrator_at]))
            status = s->norm ? add_error(s, s->alias[i], field) : add_numbers(s, s->alias[i], field);
    return status;
}

static carom_status read_records(study *s, FILE *in) {
    char *record = NULL, reason[128];
    size_t room = 0;
    carom_status status = CAROM_OK;
    errno = 0;
    while (!status && csv_record(in, &record, &room)) {
        s->line++;
        if (s->line == 1) status = read_head(s, record);
        else if (record[strspn(record, " \t")]) status = read_record(s, record);
    }
    if (!status && !feof(in))
        status = carom_error_set(s->error, CAROM_DATA, "%s: %s", s->path, store_reason(errno, reason, sizeof reason));
    free(record);
    return status;
}

static carom_status check_complete(const study *s) {
    if (s->line == 0) return carom_error_set(s->error, CAROM_DATA, "%s is empty", s->path);
    if (s->norm && s->line > 1 && !s->norm_found)
        return carom_error_set(s->error, CAROM_DATA, "%s has no errors in the norm '%s'", s->path, s->norm);
    carom_status status = CAROM_OK;
    for (int i = 0; i < s->count && !status; i++) {
        long sizes = 0;
        status = length_of(s, s->alias[i], "dt", &sizes);
        if (!status && sizes == 0)
            status =
                carom_error_set(s->error, CAROM_DATA, "%s has no runs of the integrator '%s'", s->path, s->label[i]);
    }
    return status;
}

static carom_status read_study(study *s) {
    *s->table = (data){0};
    FILE *in = fopen(s->path, "r");
    char reason[128];
    if (!in)
        return carom_error_set(s->error, CAROM_DATA, "%s: %s", s->path, store_reason(errno, reason, sizeof reason));
    carom_status status = read_records(s, in);
    fclose(in);
    if (!status) status = check_complete(s);
    free(s->head);
    if (status) data_destroy(s->table);
    return status;
}

carom_status data_read_converge(const char *path, const char *norm, const char *const *label, const char *const *alias,
                                int count, data *d, carom_error *error) {
    study s = {.path = path, .norm = norm, .label = label, .alias = alias, .count = count, .table = d, .error = error};
    return read_study(&s);
}

carom_status data_read_compare(const char *path, const char *const *label, const char *const *alias, int count, data *d,
                               carom_error *error) {
    study s = {.path = path, .label = label, .alias = alias, .count = count, .table = d, .error = error};
    return read_study(&s);
}
