/* Tables for formulas, table("signal.csv", t): two columns of numbers in a file, the first of which ascends. The file
 * is looked for beside the scene that names it. */
#include "error.h"
#include "names.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct csv_table {
    const char *quoted, *from; /* what formulas call it, and the file they stand in */
    int number;
    struct csv_table *next;
};

typedef struct csv {
    names *n;
    const char *path;
    double *x, *y;
    int count, room[2];
} csv;

/* ---- the file */

static bool complain(names *n, const char *path, int line, int column, const char *sentence) {
    n->reported = true;
    carom_error_at(n->error, CAROM_DATA, path, line, column, "%s", sentence);
    return false;
}

/* ---- its lines */

static bool is_separator(char c) {
    return c == ',' || c == ';' || c == ' ' || c == '\t' || c == '\r';
}

/* The number at *at, which moves behind it and one separator; false: there is none. */
static bool take_number(const char **at, locale_t numbers, double *value) {
    char *end;
    while (**at == ' ' || **at == '\t') ++*at;
    *value = strtod_l(*at, &end, numbers);
    if (end == *at || (*end && *end != '\n' && !is_separator(*end))) return false;
    while (*end == ' ' || *end == '\t' || *end == '\r') end++;
    if (*end == ',' || *end == ';') end++;
    *at = end;
    return true;
}

static bool is_blank(const char *line) {
    while (is_separator(*line)) line++;
    return *line == 0 || *line == '\n' || *line == '#';
}

static bool add_row(csv *c, int line, double x, double y) {
    char sentence[160];
    if (!isfinite(x) || !isfinite(y)) return complain(c->n, c->path, line, 1, "the numbers of a table must be finite");
    if (c->count && !(x > c->x[c->count - 1])) {
        snprintf(sentence, sizeof sentence, "the first column must ascend, but %g follows %g", x, c->x[c->count - 1]);
        return complain(c->n, c->path, line, 1, sentence);
    }
    c->x = arena_grow(c->n->memory, c->x, c->count, 1, &c->room[0], sizeof *c->x);
    c->y = arena_grow(c->n->memory, c->y, c->count, 1, &c->room[1], sizeof *c->y);
    if (!c->x || !c->y) return carom_error_memory(c->n->error), c->n->reported = true, false;
    c->x[c->count] = x, c->y[c->count++] = y;
    return true;
}

/* The first line may be a heading. */
static bool read_line(csv *c, const char *start, int line, locale_t numbers) {
    char sentence[160];
    const char *at = start;
    double value[2];
    if (is_blank(start)) return true;
    for (int i = 0; i < 2; i++) {
        if (take_number(&at, numbers, &value[i])) continue;
        if (c->count == 0 && i == 0 && line == 1) return true;
        int n = (int)strcspn(at, ",;\r\n");
        snprintf(sentence, sizeof sentence, "expected a number, found %s%.*s%s", n ? "'" : "the end of the line",
                 n < 40 ? n : 40, at, n ? "'" : "");
        return complain(c->n, c->path, line, (int)(at - start) + 1, sentence);
    }
    return add_row(c, line, value[0], value[1]);
}

static bool read_lines(csv *c, const char *text) {
    locale_t numbers = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    bool ok = numbers != (locale_t)0;
    int line = 1;
    if (!ok) carom_error_memory(c->n->error), c->n->reported = true;
    for (const char *at = text; ok && *at; line++) {
        ok = read_line(c, at, line, numbers);
        at += strcspn(at, "\n");
        if (*at) at++;
    }
    if (numbers) freelocale(numbers);
    return ok && (c->count > 1 || complain(c->n, c->path, line - 1, 1, "a table needs at least two rows of numbers"));
}

/* ---- the table */

/* The scene keeps the path at which the file was found, so that its text means the same in another folder. */
static bool keep_path(names *n, const char *quoted, size_t length, const char *path) {
    node *at = (node *)n->reading;
    char *full = at && at->text && quoted[1] != '/' ? realpath(path, NULL) : NULL;
    const char *found = full ? strstr(at->text, arena_format(n->memory, "%.*s\"", (int)length + 1, quoted)) : NULL;
    if (found)
        at->text = arena_format(n->memory, "%.*s\"%s%s", (int)(found - at->text), at->text, full, found + 1 + length);
    free(full);
    return !at || at->text;
}

static bool add_table(csv *c, knot_method method, int *number) {
    names *n = c->n;
    size_t rows = (size_t)c->count;
    knots *k = arena_get(n->memory, sizeof *k);
    double *row = arena_get(n->memory, (rows + 1) * KNOT_ROW * sizeof *row), *room = malloc(2 * rows * sizeof *room);
    bool ok = k && row && room;
    if (ok) {
        knots_fill(c->count, c->x, c->y, method, row, room);
        *k = (knots){c->count, row};
        ok = graph_add_table(n->g, k, number);
    }
    free(room);
    if (!ok) carom_error_memory(n->error), n->reported = true;
    return ok;
}

static bool method_of(const char *text, knot_method *method, parse_error *error) {
    static const char *const known[] = {[KNOTS_LINEAR] = "linear", [KNOTS_STEP] = "step", [KNOTS_CUBIC] = "cubic"};
    *method = KNOTS_LINEAR;
    if (!*text) return true;
    for (int i = 0; i < 3; i++)
        if (strcmp(text + 1, known[i]) == 0) return *method = (knot_method)i, true;
    snprintf(error->message, sizeof error->message, "a table is linear, step or cubic, not '%.60s'", text + 1);
    return false;
}

static expr load(names *n, const char *quoted, parse_error *error) {
    const size_t length = strcspn(quoted + 1, "\"");
    knot_method method;
    if (!method_of(quoted + 1 + length, &method, error)) return -1;
    csv c = {.n = n, .path = names_path(n, n->reading, quoted + 1, length)};
    char *text = c.path ? names_read(n, c.path, "table", NULL) : NULL;
    struct csv_table *known = arena_get(n->memory, sizeof *known);
    const char *name = arena_text(n->memory, quoted, strlen(quoted));
    bool ok = text && known && name && read_lines(&c, text) && add_table(&c, method, &known->number) &&
              keep_path(n, quoted, length, c.path);
    free(text);
    if (!ok && !n->reported) carom_error_memory(n->error), n->reported = true;
    if (!ok) return -1;
    known->quoted = name, known->from = n->reading ? n->reading->file : NULL;
    known->next = n->tables;
    n->tables = known;
    return expr_number(n->g, known->number);
}

expr names_table(names *n, const char *quoted, parse_error *error) {
    const char *from = n->reading ? n->reading->file : NULL;
    for (const struct csv_table *t = n->tables; t; t = t->next)
        if (t->from == from && strcmp(t->quoted, quoted) == 0) return expr_number(n->g, t->number);
    return load(n, quoted, error);
}
