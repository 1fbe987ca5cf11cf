/* The formulas of a kind from the text of its elements. */
#include "encode.h"
#include "kinds.h"

#include <string.h>

typedef struct decoder {
    graph *g;
    kind_def *k;
    const uint32_t *at, *end;
    const expr *slot;
    expr *node; /* by number */
    int nodes;
    int *own;
    expr *part[FORMULA_PARTS]; /* the formulas of a part, in order */
    int count[FORMULA_PARTS];
    carom_model_contact *contact;
} decoder;

static encode_tag tag_of(uint32_t word) {
    return (encode_tag)(word >> TAG_SHIFT & TAG_MASK);
}

static int number_of(uint32_t word) {
    return (int)(word & ((1u << TAG_SHIFT) - 1));
}

/* ---------------------------------------------------------------- sizes */

static const uint32_t *skip_operand(const uint32_t *at) {
    return at + (tag_of(*at) == TAG_EXACT ? 3 : 1);
}

static const uint32_t *skip_root(const uint32_t *at, int count[FORMULA_PARTS]) {
    const int part = number_of(*at++);
    count[part]++;
    if (part == FORMULA_Q_DOT) return at + 1;
    if (part == FORMULA_FORCE || part == FORMULA_GAP) at++;
    return skip_operand(at);
}

/* Rates follow their component, one for each of its coordinates, with the nodes that they need before them. */
static void count_all(const encoding *text, int *nq, int *nu, int *nodes, int count[FORMULA_PARTS]) {
    const uint32_t *at = text->code, *end = at + text->length;
    while (at < end) {
        const encode_tag tag = tag_of(*at);
        if (tag == TAG_ROOT) at = skip_root(at, count);
        else if (tag == TAG_COMPONENT) {
            *nq += number_of(at[0]), *nu += (int)at[1];
            at += 2;
        } else if (tag == TAG_NODE || tag == TAG_EXEMPT) {
            const int arity = op_arity((op)number_of(*at++));
            for (int i = 0; i < arity; i++) at = skip_operand(at);
            ++*nodes;
        } else at = skip_operand(at);
    }
}

void kind_measure(const encoding *text, kind_def *k) {
    formula_def *def = &k->def;
    int count[FORMULA_PARTS] = {0}, nodes = 0;
    count_all(text, &def->nq, &def->nu, &nodes, count);
    def->ng = count[FORMULA_CONSTRAINT], def->ngamma = count[FORMULA_VELOCITY_CONSTRAINT];
    def->contacts = count[FORMULA_GAP];
    k->owned = count[FORMULA_Q_DOT];
    k->nc = def->ng + def->contacts;
    k->ns = k->nc + def->ngamma + count[FORMULA_SLIP];
    k->nd = count[FORMULA_DISPLACEMENT];
}

int kind_first_parameter(const kind_def *k) {
    return 1 + k->def.nq + 2 * k->def.nu + k->ns;
}

/* ---------------------------------------------------------------- reading */

static expr read_operand(decoder *d) {
    const uint32_t word = *d->at;
    double value;
    switch (tag_of(word)) {
    case TAG_PLACE:
        d->at++;
        return d->node[number_of(word)];
    case TAG_TIME:
        d->at++;
        return expr_symbol(d->g, 0);
    case TAG_Q:
        d->at++;
        return expr_symbol(d->g, 1 + number_of(word));
    case TAG_U:
        d->at++;
        return expr_symbol(d->g, 1 + d->k->def.nq + number_of(word));
    case TAG_SLOT:
        d->at++;
        return d->slot[number_of(word)];
    default:
        memcpy(&value, d->at + 1, sizeof value);
        d->at += 3;
        return expr_number(d->g, value);
    }
}

static void read_node(decoder *d) {
    const bool exempt = tag_of(*d->at) == TAG_EXEMPT;
    const op operation = (op)number_of(*d->at++);
    expr child[3] = {-1, -1, -1};
    bool known = true;
    for (int i = 0; i < op_arity(operation); i++) {
        child[i] = read_operand(d);
        known = known && child[i] >= 0;
    }
    const expr built = known ? expr_build(d->g, operation, child) : -1;
    d->node[d->nodes++] = exempt && built >= 0 ? graph_exempt(d->g, built) : built;
}

static void add(graph *g, expr *sum, expr value) {
    *sum = *sum < 0 ? -1 : expr_add(g, *sum, value);
}

static void read_root(decoder *d) {
    const formula_part part = (formula_part)number_of(*d->at++);
    formula_def *def = &d->k->def;
    int of = 0;
    if (part == FORMULA_Q_DOT) {
        d->own[d->count[part]++] = number_of(*d->at++);
        return;
    }
    if (part == FORMULA_FORCE) of = number_of(*d->at++);
    if (part == FORMULA_GAP) d->contact[d->count[part]].slips = (int)*d->at++;
    const expr value = read_operand(d);
    if (part == FORMULA_KINETIC) add(d->g, &def->kinetic, value);
    else if (part == FORMULA_POTENTIAL) add(d->g, &def->potential, value);
    else if (part == FORMULA_DISSIPATION) add(d->g, &def->dissipation, value);
    else if (part == FORMULA_FORCE) add(d->g, &d->part[FORMULA_FORCE][of], value);
    else d->part[part][d->count[part]++] = value;
}

static void read_all(decoder *d) {
    int rates = 0;
    while (d->at < d->end) {
        const encode_tag tag = tag_of(*d->at);
        if (tag == TAG_NODE || tag == TAG_EXEMPT) read_node(d);
        else if (tag == TAG_ROOT) read_root(d);
        else if (tag == TAG_COMPONENT) d->at += 2;
        else d->part[FORMULA_Q_DOT][rates++] = read_operand(d);
    }
}

static bool allocate(decoder *d, const int count[FORMULA_PARTS], int nodes, pool *memory) {
    const formula_def *def = &d->k->def;
    bool ok = true;
    d->node = pool_get(memory, (size_t)nodes + 1, sizeof *d->node);
    d->own = pool_get(memory, (size_t)count[FORMULA_Q_DOT] + 1, sizeof *d->own);
    d->contact = pool_get(memory, (size_t)def->contacts + 1, sizeof *d->contact);
    for (int part = 0; part < FORMULA_PARTS && ok; part++) {
        const int size = part == FORMULA_Q_DOT ? def->nq : part == FORMULA_FORCE ? def->nu : count[part];
        d->part[part] = pool_get(memory, (size_t)size + 1, sizeof *d->part[part]);
        ok = d->part[part] != NULL;
    }
    return ok && d->node && d->own && d->contact;
}

bool kind_decode(const encoding *text, const expr *slot, pool *memory, kind_def *k) {
    int count[FORMULA_PARTS] = {0}, nodes = 0, nq = 0, nu = 0;
    formula_def *def = &k->def;
    decoder d = {.g = def->g, .k = k, .at = text->code, .end = text->code + text->length, .slot = slot};
    count_all(text, &nq, &nu, &nodes, count);
    if (!allocate(&d, count, nodes, memory)) return false;
    const expr zero = expr_number(d.g, 0);
    def->kinetic = def->potential = def->dissipation = zero;
    for (int j = 0; j < def->nu; j++) d.part[FORMULA_FORCE][j] = zero;
    read_all(&d);
    if (!count[FORMULA_DISSIPATION]) def->dissipation = -1;
    def->partial = true;
    def->q_dot = d.part[FORMULA_Q_DOT], def->force = d.part[FORMULA_FORCE];
    def->g_expr = d.part[FORMULA_CONSTRAINT], def->gamma = d.part[FORMULA_VELOCITY_CONSTRAINT];
    def->gap = d.part[FORMULA_GAP], def->slip = d.part[FORMULA_SLIP], def->contact = d.contact;
    def->displacement = k->nd ? d.part[FORMULA_DISPLACEMENT] : NULL;
    k->own = d.own;
    return !graph_exhausted(d.g);
}
