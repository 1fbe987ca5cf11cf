/* Results that programs read (carom/result.h). */
#include "carom/result.h"

#include <stdlib.h>

#include "alive.h"
#include "error.h"
#include "result/reader.h"

struct carom_reader {
    unsigned alive;
    result_reader *table[2]; /* the table of events is NULL where there are none */
};

carom_status carom_reader_open(const char *path, carom_reader **reader, carom_error *error) {
    *reader = NULL;
    carom_reader *r = calloc(1, sizeof *r);
    if (!r) return carom_error_memory(error);
    r->alive = ALIVE;
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
    assert_alive(r);
    result_close(r->table[CAROM_ROWS]);
    mark_destroyed(r);
    free(r);
}

static result_reader *table_of(const carom_reader *r, carom_table table) {
    assert_alive(r);
    assert(table == CAROM_ROWS || table == CAROM_EVENTS);
    return r->table[table];
}

long carom_reader_rows(const carom_reader *r, carom_table table) {
    result_reader *of = table_of(r, table);
    return of ? result_rows(of) : 0;
}

int carom_reader_columns(const carom_reader *r, carom_table table) {
    result_reader *of = table_of(r, table);
    return of ? result_columns(of) : 0;
}

/* A table that the result has. */
static result_reader *filled_table(const carom_reader *r, carom_table table) {
    result_reader *of = table_of(r, table);
    assert(of && "the run told no events");
    return of;
}

const char *carom_reader_name(const carom_reader *r, carom_table table, int column) {
    return result_name(filled_table(r, table), column);
}

const char *carom_reader_unit(const carom_reader *r, carom_table table, int column) {
    return result_unit(filled_table(r, table), column);
}

carom_status carom_reader_read(carom_reader *r, carom_table table, int column, double *values, carom_error *error) {
    result_reader *of = filled_table(r, table);
    return result_read(of, column, 0, result_rows(of), values, error);
}

carom_status carom_reader_quantity(carom_reader *r, const char *name, int *column, carom_error *error) {
    return result_quantity(table_of(r, CAROM_ROWS), name, column, error);
}

int carom_reader_side(carom_reader *r, int column, int side) {
    return table_of(r, CAROM_EVENTS) ? result_side(r->table[CAROM_ROWS], column, side ? "after" : "before") : -1;
}

const char *carom_reader_contact(const carom_reader *r, int number) {
    return table_of(r, CAROM_EVENTS) ? result_contact(r->table[CAROM_EVENTS], number) : NULL;
}

const char *carom_reader_kind(const carom_reader *r, int number) {
    return table_of(r, CAROM_EVENTS) ? result_kind(r->table[CAROM_EVENTS], number) : NULL;
}

const char *carom_reader_text(carom_reader *r, const char *attribute) {
    return result_text(table_of(r, CAROM_ROWS), attribute);
}

int carom_reader_plots(const carom_reader *r) {
    return result_plots(table_of(r, CAROM_ROWS));
}

const char *carom_reader_plot(const carom_reader *r, int i) {
    assert_alive(r);
    assert(i >= 0 && i < carom_reader_plots(r));
    return result_plot(r->table[CAROM_ROWS], i);
}
