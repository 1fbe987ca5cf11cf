/* The inside of a tape, for the files that compile and interpret it.
 *
 * A tape works on one array r = (constants, results, inputs, registers). The first two are copied from an image, in
 * which results that are constant are there already (numbers, then what is still); inputs are copied from their blocks,
 * results to their arrays.
 *
 * Sums, differences and products are all one instruction, r = a*b + c*d or r = a*b - c*d, with ones and zeros where an
 * operand is missing (both exact). It takes up products that only a sum needs, and, what counts more, leaves the
 * processor nothing to guess: the next instruction is nearly always the same one. */
#ifndef CAROM_TAPE_CODE_H
#define CAROM_TAPE_CODE_H

#include "tape.h"

#include <stdint.h>

/* Instructions are operations, and three more; numbers and symbols are no instructions, so their codes are free. */
enum { PLUS = OP_NUMBER, MINUS = OP_SYMBOL, SINCOS = OP_COUNT };
enum { ZERO, ONE, NUMBERS }; /* the first constants */

typedef struct instruction {
    uint32_t code;
    uint32_t to, a, b, c, d; /* SINCOS: sine to to, cosine to d; operations that switch: d is their switch */
} instruction;

/* The switch of an operation (switches.h) as its operand d: 0 for none, else 2 (j + 1), and 1 more where the argument
 * has the opposite sign. */
static inline int held_side(const instruction *i, const int *side) {
    int value = side[i->d / 2 - 1];
    return i->d % 2 ? -value : value;
}

typedef struct slice {
    int from, to, count; /* count doubles: block[from...] to r[to...] */
} slice;

typedef struct transfer {
    int array, from, to, count; /* the slice of a block or of a result that is not empty */
} transfer;

struct tape {
    instruction *code;
    double *image;
    int length, registers, image_size;
    slice input[TAPE_BLOCKS];
    slice result[TAPE_ARRAYS]; /* r[from...] to array[0...] */
    transfer in[TAPE_BLOCKS], out[TAPE_ARRAYS];
    int ins, outs;
    tape *setup;          /* computes the constants that depend on still symbols; NULL: there are none */
    int still_at, stills; /* the first of them in the image, and how many there are */
    int *still_result;    /* [still_results][2] constants that are results: from, to, in the image */
    int still_results;
    bool live;            /* some depend on inputs */
    const knots **tables; /* those of the graph; NULL: none */
};

/* One instruction that is neither PLUS nor MINUS, on the given sides of switches (NULL: by its operands). */
void tape_operate(const tape *t, const instruction *i, const int *side, double *r);

#endif
