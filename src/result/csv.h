/* Comma-separated values. */
#ifndef CAROM_CSV_H
#define CAROM_CSV_H

#include "carom/carom.h"

#include <stdio.h>

/* path "-" is standard output. */
carom_status csv_open(const char *path, FILE **out, carom_error *error);
/* status: of what was written so far. */
carom_status csv_close(const char *path, FILE *out, carom_status status, carom_error *error);

/* A field, in quotes where it needs them; a number with 17 digits: reading it gives the same bits. */
void csv_text(FILE *out, const char *text);
void csv_number(FILE *out, double value);

#endif
