/* Comma-separated values. */
#ifndef CAROM_CSV_H
#define CAROM_CSV_H

#include "carom/carom.h"

#include <stdio.h>

/* path "-" is standard output. */
carom_status csv_open(const char *path, FILE **out, carom_error *error);
/* status: of what was written so far. */
carom_status csv_close(const char *path, FILE *out, carom_status status, carom_error *error);

/* Writes a field, in quotes where needed; a number with 17 digits, which read back give the same bits. */
void csv_text(FILE *out, const char *text);
void csv_number(FILE *out, double value);

/* Reading: a record (a line, or several where a field in quotes has line breaks) without its end, in a buffer as
 * getline keeps it; false with feof: none is left; otherwise it could not be read. */
bool csv_record(FILE *in, char **record, size_t *room);
/* The next field of a record, in quotes or not; *rest is NULL after the last one. Spaces around it do not count. */
char *csv_field(char **rest);

#endif
