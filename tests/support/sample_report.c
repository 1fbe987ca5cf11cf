#include "sample_report.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#define LIST(type, ...) ((type[]){__VA_ARGS__})
#define WORDS(...) LIST(const char *, __VA_ARGS__)
#define NUMBERS(...) LIST(double, __VA_ARGS__)
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static const char scene[] = CAROM_SOURCE_DIR "/scenes/paper/rattle/slope_1.yaml";

/* ---------------------------------------------------------------- sources */

static const char *const run_words[] = {"run",         scene,   "--set",
                                        "run.dt=1e-3", "--set", "title=it's <b>bold</b> & $HOME"};
static const char *const compare_words[] = {"compare", scene, "--integrators", "rattle,moreau", "--dt", "1e-2..1e-3/2"};

static source sources[] = {
    {.kind = SOURCE_RUN,
     .name = "one",
     .scene = scene,
     .words = (const char **)run_words,
     .word_count = COUNT(run_words)},
    {.kind = SOURCE_COMPARE,
     .name = "all",
     .scene = scene,
     .words = (const char **)compare_words,
     .word_count = COUNT(compare_words),
     .schemes = 2,
     .label = WORDS("rattle", "moreau<0>"),
     .alias = WORDS("rattle", "moreau")},
};

static const char *const lost_words[] = {"run", "scenes/lost.yaml"};
static source lost_source = {
    .name = "lost", .scene = "scenes/lost.yaml", .words = (const char **)lost_words, .word_count = COUNT(lost_words)};

/* ---------------------------------------------------------------- claims */

static claim claims[] = {
    {.id = "rattle/fig8.1",
     .text = "second order in q for h < 1e-2 & \"all\" e'",
     .printed = "2",
     .count = 1,
     .least = NUMBERS(1.9),
     .greatest = NUMBERS(2.1),
     .near = NUMBERS(NAN),
     .value = NUMBERS(2.0123456789),
     .outcome = HOLDS},
    {.id = "rattle/fig8.2",
     .text = "end velocities (ẋ, ẏ) of Grüße 𝒗",
     .printed = "(−10/7, 0)",
     .unit = "m/s",
     .verdict = CORRECTED,
     .reason = "the sign of the second term is <em>misprinted</em>: \\dot{x} & \"y\"",
     .count = 2,
     .least = NUMBERS(-10.0 / 7 - 1e-6, -1e-6),
     .greatest = NUMBERS(-10.0 / 7 + 1e-6, 1e-6),
     .near = NUMBERS(-10.0 / 7, 0),
     .value = NUMBERS(-1.4285714, 2.5e-9),
     .outcome = HOLDS},
    {.id = "rattle/fig8.3",
     .text = "the gap never becomes negative, not even after very many steps with impacts and friction",
     .printed = "0",
     .unit = "m",
     .count = 1,
     .least = NUMBERS(-1e-12),
     .greatest = NUMBERS(INFINITY),
     .near = NUMBERS(NAN),
     .value = NUMBERS(-3e-4),
     .outcome = BROKEN},
    {.id = "rattle/fig8.4",
     .text = "energy decays",
     .derived = "from a start to an end, slowly",
     .verdict = REFUTED,
     .reason = "the equations of the paper conserve it",
     .count = 1,
     .least = NUMBERS(-INFINITY),
     .greatest = NUMBERS(1e-12),
     .near = NUMBERS(NAN),
     .value = NUMBERS(0),
     .outcome = HOLDS},
    {.id = "rattle/fig8.5",
     .text = "no event, ever",
     .printed = "never\tsaid\n",
     .count = 1,
     .least = NUMBERS(-INFINITY),
     .greatest = NUMBERS(INFINITY),
     .near = NUMBERS(NAN),
     .value = NUMBERS(NAN),
     .outcome = BROKEN},
};

static claim failed_claims[] = {
    {.id = "rattle/table1.1",
     .text = "what cannot be had",
     .printed = "1",
     .count = 1,
     .least = NUMBERS(1),
     .greatest = NUMBERS(1),
     .near = NUMBERS(1),
     .value = NUMBERS(NAN),
     .outcome = BROKEN,
     .failure = "there is no column 'wall.<gap>'"},
    {.id = "rattle/table1.2",
     .text = "what takes long",
     .printed = "3",
     .count = 1,
     .least = NUMBERS(2),
     .greatest = NUMBERS(4),
     .near = NUMBERS(NAN),
     .skip = true},
};

/* ---------------------------------------------------------------- figures */

static picture pictures[] = {
    {.title = "Errors", .asset = "rattle-fig8-1.svg", .alt = "errors of q \"and\" u over dt, <log>"},
    {.kind = PICTURE_STORYBOARD, .asset = "rattle-fig8-2.svg"},
    {.kind = PICTURE_STORYBOARD},
};

static table_recipe tables[] = {
    {.title = "Orders & errors",
     .compare = -1,
     .columns = 3,
     .rows = 2,
     .head = WORDS("quantity", "paper", "carom"),
     .cells = LIST(cell, {.text = "q"}, {.text = "2"}, {.text = "2.01"}, {.text = "P<N>"}, {.text = "1"}, {0})},
    {.compare = 1},
};

static figure_recipe figures[] = {
    {.name = "fig8",
     .label = "Fig. 8",
     .title = "Errors over the step size",
     .caption = "Errors fall by <two> decades & more.\nStill the same paragraph.\n\nA second paragraph.\n",
     .sources = sources,
     .source_count = COUNT(sources),
     .pictures = pictures,
     .picture_count = COUNT(pictures),
     .tables = tables,
     .table_count = COUNT(tables),
     .claims = claims,
     .claim_count = COUNT(claims)},
    {.name = "table1",
     .label = "Table 1",
     .title = "What fails",
     .sources = &lost_source,
     .source_count = 1,
     .claims = failed_claims,
     .claim_count = COUNT(failed_claims),
     .failure = "slope_1.yaml:3:7: no integrator 'rattel' <here>, did you mean 'rattle'?"},
};

static paper_recipe papers[] = {
    {.name = "rattle",
     .title = "A scheme & its <orders>",
     .authors = "A. Müller, B. O'Neill",
     .where = "A Journal, 2021",
     .summary = "The first paragraph.\n\nThe second one.",
     .figures = figures,
     .count = COUNT(figures)},
    {.name = "comparison", .title = "Every model under every integrator", .count = 0},
};

const recipes sample_recipes = {.root = CAROM_SOURCE_DIR,
                                .style = CAROM_SOURCE_DIR "/reproduce/style.css",
                                .quick = true,
                                .papers = papers,
                                .count = COUNT(papers)};
const report_facts sample_facts = {.seconds = 75.5, .workers = 2, .jobs = 12, .cached = 3};

/* ---------------------------------------------------------------- files */

/* As gnuplot does, without a width. */
static bool write_picture(const char *path, int width) {
    FILE *out = fopen(path, "w");
    if (!out) return false;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d 300\">"
            "<rect x=\"1\" y=\"1\" width=\"%d\" height=\"298\" fill=\"none\" stroke=\"black\"/>"
            "<path d=\"M20 280L%d 20\" stroke=\"#1f77b4\" fill=\"none\"/></svg>\n",
            width, width - 2, width - 20);
    return fclose(out) == 0;
}

carom_status sample_write(const char *folder, carom_error *error) {
    char path[4096];
    snprintf(path, sizeof path, "%s/assets", folder);
    mkdir(folder, 0777);
    mkdir(path, 0777);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/assets/%s", folder, pictures[i].asset);
        if (!write_picture(path, i == 0 ? 900 : 1500)) return CAROM_FAILED;
    }
    carom_status status = report_write_html(&sample_recipes, &sample_facts, folder, error);
    return status ? status : report_write_json(&sample_recipes, &sample_facts, folder, error);
}
