/* From where a scene is seen: parallel projection. */
#ifndef CAROM_VIEW_H
#define CAROM_VIEW_H

#include "scene/drawing.h"

typedef struct view {
    double axis[3][3];   /* to the right, up, towards the eye */
    const char *name[2]; /* names of the axes to the right and up, if these are axes of the world; else NULL */
    bool flat;           /* planar scene: outlines, in the order of the scene */
} view;

/* "front", "side", "top", "x,y,z" (the direction towards the eye), or NULL. */
carom_status view_read(view *v, const char *text, const drawing *d, carom_error *error);
void view_project(const view *v, const double x[3], double y[3]);

#endif
