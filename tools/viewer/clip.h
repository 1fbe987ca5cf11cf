/* One result in a page. */
#ifndef CAROM_VIEWER_CLIP_H
#define CAROM_VIEWER_CLIP_H

#include "viewer/viewer.h"

#include <stdio.h>

/* Two elements, its numbers and the description of them: <script id="numbers-NAME">, <script id="clip-NAME">. Nothing
 * is written where the result is refused, CAROM_DATA. */
carom_status clip_write(FILE *out, result_reader *r, const viewer_options *o, const char *name, carom_error *error);

#endif
