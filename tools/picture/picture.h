/* Pictures of the motion of bodies, from a result alone: the scene that it holds says what to draw, its coordinates
 * say where. */
#ifndef CAROM_PICTURE_H
#define CAROM_PICTURE_H

#include "result/result.h"

/* Which of the recorded rows: one of these; an instant means the nearest row. */
typedef struct instants {
    long every;        /* every so many rows */
    double per_second; /* of the motion */
    int count;         /* evenly spaced, the first and the last among them */
    const char *times; /* "0.1,0.25" */
    const long *rows;  /* row_count of them, upwards */
    long row_count;
    const char *given; /* the option that says so, for complaints: "--at" */
} instants;

/* A series for ParaView: FOLDER/NAME.pvd with one file per instant for bodies, lines and contacts each. The folder is
 * made where it is missing. *written: instants. */
carom_status picture_vtk(result_reader *r, const char *folder, const char *name, const instants *when, int *written,
                         carom_error *error);

/* Panels of the mechanism at some instants. view: "front", "side", "top", "x,y,z" (from where it is seen) or NULL: the
 * plane where the motion is planar. Format by the extension of path: svg, png, pdf. */
typedef struct storyboard {
    instants when;
    const char *view;
    bool trails; /* of the centres of mass */
} storyboard;
carom_status picture_storyboard(result_reader *r, const char *path, const storyboard *s, carom_error *error);
/* A scene at its start, without a run: small, without a title. overrides: "key=value"; from: a view as above. */
carom_status picture_start(const char *scene, const char *const *overrides, int count, const char *path,
                           const char *from, carom_error *error);

#endif
