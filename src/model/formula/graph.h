/* Inside of the graph, for the files that build it. */
#ifndef CAROM_GRAPH_H
#define CAROM_GRAPH_H

#include "expr.h"
#include <stddef.h>

typedef struct node {
    op operation;
    expr_rank rank; /* set by graph_node */
    union {
        expr child[3]; /* unused ones are -1; child[0] of a symbol is its number */
        double value;  /* of a number */
    };
} node;

const node *graph_at(const graph *g, expr e); /* valid until a node is built */
expr graph_node(graph *g, const node *n);     /* the node equal to n, made if there is none; -1: out of memory */
/* realloc(old, count * size) that remembers a failure */
void *graph_memory(graph *g, void *old, size_t count, size_t size);

#endif
