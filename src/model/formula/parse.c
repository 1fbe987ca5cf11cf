/* Formulas to expressions, limited in work. */
#include "parse.h"

#include "error.h"

#include <stdio.h>
#include <string.h>

enum {
    VALUES_MAX = 2000000, /* numbers and names met while parsing, every turn of a sum counted */
    FAMILY_MAX = 1000000,
    NAME_MAX_LENGTH = 127,
    INDEX_MAX_LENGTH = 63,
    INTEGER_MAX = 1000000000
};

/* How formulas are read: BUILD makes their expression. A sum is first only counted, to refuse one that is too large at
 * once. The body of an empty sum is only skipped. Values count while something is built, and in the bounds of what is
 * counted. */
typedef enum reading { BUILD, COUNT, SKIP } reading;

typedef struct parser {
    formula_reader r; /* first: what the grammar gets */
    graph *g;
    parse_lookup lookup;
    void *context;
    const parse_index *indices;
    reading mode;
    bool counted;           /* within a sum whose size is known */
    bool bounding, varying; /* reading a bound of what is counted; such a bound depends on an index */
    int values, most;       /* numbers and names met so far, and how many may be */
} parser;

/* Parsing recurses, even from one formula into another through lookup. So these functions have no buffers. */
#define OFF_STACK __attribute__((noinline))

/* ---------------------------------------------------------------- expressions */

static expr check(parser *p, expr e) {
    return e < 0 ? fail_at(&p->r, p->r.at, "out of memory") : e;
}

enum { NOTHING = 0 }; /* what is read without being built */

static expr build_number(parser *p, double value) {
    return p->mode == BUILD ? check(p, expr_number(p->g, value)) : NOTHING;
}
static expr build(parser *p, op operation, const expr child[]) {
    return p->mode == BUILD ? check(p, expr_build(p->g, operation, child)) : NOTHING;
}
static expr build_binary(parser *p, op operation, expr a, expr b) {
    return build(p, operation, (const expr[]){a, b});
}

static void refuse_size(parser *p) {
    fail_at(&p->r, p->r.at, "the formula is too large: its sums run over more than %d values", p->most);
}

static bool count_value(parser *p) {
    if (++p->values > p->most) refuse_size(p);
    return !p->r.failed;
}

/* ---------------------------------------------------------------- names */

/* An expression that must be an integer now: an index or a bound. */
static int integer(parser *p, const char *what) {
    double value = 0;
    next_character(&p->r);
    int start = p->r.at;
    expr e = read_level(&p->r, ADD_LEVEL);
    if (p->r.failed || p->mode != BUILD) return 0;
    if (!expr_fix(p->g, e, &value)) fail_at(&p->r, start, "%s must be a number, not change with the motion", what);
    else if (!(value == floor(value))) fail_at(&p->r, start, "%s must be an integer, not %g", what, value);
    else if (!(fabs(value) <= INTEGER_MAX)) fail_at(&p->r, start, "%s is too large: %g", what, value);
    return p->r.failed ? 0 : (int)value;
}

static bool append(parser *p, char *name, int start, const char *text, int length) {
    size_t used = strlen(name);
    if (used + (size_t)length > NAME_MAX_LENGTH) {
        fail_at(&p->r, start, "a name has at most %d characters", NAME_MAX_LENGTH);
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
    for (const char *separator = ""; *separator == 0 || take_token(&p->r, ","); separator = "_") {
        char digits[24];
        next_character(&p->r);
        int place = p->r.at, value = integer(p, "an index");
        if (value < 0) fail_at(&p->r, place, "the index %d of '%s' is negative", value, name);
        int n = snprintf(digits, sizeof digits, "%s%d", separator, value);
        if (p->r.failed || !append(p, name, start, digits, n)) return false;
    }
    if (!expect_token(&p->r, "]")) return false;
    if (!of_rate && strncmp(p->r.text + p->r.at, rate, RATE_LENGTH) == 0 &&
        !in_name(p->r.text[p->r.at + RATE_LENGTH])) {
        of_rate = true;
        p->r.at += RATE_LENGTH;
    }
    return !of_rate || append(p, name, start, rate, RATE_LENGTH);
}

/* ".x" of body.x and link[i].x, ".table12.PN" of coin3.table12.PN */
static bool append_members(parser *p, char *name, int start) {
    for (;;) {
        const char *dot = p->r.text + p->r.at;
        if (*dot != '.' || word_length(dot + 1) == 0) return true;
        int n = 1 + word_length(dot + 1);
        if (!append(p, name, start, dot, n)) return false;
        p->r.at += n;
    }
}

/* A variable: an integer bound by a family or sum, pi, or what lookup knows. */
OFF_STACK static expr variable(parser *p) {
    char name[NAME_MAX_LENGTH + 1] = "";
    int start = p->r.at, n = word_length(p->r.text + p->r.at);
    if (!append(p, name, start, p->r.text + start, n)) return -1;
    p->r.at += n;
    bool owner =
        p->r.text[p->r.at] == '.' && starts_name(p->r.text[p->r.at + 1]); /* a contact "floor" is no function */
    if (is_function(name) && !owner) return fail_at(&p->r, start, "%s is a function: write %s(...)", name, name);
    if (take_token(&p->r, "[")) {
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
    return fail_at(&p->r, start, error.message[0] ? "%s" : "undefined name '%s'",
                   error.message[0] ? error.message : name);
}

/* ---------------------------------------------------------------- functions */

/* Counts the term of turn *i; and all others with it if their bounds do not depend on an index. */
static expr count_term(parser *p, int *i, int last) {
    bool varying = p->varying;
    int before = p->values;
    p->varying = false;
    read_level(&p->r, OR_LEVEL);
    long all = p->values + (long)(p->values - before) * ((long)last - *i);
    if (!p->r.failed && !p->varying) {
        if (all > p->most) refuse_size(p);
        else p->values = (int)all, *i = last;
    }
    p->varying |= varying;
    return NOTHING;
}

/* The terms from here on, one after the other; of an empty sum the first, without a meaning. */
static expr sum_terms(parser *p, op operation, parse_index *index, int first, int last) {
    expr total = build_number(p, operation == OP_ADD ? 0 : 1);
    int body = p->r.at;
    reading mode = p->mode;
    const parse_index *outer = p->indices;
    p->indices = index;
    p->mode = first > last ? SKIP : mode;
    for (int i = first; !p->r.failed && (i <= last || i == first); i++) {
        index->value = i;
        p->r.at = body;
        expr term = p->mode == COUNT ? count_term(p, &i, last) : read_level(&p->r, OR_LEVEL);
        if (p->mode == SKIP) break;
        if (!p->r.failed) total = build_binary(p, operation, total, term);
    }
    p->mode = mode;
    p->indices = outer;
    return total;
}

/* Fails if there are too many terms from here on. */
static void count_terms(parser *p, parse_index *index, int first, int last) {
    int body = p->r.at, values = p->values;
    if ((long)last - first >= p->most - p->values) refuse_size(p);
    p->mode = COUNT;
    if (!p->r.failed) sum_terms(p, OP_ADD, index, first, last);
    p->mode = BUILD;
    p->r.at = body, p->values = values;
}

/* "i=" into name */
OFF_STACK static bool take_index(parser *p, char name[INDEX_MAX_LENGTH + 1], const char *form) {
    parse_error problem;
    next_character(&p->r);
    int start = p->r.at, n = word_length(p->r.text + p->r.at);
    if (n == 0) fail_at(&p->r, start, "expected an index and its range, as in %s", form);
    else if (n > INDEX_MAX_LENGTH)
        fail_at(&p->r, start, "the name of an index has at most %d characters", INDEX_MAX_LENGTH);
    if (p->r.failed) return false;
    memcpy(name, p->r.text + start, (size_t)n);
    name[n] = 0;
    p->r.at += n;
    if (!parse_is_name(name, &problem)) fail_at(&p->r, start, "%s", problem.message);
    return expect_token(&p->r, "=");
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
    if (!expect_token(&p->r, "..")) return -1;
    int last = bound(p);
    if (!expect_token(&p->r, ",")) return -1;
    parse_index index = {name, 0, p->indices};
    bool outermost = p->mode == BUILD && !p->counted;
    if (outermost) count_terms(p, &index, first, last);
    p->counted = p->counted || outermost;
    expr total = sum_terms(p, operation, &index, first, last);
    if (outermost) p->counted = false;
    return expect_token(&p->r, ")") ? total : -1;
}

static expr function(parser *p, op operation, int start) {
    bool any = operation == OP_MIN || operation == OP_MAX;
    int arity = op_arity(operation), given = 0;
    expr argument[3] = {-1, -1, -1};
    for (bool more = next_character(&p->r) != ')'; more; more = take_token(&p->r, ",")) {
        expr e = read_level(&p->r, OR_LEVEL);
        if (p->r.failed) return -1;
        if (any && given >= 2) argument[0] = build(p, operation, argument), argument[1] = e;
        else if (given < arity) argument[given] = e;
        given++;
    }
    if (!expect_token(&p->r, ")")) return -1;
    if (any ? given < arity : given != arity)
        return fail_at(&p->r, start, "%s takes %d%s argument%s, %d given", op_name(operation), arity,
                       any ? " or more" : "", arity == 1 ? "" : "s", given);
    return build(p, operation, argument);
}

/* "name(": the function of that name, OP_ADD for sum, OP_MUL for prod; OP_COUNT: no call here, nothing taken. */
OFF_STACK static op take_call(parser *p) {
    char name[NAME_MAX_LENGTH + 1] = "";
    int start = p->r.at, n = word_length(p->r.text + p->r.at);
    p->r.at += n;
    if (!take_token(&p->r, "(") || !append(p, name, start, p->r.text + start, n)) {
        p->r.at = start;
        return OP_COUNT;
    }
    if (strcmp(name, "sum") == 0) return OP_ADD;
    if (strcmp(name, "prod") == 0) return OP_MUL;
    op operation = function_of(name);
    if (operation != OP_COUNT) return operation;
    const char *near = nearest_function(name);
    if (near) fail_at(&p->r, start, "unknown function '%s', did you mean '%s'?", name, near);
    else fail_at(&p->r, start, "unknown function '%s' (write * for a product)", name);
    return OP_COUNT;
}

/* ---------------------------------------------------------------- tables */

/* "text", with its quotes, behind what name has already */
OFF_STACK static bool append_text(parser *p, char *name, size_t size) {
    int start = p->r.at;
    if (!take_token(&p->r, "\"")) return fail_expected(&p->r, "a text in double quotes"), false;
    size_t n = strcspn(p->r.text + p->r.at, "\"\n"), used = strlen(name);
    if (p->r.text[p->r.at + (int)n] != '"') return fail_at(&p->r, start, "the text has no closing quote"), false;
    if (used + n + 2 >= size) return fail_at(&p->r, start, "the text is too long"), false;
    snprintf(name + used, size - used, "\"%.*s", (int)n, p->r.text + p->r.at);
    p->r.at += (int)n + 1;
    return true;
}

/* table("file", x), table("file", x, "method"): lookup knows "file"method by its number. Other things may be called
 * table. */
static bool takes_table(parser *p) {
    int start = p->r.at;
    if (take_token(&p->r, "table") && take_token(&p->r, "(") && next_character(&p->r) == '"') return true;
    p->r.at = start;
    return false;
}

static expr table(parser *p) {
    char name[1024] = "";
    parse_error error = {0, ""};
    double number = 0;
    next_character(&p->r);
    int start = p->r.at;
    if (!append_text(p, name, sizeof name) || !expect_token(&p->r, ",")) return -1;
    expr x = read_level(&p->r, OR_LEVEL);
    if (p->r.failed || (take_token(&p->r, ",") && !append_text(p, name, sizeof name)) || !expect_token(&p->r, ")"))
        return -1;
    if (p->mode != BUILD) return NOTHING;
    expr found = p->lookup(p->context, name, &error);
    if (found < 0) return fail_at(&p->r, start, "%s", error.message[0] ? error.message : "there are no tables here");
    expr_is_number(p->g, found, &number);
    return check(p, expr_table(p->g, (int)number, x));
}

/* ---------------------------------------------------------------- the grammar */

static int read_number(formula_reader *r, double value) {
    parser *p = (parser *)r;
    return count_value(p) ? build_number(p, value) : -1;
}

static int read_name(formula_reader *r) {
    parser *p = (parser *)r;
    if (!count_value(p)) return -1;
    if (takes_table(p)) return table(p);
    int start = r->at;
    op called = take_call(p);
    if (called == OP_ADD || called == OP_MUL) return sum(p, called);
    if (called != OP_COUNT) return function(p, called, start);
    return r->failed ? -1 : variable(p);
}

static int read_operation(formula_reader *r, op operation, const int operand[], int at) {
    (void)at;
    return build((parser *)r, operation, operand);
}

static const formula_grammar grammar = {read_number, read_name, read_operation};

/* ---------------------------------------------------------------- entry points */

expr parse_formula_within(graph *g, const char *text, parse_lookup lookup, void *context, const parse_index *indices,
                          int *values, parse_error *error) {
    parser p = {{&grammar, text, .error = error}, .g = g, .lookup = lookup, .context = context, .indices = indices};
    expr e = -1;
    p.most = *values < VALUES_MAX ? *values : VALUES_MAX;
    bool read = read_whole(&p.r, &e);
    *values -= p.values;
    return read ? e : -1;
}

expr parse_formula(graph *g, const char *text, parse_lookup lookup, void *context, const parse_index *indices,
                   parse_error *error) {
    int values = VALUES_MAX;
    return parse_formula_within(g, text, lookup, context, indices, &values, error);
}

/* "[i=1..n]" */
static void family_range(parser *p, parse_family *family) {
    int start = p->r.at;
    if (!take_index(p, family->index, "x[i=1..n]")) return;
    family->first = integer(p, "a bound");
    if (expect_token(&p->r, "..")) family->last = integer(p, "a bound");
    if (is_rate(family->name))
        fail_at(&p->r, 0, "a family is not named %s: x[i]_dot is the rate of x[i]", family->name);
    if (family->first < 0) fail_at(&p->r, start, "the first index of '%s' is negative", family->name);
    if (family->last - family->first >= FAMILY_MAX)
        fail_at(&p->r, start, "a family has at most %d members", FAMILY_MAX);
    expect_token(&p->r, "]");
}

bool parse_family_name(graph *g, const char *text, parse_lookup lookup, void *context, parse_family *family,
                       parse_error *error) {
    parser p = {{&grammar, text, .error = error}, .g = g, .lookup = lookup, .context = context, .most = VALUES_MAX};
    formula_reader *r = &p.r;
    *family = (parse_family){.name = ""};
    if (!begin_reading(r)) return false;
    next_character(r);
    parse_error problem;
    int at = r->at, n = word_length(text + at);
    if (append(&p, family->name, at, text + at, n) && !parse_is_name(family->name, &problem))
        fail_at(r, at + problem.offset, "%s", problem.message);
    r->at += n;
    if (!r->failed && take_token(r, "[")) family_range(&p, family);
    if (!r->failed && family->index[0]) append_members(&p, family->tail, r->at);
    return end_reading(r);
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
        snprintf(error->message, sizeof error->message, "'%s' has a meaning in formulas already, choose another name",
                 text);
    return error->message[0] == 0;
}
