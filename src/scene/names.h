/* The names of a scene: parameters, coordinates, velocities and definitions, in one table; and families of them. */
#ifndef CAROM_NAMES_H
#define CAROM_NAMES_H

#include "model/formula/parse.h"
#include "yaml.h"

typedef enum symbol_kind {
    SYMBOL_PARAMETER,  /* a constant formula */
    SYMBOL_INPUT,      /* set by a program, or a formula of time */
    SYMBOL_COORDINATE, /* q_id */
    SYMBOL_VELOCITY,   /* u_id: x_dot, or declared under 'velocities' */
    SYMBOL_RATE,       /* x_dot of a coordinate with a 'kinematics' formula */
    SYMBOL_DEFINITION, /* a formula under 'define' */
    SYMBOL_CONTACT     /* in a table of its own */
} symbol_kind;

typedef struct symbol {
    const char *name;
    symbol_kind kind;
    int id;                       /* of a coordinate, velocity or contact */
    const node *where;            /* the key that declares it */
    const node *formula;          /* of a parameter, rate or definition ... */
    parse_index index;            /* ... with the index of its family, if index.name */
    const char *unit, *rate_unit; /* NULL: unknown */
    enum { SYMBOL_UNKNOWN, SYMBOL_BEGUN, SYMBOL_KNOWN } state;
    expr value;           /* SYMBOL_KNOWN */
    bool waiting;         /* being settled: other symbols must be settled first */
    struct symbol *below; /* that waits for this one */
    struct symbol *next;  /* in order of declaration */
} symbol;

typedef struct table {
    symbol **slots; /* open addressing */
    int capacity, count;
    symbol *first, *last;
} table;

enum { NAMES_DEPTH = 16 }; /* definitions within definitions; each may nest 256 parentheses on the same stack */

/* Names that mean something in one formula only: 'length' in the law of a spring. */
typedef struct local_name {
    const char *name;
    expr value;
    const struct local_name *next;
} local_name;

typedef struct names {
    arena *memory;
    graph *g;
    table symbols;
    carom_error *error;
    int elements, values; /* of families and in formulas, still allowed */
    bool constant;        /* within a formula that may use only parameters */
    bool loose;           /* within numbers for pictures, in which parameters may change without a new scene */
    bool reported;        /* error is filled; the formulas around the wrong one add nothing */
    int depth;            /* of definitions within definitions */
    symbol *path[NAMES_DEPTH];
    symbol *deferred;         /* too deep: to be settled first */
    const node *reading;      /* the formula that is being parsed */
    struct csv_table *tables; /* read so far (read_table.c) */
    const local_name *local;  /* of the formula at depth 0, not of the definitions it uses */
} names;

/* Whether a name is recorded only where it is asked for. */
bool symbol_is_askable(const symbol *s);

/* The table of '"file"method' as a number, for the formula that is being parsed; -1: n->error or error is filled. */
expr names_table(names *n, const char *quoted, parse_error *error);

/* The path of a file that the text at a node names: relative to the scene that holds the text; for an override, which
 * has no line, relative to the working folder. NULL: out of memory. */
const char *names_path(names *n, const node *at, const char *file, size_t length);
/* All of a file, with a 0 behind it; to be freed. NULL: n->error is filled. what: "table". bytes may be NULL. */
char *names_read(names *n, const char *path, const char *what, size_t *bytes);

symbol *table_find(const table *t, const char *name);
/* NULL: out of memory. The name must be new. */
symbol *table_add(arena *memory, table *t, const char *name, symbol_kind kind, const node *where);

/* A quantity of every run, such as E? */
bool names_is_recorded(const char *name);
/* Declares a name that is legal and new; error filled otherwise. */
carom_status names_declare(names *n, const char *name, symbol_kind kind, const node *where, symbol **declared);
/* Parses the formulas of all parameters, rates and definitions declared so far, whatever order they depend on each
 * other in. */
carom_status names_settle(names *n);

/* A formula of the model, and one of parameters only; index may be NULL. */
carom_status names_formula(names *n, const node *text, const parse_index *index, expr *value);
/* A formula that knows names of its own, before those of the scene. */
carom_status names_formula_with(names *n, const node *text, const parse_index *index, const local_name *local,
                                expr *value);
/* A number that parameters may change: its formula, and its value now. */
carom_status names_constant(names *n, const node *text, const parse_index *index, expr *value_of, double *value);
/* A number that is part of the structure: parameters in it can no longer change. */
carom_status names_number(names *n, const node *text, const parse_index *index, double *value);

/* One entry of a map after families and lists are written out: "x[i=1..n]: f" gives x1..xn, a list under one name
 * "joint: [f, g]" gives joint1, joint2, and both together joint1_1, joint1_2, joint2_1, ... */
typedef struct element {
    const char *name;
    const node *key, *value;
    parse_index index;
} element;

/* The name of the k-th of several things that belong to an element: "beam4", and "beam2_4" in a family; NULL: out of
 * memory. */
const char *member_name(arena *memory, const element *e, int k);

typedef struct elements {
    element *at;
    int count, room;
} elements; /* starts as {0} */

/* Appends. what: "coordinates", for errors; map may be NULL (no elements); lists: a list is several formulas. */
carom_status names_expand(names *n, const node *map, const char *what, bool lists, elements *out);
carom_status names_expand_entry(names *n, const node *entry, bool lists, elements *out);

/* Whether the name differs from known ones only in one number: "b5.x" or "b.x" where "b1.x" to "b3.x" are known. Then
 * these are numbered low..high without a gap, and the number is at name[stem]. */
typedef struct relatives {
    int stem;
    long low, high;
} relatives;
bool names_relatives(const char *name, const char *const *known, int count, relatives *r);

#endif
