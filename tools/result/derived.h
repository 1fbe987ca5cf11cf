/* Quantities derived from recorded ones: forces, and formulas as in scenes. A reader shows them as further columns. */
#ifndef CAROM_DERIVED_H
#define CAROM_DERIVED_H

#include "result/result.h"

typedef struct derived derived;

/* What a name in a formula means: a column of the table that is read, a number, or nothing. */
typedef struct derived_scope {
    result_reader *table; /* whose columns are read */
    result_reader *run;   /* that knows parameters and dt */
    const char *side;     /* of events: "before" or "after"; NULL: rows */
} derived_scope;

carom_status derived_create(const derived_scope *scope, const char *text, derived **made, carom_error *error);
void derived_destroy(derived *d);
const char *derived_text(const derived *d);
const char *derived_unit(const derived *d);
carom_status derived_read(const derived *d, result_reader *table, long first, long count, double *values,
                          carom_error *error);

#endif
