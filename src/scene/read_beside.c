/* Files that scenes name: tables, meshes. They are looked for beside the scene that names them. */
#include "error.h"
#include "names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 64 << 20 };

const char *names_path(names *n, const node *at, const char *file, size_t length) {
    const char *slash = at && at->line > 0 && file[0] != '/' ? strrchr(at->file, '/') : NULL;
    return slash ? arena_format(n->memory, "%.*s/%.*s", (int)(slash - at->file), at->file, (int)length, file)
                 : arena_text(n->memory, file, length);
}

char *names_read(names *n, const char *path, const char *what, size_t *bytes) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, room = 0;
    while (file && !ferror(file) && !feof(file) && size < MOST_BYTES) {
        if (size + 1 >= room) {
            char *more = realloc(text, room = 2 * room + 65536);
            if (!more) break;
            text = more;
        }
        size += fread(text + size, 1, room - size - 1, file);
    }
    const bool whole = file && feof(file) && !ferror(file);
    const char *reason = size >= MOST_BYTES ? "it is larger than 64 MiB" : strerror(errno);
    if (!whole) carom_error_at(n->error, CAROM_DATA, path, 0, 0, "cannot read the %s: %s", what, reason);
    if (file) fclose(file);
    if (whole) text[size] = 0;
    else n->reported = true, free(text), text = NULL;
    if (bytes) *bytes = size;
    return text;
}
