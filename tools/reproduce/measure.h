/* Numbers out of tables: "max(abs(E - first(E)))". docs/guide/study.md is the grammar. */
#ifndef CAROM_MEASURE_H
#define CAROM_MEASURE_H

#include "carom/carom.h"

/* Columns with names, of any lengths; a column of length 1 is a number. Columns of a run stay in its file until a
 * formula needs them. */
typedef enum column_place { COLUMN_HELD, COLUMN_OF_ROWS, COLUMN_OF_EVENTS } column_place;

typedef struct column {
    char *name;
    long count;
    double *values; /* held; NULL: in the file */
    column_place place;
    int number; /* of the column there */
    int equals; /* flags of events: 1 where this column, a kind or a contact, has this value; -1: the values themselves
                 */
} column;

typedef struct data {
    const char *name; /* name of the table in formulas; the caller sets it after reading; NULL: none */
    char *path;       /* of a run */
    int count, room;
    column *columns;
} data;

/* The names under which a formula finds what a run has recorded: its columns; "events.t", "events.PN",
 * "events.before.x", ... and 0 or 1 in "events.strike" (of each kind) and "events.at.floor" (of each contact) where
 * events were located; the numbers "dt", "until", "wall_seconds", "failed", "newton_max.1", "newton_mean.1", ...,
 * "parameter.mu", and figures of the integrator ("figure.CFL_number"). A function that reads fills *d; if it fails,
 * nothing is left to destroy. */
carom_status data_read_run(const char *path, data *d, carom_error *error);
/* converge.csv, in one norm. For each integrator, known as alias[i] in place of its label: "rattle.dt", "rattle.q",
 * "rattle.PN_step", ... (errors by falling step sizes, failed runs NaN) and the numbers "rattle.q.order", .... */
carom_status data_read_converge(const char *path, const char *norm, const char *const *label, const char *const *alias,
                                int count, data *d, carom_error *error);
/* compare.csv likewise: "rattle.error_q", "rattle.seconds", every column that holds numbers. */
carom_status data_read_compare(const char *path, const char *const *label, const char *const *alias, int count, data *d,
                               carom_error *error);
void data_destroy(data *d);
const column *data_find(const data *d, const char *name); /* NULL: none */

/* Copies the c->count values of a column. Opens the file of a run where *reader is NULL and leaves it open for further
 * columns; the caller ends with result_close(*reader). */
struct result_reader;
carom_status data_values(const data *d, const column *c, struct result_reader **reader, double *values,
                         carom_error *error);

/* For functions that fill a table: appends a value to a column and makes the column if it is missing. False: out of
 * memory. */
bool data_add(data *d, const char *name, double value);

/* The value of a formula. Its names are those of all[home] (home < 0: none) and then "run.column" of all. CAROM_DATA:
 * there is no value, error says why, and *at is the offset of the trouble in text. */
typedef struct measured {
    long count;
    double *values; /* the caller's to free */
} measured;
carom_status measure(const char *text, const data *const *all, int count, int home, measured *result, int *at,
                     carom_error *error);
/* Checks that the formula can be read. Whether its names exist is not checked. */
carom_status measure_check(const char *text, int *at, carom_error *error);

#endif
