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
