/* Which boxes along the axes overlap: a grid for every size, so that the cost grows with their number alone.
 * docs/theory/contacts.md, (CF10). */
#ifndef CAROM_GRID_H
#define CAROM_GRID_H

#include <stdbool.h>

typedef struct grid_box {
    double low[3], high[3];
} grid_box;

typedef struct grid_pair {
    int a, b; /* a < b */
} grid_pair;

typedef struct grid grid;
grid *grid_create(int boxes); /* NULL: out of memory */
void grid_destroy(grid *g);
/* All pairs of boxes that overlap, ascending; valid until the next call. -1: out of memory. */
int grid_pairs(grid *g, const grid_box *box, const grid_pair **pairs);

#endif
