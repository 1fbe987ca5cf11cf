#include "result/reader.h"
#include "error.h"
#include "result/h5.h"

#include <stdlib.h>
#include <string.h>

typedef struct text {
    char *name, *value; /* value NULL: no such attribute */
    struct text *next;
} text;

struct result_reader {
    char *path;
    h5_file file;
    long rows;
    int columns, plots;
    char **name, **unit; /* [columns] */
    char **plot;
    text *texts; /* attributes asked for so far */
};

/* ---- opening */

/* If the last writer was killed while it changed the file, finish its change so that others can read it as well. Where
 * that is not possible (a writer at work, a read-only file) nothing is lost: reading goes through the journal. */
static void heal(const char *path) {
    h5_file file;
    if (h5_open(path, STORE_UPDATE, &file, NULL) == CAROM_OK) h5_close(&file, true);
}

static carom_status read_column(result_reader *r, int c, carom_error *error) {
    hid_t dataset = H5Dopen2(r->file.id, r->name[c], H5P_DEFAULT);
    hid_t space = dataset >= 0 ? H5Dget_space(dataset) : H5I_INVALID_HID;
    hsize_t rows = 0;
    bool fine =
        space >= 0 && H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, &rows, NULL) == 1;
    if (fine && (c == 0 || (long)rows < r->rows)) r->rows = (long)rows;
    r->unit[c] = fine ? h5_get_text(dataset, "unit") : NULL;
    if (!r->unit[c]) r->unit[c] = strdup("");
    if (space >= 0) H5Sclose(space);
    if (dataset >= 0) H5Dclose(dataset);
    if (!fine) return carom_error_set(error, CAROM_DATA, "%s is damaged: cannot open '%s'", r->path, r->name[c]);
    return r->unit[c] ? CAROM_OK : carom_error_memory(error);
}

static char *link_name(hid_t file, hsize_t i) {
    ssize_t length = H5Lget_name_by_idx(file, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, NULL, 0, H5P_DEFAULT);
    char *name = length > 0 ? malloc((size_t)length + 1) : NULL;
    if (name) H5Lget_name_by_idx(file, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name, (size_t)length + 1, H5P_DEFAULT);
    return name;
}

/* The quantities, in the order in which they were recorded. */
static carom_status read_columns(result_reader *r, carom_error *error) {
    H5G_info_t group = {0};
    H5Gget_info(r->file.id, &group);
    r->name = calloc(group.nlinks + 1, sizeof *r->name);
    r->unit = calloc(group.nlinks + 1, sizeof *r->unit);
    if (!r->name || !r->unit) return carom_error_memory(error);
    carom_status status = CAROM_OK;
    for (hsize_t i = 0; status == CAROM_OK && i < group.nlinks; i++) {
        char *name = link_name(r->file.id, i);
        if (!name) return carom_error_set(error, CAROM_DATA, "%s is damaged: cannot list its quantities", r->path);
        if (strcmp(name, H5_CHECKPOINT) == 0) {
            free(name);
            continue;
        }
        r->name[r->columns] = name;
        status = read_column(r, r->columns++, error);
    }
    if (status == CAROM_OK && r->columns == 0)
        status = carom_error_set(error, CAROM_DATA, "%s is damaged: it holds no quantities", r->path);
    return status;
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
    if (status == CAROM_OK && store_has_journal(r->file.store)) {
        h5_close(&r->file, false);
        heal(path);
        status = h5_open(path, STORE_READ, &r->file, error);
    }
    if (status == CAROM_OK) {
        *reader = r;
        status = read_columns(r, error);
        r->plot = h5_get_texts(r->file.id, "plots", &r->plots);
    }
    h5_leave();
    if (status == CAROM_OK) return CAROM_OK;
    if (*reader) {
        result_close(r);
    } else {
        free(r->path);
        free(r);
    }
    *reader = NULL;
    return status;
}

void result_close(result_reader *r) {
    if (!r) return;
    h5_enter();
    h5_close(&r->file, false);
    h5_leave();
    h5_free_texts(r->name, r->columns);
    h5_free_texts(r->unit, r->columns);
    h5_free_texts(r->plot, r->plots);
    for (text *t = r->texts, *next; t; t = next) {
        next = t->next;
        free(t->name);
        free(t->value);
        free(t);
    }
    free(r->path);
    free(r);
}

/* ---- what it holds */

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
    return r->name[column];
}
const char *result_unit(const result_reader *r, int column) {
    return r->unit[column];
}
int result_plots(const result_reader *r) {
    return r->plots;
}
const char *result_plot(const result_reader *r, int i) {
    return r->plot[i];
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
        free(t);
        return NULL;
    }
    h5_enter();
    t->value = h5_get_text(r->file.id, attribute);
    h5_leave();
    t->next = r->texts;
    r->texts = t;
    return t->value;
}

static bool read_rows(hid_t dataset, long first, long count, double *values) {
    hsize_t start = (hsize_t)first, number = (hsize_t)count;
    hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(1, &number, NULL);
    bool fine = H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &number, NULL) >= 0 &&
                H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
    H5Sclose(space);
    H5Sclose(memory);
    return fine;
}

carom_status result_read(result_reader *r, int column, long first, long count, double *values, carom_error *error) {
    if (first < 0 || count < 0 || count > r->rows - first)
        return carom_error_set(error, CAROM_DATA, "%s has %ld rows: no rows %ld to %ld", r->path, r->rows, first,
                               first + count);
    if (count == 0) return CAROM_OK;
    h5_enter();
    hid_t dataset = H5Dopen2(r->file.id, r->name[column], H5P_DEFAULT);
    bool fine = dataset >= 0 && read_rows(dataset, first, count, values);
    if (dataset >= 0) H5Dclose(dataset);
    h5_leave();
    if (fine) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA, "%s is damaged: cannot read '%s'", r->path, r->name[column]);
}
