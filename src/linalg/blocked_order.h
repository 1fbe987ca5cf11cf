/* An order in dense blocks in which systems of bodies and laws fill in little (docs/theory/solver.md, (S23)). */
#ifndef CAROM_BLOCKED_ORDER_H
#define CAROM_BLOCKED_ORDER_H

typedef enum blocked_result { BLOCKED, BLOCKED_DOES_NOT_PAY, BLOCKED_NO_MEMORY } blocked_result;

enum { BLOCK_MOST = 8 }; /* pivots of a block */

/* Rows and columns of an n by n pattern: balances, then updates of positions, from first on laws. Block b has the
 * pivots order[begin[b]] to order[begin[b + 1] - 1], room for n and n + 1 numbers. Depends on the pattern alone. */
blocked_result blocked_order(int n, int balances, int first, const int *start, const int *index, int *order, int *begin,
                             int *blocks);

#endif
