/* Errors: one sentence, with a position where there is one. */
#ifndef CAROM_ERROR_H
#define CAROM_ERROR_H

#include "carom/carom.h"

#include <stdarg.h>

/* Fill error (may be NULL) and return status. */
carom_status carom_error_set(carom_error *error, carom_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
carom_status carom_error_at(carom_error *error, carom_status status, const char *file, int line, int column,
                            const char *format, ...) __attribute__((format(printf, 6, 7)));
carom_status carom_error_memory(carom_error *error);

/* As vsnprintf, but if a sentence is too long because it quotes a long name, its beginning and its end stay: what it is
 * about, and what is wrong. */
void carom_fit(char *text, size_t size, const char *format, va_list arguments) __attribute__((format(printf, 3, 0)));

/* The candidate that has the name as an alias, or else the nearest one, for "did you mean"; NULL: none is near. Near
 * means an edit distance with transpositions of at most a third of the length, or else the shortest candidate that
 * begins with the name. */
const char *carom_nearest(const char *name, const char *const *candidates, int count);

#endif
