/* Pages of the viewer, and the browser that shows them. */
#ifndef CAROM_PAGES_H
#define CAROM_PAGES_H

#include "viewer/viewer.h"

/* The page of results by their paths. */
carom_status page_write(const char *const *results, int count, const viewer_options *o, const char *page,
                        carom_error *error);
/* Shows it in the browser that the desktop chooses; where there is no screen, nothing is opened. */
void page_open(const char *page);

#endif
