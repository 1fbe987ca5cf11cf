/* One table of measurements, read into records. */
#ifndef CAROM_IDENTIFY_TABLE_H
#define CAROM_IDENTIFY_TABLE_H

#include "identify/records.h"

/* given: values that are known of its record. all: also measure columns that no one has named. */
carom_status table_read(records *r, const carom_model *model, double until, const char *path, const double *given,
                        bool all, carom_error *error);

/* Makes place for one more entry in a list of this many; false: out of memory. */
bool records_grow(void *list, int count, size_t size);
int records_find(const records *r, const char *column);
/* A column that is compared with a formula. */
carom_status records_add(records *r, const char *name, size_t length, const char *formula, carom_error *error);

#endif
