/* One page of HTML that shows the motion of results in a browser. It needs no other file and no network. */
#ifndef CAROM_VIEWER_H
#define CAROM_VIEWER_H

#include "result/result.h"

#include <stdio.h>

typedef struct viewer_options {
    long frames;  /* instants of each result at most; 0: as many as `numbers` allows */
    long numbers; /* numbers of each result, about; 0: as many as a browser opens at once */
    bool live;    /* a run is at work: the page reloads itself */
    bool drawn;   /* refuse results without a drawing, CAROM_DATA */
} viewer_options;

/* Writes the page of one or several results, which it shows together. CAROM_DATA: a result has no rows, or this program
 * was built without three.js. */
carom_status viewer_write(result_reader *const *results, int count, const viewer_options *o, const char *path,
                          carom_error *error);

/* The viewer in a page of something else. <div class="motion" data-clip="NAME"></div> becomes a button that shows this
 * clip there. The page holds each clip once and, behind all clips, the viewer. CAROM_DATA: the result has nothing to
 * draw; nothing was written. */
bool viewer_is_there(void); /* false: this program was built without three.js */
carom_status viewer_embed(FILE *out, carom_error *error);
carom_status viewer_embed_clip(FILE *out, result_reader *r, const char *name, carom_error *error);

#endif
