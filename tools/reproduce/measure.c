/* Formulas of quantities: read and evaluated in one go. */
#include "reproduce/measure.h"

#include "error.h"
#include "model/formula/syntax.h"
#include "reproduce/vector.h"
#include "result/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reading {
    formula_reader r; /* first: what the grammar gets */
    bool idle;        /* reads the formula without evaluating it: all vectors are empty */
    const data *const *all;
    int count, home;
    result_reader **reader; /* [count] of the runs whose columns were named */
    vector *stack;          /* values that no operation has taken yet */
    int height, room;
    carom_status status; /* of a failure that is not the formula's, */
    carom_error *error;  /* and its sentence */
} reading;

/* ---------------------------------------------------------------- values */

static int no_memory(reading *g) {
    if (!g->status) g->status = carom_error_memory(g->error);
    return fail_at(&g->r, g->r.at, "out of memory");
}

/* Pushes v on the stack, which owns it from now on. */
static int push(reading *g, vector v) {
    if (g->height == g->room) {
        int room = 2 * g->room + 16;
        vector *more = realloc(g->stack, (size_t)room * sizeof *more);
        if (!more) return vector_destroy(&v), no_memory(g);
        g->stack = more, g->room = room;
    }
    g->stack[g->height] = v;
    return g->height++;
}

static int push_number(reading *g, double value) {
    vector v = {0};
    if (g->idle) return push(g, v);
    if (!vector_create(&v, 1)) return no_memory(g);
    v.values[0] = value;
    return push(g, v);
}

/* Replaces the arguments of a call, on top of the stack, by its value. */
static int end_call(reading *g, call *c) {
    for (int i = 0; i < c->count; i++) vector_destroy(&c->in[i]);
    vector_destroy(&c->t);
    g->height -= c->count;
    if (!g->r.failed) return push(g, c->out);
    vector_destroy(&c->out);
    return -1;
}

static void complain(reading *g, const call *c, const int *where) {
    if (c->message[0]) fail_at(&g->r, where[c->blame], "%s", c->message);
    else no_memory(g);
}

/* ---------------------------------------------------------------- quantities */

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

/* Finds a name as a column of the home, or as "source.column". *table: where the column is. */
static const column *find(const reading *g, const char *name, int *table) {
    const column *c = NULL;
    if (g->home >= 0 && (c = data_find(g->all[g->home], name))) return *table = g->home, c;
    for (int i = 0; i < g->count && !c; i++) {
        const char *source = g->all[i]->name;
        size_t n = source ? strlen(source) : 0;
        if (n == 0 || strncmp(name, source, n) != 0 || name[n] != '.') continue;
        c = data_find(g->all[i], name + n + 1);
        *table = i;
    }
    return c;
}

/* False: failed, and v has nothing to destroy. */
static bool load_column(reading *g, const column *c, int table, int start, vector *v) {
    if (!vector_create(v, c->count)) return no_memory(g), false;
    v->events = !strncmp(c->name, "events.", 7);
    g->status = data_values(g->all[table], c, &g->reader[table], v->values, g->error);
    if (!g->status) return true;
    fail_at(&g->r, start, "unreadable");
    vector_destroy(v);
    return false;
}

/* The existing name that is nearest to a missing one; the caller frees it. */
static char *nearest(const reading *g, const char *name) {
    int most = 0, count = 0;
    for (int i = 0; i < g->count; i++) most += 2 * g->all[i]->count;
    char **names = calloc((size_t)most + 1, sizeof *names), *copy = NULL;
    for (int i = 0; i < g->count && names; i++) {
        const data *d = g->all[i];
        for (int k = 0; k < d->count; k++) {
            if (i == g->home && (names[count] = strdup(d->columns[k].name))) count++;
            if (d->name && asprintf(&names[count], "%s.%s", d->name, d->columns[k].name) >= 0) count++;
        }
    }
    const char *found = names ? carom_nearest(name, (const char *const *)names, count) : NULL;
    if (found) copy = strdup(found);
    for (int i = 0; i < count; i++) free(names[i]);
    free(names);
    return copy;
}

static int unknown(reading *g, const char *name, int start) {
    char *near = nearest(g, name);
    const char *source = g->home >= 0 ? g->all[g->home]->name : NULL;
    formula_reader *r = &g->r;
    if (near) fail_at(r, start, "there is no quantity '%.80s'; did you mean '%.80s'?", name, near);
    else if (function_find(name)) fail_at(r, start, "'%s' is a function: write %s(...)", name, name);
    else if (source) fail_at(r, start, "'%.80s' has no quantity '%.80s', and there is no such source", source, name);
    else fail_at(r, start, "there is no quantity '%.80s': write it as source.quantity", name);
    free(near);
    return -1;
}

static int quantity(reading *g, const char *name, int start) {
    int table = -1;
    vector v = {0};
    if (!strcmp(name, "pi")) return push_number(g, 3.14159265358979323846);
    if (g->idle) return push(g, v);
    const column *c = find(g, name, &table);
    if (!c) return unknown(g, name, start);
    return load_column(g, c, table, start, &v) ? push(g, v) : -1;
}

/* ---------------------------------------------------------------- functions */

/* The times that belong to the first argument: those of events if it is made of events, otherwise those of the rows. */
static void find_times(reading *g, const char *caller, call *k, int start) {
    const vector *v = &k->in[0];
    const char *name = v->events ? "events.t" : "t";
    const column *c = g->home >= 0 ? data_find(g->all[g->home], name) : NULL;
    if (!c) fail_at(&g->r, start, "'%s' needs times, and there is no '%s' here", caller, name);
    else if (c->count != v->count)
        fail_at(&g->r, start, "'%s' needs an entry for each of the %ld times '%s', and this has %ld entries", caller,
                c->count, name, v->count);
    else load_column(g, c, g->home, start, &k->t);
}

/* Reads "a, b)" and where each argument begins. false: failed; the stack keeps what it has. */
static bool read_arguments(reading *g, const function *f, call *c, int *where) {
    char arity[40];
    formula_reader *r = &g->r;
    function_arity(f, arity);
    do {
        next_character(r);
        if (c->count == MOST_ARGUMENTS) return fail_at(r, r->at, "'%s' has %s", f->name, arity), false;
        where[c->count++] = r->at;
        read_level(r, OR_LEVEL);
    } while (!r->failed && take_token(r, ","));
    if (!r->failed && !take_token(r, ")")) fail_expected(r, "',' or ')'");
    if (!r->failed && !function_takes(f, c->count)) fail_at(r, where[0], "'%s' has %s", f->name, arity);
    for (int i = 0; i < c->count && !r->failed; i++) c->in[i] = g->stack[g->height - c->count + i];
    return !r->failed;
}

static int call_function(reading *g, const char *name, int start) {
    const function *f = function_find(name);
    call c = {0};
    int where[MOST_ARGUMENTS] = {0};
    if (!f) {
        const char *near = function_nearest(name);
        return fail_at(&g->r, start, "there is no function '%.40s'%s%s%s", name, near ? "; did you mean '" : "",
                       near ? near : "", near ? "'?" : "");
    }
    if (!read_arguments(g, f, &c, where)) return -1;
    if (f->timed && !g->idle) find_times(g, f->name, &c, where[0]);
    if (!g->r.failed && !g->idle && !function_apply(f, &c)) complain(g, &c, where);
    return end_call(g, &c);
}

/* ---------------------------------------------------------------- the grammar */

static int read_number(formula_reader *r, double value) {
    return push_number((reading *)r, value);
}

static int read_name(formula_reader *r) {
    reading *g = (reading *)r;
    int start = r->at, n = name_length(r->text + start);
    char *name = strndup(r->text + start, (size_t)n);
    if (!name) return no_memory(g);
    r->at += n;
    int v = take_token(r, "(") ? call_function(g, name, start) : quantity(g, name, start);
    free(name);
    return v;
}

/* Entry by entry; the operands are on top of the stack. */
static int read_operation(formula_reader *r, op operation, const int operand[], int at) {
    reading *g = (reading *)r;
    call c = {.count = op_arity(operation)};
    for (int i = 0; i < c.count; i++) c.in[i] = g->stack[operand[i]];
    if (!g->idle && !entry_by_entry(function_of_op(operation), &c)) complain(g, &c, (int[]){at, at, at});
    return end_call(g, &c);
}

static const formula_grammar grammar = {read_number, read_name, read_operation};

/* ---------------------------------------------------------------- entry points */

/* The only value left, or why there is none. */
static carom_status evaluate(reading *g, const char *text, vector *v, int *at) {
    parse_error problem;
    int place = -1;
    g->r = (formula_reader){&grammar, text, .error = &problem};
    g->reader = calloc((size_t)g->count + 1, sizeof(result_reader *));
    if (!g->reader) return carom_error_memory(g->error);
    if (!read_whole(&g->r, &place) && !g->status)
        g->status = carom_error_set(g->error, CAROM_DATA, "%s", problem.message);
    *at = g->status ? problem.offset : 0;
    if (!g->status) *v = g->stack[--g->height];
    while (g->height > 0) vector_destroy(&g->stack[--g->height]);
    free(g->stack);
    for (int i = 0; i < g->count; i++) result_close(g->reader[i]);
    free(g->reader);
    return g->status;
}

carom_status measure(const char *text, const data *const *all, int count, int home, measured *result, int *at,
                     carom_error *error) {
    reading g = {.all = all, .count = count, .home = home, .error = error};
    vector v = {0};
    *at = 0;
    carom_status status = evaluate(&g, text, &v, at);
    *result = (measured){v.count, v.values};
    return status;
}

carom_status measure_check(const char *text, int *at, carom_error *error) {
    reading g = {.idle = true, .home = -1, .error = error};
    vector v = {0};
    *at = 0;
    return evaluate(&g, text, &v, at);
}
