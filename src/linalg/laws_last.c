/* Without laws, unknowns depend on each other within a body only. So bodies come first, and leave W^T M^-1 W for the
 * laws, in which two of them meet where they act on the same body. Both parts have good pivots on their diagonals in
 * any order; each is ordered by minimum degree. */
#include "linalg/laws_last.h"

#include <stdbool.h>
#include <stdlib.h>

#include "linalg/linear.h"
#include "linalg/sets.h"

enum { FILL = 2 }; /* W^T M^-1 W may have so many times the entries of the whole system */

typedef struct graph {
    int n, first;
    const int *start, *index; /* the system */
    int *body;                /* [first] sets of unknowns that depend on each other without laws */
    int *begin, *law;         /* laws that act on a body b are law[begin[b]] to law[begin[b + 1] - 1] */
    int *mark;                /* [n] the last body or law that met this law */
    int *row, *column;        /* the pattern that is ordered */
    int most;                 /* entries of it */
    int *memory;
} graph;

static bool create(graph *g, int n, int first, const int *start, const int *index) {
    const size_t rows = (size_t)n + 2, entries = (size_t)start[n];
    *g = (graph){.n = n, .first = first, .start = start, .index = index, .most = FILL * start[n]};
    g->memory = malloc((4 * rows + (1 + FILL) * entries) * sizeof *g->memory);
    if (!g->memory) return false;
    g->body = g->memory, g->begin = g->body + rows, g->mark = g->begin + rows, g->row = g->mark + rows;
    g->law = g->row + rows, g->column = g->law + entries;
    return true;
}

static void find_bodies(graph *g) {
    sets_start(g->body, g->first);
    for (int i = 0; i < g->first; i++)
        for (int e = g->start[i]; e < g->start[i + 1]; e++)
            if (g->index[e] < g->first) sets_join(g->body, i, g->index[e]);
    for (int i = 0; i < g->first; i++) g->body[i] = set_of(g->body, i);
}

/* A law acts on a body through each of its balances; it is listed once for each. */
static void list_laws(graph *g) {
    for (int b = 0; b <= g->first + 1; b++) g->begin[b] = 0;
    for (int i = 0; i < g->first; i++)
        for (int e = g->start[i]; e < g->start[i + 1]; e++) g->begin[g->body[i] + 2] += g->index[e] >= g->first;
    for (int b = 0; b <= g->first; b++) g->begin[b + 1] += g->begin[b];
    for (int i = 0; i < g->first; i++)
        for (int e = g->start[i]; e < g->start[i + 1]; e++)
            if (g->index[e] >= g->first) g->law[g->begin[g->body[i] + 1]++] = g->index[e];
}

/* ---------------------------------------------------------------- the two parts */

static bool order_bodies(graph *g, int *order) {
    int entries = 0;
    for (int i = 0; i < g->first; i++) {
        g->row[i] = entries;
        for (int e = g->start[i]; e < g->start[i + 1]; e++)
            if (g->index[e] < g->first) g->column[entries++] = g->index[e];
    }
    g->row[g->first] = entries;
    return linear_order(g->first, g->row, g->column, order);
}

/* Row k of W^T M^-1 W. False: it has too many entries. */
static bool add_law(graph *g, int k, int *entries) {
    for (int e = g->start[k]; e < g->start[k + 1]; e++) {
        const int j = g->index[e], b = j < g->first ? g->body[j] : -1;
        for (int i = b < 0 ? 0 : g->begin[b]; b >= 0 && i < g->begin[b + 1]; i++) {
            const int l = g->law[i];
            if (g->mark[l] == k) continue;
            if (*entries == g->most) return false;
            g->mark[l] = k;
            g->column[(*entries)++] = l - g->first;
        }
    }
    return true;
}

static laws_last order_laws(graph *g, int *order) {
    int entries = 0;
    for (int k = 0; k < g->n; k++) g->mark[k] = -1;
    for (int k = g->first; k < g->n; k++) {
        g->row[k - g->first] = entries;
        if (!add_law(g, k, &entries)) return LAWS_LAST_FILLS_IN;
    }
    g->row[g->n - g->first] = entries;
    if (!linear_order(g->n - g->first, g->row, g->column, order)) return LAWS_LAST_NO_MEMORY;
    for (int k = 0; k < g->n - g->first; k++) order[k] += g->first;
    return LAWS_LAST;
}

laws_last laws_last_order(int n, int first, const int *start, const int *index, int *order) {
    graph g;
    if (!create(&g, n, first, start, index)) return LAWS_LAST_NO_MEMORY;
    find_bodies(&g);
    list_laws(&g);
    laws_last result = order_laws(&g, order + first);
    if (result == LAWS_LAST && !order_bodies(&g, order)) result = LAWS_LAST_NO_MEMORY;
    free(g.memory);
    return result;
}
