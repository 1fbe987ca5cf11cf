/* carom plot RESULT: draws recorded quantities. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>

#include "error.h"
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

static int plot(const arguments *a) {
    char out[4096];
    const char *wanted = option_value(a, "--out");
    replace_extension(a->words[0], ".png", out, sizeof out);
    if (wanted) snprintf(out, sizeof out, "%s", wanted);
    result_reader *reader;
    carom_error error;
    if (result_open(a->words[0], &reader, &error)) return complain(&error);
    carom_status status = draw(a, reader, out, &error);
    result_close(reader);
    if (status) return complain(&error);
    printf("%s\n", out);
    return EXIT_SUCCESS;
}

static const option options[] = {
    {"--out", "FILE", "the picture: .png, .svg or .pdf (default: the result's name, .png)"}, {0}};

const command plot_command = {
    .name = "plot",
    .usage = "plot RESULT [PANEL]... [--out FILE]",
    .summary = "draw recorded quantities",
    .detail = "Each PANEL is a quantity (phi3), several in one (x,y), a phase plot (phi_M:phi_M_dot) or a pattern\n"
              "('*.gap'). Without panels, those of the scene.\n",
    .options = options,
    .least = 1,
    .most = -1,
    .run = plot,
};
