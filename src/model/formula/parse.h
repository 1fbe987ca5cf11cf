/* Formulas as typed in a paper:  m/2*(l_dot^2 + l^2*phi_dot^2),  sum(i=1..n, k/2*(x[i+1]-x[i])^2),
 * if(x > 0, x, -x).  Precedence, loosest first: or, and, not, comparison, + -, * /, unary -, ^ (right associative).
 * docs/guide/formulas.md is the reference. */
#ifndef CAROM_PARSE_H
#define CAROM_PARSE_H

#include "model/formula/syntax.h"

/* Value of a name, indices included: x[3] and x3 both arrive as "x3"; x[2,5] as "x2_5"; x_dot[3] and
 * x[3]_dot both as "x3_dot". t arrives as "t"; pi, functions and bound indices do not arrive.
 * table("file", x, "method") asks for "file"method, with a quote before each, and takes the number of the table.
 * Returns a node, or -1 with error->message filled ("undefined name 'foo', did you mean 'phi'?"). */
typedef expr (*parse_lookup)(void *context, const char *name, parse_error *error);

typedef struct parse_index { /* integer variables bound by families and sums, innermost first */
    const char *name;
    int value;
    const struct parse_index *next;
} parse_index;

/* Parses text into g. -1: error filled. Limits nesting depth (256), text length (64 KiB) and the size of what sums
 * expand to (a few million nodes), each with a message. */
expr parse_formula(graph *g, const char *text, parse_lookup lookup, void *context, const parse_index *indices,
                   parse_error *error);
/* The same with a budget for many formulas together: *values names and numbers may be met, every turn of a sum counted;
 * those met are taken off. */
expr parse_formula_within(graph *g, const char *text, parse_lookup lookup, void *context, const parse_index *indices,
                          int *values, parse_error *error);

/* "x[i=1..n]" -> name "x", index "i", bounds (formulas that must be integers). Plain names give an empty index;
 * "link[i=1..n].x" has the tail ".x". Bounds are evaluated with lookup. False: error filled. */
typedef struct parse_family {
    char name[128], index[64], tail[128];
    int first, last;
} parse_family;
bool parse_family_name(graph *g, const char *text, parse_lookup lookup, void *context, parse_family *family,
                       parse_error *error);

/* A legal name: letters, digits, underscore, not starting with a digit, not a function, "pi", "t" or a keyword. */
bool parse_is_name(const char *text, parse_error *error);

#endif
