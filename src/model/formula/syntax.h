/* What all formulas share, those of scenes and of recipes: characters, numbers, operators, how tightly they bind, and
 * how they are read. Their values are those of operations.h. */
#ifndef CAROM_SYNTAX_H
#define CAROM_SYNTAX_H

#include "model/formula/expr.h"

#include <locale.h>

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

/* The length of the number at the start of text, "1.5e-3"; 1..n is a range and begins with 1. 0: there is none. */
int number_length(const char *text);
/* The length of the word at the start of text; 0: there is none. */
int word_length(const char *text);
/* The function of a name that has a value for each of its arguments' values, "sin", "max"; OP_COUNT: none. */
op function_of(const char *name);

typedef struct parse_error {
    int offset; /* of the offending character in the text */
    char message[256];
} parse_error;

/* A formula while it is read. What numbers, names and operations become is a grammar's: its values are integers, such
 * as nodes of a graph or places on a stack; -1: failed. */
typedef struct formula_reader {
    const struct formula_grammar *grammar;
    const char *text;
    int at, depth; /* next character; parentheses, operators and calls around it */
    bool failed;
    parse_error *error; /* the first one */
    locale_t numbers;   /* the decimal point is a point */
} formula_reader;

typedef struct formula_grammar {
    int (*number)(formula_reader *r, double value);
    int (*name)(formula_reader *r); /* takes a variable or a call, which begins here */
    int (*operation)(formula_reader *r, op operation, const int operand[], int at); /* its sign stands at */
} formula_grammar;

/* Reads the whole text; false: *r->error says why not. The reader comes with grammar, text and error. */
bool read_whole(formula_reader *r, int *value);

/* ---- for grammars, and for readers of what contains formulas, between these two */
bool begin_reading(formula_reader *r);
bool end_reading(formula_reader *r); /* at the end of the text */

/* Operators from loose to tight. */
enum { OR_LEVEL = 1, AND_LEVEL, NOT_LEVEL, COMPARE_LEVEL, ADD_LEVEL, MUL_LEVEL, NEG_LEVEL, POW_LEVEL };
/* Everything that binds at least as tightly as level. */
int read_level(formula_reader *r, int level);

char next_character(formula_reader *r); /* after blanks, which it takes; 0 at the end */
/* Takes a token; one that is a word is not the beginning of another one. */
bool take_token(formula_reader *r, const char *token);
bool expect_token(formula_reader *r, const char *token); /* false: failed */

/* Fails with -1. The first error stays, since it is the cause. */
int fail_at(formula_reader *r, int offset, const char *format, ...) __attribute__((format(printf, 3, 4)));
int fail_expected(formula_reader *r, const char *what); /* here; says what is there instead */

#endif
