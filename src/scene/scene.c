/* A scene: model and run from a file. */
#include "scene.h"

#include "document.h"
#include "drawing.h"
#include "error.h"
#include "model/found/finder.h"
#include "vocabulary/vocabulary.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A million masses; seconds of reading. */
static const scene_limits own_scene = {.elements = 1000000, .values = 100000000};

static bool is_key_of(const char *word, const char *name) {
    const char *keys[VOCABULARY_KEYS];
    for (int i = vocabulary_keys("scene", word, keys) - 1; i >= 0; i--)
        if (!strcmp(keys[i], name)) return true;
    return false;
}

/* Keys that were written one level too high: 'gravity' beside 'model'. */
static carom_status check_level(const node *root, carom_error *error) {
    static const char *const below[] = {"model", "run"};
    for (const node *entry = root->kind == NODE_MAP ? root->first : NULL; entry; entry = entry->next)
        for (int i = 0; i < 2; i++)
            if (!is_key_of("scene", entry->key->text) && is_key_of(below[i], entry->key->text))
                return node_error(error, entry->key, "the key '%s' stands under '%s'", entry->key->text, below[i]);
    return CAROM_OK;
}

static carom_status check_top(const node *root, carom_error *error) {
    carom_status status = check_level(root, error);
    if (!status) status = check_word(root, "a scene", "scene", "scene", error);
    if (!status) status = check_text(yaml_find(root, "title"), "the title", error);
    if (!status) status = check_text(yaml_find(root, "description"), "the description", error);
    const node *units = yaml_find(root, "units");
    if (!status && units && units->kind != NODE_MAP)
        status = node_error(error, units, "'units' must be a map from quantities to units");
    for (const node *unit = units ? units->first : NULL; unit && !status; unit = unit->next)
        status = check_text(unit, "a unit", error);
    return status;
}

static carom_status build(carom_scene *scene, const scene_limits *limits, bool picture, carom_error *error) {
    names n = {.memory = &scene->memory,
               .g = graph_create(),
               .error = error,
               .elements = limits->elements,
               .values = limits->values};
    if (!n.g) return carom_error_memory(error);
    carom_status status = check_top(scene->root, error);
    if (!status) status = build_model(scene, &n, picture);
    if (!status && scene->model) status = build_fixed(scene, &n);
    if (!status) status = build_run(scene, &n);
    if (!status && scene->model) status = build_exact(scene, &n);
    /* a value that could not be computed may have gone unnoticed, or have been taken for a fault of the scene */
    if (graph_exhausted(n.g)) status = carom_error_memory(error);
    graph_destroy(n.g);
    if (!status && !(scene->text = yaml_emit(scene->root))) status = carom_error_memory(error);
    return status;
}

/* The source of a scene: a file, text, or a sketch, and overrides. */
typedef struct source {
    const char *name; /* of the file, or what stands for it in errors */
    const char *text; /* not NULL: there is no file */
    size_t size;
    bool picture;               /* for drawings: without equations and model */
    const scene_entry *entries; /* of a sketch */
    const char *const *overrides;
    int entry_count, override_count;
} source;

static carom_status add_entries(carom_scene *scene, const source *from, carom_error *error) {
    tree_index *index = from->entry_count ? tree_index_create(scene->root) : NULL;
    carom_status status = index || !from->entry_count ? CAROM_OK : carom_error_memory(error);
    for (int i = 0; i < from->entry_count && !status; i++) {
        const scene_entry *entry = &from->entries[i];
        status = entry->tree ? document_add_tree(&scene->memory, index, entry->tree, error)
                             : document_add(&scene->memory, index, entry->text, from->name, error);
    }
    tree_index_destroy(index);
    return status;
}

static carom_status load(carom_scene *scene, const source *from, const scene_limits *limits, carom_error *error) {
    arena *memory = &scene->memory;
    carom_status status;
    if (from->text) {
        const char *copy = arena_text(memory, from->text, from->size);
        const char *name = arena_text(memory, from->name, strlen(from->name));
        if (!copy || !name) return carom_error_memory(error);
        status = document_parse(memory, copy, from->size, name, &scene->root, error);
    } else {
        status = document_load(memory, from->name, "scene", &scene->root, error);
    }
    if (!status) status = add_entries(scene, from, error);
    for (int i = 0; i < from->override_count && !status; i++)
        status = document_override(memory, scene->root, from->overrides[i], error);
    return status ? status : build(scene, limits, from->picture, error);
}

static carom_status create(const source *from, const scene_limits *limits, carom_scene **scene, carom_error *error) {
    carom_error problem = {0};
    carom_status status;
    *scene = calloc(1, sizeof **scene);
    if (*scene) (*scene)->alive = ALIVE, status = load(*scene, from, limits, &problem);
    else status = carom_error_memory(&problem);
    if (!status) return CAROM_OK;
    carom_scene_destroy(*scene);
    *scene = NULL;
    if (error) *error = problem;
    return status;
}

carom_status scene_load_text(const char *text, size_t size, const char *name, const scene_limits *limits,
                             carom_scene **scene, carom_error *error) {
    const source from = {.name = name, .text = text, .size = size};
    return create(&from, limits ? limits : &own_scene, scene, error);
}

carom_status scene_load_drawing(const char *text, size_t size, const char *name, carom_scene **scene,
                                carom_error *error) {
    const source from = {.name = name, .text = text, .size = size, .picture = true};
    return create(&from, &own_scene, scene, error);
}

carom_status scene_load_entries(const scene_entry *entries, int count, const char *name, carom_scene **scene,
                                carom_error *error) {
    static const char version[] = "carom: 1";
    const source from = {
        .name = name, .text = version, .size = sizeof version - 1, .entries = entries, .entry_count = count};
    return create(&from, &own_scene, scene, error);
}

/* ---- public */

carom_status carom_scene_load(const char *path, const char *const *overrides, int override_count, carom_scene **scene,
                              carom_error *error) {
    const source from = {.name = path, .overrides = overrides, .override_count = override_count};
    return create(&from, &own_scene, scene, error);
}

carom_status carom_scene_parse(const char *text, size_t size, const char *name, const char *const *overrides,
                               int override_count, carom_scene **scene, carom_error *error) {
    const source from = {
        .name = name, .text = text, .size = size, .overrides = overrides, .override_count = override_count};
    return create(&from, &own_scene, scene, error);
}

void carom_scene_destroy(carom_scene *scene) {
    if (!scene) return;
    assert_alive(scene);
    carom_model_destroy(scene->model);
    finder_destroy(scene->finder);
    exact_destroy(scene->exact);
    drawing_destroy(scene->drawing);
    free(scene->text);
    arena_release(&scene->memory);
    mark_destroyed(scene);
    free(scene);
}

const carom_model *carom_scene_model(const carom_scene *scene) {
    assert_alive(scene);
    return scene->model;
}
const carom_run_def *carom_scene_run(const carom_scene *scene) {
    assert_alive(scene);
    return &scene->run;
}
const char *carom_scene_text(const carom_scene *scene) {
    assert_alive(scene);
    return scene->text;
}
int carom_scene_every(const carom_scene *scene) {
    assert_alive(scene);
    return scene->every;
}
int carom_scene_records(const carom_scene *scene) {
    assert_alive(scene);
    return scene->records;
}
const char *carom_scene_record(const carom_scene *scene, int i) {
    assert_alive(scene);
    assert(i >= 0 && i < carom_scene_records(scene));
    return scene->record[i]->text;
}
int carom_scene_plots(const carom_scene *scene) {
    assert_alive(scene);
    return scene->plots;
}
const char *carom_scene_plot(const carom_scene *scene, int i) {
    assert_alive(scene);
    assert(i >= 0 && i < scene->plots);
    return scene->plot[i]->text;
}
int carom_scene_parameters(const carom_scene *scene) {
    assert_alive(scene);
    return scene->parameters;
}

carom_status scene_run_error(const carom_scene *scene, carom_error *error) {
    const carom_error refusal = *error;
    return node_error(error, yaml_find(yaml_find(scene->root, "run"), "integrator"), "%s", refusal.message);
}

const char *carom_scene_title(const carom_scene *scene) {
    assert_alive(scene);
    const node *title = yaml_find(scene->root, "title");
    return title ? title->text : "";
}

const char *carom_scene_parameter(const carom_scene *scene, int i, double *value) {
    assert_alive(scene);
    assert(i >= 0 && i < scene->parameters);
    if (value) *value = scene->parameter_value[i];
    return scene->parameter[i]->name;
}
