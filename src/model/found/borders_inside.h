/* What the files of borders share: borders.c has lists and conditions, borders_polytopes.c those of polytopes with each
 * other, borders_round.c those of spheres and capsules, borders_rims.c those of cylinders with half spaces. */
#ifndef CAROM_BORDERS_INSIDE_H
#define CAROM_BORDERS_INSIDE_H

#include "borders.h"
#include "features_inside.h"

/* The features that are being listed: those of x against y; possible: no condition has been found that cannot hold. */
typedef struct listing {
    border_list *list;
    const border_solid *x, *y;
    bool swapped, possible;
    int from, from_border; /* where the present row begins */
} listing;

/* A row: its conditions, then its features, which are those of x and y in this order. */
void borders_begin_row(listing *l);
void borders_end_row(listing *l, gap_kind gap, int first, int second);

/* A vertex of x is to be on this side. If it cannot leave the one where it is, that decides. */
void borders_require(listing *l, const border_solid *x, const border_solid *y, border *b, int side);
void borders_require_plane(listing *l, const border_solid *x, const border_solid *y, int vertex, const double point[3],
                           const double direction[3], int side);

/* How far a vertex of x may move as seen from y. */
double borders_way(const border_solid *x, const border_solid *y, const double vertex[3]);
/* The value whose sign is the side of the border, and by how much it may change. */
double borders_value(const border_solid *x, const border_solid *y, const border *b, double *way);
double borders_height(const core *c, int face, const double x[3]);

void borders_of_polytopes(border_list *l, const border_solid *a, const border_solid *b);
/* x: a sphere or a capsule, against a polytope; a sphere against a cylinder. */
void borders_of_round(listing *l);
/* x: a cylinder, against a half space. */
void borders_of_rims(listing *l);

#endif
