/* Contacts of features that change on the way: each of them counts while vertices are on given sides of borders, planes
 * (and tubes) that move with the other body. docs/theory/contacts.md, (CF31) to (CF36). */
#ifndef CAROM_BORDERS_H
#define CAROM_BORDERS_H

#include "features.h"
#include "kind.h"

/* A contact that begins to count with a gap below this part of a size, negative, is none (CF35). */
#define BORDERS_DEEP 1e-7

/* The side of a vertex of one solid is the sign of a gap to something that is fixed in the other: of kind GAP_FACE (a
 * plane), GAP_LINE (a tube about the axis), or GAP_CROSSING (where an edge at the vertex crosses another); or of what
 * the axis, the rim or the edge at the vertex does: GAP_TILT, and of kinds from GAP_CONE on. */
typedef struct border {
    int of, vertex, by;
    gap_kind kind;
    kind_numbers numbers;
} border;
bool border_same(const border *x, const border *y);

/* A contact counts while all of its vertices are on these sides: +1 or -1. */
typedef struct condition {
    int border, side;
} condition;

/* Features that may touch, and their conditions. */
typedef struct bordered {
    meeting features;
    int from, conditions;
} bordered;

typedef struct border_list {
    border *border;
    condition *condition;
    bordered *row;
    int borders, conditions, rows;
    int border_room, condition_room, row_room;
    bool exhausted; /* out of memory */
} border_list;
void borders_destroy(border_list *l);
void borders_clear(border_list *l);
/* Borders and conditions alike; rows are not looked at. */
bool borders_same(const border_list *x, const border_list *y);
/* A copy of borders and conditions, into an empty list. False: out of memory. */
bool borders_copy(border_list *to, const border_list *from);

/* A solid of a pair: where it is, and how far its body may move from there, (CF12). */
typedef struct border_solid {
    int number;
    const core *own, *placed; /* in the body, and in the world */
    const core_pose *at;
    double allowed, arm;
} border_solid;

/* Whether the features of two shapes change so: polytopes, points, spheres and capsules with polytopes, spheres,
 * capsules, polytopes and half spaces with cylinders. */
bool borders_apply(const core *a, const core *b);
/* Adds all features that can touch while the bodies move no farther than allowed, and their conditions, to the list. */
void borders_meet(border_list *l, const border_solid *a, const border_solid *b);
/* Of two edges of polytopes: the unit vector across both, from the second to the first where they meet (CF34). False:
 * they are parallel. */
bool borders_normal(const core *a, const core *b, const meeting *m, double normal[3]);
/* Whether two such shapes overlap deeper than that. */
bool borders_overlap(const core *a, const core *b, double depth);

#endif
