/* A flat list of instructions that computes some expressions of a graph: constants and shared subexpressions once,
 * registers reused. Evaluation allocates nothing. */
#ifndef CAROM_TAPE_H
#define CAROM_TAPE_H

#include "expr.h"

typedef struct tape tape;

/* Symbols are read from consecutive blocks: block b holds symbols [first[b], first[b+1]). */
enum { TAPE_BLOCKS = 4 }; /* (t), q, u, w */
typedef struct tape_layout {
    int first[TAPE_BLOCKS + 1];
} tape_layout;

/* Results are written to several arrays. None may overlap a block or another one. */
enum { TAPE_ARRAYS = 4 };
typedef struct tape_array {
    const expr *values;
    int count;
} tape_array;

tape *tape_compile(graph *g, const tape_array *arrays, int count, const tape_layout *layout); /* NULL: out of memory */
void tape_destroy(tape *t);
int tape_registers(const tape *t); /* doubles of work space */
int tape_length(const tape *t);    /* instructions */
void tape_run(const tape *t, const double *const blocks[TAPE_BLOCKS], double *work, double *const arrays[TAPE_ARRAYS]);

#endif
