/* A model put together from the instances of kinds: patterns of the model's matrices, and the places where the numbers
 * of every instance are added (docs/theory/formulas.md, (F27) and (F28)). */
#ifndef CAROM_ASSEMBLY_H
#define CAROM_ASSEMBLY_H

#include "functions.h"

/* A kind with its instances, compiled. */
typedef struct group {
    bool whole; /* the only kind, with one instance: it has the symbols, rows and places of the model */
    int count, nq, nu, ns, parameters;
    int *q, *u, *s;      /* [count][nq] and so on, in the model */
    size_t parameter_at; /* of the first instance, in the numbers of all instances */
    callback of[FUNCTIONS];
    int *place[FUNCTIONS][OUTPUTS]; /* [count][size] in the model */
} group;

typedef struct assembly {
    int size[FUNCTIONS][OUTPUTS]; /* numbers in every output of the model */
    carom_pattern pattern[FUNCTIONS][OUTPUTS];
} assembly;

/* Places for the numbers of instances, and the patterns, which live in the pool. The equations are those of the kinds,
 * with the rates of their own coordinates only. False: out of memory. */
bool assemble(const formula_def *def, const kinds *k, const equations *equations, group *groups, pool *memory,
              assembly *a);
/* The same for a model that is one kind with one instance. */
void assemble_whole(const equations *e, const callback of[FUNCTIONS], assembly *a);

void group_destroy(group *g);

#endif
