#include "document.h"

#include "error.h"
#include "scene/signature.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CHAIN = 16 }; /* scenes that extend scenes that extend ... */

/* The files being read, innermost first: extending any of them again is a cycle. */
typedef struct chain {
    const char *path, *what; /* what: "scene" */
    dev_t device;
    ino_t inode;
    int length;
    const struct chain *outer;
    const struct stat *sought; /* whether this file is among them; NULL: it does not matter */
    bool *found;
} chain;

/* ---- one file */

static carom_status unreadable(const chain *file, const node *wanted_by, carom_error *error, const char *reason) {
    if (wanted_by) return node_error(error, wanted_by, "cannot read '%s': %s", file->path, reason);
    return carom_error_at(error, CAROM_DATA, file->path, 0, 0, "cannot read the %s: %s", file->what, reason);
}

static carom_status check_bytes(const chain *file, const node *wanted_by, const char *text, size_t size,
                                carom_error *error) {
    char reason[600];
    if (begins_like_result(text, size)) {
        snprintf(reason, sizeof reason,
                 "it is a result (HDF5), not a %s; 'carom plot %.120s' draws it, 'carom run SCENE --resume --out "
                 "%.120s' goes on with its run",
                 file->what, file->path, file->path);
        return unreadable(file, wanted_by, error, reason);
    }
    return size > SCENE_BYTES ? unreadable(file, wanted_by, error, "it is longer than 64 MiB") : CAROM_OK;
}

/* All of it, or the beginning of what is too long; NULL: out of memory. */
static char *read_all(arena *memory, FILE *stream, size_t *size) {
    size_t room = 1 << 16, more;
    char *text = arena_get(memory, room + 1);
    *size = 0;
    while (text && (more = fread(text + *size, 1, room - *size, stream)) > 0) {
        *size += more;
        if (*size > SCENE_BYTES) break;
        if (*size < room) continue;
        char *larger = arena_get(memory, 2 * room + 1);
        if (larger) memcpy(larger, text, room);
        text = larger;
        room *= 2;
    }
    return text;
}

static carom_status read_text(arena *memory, chain *file, const node *wanted_by, char **text, size_t *size,
                              carom_error *error) {
    struct stat info = {0};
    FILE *stream = fopen(file->path, "rb");
    if (!stream) return unreadable(file, wanted_by, error, strerror(errno));
    carom_status status = CAROM_OK;
    if (fstat(fileno(stream), &info) != 0) status = unreadable(file, wanted_by, error, strerror(errno));
    else if (!(*text = read_all(memory, stream, size))) status = carom_error_memory(error);
    if (!status && ferror(stream)) status = unreadable(file, wanted_by, error, strerror(errno));
    if (!status) status = check_bytes(file, wanted_by, *text, *size, error);
    fclose(stream);
    file->device = info.st_dev;
    file->inode = info.st_ino;
    if (file->sought && file->sought->st_dev == info.st_dev && file->sought->st_ino == info.st_ino) *file->found = true;
    return status;
}

/* ---- what every file must be */

static carom_status check_version(const node *root, const char *what, carom_error *error) {
    if (root->kind != NODE_MAP) return node_error(error, root, "a %s is a map that starts with 'carom: 1'", what);
    const node *version = yaml_find(root, "carom");
    if (!version) return node_error(error, root->first ? root->first->key : root, "a %s starts with 'carom: 1'", what);
    if (version->kind != NODE_TEXT || strcmp(version->text, "1") != 0)
        return node_error(error, version, "this carom reads %ss of version 1 ('carom: 1')", what);
    return CAROM_OK;
}

/* "x: 0" and "x:" are short for "x: {start: 0}" and "x: {}"; written out so that merging works entry by entry. */
static carom_status write_out_starts(arena *memory, node *variables, carom_error *error) {
    if (!variables || variables->kind != NODE_MAP) return CAROM_OK;
    for (node *variable = variables->first; variable; variable = variable->next) {
        if (variable->kind == NODE_TEXT) {
            node *start = yaml_new(memory, NODE_TEXT, variable->text, variable);
            if (start) start->key = yaml_new(memory, NODE_TEXT, "start", variable);
            if (!start || !start->key) return carom_error_memory(error);
            start->raw = variable->raw;
            start->raw_end = variable->raw_end;
            variable->first = start;
        }
        if (variable->kind == NODE_TEXT || variable->kind == NODE_EMPTY) {
            variable->kind = NODE_MAP;
            variable->raw = variable->raw_end = NULL;
        }
    }
    return CAROM_OK;
}

carom_status document_complete(arena *memory, node *root, carom_error *error) {
    const node *model = yaml_find(root, "model");
    carom_status status = write_out_starts(memory, yaml_find(model, "coordinates"), error);
    return status ? status : write_out_starts(memory, yaml_find(model, "velocities"), error);
}

static node *take(node *map, const char *key) {
    for (node **entry = &map->first; *entry; entry = &(*entry)->next)
        if (strcmp((*entry)->key->text, key) == 0) {
            node *taken = *entry;
            *entry = taken->next;
            return taken;
        }
    return NULL;
}

/* ---- extends */

static carom_status load(arena *memory, chain *file, const node *wanted_by, node **root, carom_error *error);

static carom_status check_cycle(const chain *file, const node *wanted_by, carom_error *error) {
    for (const chain *outer = file->outer; outer; outer = outer->outer)
        if (outer->device == file->device && outer->inode == file->inode)
            return node_error(error, wanted_by, "'%s' extends itself (by way of '%s')", file->path, file->outer->path);
    if (file->length > CHAIN)
        return node_error(error, wanted_by, "more than %d %ss extend each other", CHAIN, file->what);
    return CAROM_OK;
}

static carom_status extend(arena *memory, const chain *file, node *extends, node **root, carom_error *error) {
    if (extends->kind != NODE_TEXT) return node_error(error, extends, "'extends' must be the path of a %s", file->what);
    const char *slash = strrchr(file->path, '/');
    int folder = slash && extends->text[0] != '/' ? (int)(slash - file->path) + 1 : 0;
    chain base = {
        .what = file->what, .length = file->length + 1, .outer = file, .sought = file->sought, .found = file->found};
    base.path = arena_format(memory, "%.*s%s", folder, file->path, extends->text);
    if (!base.path) return carom_error_memory(error);
    node *merged, *over = *root;
    carom_status status = load(memory, &base, extends, &merged, error);
    if (status) return status;
    *root = merged;
    return tree_merge(merged, over) ? CAROM_OK : carom_error_memory(error);
}

static carom_status load(arena *memory, chain *file, const node *wanted_by, node **root, carom_error *error) {
    char *text = NULL;
    size_t size = 0;
    carom_status status = read_text(memory, file, wanted_by, &text, &size, error);
    if (!status) status = check_cycle(file, wanted_by, error);
    if (!status) status = yaml_parse(memory, text, size, file->path, true, root, error);
    if (!status) status = check_version(*root, file->what, error);
    if (!status) status = document_complete(memory, *root, error);
    node *extends = status ? NULL : take(*root, "extends");
    return extends ? extend(memory, file, extends, root, error) : status;
}

carom_status document_load(arena *memory, const char *path, const char *what, node **root, carom_error *error) {
    chain file = {.path = arena_text(memory, path, strlen(path)), .what = what, .length = 1};
    if (!file.path) return carom_error_memory(error);
    return load(memory, &file, NULL, root, error);
}

bool document_reads(const char *path, const struct stat *file) {
    arena memory = {0};
    bool found = false;
    node *root;
    chain first = {.path = path, .what = "scene", .length = 1, .sought = file, .found = &found};
    carom_status read = load(&memory, &first, NULL, &root, NULL);
    (void)read;
    arena_release(&memory);
    return found;
}

carom_status document_parse(arena *memory, const char *text, size_t size, const char *name, node **root,
                            carom_error *error) {
    carom_status status = yaml_parse(memory, text, size, name, true, root, error);
    if (!status) status = check_version(*root, "scene", error);
    if (!status) status = document_complete(memory, *root, error);
    const node *extends = status ? NULL : yaml_find(*root, "extends");
    return extends ? node_error(error, extends, "'extends' needs a scene that is a file") : status;
}
