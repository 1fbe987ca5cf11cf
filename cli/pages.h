/* Several results at once, and the pages that show them. */
#ifndef CAROM_PAGES_H
#define CAROM_PAGES_H

#include "viewer/viewer.h"

typedef struct result_set {
    result_reader **at;
    int count;
} result_set;

/* To be closed in any case. */
carom_status results_open(const char *const *paths, int count, result_set *set, carom_error *error);
void results_close(result_set *set);

/* The page of results by their paths. */
carom_status page_write(const char *const *paths, int count, const viewer_options *o, const char *page,
                        carom_error *error);
/* Shows it in the browser that the desktop chooses; where there is no screen, nothing is opened. */
void page_open(const char *page);

#endif
