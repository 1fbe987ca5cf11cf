/* Shapes of beams as expressions of parameters: lengths of elements between nodes, and shapes of constant strain
 * (docs/theory/elements.md, labels DB1...). */
#ifndef CAROM_BEAM_SHAPE_H
#define CAROM_BEAM_SHAPE_H

#include "beam.h"
#include "vec.h"

/* A node: its place and its quaternion. */
typedef struct beam_node {
    vec r;
    expr p[4];
} beam_node;

/* Turned by an angle about the third axis. */
beam_node beam_node_planar(graph *g, vec r, expr angle);

/* How the second node stands to the first. */
typedef struct beam_relation {
    expr e[4];     /* conj(p_1) p_2 */
    vec d;         /* x_2 - x_1 in the axes of the first */
    expr unturned; /* positive unless one node is turned by pi against the other: e_0 is not lost in rounding */
} beam_relation;
beam_relation beam_relate(graph *g, const beam_node *a, const beam_node *b);

/* The length of an element that is free of stress between nodes: that of the helix through both frames (DB9). */
expr beam_length(graph *g, const beam_relation *s);

/* The second node from the first and the strain, the inverse of (DB1); the quaternion keeps the norm of the first. */
beam_node beam_next(graph *g, expr length, const expr strain[6], const beam_node *first);
/* v and w that lead from one pose of a node to another in the given time: w by Cayley's map. Not defined where it is
 * turned by pi, and e_0 is zero. */
void beam_velocity(graph *g, const beam_node *from, const beam_node *to, expr time, expr u[6], expr *e0);

#endif
