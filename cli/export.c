/* carom export RESULT --csv, --vtk or --fclib: a result for other programs. */
#include "cli.h"

#include <fnmatch.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fclib/export.h"
#include "picture/picture.h"
#include "result/result.h"

/* A word is a file if it looks like one: "x.csv", "dir/x" or "-" (standard output), unless it is a quantity of
 * events. */
static bool names_file(const char *word) {
    return !strcmp(word, "-") || strchr(word, '/') || ends_in_csv(word);
}

/* Appends the columns that fit a name or pattern; 0: there are none. */
static int select_columns(const result_reader *reader, const char *pattern, int *columns, int count) {
    int exact = result_find(reader, pattern), found = 0;
    for (int i = 0; i < result_columns(reader); i++)
        if (exact >= 0 ? i == exact : !fnmatch(pattern, result_name(reader, i), 0)) columns[count + found++] = i;
    return found;
}

static int export_columns(const arguments *a, result_reader *reader, int *columns) {
    const char *file = NULL;
    carom_error error;
    int count = 0;
    for (int i = 1; i < a->word_count; i++) {
        int found = select_columns(reader, a->words[i], columns, count);
        if (!found && !result_quantity(reader, a->words[i], &columns[count], &error)) found = 1;
        if (!found && names_file(a->words[i])) {
            if (file) return complain_about(EXIT_BAD_DATA, "one file at a time: '%s' or '%s'", file, a->words[i]);
            file = a->words[i];
            if (check_csv(a, file, &error)) return complain(&error);
            continue;
        }
        if (!found) return complain(&error);
        count += found;
    }
    if (count == 0) count = select_columns(reader, "*", columns, 0);
    return result_export_csv(reader, file ? file : "-", columns, count, &error) ? complain(&error) : EXIT_SUCCESS;
}

/* ---- pictures */

enum { INSTANTS = 101 }; /* unless told */

/* A positive number; 0: no such option. */
static int read_positive(const arguments *a, const char *name, bool whole, double *value) {
    const char *text = option_value(a, name);
    char *end = NULL;
    *value = text ? strtod(text, &end) : 0;
    if (!text || (end != text && !*end && *value > 0 && *value <= 1e9 && (!whole || *value == floor(*value))))
        return EXIT_SUCCESS;
    return complain_about(EXIT_BAD_DATA, "%s needs a positive %s, not '%s'", name, whole ? "whole number" : "number",
                          text);
}

static int choose_instants(const arguments *a, instants *when) {
    static const char *const ways[] = {"--every", "--fps", "--times"};
    double every;
    for (int i = 0; i < 3; i++) {
        if (!option_value(a, ways[i])) continue;
        if (when->given) return complain_about(EXIT_BAD_DATA, "choose one of %s and %s", when->given, ways[i]);
        when->given = ways[i];
    }
    int code = read_positive(a, "--every", true, &every);
    if (!code) code = read_positive(a, "--fps", false, &when->per_second);
    if (!code) when->every = (long)every;
    when->times = option_value(a, "--times");
    when->count = when->given ? 0 : INSTANTS;
    return code;
}

/* Of the series only the collection could have the name of the result itself. */
static carom_status check_series(const arguments *a, const char *folder, const char *name, carom_error *error) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s.pvd", folder, name);
    return access(path, F_OK) ? CAROM_OK : check_output(a, path, error);
}

static int export_vtk(const arguments *a) {
    const char *folder = option_value(a, "--vtk");
    char name[256];
    instants when = {0};
    int written, code = choose_instants(a, &when);
    if (!code && a->word_count > 1)
        code = complain_about(EXIT_BAD_DATA, "--vtk exports bodies, not quantities: '%s'", a->words[1]);
    if (code) return code;
    result_reader *reader;
    carom_error error;
    if (result_open(a->words[0], &reader, &error)) return complain(&error);
    replace_extension(a->words[0], "", name, sizeof name);
    carom_status status = check_series(a, folder, name, &error);
    if (!status) status = picture_vtk(reader, folder, name, &when, &written, &error);
    result_close(reader);
    if (status) return complain(&error);
    printf("%s/%s.pvd: %d instants\n", folder, name, written);
    return EXIT_SUCCESS;
}

/* ---- friction problems */

static int write_problems(result_reader *reader, const char *path, double at, const char *folder) {
    const char *text = result_text(reader, "scene");
    carom_scene *scene = NULL;
    carom_error error;
    char name[256];
    int written = 0;
    if (!text) return complain_about(EXIT_BAD_DATA, "%s holds no scene", path);
    replace_extension(path, "", name, sizeof name);
    carom_status status = carom_scene_parse(text, strlen(text), path, NULL, 0, &scene, &error);
    if (!status) status = friction_export(scene, at, folder, name, &written, &error);
    carom_scene_destroy(scene);
    if (status) return complain(&error);
    printf("%s: %d problem%s\n", folder, written, written == 1 ? "" : "s");
    return EXIT_SUCCESS;
}

static int export_fclib(const arguments *a) {
    const char *text = option_value(a, "--at");
    char *end = NULL;
    double at = text ? strtod(text, &end) : 0;
    if (!text) return complain_about(EXIT_BAD_DATA, "--fclib needs the time of a step: --at T");
    if (end == text || *end || !isfinite(at)) return complain_about(EXIT_BAD_DATA, "--at needs a time, not '%s'", text);
    if (a->word_count > 1)
        return complain_about(EXIT_BAD_DATA, "--fclib exports problems, not quantities: '%s'", a->words[1]);
    result_reader *reader;
    carom_error error;
    if (result_open(a->words[0], &reader, &error)) return complain(&error);
    int code = write_problems(reader, a->words[0], at, option_value(a, "--fclib"));
    result_close(reader);
    return code;
}

/* ---- which of them */

static int export_csv(const arguments *a) {
    result_reader *reader;
    carom_error error;
    if (result_open(a->words[0], &reader, &error)) return complain(&error);
    result_reader *table = option_value(a, "--events") ? listed_events(reader) : reader;
    int *columns = table ? malloc((size_t)(result_columns(table) + 1) * (size_t)a->word_count * sizeof *columns) : NULL;
    int code = !table    ? complain_no_events(a->words[0])
               : columns ? export_columns(a, table, columns)
                         : complain_memory();
    free(columns);
    result_close(reader);
    return code;
}

typedef struct format {
    const char *option;
    int (*run)(const arguments *a);
} format;

static const format formats[] = {{"--csv", export_csv}, {"--vtk", export_vtk}, {"--fclib", export_fclib}};
enum { FORMATS = sizeof formats / sizeof *formats };

static int export_result(const arguments *a) {
    const format *chosen = NULL;
    for (const format *f = formats; f < formats + FORMATS; f++) {
        if (!option_value(a, f->option)) continue;
        if (chosen) return complain_about(EXIT_BAD_DATA, "%s or %s, one at a time", chosen->option, f->option);
        chosen = f;
    }
    if (!chosen)
        return complain_about(EXIT_BAD_DATA, "export to what? --csv, --vtk DIR or --fclib DIR (carom help export)");
    return chosen->run(a);
}

static const option options[] = {
    {"--csv", NULL, "comma-separated values with 17 digits: reading them gives the same bits"},
    {"--events", NULL,
     "--csv: the located events instead of the rows; their quantities are those of carom events and 'before/x', "
     "'after/x'"},
    {"--vtk", "DIR", "the motion of the bodies as a series that ParaView opens: DIR/RESULT.pvd"},
    {"--every", "N", "--vtk: every N-th row (default: 101 instants, evenly spaced)"},
    {"--fps", "F", "--vtk: F instants per second of the motion"},
    {"--times", "T,...", "--vtk: these times"},
    {"--fclib", "DIR", "the friction problems of a step in FCLIB's format: DIR/RESULT-iSTEP-0.hdf5, ..."},
    {"--at", "T", "--fclib: the step that ends nearest to this time"},
    {0}};

const command export_command = {
    .name = "export",
    .usage = "export RESULT --csv [FILE] [QUANTITY]... [--events] | --vtk DIR [--every N | --fps F | --times T,...] | "
             "--fclib DIR --at T",
    .summary = "convert a result for other programs",
    .detail =
        "--csv writes the recorded quantities, or those named ('*.gap' is a pattern, 'T + V' a formula), to standard\n"
        "output or a file (a word with a slash or ending in .csv). --vtk writes surfaces of bodies, lines, and "
        "contacts\n"
        "with their forces at some instants, each of them the nearest recorded row. --fclib computes the run again up\n"
        "to the time, and writes the problems of contacts that this step solves, for carom friction and other "
        "solvers.\n",
    .options = options,
    .least = 1,
    .most = -1,
    .run = export_result,
};
