/* Computes and reports recipes, for the commands reproduce and study. */
#ifndef CAROM_CLI_RECIPE_H
#define CAROM_CLI_RECIPE_H

#include "cli.h"
#include "reproduce/jobs.h"

#include <limits.h>

typedef struct reproduction {
    const arguments *a;
    recipes recipes;
    jobs jobs;
    int workers;
    bool quiet, terminal;
    double shown; /* when the line on the terminal was written */
    char program[PATH_MAX], out[PATH_MAX], cache[PATH_MAX], assets[PATH_MAX];
} reproduction;

void recipe_begin(reproduction *g, const arguments *a);
/* The folder with reproduce/ and scenes/: beside the program's folder (a build folder in the sources), or where they
 * are installed. */
bool recipe_share(reproduction *g, char share[PATH_MAX], carom_error *error);
/* Computes the recipes, which have been loaded, and writes the report into --out or else into the folder out. Returns
 * the exit code. */
int recipe_execute(reproduction *g, const char *out);
int recipe_end(reproduction *g, int code); /* returns the code */

#define RECIPE_OPTIONS                                                                                                 \
    {"--quick", NULL, "coarser and shorter runs: minutes; claims that need more are not checked"},                     \
        {"--jobs", "N", "computations at a time (default: one per processor)"}, {                                      \
        "--quiet", NULL, "no progress, no summary"                                                                     \
    }

#endif
