#include "pages.h"

#include "error.h"

#include <spawn.h>
#include <stdlib.h>

extern char **environ;

carom_status results_open(const char *const *paths, int count, result_set *set, carom_error *error) {
    *set = (result_set){.at = calloc((size_t)count + 1, sizeof *set->at)};
    carom_status status = set->at ? CAROM_OK : carom_error_memory(error);
    for (int i = 0; i < count && !status; i++)
        if (!(status = result_open(paths[i], &set->at[i], error))) set->count++;
    return status;
}

void results_close(result_set *set) {
    for (int i = 0; i < set->count; i++) result_close(set->at[i]);
    free(set->at);
}

carom_status page_write(const char *const *paths, int count, const viewer_options *o, const char *page,
                        carom_error *error) {
    result_set set;
    carom_status status = results_open(paths, count, &set, error);
    if (!status) status = viewer_write(set.at, set.count, o, page, error);
    results_close(&set);
    return status;
}

void page_open(const char *page) {
    char *const words[] = {"xdg-open", (char *)page, NULL};
    pid_t child;
    if (getenv("DISPLAY") || getenv("WAYLAND_DISPLAY")) posix_spawnp(&child, words[0], NULL, NULL, words, environ);
}
