/* What the files that find features share: features.c has round shapes, polytopes.c polytopes, cylinder.c cylinders,
 * rims.c the gaps of rims. */
#ifndef CAROM_FEATURES_INSIDE_H
#define CAROM_FEATURES_INSIDE_H

#include <math.h>

#include "features.h"
#include "model/space.h"

/* Edges more parallel than this (squared sine of the angle) meet at their ends alone (CF7). */
#define PARALLEL 1e-4
/* Faces are preferred to edges that are farther apart by no more than this part of a size, or by noise (CF6). */
#define PREFERENCE 1e-6
/* Edges that cross over a face part along its normal, to this cosine, 25 degrees, or support both shapes (CF8). */
#define NEAR_FACE 0.9
/* Points closer than this part of a size are one. */
#define SAME 1e-7

static inline void minus(const double a[3], const double b[3], double c[3]) {
    for (int i = 0; i < 3; i++) c[i] = a[i] - b[i];
}
static inline void along(const double a[3], double s, const double e[3], double c[3]) { /* a + s e */
    for (int i = 0; i < 3; i++) c[i] = a[i] + s * e[i];
}

typedef struct line {
    const double *start;
    double e[3], length;
} line;

static inline line line_between(const double *start, const double *end) {
    line l = {.start = start};
    minus(end, start, l.e);
    l.length = sqrt(space_dot(l.e, l.e));
    for (int i = 0; i < 3; i++) l.e[i] /= l.length;
    return l;
}

static inline line line_of(const core *c, int edge) {
    return line_between(c->vertex[c->edge[edge][0]], c->vertex[c->edge[edge][1]]);
}

/* The features of two shapes that have been found so far. */
typedef struct found {
    const core *a, *b;
    double margin, size, least; /* least: the smallest gap so far */
    double better;              /* by so much edges are farther apart than faces that they are preferred to */
    meeting *out;
    double gap[MEETINGS_MOST]; /* of out */
    int count;
} found;
void features_add(found *f, gap_kind kind, bool swapped, int first, int second);

/* How high x is over a face (CF4). */
static inline double face_height(const polytope_face *f, const double x[3]) {
    double w[3];
    minus(x, f->point, w);
    return space_dot(f->normal, w);
}

/* features.c: no point of the core lies beyond the plane through x across a direction; x over the face, seen along its
 * normal; where two lines are nearest, at s and t from their starts (false: they are parallel); whether one edge is a
 * side of a face. */
bool is_outward(const core *c, const double x[3], const double direction[3], double size);
bool is_inside_face(const core *c, const polytope_face *f, const double x[3], double slack);
bool lines_cross(const line *l, const line *k, double *s, double *t);
static inline bool is_side(const core *c, int face, int edge) {
    return c->side[edge][0] == face || c->side[edge][1] == face;
}

/* polytopes.c: both shapes are polytopes. */
void polytope_features(found *f, const core *a, const core *b);

/* cylinder.c: one of the shapes is a cylinder. */
void cylinder_features(found *f, const core *cylinder, const core *other);

/* rims.c: a rim as a circle; the gap of a meeting with one, and its normal. */
typedef struct circle {
    const double *centre, *axis; /* outward */
    double radius;
} circle;
static inline circle rim_of(const core *c, int rim) {
    return (circle){c->vertex[rim], c->face[rim].normal, c->rim};
}
double rim_gap(const core *first, const core *second, const meeting *m, double normal[3]);

/* crossings.c: an edge that crosses the cone about the end of a cylinder where it is as high over the end as beside the
 * side, into the cone (sign 1) or out of it, and one that crosses the side: gaps, and normals out of the cylinder. */
typedef struct rim_edge {
    int rim, sign;
    int flat;   /* 1, 2: the end lies on the first or the second face at the edge; 0: on neither */
    bool chord; /* both ends of the edge are beside the side */
} rim_edge;
static inline int rim_edge_number(const rim_edge *x) {
    return ((2 * x->rim + (x->sign > 0)) * 3 + x->flat) * 2 + x->chord;
}
static inline rim_edge rim_edge_of(int number) {
    return (rim_edge){number / 12, number / 6 % 2 ? 1 : -1, number / 2 % 3, number % 2};
}
double crossing_gap(const circle *o, const line *l, int sign, double n[3]);
double side_gap(const core *c, const line *l, double n[3]);
/* The end of an edge from which (CF44) finds the crossing without cancellation. */
int crossing_from(const core *edges, int edge, const double axis[3], int sign);

/* Where a line crosses a rim, seen along its axis on one of two sides (+1, -1), or, side 0, where it goes through its
 * plane (CF25): the place x, and the normal out of the cylinder across both. False: they are parallel there, or the
 * normal points into the cylinder. */
bool rim_crosses(const circle *o, const line *l, int side, double x[3], double normal[3]);
/* The same of two rims, each on one of its sides (CF26); the normal points out of the second. */
bool rims_cross(const circle *o, const circle *p, int side, int other, double x[3], double normal[3]);

/* supports.c: how far the first is from the second along n, which points from the second to the first; and along the
 * best direction, where they are apart. */
double supports_part(const core *first, const core *second, const double n[3]);
double supports_gap(const core *first, const core *second);

#endif
