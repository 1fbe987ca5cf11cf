/* Movies of results: the page of the viewer in a browser without a window, picture by picture, to ffmpeg or to files.
 */
#ifndef CAROM_VIEWER_MOVIE_H
#define CAROM_VIEWER_MOVIE_H

#include "result/result.h"

typedef struct movie {
    int width, height, rate; /* pixels; pictures per second */
    double speed;            /* seconds of the motion per second; 0: the whole motion in about ten seconds */
    double from, to;         /* a part of the time; -INFINITY, INFINITY: all */
    const char *view;        /* front, side, top, space; NULL: as the page chooses */
    const char *follow;      /* the name of a body; NULL: none */
    const char *plots;       /* "x;T,V,E": panels below the picture; NULL: none */
    bool dark;
} movie;

movie movie_default(void);
/* path ends with .mp4, .webm or .gif, or names a folder of PNG files, which is made. told, if not NULL, hears how far
 * it is. CAROM_DATA: chromium or ffmpeg is missing. */
typedef void (*movie_told)(void *context, long picture, long pictures);
carom_status movie_write(result_reader *const *results, int count, const movie *m, const char *path, movie_told told,
                         void *context, carom_error *error);

#endif
