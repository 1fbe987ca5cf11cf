/* What the parts of blocked share: how its factors lie.
 *
 * Pivots come in blocks, (S24), those of a body or of the laws between two bodies. A row of blocks is one dense strip,
 *
 *     A'_IP ... | A'_II | V_IQ ...,     A'_IJ = A_IJ - sum_P A'_IP V_PJ,     V_IQ = A'_II^-1 A'_IQ,
 *
 * and the pattern says which blocks it holds. The three parts of a strip are as wide as whole registers, and filled up
 * with zeros. */
#ifndef CAROM_BLOCKED_INSIDE_H
#define CAROM_BLOCKED_INSIDE_H

#include "linalg/blocked.h"
#include "wide.h"

enum { LANES = 4 }; /* numbers in a register */

typedef struct blocked_law {
    int block, within;
} blocked_law;

/* The strip of block I begins at strip[I] of the factors. It holds the blocks row[I] to row[I + 1] - 1: block e is that
 * of the pivots of block column[e], and begins offset[e] numbers from the left; diagonal[I] is A'_II. */
struct blocked {
    int n, blocks;
    int *pivot, *begin;
    int *row, *diagonal, *strip, *width;
    int *column, *offset;
    int *start, *place; /* of A: where its rows begin, and where its entries go in their strip */
    int *at;            /* [blocks] where blocks of the present strip begin */
    double *factors, *inverse, *work;
    double *part; /* numbers by which a part of a strip is multiplied */
    int laws;     /* the first block of laws */
    int left_out; /* laws that depend on others: */
    blocked_law law[LINEAR_DEPENDENT];
    double products, entries;
};

/* Numbers that a register holds, wherever they lie. */
typedef double quad __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double))));
typedef double pair __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double))));

/* A block of a strip. */
typedef struct tile {
    double *a;
    int stride;
} tile;

static inline tile tile_of(const blocked *b, int I, int from) {
    return (tile){b->factors + b->strip[I] + from, b->width[I]};
}

static inline int size_of(const blocked *b, int block) {
    return b->begin[block + 1] - b->begin[block];
}

static inline int whole(int width) {
    return (width + LANES - 1) / LANES * LANES;
}

/* The parts of strip I: where they begin, and how wide they are. */
static inline int left_width(const blocked *b, int I) {
    return b->offset[b->diagonal[I]];
}
static inline int right_begin(const blocked *b, int I) {
    return left_width(b, I) + whole(size_of(b, I));
}
static inline int right_width(const blocked *b, int I) {
    return b->width[I] - right_begin(b, I);
}

/* The percussions, 1 at a law and 0 at those behind it, of which the laws before it feel nothing. */
void blocked_balance_before(const blocked *b, blocked_law of, double *y);

#endif
