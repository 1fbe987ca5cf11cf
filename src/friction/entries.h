/* Sparse matrices as lists of entries in any order; entries of one place add up. */
#ifndef CAROM_ENTRIES_H
#define CAROM_ENTRIES_H

#include <stdbool.h>

typedef struct entry {
    int row, col;
    double value;
} entry;

typedef struct entries {
    int rows, cols, count, room;
    entry *at;
} entries;

/* Zeros are left out. False: out of memory. */
bool entries_add(entries *e, int row, int col, double value);
void entries_free(entries *e);

/* The same list ordered by rows, or by columns: *start (rows + 1, or cols + 1) says where each begins. The order
 * within a row is that of the list. False: out of memory; otherwise both are to be freed. */
bool entries_by_row(const entries *e, int **start, entry **sorted);
bool entries_by_column(const entries *e, int **start, entry **sorted);

#endif
