#include "switches.h"

#include "print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LENGTH = 120 };

struct switches {
    int count;
    expr *argument;
    carom_switch *info;
    char (*text)[NAME_LENGTH];
    const char **names;
    uint32_t *operand; /* of every node */
    int nodes;
};

switch_class switch_kind(op operation) {
    switch (operation) {
    case OP_SIGN:
    case OP_ABS:
    case OP_MIN:
    case OP_MAX:
    case OP_LT:
    case OP_LE:
        return SWITCH_SIGN;
    case OP_FLOOR:
        return SWITCH_FLOOR;
    default:
        return SWITCH_NONE;
    }
}

/* ---------------------------------------------------------------- arguments */

/* The argument of a switch up to a factor, and the sign of that: 2*x and -x are x, 3 - 2*x is x - 1.5, and of x - y and
 * y - x one is taken. */
typedef struct argument {
    expr value; /* -1: out of memory */
    double sign;
} argument;

/* e = a x + b y = a (x + b/a y), x the older one or the one that is no number */
static argument scaled(graph *g, expr e) {
    expr x, y;
    double a = expr_coefficient(g, expr_child(g, e, 0), &x), b = expr_coefficient(g, expr_child(g, e, 1), &y), swap;
    if (expr_op(g, e) == OP_SUB) b = -b;
    if (expr_is_number(g, x, NULL) || (y < x && !expr_is_number(g, y, NULL))) {
        expr other = x;
        swap = a, a = b, b = swap, x = y, y = other;
    }
    if (!isfinite(b / a)) return (argument){e, 1};
    expr part = expr_mul(g, expr_number(g, b / a), y);
    return (argument){expr_add(g, x, part), a < 0 ? -1 : 1};
}

static argument oriented(graph *g, expr e) {
    expr rest;
    double sign = expr_coefficient(g, e, &rest) < 0 ? -1 : 1;
    if (expr_op(g, rest) != OP_ADD && expr_op(g, rest) != OP_SUB) return (argument){rest, sign};
    argument a = scaled(g, rest);
    return (argument){a.value, a.sign * sign};
}

static argument argument_of(graph *g, expr e) {
    op operation = expr_op(g, e);
    expr a = expr_child(g, e, 0);
    if (operation == OP_FLOOR) return (argument){a, 1};
    if (op_arity(operation) == 2) a = expr_sub(g, a, expr_child(g, e, 1));
    return a < 0 ? (argument){-1, 1} : oriented(g, a);
}

/* ---------------------------------------------------------------- collection */

typedef struct occurrence {
    expr node;
    int root; /* the first that depends on it */
    argument a;
} occurrence;

typedef struct collector {
    graph *g;
    const switch_root *roots;
    int root_count;
    const char *const *symbols;
    int last;
    occurrence *found;
    int count;
    int *of;     /* [2 * nodes] switch of an argument for signs, for floors; NONE, EXEMPT */
    bool *moves; /* [nodes] of arguments */
    switches *sw;
} collector;

enum { NONE = -1, EXEMPT = -2 };

static int *entry(const collector *c, expr e, const argument *a) {
    return &c->of[2 * a->value + (switch_kind(expr_op(c->g, e)) == SWITCH_FLOOR)];
}

/* The nodes of a root follow those of the root before it, so what a root adds to the order ends with the root
 * itself. */
static bool find_occurrences(collector *c) {
    expr *values = malloc(((size_t)c->root_count + 1) * sizeof *values);
    int length = 0, root = 0;
    for (int i = 0; values && i < c->root_count; i++) values[i] = c->roots[i].value;
    const expr *order = values ? graph_order(c->g, values, c->root_count, &length) : NULL;
    free(values);
    c->found = order ? malloc(((size_t)length + 1) * sizeof *c->found) : NULL;
    for (int k = 0; c->found && k < length; k++) {
        while (graph_place(c->g, c->roots[root].value) < k) root++;
        if (switch_kind(expr_op(c->g, order[k])) != SWITCH_NONE)
            c->found[c->count++] = (occurrence){.node = order[k], .root = root};
    }
    bool ok = c->found != NULL;
    for (int i = 0; ok && i < c->count; i++) {
        c->found[i].a = argument_of(c->g, c->found[i].node);
        ok = c->found[i].a.value >= 0;
    }
    return ok;
}

/* Elements decide in places where nothing happens to the motion; see graph_exempt. */
static bool exempt(collector *c) {
    int count;
    const expr *list = graph_exempted(c->g, &count);
    argument *a = malloc(((size_t)count + 1) * sizeof *a);
    bool ok = a != NULL;
    for (int i = 0; ok && i < count; i++) {
        a[i] = argument_of(c->g, list[i]);
        ok = a[i].value >= 0;
    }
    int nodes = graph_size(c->g);
    c->of = ok ? malloc(2 * (size_t)nodes * sizeof *c->of + 1) : NULL;
    for (int k = 0; c->of && k < 2 * nodes; k++) c->of[k] = NONE;
    for (int i = 0; c->of && i < count; i++) *entry(c, list[i], &a[i]) = EXEMPT;
    free(a);
    return c->of != NULL;
}

static void name(const collector *c, int j, const occurrence *x) {
    const switch_root *root = &c->roots[x->root];
    char text[NAME_LENGTH / 2];
    expr_print(c->g, x->node, c->symbols, text, sizeof text);
    snprintf(c->sw->text[j], NAME_LENGTH, "%s%s%.40s: %s", root->name, root->of ? " " : "", root->of ? root->of : "",
             text);
    c->sw->names[j] = c->sw->text[j];
}

static bool has_steps(op operation) {
    return operation == OP_SIGN || operation == OP_FLOOR || operation == OP_LT || operation == OP_LE;
}

/* Nodes of arguments that move by themselves: not those that are constant while the switches within them keep their
 * sides. */
static bool find_moving(collector *c) {
    const int nodes = graph_size(c->g);
    expr *values = malloc(((size_t)c->count + 1) * sizeof *values);
    int length = 0;
    for (int i = 0; values && i < c->count; i++) values[i] = c->found[i].a.value;
    const expr *order = values ? graph_order(c->g, values, c->count, &length) : NULL;
    bool *steps = calloc((size_t)nodes + 1, sizeof *steps);
    c->moves = order && steps ? calloc((size_t)nodes + 1, sizeof *c->moves) : NULL;
    for (int i = 0; c->moves && i < c->count; i++) {
        const occurrence *x = &c->found[i];
        steps[x->node] = has_steps(expr_op(c->g, x->node)) && *entry(c, x->node, &x->a) != EXEMPT;
    }
    for (int k = 0; c->moves && k < length; k++) {
        const expr e = order[k];
        const int symbol = expr_symbol_of(c->g, e);
        bool moves = symbol >= 0 && symbol <= c->last;
        for (int i = 0; i < op_arity(expr_op(c->g, e)); i++) moves = moves || c->moves[expr_child(c->g, e, i)];
        c->moves[e] = moves && !steps[e];
    }
    free(values);
    free(steps);
    return c->moves != NULL;
}

static void number_switches(collector *c) {
    switches *sw = c->sw;
    for (int i = 0; i < c->count; i++) {
        const occurrence *x = &c->found[i];
        int *j = entry(c, x->node, &x->a);
        if (*j != NONE || !c->moves[x->a.value]) continue;
        *j = sw->count++;
        sw->argument[*j] = x->a.value;
        bool floors = switch_kind(expr_op(c->g, x->node)) == SWITCH_FLOOR;
        sw->info[*j] = (carom_switch){.kind = floors ? CAROM_SWITCH_FLOOR : CAROM_SWITCH_SIGN};
        name(c, *j, x);
    }
    for (int j = 0; j < sw->count; j++) sw->info[j].time_only = !expr_depends(c->g, sw->argument[j], 1, c->last);
}

/* Derivatives decide by the arguments of their functions: every node of the graph that decides gets its switch. */
static bool number_operands(collector *c) {
    switches *sw = c->sw;
    int known = graph_size(c->g);
    sw->nodes = known;
    sw->operand = calloc((size_t)known + 1, sizeof *sw->operand);
    bool ok = sw->operand != NULL;
    for (expr e = 0; ok && sw->count && e < known; e++) {
        if (switch_kind(expr_op(c->g, e)) == SWITCH_NONE) continue;
        argument a = argument_of(c->g, e);
        ok = a.value >= 0;
        int j = ok && a.value < known ? *entry(c, e, &a) : NONE;
        if (j >= 0) sw->operand[e] = 2 * ((uint32_t)j + 1) + (a.sign < 0);
    }
    return ok;
}

switches *switches_collect(graph *g, const switch_root *roots, int count, const char *const *symbols, int last) {
    collector c = {.g = g, .roots = roots, .root_count = count, .symbols = symbols, .last = last};
    switches *sw = c.sw = calloc(1, sizeof *sw);
    bool ok = sw && find_occurrences(&c) && exempt(&c) && find_moving(&c);
    if (ok) {
        size_t room = (size_t)c.count + 1;
        sw->argument = malloc(room * sizeof *sw->argument);
        sw->info = malloc(room * sizeof *sw->info);
        sw->text = malloc(room * sizeof *sw->text);
        sw->names = malloc(room * sizeof *sw->names);
        ok = sw->argument && sw->info && sw->text && sw->names;
    }
    if (ok) number_switches(&c);
    ok = ok && number_operands(&c);
    free(c.found);
    free(c.of);
    free(c.moves);
    if (!ok) switches_destroy(sw);
    return ok ? sw : NULL;
}

void switches_destroy(switches *sw) {
    if (!sw) return;
    free(sw->argument);
    free(sw->info);
    free(sw->text);
    free(sw->names);
    free(sw->operand);
    free(sw);
}

int switches_count(const switches *sw) {
    return sw->count;
}

const expr *switches_arguments(const switches *sw) {
    return sw->argument;
}

const carom_switch *switches_info(const switches *sw) {
    return sw->info;
}

const char *const *switches_names(const switches *sw) {
    return sw->names;
}

uint32_t switches_operand(const switches *sw, expr e) {
    return e < sw->nodes ? sw->operand[e] : 0;
}
