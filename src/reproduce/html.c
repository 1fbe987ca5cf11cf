#include "reproduce/html.h"

#include <ctype.h>
#include <string.h>

static void put(FILE *out, int c) {
    switch (c) {
    case '&':
        fputs("&amp;", out);
        break;
    case '<':
        fputs("&lt;", out);
        break;
    case '>':
        fputs("&gt;", out);
        break;
    case '"':
        fputs("&quot;", out);
        break;
    case '\'':
        fputs("&#39;", out);
        break;
    default:
        fputc(c, out);
    }
}

static void put_span(FILE *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) put(out, (unsigned char)text[i]);
}

void html_text(FILE *out, const char *text) {
    if (text) put_span(out, text, strlen(text));
}

/* Where the paragraph that begins at text ends: at the first line of blanks alone, or at the end. */
static size_t paragraph(const char *text) {
    for (const char *line = text; (line = strchr(line, '\n'));) {
        const char *next = line + 1 + strspn(line + 1, " \t\r");
        if (*next == '\n' || !*next) return (size_t)(line - text);
        line = next;
    }
    return strlen(text);
}

void html_paragraphs(FILE *out, const char *text) {
    if (!text) return;
    for (text += strspn(text, " \t\r\n"); *text; text += strspn(text, " \t\r\n")) {
        size_t length = paragraph(text);
        fputs("<p>", out);
        put_span(out, text, length);
        fputs("</p>\n", out);
        text += length;
    }
}

void html_anchor(FILE *out, const char *words) {
    for (; *words; words++) {
        unsigned char c = (unsigned char)*words;
        fputc(c < 128 && (isalnum(c) || c == '_') ? c : '-', out);
    }
}

void html_shell_word(FILE *out, const char *word) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:=,@%+-";
    if (*word && !word[strspn(word, plain)]) {
        html_text(out, word);
        return;
    }
    put(out, '\'');
    for (; *word; word++) {
        if (*word == '\'') html_text(out, "'\\''");
        else put(out, (unsigned char)*word);
    }
    put(out, '\'');
}

bool html_file(FILE *out, const char *path) {
    FILE *in = fopen(path, "rb");
    if (!in) return false;
    for (int c; (c = fgetc(in)) != EOF;) put(out, c);
    bool read = !ferror(in);
    fclose(in);
    return read;
}
