#include "viewer/viewer.h"

#include "error.h"
#include "picture/file.h"
#include "viewer/clip.h"
#include "viewer/packed.h"
#include "viewer/parts.h"

#include <string.h>

/* The rest of the page goes where these words stand. Without them the page is valid, too. */
static const char place_of_three[] = "@THREE@", place_of_clips[] = "@CLIPS@", place_of_viewer[] = "@VIEWER@";

/* Copies the page up to a word; *page moves behind it. */
static void copy_to(FILE *out, const char **page, const char *word) {
    const char *end = strstr(*page, word);
    fwrite(*page, 1, (size_t)(end - *page), out);
    *page = end + strlen(word);
}

static carom_status write_packed(FILE *out, const char *part, carom_error *error) {
    packed s;
    carom_status status = packed_open(&s, out, error);
    if (status) return status;
    packed_write(&s, part, strlen(part));
    packed_close(&s);
    return CAROM_OK;
}

static carom_status write_page(FILE *out, result_reader *const *results, int count, const viewer_options *o,
                               carom_error *error) {
    const char *page = viewer_page;
    copy_to(out, &page, place_of_three);
    carom_status status = write_packed(out, viewer_three, error);
    copy_to(out, &page, place_of_clips);
    for (int i = 0; i < count && !status; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i + 1);
        status = clip_write(out, results[i], o, name, error);
    }
    fputs(page, out);
    return status;
}

bool viewer_is_there(void) {
    return viewer_three[0];
}

carom_status viewer_write(result_reader *const *results, int count, const viewer_options *o, const char *path,
                          carom_error *error) {
    file f;
    if (!viewer_is_there())
        return carom_error_set(error, CAROM_DATA,
                               "this carom was built without the viewer: install three.js (libjs-three of Debian, or "
                               "cmake -DCAROM_THREE=three.min.js) and build it again");
    carom_status status = file_create(&f, path, error);
    if (status) return status;
    return file_finish(&f, write_page(f.out, results, count, o, error), error);
}

/* ---- in other pages */

carom_status viewer_embed(FILE *out, carom_error *error) {
    const char *page = viewer_guest;
    copy_to(out, &page, place_of_three);
    carom_status status = write_packed(out, viewer_three, error);
    copy_to(out, &page, place_of_viewer);
    if (!status) status = write_packed(out, viewer_page, error);
    fputs(page, out);
    return status;
}

/* A page of other things holds many clips, so each is small. */
carom_status viewer_embed_clip(FILE *out, result_reader *r, const char *name, carom_error *error) {
    const viewer_options o = {.numbers = 100000, .drawn = true};
    return clip_write(out, r, &o, name, error);
}
