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

/* "(a, b) unit" */
static void list_text(const claim *c, void (*one)(const claim *, int, char *, size_t), char *text, size_t size) {
    char entry[128];
    *text = '\0';
    for (int i = 0; i < c->count; i++) {
        one(c, i, entry, sizeof entry);
        append(text, size, "%s%s", i > 0 ? ", " : c->count > 1 ? "(" : "", entry);
    }
    append(text, size, "%s%s%s", c->count > 1 ? ")" : "", c->unit ? " " : "", c->unit ? c->unit : "");
}

void claim_values_text(const claim *c, char *text, size_t size) {
    if (c->value && c->outcome != UNCHECKED && !c->failure) list_text(c, value_text, text, size);
    else snprintf(text, size, "–");
}

void claim_expectations_text(const claim *c, char *text, size_t size) {
    list_text(c, claim_expectation, text, size);
}
