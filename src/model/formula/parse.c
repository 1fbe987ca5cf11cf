/* Formulas to expressions: recursive descent over operator levels, limited in depth and in work. */
#include "parse.h"
#include "model/formula/syntax.h"

#include "error.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEPTH_MAX = 256,
    LENGTH_MAX = 64 * 1024,
    VALUES_MAX = 2000000, /* numbers and names met while parsing, every turn of a sum counted */
    FAMILY_MAX = 1000000,
    NAME_MAX_LENGTH = 127,
    INDEX_MAX_LENGTH = 63,
    INTEGER_MAX = 1000000000
};

/* Formulas are read to build them; sums before that to count what they run over, so that too large ones are refused at
 * once; bodies of empty sums to get over them. Only what is built means something, and so do the bounds of what is
 * counted. */
typedef enum reading { BUILD, COUNT, SKIP } reading;

typedef struct parser {
    graph *g;
    const char *text;
    int at; /* next character */
    parse_lookup lookup;
    void *context;
    const parse_index *indices;
    parse_error *error;
    bool failed;
    reading mode;
    bool counted;            /* within a sum whose size is known */
    bool bounding, varying;  /* reading a bound of what is counted; such a bound depends on an index */
    int depth, values, most; /* values met so far, and how many may be */
    locale_t numbers;        /* the decimal point is a point */
} parser;

/* Parsing recurses, through lookup even from one formula into another: buffers stay out of the functions that do. */
#define OFF_STACK __attribute__((noinline))

static expr climb(parser *p, int level);

/* ---------------------------------------------------------------- errors */

static expr fail_at(parser *p, int offset, const char *format, ...) __attribute__((format(printf, 3, 4)));
static expr fail_at(parser *p, int offset, const char *format, ...) {
    if (p->failed) return -1; /* the first error is the cause */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->error->message, sizeof p->error->message, format, arguments);
    va_end(arguments);
    p->error->offset = offset;
    p->failed = true;
    return -1;
}

static expr check(parser *p, expr e) {
    return e < 0 ? fail_at(p, p->at, "out of memory") : e;
}

enum { NOTHING = 0 }; /* what is read without being built */

static expr build_number(parser *p, double value) {
    return p->mode == BUILD ? check(p, expr_number(p->g, value)) : NOTHING;
}
static expr build(parser *p, op operation, const expr child[]) {
    return p->mode == BUILD ? check(p, expr_build(p->g, operation, child)) : NOTHING;
}
static expr build_unary(parser *p, op operation, expr a) {
    return build(p, operation, (const expr[]){a});
}
static expr build_binary(parser *p, op operation, expr a, expr b) {
    return build(p, operation, (const expr[]){a, b});
}

/* ---------------------------------------------------------------- characters */

static char peek(parser *p) {
    p->at += blank_length(p->text + p->at);
    return p->text[p->at];
}

static bool next_is(parser *p, const char *token) {
    peek(p);
    return begins_with(p->text + p->at, token);
}

static bool take(parser *p, const char *token) {
    if (!next_is(p, token)) return false;
    p->at += (int)strlen(token);
    return true;
}

/* Fails with what should be at the next character and what is. */
OFF_STACK static expr expected(parser *p, const char *what) {
    char c = peek(p), text[64];
    int n = word_length(p->text + p->at);
    if (c == 0) snprintf(text, sizeof text, "the end");
    else if (n > 0) snprintf(text, sizeof text, "'%.*s'", n < 40 ? n : 40, p->text + p->at);
    else if (c > ' ' && c < 127) snprintf(text, sizeof text, "'%c'", c);
    else snprintf(text, sizeof text, "a character that formulas do not use (byte %d)", (unsigned char)c);
    return fail_at(p, p->at, "expected %s, found %s", what, text);
}

static bool expect(parser *p, const char *token) {
    if (p->failed || take(p, token)) return !p->failed;
    char quoted[8];
    snprintf(quoted, sizeof quoted, "'%s'", token);
    expected(p, quoted);
    return false;
}

/* ---------------------------------------------------------------- numbers and names */

static expr number(parser *p) {
    const char *s = p->text;
    int start = p->at, n = start + number_length(s + start);
    double value = p->mode == BUILD ? strtod_l(s + start, NULL, p->numbers) : 0;
    p->at = n;
    if (isinf(value))
        return fail_at(p, start, "the number %.*s is too large", n - start < 60 ? n - start : 60, s + start);
    if (starts_name(s[n])) return fail_at(p, n, "expected an operator after the number (write * for a product)");
    return build_number(p, value);
}

/* An expression that must be an integer now: an index or a bound. */
static int integer(parser *p, const char *what) {
    double value = 0;
    peek(p);
    int start = p->at;
    expr e = climb(p, ADD_LEVEL);
    if (p->failed || p->mode != BUILD) return 0;
    if (!expr_fix(p->g, e, &value)) fail_at(p, start, "%s must be a number, not change with the motion", what);
    else if (!(value == floor(value))) fail_at(p, start, "%s must be an integer, not %g", what, value);
    else if (!(fabs(value) <= INTEGER_MAX)) fail_at(p, start, "%s is too large: %g", what, value);
    return p->failed ? 0 : (int)value;
}

static bool append(parser *p, char *name, int start, const char *text, int length) {
    size_t used = strlen(name);
    if (used + (size_t)length > NAME_MAX_LENGTH) {
        fail_at(p, start, "a name has at most %d characters", NAME_MAX_LENGTH);
        return false;
    }
    memcpy(name + used, text, (size_t)length);
    name[used + (size_t)length] = 0;
    return true;
}

static bool is_function(const char *name) {
    return function_of(name) != OP_COUNT || strcmp(name, "sum") == 0 || strcmp(name, "prod") == 0;
}

static const char *nearest_function(const char *name) {
    const char *names[OP_COUNT + 2] = {"sum", "prod"};
    int count = 2;
    for (int i = 0; i < OP_COUNT; i++)
        if (*op_name((op)i)) names[count++] = op_name((op)i);
    return carom_nearest(name, names, count);
}

static const char rate[] = "_dot";
enum { RATE_LENGTH = sizeof rate - 1 };

static bool is_rate(const char *name) {
    size_t n = strlen(name);
    return n > RATE_LENGTH && strcmp(name + n - RATE_LENGTH, rate) == 0;
}

/* "[i+1, j]" behind name becomes "3_2"; x_dot[3] and x[3]_dot are both the velocity x3_dot. */
static bool append_indices(parser *p, char *name, int start) {
    bool of_rate = is_rate(name);
    if (of_rate) name[strlen(name) - RATE_LENGTH] = 0;
    for (const char *separator = ""; *separator == 0 || take(p, ","); separator = "_") {
        char digits[24];
        peek(p);
        int place = p->at, value = integer(p, "an index");
        if (value < 0) fail_at(p, place, "the index %d of '%s' is negative", value, name);
        int n = snprintf(digits, sizeof digits, "%s%d", separator, value);
        if (p->failed || !append(p, name, start, digits, n)) return false;
    }
    if (!expect(p, "]")) return false;
    if (!of_rate && strncmp(p->text + p->at, rate, RATE_LENGTH) == 0 && !in_name(p->text[p->at + RATE_LENGTH])) {
        of_rate = true;
        p->at += RATE_LENGTH;
    }
    return !of_rate || append(p, name, start, rate, RATE_LENGTH);
}

/* ".x" of body.x and link[i].x, ".table12.PN" of coin3.table12.PN */
static bool append_members(parser *p, char *name, int start) {
    for (;;) {
        const char *dot = p->text + p->at;
        if (*dot != '.' || word_length(dot + 1) == 0) return true;
        int n = 1 + word_length(dot + 1);
        if (!append(p, name, start, dot, n)) return false;
        p->at += n;
    }
}

/* A variable: an integer bound by a family or sum, pi, or what lookup knows. */
OFF_STACK static expr variable(parser *p) {
    char name[NAME_MAX_LENGTH + 1] = "";
    int start = p->at, n = word_length(p->text + p->at);
    if (!append(p, name, start, p->text + start, n)) return -1;
    p->at += n;
    bool owner = p->text[p->at] == '.' && starts_name(p->text[p->at + 1]); /* a contact "floor" is no function */
    if (is_function(name) && !owner) return fail_at(p, start, "%s is a function: write %s(...)", name, name);
    if (take(p, "[")) {
        if (!append_indices(p, name, start)) return -1;
    } else {
        for (const parse_index *i = p->indices; i; i = i->next)
            if (strcmp(i->name, name) == 0) return p->varying |= p->bounding, build_number(p, i->value);
        if (strcmp(name, "pi") == 0) return build_number(p, acos(-1));
    }
    if (!append_members(p, name, start)) return -1;
    if (p->mode != BUILD) return NOTHING;
    parse_error error = {0, ""};
    expr e = p->lookup(p->context, name, &error);
    if (e >= 0) return e;
    return fail_at(p, start, error.message[0] ? "%s" : "undefined name '%s'", error.message[0] ? error.message : name);
}

/* ---------------------------------------------------------------- functions */

static void refuse_size(parser *p, int at) {
    fail_at(p, at, "the formula is too large: its sums run over more than %d values", p->most);
}

/* Counts the term of turn *i; and all others with it if their bounds do not depend on an index. */
static expr count_term(parser *p, int *i, int last) {
    bool varying = p->varying;
    int before = p->values;
    p->varying = false;
    climb(p, OR_LEVEL);
    long all = p->values + (long)(p->values - before) * ((long)last - *i);
    if (!p->failed && !p->varying) {
        if (all > p->most) refuse_size(p, p->at);
        else p->values = (int)all, *i = last;
    }
    p->varying |= varying;
    return NOTHING;
}

/* The terms from here on, one after the other; of an empty sum the first, without a meaning. */
static expr sum_terms(parser *p, op operation, parse_index *index, int first, int last) {
    expr total = build_number(p, operation == OP_ADD ? 0 : 1);
    int body = p->at;
    reading mode = p->mode;
    const parse_index *outer = p->indices;
    p->indices = index;
    p->mode = first > last ? SKIP : mode;
    for (int i = first; !p->failed && (i <= last || i == first); i++) {
        index->value = i;
        p->at = body;
        expr term = p->mode == COUNT ? count_term(p, &i, last) : climb(p, OR_LEVEL);
        if (p->mode == SKIP) break;
        if (!p->failed) total = build_binary(p, operation, total, term);
    }
    p->mode = mode;
    p->indices = outer;
    return total;
}

/* Fails if the terms from here on are too many. */
static void count_terms(parser *p, parse_index *index, int first, int last) {
    int body = p->at, values = p->values;
    if ((long)last - first >= p->most - p->values) refuse_size(p, body);
    p->mode = COUNT;
    if (!p->failed) sum_terms(p, OP_ADD, index, first, last);
    p->mode = BUILD;
    p->at = body, p->values = values;
}

/* "i=" into name */
OFF_STACK static bool take_index(parser *p, char name[INDEX_MAX_LENGTH + 1], const char *form) {
    parse_error problem;
    peek(p);
    int start = p->at, n = word_length(p->text + p->at);
    if (n == 0) fail_at(p, start, "expected an index and its range, as in %s", form);
    else if (n > INDEX_MAX_LENGTH)
        fail_at(p, start, "the name of an index has at most %d characters", INDEX_MAX_LENGTH);
    if (p->failed) return false;
    memcpy(name, p->text + start, (size_t)n);
    name[n] = 0;
    p->at += n;
    if (!parse_is_name(name, &problem)) fail_at(p, start, "%s", problem.message);
    return expect(p, "=");
}

/* Bounds mean something while terms are counted, too. */
static int bound(parser *p) {
    reading mode = p->mode;
    bool bounding = p->bounding;
    if (mode == COUNT) p->mode = BUILD, p->bounding = true;
    int value = integer(p, "a bound");
    p->mode = mode, p->bounding = bounding;
    return value;
}

/* sum(i=1..n, term), prod(i=1..n, factor), after the opening parenthesis */
static expr sum(parser *p, op operation) {
    char name[INDEX_MAX_LENGTH + 1];
    if (!take_index(p, name, operation == OP_ADD ? "sum(i=1..n, x[i])" : "prod(i=1..n, x[i])")) return -1;
    int first = bound(p);
    if (!expect(p, "..")) return -1;
    int last = bound(p);
    if (!expect(p, ",")) return -1;
    parse_index index = {name, 0, p->indices};
    bool outermost = p->mode == BUILD && !p->counted;
    if (outermost) count_terms(p, &index, first, last);
    p->counted = p->counted || outermost;
    expr total = sum_terms(p, operation, &index, first, last);
    if (outermost) p->counted = false;
    return expect(p, ")") ? total : -1;
}

static expr function(parser *p, op operation, int start) {
    bool any = operation == OP_MIN || operation == OP_MAX;
    int arity = op_arity(operation), given = 0;
    expr argument[3] = {-1, -1, -1};
    for (bool more = peek(p) != ')'; more; more = take(p, ",")) {
        expr e = climb(p, OR_LEVEL);
        if (p->failed) return -1;
        if (any && given >= 2) argument[0] = build(p, operation, argument), argument[1] = e;
        else if (given < arity) argument[given] = e;
        given++;
    }
    if (!expect(p, ")")) return -1;
    if (any ? given < arity : given != arity)
        return fail_at(p, start, "%s takes %d%s argument%s, %d given", op_name(operation), arity, any ? " or more" : "",
                       arity == 1 ? "" : "s", given);
    return build(p, operation, argument);
}

/* "name(": the function of that name, OP_ADD for sum, OP_MUL for prod; OP_COUNT: no call here, nothing taken. */
OFF_STACK static op take_call(parser *p) {
    char name[NAME_MAX_LENGTH + 1] = "";
    int start = p->at, n = word_length(p->text + p->at);
    p->at += n;
    if (!take(p, "(") || !append(p, name, start, p->text + start, n)) {
        p->at = start;
        return OP_COUNT;
    }
    if (strcmp(name, "sum") == 0) return OP_ADD;
    if (strcmp(name, "prod") == 0) return OP_MUL;
    op operation = function_of(name);
    if (operation != OP_COUNT) return operation;
    const char *near = nearest_function(name);
    if (near) fail_at(p, start, "unknown function '%s', did you mean '%s'?", name, near);
    else fail_at(p, start, "unknown function '%s' (write * for a product)", name);
    return OP_COUNT;
}

/* ---------------------------------------------------------------- tables */

/* "text", with its quotes, behind what name has already */
OFF_STACK static bool append_text(parser *p, char *name, size_t size) {
    int start = p->at;
    if (!take(p, "\"")) return expected(p, "a text in double quotes"), false;
    size_t n = strcspn(p->text + p->at, "\"\n"), used = strlen(name);
    if (p->text[p->at + (int)n] != '"') return fail_at(p, start, "the text has no closing quote"), false;
    if (used + n + 2 >= size) return fail_at(p, start, "the text is too long"), false;
    snprintf(name + used, size - used, "\"%.*s", (int)n, p->text + p->at);
    p->at += (int)n + 1;
    return true;
}

/* table("file", x), table("file", x, "method"): lookup knows "file"method by its number. Other things may be called
 * table. */
static bool takes_table(parser *p) {
    int start = p->at;
    if (take(p, "table") && take(p, "(") && peek(p) == '"') return true;
    p->at = start;
    return false;
}

static expr table(parser *p) {
    char name[1024] = "";
    parse_error error = {0, ""};
    double number = 0;
    peek(p);
    int start = p->at;
    if (!append_text(p, name, sizeof name) || !expect(p, ",")) return -1;
    expr x = climb(p, OR_LEVEL);
    if (p->failed || (take(p, ",") && !append_text(p, name, sizeof name)) || !expect(p, ")")) return -1;
    if (p->mode != BUILD) return NOTHING;
    expr found = p->lookup(p->context, name, &error);
    if (found < 0) return fail_at(p, start, "%s", error.message[0] ? error.message : "there are no tables here");
    expr_is_number(p->g, found, &number);
    return check(p, expr_table(p->g, (int)number, x));
}

/* ---------------------------------------------------------------- operators */

static expr value(parser *p) {
    char c = peek(p);
    if (++p->values > p->most) return refuse_size(p, p->at), -1;
    if (number_length(p->text + p->at) > 0) return number(p);
    if (take(p, "(")) {
        expr e = climb(p, OR_LEVEL);
        return expect(p, ")") ? e : -1;
    }
    if (!starts_name(c) || next_is(p, "and") || next_is(p, "or")) return expected(p, "a number or a name");
    if (takes_table(p)) return table(p);
    int start = p->at;
    op called = take_call(p);
    if (called == OP_ADD || called == OP_MUL) return sum(p, called);
    if (called != OP_COUNT) return function(p, called, start);
    return p->failed ? -1 : variable(p);
}

static expr operand(parser *p, int level) {
    if (take(p, "not")) {
        if (level > NOT_LEVEL) return fail_at(p, p->at - 3, "put 'not' and what it negates in parentheses");
        return build_unary(p, OP_NOT, climb(p, NOT_LEVEL));
    }
    if (take(p, "-")) return build_unary(p, OP_NEG, climb(p, NEG_LEVEL));
    if (take(p, "+")) return climb(p, NEG_LEVEL);
    return value(p);
}

static const operator_info *take_operator(parser *p, int level) {
    peek(p);
    const operator_info *o = operator_at(p->text + p->at);
    if (!o || o->level < level) return NULL;
    p->at += (int)strlen(o->text);
    return o;
}

/* Everything that binds at least as tightly as level. */
static expr climb(parser *p, int level) {
    if (++p->depth > DEPTH_MAX) return fail_at(p, p->at, "the formula is nested more than %d levels deep", DEPTH_MAX);
    expr left = operand(p, level);
    const operator_info *o;
    bool compared = false;
    while (!p->failed && (o = take_operator(p, level))) {
        if (compared && o->level == COMPARE_LEVEL)
            return fail_at(p, p->at - (int)strlen(o->text), "comparisons do not chain: write a < b and b < c");
        compared = o->level == COMPARE_LEVEL;
        expr right = climb(p, o->right);
        if (p->failed) return -1;
        left = o->swapped ? build_binary(p, o->operation, right, left) : build_binary(p, o->operation, left, right);
        if (o->negated) left = build_unary(p, OP_NOT, left);
    }
    p->depth--;
    return p->failed ? -1 : left;
}

/* ---------------------------------------------------------------- entry points */

static bool start(parser *p) {
    p->error->offset = 0;
    p->error->message[0] = 0;
    if (strnlen(p->text, LENGTH_MAX + 1) > LENGTH_MAX) {
        fail_at(p, LENGTH_MAX, "a formula has at most %d characters", LENGTH_MAX);
        return false;
    }
    p->numbers = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!p->numbers) check(p, -1);
    return !p->failed;
}

static void expect_end(parser *p) {
    if (p->failed || peek(p) == 0) return;
    bool product = in_name(p->text[p->at]) || p->text[p->at] == '(';
    expected(p, product ? "an operator (* for a product)" : "an operator or the end");
}

expr parse_formula_within(graph *g, const char *text, parse_lookup lookup, void *context, const parse_index *indices,
                          int *values, parse_error *error) {
    parser p = {.g = g, .text = text, .lookup = lookup, .context = context, .indices = indices, .error = error};
    p.most = *values < VALUES_MAX ? *values : VALUES_MAX;
    if (!start(&p)) return -1;
    expr e = climb(&p, OR_LEVEL);
    expect_end(&p);
    freelocale(p.numbers);
    *values -= p.values;
    return p.failed ? -1 : e;
}

expr parse_formula(graph *g, const char *text, parse_lookup lookup, void *context, const parse_index *indices,
                   parse_error *error) {
    int values = VALUES_MAX;
    return parse_formula_within(g, text, lookup, context, indices, &values, error);
}

/* "[i=1..n]" */
static void family_range(parser *p, parse_family *family) {
    int start = p->at;
    if (!take_index(p, family->index, "x[i=1..n]")) return;
    family->first = integer(p, "a bound");
    if (expect(p, "..")) family->last = integer(p, "a bound");
    if (is_rate(family->name)) fail_at(p, 0, "a family is not named %s: x[i]_dot is the rate of x[i]", family->name);
    if (family->first < 0) fail_at(p, start, "the first index of '%s' is negative", family->name);
    if (family->last - family->first >= FAMILY_MAX) fail_at(p, start, "a family has at most %d members", FAMILY_MAX);
    expect(p, "]");
}

bool parse_family_name(graph *g, const char *text, parse_lookup lookup, void *context, parse_family *family,
                       parse_error *error) {
    parser p = {.g = g, .text = text, .lookup = lookup, .context = context, .error = error, .most = VALUES_MAX};
    *family = (parse_family){.name = ""};
    if (!start(&p)) return false;
    peek(&p);
    parse_error problem;
    int at = p.at, n = word_length(text + at);
    if (append(&p, family->name, at, text + at, n) && !parse_is_name(family->name, &problem))
        fail_at(&p, at + problem.offset, "%s", problem.message);
    p.at += n;
    if (!p.failed && take(&p, "[")) family_range(&p, family);
    if (!p.failed && family->index[0]) append_members(&p, family->tail, p.at);
    expect_end(&p);
    freelocale(p.numbers);
    return !p.failed;
}

bool parse_is_name(const char *text, parse_error *error) {
    int n = word_length(text);
    error->offset = n;
    error->message[0] = 0;
    if (n == 0) snprintf(error->message, sizeof error->message, "a name starts with a letter or an underscore");
    else if (text[n] != 0)
        snprintf(error->message, sizeof error->message, "a name has only letters, digits and underscores");
    else if (n > NAME_MAX_LENGTH)
        snprintf(error->message, sizeof error->message, "a name has at most %d characters", NAME_MAX_LENGTH);
    else if (is_function(text) || strcmp(text, "pi") == 0 || strcmp(text, "t") == 0 || strcmp(text, "and") == 0 ||
             strcmp(text, "or") == 0 || strcmp(text, "not") == 0)
        snprintf(error->message, sizeof error->message, "'%s' has a meaning in formulas already", text);
    return error->message[0] == 0;
}
