/* A scene that a program puts together, entry by entry. */
#include "error.h"
#include "scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct carom_sketch {
    char *name;
    char **entry; /* "key=value" */
    int count, room;
    bool lost; /* an entry found no memory */
};

carom_sketch *carom_sketch_create(const char *name) {
    carom_sketch *sketch = calloc(1, sizeof *sketch);
    if (sketch) sketch->name = strdup(name);
    if (sketch && sketch->name) return sketch;
    carom_sketch_destroy(sketch);
    return NULL;
}

void carom_sketch_destroy(carom_sketch *sketch) {
    if (!sketch) return;
    for (int i = 0; i < sketch->count; i++) free(sketch->entry[i]);
    free(sketch->entry);
    free(sketch->name);
    free(sketch);
}

static char *format_text(const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

static bool make_room(carom_sketch *sketch) {
    if (sketch->count < sketch->room) return true;
    int room = 2 * sketch->room + 16;
    char **entry = realloc(sketch->entry, (size_t)room * sizeof *entry);
    if (!entry) return false;
    sketch->entry = entry;
    sketch->room = room;
    return true;
}

void carom_sketch_add(carom_sketch *sketch, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = make_room(sketch) ? format_text(format, arguments) : NULL;
    va_end(arguments);
    if (text) sketch->entry[sketch->count++] = text;
    else sketch->lost = true;
}

carom_status carom_sketch_scene(const carom_sketch *sketch, carom_scene **scene, carom_error *error) {
    *scene = NULL;
    if (sketch->lost) return carom_error_memory(error);
    return scene_load_entries((const char *const *)sketch->entry, sketch->count, sketch->name, scene, error);
}
