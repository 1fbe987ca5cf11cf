/* Results as one page of HTML that shows their motion in a browser, by itself: no file beside it, no network. */
#ifndef CAROM_VIEWER_H
#define CAROM_VIEWER_H

#include "result/result.h"

#include <stdio.h>

typedef struct viewer_options {
    long frames;  /* instants of each result at most; 0: as many as the numbers allow */
    long numbers; /* of each result, about; 0: as many as a browser opens at once */
    bool live;    /* a run is at work: the page reads itself again */
    bool drawn;   /* results without a drawing are refused, CAROM_DATA */
} viewer_options;

/* The page of one or several results, which are shown together. CAROM_DATA: a result has no rows, or this program was
 * built without three.js. */
carom_status viewer_write(result_reader *const *results, int count, const viewer_options *o, const char *path,
                          carom_error *error);

/* The viewer in a page of something else: <div class="motion" data-clip="NAME"></div> gets a button that shows this
 * clip there. The page holds each clip, and once, behind all of them, the viewer. CAROM_DATA: the result has nothing to
 * draw; nothing was written. */
bool viewer_is_there(void); /* false: this program was built without three.js */
carom_status viewer_embed(FILE *out, carom_error *error);
carom_status viewer_embed_clip(FILE *out, result_reader *r, const char *name, carom_error *error);

#endif
