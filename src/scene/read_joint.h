/* A joint as it stands in a scene: its type, two bodies with a marker on each, and the coordinates between them. */
#ifndef CAROM_READ_JOINT_H
#define CAROM_READ_JOINT_H

#include "draft.h"
#include "model/element/joint.h"

/* What a joint leaves free, by type: its name, the name of what drives it, and what its other keys end with. */
typedef struct freedom {
    joint_freedom kind;
    const char *name, *load, *suffix;
} freedom;

enum { MOST_FREEDOMS = 2 };

typedef struct joint_type {
    bool axis, turns; /* needs an axis; is about how bodies are turned, which points are not */
    int count;
    freedom free[MOST_FREEDOMS];
} joint_type;

/* One coordinate of one joint. */
typedef struct coordinate {
    const freedom *of;
    expr offset, limit[2];
    bool limited;
    expr rest, value, rate; /* rest: -1 where there is none */
    int anchor;             /* coordinate of the model that counts its turns; -1: none does */
} coordinate;

typedef struct joint_entry {
    element from;
    int member[2];
    joint joint;
    const joint_type *type;
    coordinate free[MOST_FREEDOMS];
    int slack; /* the first of its slack coordinates, if it breaks */
} joint_entry;

/* Type and bodies, which are listed; j->from is given. Then the markers, the bodies being placed. The coordinates are
 * left to build_joints.c. */
carom_status read_joint(draft *d, joint_entry *j);
carom_status place_joint(draft *d, joint_entry *j);
bool joint_is_spatial(const draft *d, const joint_entry *j);

/* "spring" or "spring2"; NULL: out of memory */
const char *joint_key(draft *d, const char *key, const freedom *f);

#endif
