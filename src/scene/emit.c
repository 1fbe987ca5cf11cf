/* A tree of nodes as YAML text, block style, one entry per line. */
#include "yaml.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether YAML reads a text as itself without quotes; false if in doubt. */
static bool is_safe(const char *text) {
    size_t length = strlen(text);
    if (!length || !(isalnum((unsigned char)text[0]) || strchr("_(.", text[0]))) return false;
    if (text[length - 1] == ' ' || strcmp(text, "null") == 0 || strncmp(text, "...", 3) == 0) return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr("_ .,+-*/^()=<>", text[i])) return false;
    return true;
}

/* The code point of a control character, an end of line or a byte order mark, which yaml.c reads in escapes only, and
 * its *length; 0: it is text. */
static unsigned special(const char *text, int *length) {
    const unsigned char *c = (const unsigned char *)text;
    *length = 1;
    if (c[0] < ' ' || c[0] == 0x7f) return c[0];
    if (c[0] == 0xc2 && c[1] < 0xa0) return *length = 2, c[1];
    if (c[0] == 0xe2 && c[1] == 0x80 && (c[2] == 0xa8 || c[2] == 0xa9)) return *length = 3, 0x2000u + c[2] - 0x80;
    return c[0] == 0xef && c[1] == 0xbb && c[2] == 0xbf ? *length = 3, 0xfeff : 0;
}

static bool is_one_line(const char *text) {
    for (int length; *text; text++)
        if (special(text, &length)) return false;
    return true;
}

static void emit_text(FILE *out, const char *text) {
    bool single = is_one_line(text) && !strstr(text, "''"); /* yaml.c refuses '''' */
    if (is_safe(text)) {
        fputs(text, out);
        return;
    }
    fputc(single ? '\'' : '"', out);
    for (int length = 1; *text; text += length) {
        unsigned point = special(text, &length);
        if (single && *text == '\'') fputs("''", out);
        else if (!single && (*text == '"' || *text == '\\')) fprintf(out, "\\%c", *text);
        else if (point) fprintf(out, "\\u%04x", point);
        else fputc(*text, out);
    }
    fputc(single ? '\'' : '"', out);
}

static void emit_children(FILE *out, const node *parent, int indent);

static void emit_value(FILE *out, const node *n, int indent) {
    if (n->first) {
        fputc('\n', out);
        emit_children(out, n, indent + 2);
        return;
    }
    if (n->kind != NODE_EMPTY) fputc(' ', out);
    if (n->kind == NODE_TEXT) emit_text(out, n->text);
    if (n->kind == NODE_MAP) fputs("{}", out);
    if (n->kind == NODE_LIST) fputs("[]", out);
    fputc('\n', out);
}

static void emit_children(FILE *out, const node *parent, int indent) {
    for (const node *child = parent->first; child; child = child->next) {
        fprintf(out, "%*s", indent, "");
        if (child->key) emit_text(out, child->key->text);
        fputc(child->key ? ':' : '-', out);
        emit_value(out, child, indent);
    }
}

char *yaml_emit(const node *root) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    emit_children(out, root, 0);
    bool failed = ferror(out);
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
