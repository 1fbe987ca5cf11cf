/* Runs and studies: the commands that compute them. */
#include "error.h"
#include "reproduce/read.h"
#include "scene/document.h"
#include "scene/scene.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

static const char *const common_keys[] = {"scene", "set", "quick", "minutes", "may_fail"};
static const char *const study_keys[] = {"scene", "set",         "quick",     "minutes", "may_fail",
                                         "dt",    "integrators", "reference", "norm",    "repeat"};
enum { STUDY_KEYS = sizeof study_keys / sizeof *study_keys };
static const char *const sections[] = {
    [SOURCE_RUN] = "runs", [SOURCE_CONVERGE] = "converge", [SOURCE_COMPARE] = "compare"};

/* ---- the command */

static void add_word(source *s, const char *word) {
    s->words[s->word_count++] = word;
}

static carom_status add_option(const recipe_reader *r, source *s, const node *entry, const char *key,
                               const char *option) {
    const char *text = NULL;
    carom_status status = recipe_text(r, entry, key, &text);
    if (text) add_word(s, option), add_word(s, text);
    return status;
}

carom_status recipe_settings(const recipe_reader *r, const node *set, const char **words, int *count) {
    *count = 0;
    if (!set) return CAROM_OK;
    if (set->kind != NODE_MAP) return node_error(r->error, set, "'set' is a map from keys of the scene to values");
    for (const node *value = set->first; value; value = value->next) {
        if (value->kind != NODE_TEXT)
            return node_error(r->error, value, "a value of 'set' stands in quotes, as after --set on the command line");
        const char *word = arena_format(r->memory, "%s=%s", value->key->text, value->text);
        if (!word) return carom_error_memory(r->error);
        words[(*count)++] = word;
    }
    return CAROM_OK;
}

static carom_status add_settings(const recipe_reader *r, source *s, const node *set) {
    int count;
    s->settings = recipe_room(r, set ? yaml_count(set) : 0, sizeof *s->settings);
    carom_status status = s->settings ? recipe_settings(r, set, s->settings, &count) : CAROM_MEMORY;
    for (s->setting_count = 0; !status && s->setting_count < count; s->setting_count++)
        add_word(s, "--set"), add_word(s, s->settings[s->setting_count]);
    return status;
}

/* Its name must be usable in formulas: "case1.rattle.q". */
static carom_status check_name(const recipe_reader *r, const node *key) {
    const char *name = key->text;
    if ((isalpha((unsigned char)name[0]) || name[0] == '_') && !name[strspn(name, NAME_LETTERS)]) return CAROM_OK;
    return node_error(r->error, key, "'%s' is not a name: letters, digits and '_', no digit first", name);
}

/* integrators: {s2: "lobatto:stages=2", rattle: rattle} */
static carom_status add_schemes(const recipe_reader *r, source *s, const node *list) {
    if (!list || list->kind != NODE_MAP)
        return node_error(r->error, list ? list : s->where,
                          "a study needs 'integrators', a map from short names to specifications");
    int count = yaml_count(list);
    size_t length = 1;
    s->label = recipe_room(r, count, sizeof *s->label);
    s->alias = recipe_room(r, count, sizeof *s->alias);
    if (!s->label || !s->alias) return CAROM_MEMORY;
    for (const node *scheme = list->first; scheme; scheme = scheme->next) {
        if (scheme->kind != NODE_TEXT) return node_error(r->error, scheme, "an integrator, as after --integrators");
        carom_status status = check_name(r, scheme->key);
        if (status) return status;
        s->alias[s->schemes] = scheme->key->text;
        s->label[s->schemes++] = scheme->text;
        length += strlen(scheme->text) + 1;
    }
    char *word = arena_get(r->memory, length);
    if (!word) return carom_error_memory(r->error);
    for (int i = 0; i < s->schemes; i++) strcat(strcat(word, i ? "," : ""), s->label[i]);
    add_word(s, "--integrators"), add_word(s, word);
    return CAROM_OK;
}

static carom_status add_study(const recipe_reader *r, source *s, const node *entry) {
    s->norm = "lobatto";
    carom_status status = add_schemes(r, s, yaml_find(entry, "integrators"));
    if (!status) status = add_option(r, s, entry, "dt", "--dt");
    if (!status) status = add_option(r, s, entry, "reference", "--reference");
    if (!status) status = add_option(r, s, entry, "norm", "--norm");
    if (!status) status = recipe_text(r, entry, "norm", &s->norm);
    if (!status && s->kind == SOURCE_COMPARE) {
        const char *repeat = "1";
        status = recipe_text(r, entry, "repeat", &repeat);
        add_word(s, "--repeat"), add_word(s, repeat);
    }
    return status;
}

/* The path of a file beside the recipe, with ".yaml" added where that is missing; NULL: out of memory. */
static const char *beside_recipe(const recipe_reader *r, const char *scene) {
    const char *slash = strrchr(r->figure->file, '/'), *ending = strrchr(scene, '.');
    const int folder = slash && scene[0] != '/' ? (int)(slash - r->figure->file) + 1 : 0;
    char path[PATH_MAX];
    const char *written = arena_format(r->memory, "%.*s%s%s", folder, r->figure->file, scene,
                                       ending && !strcmp(ending, ".yaml") ? "" : ".yaml");
    if (!written || !realpath(written, path)) return written;
    return arena_text(r->memory, path, strlen(path));
}

carom_status recipe_scene(const recipe_reader *r, const node *where, const node *text, const char **path) {
    if (!text)
        return node_error(r->error, where, "'scene' is missing: a file %s",
                          r->all->study ? "beside the recipe" : "under scenes/");
    if (text->kind != NODE_TEXT) return node_error(r->error, text, "'scene' must be text");
    *path = r->all->study ? beside_recipe(r, text->text)
                          : arena_format(r->memory, "%s/scenes/%s.yaml", r->all->root, text->text);
    if (!*path) return carom_error_memory(r->error);
    if (!access(*path, R_OK)) return CAROM_OK;
    return node_error(r->error, text, "there is no scene '%s': %s cannot be read", text->text, *path);
}

/* ---- one source */

/* "run.dt = 1e-4, run.until = 2"; NULL: out of memory */
static const char *changes_text(const recipe_reader *r, const node *changes) {
    const char *text = "";
    for (const node *n = changes->first; n && text; n = n->next) {
        const char *one = n->kind == NODE_MAP
                              ? changes_text(r, n)
                              : arena_format(r->memory, "%s = %s", n->key->text, n->text ? n->text : "");
        text = one ? arena_format(r->memory, "%s%s%s", text, *text ? ", " : "", one) : NULL;
    }
    return text;
}

/* What quick mode changes: values of 'set', or any key of a study. */
static carom_status apply_quick(const recipe_reader *r, source *s, node *entry) {
    node *quick = yaml_find(entry, "quick");
    if (!quick) return CAROM_OK;
    const bool skip = quick->kind == NODE_TEXT && !strcmp(quick->text, "skip");
    if (!skip && quick->kind != NODE_MAP)
        return node_error(r->error, quick, "'quick' is a map of what is different, or 'skip'");
    carom_status status = CAROM_OK;
    if (!skip && s->kind != SOURCE_RUN)
        status = check_keys(quick, "'quick' of a study", study_keys, STUDY_KEYS, r->error);
    if (status || !r->all->quick) return status;
    if (skip) return s->skip = true, CAROM_OK;
    if (!(s->quick = changes_text(r, quick))) return carom_error_memory(r->error);
    node *set = yaml_find(entry, "set"), *into = s->kind == SOURCE_RUN ? set : entry;
    if (into) return tree_merge(into, quick) ? CAROM_OK : carom_error_memory(r->error);
    set = yaml_new(r->memory, NODE_MAP, NULL, quick);
    node *key = yaml_new(r->memory, NODE_TEXT, "set", quick);
    if (!set || !key) return carom_error_memory(r->error);
    set->key = key, set->first = quick->first, set->next = entry->first, entry->first = set;
    return CAROM_OK;
}

static carom_status read_source(const recipe_reader *r, source *s, node *entry) {
    static const char *const commands[] = {
        [SOURCE_RUN] = "run", [SOURCE_CONVERGE] = "converge", [SOURCE_COMPARE] = "compare"};
    bool study = s->kind != SOURCE_RUN;
    s->where = entry, s->name = entry->key->text, s->minutes = 0.05;
    carom_status status = study ? check_keys(entry, "a study", study_keys, STUDY_KEYS, r->error)
                                : check_keys(entry, "a run", common_keys, 5, r->error);
    if (!status) status = check_name(r, entry->key);
    if (!status) status = apply_quick(r, s, entry);
    const node *set = yaml_find(entry, "set");
    if (!status && !(s->words = recipe_room(r, 2 * (set ? yaml_count(set) : 0) + 16, sizeof *s->words)))
        status = CAROM_MEMORY;
    if (!status) status = recipe_scene(r, s->where, yaml_find(entry, "scene"), &s->scene);
    if (status) return status;
    add_word(s, commands[s->kind]), add_word(s, recipes_below_root(r->all, s->scene));
    status = study ? add_study(r, s, entry) : CAROM_OK;
    if (!status) status = add_settings(r, s, set);
    if (!status) status = recipe_number(r, entry, "minutes", &s->minutes);
    if (!status) status = recipe_flag(r, entry, "may_fail", &s->may_fail);
    return status;
}

carom_status read_sources(recipe_reader *r, const node *root) {
    figure_recipe *f = r->figure;
    int count = 0;
    for (int kind = 0; kind < 3; kind++) {
        const node *section = yaml_find(root, sections[kind]);
        if (section && section->kind != NODE_MAP)
            return node_error(r->error, section, "'%s' is a map of names", sections[kind]);
        count += section ? yaml_count(section) : 0;
    }
    if (!(f->sources = recipe_room(r, count, sizeof *f->sources))) return CAROM_MEMORY;
    carom_status status = CAROM_OK;
    for (int kind = 0; kind < 3 && !status; kind++) {
        const node *section = yaml_find(root, sections[kind]);
        for (node *entry = section ? section->first : NULL; entry && !status; entry = entry->next) {
            source *s = &f->sources[f->source_count++];
            s->kind = (source_kind)kind;
            status = read_source(r, s, entry);
        }
    }
    return status;
}
