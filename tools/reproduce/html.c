#include "reproduce/html.h"

#include <ctype.h>
#include <string.h>

static void put_character(FILE *out, int c) {
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
    for (size_t i = 0; i < length; i++) put_character(out, (unsigned char)text[i]);
}

void html_text(FILE *out, const char *text) {
    if (text) put_span(out, text, strlen(text));
}

/* ---------------------------------------------------------------- mathematics */

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* The number of letters and digits at text, within this length. */
static size_t letters(const char *text, size_t length) {
    size_t n = 0;
    while (n < length && isalnum((unsigned char)text[n])) n++;
    return n;
}

/* The length of a relation of two characters; 0: there is none. */
static size_t put_relation(FILE *out, const char *text, size_t length) {
    static const char *const signs[][2] = {{">=", "≥"}, {"<=", "≤"}, {"!=", "≠"}, {"->", "→"}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (length >= 2 && !strncmp(text, signs[i][0], 2)) return fputs(signs[i][1], out), 2;
    return 0;
}

/* The Greek letter that the word of n letters at text names; NULL: none. */
static const char *greek(const char *text, size_t n) {
    static const char *const names[][2] = {{"alpha", "α"}, {"gamma", "γ"}, {"theta", "θ"}, {"mu", "μ"},
                                           {"pi", "π"},    {"phi", "φ"},   {"psi", "ψ"},   {"rho", "ρ"},
                                           {"omega", "ω"}, {"lambda", "λ"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i][0]) == n && !strncmp(text, names[i][0], n)) return names[i][1];
    return NULL;
}

/* The length of a letter with an index, "g_N" or "rho_inf", or with a dot, "x_dot", or of a Greek letter alone; 0:
 * there is none. */
static size_t put_symbol(FILE *out, const char *text, size_t length) {
    size_t head = letters(text, length);
    const char *name = greek(text, head);
    if (!name && (head != 1 || !isalpha((unsigned char)text[0]))) return 0;
    size_t n = head + 1 < length && text[head] == '_' ? letters(text + head + 1, length - head - 1) : 0,
           end = head + 1 + n;
    if (n > 3 || (end < length && n > 0 && text[end] == '_')) return 0;
    if (n == 0) return name && (head == length || text[head] != '_') ? fprintf(out, "%s", name), head : 0;
    bool dot = n == 3 && !strncmp(text + head + 1, "dot", 3);
    fprintf(out, "<i>%.*s</i>", name ? (int)strlen(name) : 1, name ? name : text);
    if (dot) fputs("\xcc\x87", out);
    else fprintf(out, "<sub>%.*s</sub>", (int)n, text + head + 1);
    return end;
}

/* The length of a power, "^2", "^-3"; 0: there is none. */
static size_t put_power(FILE *out, const char *text, size_t length) {
    if (length < 2 || text[0] != '^') return 0;
    bool minus = text[1] == '-';
    size_t n = letters(text + 1 + minus, length - 1 - minus);
    if (n > 0) fprintf(out, "<sup>%s%.*s</sup>", minus ? "−" : "", (int)n, text + 1 + minus);
    return n > 0 ? 1 + minus + n : 0;
}

/* The length of a number with an exponent, "2.5e-09" or "1e-12"; 0: there is none. */
static size_t put_exponent(FILE *out, const char *text, size_t length) {
    size_t n = 0, digits;
    while (n < length && (isdigit((unsigned char)text[n]) || text[n] == '.')) n++;
    if (n == 0 || n + 1 >= length || text[n] != 'e') return 0;
    bool sign = text[n + 1] == '-' || text[n + 1] == '+', minus = text[n + 1] == '-';
    size_t from = n + 1 + sign;
    for (digits = 0; from + digits < length && isdigit((unsigned char)text[from + digits]);) digits++;
    if (digits == 0 || (from + digits < length && is_word(text[from + digits]))) return 0;
    for (; digits > 1 && text[from] == '0'; digits--) from++;
    if (n > 1 || text[0] != '1') fprintf(out, "%.*s·", (int)n, text);
    fprintf(out, "10<sup>%s%.*s</sup>", minus ? "−" : "", (int)digits, text + from);
    return from + digits;
}

static void put_math(FILE *out, const char *text, size_t length) {
    for (size_t i = 0, n; i < length; i += n) {
        n = put_relation(out, text + i, length - i);
        if (!n && (i == 0 || !is_word(text[i - 1]))) n = put_symbol(out, text + i, length - i);
        if (!n && (i == 0 || !is_word(text[i - 1]))) n = put_exponent(out, text + i, length - i);
        if (!n && i > 0) n = put_power(out, text + i, length - i);
        if (!n) put_character(out, (unsigned char)text[i]), n = 1;
    }
}

void html_math(FILE *out, const char *text) {
    if (text) put_math(out, text, strlen(text));
}

/* Where the paragraph at text ends: at the first blank line, or at the end. */
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
    put_character(out, '\'');
    for (; *word; word++) {
        if (*word == '\'') html_text(out, "'\\''");
        else put_character(out, (unsigned char)*word);
    }
    put_character(out, '\'');
}

bool html_file(FILE *out, const char *path) {
    FILE *in = fopen(path, "rb");
    if (!in) return false;
    for (int c; (c = fgetc(in)) != EOF;) put_character(out, c);
    bool read = !ferror(in);
    fclose(in);
    return read;
}
