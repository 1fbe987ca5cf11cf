/* The tables of a sweep: one row for each run, and the points of its section as events of the result. */
#ifndef CAROM_SWEEP_COLUMNS_H
#define CAROM_SWEEP_COLUMNS_H

#include "result/result.h"
#include "sweep/sweep.h"

/* Row: run, axes, kept, events, exponents, failed; in the whole result also cycle and attractor, if it has points.
 * Point: run, axes, t, kept. */
typedef struct sweep_columns {
    int rows, points; /* columns of the tables; no points: 0 */
    const char **row, **row_unit, **point, **point_unit;
    char *names; /* memory of some */
    char *scene; /* text, with what was asked as a comment */
    char title[256];
    result_info info;
} sweep_columns;

/* whole: of the whole result, not of a part. To be freed, also after a failure. */
carom_status sweep_columns_create(sweep_columns *c, const sweep_question *q, bool whole, carom_error *error);
void sweep_columns_destroy(sweep_columns *c);

#endif
