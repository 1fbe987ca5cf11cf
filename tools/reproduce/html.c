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

/* ---------------------------------------------------------------- mathematics */

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* How many letters and digits there are at text, of length at most. */
static size_t letters(const char *text, size_t length) {
    size_t n = 0;
    while (n < length && isalnum((unsigned char)text[n])) n++;
    return n;
}

/* A relation of two characters: how long it is; 0: none. */
static size_t put_relation(FILE *out, const char *text, size_t length) {
    static const char *const signs[][2] = {{">=", "≥"}, {"<=", "≤"}, {"!=", "≠"}, {"->", "→"}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (length >= 2 && !strncmp(text, signs[i][0], 2)) return fputs(signs[i][1], out), 2;
    return 0;
}

/* A single letter with an index, "g_N", or with a dot, "x_dot": how long it is; 0: none. */
static size_t put_index(FILE *out, const char *text, size_t length) {
    if (length < 3 || !isalpha((unsigned char)text[0]) || text[1] != '_') return 0;
    size_t n = letters(text + 2, length - 2);
    bool dot = n == 3 && !strncmp(text + 2, "dot", 3);
    if (n == 0 || n > 3 || (2 + n < length && text[2 + n] == '_')) return 0;
    if (dot) fprintf(out, "<i>%c</i>\xcc\x87", text[0]);
    else fprintf(out, "<i>%c</i><sub>%.*s</sub>", text[0], (int)n, text + 2);
    return 2 + n;
}

/* A power, "^2", "^-3": how long it is; 0: none. */
static size_t put_power(FILE *out, const char *text, size_t length) {
    if (length < 2 || text[0] != '^') return 0;
    bool minus = text[1] == '-';
    size_t n = letters(text + 1 + minus, length - 1 - minus);
    if (n > 0) fprintf(out, "<sup>%s%.*s</sup>", minus ? "−" : "", (int)n, text + 1 + minus);
    return n > 0 ? 1 + minus + n : 0;
}

static void put_math(FILE *out, const char *text, size_t length) {
    for (size_t i = 0, n; i < length; i += n) {
        n = put_relation(out, text + i, length - i);
        if (!n && (i == 0 || !is_word(text[i - 1]))) n = put_index(out, text + i, length - i);
        if (!n && i > 0) n = put_power(out, text + i, length - i);
        if (!n) put(out, (unsigned char)text[i]), n = 1;
    }
}

void html_math(FILE *out, const char *text) {
    if (text) put_math(out, text, strlen(text));
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
        put_math(out, text, length);
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
