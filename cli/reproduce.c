/* carom reproduce: the figures and tables of the papers, and a report about them. */
#include "recipe.h"

#include <stdio.h>
#include <stdlib.h>

static int list_recipes(const recipes *r) {
    for (int p = 0; p < r->count; p++) {
        printf("%s: %s\n", r->papers[p].name, r->papers[p].title);
        for (int f = 0; f < r->papers[p].count; f++) {
            const figure_recipe *figure = &r->papers[p].figures[f];
            printf("  %s/%-20s %s: %s\n", r->papers[p].name, figure->name, figure->label, figure->title);
        }
    }
    return EXIT_SUCCESS;
}

static int reproduce(const arguments *a) {
    reproduction g;
    carom_error error = {0};
    char share[PATH_MAX];
    recipe_begin(&g, a);
    if (!recipe_share(&g, share, &error)) return complain(&error);
    if (recipes_load(share, option_value(a, "--quick"), a->words, a->word_count, &g.recipes, &error))
        return recipe_end(&g, complain(&error));
    return recipe_end(&g, option_value(a, "--list") ? list_recipes(&g.recipes) : recipe_execute(&g, "reproduction"));
}

static const option options[] = {
    RECIPE_OPTIONS,
    {"--out", "DIR", "folder of index.html, report.json, assets and cache (default: reproduction)"},
    {"--list", NULL, "list papers and figures, compute nothing"},
    {0}};

const command reproduce_command = {
    .name = "reproduce",
    .usage = "reproduce [PAPER | PAPER/FIGURE]... [--quick] [--jobs N] [--out DIR] [--list] [--quiet]",
    .summary = "the figures and tables of the papers",
    .detail =
        "Computes every figure and table of the papers behind carom (or those named), each model under every\n"
        "integrator, and writes DIR/index.html with a verdict on every claim, and DIR/report.json. What has been\n"
        "computed is kept: an interrupted reproduction goes on, a repeated one has nothing to do.\n",
    .options = options,
    .least = 0,
    .most = -1,
    .run = reproduce,
};
