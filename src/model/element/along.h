/* Beams between their nodes: the natural cubic spline through them, and the place along it that is nearest to a post.
 * docs/theory/elements.md, (DA1) to (DA8). */
#ifndef CAROM_ALONG_H
#define CAROM_ALONG_H

#include "contact.h"

/* Weights of the nodes over s in [0, 1], which have the same knots: tables of the graph. */
typedef struct along {
    int nodes;         /* at least two */
    const int *weight; /* [nodes] numbers of tables */
    const pose *node;  /* [nodes] */
} along;

/* The table of the weight of node k: row[nodes + 1][KNOT_ROW]; room[4 * nodes] */
void along_weight(int nodes, int k, double *row, double *room);

/* The axis at s, which goes on straight beyond its ends; r and its derivative by s (DA1). */
typedef struct along_axis {
    vec r, slope;
} along_axis;
along_axis along_axis_at(graph *g, const along *a, expr s);

/* The cross-section at s, at an end where s is beyond it: its place and how it moves (DA2). It has the axes of the
 * world. */
pose along_section(graph *g, const along *a, expr s);

/* Half the squares of the distances from the post: of the axis at s, of the cross-section, of the nodes (DA3). */
typedef struct along_phi {
    expr axis, section;
    const expr *node; /* [nodes] */
} along_phi;

/* How s, this symbol, follows the nearest place: its rate, where the symbols 0, 1, ... have the given rates (DA5), and
 * what it is after a step (DA6). room: gradient[symbols]. -1: out of memory. */
expr along_rate(graph *g, const along_axis *axis, const along_phi *phi, int symbol, int symbols, const expr *rate,
                expr *gradient);
expr along_next(graph *g, const along *a, const along_axis *axis, const along_phi *phi, int symbol);
/* 1 where s is the nearest place, else 0 (DA7). */
expr along_known(graph *g, const along *a, const along_axis *axis, const along_phi *phi, int symbol);

#endif
