#include "pages.h"

#include "error.h"

#include <spawn.h>
#include <stdlib.h>

extern char **environ;

carom_status page_write(const char *const *results, int count, const viewer_options *o, const char *page,
                        carom_error *error) {
    int opened = 0;
    result_reader **readers = calloc((size_t)count + 1, sizeof *readers);
    carom_status status = readers ? CAROM_OK : carom_error_memory(error);
    for (int i = 0; i < count && !status; i++)
        if (!(status = result_open(results[i], &readers[i], error))) opened++;
    if (!status) status = viewer_write(readers, count, o, page, error);
    for (int i = 0; i < opened; i++) result_close(readers[i]);
    free(readers);
    return status;
}

void page_open(const char *page) {
    char *const words[] = {"xdg-open", (char *)page, NULL};
    pid_t child;
    if (getenv("DISPLAY") || getenv("WAYLAND_DISPLAY")) posix_spawnp(&child, words[0], NULL, NULL, words, environ);
}
