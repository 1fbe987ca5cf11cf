/* The expression graph: hash-consed, so equal subexpressions are one node. Children have smaller ids than their
 * parents, so a loop over ids is a topological order; nothing here recurses over an expression. */
#ifndef CAROM_EXPR_H
#define CAROM_EXPR_H

#include "knots.h"
#include "operations.h"
#include <stdbool.h>

typedef int expr; /* a node id; negative: out of memory (poisons what is built on it) */
typedef struct graph graph;

/* OP_ADD, OP_SIN, ... as listed in operations.h. Comparisons and logic give 0 or 1. if(c, a, b) takes a where c is not
 * zero. */
#define X(name, arity, text, value) OP_##name,
typedef enum op { OP_NUMBER, OP_SYMBOL, OPERATIONS(X) OP_COUNT } op;
#undef X

int op_arity(op operation);
const char *op_name(op operation); /* as a function in formulas; "" for what is not one */
double op_value(op operation, double a, double b, double c);

/* Still symbols stand for values that do not change while time passes: parameters, and inputs, which a program sets
 * between steps. The rank of an expression is that of the symbol in it that changes most. */
typedef enum expr_rank { RANK_MOVING, RANK_INPUT, RANK_PARAMETER, RANK_NUMBER } expr_rank;

graph *graph_create(void);
void graph_destroy(graph *g);
int graph_size(const graph *g); /* number of nodes */
/* The graph was refused memory: what was made with it may be incomplete. */
bool graph_exhausted(const graph *g);

/* The nodes below the roots, each once, children before parents; NULL: out of memory. Valid until the graph is walked
 * again (by this or any query, derivative or substitution); building expressions is allowed meanwhile. */
const expr *graph_order(graph *g, const expr *roots, int count, int *length);
int graph_place(const graph *g, expr e); /* position in the order of the last walk, -1: not in it */

/* Tables, by the numbers that they get here; borrowed by the graph and by tapes. False: out of memory. */
bool graph_add_table(graph *g, const knots *table, int *number);
const knots *const *graph_tables(const graph *g, int *count);
/* The value of a table at x; it switches from interval to interval (F24). */
expr expr_table(graph *g, int table, expr x);
/* Its parts, for tables that share their knots: the interval n of x, and a number of interval n (knots.h). */
expr expr_interval(graph *g, int table, expr x);
expr expr_entry_of(graph *g, int table, expr n, int column);

/* The operation e (a comparison, min, max, floor ...) is no switch (switches.h): an element decides by it where nothing
 * happens to the motion, as by the end of a capsule that is nearest. Returns e. */
expr graph_exempt(graph *g, expr e);
const expr *graph_exempted(const graph *g, int *count);

/* Give at most one argument of a call, and one member of an initialiser, an expression that builds nodes: C leaves
 * their order open, and with it the order of nodes, of sums and the last bits of results (robustness/compilers).
 *
 * Building simplifies: constants folded, 0 and 1 absorbed, numbers and signs gathered in front of products, x - x, --x,
 * small integer powers. No finite value changes by more than rounding (docs/theory/formulas.md). */
expr expr_number(graph *g, double value);
expr expr_symbol(graph *g, int symbol); /* symbol: any number >= 0 chosen by the caller */
/* A new still symbol: of rank RANK_PARAMETER or RANK_INPUT, with its value at first; the name is borrowed. */
expr expr_still_symbol(graph *g, expr_rank rank, const char *name, double value);
expr expr_unary(graph *g, op operation, expr a);
expr expr_binary(graph *g, op operation, expr a, expr b);
expr expr_if(graph *g, expr condition, expr a, expr b);
expr expr_foot(graph *g, expr k, expr j, expr P);            /* foot.h */
expr expr_build(graph *g, op operation, const expr child[]); /* any of those above */

static inline expr expr_add(graph *g, expr a, expr b) {
    return expr_binary(g, OP_ADD, a, b);
}
static inline expr expr_sub(graph *g, expr a, expr b) {
    return expr_binary(g, OP_SUB, a, b);
}
static inline expr expr_mul(graph *g, expr a, expr b) {
    return expr_binary(g, OP_MUL, a, b);
}
static inline expr expr_div(graph *g, expr a, expr b) {
    return expr_binary(g, OP_DIV, a, b);
}
static inline expr expr_neg(graph *g, expr a) {
    return expr_unary(g, OP_NEG, a);
}
static inline expr expr_scale(graph *g, double factor, expr a) {
    return expr_mul(g, expr_number(g, factor), a);
}

/* e, and 1 where e is 0: e + (e == 0). For quotients x/e whose x is 0 there, too. */
expr expr_not_zero(graph *g, expr e);

op expr_op(const graph *g, expr e);
expr expr_child(const graph *g, expr e, int i);
expr_rank expr_rank_of(const graph *g, expr e);
bool expr_is_number(const graph *g, expr e, double *value);
bool expr_equals(const graph *g, expr e, double value);      /* e is this very number */
int expr_symbol_of(const graph *g, expr e);                  /* -1: not a symbol */
double expr_coefficient(const graph *g, expr e, expr *rest); /* e = coefficient * rest */

/* Still symbols, in the order in which they were made, have the numbers from STILL_SYMBOLS on. */
enum { STILL_SYMBOLS = 1 << 28 };
int graph_stills(const graph *g);
const double *graph_still_values(const graph *g); /* [graph_stills] */
const char *graph_still_name(const graph *g, int i);
/* The still symbol that e is, if it has this name: a parameter may be another one by its formula. -1: it is none. */
int graph_still_called(const graph *g, expr e, const char *name);
expr_rank graph_still_rank(const graph *g, int i);
/* The value of an expression of numbers and parameters. The parameters in it cannot change after that, since the
 * structure depends on them. False: it depends on something else. */
bool expr_fix(graph *g, expr e, double *value);
/* From now on values are fixed because of reason; and the reason for which the value of symbol i was fixed first, NULL:
 * it is not fixed. */
const void *graph_fix_for(graph *g, const void *what); /* returns the reason until now */
const void *graph_still_fixed(const graph *g, int i);

/* The symbols e depends on, ascending; returns how many (at most max are written). */
int expr_support(graph *g, expr e, int *symbols, int max);
bool expr_depends(graph *g, expr e, int first_symbol, int last_symbol);

/* Symbolic derivatives (docs/theory/formulas.md). They are nodes of the same graph. */
expr expr_derivative(graph *g, expr e, int symbol);
/* One reverse sweep: gradient[i] = de/d(first_symbol + i), i < count. False: out of memory. */
bool expr_gradient(graph *g, expr e, int first_symbol, int count, expr *gradient);
/* The same, only what is not identically zero, ascending; at a cost that does not depend on count. Returns the number
 * of entries (at most the smaller of count and the symbols of e), -1: out of memory. */
typedef struct expr_entry {
    int index; /* i */
    expr value;
} expr_entry;
int expr_gradient_sparse(graph *g, expr e, int first_symbol, int count, expr_entry *entries);
/* Replace symbols [first, first + count) by given expressions. */
expr expr_substitute(graph *g, expr e, int first, int count, const expr *by);

/* Slow, recursion-free evaluation for constants and tests; values[symbol], of still symbols their values at first. */
double expr_value(graph *g, expr e, const double *values);

#endif
