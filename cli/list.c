/* carom list: what there is. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int list_integrators(const char *scene) {
    (void)scene;
    for (int i = 0; i < carom_integrators(); i++)
        printf("%-20s %s\n", carom_integrator(i)->name, carom_integrator(i)->title);
    return EXIT_SUCCESS;
}

static int list_laws(const char *scene) {
    (void)scene;
    for (int i = 0; i < carom_laws(); i++) printf("%-20s %s\n", carom_law(i)->name, carom_law(i)->title);
    return EXIT_SUCCESS;
}

static int list_quantities(const char *path) {
    carom_scene *scene = NULL;
    carom_sim *sim = NULL;
    carom_error error;
    carom_status status = carom_scene_load(path, NULL, 0, &scene, &error);
    if (!status) status = carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error);
    for (int i = 0; !status && i < carom_sim_columns(sim); i++) {
        const char *name = carom_sim_column_name(sim, i), *unit = carom_scene_unit(scene, name);
        printf(unit[0] ? "%-20s %s\n" : "%s\n", name, unit);
    }
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
    return status ? complain(&error) : EXIT_SUCCESS;
}

static const struct family {
    const char *name;
    int words;
    int (*list)(const char *scene);
} families[] = {{"integrators", 1, list_integrators}, {"laws", 1, list_laws}, {"quantities", 2, list_quantities}};
enum { FAMILIES = sizeof families / sizeof *families };

static int list(const arguments *a) {
    if (a->word_count == 0) {
        printf("integrators\n");
        list_integrators(NULL);
        printf("\nlaws\n");
        list_laws(NULL);
        return EXIT_SUCCESS;
    }
    const char *names[FAMILIES];
    for (int i = 0; i < FAMILIES; i++) {
        const struct family *f = &families[i];
        names[i] = f->name;
        if (strcmp(f->name, a->words[0])) continue;
        if (a->word_count == f->words) return f->list(a->words[f->words - 1]);
        return complain_about(EXIT_BAD_DATA, "usage: carom list %s%s", f->name, f->words > 1 ? " SCENE" : "");
    }
    char hint[80];
    suggestion(a->words[0], names, FAMILIES, hint, sizeof hint);
    return complain_about(EXIT_BAD_DATA, "unknown family '%s'%s (carom help list)", a->words[0], hint);
}

const command list_command = {
    .name = "list",
    .usage = "list [integrators | laws | quantities SCENE]",
    .summary = "what there is",
    .detail = "Lists the integrators, the laws of contact, or every quantity a scene can record, with its unit.\n",
    .least = 0,
    .most = 2,
    .run = list,
};
