#include "result/json.h"

#include <math.h>

/* Reads the character at *text and moves behind it. A byte that is no UTF-8 becomes U+FFFD. */
static unsigned character(const unsigned char **text) {
    static const unsigned least[4] = {
        0, 0x80, 0x800,
        0x10000}; /* least code of a character with so many further bytes: a shorter form is not allowed */
    const unsigned char *s = *text;
    int more = *s < 0x80 ? 0 : *s >> 5 == 6 ? 1 : *s >> 4 == 14 ? 2 : *s >> 3 == 30 ? 3 : -1;
    *text += 1;
    if (more <= 0) return more == 0 ? *s : 0xFFFD;
    unsigned code = *s & (0x3Fu >> more);
    for (int i = 1; i <= more; i++) {
        if (s[i] >> 6 != 2) return 0xFFFD;
        code = code << 6 | (s[i] & 0x3Fu);
    }
    if (code < least[more] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return 0xFFFD;
    *text += more;
    return code;
}

void json_text(FILE *out, const char *text) {
    if (!text) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        unsigned c = character(&s);
        if (c == '"' || c == '\\') fprintf(out, "\\%c", (int)c);
        else if (c >= 0x10000)
            fprintf(out, "\\u%04x\\u%04x", 0xD800 + ((c - 0x10000) >> 10), 0xDC00 + ((c - 0x10000) & 0x3FF));
        else if (c < 0x20 || c >= 0x7F || c == '<') fprintf(out, "\\u%04x", c);
        else fputc((int)c, out);
    }
    fputc('"', out);
}

void json_number(FILE *out, double value) {
    if (isfinite(value)) fprintf(out, "%.17g", value);
    else fputs("null", out);
}

void json_numbers(FILE *out, const double *values, int count) {
    fputc('[', out);
    for (int i = 0; i < count; i++) {
        if (i > 0) fputs(", ", out);
        json_number(out, values ? values[i] : NAN);
    }
    fputc(']', out);
}

void json_entry(FILE *out, const char *before, const char *key, const char *text) {
    fprintf(out, "%s\"%s\": ", before, key);
    json_text(out, text);
}
