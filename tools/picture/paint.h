/* A frame of a film as strokes in the plane of a view, from back to front. */
#ifndef CAROM_PAINT_H
#define CAROM_PAINT_H

#include "picture/film.h"
#include "picture/pen.h"
#include "picture/view.h"

typedef enum stroke_kind {
    STROKE_POLYGON,
    STROKE_CURVE,
    STROKE_HATCHED, /* a curve with hatching to its right */
    STROKE_TEXT,    /* about a point */
    STROKE_CIRCLE,
    STROKE_ARROW, /* two points */
    STROKE_GROUND /* a half plane, in flat views: a point of its border and a point behind that along the outer normal
                   */
} stroke_kind;

typedef enum layer { LAYER_PLANES, LAYER_TRAILS, LAYER_BODIES, LAYER_FORCES } layer;

typedef struct stroke {
    stroke_kind kind;
    layer layer;
    double depth;
    int order, first, count; /* its points */
    double radius;
    const char *text;
    ink ink;
} stroke;

typedef struct painting {
    int strokes, stroke_room, points, point_room;
    stroke *stroke;
    double (*xy)[2];
    bool failed; /* out of memory */
} painting;      /* set to {0} at first; may be used again */

/* met: the contacts of the frame that were found; force: length of the arrow for a force of 1, 0: no arrows */
void paint_frame(painting *p, film *f, const view *v, int frame, const found_contact *met, long count, double force);
/* Paths of the centres of mass: their places in all frames of a film, path[things][frames], in the view ... */
void paint_paths(film *trail, const view *v, double (*path)[2]);
/* ... of which those with trails are drawn up to the time t. */
void paint_trails(painting *p, const film *trail, const double (*path)[2], double t, bool bodies);
/* Whether a thing leaves a trail: a path always does, a body where that is asked for. */
bool leaves_trail(const drawn *thing, bool bodies);
/* Sorts the strokes from back to front. */
void paint_sort(painting *p);
void paint_free(painting *p);

/* The grid on planes in space: a round number. */
double paint_grid(const film *f);
/* 1, 2 or 5 times a power of ten, at most x. */
double round_step(double x);

#endif
