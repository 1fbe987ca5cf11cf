/* key=value, from --set or a sketch: a scene of one entry that extends the scene. */
#include "document.h"
#include "error.h"

#include <stdlib.h>
#include <string.h>

/* The next of the characters in stops outside brackets ("ground[i=1..n].friction=0.1"), or the end. */
static const char *next_stop(const char *text, const char *stops) {
    int depth = 0;
    for (; *text; text++) {
        if (depth == 0 && strchr(stops, *text)) break;
        depth += (*text == '[') - (*text == ']' && depth > 0);
    }
    return text;
}

static const char *name_of(const node *map) {
    return map && map->key ? map->key->text : "";
}

/* Maps whose keys are names that the scene chose: --set may change an entry there, but not add one. Names under
 * 'forces' and 'kinematics' are those of coordinates and velocities, and may be added. This holds only at these places:
 * a body may be called 'loads'. */
static const struct {
    const char *within, *map, *entry;
} named[] = {
    {"", "parameters", "parameter"},
    {"", "inputs", "input"},
    {"model", "coordinates", "coordinate"},
    {"model", "velocities", "velocity"},
    {"model", "define", "definition"},
    {"model", "constraints", "constraint"},
    {"model", "velocity_constraints", "velocity constraint"},
    {"model", "contacts", "contact"},
    {"model", "rolling", "rolling contact"},
    {"model", "symmetries", "symmetry"},
    {"model", "observe", "observable"},
    {"model", "springs", "spring"},
    {"model", "loads", "load"},
    {"model", "joints", "joint"},
    {"model", "bodies", "body"},
    {"model", "frames", "frame"},
    {"model", "chains", "chain"},
    {"model", "beams", "beam"},
    {"model", "bars", "bar"},
    {"model", "joins", "join"},
};

static const char *entry_kind(const node *within, const node *map) {
    for (size_t i = 0; within && i < sizeof named / sizeof *named; i++)
        if (!strcmp(named[i].within, name_of(within)) && !strcmp(named[i].map, name_of(map))) return named[i].entry;
    return NULL;
}

/* The entry an override means: "ground" also finds the family "ground[i=1..n]". */
static const node *find_entry(const node *map, const char *key) {
    const node *exact = yaml_find(map, key);
    size_t length = strlen(key);
    for (const node *entry = map->first; entry && !exact; entry = entry->next)
        if (strncmp(entry->key->text, key, length) == 0 && entry->key->text[length] == '[') return entry;
    return exact;
}

static carom_status no_such_entry(arena *memory, const node *map, const char *kind, const node *key,
                                  carom_error *error) {
    const char **names = arena_get(memory, (size_t)(yaml_count(map) + 1) * sizeof *names);
    if (!names) return carom_error_memory(error);
    int count = 0;
    for (const node *entry = map->first; entry; entry = entry->next) names[count++] = entry->key->text;
    return node_error_near(error, key, key->text, names, count, "there is no %s '%s'", kind, key->text);
}

/* A table for an input of a scene that declares none would move nothing. */
static carom_status check_inputs(const node *over, carom_error *error) {
    const node *inputs = yaml_find(over, "inputs");
    if (!inputs || !inputs->first) return CAROM_OK;
    return node_error(error, inputs->first->key, "there is no input '%s': the scene declares no inputs",
                      inputs->first->key->text);
}

/* within: what the map stands in, NULL around the scene */
static carom_status check_entries(arena *memory, const node *within, const node *map, const node *over,
                                  carom_error *error) {
    const char *kind = entry_kind(within, map);
    carom_status status = CAROM_OK;
    for (node *entry = over->first; entry && !status; entry = entry->next) {
        const node *old = kind ? find_entry(map, entry->key->text) : yaml_find(map, entry->key->text);
        if (!old && kind) status = no_such_entry(memory, map, kind, entry->key, error);
        if (!old) continue;
        entry->key->text = old->key->text;
        if (old->kind == NODE_MAP && entry->kind == NODE_MAP) status = check_entries(memory, map, old, entry, error);
    }
    return status;
}

/* The override as nested maps of one entry each, with the value innermost. */
static carom_status parse_override(arena *memory, const char *override, const node *place, node **over,
                                   carom_error *error) {
    const char *equals = next_stop(override, "=");
    const char *value = *equals ? arena_text(memory, equals + 1, strlen(equals + 1)) : NULL;
    if (!*equals) return node_error(error, place, "an override is 'key=value'");
    if (!value) return carom_error_memory(error);
    node *map = *over = yaml_new(memory, NODE_MAP, NULL, place);
    for (const char *from = override, *dot; map; from = dot + 1, map = map->first) {
        dot = next_stop(from, ".=");
        if (dot == from) return node_error(error, place, "an override is 'key=value' with keys like 'run.dt'");
        node *key = yaml_new(memory, NODE_TEXT, arena_text(memory, from, (size_t)(dot - from)), place);
        if (!key || !key->text) return carom_error_memory(error);
        carom_status status = CAROM_OK;
        if (dot == equals) status = yaml_parse(memory, value, strlen(value), place->file, false, &map->first, error);
        else map->first = yaml_new(memory, NODE_MAP, NULL, place);
        if (map->first) map->first->key = key;
        if (status || dot == equals) return status;
    }
    return carom_error_memory(error);
}

static carom_status extend(arena *memory, tree_index *scene, const char *setting, const char *place_text, bool adds,
                           carom_error *error) {
    node place = {.file = place_text}, *over = NULL;
    if (!place.file) return carom_error_memory(error);
    carom_status status = parse_override(memory, setting, &place, &over, error);
    static const char *const fixed[] = {"extends", "carom"};
    for (int i = 0; i < 2 && !status; i++)
        if (yaml_find(over, fixed[i])) status = node_error(error, &place, "'%s' belongs in a scene file", fixed[i]);
    if (!status) status = document_complete(memory, over, error);
    if (!status && !adds && !yaml_find(tree_index_root(scene), "inputs")) status = check_inputs(over, error);
    if (!status && !adds) status = check_entries(memory, NULL, tree_index_root(scene), over, error);
    return status || tree_index_merge(scene, over) ? status : carom_error_memory(error);
}

/* What errors call an override: the option and its value; for inputs, which --set and --input change, the key alone. */
static const char *override_place(arena *memory, const char *setting) {
    if (!strncmp(setting, "inputs.", 7))
        return arena_format(memory, "%.*s", (int)(next_stop(setting, "=") - setting), setting);
    return arena_format(memory, "--set %s", setting);
}

carom_status document_override(arena *memory, node *root, const char *setting, carom_error *error) {
    tree_index *scene = tree_index_create(root);
    if (!scene) return carom_error_memory(error);
    carom_status status = extend(memory, scene, setting, override_place(memory, setting), false, error);
    tree_index_destroy(scene);
    return status;
}

carom_status document_add(arena *memory, tree_index *scene, const char *setting, const char *name, carom_error *error) {
    int key = (int)(next_stop(setting, "=") - setting);
    return extend(memory, scene, setting, arena_format(memory, "%s: %.*s", name, key, setting), true, error);
}

/* Merges maps; complains if anything else is given twice. */
static carom_status check_new(const tree_index *scene, const node *map, const node *tree, carom_error *error) {
    carom_status status = CAROM_OK;
    for (const node *entry = tree->first; entry && !status; entry = entry->next) {
        const node *old = tree_index_find(scene, map, entry->key->text);
        if (!old) continue;
        if (old->kind == NODE_MAP && entry->kind == NODE_MAP) status = check_new(scene, old, entry, error);
        else status = node_error(error, entry, "'%s' is given already, by %s", entry->key->text, old->file);
    }
    return status;
}

carom_status document_add_tree(arena *memory, tree_index *scene, const node *tree, carom_error *error) {
    node *copy = yaml_copy(memory, tree);
    if (!copy) return carom_error_memory(error);
    carom_status status = check_new(scene, tree_index_root(scene), copy, error);
    return status || tree_index_merge(scene, copy) ? status : carom_error_memory(error);
}
