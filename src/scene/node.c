/* Nodes of a scene: search, and errors with the position of the offending character. */
#include "error.h"
#include "yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

node *yaml_new(arena *memory, node_kind kind, const char *text, const node *at) {
    node *n = arena_get(memory, sizeof *n);
    if (n) *n = (node){.kind = kind, .text = text, .file = at->file, .line = at->line, .column = at->column};
    return n;
}

node *yaml_find(const node *map, const char *key) {
    if (!map || map->kind != NODE_MAP) return NULL;
    for (node *child = map->first; child; child = child->next)
        if (strcmp(child->key->text, key) == 0) return child;
    return NULL;
}

int yaml_count(const node *parent) {
    int count = 0;
    for (const node *child = parent ? parent->first : NULL; child; child = child->next) count++;
    return count;
}

static const char *copy_text(arena *memory, const char *text, bool *lost) {
    const char *copy = text ? arena_text(memory, text, strlen(text)) : NULL;
    *lost = *lost || (text && !copy);
    return copy;
}

static node *copy_node(arena *memory, const node *from, bool *lost) {
    node *copy = arena_get(memory, sizeof *copy);
    if (!copy) return *lost = true, NULL;
    *copy = (node){.kind = from->kind, .line = from->line, .column = from->column};
    copy->text = copy_text(memory, from->text, lost);
    copy->file = copy_text(memory, from->file, lost);
    if (from->key) copy->key = copy_node(memory, from->key, lost);
    node **tail = &copy->first;
    for (const node *child = from->first; child && !*lost; child = child->next) {
        *tail = copy_node(memory, child, lost);
        if (*tail) tail = &(*tail)->next;
    }
    return copy;
}

node *yaml_copy(arena *memory, const node *root) {
    bool lost = false;
    node *copy = copy_node(memory, root, &lost);
    return lost ? NULL : copy;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The position of text[offset]. Folding, indentation and line breaks change only white space, so the k-th visible
 * character of the text is the k-th visible character in the file. Past the end: the place after the last one. */
static void locate(const node *n, int offset, int *line, int *column) {
    *line = n->line;
    *column = n->column;
    if (!n->raw) return;
    int visible = 0, l = n->line, c = n->column;
    for (int i = 0; i < offset && n->text[i]; i++) visible += !is_blank(n->text[i]);
    for (const char *p = n->raw; p < n->raw_end; p++) {
        bool shown = !is_blank(*p);
        if (shown && visible-- == 0) {
            *line = l;
            *column = c;
            return;
        }
        if (*p == '\n') l++, c = 1;
        else c += ((unsigned char)*p & 0xC0) != 0x80; /* continuation bytes of UTF-8 take no column */
        if (shown) *line = l, *column = c;
    }
}

static carom_status report(carom_error *error, const node *at, int offset, const char *format, va_list arguments) {
    if (!error) return CAROM_DATA;
    char message[sizeof error->message];
    carom_fit(message, sizeof message, format, arguments);
    for (char *c = message; *c; c++)
        if (is_blank(*c)) *c = ' '; /* makes one line of whatever the sentence quotes */
    int line, column;
    locate(at, offset, &line, &column);
    return carom_error_at(error, CAROM_DATA, at->file, line, column, "%s", message);
}

carom_status node_error(carom_error *error, const node *at, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    carom_status status = report(error, at, 0, format, arguments);
    va_end(arguments);
    return status;
}

carom_status node_error_in(carom_error *error, const node *at, int offset, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    carom_status status = report(error, at, offset, format, arguments);
    va_end(arguments);
    return status;
}

carom_status node_error_near(carom_error *error, const node *at, const char *name, const char *const *candidates,
                             int count, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    carom_status status = report(error, at, 0, format, arguments);
    va_end(arguments);
    const char *nearest = carom_nearest(name, candidates, count);
    if (!error || !nearest) return status;
    size_t length = strlen(error->message);
    snprintf(error->message + length, sizeof error->message - length, ", did you mean '%s'?", nearest);
    return status;
}
