/* What all formulas share, those of scenes and of recipes: characters, numbers, operators and how tightly they bind.
 * Their values are those of operations.h. */
#ifndef CAROM_SYNTAX_H
#define CAROM_SYNTAX_H

#include "model/formula/expr.h"

/* ASCII only, whatever the locale. */
static inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
static inline bool starts_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static inline bool in_name(char c) {
    return starts_name(c) || is_digit(c);
}

/* Blanks at the start of text. */
int blank_length(const char *text);
/* The number at the start of text, "1.5e-3"; 1..n is a range and begins with 1. 0: none. */
int number_length(const char *text);
/* The word at the start of text; 0: none. */
int word_length(const char *text);
/* Text begins with this token; a token that is a word is not the beginning of another one. */
bool begins_with(const char *text, const char *token);

/* Operators from loose to tight. A right operand is read at the level right. */
enum { OR_LEVEL = 1, AND_LEVEL, NOT_LEVEL, COMPARE_LEVEL, ADD_LEVEL, MUL_LEVEL, NEG_LEVEL, POW_LEVEL };
typedef struct operator_info {
    const char *text;
    int level, right;
    op operation;
    bool swapped, negated; /* a > b is b < a; a != b is not a == b */
} operator_info;

/* The operator between two operands at the start of text; NULL: none. */
const operator_info *operator_at(const char *text);
/* The function of a name that has a value for each of its arguments' values, "sin", "max"; OP_COUNT: none. */
op function_of(const char *name);

#endif
