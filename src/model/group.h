/* Groups of columns of a sparse matrix without common rows: one difference gives a whole group. */
#ifndef CAROM_GROUP_H
#define CAROM_GROUP_H

#include "carom/carom.h"

/* group[cols]; returns how many there are. Where a row has more than most entries, every column is a group of its own.
 * -1: out of memory. */
int group_columns(const carom_pattern *J, int most, int *group);

#endif
