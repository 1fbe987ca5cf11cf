/* What all pictures have in common: panels of one size in columns, their axes aligned, one style, written as a gnuplot
 * script with the points inline. All lengths are in pixels of a screen. */
#ifndef CAROM_CANVAS_H
#define CAROM_CANVAS_H

#include "carom/carom.h"

#include <stdio.h>

/* Okabe and Ito: told apart with any kind of colour vision. */
enum { COLOURS = 7 };
extern const char *const palette[COLOURS];
extern const double line_width;

typedef struct layout {
    int columns, rows;
    double width, height; /* of the axes of a panel */
    double top;           /* above the first row: title, legend */
    double between;       /* rows */
} layout;

typedef struct canvas {
    FILE *script;
    double height; /* of the page */
    double left;   /* of the axes: numbers and label; grows to what the panels need */
} canvas;

/* CAROM_DATA where the extension is not one of a picture. */
carom_status canvas_check(const char *path, carom_error *error);
/* The head of the script, which is open for reading and writing; path gives the format. */
canvas canvas_begin(FILE *script, const char *path, layout l, const char *title);
/* After each panel: removes its labels, the title among them, so that the next one does not repeat them. */
void canvas_next(canvas *c);
void canvas_end(canvas *c);

/* The terminal for a page without panels; width: a formula of gnuplot. Then the font of a label on such a page. */
void canvas_terminal(FILE *f, const char *path, const char *width, double height);
void canvas_font(FILE *f, const char *path, bool title);

/* In gnuplot's quotes, literally. */
void canvas_quote(FILE *f, const char *text);
/* Room for a number at the vertical axis. */
void canvas_fit(canvas *c, const char *number);

typedef struct range {
    double least, greatest;
    int digits; /* of the numbers at the axis */
} range;

/* Around the values, with some air on both sides (a part of the width). */
range range_of(double least, double greatest, double air);
/* A linear axis, 'x' or 'y'; the numbers of y get their room. */
void canvas_range(canvas *c, char axis, range r);

#endif
