/* A scene that a program puts together, entry by entry. */
#include "sketch.h"

#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

carom_sketch *carom_sketch_create(const char *name) {
    carom_sketch *sketch = calloc(1, sizeof *sketch);
    if (sketch) sketch->alive = ALIVE;
    if (sketch) sketch->name = arena_text(&sketch->memory, name, strlen(name));
    if (sketch && sketch->name) return sketch;
    carom_sketch_destroy(sketch);
    return NULL;
}

void carom_sketch_destroy(carom_sketch *sketch) {
    if (!sketch) return;
    assert_alive(sketch);
    arena_release(&sketch->memory);
    mark_destroyed(sketch);
    free(sketch);
}

static void add(carom_sketch *sketch, scene_entry entry) {
    scene_entry *list =
        arena_grow(&sketch->memory, sketch->entry, sketch->count, 1, &sketch->room, sizeof *sketch->entry);
    if (list && (entry.text || entry.tree)) list[sketch->count++] = entry;
    else sketch->lost = true;
    if (list) sketch->entry = list;
}

static char *format_text(arena *memory, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : arena_get(memory, (size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

void carom_sketch_add(carom_sketch *sketch, const char *format, ...) {
    va_list arguments;
    assert_alive(sketch);
    va_start(arguments, format);
    add(sketch, (scene_entry){.text = format_text(&sketch->memory, format, arguments)});
    va_end(arguments);
}

void sketch_add_tree(carom_sketch *sketch, const node *tree, const node *twice) {
    add(sketch, (scene_entry){.tree = tree});
    if (!sketch->twice) sketch->twice = twice;
}

carom_status carom_sketch_scene(const carom_sketch *sketch, carom_scene **scene, carom_error *error) {
    assert_alive(sketch);
    *scene = NULL;
    if (sketch->lost) return carom_error_memory(error);
    if (sketch->twice) return node_error(error, sketch->twice, "it is given twice, in different ways");
    return scene_load_entries(sketch->entry, sketch->count, sketch->name, scene, error);
}
