/* carom list: what there is. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"
#include "scene/scene.h"
#include "scene/vocabulary/vocabulary.h"
#include "scenes.h"

static int list_integrators(const char *scene) {
    (void)scene;
    for (int i = 0; i < carom_integrators(); i++)
        printf("%-20s %s\n", carom_integrator(i)->name, carom_integrator(i)->title);
    return EXIT_SUCCESS;
}

bool is_law(const char *name) {
    for (int i = 0; i < carom_laws(); i++)
        if (!strcmp(carom_law(i)->name, name)) return true;
    return false;
}

static int list_laws(const char *scene) {
    (void)scene;
    for (int i = 0; i < carom_laws(); i++) printf("%-20s %s\n", carom_law(i)->name, carom_law(i)->title);
    for (const scene_word *w = words_laws; w->name; w++)
        if (!is_law(w->name)) printf("%-20s %s\n", w->name, w->title);
    return EXIT_SUCCESS;
}

static void print_quantity(const char *name, const char *unit) {
    printf(unit[0] ? "%-20s %s\n" : "%s\n", name, unit);
}

/* An entry of the rotation matrix of a body: "disk.R11". There are nine of each. */
static bool is_rotation(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot && dot[1] == 'R' && strlen(dot) == 4 && strspn(dot + 2, "123") == 2;
}

static void print_asked(const char *name, const char *unit, int *count) {
    if (!(*count)++) printf("\nrecorded where run.record or plot asks for it by name\n");
    print_quantity(name, unit);
}

/* Prints the quantities that are recorded only if the user asks for them by name. */
static void list_asked(const carom_scene *scene, const carom_sim *sim) {
    int count = 0;
    for (int i = 0; i < carom_sim_columns(sim); i++) {
        char force[256];
        const char *name = carom_sim_column_name(sim, i);
        if (!force_name(sim, i, force, sizeof force)) continue;
        print_asked(force, force_unit(carom_scene_unit(scene, name)), &count);
    }
    for (const char *name = NULL; (name = scene_next_askable(scene, name));)
        if (!is_rotation(name)) print_asked(name, carom_scene_unit(scene, name), &count);
}

static int list_quantities(const char *path) {
    carom_scene *scene = NULL;
    carom_sim *sim = NULL;
    carom_error error;
    carom_status status = carom_scene_load(path, NULL, 0, &scene, &error);
    if (!status) status = carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error);
    for (int i = 0; !status && i < carom_sim_columns(sim); i++) {
        const char *name = carom_sim_column_name(sim, i);
        print_quantity(name, carom_scene_unit(scene, name));
    }
    if (!status) list_asked(scene, sim);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
    return status ? complain(&error) : EXIT_SUCCESS;
}

static int list_all_scenes(const char *scene) {
    (void)scene;
    return list_scenes();
}

static const struct family {
    const char *name, *title;
    int words;
    int (*list)(const char *scene);
} families[] = {{"integrators", "how to step", 1, list_integrators},
                {"laws", "of contacts and joints", 1, list_laws},
                {"quantities", "SCENE: everything a scene can record, with units", 2, list_quantities},
                {"scenes", "that come with carom", 1, list_all_scenes}};
enum { FAMILIES = sizeof families / sizeof *families, MOST = 32 };

static int list_words(const word_family *f) {
    for (const scene_word *w = f->words; w->name; w++) printf("%-20s %s\n", w->name, w->title);
    return EXIT_SUCCESS;
}

static int list_families(void) {
    for (int i = 0; i < 2; i++) {
        printf("%s\n", families[i].name);
        families[i].list(NULL);
        putchar('\n');
    }
    printf("carom list ...\n");
    for (int i = 2; i < FAMILIES; i++) printf("%-20s %s\n", families[i].name, families[i].title);
    for (const word_family *f = vocabulary; f->name; f++)
        if (f->words != words_laws) printf("%-20s %s\n", f->name, f->title);
    return EXIT_SUCCESS;
}

static int list(const arguments *a) {
    if (a->word_count == 0) return list_families();
    const char *known[MOST], *wanted = a->words[0];
    int count = 0;
    for (int i = 0; i < FAMILIES; i++) {
        const struct family *f = &families[i];
        known[count++] = f->name;
        if (strcmp(f->name, wanted)) continue;
        if (a->word_count == f->words) return f->list(a->words[f->words - 1]);
        return complain_about(EXIT_BAD_DATA, "usage: carom list %s%s", f->name, f->words > 1 ? " SCENE" : "");
    }
    for (const word_family *f = vocabulary; f->name; f++) {
        known[count++] = f->name;
        if (!strcmp(f->name, wanted) && a->word_count == 1) return list_words(f);
    }
    char hint[80];
    suggestion(wanted, known, count, hint, sizeof hint);
    return complain_about(EXIT_BAD_DATA, "unknown family '%s'%s (carom list)", wanted, hint);
}

const command list_command = {
    .name = "list",
    .usage = "list [FAMILY | quantities SCENE]",
    .summary = "list integrators, laws, scenes, and words of scenes",
    .detail =
        "Lists the integrators, the laws of contact, the scenes that come with carom, every quantity a scene can\n"
        "record with its unit, or what scenes can say: the words of a family such as joints, shapes, forces,\n"
        "contacts or functions. Without FAMILY: integrators, laws, and the names of the families.\n",
    .least = 0,
    .most = 2,
    .run = list,
};
