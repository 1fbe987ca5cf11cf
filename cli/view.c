/* carom view RESULT: the motion in a browser. */
#include "cli.h"

#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>

#include "viewer/viewer.h"

extern char **environ;

static int read_options(const arguments *a, viewer_options *o) {
    const char *frames = option_value(a, "--frames");
    char *end;
    if (!frames) return EXIT_SUCCESS;
    o->frames = strtol(frames, &end, 10);
    if (end > frames && !*end && o->frames >= 2) return EXIT_SUCCESS;
    return complain_about(EXIT_BAD_DATA, "--frames is a number of instants, 2 or more, not '%s'", frames);
}

static carom_status write_page(const arguments *a, result_reader **results, const viewer_options *o, const char *out,
                               carom_error *error) {
    int opened = 0;
    carom_status status = CAROM_OK;
    for (int i = 0; i < a->word_count && !status; i++)
        if (!(status = result_open(a->words[i], &results[i], error))) opened++;
    if (!status) status = viewer_write(results, opened, o, out, error);
    for (int i = 0; i < opened; i++) result_close(results[i]);
    return status;
}

/* The page is there in any case; where there is no screen, nothing is opened. */
static void open_page(const char *path) {
    char *const words[] = {"xdg-open", (char *)path, NULL};
    pid_t child;
    if (getenv("DISPLAY") || getenv("WAYLAND_DISPLAY")) posix_spawnp(&child, words[0], NULL, NULL, words, environ);
}

static int view(const arguments *a) {
    char own[NAME_MAX + 8];
    const char *wanted = option_value(a, "--out"), *out = wanted ? wanted : own;
    viewer_options o = {0};
    carom_error error;
    replace_extension(a->words[0], ".html", own, sizeof own);
    if (read_options(a, &o)) return EXIT_BAD_DATA;
    if (check_output(a, out, &error)) return complain(&error);
    result_reader **results = calloc((size_t)a->word_count, sizeof *results);
    if (!results) return complain_memory();
    carom_status status = write_page(a, results, &o, out, &error);
    free(results);
    if (status) return complain(&error);
    printf("%s\n", out);
    fflush(stdout);
    if (!option_value(a, "--no-open")) open_page(out);
    return EXIT_SUCCESS;
}

static const option options[] = {
    {"--out", "PAGE", "the page (default: the name of the first result, .html)"},
    {"--no-open", NULL, "only write the page"},
    {"--frames", "N", "at most N instants of each result (default: as many as a browser opens in a second)"},
    {0}};

const command view_command = {
    .name = "view",
    .usage = "view RESULT... [--out PAGE] [--no-open] [--frames N]",
    .summary = "watch the motion in a browser",
    .detail = "Writes one page of HTML that shows the motion, its contacts and its recorded quantities, and opens it.\n"
              "The page needs no network and no other file: send it to anybody. Several results are shown together.\n",
    .options = options,
    .least = 1,
    .most = -1,
    .run = view,
};
