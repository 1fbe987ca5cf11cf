/* A tree of nodes as YAML text, block style, one entry per line. */
#include "yaml.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Texts that YAML reads as themselves without quotes, decided on the safe side. */
static bool is_safe(const char *text) {
    size_t length = strlen(text);
    if (!length || !(isalnum((unsigned char)text[0]) || strchr("_(.", text[0]))) return false;
    if (text[length - 1] == ' ' || strcmp(text, "null") == 0 || strncmp(text, "...", 3) == 0) return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr("_ .,+-*/^()=<>", text[i])) return false;
    return true;
}

static bool is_one_line(const char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f) return false;
    return true;
}

static void emit_text(FILE *out, const char *text) {
    bool single = is_one_line(text) && !strstr(text, "''"); /* yaml.c refuses '''' */
    if (is_safe(text)) {
        fputs(text, out);
        return;
    }
    fputc(single ? '\'' : '"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (single && c == '\'') fputs("''", out);
        else if (!single && (c == '"' || c == '\\')) fprintf(out, "\\%c", c);
        else if (c < ' ' || c == 0x7f) fprintf(out, "\\x%02x", c);
        else fputc(c, out);
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
