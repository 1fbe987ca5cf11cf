/* Rows as text while a run goes on. */
#ifndef CAROM_STREAM_H
#define CAROM_STREAM_H

#include "carom/carom.h"

#include <stdio.h>

typedef struct stream {
    const char *path; /* "-": standard output */
    FILE *file;       /* NULL: closed */
    int columns;
    double flushed; /* when */
} stream;

/* Opens it and writes the line with the names. */
carom_status stream_open(stream *s, const char *path, int columns, const char *const *names, carom_error *error);
/* Writes a row; a reader sees it a moment later. */
carom_status stream_row(stream *s, const double *row, carom_error *error);
/* status: of the run so far. */
carom_status stream_close(stream *s, carom_status status, carom_error *error);

#endif
