/* Which runs end in the same periodic motion, by the points of their sections. */
#ifndef CAROM_ATTRACTORS_H
#define CAROM_ATTRACTORS_H

#include <stdbool.h>

/* Points of all runs in their order. */
typedef struct sections {
    long runs;
    long *first;   /* [runs + 1] where the points of each begin */
    int size;      /* components of a point */
    double *point; /* [first[runs]][size] */
} sections;

/* cycle [runs]: after how many points they repeat, within tolerance times the range of all points; 0: not within the
 * later half of the points. attractor [runs]: runs with the same cycle have the same number, from 1, by the first of
 * them; 0: no cycle. There are at most MOST_ATTRACTORS numbers, NaN beyond. False: out of memory. */
enum { MOST_ATTRACTORS = 1000 };
bool attractors_find(const sections *s, double tolerance, double *cycle, double *attractor);

#endif
