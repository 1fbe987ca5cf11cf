/* Branches of periodic motions as a parameter changes, and the points at which something happens to them
 * (docs/theory/sensitivity.md, (SE16)-(SE18)). */
#ifndef CAROM_BRANCH_H
#define CAROM_BRANCH_H

#include "derivative/orbit.h"

typedef enum branch_kind {
    BRANCH_PLAIN,
    BRANCH_FOLD,     /* the branch turns back */
    BRANCH_FLIP,     /* a multiplier passes -1: a motion of twice the period begins here */
    BRANCH_TORUS,    /* a pair of multipliers passes the unit circle (Neimark-Sacker) */
    BRANCH_CROSSING, /* two branches cross, as where a symmetry breaks */
    BRANCH_GRAZE,    /* a strike comes or goes */
    BRANCH_STICK,    /* a phase of stick comes or goes */
    BRANCH_ORDER,    /* the events change otherwise, or their order */
    BRANCH_END,      /* no solution was found beyond */
    BRANCH_KINDS
} branch_kind;
const char *branch_kind_name(branch_kind kind);

typedef struct branch_question {
    orbit_question orbit; /* its parameter is the one that changes */
    double from, to;
    double step;   /* longest, in parts of the way from one to the other; 0: 0.02 */
    int points;    /* at most, of a branch; 0: 500 */
    int doublings; /* how often in a row branches of twice the period are followed */
} branch_question;

typedef struct branch_point {
    int branch; /* from 0 */
    branch_kind kind;
    orbit_answer orbit;
    char note[200]; /* what comes or goes; why it ends */
} branch_point;

typedef struct branch_list {
    branch_point *point;
    int count, room, branches;
} branch_list;

/* A branch that ends within the range is no failure: its last point says why. */
carom_status branch_follow(const branch_question *q, branch_list *found, carom_error *error);
void branch_free(branch_list *found);

#endif
