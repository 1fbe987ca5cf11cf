#include "result/reader.h"
#include "error.h"
#include "result/derived.h"
#include "result/h5.h"
#include "result/legend.h"
#include "result/writer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
    char *name, *value; /* value NULL: no such attribute */
    struct text *next;
} text;

struct result_reader {
    char *path;
    h5_file file;
    hid_t group;  /* of its columns: the file, or that of the events in it */
    hid_t values; /* the table of the first columns; any others are datasets under their names */
    int in_table;
    result_reader *events, *found;
    char **contact, **kind;
    int contacts, kinds;
    long rows;
    int columns, parameters, plots, figures;
    char **name, **unit; /* [columns] */
    char **parameter, **plot, **figure;
    text *texts;       /* attributes asked for so far */
    derived **derived; /* further columns */
    int derivations;
    bool exhausted;
};

/* ---- opening */

/* If the last writer was killed while it changed the file, finishes this change, so that other programs can read the
 * file as well. Where that is not possible (a writer at work, a read-only file), carom reads through the journal. */
static void heal(const char *path) {
    store *s;
    if (store_open(path, STORE_UPDATE, &s, NULL) == CAROM_OK) store_close(s);
}

/* The table of results since format 2. Another program that changed numbers under the name of a column, which cuts off
 * the checksums, did not change those of the table. */
static bool has_table(const result_reader *r) {
    return r->file.version >= 2 && (store_is_checked(r->file.store) || views_are_intact(r->group));
}

static carom_status open_table(result_reader *r, carom_error *error) {
    hsize_t size[2] = {0};
    r->values = H5Dopen2(r->group, TABLE, H5P_DEFAULT);
    hid_t space = r->values >= 0 ? H5Dget_space(r->values) : H5I_INVALID_HID;
    bool fine = space >= 0 && H5Sget_simple_extent_ndims(space) == 2 &&
                H5Sget_simple_extent_dims(space, size, NULL) == 2 &&
                legend_get(r->group, &r->name, &r->unit, &r->columns) && size[1] == (hsize_t)r->columns;
    if (space >= 0) H5Sclose(space);
    r->rows = (long)size[0];
    r->in_table = r->columns;
    return fine ? CAROM_OK : carom_error_set(error, CAROM_DATA, "%s is damaged: cannot read its table", r->path);
}

static carom_status read_column(result_reader *r, int c, carom_error *error) {
    hid_t dataset = H5Dopen2(r->group, r->name[c], H5P_DEFAULT);
    hid_t space = dataset >= 0 ? H5Dget_space(dataset) : H5I_INVALID_HID;
    hsize_t rows = 0;
    bool fine =
        space >= 0 && H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, &rows, NULL) == 1;
    if (fine && c == 0) r->rows = (long)rows;
    r->unit[c] = fine ? h5_get_text(dataset, "unit") : NULL;
    if (!r->unit[c]) r->unit[c] = strdup("");
    if (space >= 0) H5Sclose(space);
    if (dataset >= 0) H5Dclose(dataset);
    if (!fine) return carom_error_set(error, CAROM_DATA, "%s is damaged: cannot open '%s'", r->path, r->name[c]);
    if ((long)rows != r->rows)
        return carom_error_set(error, CAROM_DATA, "%s is damaged: '%s' has %ld rows, but '%s' has %ld", r->path,
                               r->name[c], (long)rows, r->name[0], r->rows);
    return r->unit[c] ? CAROM_OK : carom_error_memory(error);
}

/* prefix and the name of the i-th link */
static char *link_name(hid_t group, hsize_t i, const char *prefix) {
    size_t before = strlen(prefix);
    ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, NULL, 0, H5P_DEFAULT);
    char *name = length > 0 ? h5_memory(before + (size_t)length + 1, 1) : NULL;
    if (!name) return NULL;
    memcpy(name, prefix, before);
    H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name + before, (size_t)length + 1, H5P_DEFAULT);
    return name;
}

static bool is_group(hid_t place, const char *name) {
    hid_t object = H5Oopen(place, name, H5P_DEFAULT);
    bool group = object >= 0 && H5Iget_type(object) == H5I_GROUP;
    if (object >= 0) H5Oclose(object);
    return group;
}

static int find_in_table(const result_reader *r, const char *name) {
    int c = r->in_table - 1;
    while (c >= 0 && strcmp(r->name[c], name) != 0) c--;
    return c;
}

static carom_status read_columns(result_reader *r, const char *prefix, carom_error *error);

/* A group within the events holds further columns. Groups inside it are refused, as links that go round in circles
 * would be. */
static carom_status add_column(result_reader *r, char *name, carom_error *error) {
    if (r->group != r->file.id && !strchr(name, '/') && is_group(r->group, name)) {
        char *prefix = NULL;
        if (asprintf(&prefix, "%s/", name) < 0) prefix = NULL;
        carom_status status = prefix ? read_columns(r, prefix, error) : carom_error_memory(error);
        free(prefix);
        free(name);
        return status;
    }
    if (find_in_table(r, name) >= 0) return free(name), CAROM_OK;
    r->name[r->columns] = name;
    return read_column(r, r->columns++, error);
}

/* The quantities of a group, in the order in which they were recorded; "before/x": of a group in it. */
static carom_status read_columns(result_reader *r, const char *prefix, carom_error *error) {
    H5G_info_t info = {0};
    hid_t group = H5Gopen2(r->group, *prefix ? prefix : ".", H5P_DEFAULT);
    H5Gget_info(group, &info);
    size_t room = (size_t)r->columns + info.nlinks + 1;
    char **names = realloc(r->name, room * sizeof *names);
    if (names) r->name = names;
    char **units = realloc(r->unit, room * sizeof *units);
    if (units) r->unit = units;
    carom_status status = names && units ? CAROM_OK : carom_error_memory(error);
    for (hsize_t i = 0; status == CAROM_OK && i < info.nlinks; i++) {
        char *name = link_name(group, i, prefix);
        if (!name) status = carom_error_set(error, CAROM_DATA, "%s is damaged: cannot list its quantities", r->path);
        else if (h5_is_own(name)) free(name);
        else status = add_column(r, name, error);
    }
    H5Gclose(group);
    return status;
}

static carom_status read_table(result_reader *r, carom_error *error) {
    carom_status status = has_table(r) ? open_table(r, error) : CAROM_OK;
    bool more = r->in_table == 0 || !store_is_checked(r->file.store); /* others may have added columns */
    if (status == CAROM_OK && more) status = read_columns(r, "", error);
    if (status == CAROM_OK && r->columns == 0)
        status = carom_error_set(error, CAROM_DATA, "%s is damaged: it holds no quantities", r->path);
    return status;
}

static carom_status read_beside(result_reader *r, side_table side, result_reader **into, carom_error *error) {
    if (H5Lexists(r->file.id, side_groups[side], H5P_DEFAULT) <= 0) return CAROM_OK;
    result_reader *e = *into = calloc(1, sizeof *e);
    if (!e || !(e->path = strdup(r->path))) return carom_error_memory(error);
    e->file = r->file;
    e->group = H5Gopen2(r->file.id, side_groups[side], H5P_DEFAULT);
    if (e->group < 0)
        return carom_error_set(error, CAROM_DATA, "%s is damaged: cannot open its %s", r->path, side_groups[side] + 1);
    e->contact = h5_get_texts(e->group, "contacts", &e->contacts);
    e->kind = h5_get_texts(e->group, side_kinds[side], &e->kinds);
    return read_table(e, error);
}

static void free_reader(result_reader *r) {
    if (!r) return;
    h5_free_texts(r->name, r->columns);
    h5_free_texts(r->unit, r->columns);
    h5_free_texts(r->parameter, r->parameters);
    h5_free_texts(r->plot, r->plots);
    h5_free_texts(r->figure, r->figures);
    h5_free_texts(r->contact, r->contacts);
    h5_free_texts(r->kind, r->kinds);
    for (text *t = r->texts, *next; t; t = next) {
        next = t->next;
        free(t->name);
        free(t->value);
        free(t);
    }
    for (int i = 0; i < r->derivations; i++) derived_destroy(r->derived[i]);
    free(r->derived);
    free(r->path);
    free(r);
}

bool result_is_result(const char *path) {
    h5_file file;
    h5_enter();
    const bool is = h5_open(path, STORE_READ, &file, NULL) == CAROM_OK;
    if (is) h5_close(&file);
    h5_leave();
    return is;
}

carom_status result_open(const char *path, result_reader **reader, carom_error *error) {
    *reader = NULL;
    result_reader *r = calloc(1, sizeof *r);
    if (!r || !(r->path = strdup(path))) {
        free(r);
        return carom_error_memory(error);
    }
    h5_enter();
    carom_status status = h5_open(path, STORE_READ, &r->file, error);
    if (status == CAROM_OK && store_is_unsealed(r->file.store)) {
        h5_close(&r->file);
        heal(path);
        status = h5_open(path, STORE_READ, &r->file, error);
    }
    if (status == CAROM_OK) {
        *reader = r;
        r->group = r->file.id;
        status = read_table(r, error);
        if (status == CAROM_OK) status = read_beside(r, RESULT_EVENTS, &r->events, error);
        if (status == CAROM_OK) status = read_beside(r, RESULT_FOUND, &r->found, error);
        r->parameter = h5_get_texts(r->file.id, "parameters", &r->parameters);
        r->plot = h5_get_texts(r->file.id, "plots", &r->plots);
        r->figure = h5_get_texts(r->file.id, "figures", &r->figures);
    }
    if (h5_exhausted()) status = carom_error_memory(error);
    h5_leave();
    if (status == CAROM_OK) return CAROM_OK;
    if (*reader) {
        result_close(r);
    } else {
        free_reader(r);
    }
    *reader = NULL;
    return status;
}

void result_close(result_reader *r) {
    if (!r) return;
    h5_enter();
    h5_close(&r->file); /* and every object in it */
    h5_leave();
    free_reader(r->events);
    free_reader(r->found);
    free_reader(r);
}

/* ---- what it holds */

/* recorded, or derived */
static bool is_column(const result_reader *r, int column) {
    return column >= 0 && column < r->columns + r->derivations;
}

long result_rows(const result_reader *r) {
    return r->rows;
}
int result_columns(const result_reader *r) {
    return r->columns;
}
const char *result_path(const result_reader *r) {
    return r->path;
}
const char *result_name(const result_reader *r, int column) {
    assert(is_column(r, column));
    return column < r->columns ? r->name[column] : derived_text(r->derived[column - r->columns]);
}
const char *result_unit(const result_reader *r, int column) {
    assert(is_column(r, column));
    return column < r->columns ? r->unit[column] : derived_unit(r->derived[column - r->columns]);
}
int result_parameters(const result_reader *r) {
    return r->parameters;
}
const char *result_parameter(const result_reader *r, int i) {
    return r->parameter[i];
}
int result_plots(const result_reader *r) {
    return r->plots;
}
const char *result_plot(const result_reader *r, int i) {
    assert(i >= 0 && i < r->plots);
    return r->plot[i];
}
int result_figures(const result_reader *r) {
    return r->figures;
}
const char *result_figure(const result_reader *r, int i) {
    return r->figure[i];
}

result_reader *result_events(const result_reader *r) {
    return r->events;
}
result_reader *result_found(const result_reader *r) {
    return r->found;
}
const char *result_contact(const result_reader *events, int i) {
    return i >= 0 && i < events->contacts ? events->contact[i] : NULL;
}
const char *result_kind(const result_reader *events, int i) {
    return i >= 0 && i < events->kinds ? events->kind[i] : NULL;
}

int result_find(const result_reader *r, const char *name) {
    for (int c = 0; c < r->columns; c++)
        if (strcmp(r->name[c], name) == 0) return c;
    return -1;
}

const char *result_text(result_reader *r, const char *attribute) {
    for (text *t = r->texts; t; t = t->next)
        if (strcmp(t->name, attribute) == 0) return t->value;
    text *t = calloc(1, sizeof *t);
    if (!t || !(t->name = strdup(attribute))) {
        r->exhausted = true;
        free(t);
        return NULL;
    }
    h5_enter();
    t->value = h5_get_text(r->file.id, attribute);
    r->exhausted = r->exhausted || h5_exhausted();
    h5_leave();
    t->next = r->texts;
    r->texts = t;
    return t->value;
}

double *result_numbers(result_reader *r, const char *attribute, int *count) {
    h5_enter();
    double *numbers = h5_get_numbers(r->file.id, attribute, count);
    r->exhausted = r->exhausted || h5_exhausted();
    h5_leave();
    return numbers;
}

bool result_exhausted(const result_reader *r) {
    return r->exhausted;
}

static bool read_rows(hid_t dataset, int column, long first, long count, double *values) {
    const hsize_t start[2] = {(hsize_t)first, (hsize_t)column}, number[2] = {(hsize_t)count, 1};
    hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(1, number, NULL);
    bool fine = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, number, NULL) >= 0 &&
                H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
    H5Sclose(space);
    H5Sclose(memory);
    return fine;
}

static bool read_column_rows(const result_reader *r, int column, long first, long count, double *values) {
    if (column < r->in_table) return read_rows(r->values, column, first, count, values);
    hid_t dataset = H5Dopen2(r->group, r->name[column], H5P_DEFAULT);
    bool fine = dataset >= 0 && read_rows(dataset, 0, first, count, values);
    if (dataset >= 0) H5Dclose(dataset);
    return fine;
}

carom_status result_read(result_reader *r, int column, long first, long count, double *values, carom_error *error) {
    assert(is_column(r, column));
    if (first < 0 || count < 0 || count > r->rows - first)
        return carom_error_set(error, CAROM_DATA, "%s has %ld rows: no rows %ld to %ld", r->path, r->rows, first,
                               first + count);
    if (count == 0) return CAROM_OK;
    if (column >= r->columns) return derived_read(r->derived[column - r->columns], r, first, count, values, error);
    h5_enter();
    bool fine = read_column_rows(r, column, first, count, values);
    h5_leave();
    if (fine) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA, "%s is damaged: cannot read '%s'", r->path, r->name[column]);
}

/* ---- columns that follow from others */

static carom_status derive(result_reader *r, const derived_scope *scope, const char *formula, int *column,
                           carom_error *error) {
    derived **more = realloc(r->derived, (size_t)(r->derivations + 1) * sizeof *more);
    if (!more) return carom_error_memory(error);
    r->derived = more;
    carom_status status = derived_create(scope, formula, &r->derived[r->derivations], error);
    if (!status) *column = r->columns + r->derivations++;
    return status;
}

carom_status result_derive(result_reader *r, const char *formula, int *column, carom_error *error) {
    return derive(r, &(derived_scope){r, r, NULL}, formula, column, error);
}

int result_side(result_reader *r, int column, const char *side) {
    char name[300];
    int found = -1;
    bool time = strcmp(result_name(r, column), "t") == 0;
    if (time) return result_find(r->events, "t");
    if (column >= r->columns)
        return derive(r->events, &(derived_scope){r->events, r, side}, result_name(r, column), &found, NULL) ? -1
                                                                                                             : found;
    if (snprintf(name, sizeof name, "%s/%s", side, r->name[column]) >= (int)sizeof name) return -1;
    return result_find(r->events, name);
}
