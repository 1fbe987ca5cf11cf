/* A sweep as a picture: bifurcation diagram, basins of attraction, or what is kept over what is varied. */
#ifndef CAROM_SWEEP_PICTURE_H
#define CAROM_SWEEP_PICTURE_H

#include "sweep/merge.h"

/* Whether such a sweep has a picture: one that varies one thing, or two on a grid. */
carom_status sweep_picture_check(const sweep_question *q, bool random, const char *path, carom_error *error);
carom_status sweep_picture_draw(const sweep_question *q, const sweep_whole *w, const char *path, carom_error *error);

#endif
