/* One result in a page. */
#ifndef CAROM_VIEWER_CLIP_H
#define CAROM_VIEWER_CLIP_H

#include "viewer/viewer.h"

#include <stdio.h>

/* Two elements, its numbers and the description of them: <script id="numbers-1">, <script id="clip-1">. */
carom_status clip_write(FILE *out, result_reader *r, const viewer_options *o, int number, carom_error *error);

#endif
