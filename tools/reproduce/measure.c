/* Formulas of quantities: read and evaluated in one go, by recursive descent over operator levels, limited in depth. */
#include "reproduce/measure.h"

#include "error.h"
#include "model/formula/syntax.h"
#include "reproduce/vector.h"
#include "result/result.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 200, LENGTH_MAX = 64 * 1024 };

typedef struct reading {
    const char *text;
    int at; /* next character */
    int depth;
    bool idle; /* the formula is read, not evaluated: all vectors are empty */
    const data *const *all;
    int count, home;
    result_reader **reader; /* [count] of the runs whose columns were named */
    locale_t numbers;       /* the decimal point is a point */
    carom_status status;
    int where; /* of the error */
    carom_error *error;
} reading;

static vector climb(reading *r, int level);

/* ---------------------------------------------------------------- errors */

static const vector nothing = {0};

static vector fail_at(reading *r, int offset, const char *format, ...) __attribute__((format(printf, 3, 4)));
static vector fail_at(reading *r, int offset, const char *format, ...) {
    if (r->status) return nothing; /* the first error is the cause */
    char message[sizeof r->error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    r->status = carom_error_set(r->error, CAROM_DATA, "%s", message);
    r->where = offset;
    return nothing;
}

static vector no_memory(reading *r) {
    if (!r->status) r->status = carom_error_memory(r->error);
    r->where = r->at;
    return nothing;
}

/* ---------------------------------------------------------------- characters */

static char peek(reading *r) {
    r->at += blank_length(r->text + r->at);
    return r->text[r->at];
}

static bool take(reading *r, const char *token) {
    peek(r);
    if (!begins_with(r->text + r->at, token)) return false;
    r->at += (int)strlen(token);
    return true;
}

/* "[1,2]" or nothing */
static int index_length(const char *text) {
    int n = 1;
    if (text[0] != '[') return 0;
    while (is_digit(text[n]) || text[n] == ',') n++;
    return text[n] == ']' && n > 1 ? n + 1 : 0;
}

/* "floor.gap", "m[1,2].x_dot", "newton.1" */
static int name_length(const char *text) {
    int n = 0, index;
    if (!starts_name(text[0])) return 0;
    for (;;) {
        if (starts_name(text[n]) || is_digit(text[n]) || text[n] == '.') n++;
        else if ((index = index_length(text + n))) n += index;
        else return n;
    }
}

static vector expected(reading *r, const char *what) {
    char c = peek(r);
    int n = name_length(r->text + r->at);
    if (c == 0) return fail_at(r, r->at, "expected %s, found the end", what);
    if (c < ' ' || c > '~')
        return fail_at(r, r->at, "expected %s, found a character that formulas do not use (byte %d)", what,
                       (unsigned char)c);
    return fail_at(r, r->at, "expected %s, found '%.*s'", what, n < 1 ? 1 : n < 40 ? n : 40, r->text + r->at);
}

/* ---------------------------------------------------------------- numbers and quantities */

static vector give_number(reading *r, double value) {
    vector v = nothing;
    if (r->idle) return v;
    if (!vector_create(&v, 1)) return no_memory(r);
    v.values[0] = value;
    return v;
}

static vector number(reading *r) {
    const char *s = r->text;
    int start = r->at, n = start + number_length(s + start);
    double value = strtod_l(s + start, NULL, r->numbers);
    r->at = n;
    if (isinf(value))
        return fail_at(r, start, "the number %.*s is too large", n - start < 60 ? n - start : 60, s + start);
    if (starts_name(s[n])) return fail_at(r, n, "expected an operator after the number (write * for a product)");
    return give_number(r, value);
}

/* The table and in it the column of a name: one of the home, or "source.column". */
static const column *find(const reading *r, const char *name, int *table) {
    const column *c = NULL;
    if (r->home >= 0 && (c = data_find(r->all[r->home], name))) return *table = r->home, c;
    for (int i = 0; i < r->count && !c; i++) {
        const char *source = r->all[i]->name;
        size_t n = source ? strlen(source) : 0;
        if (n == 0 || strncmp(name, source, n) != 0 || name[n] != '.') continue;
        c = data_find(r->all[i], name + n + 1);
        *table = i;
    }
    return c;
}

static vector load(reading *r, const column *c, int table, int start) {
    vector v;
    if (!vector_create(&v, c->count)) return no_memory(r);
    v.events = !strncmp(c->name, "events.", 7);
    r->status = data_values(r->all[table], c, &r->reader[table], v.values, r->error);
    if (!r->status) return v;
    r->where = start;
    vector_destroy(&v);
    return nothing;
}

/* The name nearest to one that is not there; to be freed. */
static char *nearest(const reading *r, const char *name) {
    int most = 0, count = 0;
    for (int i = 0; i < r->count; i++) most += 2 * r->all[i]->count;
    char **names = calloc((size_t)most + 1, sizeof *names), *copy = NULL;
    for (int i = 0; i < r->count && names; i++) {
        const data *d = r->all[i];
        for (int k = 0; k < d->count; k++) {
            if (i == r->home && (names[count] = strdup(d->columns[k].name))) count++;
            if (d->name && asprintf(&names[count], "%s.%s", d->name, d->columns[k].name) >= 0) count++;
        }
    }
    const char *found = names ? carom_nearest(name, (const char *const *)names, count) : NULL;
    if (found) copy = strdup(found);
    for (int i = 0; i < count; i++) free(names[i]);
    free(names);
    return copy;
}

static vector unknown(reading *r, const char *name, int start) {
    char *near = nearest(r, name);
    const char *source = r->home >= 0 ? r->all[r->home]->name : NULL;
    if (near) fail_at(r, start, "there is no quantity '%.80s'; did you mean '%.80s'?", name, near);
    else if (function_find(name)) fail_at(r, start, "'%s' is a function: write %s(...)", name, name);
    else if (source) fail_at(r, start, "'%.80s' has no quantity '%.80s', and there is no such source", source, name);
    else fail_at(r, start, "there is no quantity '%.80s': write it as source.quantity", name);
    free(near);
    return nothing;
}

static vector quantity(reading *r, const char *name, int start) {
    int table = -1;
    if (!strcmp(name, "pi")) return give_number(r, 3.14159265358979323846);
    if (r->idle) return nothing;
    const column *c = find(r, name, &table);
    return c ? load(r, c, table, start) : unknown(r, name, start);
}

/* ---------------------------------------------------------------- functions */

/* Times of a list: of the events if it is made of theirs, otherwise of the rows. */
static vector times_of(reading *r, const vector *v, const char *caller, int start) {
    const char *name = v->events ? "events.t" : "t";
    const column *c = r->home >= 0 ? data_find(r->all[r->home], name) : NULL;
    if (!c) return fail_at(r, start, "'%s' needs times, and there is no '%s' here", caller, name);
    if (c->count != v->count)
        return fail_at(r, start, "'%s' takes what has an entry for each of the %ld times '%s', and this has %ld",
                       caller, c->count, name, v->count);
    return load(r, c, r->home, start);
}

/* "(a, b)" with the places where each begins; false: failed. */
static bool arguments(reading *r, const function *f, call *c, int *where) {
    char arity[40];
    function_arity(f, arity);
    do {
        peek(r);
        if (c->count == MOST_ARGUMENTS) return fail_at(r, r->at, "'%s' has %s", f->name, arity), false;
        where[c->count] = r->at;
        c->in[c->count++] = climb(r, OR_LEVEL);
    } while (!r->status && take(r, ","));
    if (!r->status && !take(r, ")")) expected(r, "',' or ')'");
    if (!r->status && !function_takes(f, c->count)) fail_at(r, where[0], "'%s' has %s", f->name, arity);
    return !r->status;
}

static vector end_call(call *c) {
    for (int i = 0; i < MOST_ARGUMENTS; i++) vector_destroy(&c->in[i]);
    vector_destroy(&c->t);
    return c->out;
}

static void complain(reading *r, const call *c, const int *where) {
    if (c->message[0]) fail_at(r, where[c->blame], "%s", c->message);
    else no_memory(r);
}

static vector call_function(reading *r, const char *name, int start) {
    const function *f = function_find(name);
    call c = {0};
    int where[MOST_ARGUMENTS] = {0};
    if (!f) {
        const char *near = function_nearest(name);
        return fail_at(r, start, "there is no function '%.40s'%s%s%s", name, near ? "; did you mean '" : "",
                       near ? near : "", near ? "'?" : "");
    }
    if (arguments(r, f, &c, where) && !r->idle) {
        if (f->timed) c.t = times_of(r, &c.in[0], f->name, where[0]);
        if (!r->status && !function_apply(f, &c)) complain(r, &c, where);
    }
    return end_call(&c);
}

static vector name(reading *r) {
    int start = r->at, n = name_length(r->text + start);
    char *copy = strndup(r->text + start, (size_t)n);
    if (!copy) return no_memory(r);
    r->at += n;
    vector v = take(r, "(") ? call_function(r, copy, start) : quantity(r, copy, start);
    free(copy);
    return v;
}

/* ---------------------------------------------------------------- operators */

static vector value(reading *r) {
    char c = peek(r);
    if (number_length(r->text + r->at) > 0) return number(r);
    if (starts_name(c) && !operator_at(r->text + r->at)) return name(r);
    if (!take(r, "(")) return expected(r, "a number, a quantity or '('");
    vector v = climb(r, OR_LEVEL);
    if (!r->status && !take(r, ")")) expected(r, "')'");
    return v;
}

/* The value of an operation, entry by entry; start: where it stands. */
static vector apply(reading *r, op operation, vector a, vector b, int start) {
    call c = {.in = {a, b}, .count = op_arity(operation)};
    if (!r->status && !r->idle && !entry_by_entry(function_of_op(operation), &c))
        complain(r, &c, (int[]){start, start, start});
    return end_call(&c);
}

static vector operand(reading *r, int level) {
    int start = r->at;
    if (take(r, "not")) {
        if (level > NOT_LEVEL) return fail_at(r, r->at - 3, "put 'not' and what it negates in parentheses");
        return apply(r, OP_NOT, climb(r, NOT_LEVEL), nothing, start);
    }
    if (take(r, "-")) return apply(r, OP_NEG, climb(r, NEG_LEVEL), nothing, start);
    return take(r, "+") ? climb(r, NEG_LEVEL) : value(r);
}

static const operator_info *take_operator(reading *r, int level) {
    peek(r);
    const operator_info *o = operator_at(r->text + r->at);
    if (!o || o->level < level) return NULL;
    r->at += (int)strlen(o->text);
    return o;
}

static vector combine(reading *r, const operator_info *o, vector left, vector right, int start) {
    vector v = o->swapped ? apply(r, o->operation, right, left, start) : apply(r, o->operation, left, right, start);
    return o->negated ? apply(r, OP_NOT, v, nothing, start) : v;
}

/* Everything that binds at least as tightly as level. */
static vector climb(reading *r, int level) {
    if (++r->depth > DEPTH_MAX) return fail_at(r, r->at, "the formula is nested more than %d levels deep", DEPTH_MAX);
    vector left = operand(r, level);
    const operator_info *o;
    bool compared = false;
    while (!r->status && (o = take_operator(r, level))) {
        int start = r->at - (int)strlen(o->text);
        if (compared && o->level == COMPARE_LEVEL) {
            fail_at(r, start, "comparisons do not chain: write a < b and b < c");
            break;
        }
        compared = o->level == COMPARE_LEVEL;
        vector right = climb(r, o->right);
        left = combine(r, o, left, right, start);
    }
    r->depth--;
    return left;
}

/* ---------------------------------------------------------------- entry points */

static vector read_all(reading *r) {
    if (strnlen(r->text, LENGTH_MAX + 1) > LENGTH_MAX)
        return fail_at(r, LENGTH_MAX, "a formula has at most %d characters", LENGTH_MAX);
    vector v = climb(r, OR_LEVEL);
    if (!r->status && peek(r))
        expected(r,
                 starts_name(peek(r)) || peek(r) == '(' ? "an operator (* for a product)" : "an operator or the end");
    return v;
}

static carom_status evaluate(reading *r, measured *result, int *at) {
    *at = 0;
    *result = (measured){0};
    r->numbers = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    r->reader = calloc((size_t)r->count + 1, sizeof(result_reader *));
    vector v = r->numbers && r->reader ? read_all(r) : no_memory(r);
    for (int i = 0; i < r->count && r->reader; i++) result_close(r->reader[i]);
    free(r->reader);
    if (r->numbers) freelocale(r->numbers);
    if (r->status) {
        vector_destroy(&v);
        *at = r->where;
        return r->status;
    }
    *result = (measured){v.count, v.values};
    return CAROM_OK;
}

carom_status measure(const char *text, const data *const *all, int count, int home, measured *result, int *at,
                     carom_error *error) {
    reading r = {.text = text, .all = all, .count = count, .home = home, .error = error};
    return evaluate(&r, result, at);
}

carom_status measure_check(const char *text, int *at, carom_error *error) {
    reading r = {.text = text, .idle = true, .home = -1, .error = error};
    measured none;
    return evaluate(&r, &none, at);
}
