#include "result/csv.h"

#include "error.h"
#include "result/disk.h"
#include "result/reader.h"
#include "result/store.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 16 << 20 };

/* A field with a comma, a quote or a line break stands in quotes, its own quotes doubled. */
void csv_text(FILE *out, const char *name) {
    if (!strpbrk(name, ",\"\r\n")) {
        fputs(name, out);
        return;
    }
    fputc('"', out);
    for (; *name; name++) {
        if (*name == '"') fputc('"', out);
        fputc(*name, out);
    }
    fputc('"', out);
}

void csv_number(FILE *out, double value) {
    if (isnan(value)) fputs("nan", out); /* whatever its sign */
    else fprintf(out, "%.17g", value);
}

static bool open_quote(const char *record) {
    bool open = false;
    for (; *record; record++) open ^= *record == '"';
    return open;
}

/* Appends this many bytes to a record of *length. */
static bool append_line(char **record, size_t *room, ssize_t *length, const char *more, ssize_t added) {
    size_t size = (size_t)(*length + added) + 1;
    if (size > *room) {
        char *larger = realloc(*record, size);
        if (!larger) return false;
        *record = larger;
        *room = size;
    }
    memcpy(*record + *length, more, (size_t)added + 1);
    *length += added;
    return true;
}

bool csv_record(FILE *in, char **record, size_t *room) {
    ssize_t length = getline(record, room, in), added;
    if (length < 0) return false;
    char *more = NULL;
    size_t more_room = 0;
    bool fine = true;
    while (fine && open_quote(*record) && (added = getline(&more, &more_room, in)) >= 0)
        fine = append_line(record, room, &length, more, added);
    free(more);
    while (length > 0 && strchr("\r\n", (*record)[length - 1])) (*record)[--length] = '\0';
    return fine;
}

char *csv_field(char **rest) {
    char *field = *rest + strspn(*rest, " \t"), *to = field, *from = field;
    bool quoted = *from == '"';
    if (quoted) from++;
    while (*from && (quoted || *from != ',')) {
        if (quoted && from[0] == '"') {
            if (from[1] != '"') break;
            from++;
        }
        *to++ = *from++;
    }
    from += strcspn(from, ",");
    *rest = *from ? from + 1 : NULL;
    *to = '\0';
    while (!quoted && to > field && strchr(" \t", to[-1])) *--to = '\0';
    return field;
}

static carom_status write_rows(result_reader *r, FILE *out, const int *columns, int count, carom_error *error) {
    long rows = result_rows(r), block = BLOCK_BYTES / ((long)sizeof(double) * count);
    if (block < 16) block = 16;
    if (block > rows) block = rows;
    double *values = malloc((size_t)(block + 1) * (size_t)count * sizeof *values);
    if (!values) return carom_error_memory(error);
    carom_status status = CAROM_OK;
    for (long first = 0; status == CAROM_OK && first < rows && !ferror(out); first += block) {
        long n = rows - first < block ? rows - first : block;
        for (int c = 0; status == CAROM_OK && c < count; c++)
            status = result_read(r, columns[c], first, n, values + c * block, error);
        for (long i = 0; status == CAROM_OK && i < n; i++)
            for (int c = 0; c < count; c++) {
                csv_number(out, values[c * block + i]);
                fputc(c + 1 < count ? ',' : '\n', out);
            }
    }
    free(values);
    return status;
}

static carom_status write_table(result_reader *r, FILE *out, const int *columns, int count, carom_error *error) {
    for (int c = 0; c < count; c++) {
        csv_text(out, result_name(r, columns[c]));
        fputc(c + 1 < count ? ',' : '\n', out);
    }
    return write_rows(r, out, columns, count, error);
}

static carom_status file_error(const char *name, int number, carom_status status, carom_error *error) {
    char reason[128];
    return carom_error_set(error, status, "%s: %s", name, store_reason(number, reason, sizeof reason));
}

static bool is_standard(const char *path) {
    return strcmp(path, "-") == 0;
}

static const char *name_of(const char *path) {
    return is_standard(path) ? "standard output" : path;
}

carom_status csv_open(const char *path, FILE **out, carom_error *error) {
    *out = is_standard(path) ? stdout : fopen(path, "w");
    if (!*out) return file_error(path, errno, CAROM_DATA, error);
    errno = 0;
    return CAROM_OK;
}

carom_status csv_close(const char *path, FILE *out, carom_status status, carom_error *error) {
    bool written = fflush(out) == 0 && !ferror(out);
    int number = errno;
    if (out != stdout && fclose(out) != 0 && written) written = false, number = errno;
    if (status == CAROM_OK && !written) status = file_error(name_of(path), number ? number : EIO, CAROM_FAILED, error);
    return status;
}

carom_status result_export_csv(result_reader *r, const char *path, const int *columns, int count, carom_error *error) {
    FILE *out;
    if (!*path) return carom_error_set(error, CAROM_DATA, "the name of the CSV file is empty");
    if (count < 1) return carom_error_set(error, CAROM_DATA, "%s: no quantities to write", name_of(path));
    if (!is_standard(path) && disk_same(path, result_path(r)))
        return carom_error_set(error, CAROM_DATA, "%s is the result itself: not overwritten", path);
    carom_status status = csv_open(path, &out, error);
    return status ? status : csv_close(path, out, write_table(r, out, columns, count, error), error);
}
