/* Values of formulas of quantities while they are evaluated, and the functions that make them. */
#ifndef CAROM_VECTOR_H
#define CAROM_VECTOR_H

#include <stdbool.h>

/* One entry: a number, which fits to any length. */
typedef struct vector {
    long count;
    double *values; /* its own */
    bool events;    /* made of columns of events: its times are theirs */
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
    double (*entry)(double x);
    double (*pair)(double x, double y);
    double (*whole)(const vector *v); /* all entries: a number */
    bool (*other)(call *c);           /* false: see blame and message */
    int arguments;                    /* of other */
    bool some;                        /* whole: of at least one entry */
    bool timed;
} function;

const function *function_find(const char *name);       /* NULL: none */
const char *function_nearest(const char *name);        /* NULL: none is near */
bool function_takes(const function *f, int count);     /* so many arguments */
void function_arity(const function *f, char text[40]); /* "1 argument", "1 or 2 arguments" */

/* out from in; the caller destroys both in any case. */
bool function_apply(const function *f, call *c);
/* out = pair(x, y) of in[0] and in[1], entry by entry. */
bool entry_by_entry(double (*pair)(double x, double y), call *c);

#endif
