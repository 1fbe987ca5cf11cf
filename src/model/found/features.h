/* Which features of two convex shapes may meet: vertices, edges and faces of their cores, in the world.
 * docs/theory/contacts.md, (CF2) to (CF8), (CF21) to (CF28). */
#ifndef CAROM_FEATURES_H
#define CAROM_FEATURES_H

#include "core.h"

typedef enum gap_kind {
    GAP_POINTS,   /* vertex and vertex: |x - y| - R */
    GAP_LINE,     /* vertex and edge: its distance from the line - R */
    GAP_FACE,     /* vertex and face: n.(x - y) - R */
    GAP_LINES,    /* edge and edge: n.(x - y) - R, n across both */
    GAP_SEGMENT,  /* of round cores, vertex and edge: its distance from the edge, ends included, - R */
    GAP_SEGMENTS, /* of round cores, and of an axis and an edge or axis, where they cross, ends included: the distance
                     of these points - R */
    /* of rims: */
    GAP_RIM_FACE,  /* a rim and a face: its lowest point */
    GAP_RIM_POINT, /* a vertex with a radius and a rim: the distance - R */
    GAP_RIM_LINE,  /* a rim and an edge along its axis, nearly */
    GAP_RIM_CHORD, /* an edge and a rim, where they cross as seen along its axis; number: 2 rim + (0 or 1: the side) */
    GAP_RIM_PIERCED, /* an edge and a rim, where the edge goes through its plane */
    GAP_RIMS,        /* a rim and a rim, where their planes meet; numbers as of GAP_RIM_CHORD */
    GAP_RIM_EDGE, /* an edge and a rim, where it is as high over the end as beside the side (CF44); rim_edge_number */
    GAP_SIDE,     /* an edge or axis and the side of a cylinder that it crosses (CF45) */
    GAP_RIM_AXIS, /* an axis and a rim, where they are nearest (CF49); number: 2 rim + (0 or 1: which place) */
    /* no gaps, but borders: */
    GAP_CROSSING, /* how far a point of an edge is ahead of where it crosses another one, (CF38) */
    GAP_TILT,     /* how far an axis is from the normal of a face (CF40) */
    GAP_CONE,     /* how much higher a vertex is over the end of a cylinder than beside its side (CF43) */
    GAP_BESIDE,   /* the same of the point of an edge that is nearest to the axis (CF43) */
    GAP_LOWEST,   /* the lowest point of a rim over a face, beside a plane (CF46) */
    GAP_TURN,     /* where the normal of an edge and a rim points (CF47) */
    GAP_AHEAD,    /* how the distance of an end of an axis from a rim grows along the axis (CF52) */
    GAP_STEEP,    /* how far an axis is tilted against an end that it may lie on (CF53) */
    GAP_KINDS
} gap_kind;

/* The normal is that of a face of the second, and fixed in it. */
static inline bool gap_of_face(gap_kind kind) {
    return kind == GAP_FACE || kind == GAP_RIM_FACE;
}

/* The normal is across tangents that turn with what crosses: on one side of them (meeting_side). */
static inline bool gap_has_side(gap_kind kind) {
    return kind == GAP_RIM_CHORD || kind == GAP_RIM_PIERCED || kind == GAP_RIMS;
}

/* Two features. The first is that of shape a, or, where swapped, of shape b; of a vertex and something else the vertex
 * is the first. */
typedef struct meeting {
    gap_kind kind;
    bool swapped;
    int first, second; /* their numbers in the cores */
} meeting;

enum { MEETINGS_MOST = 128 };

/* All pairs of features that can be the first to touch while nothing moves by more than half of the margin; at most
 * MEETINGS_MOST. noise: what gaps of a pair may differ by, as a part of the smaller size, because steps accept it. */
int features_meet(const core *a, const core *b, double margin, double noise, meeting *out);

/* The radii of the features: those of their shapes, and of the side of a cylinder, whose edge is its axis, that of its
 * rim. */
void meeting_radii(const core *first, const core *second, gap_kind kind, double radius[2]);

/* The gap of two features, and the unit vector from the second to the first along which they part. */
double meeting_gap(const core *a, const core *b, const meeting *m, double normal[3]);

/* Of a rim and a face: the point of the rim that is the lowest now, and the face (CF22). */
meeting meeting_of_lowest(const core *a, const core *b, const meeting *m);
/* False: edges cross far beyond their ends, or are too parallel to tell where (CF20). */
bool meeting_is_exact(const core *a, const core *b, const meeting *m);

/* Of features that have one: +1 or -1 where the normal points along the tangent of the first x that of the second, or
 * against it. */
int meeting_side(const core *a, const core *b, const meeting *m);

/* The distance of two shapes, or how deep they overlap, negative: exact for overlaps of shapes with a radius that is
 * larger than the depth, of half spaces and of polytopes, and, where they are shallow, of cylinders; for polytopes and
 * cylinders apart never more than the distance (CF6), (CF28). */
double features_gap(const core *a, const core *b);
/* By how much the gaps of meetings may be above it where shapes touch along a line (CF42). */
double features_bend(const core *a, const core *b);
/* Whether it is at least so large. n: a direction from b to a that may show it, of length 1; NULL: none is known. */
bool features_part(const core *a, const core *b, const double *n, double bound);

#endif
