/* What a node may be. */
#include "error.h"
#include "scene.h"
#include "vocabulary/vocabulary.h"

#include <string.h>

carom_status check_keys(const node *map, const char *what, const char *const *keys, int count, carom_error *error) {
    if (!map) return CAROM_OK;
    if (map->kind != NODE_MAP) return node_error(error, map, "%s must be a map", what);
    for (const node *entry = map->first; entry; entry = entry->next) {
        int i = 0;
        while (i < count && strcmp(entry->key->text, keys[i]) != 0) i++;
        if (i == count)
            return node_error_near(error, entry->key, entry->key->text, keys, count, "unknown key '%.80s' in %s",
                                   entry->key->text, what);
    }
    return CAROM_OK;
}

carom_status check_word(const node *map, const char *what, const char *family, const char *word, carom_error *error) {
    const char *keys[VOCABULARY_KEYS];
    int count = vocabulary_keys(family, word, keys);
    return check_keys(map, what, keys, count, error);
}

carom_status check_text(const node *text, const char *what, carom_error *error) {
    return text && text->kind != NODE_TEXT ? node_error(error, text, "%s must be a text", what) : CAROM_OK;
}
