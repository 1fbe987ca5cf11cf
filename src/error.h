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

/* As vsnprintf. A sentence that is too long, for the sake of a name in it, keeps both its ends: what it is about, and
 * what is the matter. */
void carom_fit(char *text, size_t size, const char *format, va_list arguments) __attribute__((format(printf, 3, 0)));

/* The candidate that name is another word for, or else the nearest one, or NULL where none is near (edit distance with
 * transpositions, at most a third of the length; else the shortest that begins with it): for "did you mean". */
const char *carom_nearest(const char *name, const char *const *candidates, int count);

#endif
