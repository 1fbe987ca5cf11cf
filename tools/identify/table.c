#include "identify/table.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "result/csv.h"

enum { MOST_FIELDS = 256 };

/* What a field of a row is. */
typedef enum role { IGNORED, TIME, RECORD, EVENT, SIGMA, VALUE, VALUE_SIGMA } role;

typedef struct field {
    role role;
    int column; /* of a VALUE or VALUE_SIGMA */
} field;

/* A table while it is read. */
typedef struct table {
    records *r;
    const carom_model *model;
    double until;
    const char *path;
    char own[256]; /* the name of its record, where no column has it */
    int line;
    field field[MOST_FIELDS];
    char *text[MOST_FIELDS]; /* of the present row */
    int place[MOST_FIELDS], fields;
    const double *given; /* what is known of its records */
    carom_error *error;
} table;

static carom_status at_field(const table *t, int f, const char *format, ...) __attribute__((format(printf, 3, 4)));
static carom_status at_field(const table *t, int f, const char *format, ...) {
    char sentence[300];
    va_list values;
    va_start(values, format);
    carom_fit(sentence, sizeof sentence, format, values);
    va_end(values);
    return carom_error_at(t->error, CAROM_DATA, t->path, t->line, t->place[f], "%s", sentence);
}

/* ---------------------------------------------------------------- the heading */

static carom_status find_value(table *t, int f, const char *name, size_t length, bool all) {
    char own[256];
    records *r = t->r;
    snprintf(own, sizeof own, "%.*s", (int)length, name);
    int c = records_find(r, own);
    t->field[f] = (field){c >= 0 ? VALUE : IGNORED, c};
    if (c >= 0 && !r->column[c].path) r->column[c].path = t->path, r->column[c].place = t->place[f];
    if (c >= 0 || !all) return CAROM_OK;
    if (!own[0]) return at_field(t, f, "a column without a name");
    carom_status status = records_add(r, name, length, own, t->error);
    if (status) return status;
    r->column[r->columns - 1].path = t->path, r->column[r->columns - 1].place = t->place[f];
    t->field[f] = (field){VALUE, r->columns - 1};
    return CAROM_OK;
}

/* "sigma(x)" holds the deviation of x. Its column may stand before that of x. */
static carom_status find_role(table *t, int f, bool all) {
    static const struct {
        const char *name;
        role role;
    } known[] = {{"t", TIME}, {"record", RECORD}, {"event", EVENT}, {"sigma", SIGMA}};
    const char *name = t->text[f];
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i].name)) return t->field[f] = (field){known[i].role, -1}, CAROM_OK;
    if (strncmp(name, "sigma(", 6) || name[length - 1] != ')') return find_value(t, f, name, length, all);
    carom_status status = find_value(t, f, name + 6, length - 7, all);
    if (t->field[f].role == VALUE) t->field[f].role = VALUE_SIGMA;
    return status;
}

static int find_role_of(const table *t, role wanted) {
    int f = t->fields - 1;
    while (f >= 0 && t->field[f].role != wanted) f--;
    return f;
}

static carom_status read_heading(table *t, bool all) {
    carom_status status = CAROM_OK;
    for (int f = 0; f < t->fields && !status; f++) {
        status = find_role(t, f, all);
        for (int i = 0; i < f && !status; i++)
            if (t->field[i].role != IGNORED && t->field[i].role == t->field[f].role &&
                t->field[i].column == t->field[f].column)
                status = at_field(t, f, "column '%s' is there twice", t->text[f]);
    }
    if (!status && find_role_of(t, TIME) < 0) status = at_field(t, 0, "the heading has no column 't', the time");
    return status;
}

/* ---------------------------------------------------------------- rows */

/* An empty field is NaN. */
static carom_status read_number(const table *t, int f, double *value) {
    const char *text = f >= 0 ? t->text[f] : "";
    char *end;
    *value = NAN;
    if (!text[0]) return CAROM_OK;
    *value = strtod(text, &end);
    return *end || !isfinite(*value) ? at_field(t, f, "expected a number, found '%.60s'", text) : CAROM_OK;
}

static carom_status read_sigma(const table *t, int f, double otherwise, double *sigma) {
    carom_status status = read_number(t, f, sigma);
    if (!status && *sigma <= 0) status = at_field(t, f, "a standard deviation is positive, not '%s'", t->text[f]);
    if (isnan(*sigma)) *sigma = otherwise;
    return status;
}

/* The record of this name, a new one where there is none. */
static carom_status find_record(table *t, const char *name, int *number) {
    records *r = t->r;
    *number = 0;
    while (*number < r->count && strcmp(r->record[*number].name, name) != 0) ++*number;
    if (*number < r->count) return CAROM_OK;
    if (!records_grow(&r->record, r->count, sizeof *r->record)) return carom_error_memory(t->error);
    measured_record *made = &r->record[r->count++];
    *made = (measured_record){strdup(name), calloc((size_t)r->givens + 1, sizeof *made->given)};
    if (!made->name || !made->given) return carom_error_memory(t->error);
    memcpy(made->given, t->given, (size_t)r->givens * sizeof *made->given);
    return CAROM_OK;
}

static carom_status add_measurement(table *t, measurement m) {
    records *r = t->r;
    if (!records_grow(&r->at, r->measurements, sizeof *r->at)) return carom_error_memory(t->error);
    m.path = t->path, m.line = t->line;
    r->at[r->measurements++] = m;
    return CAROM_OK;
}

/* A number counts all events. The name of a contact counts its strikes, in the order of the rows. */
static carom_status read_event(table *t, int f, measurement *m) {
    const carom_model_def *d = carom_model_get(t->model);
    const char *known[MOST_FIELDS], *name = t->text[f];
    char *end;
    int contacts = 0;
    m->number = strtol(name, &end, 10), m->contact = -1;
    if (!*end && m->number >= 1) return CAROM_OK;
    for (int k = 0; k < d->contacts; k++) {
        if (!strcmp(d->contact[k].name, name)) m->contact = k;
        if (contacts < MOST_FIELDS) known[contacts++] = d->contact[k].name;
    }
    m->number = 1;
    for (int i = 0; i < t->r->measurements; i++)
        m->number +=
            t->r->at[i].record == m->record && t->r->at[i].column == EVENT_TIME && t->r->at[i].contact == m->contact;
    if (m->contact >= 0) return CAROM_OK;
    const char *near = carom_nearest(name, known, contacts);
    return at_field(t, f, "an event is a number from 1 on or a contact that is struck, not '%.60s'%s%.60s%s", name,
                    near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static carom_status read_event_row(table *t, int f, measurement m, double sigma) {
    carom_status status = read_event(t, f, &m);
    m.column = EVENT_TIME, m.value = m.t, m.sigma = sigma;
    return status ? status : add_measurement(t, m);
}

static carom_status read_values(table *t, measurement m, double sigma) {
    carom_status status = CAROM_OK;
    for (int f = 0; f < t->fields && !status; f++) {
        if (t->field[f].role != VALUE) continue;
        int own = t->fields - 1;
        while (own >= 0 && !(t->field[own].role == VALUE_SIGMA && t->field[own].column == t->field[f].column)) own--;
        m.column = t->field[f].column;
        status = read_number(t, f, &m.value);
        if (!status) status = read_sigma(t, own, sigma, &m.sigma);
        if (!status && !isnan(m.value)) status = add_measurement(t, m);
    }
    return status;
}

static carom_status check_time(const table *t, int f, double time) {
    const double t0 = carom_model_get(t->model)->t0;
    if (isnan(time)) return at_field(t, f, "this row has no time");
    if (time >= t0 && time <= t->until * (1 + 1e-12)) return CAROM_OK;
    if (time < t0) return at_field(t, f, "t = %.9g lies before the start of the run, %.9g", time, t0);
    return at_field(t, f, "t = %.9g lies after the end of the run, %.9g (--set run.until=%.9g)", time, t->until, time);
}

static carom_status read_row(table *t) {
    const int time = find_role_of(t, TIME), event = find_role_of(t, EVENT), name = find_role_of(t, RECORD);
    measurement m = {.contact = -1};
    double sigma;
    carom_status status = read_number(t, time, &m.t);
    if (!status) status = check_time(t, time, m.t);
    if (!status) status = read_sigma(t, find_role_of(t, SIGMA), NAN, &sigma);
    if (!status) status = find_record(t, name >= 0 ? t->text[name] : t->own, &m.record);
    if (status) return status;
    return event >= 0 && t->text[event][0] ? read_event_row(t, event, m, sigma) : read_values(t, m, sigma);
}

static void split(table *t, char *text) {
    t->fields = 0;
    for (char *rest = text; rest && t->fields < MOST_FIELDS; t->fields++) {
        t->place[t->fields] = (int)(rest - text) + 1;
        t->text[t->fields] = csv_field(&rest);
    }
}

static carom_status read_lines(table *t, FILE *in, bool all) {
    char *text = NULL;
    size_t room = 0;
    int fields = 0;
    carom_status status = CAROM_OK;
    while (!status && csv_record(in, &text, &room)) {
        t->line++;
        if (!text[strspn(text, " \t,")] || text[0] == '#') continue;
        split(t, text);
        if (fields == 0) fields = t->fields, status = read_heading(t, all);
        else if (t->fields != fields)
            status = at_field(t, 0, "the heading has %d fields, this row has %d", fields, t->fields);
        else status = read_row(t);
    }
    if (!status && !feof(in)) status = carom_error_set(t->error, CAROM_DATA, "%s: %s", t->path, strerror(errno));
    free(text);
    return status;
}

/* The file without folder and extension; its whole path if there is a record of that name. */
static void name_record(table *t) {
    const char *slash = strrchr(t->path, '/'), *base = slash ? slash + 1 : t->path, *dot = strrchr(base, '.');
    snprintf(t->own, sizeof t->own, "%.*s", dot > base ? (int)(dot - base) : (int)strlen(base), base);
    for (int i = 0; i < t->r->count; i++)
        if (!strcmp(t->r->record[i].name, t->own)) snprintf(t->own, sizeof t->own, "%s", t->path);
}

carom_status table_read(records *r, const carom_model *model, double until, const char *path, const double *given,
                        bool all, carom_error *error) {
    table *t = calloc(1, sizeof *t);
    FILE *in = t ? fopen(path, "r") : NULL;
    if (!t) return carom_error_memory(error);
    *t = (table){.r = r, .model = model, .until = until, .path = path, .given = given, .error = error};
    name_record(t);
    carom_status status =
        in ? read_lines(t, in, all) : carom_error_set(error, CAROM_DATA, "%s: %s", path, strerror(errno));
    if (in) fclose(in);
    free(t);
    return status;
}
