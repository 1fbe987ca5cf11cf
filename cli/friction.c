/* carom friction FILE...: solves friction problems of FCLIB and Siconos. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "error.h"
#include "fclib/file.h"
#include "result/json.h"

typedef struct answer {
    const char *path;
    int contacts;
    double error, seconds;
    friction_report report;
} answer;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- what is printed */

static void print_object(const answer *a) {
    char solver[64];
    friction_name_parts(a->report.parts, solver, sizeof solver);
    printf("{\"problem\": ");
    json_text(stdout, a->path);
    printf(", \"contacts\": %d, \"solved\": %s, \"error\": ", a->contacts, a->report.solved ? "true" : "false");
    if (isfinite(a->error)) printf("%.3e", a->error);
    else printf("null");
    printf(", \"seconds\": %.9f, \"solver\": \"%s\", \"islands\": %d, \"sweeps\": %d, \"factorisations\": %d",
           a->seconds, solver, a->report.islands, a->report.sweeps, a->report.factored);
    if (!a->report.solved) {
        printf(", \"reason\": ");
        json_text(stdout, a->report.reason);
    }
    printf("}\n");
}

static void print_line(const answer *a) {
    char solver[64];
    friction_name_parts(a->report.parts, solver, sizeof solver);
    const char *slash = strrchr(a->path, '/');
    printf("%-44s %6d %-8s %9.2e %11.6f s  %s%s%s\n", slash ? slash + 1 : a->path, a->contacts,
           a->report.solved ? "solved" : "unsolved", a->error, a->seconds, solver, a->report.solved ? "" : ": ",
           a->report.reason);
    fflush(stdout);
}

/* ---- solving */

static carom_status solve(const friction_file *f, const friction_solver *solver, const friction_options *o, answer *a,
                          carom_error *error) {
    friction_problem p;
    double start = now();
    carom_status status = friction_file_problem(f, a->path, &p, error);
    if (status) return status;
    double *r = calloc(6 * (size_t)p.contacts + 1, sizeof *r), *u = r + 3 * p.contacts;
    if (r) {
        friction_solve(&p, solver, o, r, &a->report);
        a->seconds = now() - start;
        friction_velocities(&p, r, u);
        a->error = friction_error(&p, r, u);
        a->contacts = p.contacts;
    }
    if (!r || (a->report.exhausted && !a->report.solved)) status = carom_error_memory(error);
    free(r);
    friction_destroy(&p);
    return status;
}

static int solve_file(const arguments *a, const char *path, const friction_solver *solver, const friction_options *o) {
    friction_file f;
    carom_error error;
    answer found = {.path = path};
    carom_status status = friction_read(path, &f, &error);
    if (!status) status = solve(&f, solver, o, &found, &error);
    friction_file_free(&f);
    if (status) return complain(&error);
    if (option_value(a, "--json")) print_object(&found);
    else print_line(&found);
    return found.report.solved ? EXIT_SUCCESS : EXIT_FAILED_RUN;
}

/* ---- options */

static int read_positive(const arguments *a, const char *name, double *value) {
    const char *text = option_value(a, name);
    char *end = NULL;
    double x = text ? strtod(text, &end) : *value;
    if (text && (end == text || *end || !(x > 0)))
        return complain_about(EXIT_BAD_DATA, "%s needs a positive number, not '%s'", name, text);
    *value = x;
    return EXIT_SUCCESS;
}

static const friction_solver *choose_solver(const arguments *a) {
    const char *name = option_value(a, "--solver"), *names[8];
    int count = 0;
    if (!name) return friction_solvers;
    for (const friction_solver *s = friction_solvers; s->name; s++) {
        if (!strcmp(s->name, name)) return s;
        names[count++] = s->name;
    }
    char hint[80];
    suggestion(name, names, count, hint, sizeof hint);
    complain_about(EXIT_BAD_DATA, "there is no solver '%s'%s (carom help friction)", name, hint);
    return NULL;
}

/* Tries every file; the exit code is the worst one. */
static int solve_files(const arguments *a) {
    friction_options o = {.tolerance = 1e-8, .limit = INFINITY};
    const friction_solver *solver = choose_solver(a);
    int code = solver ? read_positive(a, "--tolerance", &o.tolerance) : EXIT_BAD_DATA;
    if (!code) code = read_positive(a, "--limit", &o.limit);
    if (code) return code;
    for (int i = 0; i < a->word_count; i++) {
        int of_file = solve_file(a, a->words[i], solver, &o);
        if (of_file > code) code = of_file;
    }
    return code;
}

static const option options[] = {{"--tolerance", "E", "error at which a problem counts as solved (default 1e-8)"},
                                 {"--solver", "NAME", "automatic (default), gauss_seidel or proximal_newton"},
                                 {"--limit", "SECONDS", "give a problem up after this time (default: never)"},
                                 {"--json", NULL, "one JSON object per problem and line"},
                                 {0}};

const command friction_command = {
    .name = "friction",
    .usage = "friction FILE... [--tolerance E] [--solver NAME] [--limit SECONDS] [--json]",
    .summary = "solve friction problems of FCLIB and Siconos",
    .detail =
        "Reads FCLIB's HDF5 files (fclib_local, fclib_global) and Siconos' text files (.dat), and prints one line\n"
        "each: name, contacts, verdict, error, seconds, solver. The error is that of the natural map over all\n"
        "contacts, divided by the largest of |q|, |r| and |u|; the time is that of solving, without reading. The\n"
        "solver is the one that found the percussions: newton (two or three contacts), gauss_seidel,\n"
        "proximal_newton, interior_points, or several where groups of contacts know nothing of each other; guess:\n"
        "percussions of zero were right.\n",
    .options = options,
    .least = 1,
    .most = -1,
    .run = solve_files,
};
