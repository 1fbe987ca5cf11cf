/* From a definition and the table of its fields to the tree of a scene. */
#include "def.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    arena *memory;
    const char *place; /* "SKETCH: body 'ball'" */
    bool lost;         /* out of memory */
    const node *twice; /* its key is given twice */
} writer;

/* Fields are ended by one without a kind of its own: no key, and no components. */
static bool is_end(const def_field *f) {
    return !f->key && !f->count;
}

static int count_at(const def_field *f, const char *def) {
    return *(const int *)(def + f->count_offset);
}

/* ---- nodes */

static node *new_node(writer *w, node_kind kind, const char *text, const char *path) {
    node at = {.file = path[0] ? arena_format(w->memory, "%s, %s", w->place, path) : w->place};
    node *n = at.file ? yaml_new(w->memory, kind, text, &at) : NULL;
    if (!n) w->lost = true;
    return n;
}

static node *text_node(writer *w, const char *text, const char *path) {
    const char *copy = text ? arena_text(w->memory, text, strlen(text)) : NULL;
    if (text && !copy) w->lost = true;
    return new_node(w, copy ? NODE_TEXT : NODE_EMPTY, copy, path);
}

static void append(node *parent, node *child) {
    node **tail = &parent->first;
    while (*tail) tail = &(*tail)->next;
    *tail = child;
}

static void add_entry(writer *w, node *map, const char *key, node *value) {
    if (!value || w->lost) return;
    if (yaml_find(map, key)) w->twice = value;
    const char *copy = arena_text(w->memory, key, strlen(key));
    value->key = copy ? yaml_new(w->memory, NODE_TEXT, copy, value) : NULL;
    if (value->key) append(map, value);
    else w->lost = true;
}

/* ---- values */

static bool is_given(const carom_value *v) {
    return v->formula || !isnan(v->number);
}

static const char *number_text(writer *w, double number) {
    const char *text = arena_number(w->memory, number);
    if (!text) w->lost = true;
    return text;
}

static node *value_node(writer *w, const carom_value *v, const char *path) {
    if (v->formula || !is_given(v)) return text_node(w, v->formula, path);
    return new_node(w, NODE_TEXT, number_text(w, v->number), path);
}

static node *values_node(writer *w, const carom_value *v, int count, const char *path) {
    while (count > 0 && !is_given(&v[count - 1])) count--;
    if (count == 0) return NULL;
    if (count == 1) return value_node(w, v, path);
    node *list = new_node(w, NODE_LIST, NULL, path);
    for (int i = 0; i < count && !w->lost; i++) {
        char entry[160];
        snprintf(entry, sizeof entry, "%s[%d]", path, i);
        append(list, value_node(w, &v[i], entry));
    }
    return list;
}

static node *rows_node(writer *w, const carom_value (*row)[3], int count, const char *path) {
    bool given = false;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < 3; j++) given = given || is_given(&row[i][j]);
    node *list = given ? new_node(w, NODE_LIST, NULL, path) : NULL;
    for (int i = 0; i < count && list && !w->lost; i++) {
        char entry[160];
        snprintf(entry, sizeof entry, "%s[%d]", path, i);
        node *values = values_node(w, row[i], 3, entry);
        append(list, values ? values : new_node(w, NODE_EMPTY, NULL, entry));
    }
    return list;
}

static node *texts_node(writer *w, const char *const *text, int count, const char *path) {
    while (count > 0 && !text[count - 1]) count--;
    node *list = count ? new_node(w, NODE_LIST, NULL, path) : NULL;
    for (int i = 0; i < count && !w->lost; i++) append(list, text_node(w, text[i], path));
    return list;
}

/* ---- fields */

static node *part_node(writer *w, const def_type *type, const char *def, const char *path);

static node *parts_node(writer *w, const def_field *f, const char *part, int count, const char *path) {
    node *list = count > 1 ? new_node(w, NODE_LIST, NULL, path) : NULL;
    for (int i = 0; i < count && !w->lost; i++, part += f->type->size) {
        char entry[160];
        assert(*(const int *)part == DEF_MADE && "a definition starts from its default function");
        snprintf(entry, sizeof entry, count > 1 ? "%s[%d]" : "%s", path, i);
        node *value = part_node(w, f->type, part, entry);
        if (!value) value = new_node(w, NODE_MAP, NULL, entry);
        if (count == 1) return value;
        append(list, value);
    }
    return list;
}

/* A body without further keys is written as its name. */
static node *partner_node(writer *w, const def_type *type, const char *partner, const char *path) {
    node *map = part_node(w, type, partner, path);
    if (!map || map->first->next || strcmp(map->first->key->text, "body")) return map;
    map->first->key = NULL;
    return map->first;
}

static node *partners_node(writer *w, const def_field *f, const char *partner, int count, const char *path) {
    node *list = NULL;
    for (int i = 0; i < count && !w->lost; i++, partner += f->type->size) {
        char entry[160];
        snprintf(entry, sizeof entry, "%s[%d]", path, i);
        node *value = partner_node(w, f->type, partner, entry);
        if (value && !list) list = new_node(w, NODE_LIST, NULL, path);
        if (value && list) append(list, value);
    }
    return list;
}

static node *groups_node(writer *w, const def_field *f, const carom_partners_def *group, const char *path) {
    node *each[2];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < group[k].count; i++)
            assert(group[k].partner[i].shape.made == DEF_MADE && "a shape starts from its default function");
        each[k] = partners_node(w, f, (const char *)group[k].partner, group[k].count, path);
    }
    if (!each[1]) return each[0];
    node *list = new_node(w, NODE_LIST, NULL, path);
    for (int k = 0; k < 2 && list && each[k]; k++) append(list, each[k]);
    return list;
}

static node *field_node(writer *w, const def_field *f, const char *def, const char *path) {
    const char *at = def + f->offset;
    switch (f->kind) {
    case DEF_TEXT:
        return *(const char *const *)at ? text_node(w, *(const char *const *)at, path) : NULL;
    case DEF_TEXTS:
        return texts_node(w, (const char *const *)at, f->count, path);
    case DEF_LIST:
        return texts_node(w, *(const char *const *const *)at, count_at(f, def), path);
    case DEF_VALUES:
        return values_node(w, (const carom_value *)at, f->count, path);
    case DEF_ROWS:
        return rows_node(w, (const carom_value(*)[3])at, f->count, path);
    case DEF_POINTS:
        return rows_node(w, *(const carom_value(*const *)[3])at, count_at(f, def), path);
    case DEF_FLAG:
        return *(const bool *)at ? text_node(w, "true", path) : NULL;
    case DEF_PART:
        return part_node(w, f->type, at, path);
    case DEF_PARTS:
        return parts_node(w, f, *(const char *const *)at, count_at(f, def), path);
    case DEF_PARTNERS:
        return partners_node(w, f, at, f->count, path);
    case DEF_GROUPS:
        return groups_node(w, f, (const carom_partners_def *)at, path);
    default:
        return NULL;
    }
}

/* Adds the fields of a definition to a map. Returns the value that replaces the whole map, if it is given. */
static node *add_fields(writer *w, const def_type *type, const char *def, const char *path, node *map) {
    node *whole = NULL;
    for (const def_field *f = type->fields; !is_end(f) && !w->lost; f++) {
        char inner[120];
        snprintf(inner, sizeof inner, "%.80s%s%s", path, path[0] && f->key && f->key[0] ? "." : "",
                 f->key ? f->key : "");
        if (f->kind == DEF_BESIDE) add_fields(w, f->type, def + f->offset, path, map);
        const carom_entry *entry = f->kind == DEF_ENTRIES ? *(const carom_entry *const *)(def + f->offset) : NULL;
        for (int i = 0; entry && i < count_at(f, def); i++)
            add_entry(w, map, entry[i].name, value_node(w, &entry[i].value, entry[i].name));
        node *value = field_node(w, f, def, inner);
        if (f->key) add_entry(w, map, f->key, value);
        else whole = value;
    }
    return whole;
}

static node *part_node(writer *w, const def_type *type, const char *def, const char *path) {
    node *map = new_node(w, NODE_MAP, NULL, path);
    node *whole = map ? add_fields(w, type, def, path, map) : NULL;
    if (w->lost) return NULL;
    if (whole && map->first) w->twice = whole;
    if (whole) return whole;
    return map->first ? map : NULL;
}

/* ---- entries */

/* The innermost map of {first: {second: ...}}; either may be NULL. */
static node *nest(writer *w, const char *const path[2], node **root) {
    node *map = *root = new_node(w, NODE_MAP, NULL, "");
    for (int i = 0; i < 2 && path[i] && map && !w->lost; i++) {
        node *inner = new_node(w, NODE_MAP, NULL, "");
        add_entry(w, map, path[i], inner);
        map = inner;
    }
    return map;
}

static writer writer_of(arena *memory, const char *sketch, const char *what, const char *name) {
    writer w = {.memory = memory};
    w.place =
        name ? arena_format(memory, "%s: %s '%s'", sketch, what, name) : arena_format(memory, "%s: %s", sketch, what);
    w.lost = !w.place;
    return w;
}

node *def_tree(arena *memory, const char *sketch, const def_type *type, const char *name, const void *def,
               const node **twice) {
    assert(*(const int *)def == DEF_MADE && "a definition starts from its default function");
    writer w = writer_of(memory, sketch, type->what, name);
    node *root = NULL, *map = w.lost ? NULL : nest(&w, type->path, &root);
    if (name && !w.lost) {
        node *entry = new_node(&w, NODE_MAP, NULL, "");
        add_entry(&w, map, name, entry);
        map = entry;
    }
    if (!w.lost) add_fields(&w, type, def, "", map);
    *twice = w.twice;
    return w.lost ? NULL : root;
}

node *def_formula_tree(arena *memory, const char *sketch, carom_formula_kind kind, const char *name,
                       carom_value value) {
    static const struct {
        const char *what, *path[2];
    } kinds[] = {
        [CAROM_PARAMETER] = {"parameter", {"parameters"}},
        [CAROM_INPUT] = {"input", {"inputs"}},
        [CAROM_DEFINITION] = {"definition", {"model", "define"}},
        [CAROM_KINEMATICS] = {"rate of", {"model", "kinematics"}},
        [CAROM_FORCE] = {"force on", {"model", "forces"}},
        [CAROM_CONSTRAINT] = {"constraint", {"model", "constraints"}},
        [CAROM_VELOCITY_CONSTRAINT] = {"velocity constraint", {"model", "velocity_constraints"}},
        [CAROM_OBSERVABLE] = {"observable", {"model", "observe"}},
        [CAROM_EXACT] = {"exact motion of", {"exact"}},
        [CAROM_UNIT] = {"unit of", {"units"}},
    };
    assert(kind >= CAROM_PARAMETER && kind <= CAROM_UNIT);
    writer w = writer_of(memory, sketch, kinds[kind].what, name);
    node *root = NULL, *map = w.lost ? NULL : nest(&w, kinds[kind].path, &root);
    if (!w.lost) add_entry(&w, map, name, value_node(&w, &value, ""));
    return w.lost ? NULL : root;
}

node *def_run_tree(arena *memory, const char *sketch, const carom_run_def *run, const node **twice) {
    static const char *const path[2] = {"run"};
    writer w = writer_of(memory, sketch, "run", NULL);
    node *root = NULL, *map = w.lost ? NULL : nest(&w, path, &root);
    const carom_entry numbers[] = {
        {"dt", {run->dt, NULL}}, {"until", {run->until, NULL}}, {"tolerance", {run->tolerance, NULL}}};
    if (!w.lost && run->integrator) add_entry(&w, map, "integrator", text_node(&w, run->integrator, "integrator"));
    for (int i = 0; i < 3 && !w.lost; i++)
        add_entry(&w, map, numbers[i].name, value_node(&w, &numbers[i].value, numbers[i].name));
    if (!w.lost && run->continuous) add_entry(&w, map, "detection", text_node(&w, "continuous", "detection"));
    for (int i = 0; i < run->option_count && !w.lost; i++) {
        const carom_option *o = &run->options[i];
        const carom_value value = {o->number, o->text};
        add_entry(&w, map, o->name, value_node(&w, &value, o->name));
    }
    *twice = w.twice;
    return w.lost ? NULL : root;
}

/* ---- nothing given */

static void clear_fields(const def_type *type, char *def) {
    for (const def_field *f = type->fields; !is_end(f); f++) {
        int values = f->kind == DEF_VALUES ? f->count : f->kind == DEF_ROWS ? 3 * f->count : 0;
        for (int i = 0; i < values; i++) ((carom_value *)(def + f->offset))[i].number = NAN;
        if (f->kind == DEF_PART || f->kind == DEF_BESIDE) clear_fields(f->type, def + f->offset);
        for (int i = 0; f->kind == DEF_PARTNERS && i < f->count; i++)
            clear_fields(f->type, def + f->offset + (size_t)i * f->type->size);
    }
}

void def_clear(const def_type *type, void *def) {
    memset(def, 0, type->size);
    *(int *)def = DEF_MADE;
    clear_fields(type, def);
}
