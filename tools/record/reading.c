/* Results that programs read (carom/result.h). */
#include "carom/result.h"

#include <stdlib.h>

#include "error.h"
#include "result/reader.h"

struct carom_reader {
    result_reader *table[2]; /* that of the events is NULL where there are none */
};

carom_status carom_reader_open(const char *path, carom_reader **reader, carom_error *error) {
    *reader = NULL;
    carom_reader *r = calloc(1, sizeof *r);
    if (!r) return carom_error_memory(error);
    carom_status status = result_open(path, &r->table[CAROM_ROWS], error);
    if (status) {
        free(r);
        return status;
    }
    r->table[CAROM_EVENTS] = result_events(r->table[CAROM_ROWS]);
    *reader = r;
    return CAROM_OK;
}

void carom_reader_close(carom_reader *r) {
    if (!r) return;
    result_close(r->table[CAROM_ROWS]);
    free(r);
}

long carom_reader_rows(const carom_reader *r, carom_table table) {
    return r->table[table] ? result_rows(r->table[table]) : 0;
}

int carom_reader_columns(const carom_reader *r, carom_table table) {
    return r->table[table] ? result_columns(r->table[table]) : 0;
}

const char *carom_reader_name(const carom_reader *r, carom_table table, int column) {
    return result_name(r->table[table], column);
}

const char *carom_reader_unit(const carom_reader *r, carom_table table, int column) {
    return result_unit(r->table[table], column);
}

carom_status carom_reader_read(carom_reader *r, carom_table table, int column, double *values, carom_error *error) {
    return result_read(r->table[table], column, 0, result_rows(r->table[table]), values, error);
}

carom_status carom_reader_quantity(carom_reader *r, const char *name, int *column, carom_error *error) {
    return result_quantity(r->table[CAROM_ROWS], name, column, error);
}

int carom_reader_side(carom_reader *r, int column, int side) {
    return r->table[CAROM_EVENTS] ? result_side(r->table[CAROM_ROWS], column, side ? "after" : "before") : -1;
}

const char *carom_reader_contact(const carom_reader *r, int number) {
    return r->table[CAROM_EVENTS] ? result_contact(r->table[CAROM_EVENTS], number) : NULL;
}

const char *carom_reader_kind(const carom_reader *r, int number) {
    return r->table[CAROM_EVENTS] ? result_kind(r->table[CAROM_EVENTS], number) : NULL;
}

const char *carom_reader_text(carom_reader *r, const char *attribute) {
    return result_text(r->table[CAROM_ROWS], attribute);
}

int carom_reader_plots(const carom_reader *r) {
    return result_plots(r->table[CAROM_ROWS]);
}

const char *carom_reader_plot(const carom_reader *r, int i) {
    return result_plot(r->table[CAROM_ROWS], i);
}
