/* What a scene looks like: bodies with their shapes, springs, distances as lines, beams as tubes, contacts with their
 * normals, joints with their axes, and what the scene adds under 'draw'. The places of all of them are numbers of (t,
 * q), computed together. */
#ifndef CAROM_DRAWING_H
#define CAROM_DRAWING_H

#include "model/element/body.h"
#include "model/element/shape.h"
#include "model/formula/tape.h"
#include "scene.h"

typedef enum drawn_kind {
    DRAWN_BODY,    /* its place: position, then the three axes; count shapes, in it. No shapes: a mark of any size. */
    DRAWN_LINE,    /* count points */
    DRAWN_TUBE,    /* count points, of a radius */
    DRAWN_POLYGON, /* count corners, in a plane */
    DRAWN_SPRING,  /* two ends, and the radius of its coils; 0: any */
    DRAWN_TEXT,    /* a point */
    DRAWN_PATH,    /* a point that leaves its path behind */
    DRAWN_CONTACT, /* the point, the normal, and the directions of friction: count vectors */
    DRAWN_JOINT    /* the point, and the axis; zero: it has none. Pages show it. */
} drawn_kind;

typedef struct drawn {
    drawn_kind kind;
    const char *name;
    int first; /* of its numbers */
    int count;
    body_kind body; /* of DRAWN_BODY */
    const shape *shape;
    double radius;
    bool ground;      /* part of the surroundings: grey, and lines are hatched to their right */
    bool alike;       /* has the colour of the thing before it */
    const char *text; /* of DRAWN_TEXT */
} drawn;

/* A drawing in the making. */
typedef struct drawing_parts {
    int things, thing_room;
    drawn *thing;
    int numbers, room;
    expr *number;
    bool lifted; /* something under 'draw' leaves the plane of x and y */
} drawing_parts;

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

/* Whether it is a thing that takes up space, or a mark about the motion. */
static inline bool drawn_is_matter(const drawn *thing) {
    return thing->kind != DRAWN_CONTACT && thing->kind != DRAWN_JOINT;
}

/* The number of its colour, where things before it have used *colours of them; -1: it is grey. */
int drawn_colour(const drawn *thing, int *colours);

void drawing_destroy(drawing *d);

#endif
