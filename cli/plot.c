/* carom plot RESULT: draws recorded quantities, or what the scene looks like; of a scene, its start. */
#include "cli.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "picture/picture.h"
#include "result/result.h"

/* The panels asked for, else those of the scene. */
static carom_status draw(const arguments *a, result_reader *reader, const char *out, carom_error *error) {
    if (a->word_count > 1) return result_draw(reader, out, a->words + 1, a->word_count - 1, error);
    int count = result_plots(reader);
    const char **panels = malloc(((size_t)count + 1) * sizeof *panels);
    if (!panels) return carom_error_memory(error);
    for (int i = 0; i < count; i++) panels[i] = result_plot(reader, i);
    carom_status status = result_draw(reader, out, panels, count, error);
    free(panels);
    return status;
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

/* An option that means nothing without --scene; NULL: there is none. */
static const char *misplaced(const arguments *a) {
    for (int i = 0; i < a->option_count; i++)
        if (strcmp(a->options[i].option->name, "--out") != 0) return a->options[i].option->name;
    return NULL;
}

static bool is_scene(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

/* The start of a scene, which needs no run. */
static int sketch(const arguments *a, const char *out) {
    carom_error error;
    if (option_value(a, "--at") || option_value(a, "--frames") || option_value(a, "--trails"))
        return complain_about(EXIT_BAD_DATA,
                              "%s is a scene, of which the start is drawn: --at, --frames and --trails "
                              "need a result (carom run)",
                              a->words[0]);
    if (check_output(a, out, &error) || picture_sketch(a->words[0], NULL, 0, out, option_value(a, "--view"), &error))
        return complain(&error);
    printf("%s\n", out);
    return EXIT_SUCCESS;
}

static int plot(const arguments *a) {
    bool scene = option_value(a, "--scene");
    storyboard board = {0};
    if (!scene && misplaced(a))
        return complain_about(EXIT_BAD_DATA, "%s goes with --scene (carom help plot)", misplaced(a));
    if (scene && read_storyboard(a, &board)) return EXIT_BAD_DATA;

    char own[NAME_MAX + 8];
    const char *wanted = option_value(a, "--out"), *out = wanted ? wanted : own;
    replace_extension(a->words[0], ".png", own, sizeof own);
    if (scene && is_scene(a->words[0])) return sketch(a, out);
    result_reader *reader;
    carom_error error;
    if (check_output(a, out, &error) || result_open(a->words[0], &reader, &error)) return complain(&error);
    carom_status status = scene ? picture_storyboard(reader, out, &board, &error) : draw(a, reader, out, &error);
    result_close(reader);
    if (status) return complain(&error);
    printf("%s\n", out);
    return EXIT_SUCCESS;
}

static const option options[] = {
    {"--out", "FILE", "the picture: .png, .svg or .pdf (default: the result's name, .png)"},
    {"--scene", NULL, "what the scene looks like at some instants, in place of quantities"},
    {"--at", "T,...", "--scene: at these times"},
    {"--frames", "N", "--scene: N panels, evenly spaced from start to end (default: 6)"},
    {"--view", "VIEW", "--scene: front, side, top, or the direction to the eye as in 1,-2,1"},
    {"--trails", NULL, "--scene: with the paths of the centres of mass"},
    {0}};

const command plot_command = {
    .name = "plot",
    .usage = "plot RESULT [PANEL]... [--out FILE] | --scene [--at T,... | --frames N] [--view VIEW] [--trails]",
    .summary = "draw recorded quantities or the bodies",
    .detail = "Each PANEL is a quantity (phi3), several in one (x,y), a phase plot (phi_M:phi_M_dot) or a pattern\n"
              "('*.gap'). Without panels, those of the scene. With --scene, SCENE.yaml may stand in place of RESULT:\n"
              "its start is drawn.\n",
    .options = options,
    .least = 1,
    .most = -1,
    .run = plot,
};
