/* Reading arguments and complaining about them. */
#include "cli.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "result/result.h"

/* ---------------------------------------------------------------- complaints */

static int print_line(int code, const char *line) {
    char text[1200];
    size_t length = 0;
    for (const char *c = line; *c && length + 1 < sizeof text; c++) {
        bool space = *c == '\n' || *c == '\r' || *c == ' ';
        if (!space)
            text[length++] =
                iscntrl((unsigned char)*c) ? '?' : *c; /* quoted text must not send commands to a terminal */
        else if (length == 0 || text[length - 1] != ' ') text[length++] = ' ';
    }
    text[length] = '\0';
    fflush(stdout); /* keeps the order of messages if both streams go to one file */
    fprintf(stderr, "%s\n", text);
    return code;
}

int complain(const carom_error *error) {
    char text[1100], line[1200];
    carom_error_text(error, text, sizeof text);
    snprintf(line, sizeof line, "%s%s", error->file[0] ? "" : "carom: ", text);
    return print_line(error->status == CAROM_DATA ? EXIT_BAD_DATA : EXIT_FAILED_RUN, line);
}

int complain_about(int code, const char *format, ...) {
    char text[1100], line[1200];
    va_list values;
    va_start(values, format);
    carom_fit(text, sizeof text, format, values);
    va_end(values);
    snprintf(line, sizeof line, "carom: %s", text);
    return print_line(code, line);
}

int complain_memory(void) {
    return complain_about(EXIT_FAILED_RUN, "out of memory");
}

const char *suggestion(const char *name, const char *const *candidates, int count, char *text, size_t size) {
    const char *nearest = carom_nearest(name, candidates, count);
    snprintf(text, size, nearest ? ", did you mean '%s'?" : "%s", nearest ? nearest : "");
    return text;
}

/* ---------------------------------------------------------------- arguments */

enum { MAX_OPTIONS = 32 };

static const option *find_option(const command *c, const char *name, size_t length) {
    for (const option *o = c->options; o && o->name; o++)
        if (strlen(o->name) == length && !strncmp(o->name, name, length)) return o;
    return NULL;
}

static bool unknown_option(const command *c, const char *name) {
    const char *candidates[MAX_OPTIONS];
    int count = 0;
    for (const option *o = c->options; o && o->name && count < MAX_OPTIONS; o++) candidates[count++] = o->name;
    char hint[80];
    suggestion(name, candidates, count, hint, sizeof hint);
    complain_about(EXIT_BAD_DATA, "unknown option '%s' of '%s'%s (carom help %s)", name, c->name, hint, c->name);
    return false;
}

/* --input motor=signal.csv or motor=signal.csv,cubic as an override, which lives until the program ends. NULL: the
 * complaint has been printed. */
static const char *signal_of(const char *given) {
    const char *equals = strchr(given, '='), *comma = strrchr(given, ',');
    if (!equals || equals == given || !equals[1]) {
        complain_about(EXIT_BAD_DATA, "'--input %s' is not NAME=FILE or NAME=FILE,METHOD", given);
        return NULL;
    }
    const char *method = comma > equals ? comma + 1 : "linear";
    if (strcmp(method, "linear") && strcmp(method, "step") && strcmp(method, "cubic")) {
        complain_about(EXIT_BAD_DATA, "'--input %s': a table is linear, step or cubic, not '%s'", given, method);
        return NULL;
    }
    int length = comma > equals ? (int)(comma - equals - 1) : (int)strlen(equals + 1);
    char *file = strndup(equals + 1, (size_t)length), *path = file ? realpath(file, NULL) : NULL, *override = NULL;
    if (file && asprintf(&override, "inputs.%.*s=table(\"%s\", t, \"%s\")", (int)(equals - given), given,
                         path ? path : file, method) < 0)
        override = NULL;
    free(file);
    free(path);
    if (!override) complain_memory();
    return override;
}

static bool repeats(const option *o) {
    static const char *const repeated[] = {"--set",  "--input",   "--vary",  "--keep",
                                           "--data", "--measure", "--sigma", "--bound"};
    for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++)
        if (!strcmp(o->name, repeated[i])) return true;
    return false;
}

/* Reads "--out FILE", "--out=FILE" or "--quiet"; *i moves to the last argument used. */
static bool read_option(const command *c, int count, char **values, int *i, arguments *a) {
    const char *text = values[*i], *equals = strchr(text, '=');
    const option *o = find_option(c, text, equals ? (size_t)(equals - text) : strlen(text));
    if (!o) return unknown_option(c, text);
    const char *value = equals ? equals + 1 : "";
    if (!o->value && equals) {
        complain_about(EXIT_BAD_DATA, "option '%s' takes no value (carom help %s)", o->name, c->name);
        return false;
    }
    if (o->value && !equals) {
        if (*i + 1 == count) {
            complain_about(EXIT_BAD_DATA, "option '%s' needs a value: %s %s (carom help %s)", o->name, o->name,
                           o->value, c->name);
            return false;
        }
        value = values[++*i];
    }
    const char *before = o->value && !repeats(o) ? option_value(a, o->name) : NULL;
    if (before) {
        complain_about(EXIT_BAD_DATA, "option '%s' is given twice: '%s' and '%s'", o->name, before, value);
        return false;
    }
    if (!strcmp(o->name, "--input") && !(value = signal_of(value))) return false;
    a->options[a->option_count++] = (given_option){o, value};
    return true;
}

/* An option whose meaning begins with the name of another one, "--scene: at these times", goes with that. */
static bool options_go_together(const command *c, const arguments *a) {
    for (int i = 0; i < a->option_count; i++) {
        const option *o = a->options[i].option, *other = NULL;
        const char *end = strncmp(o->meaning, "--", 2) == 0 ? strchr(o->meaning, ':') : NULL;
        if (end) other = find_option(c, o->meaning, (size_t)(end - o->meaning));
        if (!other || option_value(a, other->name)) continue;
        complain_about(EXIT_BAD_DATA, "%s goes with %s (carom help %s)", o->name, other->name, c->name);
        return false;
    }
    return true;
}

bool arguments_read(const command *c, int count, char **values, arguments *a) {
    *a = (arguments){.words = malloc(((size_t)count + 1) * sizeof *a->words),
                     .options = malloc(((size_t)count + 1) * sizeof *a->options)};
    if (!a->words || !a->options) {
        complain_memory();
        return false;
    }
    bool only_words = false;
    for (int i = 0; i < count; i++) {
        if (!only_words && !strcmp(values[i], "--")) only_words = true;
        else if (only_words || values[i][0] != '-' || !values[i][1]) a->words[a->word_count++] = values[i];
        else if (!read_option(c, count, values, &i, a)) return false;
    }
    if (a->word_count >= c->least && (c->most < 0 || a->word_count <= c->most)) return options_go_together(c, a);
    complain_about(EXIT_BAD_DATA, "too %s arguments; usage: carom %s", a->word_count < c->least ? "few" : "many",
                   c->usage);
    return false;
}

const char *option_value(const arguments *a, const char *name) {
    for (int i = 0; i < a->option_count; i++)
        if (!strcmp(a->options[i].option->name, name)) return a->options[i].value;
    return NULL;
}

int collect_overrides(const arguments *a, const char **overrides) {
    int count = 0;
    for (int i = 0; i < a->option_count; i++)
        if (!strcmp(a->options[i].option->name, "--set") || !strcmp(a->options[i].option->name, "--input"))
            overrides[count++] = a->options[i].value;
    return count;
}

carom_status load_scene(const arguments *a, const char *path, carom_scene **scene, carom_error *error) {
    *scene = NULL;
    const char **overrides = malloc(((size_t)a->option_count + 1) * sizeof *overrides);
    if (!overrides) return carom_error_memory(error);
    carom_status status = carom_scene_load(path, overrides, collect_overrides(a, overrides), scene, error);
    free(overrides);
    return status;
}

void replace_extension(const char *path, const char *extension, char *text, size_t size) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    int stem = dot && dot != base ? (int)(dot - base) : (int)strlen(base);
    snprintf(text, size, "%.*s%s", stem, base, extension);
}

bool are_located(const result_reader *events) {
    const char *strike = result_kind(events, CAROM_STRIKE); /* the run did not look for kinds without a name */
    return strike && strike[0];
}

result_reader *listed_events(const result_reader *result) {
    result_reader *events = result_events(result);
    return events && (are_located(events) || result_rows(events) > 0) ? events : NULL;
}

int complain_no_events(const char *path) {
    return complain_about(EXIT_BAD_DATA, "%s records no events: its run did not locate them (run: {events: locate})",
                          path);
}

const char **split_names(char *text, int *count) {
    int most = 1;
    for (const char *c = text; *c; c++) most += *c == ',';
    const char **names = calloc((size_t)most, sizeof *names);
    *count = 0;
    for (char *name = strtok(text, ", "); name && names; name = strtok(NULL, ", ")) names[(*count)++] = name;
    return names;
}
