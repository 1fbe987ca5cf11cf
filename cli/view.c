/* carom view RESULT: the motion in a browser. */
#include "cli.h"
#include "pages.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_options(const arguments *a, viewer_options *o) {
    const char *frames = option_value(a, "--frames");
    char *end;
    o->live = option_value(a, "--live");
    if (!frames) return EXIT_SUCCESS;
    o->frames = strtol(frames, &end, 10);
    if (end > frames && !*end && o->frames >= 2) return EXIT_SUCCESS;
    return complain_about(EXIT_BAD_DATA, "--frames is a number of instants, 2 or more, not '%s'", frames);
}

/* ---- runs that are at work */

enum { PATIENCE = 30 }; /* seconds without a new row */

/* Whether one of the runs is at work. rows: of all runs together. */
static carom_status count_rows(const arguments *a, bool *running, long *rows, carom_error *error) {
    *running = false, *rows = 0;
    for (int i = 0; i < a->word_count; i++) {
        result_reader *r;
        carom_status status = result_open(a->words[i], &r, error);
        if (status) return status;
        const char *text = result_text(r, "status");
        *running |= text && !strcmp(text, "running");
        *rows += result_rows(r);
        result_close(r);
    }
    return CAROM_OK;
}

/* Writes the page again whenever there are new rows. At the end it does so without waiting for more. */
static carom_status follow_runs(const arguments *a, viewer_options *o, const char *out, carom_error *error) {
    long rows, shown = -1, idle = 0;
    carom_status status = count_rows(a, &o->live, &rows, error);
    for (; !status && o->live && idle<PATIENCE; idle = rows> shown ? 0 : idle + 1) {
        if (rows > shown && rows > 0) status = page_write(a->words, a->word_count, o, out, error), shown = rows;
        sleep(1);
        if (!status) status = count_rows(a, &o->live, &rows, error);
    }
    o->live = false;
    return status ? status : page_write(a->words, a->word_count, o, out, error);
}

static carom_status write_pages(const arguments *a, viewer_options *o, const char *out, carom_error *error) {
    bool shown = !option_value(a, "--no-open"), live = o->live;
    carom_status status = page_write(a->words, a->word_count, o, out, error);
    if (status) return status;
    printf("%s\n", out);
    fflush(stdout);
    if (shown) page_open(out);
    return live ? follow_runs(a, o, out, error) : CAROM_OK;
}

static int view(const arguments *a) {
    char own[NAME_MAX + 8];
    const char *wanted = option_value(a, "--out"), *out = wanted ? wanted : own;
    viewer_options o = {0};
    carom_error error;
    replace_extension(a->words[0], ".html", own, sizeof own);
    if (read_options(a, &o)) return EXIT_BAD_DATA;
    if (check_output(a, out, &error) || write_pages(a, &o, out, &error)) return complain(&error);
    return EXIT_SUCCESS;
}

static const option options[] = {
    {"--out", "PAGE", "the page (default: the name of the first result, .html)"},
    {"--no-open", NULL, "only write the page"},
    {"--frames", "N", "at most N instants of each result (default: as many as a browser opens in a second)"},
    {"--live", NULL, "follow runs that are at work: the page is updated until they end"},
    {0}};

const command view_command = {
    .name = "view",
    .usage = "view RESULT... [--out PAGE] [--no-open] [--frames N] [--live]",
    .summary = "watch the motion in a browser",
    .detail = "Writes one page of HTML that shows the motion, its contacts and its recorded quantities, and opens it.\n"
              "The page needs no network and no other file: send it to anybody. Several results are shown together.\n",
    .options = options,
    .least = 1,
    .most = -1,
    .run = view,
};
