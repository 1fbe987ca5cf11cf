/* Any bytes are either a scene or an error with one sentence; a scene's own text is a scene again. */
#include "scene/scene.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What keeps every input below a second. */
enum { BYTES = 1 << 14 };
static const scene_limits limits = {.elements = 60, .values = 50000};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    carom_scene *scene = NULL, *again = NULL;
    carom_error error = {0};
    if (size > BYTES) return 0;
    carom_status status = scene_load_text((const char *)data, size, "fuzz", &limits, &scene, &error);
    if (status && (scene || !error.message[0] || strchr(error.message, '\n'))) abort();
    if (status) return 0;
    scene_validate_start(scene, &error);
    const char *text = carom_scene_text(scene);
    if (scene_load_text(text, strlen(text), "again", &limits, &again, &error)) abort();
    if (strcmp(text, carom_scene_text(again)) != 0) abort();
    carom_scene_destroy(again);
    carom_scene_destroy(scene);
    return 0;
}
