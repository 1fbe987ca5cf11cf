/* carom study: the recipes of a user, and a report about them. */
#include "recipe.h"

#include <stdio.h>

static int study(const arguments *a) {
    reproduction g;
    carom_error error = {0};
    char share[PATH_MAX], out[PATH_MAX];
    recipe_begin(&g, a);
    if (!recipe_share(&g, share, &error)) return complain(&error);
    if (recipes_load_files(share, option_value(a, "--quick"), a->words, a->word_count, &g.recipes, &error))
        return recipe_end(&g, complain(&error));
    replace_extension(a->words[0], "_study", out, sizeof out);
    return recipe_end(&g, recipe_execute(&g, out));
}

static const option options[] = {
    RECIPE_OPTIONS, {"--out", "DIR", "folder of index.html, report.json, assets and cache (default: FILE_study)"}, {0}};

const command study_command = {
    .name = "study",
    .usage = "study FILE.yaml... [--quick] [--jobs N] [--out DIR] [--quiet]",
    .summary = "runs, figures and claims of your own",
    .detail = "Computes the runs and studies of a recipe, draws its pictures, checks its claims, and writes "
              "DIR/index.html and\n"
              "DIR/report.json. Scenes are files beside the recipe. What has been computed is kept: an interrupted "
              "study goes\n"
              "on, a repeated one has nothing to do.\n",
    .options = options,
    .least = 1,
    .most = -1,
    .run = study,
};
