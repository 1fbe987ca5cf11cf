/* Elements sorted into kinds (docs/theory/formulas.md, (F26) to (F29)). A kind is derived and compiled once, over the
 * coordinates and velocities of one element and its open numbers; its instances say which those are in the model.
 *
 * What has no KIND_LEAST instances, what has switches, and what comes from no element, is one kind with one instance.
 */
#ifndef CAROM_KINDS_H
#define CAROM_KINDS_H

#include "encode.h"
#include "model/pool.h"

enum { KIND_LEAST = 8 };

typedef struct kind_def {
    formula_def def;       /* formulas over local symbols, in a graph of its own */
    int parameters;        /* open numbers: the symbols after t, q, u and the factors of (M v)_q and (W r)_q */
    int owned;             /* local coordinates whose rates it gives */
    const int *own;        /* [owned] */
    int nc, ns, nd;        /* rows of c, s, and displacements */
    int count;             /* instances */
    const int *q, *u;      /* [count][nq], [count][nu] coordinates and velocities in the model */
    const int *c, *s, *d;  /* [count][nc], [count][ns], [count][nd] rows in the model */
    const expr *parameter; /* [count][parameters] numbers and expressions of parameters, in the graph of the model */
} kind_def;

typedef struct kinds {
    int count; /* 0: everything is one kind with one instance, the def as it is */
    kind_def *at;
    pool memory;
} kinds;

/* Destroy in any case. */
carom_status kinds_find(const formula_def *def, kinds *k, carom_error *error);
void kinds_destroy(kinds *k);

/* Sizes of a kind from the text of its elements, then its formulas. slot: what stands in the open places of the text,
 * in the graph of the kind. False: out of memory. */
void kind_measure(const encoding *text, kind_def *k);
bool kind_decode(const encoding *text, const expr *slot, pool *memory, kind_def *k);
/* The symbol of the first open number of a kind. */
int kind_first_parameter(const kind_def *k);

#endif
