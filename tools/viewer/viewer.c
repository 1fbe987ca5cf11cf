#include "viewer/viewer.h"

#include "error.h"
#include "picture/file.h"
#include "viewer/clip.h"
#include "viewer/packed.h"
#include "viewer/parts.h"

#include <string.h>

/* The page without these words is whole; they stand where the rest goes. */
static const char place_of_three[] = "@THREE@", place_of_clips[] = "@CLIPS@";

/* The page up to the place of a word; *page moves behind it. */
static void copy_to(FILE *out, const char **page, const char *word) {
    const char *end = strstr(*page, word);
    fwrite(*page, 1, (size_t)(end - *page), out);
    *page = end + strlen(word);
}

static carom_status write_three(FILE *out, carom_error *error) {
    packed s;
    carom_status status = packed_open(&s, out, error);
    if (status) return status;
    packed_write(&s, viewer_three, strlen(viewer_three));
    packed_close(&s);
    return CAROM_OK;
}

static carom_status write_page(FILE *out, result_reader *const *results, int count, const viewer_options *o,
                               carom_error *error) {
    const char *page = viewer_page;
    copy_to(out, &page, place_of_three);
    carom_status status = write_three(out, error);
    copy_to(out, &page, place_of_clips);
    for (int i = 0; i < count && !status; i++) status = clip_write(out, results[i], o, i + 1, error);
    fputs(page, out);
    return status;
}

carom_status viewer_write(result_reader *const *results, int count, const viewer_options *o, const char *path,
                          carom_error *error) {
    file f;
    if (!viewer_three[0])
        return carom_error_set(error, CAROM_DATA,
                               "this carom was built without the viewer: install three.js (libjs-three of Debian, or "
                               "cmake -DCAROM_THREE=three.min.js) and build it again");
    carom_status status = file_create(&f, path, error);
    if (status) return status;
    return file_finish(&f, write_page(f.out, results, count, o, error), error);
}
