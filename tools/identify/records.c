#include "identify/records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "identify/table.h"

enum { MOST_NAMES = 256 };

/* ---------------------------------------------------------------- columns */

bool records_grow(void *list, int count, size_t size) {
    void **at = list;
    if (count & (count - 1)) return true; /* room is the next power of two */
    void *more = realloc(*at, (size_t)(count ? 2 * count : 1) * size);
    if (more) *at = more;
    return more;
}

int records_find(const records *r, const char *name) {
    int c = r->columns - 1;
    while (c >= 0 && strcmp(r->column[c].name, name) != 0) c--;
    return c;
}

carom_status records_add(records *r, const char *name, size_t length, const char *formula, carom_error *error) {
    if (!records_grow(&r->column, r->columns, sizeof *r->column)) return carom_error_memory(error);
    measured_column *c = &r->column[r->columns++];
    *c = (measured_column){.name = strndup(name, length), .formula = strdup(formula), .sigma = NAN};
    return c->name && c->formula ? CAROM_OK : carom_error_memory(error);
}

static carom_status read_measures(records *r, const char *const *texts, int count, carom_error *error) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < count && !status; i++) {
        const char *equals = strchr(texts[i], '=');
        const size_t length = equals ? (size_t)(equals - texts[i]) : strlen(texts[i]);
        if (length == 0 || (equals && !equals[1]))
            return carom_error_set(error, CAROM_DATA, "--measure needs a column, or COLUMN=FORMULA, not '%s'",
                                   texts[i]);
        status = records_add(r, texts[i], length, equals ? equals + 1 : texts[i], error);
    }
    return status;
}

carom_status records_assignment(const char *text, const char *option, char **name, double *value, carom_error *error) {
    const char *equals = strrchr(text, '=');
    char *end = NULL;
    *name = NULL;
    *value = equals ? strtod(equals + 1, &end) : 0;
    if (!equals || equals == text || end == equals + 1 || *end || !isfinite(*value))
        return carom_error_set(error, CAROM_DATA, "%s needs NAME=VALUE, not '%s'", option, text);
    *name = strndup(text, (size_t)(equals - text));
    return *name ? CAROM_OK : carom_error_memory(error);
}

static carom_status no_column(const records *r, const char *name, carom_error *error) {
    const char *known[MOST_NAMES + 1] = {"event"}, *near;
    int count = 1;
    for (int c = 0; c < r->columns && count < MOST_NAMES; c++) known[count++] = r->column[c].name;
    near = carom_nearest(name, known, count);
    return carom_error_set(error, CAROM_DATA, "there is no measured column '%s'%s%s%s", name,
                           near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static carom_status read_sigmas(records *r, const char *const *texts, int count, carom_error *error) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < count && !status; i++) {
        char *name;
        double value;
        status = records_assignment(texts[i], "--sigma", &name, &value, error);
        const int c = status ? -1 : records_find(r, name);
        if (!status && !(value > 0))
            status = carom_error_set(error, CAROM_DATA, "--sigma %s: a standard deviation is positive", texts[i]);
        else if (!status && c >= 0) r->column[c].sigma = value;
        else if (!status && !strcmp(name, "event")) r->event_sigma = value;
        else if (!status) status = no_column(r, name, error);
        free(name);
    }
    return status;
}

/* ---------------------------------------------------------------- tables, and what is known of them */

static carom_status add_given(records *r, const carom_model *model, const char *text, int *which, double *value,
                              carom_error *error) {
    char *name;
    carom_status status = records_assignment(text, "a value that --data gives", &name, value, error);
    if (status) return status;
    for (*which = 0; *which < r->givens && strcmp(r->given_name[*which], name) != 0;) ++*which;
    if (*which < r->givens) return free(name), CAROM_OK;
    if (!records_grow(&r->given_name, r->givens, sizeof *r->given_name) ||
        !records_grow(&r->given, r->givens, sizeof *r->given))
        return free(name), carom_error_memory(error);
    r->given_name[r->givens] = name;
    return named_find(model, name, &r->given[r->givens++], error);
}

/* In "FILE,NAME=VALUE,...", the text behind the first comma that belongs to an assignment; NULL: there is none. */
static const char *known_part(const char *source) {
    const char *equals = strchr(source, '='), *comma = equals;
    while (comma && comma > source && *comma != ',') comma--;
    return comma && *comma == ',' ? comma + 1 : NULL;
}

/* given: NULL while the names are collected. */
static carom_status read_known(records *r, const carom_model *model, const char *source, double *given,
                               carom_error *error) {
    const char *known = known_part(source);
    char *text = known ? strdup(known) : NULL;
    carom_status status = known && !text ? carom_error_memory(error) : CAROM_OK;
    for (char *rest = text, *one; !status && (one = strsep(&rest, ","));) {
        int which;
        double value;
        status = add_given(r, model, one, &which, &value, error);
        if (!status && given) given[which] = value;
    }
    free(text);
    return status;
}

static carom_status read_source(records *r, const carom_model *model, double until, const char *source, bool all,
                                carom_error *error) {
    const char *known = known_part(source);
    double *given = calloc((size_t)r->givens + 1, sizeof *given);
    char *path = r->path[r->paths++] = strndup(source, known ? (size_t)(known - source - 1) : strlen(source));
    carom_status status = given && path ? CAROM_OK : carom_error_memory(error);
    for (int i = 0; i < r->givens && given; i++) given[i] = NAN;
    if (!status) status = read_known(r, model, source, given, error);
    if (!status) status = table_read(r, model, until, path, given, all, error);
    free(given);
    return status;
}

/* ---------------------------------------------------------------- all of it */

static int by_time(const void *a, const void *b) {
    const measurement *x = a, *y = b;
    if (x->record != y->record) return x->record < y->record ? -1 : 1;
    if (x->t != y->t) return x->t < y->t ? -1 : 1;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

static const char *name_of(const records *r, int column) {
    return column == EVENT_TIME ? "event" : r->column[column].name;
}

/* Either all measurements have a sigma, or none has. Without, all count as equally exact; then they must be of one
 * kind. */
static carom_status fill_sigmas(records *r, carom_error *error) {
    const measurement *without = NULL, *with = NULL, *event = NULL, *value = NULL;
    for (int i = 0; i < r->measurements; i++) {
        measurement *m = &r->at[i];
        if (isnan(m->sigma)) m->sigma = m->column == EVENT_TIME ? r->event_sigma : r->column[m->column].sigma;
        *(isnan(m->sigma) ? &without : &with) = m;
        *(m->column == EVENT_TIME ? &event : &value) = m;
    }
    if (without && (with || (event && value)))
        return carom_error_set(error, CAROM_DATA, "how exact is '%s'? Say it for all columns: --sigma %s=VALUE",
                               name_of(r, without->column), name_of(r, without->column));
    r->weighted = with;
    for (int i = 0; i < r->measurements && without; i++) r->at[i].sigma = 1;
    return CAROM_OK;
}

static carom_status check_tables(const records *r, carom_error *error) {
    for (int c = 0; c < r->columns; c++)
        if (!r->column[c].path)
            return carom_error_set(error, CAROM_DATA, "no table has the column '%s'", r->column[c].name);
    for (int i = 0; i < r->paths; i++) {
        int k = 0;
        while (k < r->measurements && r->at[k].path != r->path[i]) k++;
        if (k == r->measurements)
            return carom_error_set(error, CAROM_DATA, "%s: this table holds no measurement", r->path[i]);
    }
    return CAROM_OK;
}

carom_status records_read(const carom_model *model, double until, const char *const *sources, int source_count,
                          const char *const *measures, int measure_count, const char *const *sigmas, int sigma_count,
                          records *r, carom_error *error) {
    *r = (records){.event_sigma = NAN, .path = calloc((size_t)source_count + 1, sizeof *r->path)};
    carom_status status = r->path ? read_measures(r, measures, measure_count, error) : carom_error_memory(error);
    for (int i = 0; i < source_count && !status; i++) status = read_known(r, model, sources[i], NULL, error);
    for (int i = 0; i < source_count && !status; i++)
        status = read_source(r, model, until, sources[i], measure_count == 0, error);
    if (!status) status = check_tables(r, error);
    if (!status) status = read_sigmas(r, sigmas, sigma_count, error);
    if (!status) status = fill_sigmas(r, error);
    if (!status) qsort(r->at, (size_t)r->measurements, sizeof *r->at, by_time);
    return status;
}

void records_destroy(records *r) {
    for (int i = 0; i < r->columns; i++) free(r->column[i].name), free(r->column[i].formula);
    for (int i = 0; i < r->count; i++) free(r->record[i].name), free(r->record[i].given);
    for (int i = 0; i < r->givens; i++) free(r->given_name[i]);
    for (int i = 0; i < r->paths; i++) free(r->path[i]);
    free(r->column);
    free(r->record);
    free(r->given_name);
    free(r->given);
    free(r->path);
    free(r->at);
}
