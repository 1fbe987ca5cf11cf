/* Polygons, curves, circles and text on a page, in pixels from its upper left corner: as SVG, or by gnuplot as PNG and
 * PDF. */
#ifndef CAROM_PEN_H
#define CAROM_PEN_H

#include "picture/file.h"

enum { NO_COLOUR = -1 };

typedef struct ink {
    int fill, line; /* 0xRRGGBB */
    double width;   /* of the line */
} ink;

typedef enum text_style { TEXT_TITLE, TEXT_TIME, TEXT_X_TICK, TEXT_Y_TICK, TEXT_NOTE, TEXT_STYLES } text_style;
typedef enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END } anchor;

typedef struct pen {
    const char *path;
    FILE *out;
    file file;   /* SVG */
    bool script; /* of gnuplot */
    int objects;
} pen;

carom_status pen_open(pen *p, const char *path, double width, double height, carom_error *error);
/* status: so far. */
carom_status pen_close(pen *p, carom_status status, carom_error *error);

void pen_polygon(pen *p, const double (*xy)[2], int count, ink k);
void pen_curve(pen *p, const double (*xy)[2], int count, ink k);
void pen_circle(pen *p, double x, double y, double radius, ink k);
/* x, y: of its baseline */
void pen_text(pen *p, double x, double y, anchor a, text_style style, const char *text);
/* Groups what follows: a group of this class in SVG. */
void pen_begin(pen *p, const char *class, double t);
void pen_end(pen *p);

#endif
