/* Sketches of the systems that a figure shows. */
#include "reproduce/read.h"
#include "scene/scene.h"

#include <string.h>

/* SCENE, or {scene: SCENE, set: {...}, view: front} */
static carom_status read_sketch(const recipe_reader *r, const node *given, sketch_recipe *s) {
    static const char *const keys[] = {"scene", "set", "view"};
    s->where = given;
    if (given->kind == NODE_TEXT) return recipe_scene(r, given, given, &s->scene);
    const node *set = yaml_find(given, "set");
    carom_status status = check_keys(given, "a sketch", keys, 3, r->error);
    if (!status) status = recipe_scene(r, given, yaml_find(given, "scene"), &s->scene);
    if (!status && !(s->settings = recipe_room(r, set ? yaml_count(set) : 0, sizeof *s->settings)))
        status = CAROM_MEMORY;
    if (!status) status = recipe_settings(r, set, s->settings, &s->count);
    return status ? status : recipe_text(r, given, "view", &s->view);
}

carom_status read_sketches(recipe_reader *r, const node *given) {
    figure_recipe *f = r->figure;
    int count;
    const node *entry = recipe_entries(given, &count);
    if (!(f->sketches = recipe_room(r, count, sizeof *f->sketches))) return CAROM_MEMORY;
    if (given && given->kind == NODE_TEXT && !strcmp(given->text, "none")) return CAROM_OK;
    if (!given && f->source_count > 0) { /* that of the first source */
        const source *s = f->sources;
        f->sketches[f->sketch_count++] =
            (sketch_recipe){.scene = s->scene, .settings = s->settings, .count = s->setting_count};
    }
    carom_status status = CAROM_OK;
    for (; f->sketch_count < count && !status; entry = entry->next)
        status = read_sketch(r, entry, &f->sketches[f->sketch_count++]);
    return status;
}
