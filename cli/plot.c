/* carom plot RESULT: draws recorded quantities, or what the scene looks like; of a scene, its start. */
#include "cli.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "error.h"
#include "picture/picture.h"
#include "result/result.h"

/* ---- quantities */

/* The first word is a result. Further words that look like files are results, unless the first result has a quantity of
 * that name; the others are panels. */
static bool is_panel(const char *word, const result_reader *first) {
    struct stat file;
    return result_find(first, word) >= 0 || stat(word, &file) != 0 || !S_ISREG(file.st_mode);
}

static bool read_time(const arguments *a, const char *name, double *time) {
    const char *text = option_value(a, name);
    char *end;
    if (!text) return true;
    *time = strtod(text, &end);
    if (end > text && !*end && !isnan(*time)) return true;
    complain_about(EXIT_BAD_DATA, "%s is a time, not '%s'", name, text);
    return false;
}

static carom_status draw_results(result_picture *g, const arguments *a, const char **panels, result_reader **results,
                                 const char *out, carom_error *error) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < a->word_count && !status; i++) {
        const char *word = a->words[i];
        if (i > 0 && is_panel(word, results[0])) panels[g->panel_count++] = word;
        else if (!(status = result_open(word, &results[g->count], error))) g->count++;
    }
    return status ? status : result_draw_all(g, out, error);
}

static int draw(const arguments *a, const char *out) {
    const char **panels = malloc((size_t)a->word_count * sizeof *panels);
    result_reader **results = malloc((size_t)a->word_count * sizeof *results);
    result_picture g = {.results = results, .panels = panels, .from = -INFINITY, .to = INFINITY};
    carom_error error = {0};
    int code = panels && results ? EXIT_SUCCESS : complain_memory();
    if (!code && (!read_time(a, "--from", &g.from) || !read_time(a, "--to", &g.to))) code = EXIT_BAD_DATA;
    if (!code && !(g.from < g.to)) code = complain_about(EXIT_BAD_DATA, "--from must be before --to");
    if (!code && draw_results(&g, a, panels, results, out, &error)) code = complain(&error);
    for (int i = 0; i < g.count; i++) result_close(results[i]);
    free(results);
    free(panels);
    return code;
}

/* ---- storyboards */

enum { PANELS = 6 }; /* unless told */

static int read_storyboard(const arguments *a, storyboard *s) {
    const char *at = option_value(a, "--at"), *frames = option_value(a, "--frames");
    char *end = NULL;
    long count = frames ? strtol(frames, &end, 10) : PANELS;
    if (at && frames) return complain_about(EXIT_BAD_DATA, "choose one of --at and --frames");
    if (frames && (end == frames || *end || count < 1 || count > 1000))
        return complain_about(EXIT_BAD_DATA, "--frames is a number of panels, not '%s'", frames);
    if (a->word_count > 1)
        return complain_about(EXIT_BAD_DATA, "--scene draws the bodies, not quantities: '%s'", a->words[1]);
    s->when = (instants){.times = at, .count = at ? 0 : (int)count, .given = "--at"};
    s->view = option_value(a, "--view");
    s->trails = option_value(a, "--trails");
    return EXIT_SUCCESS;
}

static bool is_scene(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

/* Draws the start of a scene, which needs no run. */
static int draw_start(const arguments *a, const char *out) {
    carom_error error;
    if (option_value(a, "--at") || option_value(a, "--frames") || option_value(a, "--trails"))
        return complain_about(EXIT_BAD_DATA,
                              "%s is a scene, of which the start is drawn: --at, --frames and --trails "
                              "need a result (carom run)",
                              a->words[0]);
    if (check_output(a, out, &error) || picture_start(a->words[0], NULL, 0, out, option_value(a, "--view"), &error))
        return complain(&error);
    printf("%s\n", out);
    return EXIT_SUCCESS;
}

static int draw_bodies(const arguments *a, const storyboard *board, const char *out) {
    result_reader *reader;
    carom_error error;
    if (result_open(a->words[0], &reader, &error)) return complain(&error);
    carom_status status = picture_storyboard(reader, out, board, &error);
    result_close(reader);
    return status ? complain(&error) : EXIT_SUCCESS;
}

static int plot(const arguments *a) {
    bool scene = option_value(a, "--scene");
    storyboard board = {0};
    if (scene && (option_value(a, "--from") || option_value(a, "--to")))
        return complain_about(EXIT_BAD_DATA, "%s does not go with --scene (carom help plot)",
                              option_value(a, "--from") ? "--from" : "--to");
    if (scene && read_storyboard(a, &board)) return EXIT_BAD_DATA;

    char own[NAME_MAX + 8];
    const char *wanted = option_value(a, "--out"), *out = wanted ? wanted : own;
    replace_extension(a->words[0], ".png", own, sizeof own);
    if (scene && is_scene(a->words[0])) return draw_start(a, out);
    carom_error error;
    if (check_output(a, out, &error)) return complain(&error);
    int code = scene ? draw_bodies(a, &board, out) : draw(a, out);
    if (!code) printf("%s\n", out);
    return code;
}

static const option options[] = {
    {"--out", "FILE", "the picture: .png, .svg or .pdf (default: the result's name, .png)"},
    {"--from", "T", "quantities from this time on"},
    {"--to", "T", "quantities up to this time"},
    {"--scene", NULL, "draw what the scene looks like at some instants, not quantities"},
    {"--at", "T,...", "--scene: at these times"},
    {"--frames", "N", "--scene: N panels, evenly spaced from start to end (default: 6)"},
    {"--view", "VIEW", "--scene: front, side, top, or the direction to the eye as in 1,-2,1"},
    {"--trails", NULL, "--scene: with the paths of the centres of mass"},
    {0}};

const command plot_command = {
    .name = "plot",
    .usage = "plot RESULT... [PANEL]... [--from T] [--to T] [--out FILE] | --scene [--at T,... | --frames N] "
             "[--view VIEW] [--trails]",
    .summary = "draw recorded quantities or the bodies",
    .detail = "Each PANEL is a quantity (phi3), several in one (x,y), a phase plot (phi_M:phi_M_dot), a pattern\n"
              "('*.gap'), a force (wall.FN) or a formula of quantities and parameters ('sqrt(x^2 + y^2)'). Several\n"
              "results share the panels. Without panels, those of the scene. With --scene, SCENE.yaml may stand in "
              "place of RESULT:\n"
              "its start is drawn.\n",
    .options = options,
    .least = 1,
    .most = -1,
    .run = plot,
};
