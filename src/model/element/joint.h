/* Joints between two markers, each a frame fixed in a body: constraint rows, coordinates of what is left free, and what
 * a drive does. The axis of a marker is its third axis. docs/theory/elements.md, (DJ1) to (DJ10). */
#ifndef CAROM_JOINT_H
#define CAROM_JOINT_H

#include "pose.h"

typedef enum joint_kind {
    JOINT_REVOLUTE,
    JOINT_PRISMATIC,
    JOINT_CYLINDRICAL,
    JOINT_SPHERICAL,
    JOINT_UNIVERSAL, /* the axes of a and b are perpendicular */
    JOINT_FIXED,
    JOINT_DISTANCE, /* the origins of a and b keep their distance */
    JOINT_PLANAR,   /* b stays in the plane across the axis of a */
    JOINT_KINDS
} joint_kind;

extern const char *const joint_names[JOINT_KINDS + 1]; /* "revolute", ..., NULL */

/* What a joint leaves free and can be driven. */
typedef enum joint_freedom {
    JOINT_ANGLE,        /* of b about the axis of a */
    JOINT_CROSS_ANGLE,  /* universal: of the cross about the axis of a ... */
    JOINT_SECOND_ANGLE, /* ... and of b about its own axis */
    JOINT_DISPLACEMENT, /* of b along the axis of a */
    JOINT_LENGTH        /* distance of the origins */
} joint_freedom;

typedef struct joint {
    joint_kind kind;
    pose a, b;
    expr turn; /* JOINT_ANGLE itself where both bodies turn about one fixed axis, and so never wraps; or -1 */
} joint;

/* The rows g = 0 of all kinds but a distance (DJ1)-(DJ5), (DJ10). Returns how many. */
enum { JOINT_ROWS = 6 };
int joint_rows(graph *g, const joint *j, expr row[JOINT_ROWS]);
/* How many of them, the first ones, keep points together: their percussions are forces along unit vectors. */
int joint_forces(const joint *j);
/* What slides in a joint: along its axis, and on a journal or ball of the given radius, (L20). Returns how many. */
int joint_slips(graph *g, const joint *j, expr radius, expr slip[3]);
/* A distance: |d| = length (DJ6). */
expr joint_rod(graph *g, const joint *j, expr length);

/* offset is added; an angle in space is taken in (centre - pi, centre + pi) (DJ7). */
expr joint_coordinate(graph *g, const joint *j, joint_freedom f, expr offset, expr centre);
/* An angle in space over any number of turns: that within half a turn of the anchor (DJ7a). */
expr joint_counted(graph *g, const joint *j, joint_freedom f, expr offset, expr anchor);
expr joint_rate(graph *g, const joint *j, joint_freedom f);
/* The row that makes it follow a formula, for angles without wrapping (DJ8). */
expr joint_drive_row(graph *g, const joint *j, joint_freedom f, expr offset, expr formula);

/* A force along it, or a torque about it: on b at a point of b, the opposite on a at a point of a (DJ9). */
typedef struct joint_load {
    vec force, torque, at_a, at_b;
} joint_load;
joint_load joint_drive(graph *g, const joint *j, joint_freedom f, expr load);

#endif
