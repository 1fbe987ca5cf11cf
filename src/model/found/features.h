/* Which features of two convex shapes may meet: vertices, edges and faces of their cores, in the world.
 * docs/theory/contacts.md, (CF2) to (CF8). */
#ifndef CAROM_FEATURES_H
#define CAROM_FEATURES_H

#include "core.h"

typedef enum gap_kind {
    GAP_POINTS,   /* vertex and vertex: |x - y| - R */
    GAP_LINE,     /* vertex and edge: its distance from the line - R */
    GAP_FACE,     /* vertex and face: n.(x - y) - R */
    GAP_LINES,    /* edge and edge: n.(x - y) - R, n across both */
    GAP_SEGMENT,  /* of round cores, vertex and edge: its distance from the edge, ends included, - R */
    GAP_SEGMENTS, /* of round cores, where two edges cross, ends included: the distance of these points - R */
    GAP_KINDS
} gap_kind;

/* Two features. The first is that of shape a, or, where swapped, of shape b; of a vertex and something else the vertex
 * is the first. */
typedef struct meeting {
    gap_kind kind;
    bool swapped;
    int first, second; /* their numbers in the cores */
} meeting;

enum { MEETINGS_MOST = 128 };

/* All pairs of features that can be the first to touch while nothing moves by more than half of the margin; at most
 * MEETINGS_MOST. */
int features_meet(const core *a, const core *b, double margin, meeting *out);

/* The gap of two features, and the unit vector from the second to the first along which they part. */
double meeting_gap(const core *a, const core *b, const meeting *m, double normal[3]);

/* The distance of two shapes, or how deep they overlap, negative: exact for overlaps of shapes with a radius that is
 * larger than the depth, of half spaces and of polytopes; for polytopes apart never more than the distance (CF6). */
double features_gap(const core *a, const core *b);

#endif
