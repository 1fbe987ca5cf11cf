/* Values of formulas of quantities while they are evaluated, and the functions that make them. */
#ifndef CAROM_VECTOR_H
#define CAROM_VECTOR_H

#include "model/formula/expr.h"

#include <stdbool.h>

/* One number; it goes with vectors of any length. */
typedef struct vector {
    long count;
    double *values; /* its own */
    bool events;    /* made of columns of events, so that its times are those of events */
} vector;

bool vector_create(vector *v, long count); /* false: out of memory */
void vector_destroy(vector *v);

enum { MOST_ARGUMENTS = 3 };

typedef struct call {
    vector in[MOST_ARGUMENTS];
    int count;
    vector t; /* times of in[0], where the function needs them */
    vector out;
    int blame;         /* the argument that is not right, */
    char message[160]; /* and why; empty: out of memory */
} call;

/* What a function does, of one, two or another number of arguments. */
typedef struct function {
    const char *name;
    op operation; /* applied entry by entry, as in the formulas of scenes; OP_NUMBER: none */
    double (*entry)(double x);
    double (*pair)(double x, double y);
    double (*whole)(const vector *v); /* of all entries: makes a number */
    bool (*other)(call *c);           /* false: see blame and message */
    int arguments;                    /* of other */
    bool some;                        /* whole: of at least one entry */
    bool timed;
} function;

const function *function_find(const char *name);       /* NULL: none */
const function *function_of_op(op operation);          /* of formulas in scenes */
const char *function_nearest(const char *name);        /* NULL: none is near */
bool function_takes(const function *f, int count);     /* so many arguments */
void function_arity(const function *f, char text[40]); /* "1 argument", "1 or 2 arguments" */

/* Makes out from in. The caller destroys both in any case. */
bool function_apply(const function *f, call *c);
/* Does a function applied entry by entry take this argument for each of the entries of the others? Length 1 goes with
 * any. */
bool entry_by_entry(const function *f, call *c);

#endif
