/* The expression graph: storage, hash-consing, walks and queries. simplify.c builds on graph_node. */
#include "graph.h"
#include "hash.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct place { /* a node in the table, with its hash, which tells most nodes apart */
    unsigned hash;
    int id; /* -1: empty */
};

struct graph {
    node *nodes;
    int size, capacity;
    struct place *table; /* open addressing; table_mask + 1 >= 2 capacity places */
    unsigned table_mask;

    /* the last walk */
    struct {
        unsigned walk; /* the walk to which place belongs */
        int place;     /* nodes in order; -1: children are not done yet */
    } * visit;         /* [capacity] */
    unsigned walk;
    expr *order, *stack;
    int order_capacity, stack_capacity;

    expr *exempt; /* operations that are no switches */
    int exempt_count, exempt_capacity;

    struct still {
        expr_rank rank;
        const char *name;
        const void *fixed;
    } * still; /* [still_capacity] */
    const void *fix_for;
    const knots **knots;
    int tables;
    double *still_value;
    int stills, still_capacity;

    bool exhausted;
};

/* ---------------------------------------------------------------- operations */

int op_arity(op operation) {
#define X(name, arity, text, value) [OP_##name] = arity,
    static const int arities[OP_COUNT] = {OPERATIONS(X)};
#undef X
    return arities[operation];
}

const char *op_name(op operation) {
#define X(name, arity, text, value) [OP_##name] = text,
    static const char *const names[OP_COUNT] = {"", "", OPERATIONS(X)};
#undef X
    return names[operation];
}

double op_value(op operation, double a, double b, double c) {
    switch (operation) {
#define X(name, arity, text, value)                                                                                    \
    case OP_##name:                                                                                                    \
        return value;
        OPERATIONS(X)
#undef X
    default:
        return NAN;
    }
}

/* ---------------------------------------------------------------- storage */

graph *graph_create(void) {
    return calloc(1, sizeof(graph));
}

void graph_destroy(graph *g) {
    if (!g) return;
    free(g->nodes);
    free(g->table);
    free(g->visit);
    free(g->order);
    free(g->stack);
    free(g->exempt);
    free(g->still);
    free(g->still_value);
    free(g->knots);
    free(g);
}

int graph_size(const graph *g) {
    return g->size;
}

bool graph_exhausted(const graph *g) {
    return g->exhausted;
}

void *graph_memory(graph *g, void *old, size_t count, size_t size) {
    void *room = realloc(old, count * size);
    if (!room) g->exhausted = true;
    return room;
}

const node *graph_at(const graph *g, expr e) {
    return &g->nodes[e];
}

static bool same(const node *x, const node *y) {
    if (x->operation != y->operation) return false;
    if (x->operation == OP_NUMBER) return memcmp(&x->value, &y->value, sizeof x->value) == 0;
    return memcmp(x->child, y->child, sizeof x->child) == 0;
}

static unsigned hash(const node *n) {
    uint64_t words[2] = {0, 0};
    if (n->operation == OP_NUMBER) memcpy(words, &n->value, sizeof n->value);
    else memcpy(words, n->child, sizeof n->child);
    return (unsigned)hash_word(hash_word((uint64_t)n->operation << 56, words[0]), words[1]);
}

/* The place of n in the table: of the equal node or the empty one where it belongs. */
static struct place *find(const graph *g, const node *n, unsigned h) {
    unsigned k = h & g->table_mask;
    while (g->table[k].id >= 0 && (g->table[k].hash != h || !same(&g->nodes[g->table[k].id], n)))
        k = (k + 1) & g->table_mask;
    return &g->table[k];
}

/* Moves the entries of the table to their places in a larger one. */
static void move_places(graph *g, struct place *table, unsigned mask) {
    memset(table, -1, ((size_t)mask + 1) * sizeof *table);
    for (unsigned i = 0; g->table && i <= g->table_mask; i++) {
        unsigned k = g->table[i].hash & mask;
        if (g->table[i].id < 0) continue;
        while (table[k].id >= 0) k = (k + 1) & mask;
        table[k] = g->table[i];
    }
    free(g->table);
    g->table = table, g->table_mask = mask;
}

static bool grow(graph *g) {
    if (g->capacity > INT32_MAX / 4) return !(g->exhausted = true);
    int capacity = g->capacity ? 2 * g->capacity : 64;
    node *nodes = graph_memory(g, g->nodes, (size_t)capacity, sizeof *nodes);
    if (nodes) g->nodes = nodes;
    void *visit = graph_memory(g, g->visit, (size_t)capacity, sizeof *g->visit);
    if (visit) g->visit = visit;
    struct place *table = nodes && visit ? graph_memory(g, NULL, (size_t)capacity * 2, sizeof *table) : NULL;
    if (!table) return false;
    memset(g->visit + g->capacity, 0, (size_t)(capacity - g->capacity) * sizeof *g->visit);
    move_places(g, table, 2 * (unsigned)capacity - 1);
    g->capacity = capacity;
    return true;
}

static expr_rank rank_of(const graph *g, const node *n) {
    if (n->operation == OP_SYMBOL)
        return n->child[0] < STILL_SYMBOLS ? RANK_MOVING : g->still[n->child[0] - STILL_SYMBOLS].rank;
    expr_rank least = RANK_NUMBER;
    for (int i = 0; i < op_arity(n->operation); i++)
        if (g->nodes[n->child[i]].rank < least) least = g->nodes[n->child[i]].rank;
    return least;
}

expr graph_node(graph *g, const node *n) {
    if (g->size == g->capacity && !grow(g)) return -1;
    const unsigned h = hash(n);
    struct place *place = find(g, n, h);
    if (place->id < 0) {
        g->nodes[g->size] = *n;
        g->nodes[g->size].rank = rank_of(g, n);
        *place = (struct place){h, g->size++};
    }
    return place->id;
}

expr expr_number(graph *g, double value) {
    return graph_node(g, &(node){.operation = OP_NUMBER, .value = value == 0 ? 0.0 : value}); /* no negative zero */
}

expr expr_symbol(graph *g, int symbol) {
    return graph_node(g, &(node){.operation = OP_SYMBOL, .child = {symbol, -1, -1}});
}

expr expr_still_symbol(graph *g, expr_rank rank, const char *name, double value) {
    if (g->stills == g->still_capacity) {
        int capacity = 2 * g->still_capacity + 16;
        void *still = graph_memory(g, g->still, (size_t)capacity, sizeof *g->still);
        if (still) g->still = still;
        double *values = still ? graph_memory(g, g->still_value, (size_t)capacity, sizeof *values) : NULL;
        if (!values) return -1;
        g->still_value = values;
        g->still_capacity = capacity;
    }
    g->still[g->stills] = (struct still){.rank = rank, .name = name};
    g->still_value[g->stills] = value;
    return expr_symbol(g, STILL_SYMBOLS + g->stills++);
}

/* ---------------------------------------------------------------- walks */

static bool grow_list(graph *g, expr **list, int *capacity, int wanted) {
    if (wanted <= *capacity) return true;
    int larger = wanted > INT32_MAX / 2 ? wanted : 2 * wanted;
    expr *grown = graph_memory(g, *list, (size_t)larger, sizeof *grown);
    if (!grown) return false;
    *list = grown;
    *capacity = larger;
    return true;
}

/* Depth first, with a stack of our own: a node is met once to push its children, once more to be placed after them. */
static int walk_below(graph *g, expr root, int length) {
    int depth = 0;
    g->stack[depth++] = root;
    while (depth > 0) {
        expr e = g->stack[depth - 1];
        if (g->visit[e].walk != g->walk) {
            g->visit[e].walk = g->walk;
            g->visit[e].place = -1;
            if (!grow_list(g, &g->stack, &g->stack_capacity, depth + 3)) return -1;
            for (int i = op_arity(g->nodes[e].operation); i-- > 0;) {
                expr child = g->nodes[e].child[i];
                if (g->visit[child].walk != g->walk) g->stack[depth++] = child;
            }
            continue;
        }
        depth--;
        if (g->visit[e].place >= 0) continue;
        if (!grow_list(g, &g->order, &g->order_capacity, length + 1)) return -1;
        g->order[length] = e;
        g->visit[e].place = length++;
    }
    return length;
}

const expr *graph_order(graph *g, const expr *roots, int count, int *length) {
    *length = 0;
    if (++g->walk == 0) { /* after 2^32 walks the old marks are ambiguous */
        for (expr e = 0; e < g->capacity; e++) g->visit[e].walk = 0;
        g->walk = 1;
    }
    if (!grow_list(g, &g->order, &g->order_capacity, 1) || !grow_list(g, &g->stack, &g->stack_capacity, 1)) return NULL;
    for (int i = 0; i < count; i++) {
        *length = roots[i] < 0 ? -1 : walk_below(g, roots[i], *length);
        if (*length < 0) return NULL;
    }
    return g->order;
}

int graph_place(const graph *g, expr e) {
    return g->visit[e].walk == g->walk ? g->visit[e].place : -1;
}

/* ---------------------------------------------------------------- tables */

bool graph_add_table(graph *g, const knots *table, int *number) {
    const knots **more = graph_memory(g, g->knots, (size_t)g->tables + 1, sizeof *more);
    if (!more) return false;
    g->knots = more;
    g->knots[ *number = g->tables++] = table;
    return true;
}

const knots *const *graph_tables(const graph *g, int *count) {
    *count = g->tables;
    return g->knots;
}

expr expr_interval(graph *g, int table, expr x) {
    double at;
    if (expr_is_number(g, x, &at)) return expr_number(g, floor(knots_place(g->knots[table], at)));
    expr number = expr_number(g, table);
    return expr_unary(g, OP_FLOOR, expr_binary(g, OP_PLACE, x, number));
}

expr expr_entry_of(graph *g, int table, expr n, int column) {
    double interval;
    if (expr_is_number(g, n, &interval)) return expr_number(g, knots_entry(g->knots[table], interval, column));
    expr number = expr_number(g, table * KNOT_COLUMNS + column);
    return expr_binary(g, OP_ENTRY, n, number);
}

expr expr_table(graph *g, int table, expr x) {
    expr n = expr_interval(g, table, x), off = expr_sub(g, x, expr_entry_of(g, table, n, KNOT_X));
    expr value = expr_entry_of(g, table, n, KNOT_C3);
    for (int column = KNOT_C2; column >= KNOT_C0; column--) {
        expr product = expr_mul(g, value, off);
        value = expr_add(g, product, expr_entry_of(g, table, n, column));
    }
    return value;
}

/* ---------------------------------------------------------------- exemptions */

expr graph_exempt(graph *g, expr e) {
    if (e < 0 || op_arity(g->nodes[e].operation) == 0) return e;
    if (!grow_list(g, &g->exempt, &g->exempt_capacity, g->exempt_count + 1)) return -1;
    g->exempt[g->exempt_count++] = e;
    return e;
}

const expr *graph_exempted(const graph *g, int *count) {
    *count = g->exempt_count;
    return g->exempt;
}

/* ---------------------------------------------------------------- queries */

int graph_stills(const graph *g) {
    return g->stills;
}
const double *graph_still_values(const graph *g) {
    return g->still_value;
}
const char *graph_still_name(const graph *g, int i) {
    return g->still[i].name;
}

int graph_still_called(const graph *g, expr e, const char *name) {
    const int i = expr_symbol_of(g, e) - STILL_SYMBOLS;
    return i >= 0 && strcmp(g->still[i].name, name) == 0 ? i : -1;
}
expr_rank graph_still_rank(const graph *g, int i) {
    return g->still[i].rank;
}
const void *graph_still_fixed(const graph *g, int i) {
    return g->still[i].fixed;
}

const void *graph_fix_for(graph *g, const void *what) {
    const void *before = g->fix_for;
    g->fix_for = what;
    return before;
}

expr_rank expr_rank_of(const graph *g, expr e) {
    return e < 0 ? RANK_MOVING : g->nodes[e].rank;
}

op expr_op(const graph *g, expr e) {
    return g->nodes[e].operation;
}

expr expr_child(const graph *g, expr e, int i) {
    return g->nodes[e].child[i];
}

bool expr_is_number(const graph *g, expr e, double *value) {
    if (e < 0 || g->nodes[e].operation != OP_NUMBER) return false;
    if (value) *value = g->nodes[e].value;
    return true;
}

bool expr_equals(const graph *g, expr e, double value) {
    double v;
    return expr_is_number(g, e, &v) && v == value;
}

int expr_symbol_of(const graph *g, expr e) {
    return e >= 0 && g->nodes[e].operation == OP_SYMBOL ? g->nodes[e].child[0] : -1;
}

static int ascending(const void *x, const void *y) {
    int a = *(const int *)x, b = *(const int *)y;
    return (a > b) - (a < b);
}

int expr_support(graph *g, expr e, int *symbols, int max) {
    int length, count = 0;
    const expr *order = graph_order(g, &e, 1, &length);
    if (!order) return -1;
    /* the order is free until the next walk: collect the symbols at its front, then sort */
    for (int k = 0; k < length; k++)
        if (expr_symbol_of(g, order[k]) >= 0) g->order[count++] = expr_symbol_of(g, order[k]);
    qsort(g->order, (size_t)count, sizeof *g->order, ascending);
    for (int k = 0; k < count && k < max; k++) symbols[k] = g->order[k];
    return count;
}

bool expr_depends(graph *g, expr e, int first_symbol, int last_symbol) {
    int length;
    const expr *order = graph_order(g, &e, 1, &length);
    for (int k = 0; order && k < length; k++) {
        int symbol = expr_symbol_of(g, order[k]);
        if (symbol >= first_symbol && symbol <= last_symbol) return true;
    }
    return !order; /* unknown counts as dependent */
}

double expr_value(graph *g, expr e, const double *values) {
    int length;
    const expr *order = e < 0 ? NULL : graph_order(g, &e, 1, &length);
    double *v = order ? graph_memory(g, NULL, (size_t)length, sizeof *v) : NULL;
    if (!v) return NAN;
    for (int k = 0; k < length; k++) {
        const node *n = &g->nodes[order[k]];
        double x[3] = {0, 0, 0};
        for (int i = 0; i < op_arity(n->operation); i++) x[i] = v[graph_place(g, n->child[i])];
        int still = n->operation == OP_SYMBOL ? n->child[0] - STILL_SYMBOLS : -1;
        v[k] = n->operation == OP_NUMBER   ? n->value
               : still >= 0                ? g->still_value[still]
               : n->operation == OP_SYMBOL ? values[n->child[0]]
               : n->operation == OP_PLACE || n->operation == OP_ENTRY
                   ? knots_value(g->knots, n->operation == OP_PLACE, x[0], x[1])
                   : op_value(n->operation, x[0], x[1], x[2]);
    }
    double result = v[length - 1];
    free(v);
    return result;
}

bool expr_fix(graph *g, expr e, double *value) {
    if (expr_is_number(g, e, value)) return true;
    if (expr_rank_of(g, e) < RANK_PARAMETER) return false;
    *value = expr_value(g, e, NULL);
    int length;
    const expr *order = graph_order(g, &e, 1, &length);
    for (int k = 0; order && k < length; k++) {
        int symbol = expr_symbol_of(g, order[k]);
        if (symbol < 0) continue;
        struct still *s = &g->still[symbol - STILL_SYMBOLS];
        if (!s->fixed) s->fixed = g->fix_for ? g->fix_for : g;
    }
    return true;
}
