#include "reproduce/verdict.h"

#include "reproduce/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *text, *key;
} fates[FATES] = {
    [FATE_CONFIRMED] = {"confirmed", "confirmed"},   [FATE_CORRECTED] = {"confirmed with correction", "corrected"},
    [FATE_REFUTED] = {"refuted", "refuted"},         [FATE_BROKEN] = {"does not hold", "broken"},
    [FATE_UNCHECKED] = {"not checked", "unchecked"},
};

fate claim_fate(const claim *c) {
    if (c->outcome == UNCHECKED) return FATE_UNCHECKED;
    if (c->outcome == BROKEN) return FATE_BROKEN;
    return c->verdict == CORRECTED ? FATE_CORRECTED : c->verdict == REFUTED ? FATE_REFUTED : FATE_CONFIRMED;
}

const char *fate_text(fate f) {
    return fates[f].text;
}

const char *fate_key(fate f) {
    return fates[f].key;
}

const char *claim_verdict(const claim *c) {
    return fate_text(claim_fate(c));
}

tally tally_of(const recipes *r) {
    tally t = {0};
    for (int p = 0; p < r->count; p++)
        for (int f = 0; f < r->papers[p].count; f++) {
            const figure_recipe *figure = &r->papers[p].figures[f];
            t.figures++;
            t.failures += figure->failure != NULL;
            t.claims += figure->claim_count;
            for (int i = 0; i < figure->claim_count; i++) t.by_fate[claim_fate(&figure->claims[i])]++;
        }
    return t;
}

/* ---------------------------------------------------------------- numbers */

void claim_expectation(const claim *c, int value, char *text, size_t size) {
    double least = c->least[value], greatest = c->greatest[value], near = c->near[value];
    bool below = isfinite(greatest), above = isfinite(least);
    if (below && above && least == greatest) snprintf(text, size, "%.6g", least);
    else if (below && above && isfinite(near)) snprintf(text, size, "%.6g ± %.3g", near, (greatest - least) / 2);
    else if (below && above) snprintf(text, size, "%.6g to %.6g", least, greatest);
    else if (below) snprintf(text, size, "at most %.6g", greatest);
    else if (above) snprintf(text, size, "at least %.6g", least);
    else snprintf(text, size, "any number");
}

static void append(char *text, size_t size, const char *format, ...) {
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

static void value_text(const claim *c, int i, char *text, size_t size) {
    if (isnan(c->value[i])) snprintf(text, size, "NaN"); /* whatever its sign */
    else snprintf(text, size, "%.6g", c->value[i]);
}

typedef void write_entry(const claim *, int value, char *text, size_t size);
enum { ENTRY = 128 };

static void append_unit(const claim *c, char *text, size_t size) {
    if (c->unit) append(text, size, " %s", c->unit);
}

/* "(a, b) unit" */
static void list_text(const claim *c, write_entry *one, char *text, size_t size) {
    char entry[ENTRY];
    *text = '\0';
    for (int i = 0; i < c->count; i++) {
        one(c, i, entry, sizeof entry);
        append(text, size, "%s%s", i > 0 ? ", " : c->count > 1 ? "(" : "", entry);
    }
    if (c->count > 1) append(text, size, ")");
    append_unit(c, text, size);
}

static bool expects_the_same(const claim *c) {
    char first[ENTRY], other[ENTRY];
    claim_expectation(c, 0, first, sizeof first);
    for (int i = 1; i < c->count; i++) {
        claim_expectation(c, i, other, sizeof other);
        if (strcmp(first, other)) return false;
    }
    return true;
}

void claim_values_text(const claim *c, char *text, size_t size) {
    if (c->value && c->outcome != UNCHECKED && !c->failure) list_text(c, value_text, text, size);
    else snprintf(text, size, "–");
}

void claim_expectations_text(const claim *c, char *text, size_t size) {
    char entry[ENTRY];
    if (c->count < 2 || !expects_the_same(c)) {
        list_text(c, claim_expectation, text, size);
        return;
    }
    claim_expectation(c, 0, entry, sizeof entry);
    snprintf(text, size, "each %s", entry);
    append_unit(c, text, size);
}
