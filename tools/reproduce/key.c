#include "reproduce/key.h"

#include "error.h"
#include "hash.h"
#include "result/store.h"
#include "scene/document.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two hashes with different starts: 128 bits. */
typedef struct digest {
    uint64_t a, b;
} digest;

static digest digest_start(void) {
    return (digest){0xcbf29ce484222325u, 0x84222325cbf29ce4u};
}

static void digest_bytes(digest *d, const void *bytes, size_t size) {
    d->a = hash_bytes(d->a, bytes, size);
    d->b = hash_bytes(d->b, bytes, size);
}

/* Hashes the text with its end, so that "ab", "c" differs from "a", "bc". */
static void digest_text(digest *d, const char *text) {
    digest_bytes(d, text, strlen(text) + 1);
}

static void digest_name(const digest *d, char key[KEY_LENGTH + 1]) {
    snprintf(key, KEY_LENGTH + 1, "%016" PRIx64 "%016" PRIx64, d->a, d->b);
}

static carom_status digest_file(digest *d, const char *path, carom_error *error) {
    char bytes[1 << 16], reason[128];
    size_t n;
    FILE *file = fopen(path, "rb");
    if (!file) return carom_error_set(error, CAROM_FAILED, "%s: %s", path, store_reason(errno, reason, sizeof reason));
    while ((n = fread(bytes, 1, sizeof bytes, file)) > 0) digest_bytes(d, bytes, n);
    bool read = !ferror(file);
    fclose(file);
    return read ? CAROM_OK : carom_error_set(error, CAROM_FAILED, "%s cannot be read", path);
}

carom_status key_of_file(const char *path, char key[KEY_LENGTH + 1], carom_error *error) {
    digest d = digest_start();
    carom_status status = digest_file(&d, path, error);
    digest_name(&d, key);
    return status;
}

static carom_status digest_scene(digest *d, const char *path, carom_error *error) {
    arena memory = {0};
    node *tree = NULL;
    carom_status status = document_load(&memory, path, "scene", &tree, error);
    char *text = status ? NULL : yaml_emit(tree);
    if (!status && !text) status = carom_error_memory(error);
    if (text) digest_text(d, text);
    free(text);
    arena_release(&memory);
    return status;
}

/* The file that a word of a command names: a scene, or a recording that serves as reference. */
static carom_status digest_named(digest *d, const char *root, const char *word, carom_error *error) {
    const char *ending = strrchr(word, '.');
    char path[4096];
    snprintf(path, sizeof path, "%s%s%s", word[0] == '/' ? "" : root, word[0] == '/' ? "" : "/", word);
    if (ending && !strcmp(ending, ".yaml")) return digest_scene(d, path, error);
    if (ending && (!strcmp(ending, ".h5") || !strcmp(ending, ".csv"))) return digest_file(d, path, error);
    return CAROM_OK;
}

carom_status key_of_source(const char *root, const char *version, const source *s, char key[KEY_LENGTH + 1],
                           carom_error *error) {
    digest d = digest_start();
    carom_status status = CAROM_OK;
    digest_text(&d, version);
    digest_text(&d, s->may_fail ? "may fail" : "");
    for (int i = 0; i < s->word_count && !status; i++) {
        digest_text(&d, s->words[i]);
        status = digest_named(&d, root, s->words[i], error);
    }
    digest_name(&d, key);
    memcpy(key, version, KEY_VERSION);
    return status;
}
