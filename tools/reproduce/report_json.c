/* The report for programs. Text is ASCII, other characters as \u escapes; numbers that JSON does not have are null. */
#include "picture/file.h"
#include "reproduce/report.h"
#include "reproduce/verdict.h"

#include <math.h>

/* The character at *text, which moves behind it; U+FFFD for a byte that is no UTF-8. */
static unsigned character(const unsigned char **text) {
    static const unsigned least[4] = {0, 0x80, 0x800,
                                      0x10000}; /* with so many bytes that follow: shorter is possible */
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

static void write_text(FILE *out, const char *text) {
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
        else if (c < 0x20 || c >= 0x7F) fprintf(out, "\\u%04x", c);
        else fputc((int)c, out);
    }
    fputc('"', out);
}

static void write_number(FILE *out, double value) {
    if (isfinite(value)) fprintf(out, "%.17g", value);
    else fputs("null", out);
}

/* values NULL: as many times null. */
static void write_list(FILE *out, const char *key, const double *values, int count) {
    fprintf(out, ", \"%s\": [", key);
    for (int i = 0; i < count; i++) {
        if (i > 0) fputs(", ", out);
        write_number(out, values ? values[i] : NAN);
    }
    fputc(']', out);
}

/* The first entry of a map has no comma before it. */
static void write_entry(FILE *out, const char *before, const char *key, const char *text) {
    fprintf(out, "%s\"%s\": ", before, key);
    write_text(out, text);
}

static void write_claim(FILE *out, const claim *c) {
    write_entry(out, "{", "id", c->id);
    write_entry(out, ", ", "claim", c->text);
    write_entry(out, ", ", "printed", c->printed);
    write_entry(out, ", ", "at", c->at);
    write_entry(out, ", ", "derived", c->derived);
    write_entry(out, ", ", "derivation", c->derivation);
    write_list(out, "values", c->outcome == UNCHECKED || c->failure ? NULL : c->value, c->count);
    write_list(out, "near", c->near, c->count);
    write_list(out, "least", c->least, c->count);
    write_list(out, "greatest", c->greatest, c->count);
    write_entry(out, ", ", "unit", c->unit);
    write_entry(out, ", ", "verdict", claim_verdict(c));
    fprintf(out, ", \"holds\": %s", c->outcome == UNCHECKED ? "null" : c->outcome == HOLDS ? "true" : "false");
    fprintf(out, ", \"checked\": %s", c->outcome == UNCHECKED ? "false" : "true");
    write_entry(out, ", ", "reason", c->reason);
    write_entry(out, ", ", "tried", c->tried);
    write_entry(out, ", ", "failure", c->failure);
    fputc('}', out);
}

static void write_asset(FILE *out, const char *asset, int *written) {
    if (!asset) return;
    fputs((*written)++ > 0 ? ", " : "", out);
    write_text(out, asset);
}

static void write_figure(FILE *out, const figure_recipe *figure) {
    write_entry(out, "{", "name", figure->name);
    write_entry(out, ", ", "label", figure->label);
    write_entry(out, ", ", "title", figure->title);
    if (figure->failure) write_entry(out, ", ", "failure", figure->failure);
    int assets = 0;
    fputs(", \"assets\": [", out);
    for (int i = 0; i < figure->sketch_count; i++) write_asset(out, figure->sketches[i].asset, &assets);
    for (int i = 0; i < figure->picture_count; i++) write_asset(out, figure->pictures[i].asset, &assets);
    fputs("], \"claims\": [", out);
    for (int i = 0; i < figure->claim_count; i++) {
        fputs(i > 0 ? ",\n      " : "\n      ", out);
        write_claim(out, &figure->claims[i]);
    }
    fputs("]}", out);
}

static void write_paper(FILE *out, const paper_recipe *paper) {
    write_entry(out, "{", "name", paper->name);
    write_entry(out, ", ", "title", paper->title);
    fputs(", \"figures\": [", out);
    for (int f = 0; f < paper->count; f++) {
        fputs(f > 0 ? ",\n    " : "\n    ", out);
        write_figure(out, &paper->figures[f]);
    }
    fputs("]}", out);
}

static void write_summary(FILE *out, const recipes *r, const report_facts *facts) {
    tally t = tally_of(r);
    fprintf(out, "{\"claims\": %d", t.claims);
    for (int f = 0; f < FATES; f++) fprintf(out, ", \"%s\": %d", fate_key((fate)f), t.by_fate[f]);
    fprintf(out, ", \"figures\": %d, \"failures\": %d, \"jobs\": %d, \"cached\": %d, \"workers\": %d, \"seconds\": ",
            t.figures, t.failures, facts->jobs, facts->cached, facts->workers);
    write_number(out, facts->seconds);
    fputc('}', out);
}

carom_status report_write_json(const recipes *r, const report_facts *facts, const char *folder, carom_error *error) {
    char path[4096];
    file f;
    snprintf(path, sizeof path, "%s/report.json", folder);
    carom_status status = file_create(&f, path, error);
    if (status) return status;
    write_entry(f.out, "{", "carom", carom_version());
    write_entry(f.out, ", ", "revision", carom_revision());
    write_entry(f.out, ", ", "mode", r->quick ? "quick" : "full");
    fputs(",\n\"papers\": [", f.out);
    for (int p = 0; p < r->count; p++) {
        fputs(p > 0 ? ",\n  " : "\n  ", f.out);
        write_paper(f.out, &r->papers[p]);
    }
    fputs("],\n\"summary\": ", f.out);
    write_summary(f.out, r, facts);
    fputs("}\n", f.out);
    return file_finish(&f, CAROM_OK, error);
}
