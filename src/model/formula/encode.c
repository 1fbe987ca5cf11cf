#include "encode.h"

#include "graph.h"
#include "hash.h"
#include "switches.h"

#include <stdlib.h>
#include <string.h>

typedef struct list { /* of words, expressions or numbers */
    uint32_t *at;
    int count, room;
} list;

struct encoder {
    const formula_def *def;
    const components *c;
    int nodes;
    uint64_t *shape; /* [nodes] the same, but equal for nodes that look alike */
    bool *exempt;    /* [nodes] */
    int *place;      /* [nodes] number of a node in the text, MET: on the stack */
    int *ordinal;    /* [components] order in which a component was met, -1: not yet */
    list code, slot, component, stack, touched;
    int placed, nq, nu;
    int *offset_q, *offset_u; /* [components] first local coordinate and velocity */
    bool decides, exhausted;
};

enum { UNMET = -2, MET = -1 };

static void push(encoder *e, list *l, uint32_t word) {
    if (l->count == l->room) {
        int room = 2 * l->room + 64;
        uint32_t *more = realloc(l->at, (size_t)room * sizeof *more);
        if (!more) {
            e->exhausted = true;
            return;
        }
        l->at = more, l->room = room;
    }
    l->at[l->count++] = word;
}

static void emit(encoder *e, encode_tag tag, int number) {
    push(e, &e->code, (uint32_t)tag << TAG_SHIFT | (uint32_t)number);
}

/* ---------------------------------------------------------------- what looks alike */

static bool commutes(op operation) {
    return operation == OP_ADD || operation == OP_MUL;
}

static uint64_t shape_of_symbol(const encoder *e, int symbol) {
    const components *c = e->c;
    if (symbol == 0) return 2;
    if (symbol > e->def->nq + e->def->nu) return 3;
    const int k = c->of[symbol - 1];
    uint64_t h = hash_word((uint64_t)(symbol <= e->def->nq ? 5 : 7), (uint64_t)c->place[symbol - 1]);
    h = hash_word(h, (uint64_t)(c->first_q[k + 1] - c->first_q[k]));
    return hash_word(h, (uint64_t)(c->first_u[k + 1] - c->first_u[k]));
}

static void find_shapes(encoder *e) {
    const graph *g = e->def->g;
    for (expr x = 0; x < e->nodes; x++) {
        const node *n = graph_at(g, x);
        uint64_t h = 1, child[3] = {0, 0, 0};
        if (n->rank == RANK_MOVING && n->operation == OP_SYMBOL) h = shape_of_symbol(e, n->child[0]);
        else if (n->rank == RANK_MOVING) {
            for (int i = 0; i < op_arity(n->operation); i++) child[i] = e->shape[n->child[i]];
            if (commutes(n->operation) && child[0] > child[1]) {
                const uint64_t other = child[0];
                child[0] = child[1], child[1] = other;
            }
            h = hash_word(hash_word(hash_word((uint64_t)n->operation << 8, child[0]), child[1]), child[2]);
        }
        e->shape[x] = h;
    }
}

/* Operands in the order of their shapes, where the order does not matter. */
static void operands(const encoder *e, expr x, expr child[3]) {
    const node *n = graph_at(e->def->g, x);
    memcpy(child, n->child, 3 * sizeof *child);
    if (commutes(n->operation) && e->shape[child[0]] > e->shape[child[1]])
        child[0] = n->child[1], child[1] = n->child[0];
}

/* ---------------------------------------------------------------- operands */

static void meet(encoder *e, int component) {
    if (e->ordinal[component] >= 0) return;
    const components *c = e->c;
    e->ordinal[component] = e->component.count;
    push(e, &e->component, (uint32_t)component);
    e->offset_q[component] = e->nq, e->offset_u[component] = e->nu;
    e->nq += c->first_q[component + 1] - c->first_q[component];
    e->nu += c->first_u[component + 1] - c->first_u[component];
}

static void emit_variable(encoder *e, int variable) {
    const components *c = e->c;
    const int component = c->of[variable];
    meet(e, component);
    const bool moves = variable >= e->def->nq;
    emit(e, moves ? TAG_U : TAG_Q, (moves ? e->offset_u : e->offset_q)[component] + c->place[variable]);
}

static void emit_exact(encoder *e, double value) {
    uint32_t words[2];
    memcpy(words, &value, sizeof value);
    emit(e, TAG_EXACT, 0);
    push(e, &e->code, words[0]);
    push(e, &e->code, words[1]);
}

/* Exponents and the numbers of tables affect the form of derivatives, so they belong to the text. */
static bool is_exact(op operation, int i) {
    return i == 1 && (operation == OP_POW || operation == OP_PLACE || operation == OP_ENTRY);
}

static void emit_operand(encoder *e, expr x, bool exact) {
    const graph *g = e->def->g;
    const int symbol = expr_symbol_of(g, x);
    double value;
    if (exact && expr_is_number(g, x, &value)) emit_exact(e, value);
    else if (expr_rank_of(g, x) != RANK_MOVING) {
        emit(e, TAG_SLOT, e->slot.count);
        push(e, &e->slot, (uint32_t)x);
    } else if (symbol == 0) emit(e, TAG_TIME, 0);
    else if (symbol > 0) emit_variable(e, symbol - 1);
    else emit(e, TAG_PLACE, e->place[x]);
}

/* ---------------------------------------------------------------- nodes */

static void emit_node(encoder *e, expr x) {
    const op operation = expr_op(e->def->g, x);
    expr child[3];
    operands(e, x, child);
    emit(e, e->exempt[x] ? TAG_EXEMPT : TAG_NODE, (int)operation);
    for (int i = 0; i < op_arity(operation); i++) emit_operand(e, child[i], is_exact(operation, i));
    e->decides = e->decides || (switch_kind(operation) != SWITCH_NONE && !e->exempt[x]);
    e->place[x] = e->placed++;
}

/* The nodes below x that are not yet in the text, children first. */
static void emit_below(encoder *e, expr x) {
    const graph *g = e->def->g;
    push(e, &e->stack, (uint32_t)x);
    while (e->stack.count > 0 && !e->exhausted) {
        x = (expr)e->stack.at[e->stack.count - 1];
        if (e->place[x] >= 0 || expr_rank_of(g, x) != RANK_MOVING || expr_symbol_of(g, x) >= 0) e->stack.count--;
        else if (e->place[x] == MET) {
            e->stack.count--;
            emit_node(e, x);
        } else {
            expr child[3];
            e->place[x] = MET;
            push(e, &e->touched, (uint32_t)x);
            operands(e, x, child);
            for (int i = op_arity(expr_op(g, x)); i-- > 0;) push(e, &e->stack, (uint32_t)child[i]);
        }
    }
}

static void emit_root(encoder *e, const formula_root *root) {
    const formula_def *d = e->def;
    if (root->part != FORMULA_Q_DOT) emit_below(e, root->value);
    emit(e, TAG_ROOT, (int)root->part);
    if (root->part == FORMULA_Q_DOT) emit_variable(e, root->index);
    if (root->part == FORMULA_FORCE) emit_variable(e, d->nq + root->index);
    if (root->part == FORMULA_GAP) push(e, &e->code, (uint32_t)d->contact[root->index].slips);
    if (root->part != FORMULA_Q_DOT) emit_operand(e, root->value, false);
}

static void emit_component(encoder *e, int k) {
    const components *c = e->c;
    emit(e, TAG_COMPONENT, c->first_q[k + 1] - c->first_q[k]);
    push(e, &e->code, (uint32_t)(c->first_u[k + 1] - c->first_u[k]));
    for (int i = c->first_q[k]; i < c->first_q[k + 1]; i++) {
        const expr rate = e->def->q_dot ? e->def->q_dot[c->q[i]] : expr_symbol(e->def->g, 1 + e->def->nq + c->q[i]);
        emit_below(e, rate);
        emit_operand(e, rate, false);
    }
}

bool encode(encoder *e, const formula_root *roots, int count, const int *extra, int extras, encoding *result) {
    for (int k = 0; k < e->touched.count; k++) e->place[e->touched.at[k]] = UNMET;
    for (int k = 0; k < e->component.count; k++) e->ordinal[e->component.at[k]] = -1;
    e->code.count = e->slot.count = e->component.count = e->stack.count = e->touched.count = 0;
    e->placed = e->nq = e->nu = 0;
    e->decides = false;
    for (int i = 0; i < count && !e->exhausted; i++) emit_root(e, &roots[i]);
    for (int i = 0; i < extras && !e->exhausted; i++) meet(e, extra[i]);
    for (int k = 0; k < e->component.count && !e->exhausted; k++) emit_component(e, (int)e->component.at[k]);
    *result = (encoding){.code = e->code.at,
                         .length = e->code.count,
                         .slot = (const expr *)(const void *)e->slot.at,
                         .slots = e->slot.count,
                         .component = (const int *)(const void *)e->component.at,
                         .components = e->component.count,
                         .decides = e->decides};
    return !e->exhausted;
}

/* ---------------------------------------------------------------- the encoder */

encoder *encoder_create(const formula_def *def, const components *c) {
    encoder *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    for (int j = 0; j < def->nu && !def->q_dot; j++) expr_symbol(def->g, 1 + def->nq + j);
    const size_t nodes = (size_t)graph_size(def->g) + 1, parts = (size_t)c->count + 1;
    *e = (encoder){.def = def,
                   .c = c,
                   .nodes = graph_size(def->g),
                   .shape = malloc(nodes * sizeof *e->shape),
                   .exempt = calloc(nodes, sizeof *e->exempt),
                   .place = malloc(nodes * sizeof *e->place),
                   .ordinal = malloc(parts * sizeof *e->ordinal),
                   .offset_q = malloc(parts * sizeof *e->offset_q),
                   .offset_u = malloc(parts * sizeof *e->offset_u)};
    if (!e->shape || !e->exempt || !e->place || !e->ordinal || !e->offset_q || !e->offset_u) {
        encoder_destroy(e);
        return NULL;
    }
    int exempted;
    const expr *marked = graph_exempted(def->g, &exempted);
    for (int i = 0; i < exempted; i++) e->exempt[marked[i]] = true;
    for (int i = 0; i < e->nodes; i++) e->place[i] = UNMET;
    for (int k = 0; k < c->count; k++) e->ordinal[k] = -1;
    find_shapes(e);
    return e;
}

void encoder_destroy(encoder *e) {
    if (!e) return;
    free(e->shape), free(e->exempt), free(e->place), free(e->ordinal), free(e->offset_q), free(e->offset_u);
    free(e->code.at), free(e->slot.at), free(e->component.at), free(e->stack.at), free(e->touched.at);
    free(e);
}
