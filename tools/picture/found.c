#include "picture/found.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 14 }; /* contacts that are read at once, or those of two rows where these are more */

/* ---- which contacts belong to which row: both tables have their times, which do not decrease */

static carom_status count_contacts(found *f, const double *t, carom_error *error) {
    long contacts = result_rows(f->table), row = 0;
    int column = result_find(f->table, "t");
    carom_status status = CAROM_OK;
    for (long first = 0; first < contacts && !status; first += BLOCK) {
        long count = contacts - first < BLOCK ? contacts - first : BLOCK;
        status = result_read(f->table, column, first, count, f->column, error);
        for (long i = 0; i < count && !status; i++)
            while (row < f->rows && t[row] < f->column[i]) f->from[++row] = first + i;
    }
    while (row < f->rows) f->from[++row] = contacts;
    return status;
}

carom_status found_open(found *f, result_reader *r, const double *t, long rows, carom_error *error) {
    *f = (found){.table = result_found(r), .rows = rows, .room = BLOCK};
    if (!f->table) return CAROM_OK;
    f->from = calloc((size_t)rows + 1, sizeof *f->from);
    f->column = malloc(BLOCK * sizeof *f->column);
    f->contact = malloc(BLOCK * sizeof *f->contact);
    return f->from && f->column && f->contact ? count_contacts(f, t, error) : carom_error_memory(error);
}

void found_close(found *f) {
    free(f->from);
    free(f->column);
    free(f->contact);
    free(f->before);
}

/* ---- their numbers */

static carom_status make_room(found *f, long count, carom_error *error) {
    if (count <= f->room) return CAROM_OK;
    double *column = realloc(f->column, (size_t)count * sizeof *column);
    if (column) f->column = column;
    found_contact *contact = realloc(f->contact, (size_t)count * sizeof *contact);
    if (contact) f->contact = contact;
    if (column && contact) f->room = count;
    return column && contact ? CAROM_OK : carom_error_memory(error);
}

/* Loads at least the contacts first .. last - 1 of the table. */
static carom_status load_contacts(found *f, long first, long last, carom_error *error) {
    static const char *const names[FOUND_STRUCK] = {"contact", "first", "second", "kind", "feature1", "feature2",
                                                    "state",   "gap",   "x",      "y",    "z",        "nx",
                                                    "ny",      "nz",    "PN",     "Px",   "Py",       "Pz"};
    if (first >= f->first && last <= f->first + f->count) return CAROM_OK;
    long left = result_rows(f->table) - first, count = last - first < BLOCK ? BLOCK : last - first;
    f->first = first, f->count = 0;
    if (count > left) count = left;
    carom_status status = make_room(f, count, error);
    for (int k = 0; k < FOUND_STRUCK && !status; k++) {
        status = result_read(f->table, result_find(f->table, names[k]), first, count, f->column, error);
        for (long i = 0; i < count && !status; i++) f->contact[i][k] = f->column[i];
    }
    if (!status) f->count = count;
    return status;
}

/* ---- which of them strike */

static int by_identity(const void *a, const void *b) {
    return memcmp(a, b, FOUND_STATE * sizeof(double));
}

static bool touches(const found_contact *c) {
    return (*c)[FOUND_STATE] != CAROM_OPEN || (*c)[FOUND_PN] > 0;
}

/* The contacts that touch at the previous row, by identity. */
static carom_status list_before(found *f, long row, long *count, carom_error *error) {
    long from = f->from[row - 1], to = f->from[row];
    *count = 0;
    if (to - from > f->before_room) {
        found_contact *more = realloc(f->before, (size_t)(to - from) * sizeof *more);
        if (!more) return carom_error_memory(error);
        f->before = more, f->before_room = to - from;
    }
    for (long i = from - f->first; i < to - f->first; i++)
        if (touches(&f->contact[i])) memcpy(f->before[(*count)++], f->contact[i], sizeof(found_contact));
    if (*count > 0) qsort(f->before, (size_t)*count, sizeof *f->before, by_identity);
    return CAROM_OK;
}

static carom_status mark_struck(found *f, long row, found_contact *contact, long count, carom_error *error) {
    long before = 0;
    carom_status status = row > 0 ? list_before(f, row, &before, error) : CAROM_OK;
    for (long i = 0; i < count && !status; i++) {
        bool touched = before > 0 && bsearch(contact[i], f->before, (size_t)before, sizeof *f->before, by_identity);
        contact[i][FOUND_STRUCK] = row > 0 && contact[i][FOUND_PN] > 0 && !touched;
    }
    return status;
}

carom_status found_at(found *f, long row, const found_contact **contacts, long *count, carom_error *error) {
    *contacts = NULL, *count = 0;
    if (!f->table) return CAROM_OK;
    long from = f->from[row], to = f->from[row + 1];
    carom_status status = load_contacts(f, f->from[row > 0 ? row - 1 : 0], to, error);
    if (!status) status = mark_struck(f, row, f->contact + (from - f->first), to - from, error);
    if (!status) *contacts = (const found_contact *)(f->contact + (from - f->first)), *count = to - from;
    return status;
}
