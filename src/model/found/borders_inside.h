/* What the files of borders share: borders.c has lists and conditions, borders_polytopes.c those of polytopes with each
 * other, borders_round.c those of spheres and capsules, borders_rims.c those of cylinders with half spaces,
 * borders_cylinders.c those of cylinders with polytopes, borders_capsules.c those with spheres and capsules. */
#ifndef CAROM_BORDERS_INSIDE_H
#define CAROM_BORDERS_INSIDE_H

#include "borders.h"
#include "features_inside.h"

/* Contacts that push along one face, and those along another, take over from others at this part of a size from the
 * border (CF39). */
#define BORDERS_BAND 1e-10
/* Vertices nearer to a border than this part of a size may rest there. Then it is moved, by the smaller part, for what
 * parts the shapes (CF32). */
#define ON_BORDER 1e-9
#define IN_FAVOUR 1e-12

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
/* The least value of a convex function of a core along a line, by so many thirds. */
double borders_least_along(const line *l, const core *c, double (*value)(const core *c, const double x[3]), int steps);

/* The point of a rim that is the lowest along n; the sine of the angle between n and the axis, held above 1e-7. */
double borders_lowest(const core *c, int rim, const double n[3], double x[3]);

/* Where two faces of a polytope y are equally high (CF32): a vertex of x is to be where the first (side 1) or second
 * (-1) is higher, for a contact that pushes along the first (pushes 1) or second (-1). */
void borders_require_higher(listing *l, const border_solid *x, const border_solid *y, int vertex, int first, int second,
                            int side, int pushes);
/* The axis of x, a cylinder, is to be farther from the normal of a face of y than this sine (side 1), or nearer. A rim
 * that is tilted by less than BORDERS_TILT stands on points. */
#define BORDERS_TILT 1e-6
void borders_require_tilt(listing *l, const border_solid *x, const border_solid *y, int face, double sine, int side);
/* Of a rim that lies flat, the number of the k-th of BORDERS_POINTS points. */
enum { BORDERS_POINTS = 16 };
int borders_point(const core *c, int rim, int k);

void borders_of_polytopes(border_list *l, const border_solid *a, const border_solid *b);
/* x: a sphere or a capsule, against a polytope; a sphere against a cylinder. */
void borders_of_round(listing *l);
/* x: a cylinder, against a half space. */
/* Where the axis of x, a capsule, crosses an edge of y, a vertex of one is to lie ahead (1) of the crossing along its
 * own line, or behind. */
void borders_require_crossing(listing *l, bool of_axis, int vertex, int edge, int side);
/* Spheres and capsules with cylinders; and how far apart their cores are, or that they overlap, negative. */
void borders_of_capsule(listing *l);
double borders_capsule_gap(const core *capsule, const core *cylinder);
void borders_of_rims(listing *l);
/* A polytope and a cylinder. */
void borders_of_cylinder(border_list *l, const border_solid *polytope, const border_solid *cylinder, bool swapped);
/* Whether normals of their vertices and edges tell that they are apart by this, or overlap by less. */
bool borders_cylinder_parts(const core *polytope, const core *cylinder, double least);

#endif
