/* Names and units of the columns of a table: one dataset "#columns" of pairs. */
#ifndef CAROM_LEGEND_H
#define CAROM_LEGEND_H

#include <stdbool.h>

#include <hdf5.h>

#define LEGEND "#columns"

/* units may be NULL. */
bool legend_put(hid_t group, int columns, const char *const *names, const char *const *units);
/* Names and, unless it is NULL, units: *count of each, to be freed by h5_free_texts. False: damaged, or out of memory.
 */
bool legend_get(hid_t group, char ***names, char ***units, int *count);

#endif
