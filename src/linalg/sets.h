/* Disjoint sets of the numbers 0 to n - 1: of[i] leads to the one that stands for the set of i, which has of[i] = i. */
#ifndef CAROM_SETS_H
#define CAROM_SETS_H

static inline void sets_start(int *of, int n) {
    for (int i = 0; i < n; i++) of[i] = i;
}

/* Which set: the number that stands for it. Shortens the way there. */
static inline int set_of(int *of, int i) {
    while (of[i] != i) i = of[i] = of[of[i]];
    return i;
}

/* The set of i becomes part of that of j. */
static inline void sets_join(int *of, int i, int j) {
    of[set_of(of, i)] = set_of(of, j);
}

#endif
