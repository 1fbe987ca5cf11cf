#include "scenes.h"

#include "cli.h"
#include "error.h"
#include "recipe.h"
#include "scene/document.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder of the scenes as seen from here: "scenes" in a checkout. */
static bool find_folder(char folder[PATH_MAX + 8], carom_error *error) {
    char share[PATH_MAX], here[PATH_MAX];
    reproduction place = {0};
    if (!recipe_share(&place, share, error)) return false;
    bool inside = getcwd(here, sizeof here) && !strcmp(here, share);
    snprintf(folder, PATH_MAX + 8, "%s%sscenes", inside ? "" : share, inside ? "" : "/");
    return true;
}

static bool find_scenes(glob_t *found, carom_error *error) {
    static const char *const levels[] = {"gallery/*.yaml", "paper/*/*.yaml"};
    char folder[PATH_MAX + 8], pattern[PATH_MAX + 40];
    *found = (glob_t){0};
    if (!find_folder(folder, error)) return false;
    for (int i = 0; i < 2; i++) {
        snprintf(pattern, sizeof pattern, "%s/%s", folder, levels[i]);
        glob(pattern, i ? GLOB_APPEND : 0, NULL, found);
    }
    return true;
}

/* With what it extends; its model is not built. */
static void print_scene(const char *path, bool description) {
    arena memory = {0};
    node *root = NULL;
    bool read = !document_load(&memory, path, "scene", &root, NULL);
    const node *title = read ? yaml_find(root, "title") : NULL, *text = read ? yaml_find(root, "description") : NULL;
    printf("%-50s %s\n", path, title && title->kind == NODE_TEXT ? title->text : "");
    if (description && text && text->kind == NODE_TEXT) printf("\n%s\n", text->text);
    arena_release(&memory);
}

int list_scenes(void) {
    glob_t found;
    carom_error error;
    if (!find_scenes(&found, &error)) return complain(&error);
    for (size_t i = 0; i < found.gl_pathc; i++) print_scene(found.gl_pathv[i], false);
    globfree(&found);
    return EXIT_SUCCESS;
}

bool describe_scene(const char *name) {
    glob_t found;
    bool any = false;
    if (!find_scenes(&found, NULL)) return false;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *slash = strrchr(found.gl_pathv[i], '/');
        size_t length = strlen(name);
        if (strncmp(slash + 1, name, length) != 0 || strcmp(slash + 1 + length, ".yaml") != 0) continue;
        print_scene(found.gl_pathv[i], true);
        any = true;
    }
    globfree(&found);
    return any;
}
