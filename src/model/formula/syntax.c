#include "model/formula/syntax.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 256, LENGTH_MAX = 64 * 1024 };

/* ---------------------------------------------------------------- characters */

static int digits_length(const char *text) {
    int n = 0;
    while (is_digit(text[n])) n++;
    return n;
}

int number_length(const char *text) {
    int n = digits_length(text);
    if (n == 0 && !(text[0] == '.' && is_digit(text[1]))) return 0;
    if (text[n] == '.' && text[n + 1] != '.') n += 1 + digits_length(text + n + 1);
    if (text[n] == 'e' || text[n] == 'E') {
        int exponent = n + 1 + (text[n + 1] == '+' || text[n + 1] == '-'), digits = digits_length(text + exponent);
        if (digits > 0) n = exponent + digits;
    }
    return n;
}

int word_length(const char *text) {
    int n = 0;
    if (starts_name(text[0]))
        while (in_name(text[n])) n++;
    return n;
}

char next_character(formula_reader *r) {
    const char *text = r->text;
    while (text[r->at] == ' ' || (text[r->at] >= '\t' && text[r->at] <= '\r')) r->at++;
    return text[r->at];
}

static bool begins_with(const char *text, const char *token) {
    size_t n = strlen(token);
    return strncmp(text, token, n) == 0 && (!starts_name(token[0]) || !in_name(text[n]));
}

bool take_token(formula_reader *r, const char *token) {
    next_character(r);
    if (!begins_with(r->text + r->at, token)) return false;
    r->at += (int)strlen(token);
    return true;
}

/* ---------------------------------------------------------------- errors */

/* Reading recurses, so these functions have no buffers. */
#define OFF_STACK __attribute__((noinline))

int fail_at(formula_reader *r, int offset, const char *format, ...) {
    if (r->failed) return -1;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->error->message, sizeof r->error->message, format, arguments);
    va_end(arguments);
    r->error->offset = offset;
    r->failed = true;
    return -1;
}

OFF_STACK int fail_expected(formula_reader *r, const char *what) {
    char c = next_character(r), text[64];
    int n = word_length(r->text + r->at);
    if (c == 0) snprintf(text, sizeof text, "the end");
    else if (n > 0) snprintf(text, sizeof text, "'%.*s'", n < 40 ? n : 40, r->text + r->at);
    else if (c > ' ' && c < 127) snprintf(text, sizeof text, "'%c'", c);
    else snprintf(text, sizeof text, "a character that formulas do not use (byte %d)", (unsigned char)c);
    return fail_at(r, r->at, "expected %s, found %s", what, text);
}

OFF_STACK bool expect_token(formula_reader *r, const char *token) {
    if (r->failed || take_token(r, token)) return !r->failed;
    char quoted[8];
    snprintf(quoted, sizeof quoted, "'%s'", token);
    fail_expected(r, quoted);
    return false;
}

/* ---------------------------------------------------------------- operators */

typedef struct operator_info {
    const char *text;
    int level, right; /* a right operand is read at the level right */
    op operation;
    bool swapped, negated; /* a > b is b < a; a != b is not a == b */
} operator_info;

static const operator_info operators[] = {
    /* longer ones before their beginnings */
    {"or", OR_LEVEL, AND_LEVEL, OP_OR, false, false},      {"and", AND_LEVEL, NOT_LEVEL, OP_AND, false, false},
    {"<=", COMPARE_LEVEL, ADD_LEVEL, OP_LE, false, false}, {">=", COMPARE_LEVEL, ADD_LEVEL, OP_LE, true, false},
    {"==", COMPARE_LEVEL, ADD_LEVEL, OP_EQ, false, false}, {"!=", COMPARE_LEVEL, ADD_LEVEL, OP_EQ, false, true},
    {"<", COMPARE_LEVEL, ADD_LEVEL, OP_LT, false, false},  {">", COMPARE_LEVEL, ADD_LEVEL, OP_LT, true, false},
    {"+", ADD_LEVEL, MUL_LEVEL, OP_ADD, false, false},     {"-", ADD_LEVEL, MUL_LEVEL, OP_SUB, false, false},
    {"*", MUL_LEVEL, NEG_LEVEL, OP_MUL, false, false},     {"/", MUL_LEVEL, NEG_LEVEL, OP_DIV, false, false},
    {"^", POW_LEVEL, POW_LEVEL, OP_POW, false, false},
};

/* NULL: none between two operands here. */
static const operator_info *next_operator(formula_reader *r) {
    next_character(r);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (begins_with(r->text + r->at, operators[i].text)) return &operators[i];
    return NULL;
}

static const operator_info *take_operator(formula_reader *r, int level) {
    const operator_info *o = next_operator(r);
    if (!o || o->level < level) return NULL;
    r->at += (int)strlen(o->text);
    return o;
}

op function_of(const char *name) {
    for (int i = 0; i < OP_COUNT; i++)
        if (*op_name((op)i) && strcmp(op_name((op)i), name) == 0) return (op)i;
    return OP_COUNT;
}

/* ---------------------------------------------------------------- reading */

static int number(formula_reader *r) {
    const char *s = r->text;
    int start = r->at, n = start + number_length(s + start);
    double value = strtod_l(s + start, NULL, r->numbers);
    r->at = n;
    if (isinf(value))
        return fail_at(r, start, "the number %.*s is too large", n - start < 60 ? n - start : 60, s + start);
    if (starts_name(s[n])) return fail_at(r, n, "expected an operator after the number (write * for a product)");
    return r->grammar->number(r, value);
}

static int value(formula_reader *r) {
    char c = next_character(r);
    if (number_length(r->text + r->at) > 0) return number(r);
    if (starts_name(c) && !next_operator(r)) return r->grammar->name(r);
    if (!take_token(r, "(")) return fail_expected(r, "a number or a name");
    int inner = read_level(r, OR_LEVEL);
    return expect_token(r, ")") ? inner : -1;
}

static int apply(formula_reader *r, op operation, int a, int b, int at) {
    return r->failed ? -1 : r->grammar->operation(r, operation, (const int[]){a, b}, at);
}

static int operand(formula_reader *r, int level) {
    next_character(r);
    int at = r->at;
    if (take_token(r, "not")) {
        if (level > NOT_LEVEL) return fail_at(r, at, "put 'not' and what it negates in parentheses");
        return apply(r, OP_NOT, read_level(r, NOT_LEVEL), -1, at);
    }
    if (take_token(r, "-")) return apply(r, OP_NEG, read_level(r, NEG_LEVEL), -1, at);
    return take_token(r, "+") ? read_level(r, NEG_LEVEL) : value(r);
}

static int combine(formula_reader *r, const operator_info *o, int left, int right, int at) {
    int both = o->swapped ? apply(r, o->operation, right, left, at) : apply(r, o->operation, left, right, at);
    return o->negated ? apply(r, OP_NOT, both, -1, at) : both;
}

int read_level(formula_reader *r, int level) {
    if (++r->depth > DEPTH_MAX) return fail_at(r, r->at, "the formula is nested more than %d levels deep", DEPTH_MAX);
    int left = operand(r, level);
    const operator_info *o;
    bool compared = false;
    while (!r->failed && (o = take_operator(r, level))) {
        int at = r->at - (int)strlen(o->text);
        if (compared && o->level == COMPARE_LEVEL)
            return fail_at(r, at, "comparisons do not chain: write a < b and b < c");
        compared = o->level == COMPARE_LEVEL;
        left = combine(r, o, left, read_level(r, o->right), at);
    }
    r->depth--;
    return r->failed ? -1 : left;
}

bool begin_reading(formula_reader *r) {
    *r->error = (parse_error){0, ""};
    if (strnlen(r->text, LENGTH_MAX + 1) > LENGTH_MAX)
        fail_at(r, LENGTH_MAX, "a formula has at most %d characters", LENGTH_MAX);
    else if (!(r->numbers = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0))) fail_at(r, 0, "out of memory");
    return !r->failed;
}

bool end_reading(formula_reader *r) {
    char c = r->failed ? 0 : next_character(r);
    if (c) fail_expected(r, in_name(c) || c == '(' ? "an operator (* for a product)" : "an operator or the end");
    if (r->numbers) freelocale(r->numbers);
    return !r->failed;
}

bool read_whole(formula_reader *r, int *value_read) {
    if (begin_reading(r)) *value_read = read_level(r, OR_LEVEL);
    return end_reading(r);
}
