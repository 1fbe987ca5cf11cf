/* What a scene looks like: bodies with their shapes, springs and distances as lines, beams as tubes, contacts with
 * their normals. The places of all of them are numbers of (t, q), computed together. */
#ifndef CAROM_DRAWING_H
#define CAROM_DRAWING_H

#include "model/element/body.h"
#include "model/element/shape.h"
#include "model/formula/tape.h"
#include "scene.h"

typedef enum drawn_kind {
    DRAWN_BODY,   /* its place: position, then the three axes; count shapes, in it. No shapes: a mark of any size. */
    DRAWN_LINE,   /* count points */
    DRAWN_TUBE,   /* count points, of a radius */
    DRAWN_CONTACT /* the point, the normal, and the directions of friction: count vectors */
} drawn_kind;

typedef struct drawn {
    drawn_kind kind;
    const char *name;
    int first; /* of its numbers */
    int count;
    body_kind body; /* of DRAWN_BODY */
    const shape *shape;
    double radius;
} drawn;

/* A drawing in the making. */
typedef struct sketch {
    int things, thing_room;
    drawn *thing;
    int numbers, room;
    expr *number;
} sketch;

struct drawing {
    int things;
    const drawn *thing;
    int numbers;
    bool planar; /* everything stays in the plane of x and y */
    int up;      /* the axis against gravity: 1 or 2 */
    tape *tape;
    double *work;
};

enum { DRAWN_PLACE = 12, DRAWN_DIRECTIONS = 4 };

void drawing_destroy(drawing *d);

#endif
