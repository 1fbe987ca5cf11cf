/* Results as one page of HTML that shows their motion in a browser, by itself: no file beside it, no network. */
#ifndef CAROM_VIEWER_H
#define CAROM_VIEWER_H

#include "result/result.h"

typedef struct viewer_options {
    long frames; /* instants of each result at most; 0: as many as a browser opens at once */
    bool live;   /* a run is at work: the page reads itself again */
} viewer_options;

/* The page of one or several results, which are shown together. CAROM_DATA: a result has no rows, or this program was
 * built without three.js. */
carom_status viewer_write(result_reader *const *results, int count, const viewer_options *o, const char *path,
                          carom_error *error);

#endif
