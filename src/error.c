#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Inside a character of several bytes (UTF-8)? */
static bool inside(const char *text) {
    return ((unsigned char)*text & 0xc0) == 0x80;
}

static void keep_ends(const char *full, char *text, size_t size) {
    static const char gap[] = " ... ";
    size_t kept = (size - sizeof gap) / 2, head = kept, tail = strlen(full) - kept;
    while (head > 0 && inside(full + head)) head--;
    while (inside(full + tail)) tail++;
    snprintf(text, size, "%.*s%s%s", (int)head, full, gap, full + tail);
}

void carom_fit(char *text, size_t size, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(text, size, format, arguments);
    char *full = length >= (int)size ? malloc((size_t)length + 1) : NULL;
    if (full) {
        vsnprintf(full, (size_t)length + 1, format, again);
        keep_ends(full, text, size);
    }
    free(full);
    va_end(again);
}

static void fit(char *text, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    carom_fit(text, size, format, arguments);
    va_end(arguments);
}

static carom_status fill(carom_error *error, carom_status status, const char *file, int line, int column,
                         const char *format, va_list arguments) {
    if (!error) return status;
    error->status = status;
    error->line = line;
    error->column = column;
    fit(error->file, sizeof error->file, "%s", file ? file : "");
    carom_fit(error->message, sizeof error->message, format, arguments);
    return status;
}

carom_status carom_error_set(carom_error *error, carom_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(error, status, NULL, 0, 0, format, arguments);
    va_end(arguments);
    return status;
}

carom_status carom_error_at(carom_error *error, carom_status status, const char *file, int line, int column,
                            const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(error, status, file, line, column, format, arguments);
    va_end(arguments);
    return status;
}

carom_status carom_error_memory(carom_error *error) {
    return carom_error_set(error, CAROM_MEMORY, "out of memory");
}

const char *carom_error_text(const carom_error *error, char *text, size_t size) {
    if (error->file[0] && error->line > 0)
        snprintf(text, size, "%s:%d:%d: %s", error->file, error->line, error->column, error->message);
    else if (error->file[0]) snprintf(text, size, "%s: %s", error->file, error->message);
    else snprintf(text, size, "%s", error->message);
    return text;
}

/* Optimal string alignment distance, three rows. */
enum { LONGEST = 64 };

static int distance(const char *a, const char *b) {
    size_t na = strlen(a), nb = strlen(b);
    if (na >= LONGEST || nb >= LONGEST) return LONGEST;
    int rows[3][LONGEST + 1];
    for (size_t j = 0; j <= nb; j++) rows[0][j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best) best = last[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return rows[na % 3][nb];
}

const char *carom_nearest(const char *name, const char *const *candidates, int count) {
    const char *nearest = NULL;
    int length = (int)strlen(name), best = length < 3 ? 1 : length / 3;
    if (length < 2 || length >= LONGEST) return NULL;
    for (int i = 0; i < count; i++) {
        int d = distance(name, candidates[i]);
        if (d < best || (d == best && !nearest)) {
            best = d;
            nearest = candidates[i];
        }
    }
    const bool found = nearest;
    for (int i = 0; i < count && !found && length >= 3; i++) {
        bool begins = strncmp(candidates[i], name, (size_t)length) == 0;
        if (begins && (!nearest || strlen(candidates[i]) < strlen(nearest))) nearest = candidates[i];
    }
    return nearest;
}
