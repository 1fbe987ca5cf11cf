/* JSON for programs and pages. Text is ASCII; other characters, and those that could end a script in a page, are \u
 * escapes. Numbers that JSON does not have become null. */
#ifndef CAROM_JSON_H
#define CAROM_JSON_H

#include <stdio.h>

void json_text(FILE *out, const char *text); /* NULL: null */
void json_number(FILE *out, double value);
/* [1, 2, ...]; values NULL: [null, null, ...]. */
void json_numbers(FILE *out, const double *values, int count);
/* before, then "key": "text". The first entry of a map has "{" before it, the others ", ". */
void json_entry(FILE *out, const char *before, const char *key, const char *text);

#endif
