/* A table of numbers with a name on every column: a result of carom, or CSV from any program. */
#ifndef CAROM_SHEET_H
#define CAROM_SHEET_H

#include "carom/carom.h"

typedef struct sheet {
    long rows;
    int columns;
    char **names;
    double *values;   /* [columns][rows] */
    bool percussions; /* whether a row has all percussions since the row before: false for results that leave out steps
                       */
} sheet;

/* Chooses the format by the extension: .csv, otherwise HDF5. There must be a column t that increases from row to
 * row. */
carom_status sheet_read(const char *path, sheet *s, carom_error *error);
void sheet_destroy(sheet *s);
int sheet_find(const sheet *s, const char *name); /* -1: none */

#endif
