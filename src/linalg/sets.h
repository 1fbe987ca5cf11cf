/* Disjoint sets of the numbers 0 to n - 1. of[i] leads to the number that represents the set of i; for that number,
 * of[i] = i. */
#ifndef CAROM_SETS_H
#define CAROM_SETS_H

static inline void sets_start(int *of, int n) {
    for (int i = 0; i < n; i++) of[i] = i;
}

/* The number that represents the set of i. Shortens the way there. */
static inline int set_of(int *of, int i) {
    while (of[i] != i) i = of[i] = of[of[i]];
    return i;
}

/* Joins the set of i to that of j. */
static inline void sets_join(int *of, int i, int j) {
    of[set_of(of, i)] = set_of(of, j);
}

#endif
