#include "reproduce/verdict.h"

#include "reproduce/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *text, *key;
} fates[FATES] = {
    [FATE_CONFIRMED] = {"confirmed", "confirmed"}, [FATE_CORRECTED] = {"confirmed with correction", "corrected"},
    [FATE_REFUTED] = {"refuted", "refuted"},       [FATE_UNREPRODUCIBLE] = {"not reproducible", "unreproducible"},
    [FATE_BROKEN] = {"does not hold", "broken"},   [FATE_UNCHECKED] = {"not checked", "unchecked"},
};

fate claim_fate(const claim *c) {
    static const fate by_verdict[VERDICTS] = {[CONFIRMED] = FATE_CONFIRMED,
                                              [CORRECTED] = FATE_CORRECTED,
                                              [REFUTED] = FATE_REFUTED,
                                              [UNREPRODUCIBLE] = FATE_UNREPRODUCIBLE};
    if (c->outcome == UNCHECKED) return FATE_UNCHECKED;
    return c->outcome == BROKEN ? FATE_BROKEN : by_verdict[c->verdict];
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

static void count_paper(const paper_recipe *p, tally *t) {
    for (int f = 0; f < p->count; f++) {
        const figure_recipe *figure = &p->figures[f];
        t->figures++;
        t->failures += figure->failure != NULL;
        t->claims += figure->claim_count;
        for (int i = 0; i < figure->claim_count; i++) t->by_fate[claim_fate(&figure->claims[i])]++;
    }
}

tally tally_of_paper(const paper_recipe *p) {
    tally t = {0};
    count_paper(p, &t);
    return t;
}

tally tally_of(const recipes *r) {
    tally t = {0};
    for (int p = 0; p < r->count; p++) count_paper(&r->papers[p], &t);
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

/* Four digits, or as many as it takes to resolve a hundredth of the allowed interval. */
static void value_text(const claim *c, int i, char *text, size_t size) {
    double x = c->value[i], air = c->greatest[i] - c->least[i];
    int digits = isfinite(air) && air > 0 && x != 0 ? (int)ceil(log10(fabs(x) / air)) + 2 : 4;
    if (isnan(x)) snprintf(text, size, "NaN"); /* whatever its sign */
    else snprintf(text, size, "%.*g", digits < 4 ? 4 : digits > 12 ? 12 : digits, x);
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
