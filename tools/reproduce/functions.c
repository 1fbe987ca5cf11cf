/* Functions in formulas of quantities: docs/guide/study.md says what each one means. */
#include "error.h"
#include "reproduce/vector.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool vector_create(vector *v, long count) {
    *v = (vector){.count = count, .values = malloc(((size_t)count + 1) * sizeof *v->values)};
    if (!v->values) v->count = 0;
    return v->values != NULL;
}

void vector_destroy(vector *v) {
    free(v->values);
    *v = (vector){0};
}

static bool refuse(call *c, int blame, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool refuse(call *c, int blame, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->message, sizeof c->message, format, arguments);
    va_end(arguments);
    c->blame = blame;
    return false;
}

/* The argument k becomes the value of the function, without a copy. */
static void return_argument(call *c, int k) {
    c->out = c->in[k];
    c->in[k] = (vector){0};
}

static bool give_number(call *c, double value) {
    if (!vector_create(&c->out, 1)) return false;
    c->out.values[0] = value;
    return true;
}

static bool is_number(call *c, int k, const char *what) {
    if (c->in[k].count == 1) return true;
    return refuse(c, k, "%s must be a number, and has %ld entries", what, c->in[k].count);
}

static bool same_length(call *c) {
    long x = c->in[0].count, y = c->in[1].count;
    return x == y || refuse(c, 1, "%ld entries do not go with %ld", y, x);
}

static bool fits(call *c) {
    return c->in[0].count == 1 || c->in[1].count == 1 || same_length(c);
}

/* ---------------------------------------------------------------- entry by entry */

static double value_of(const function *f, double a, double b, double c) {
    return f->entry ? f->entry(a) : f->pair ? f->pair(a, b) : op_value(f->operation, a, b, c);
}

/* The argument that decides on the number of entries: one whose length is not 1. -1: the lengths do not fit. */
static int longest(call *c) {
    int longest = 0;
    for (int k = 1; k < c->count; k++) {
        long count = c->in[k].count, most = c->in[longest].count;
        if (count != 1 && most != 1 && count != most)
            return refuse(c, k, "%ld entries do not go with %ld", count, most), -1;
        if (most == 1) longest = k;
    }
    return longest;
}

bool entry_by_entry(const function *f, call *c) {
    const int to = longest(c);
    if (to < 0) return false;
    const double *x[MOST_ARGUMENTS] = {0};
    long step[MOST_ARGUMENTS] = {0};
    static const double none = 0;
    bool events = false;
    for (int k = 0; k < MOST_ARGUMENTS; k++) {
        x[k] = k < c->count ? c->in[k].values : &none;
        step[k] = k < c->count && c->in[k].count != 1;
        events = events || c->in[k].events;
    }
    for (long i = 0; i < c->in[to].count; i++)
        c->in[to].values[i] = value_of(f, x[0][i * step[0]], x[1][i * step[1]], x[2][i * step[2]]);
    return_argument(c, to);
    c->out.events = events;
    return true;
}

/* ---------------------------------------------------------------- of all entries */

static double largest(const vector *v) {
    double most = v->values[0];
    for (long i = 1; i < v->count; i++) most = op_value(OP_MAX, most, v->values[i], 0);
    return most;
}

static double smallest(const vector *v) {
    double least = v->values[0];
    for (long i = 1; i < v->count; i++) least = op_value(OP_MIN, least, v->values[i], 0);
    return least;
}

static double sum(const vector *v) {
    double total = 0;
    for (long i = 0; i < v->count; i++) total += v->values[i];
    return total;
}

static double mean(const vector *v) {
    return sum(v) / (double)v->count;
}

static double first(const vector *v) {
    return v->values[0];
}

static double last(const vector *v) {
    return v->values[v->count - 1];
}

static double count(const vector *v) {
    long number = 0;
    for (long i = 0; i < v->count; i++) number += v->values[i] != 0;
    return (double)number;
}

static double length(const vector *v) {
    return (double)v->count;
}

/* ---------------------------------------------------------------- parts of lists */

static bool nth(call *c) {
    if (!is_number(c, 1, "which entry")) return false;
    double k = c->in[1].values[0], entries = (double)c->in[0].count;
    if (k != floor(k)) return refuse(c, 1, "entry %g: it must be an integer", k);
    if (!(fabs(k) >= 1 && fabs(k) <= entries)) return refuse(c, 1, "there is no entry %g of %g", k, entries);
    return give_number(c, c->in[0].values[(long)(k > 0 ? k - 1 : entries + k)]);
}

static bool select_entries(call *c) {
    if (!fits(c)) return false;
    const vector *v = &c->in[0], *keep = &c->in[1];
    int longer = v->count == 1;
    vector *to = &c->in[longer];
    long v_step = v->count != 1, keep_step = keep->count != 1, kept = 0;
    for (long i = 0; i < to->count; i++) { /* kept <= i: nothing is overwritten before it is read */
        double x = v->values[i * v_step];
        if (keep->values[i * keep_step] != 0) to->values[kept++] = x;
    }
    to->count = kept;
    return_argument(c, longer);
    return true;
}

static bool difference(call *c) {
    vector *v = &c->in[0];
    for (long i = 0; i + 1 < v->count; i++) v->values[i] = v->values[i + 1] - v->values[i];
    if (v->count) v->count--;
    return_argument(c, 0);
    return true;
}

static bool running_sum(call *c) {
    for (long i = 1; i < c->in[0].count; i++) c->in[0].values[i] += c->in[0].values[i - 1];
    return_argument(c, 0);
    return true;
}

/* ---------------------------------------------------------------- interpolation */

/* 1: rising, -1: falling, where equal neighbours are allowed; 0: neither */
static int direction(const vector *x) {
    int sign = x->values[x->count - 1] < x->values[0] ? -1 : 1;
    for (long i = 0; i < x->count; i++)
        if (isnan(x->values[i]) || (i && sign * (x->values[i] - x->values[i - 1]) < 0)) return 0;
    return sign;
}

/* y at x0. At an entry of x it is exactly the first such y[i]. Times are sums of steps, so an x0 outside by round-off
 * counts as the end. */
static bool interpolated(const vector *x, const double *y, int sign, double x0, double *result) {
    const double *values = x->values;
    long end = x->count - 1, low = -1, high = end;
    double slack = 1e-9 * fabs(values[end] - values[0]);
    if (isnan(x0)) return *result = NAN, true;
    if (sign * (x0 - values[0]) < -slack || sign * (x0 - values[end]) > slack) return false;
    while (high - low > 1) { /* the first with x >= x0, or the end */
        long middle = low + (high - low) / 2;
        if (sign * (values[middle] - x0) >= 0) high = middle;
        else low = middle;
    }
    if (low < 0 || sign * (x0 - values[high]) >= 0) *result = y[high];
    else *result = y[low] + (x0 - values[low]) / (values[high] - values[low]) * (y[high] - y[low]);
    return true;
}

/* in[wanted] becomes y over x at its entries. */
static bool interpolate(call *c, const vector *x, int of, const double *y, int wanted) {
    vector *at = &c->in[wanted];
    if (x->count == 0) return refuse(c, of, "there are no entries to interpolate between");
    int sign = direction(x);
    if (!sign) return refuse(c, of, "what is interpolated over must rise or fall from entry to entry");
    for (long i = 0; i < at->count; i++) {
        double x0 = at->values[i];
        if (!interpolated(x, y, sign, x0, &at->values[i]))
            return refuse(c, wanted, "%g is not between %g and %g", x0, x->values[0], x->values[x->count - 1]);
    }
    return_argument(c, wanted);
    c->out.events = false;
    return true;
}

static bool at(call *c) {
    return interpolate(c, &c->t, 0, c->in[0].values, 1);
}

static bool interp(call *c) {
    return same_length(c) && interpolate(c, &c->in[0], 0, c->in[1].values, 2);
}

/* A crossing leads from an entry beside the level to one on it or beyond it. NaN in between is no crossing. */
static bool crossing(call *c) {
    if (!is_number(c, 1, "the level")) return false;
    const double *v = c->in[0].values, *t = c->t.values, level = c->in[1].values[0];
    for (long i = 0; i + 1 < c->in[0].count; i++) {
        double a = v[i] - level, b = v[i + 1] - level;
        if (b == 0 && a != 0 && !isnan(a)) return give_number(c, t[i + 1]);
        if ((a < 0 && b > 0) || (a > 0 && b < 0)) return give_number(c, t[i] + a / (a - b) * (t[i + 1] - t[i]));
    }
    return give_number(c, NAN);
}

/* Times of entries at which in[0] is true and the neighbour on this side is not. */
static bool edges(call *c, int side) {
    const vector *v = &c->in[0];
    long found = 0;
    if (!vector_create(&c->out, v->count)) return false;
    for (long i = 0; i < v->count; i++) {
        long beside = i + side;
        bool outside = beside < 0 || beside >= v->count;
        if (v->values[i] != 0 && (outside || v->values[beside] == 0)) c->out.values[found++] = c->t.values[i];
    }
    c->out.count = found;
    return true;
}

static bool starts(call *c) {
    return edges(c, -1);
}
static bool ends(call *c) {
    return edges(c, 1);
}

/* ---------------------------------------------------------------- lines */

/* sum (x - mean x)(y - mean y) / sum (x - mean x)^2 */
static bool slope(call *c) {
    const vector *x = &c->in[0], *y = &c->in[1];
    if (!same_length(c)) return false;
    if (x->count < 2) return refuse(c, 0, "a slope needs two points, and there are %ld", x->count);
    double x_mean = mean(x), y_mean = mean(y), xy = 0, xx = 0;
    for (long i = 0; i < x->count; i++) {
        double dx = x->values[i] - x_mean;
        xy += dx * (y->values[i] - y_mean);
        xx += dx * dx;
    }
    if (xx == 0) return refuse(c, 0, "a slope needs two points, and all are at %g", x->values[0]);
    return give_number(c, xy / xx);
}

static bool order(call *c) {
    vector *h = &c->in[0], *e = &c->in[1];
    if (!same_length(c)) return false;
    long kept = 0;
    for (long i = 0; i < h->count; i++)
        if (h->values[i] > 0 && e->values[i] > 0) {
            h->values[kept] = log(h->values[i]);
            e->values[kept++] = log(e->values[i]);
        }
    h->count = e->count = kept;
    return slope(c);
}

/* ---------------------------------------------------------------- all of them */

/* Operators have no name. */
#define X(text_of_op, arity, text, value) {.name = text, .operation = OP_##text_of_op},
static const function of_formulas[] = {OPERATIONS(X)};
#undef X
enum { OF_FORMULAS = sizeof of_formulas / sizeof *of_formulas };

const function *function_of_op(op operation) {
    return &of_formulas[operation - OP_ADD];
}

/* Functions of lists, and functions that the formulas of scenes do not have. */
static const function functions[] = {
    {.name = "log10", .entry = log10},
    {.name = "hypot", .pair = hypot},
    {.name = "max", .operation = OP_MAX, .whole = largest, .some = true},
    {.name = "min", .operation = OP_MIN, .whole = smallest, .some = true},
    {.name = "mean", .whole = mean, .some = true},
    {.name = "sum", .whole = sum},
    {.name = "first", .whole = first, .some = true},
    {.name = "last", .whole = last, .some = true},
    {.name = "count", .whole = count},
    {.name = "len", .whole = length},
    {.name = "nth", .other = nth, .arguments = 2},
    {.name = "select", .other = select_entries, .arguments = 2},
    {.name = "diff", .other = difference, .arguments = 1},
    {.name = "cumsum", .other = running_sum, .arguments = 1},
    {.name = "at", .other = at, .arguments = 2, .timed = true},
    {.name = "crossing", .other = crossing, .arguments = 2, .timed = true},
    {.name = "starts", .other = starts, .arguments = 1, .timed = true},
    {.name = "ends", .other = ends, .arguments = 1, .timed = true},
    {.name = "slope", .other = slope, .arguments = 2},
    {.name = "order", .other = order, .arguments = 2},
    {.name = "interp", .other = interp, .arguments = 3},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

const function *function_find(const char *name) {
    for (int i = 0; i < FUNCTIONS; i++)
        if (!strcmp(functions[i].name, name)) return &functions[i];
    for (int i = 0; i < OF_FORMULAS; i++)
        if (*name && !strcmp(of_formulas[i].name, name)) return &of_formulas[i];
    return NULL;
}

const char *function_nearest(const char *name) {
    const char *names[FUNCTIONS + OF_FORMULAS];
    int count = 0;
    for (int i = 0; i < FUNCTIONS; i++) names[count++] = functions[i].name;
    for (int i = 0; i < OF_FORMULAS; i++)
        if (*of_formulas[i].name) names[count++] = of_formulas[i].name;
    return carom_nearest(name, names, count);
}

/* How many arguments it takes entry by entry; 0: it works on whole lists. */
static int entries_taken(const function *f) {
    return f->entry ? 1 : f->pair ? 2 : f->operation ? op_arity(f->operation) : 0;
}

bool function_takes(const function *f, int number) {
    return f->other ? number == f->arguments : number == entries_taken(f) || (number == 1 && f->whole);
}

void function_arity(const function *f, char text[40]) {
    int most = f->other ? f->arguments : entries_taken(f) ? entries_taken(f) : 1;
    snprintf(text, 40, "%s%d argument%s", f->whole && most > 1 ? "1 or " : "", most, most > 1 ? "s" : "");
}

bool function_apply(const function *f, call *c) {
    if (f->other) return f->other(c);
    if (c->count == entries_taken(f)) return entry_by_entry(f, c);
    if (f->some && c->in[0].count == 0) return refuse(c, 0, "'%s' of no entries", f->name);
    return give_number(c, f->whole(&c->in[0]));
}
