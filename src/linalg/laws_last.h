/* An order in which systems of bodies and laws fill in little (docs/theory/solver.md, (S23)). */
#ifndef CAROM_LAWS_LAST_H
#define CAROM_LAWS_LAST_H

typedef enum laws_last { LAWS_LAST, LAWS_LAST_FILLS_IN, LAWS_LAST_NO_MEMORY } laws_last;

/* The pivots of an n by n pattern whose rows and columns from first on are those of laws. Depends on nothing else. */
laws_last laws_last_order(int n, int first, const int *start, const int *index, int *order);

#endif
