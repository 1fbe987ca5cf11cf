/* What was measured, read from tables. A row has the time t and, under the name of each column, the number that was
 * measured then; an empty field was not measured. A row with something in the column 'event' says when this event
 * happened. */
#ifndef CAROM_RECORDS_H
#define CAROM_RECORDS_H

#include "derivative/named.h"

/* A measured column and the formula with which it is compared. */
typedef struct measured_column {
    char *name, *formula;
    const char *path; /* where its heading stands */
    int place;
    double sigma; /* standard deviation of its numbers; NaN: not told */
} measured_column;

enum { EVENT_TIME = -1 }; /* in place of a column */

/* One number that was measured. */
typedef struct measurement {
    int record, column;
    double t, value; /* of an event both are its time */
    double sigma;
    int contact; /* of an event: a strike of this contact; -1: any event */
    long number; /* of an event: the one of this number, from 1 on */
    const char *path;
    int line;
} measurement;

/* A run, and what is known of it: the values of records.given; NaN: those of the scene. */
typedef struct measured_record {
    char *name;
    double *given;
} measured_record;

typedef struct records {
    measured_column *column;
    measured_record *record;
    measurement *at; /* by record, then by time */
    char **path, **given_name;
    named *given;
    int columns, count, measurements, room, paths, givens;
    double event_sigma; /* of times of events; NaN: not told */
    bool weighted;      /* it was told how exact the measurements are */
} records;

/* sources: "FILE" or "FILE,NAME=VALUE,..."; measures: "NAME" or "NAME=FORMULA", none: all columns; sigmas:
 * "NAME=VALUE", "event=VALUE". Times lie between the start of the model and until. To be freed, also after a failure.
 */
carom_status records_read(const carom_model *model, double until, const char *const *sources, int source_count,
                          const char *const *measures, int measure_count, const char *const *sigmas, int sigma_count,
                          records *r, carom_error *error);
void records_destroy(records *r);

/* "NAME=VALUE"; *name is a copy. */
carom_status records_assignment(const char *text, const char *option, char **name, double *value, carom_error *error);

#endif
