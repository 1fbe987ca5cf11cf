/* carom export RESULT --csv or --vtk: a result for other programs. */
#include "cli.h"

#include <fnmatch.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "picture/picture.h"
#include "result/result.h"

/* A file is told from a quantity by its name: "x.csv", "dir/x" and "-" (standard output) are files, unless they are
 * quantities of events. */
static bool names_file(const char *word) {
    return !strcmp(word, "-") || strchr(word, '/') || ends_in_csv(word);
}

/* Columns that fit a name or pattern are appended; 0: none does. */
static int select_columns(const result_reader *reader, const char *pattern, int *columns, int count) {
    int exact = result_find(reader, pattern), found = 0;
    for (int i = 0; i < result_columns(reader); i++)
        if (exact >= 0 ? i == exact : !fnmatch(pattern, result_name(reader, i), 0)) columns[count + found++] = i;
    return found;
}

static int complain_no_quantity(const result_reader *reader, const char *path, const char *name) {
    int count = result_columns(reader);
    const char **names = malloc(((size_t)count + 1) * sizeof *names);
    if (!names) return complain_memory();
    for (int i = 0; i < count; i++) names[i] = result_name(reader, i);
    char hint[120];
    suggestion(name, names, count, hint, sizeof hint);
    free(names);
    return complain_about(EXIT_BAD_DATA, "%s records no quantity '%s'%s", path, name, hint);
}

static int export_columns(const arguments *a, result_reader *reader, int *columns) {
    const char *file = NULL;
    carom_error error;
    int count = 0;
    for (int i = 1; i < a->word_count; i++) {
        int found = select_columns(reader, a->words[i], columns, count);
        if (!found && names_file(a->words[i])) {
            if (file) return complain_about(EXIT_BAD_DATA, "one file at a time: '%s' or '%s'", file, a->words[i]);
            file = a->words[i];
            if (check_csv(a, file, &error)) return complain(&error);
            continue;
        }
        if (!found) return complain_no_quantity(reader, a->words[0], a->words[i]);
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

/* The collection is what may be called like the result itself; other files of the series are not. */
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

/* An option that means nothing with this one; NULL: there is none. */
static const char *misplaced(const arguments *a, bool vtk) {
    static const char *const of_csv[] = {"--events", NULL}, *const of_vtk[] = {"--every", "--fps", "--times", NULL};
    for (const char *const *o = vtk ? of_csv : of_vtk; *o; o++)
        if (option_value(a, *o)) return *o;
    return NULL;
}

static int export_result(const arguments *a) {
    bool vtk = option_value(a, "--vtk");
    if (vtk && option_value(a, "--csv")) return complain_about(EXIT_BAD_DATA, "--csv or --vtk, one at a time");
    if (misplaced(a, vtk))
        return complain_about(EXIT_BAD_DATA, "%s goes with %s (carom help export)", misplaced(a, vtk),
                              vtk ? "--csv" : "--vtk");
    if (vtk) return export_vtk(a);
    if (!option_value(a, "--csv"))
        return complain_about(EXIT_BAD_DATA, "export to what? usage: carom %s", export_command.usage);
    result_reader *reader;
    carom_error error;
    if (result_open(a->words[0], &reader, &error)) return complain(&error);
    result_reader *table = option_value(a, "--events") ? result_events(reader) : reader;
    int *columns = table ? malloc((size_t)(result_columns(table) + 1) * (size_t)a->word_count * sizeof *columns) : NULL;
    int code = !table    ? complain_no_events(a->words[0])
               : columns ? export_columns(a, table, columns)
                         : complain_memory();
    free(columns);
    result_close(reader);
    return code;
}

static const option options[] = {
    {"--csv", NULL, "comma-separated values with 17 digits: reading them gives the same bits"},
    {"--events", NULL,
     "the located events instead of the rows; their quantities are those of carom events and 'before/x', 'after/x'"},
    {"--vtk", "DIR", "the motion of the bodies as a series that ParaView opens: DIR/RESULT.pvd"},
    {"--every", "N", "--vtk: every N-th row (default: 101 instants, evenly spaced)"},
    {"--fps", "F", "--vtk: F instants per second of the motion"},
    {"--times", "T,...", "--vtk: these times"},
    {0}};

const command export_command = {
    .name = "export",
    .usage = "export RESULT --csv [FILE] [QUANTITY]... [--events] | --vtk DIR [--every N | --fps F | --times T,...]",
    .summary = "a result for other programs",
    .detail =
        "--csv writes the recorded quantities, or those named ('*.gap' is a pattern), to standard output or a file\n"
        "(a word with a slash or ending in .csv). --vtk writes surfaces of bodies, lines, and contacts with their\n"
        "forces at some instants, each of them the nearest recorded row.\n",
    .options = options,
    .least = 1,
    .most = -1,
    .run = export_result,
};
