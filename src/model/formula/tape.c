/* Compilation of expressions to a tape. tape_run.c interprets it in numbers, tape_bound.c in ranges. */
#include "tape_code.h"

#include <stdlib.h>

void tape_destroy(tape *t) {
    if (!t) return;
    free(t->code);
    free(t->image);
    free(t->still_result);
    free(t->tables);
    tape_destroy(t->setup);
    free(t);
}

/* Setting values takes memory from the same work space. */
int tape_registers(const tape *t) {
    return t->setup && t->setup->registers > t->registers ? t->setup->registers : t->registers;
}
int tape_length(const tape *t) {
    return t->length;
}

const double *tape_image(const tape *t) {
    return t->image;
}
int tape_image_size(const tape *t) {
    return t->image_size;
}
bool tape_live(const tape *t) {
    return t->live;
}

/* ---------------------------------------------------------------- compilation */

enum { OPERANDS = 4 };

typedef struct step { /* what is needed for one node of the order */
    op operation;
    int child[OPERANDS]; /* their places in the order */
    bool still, leaf;    /* constant; or nothing to compute: a number, a symbol, or constant */
    int home;            /* its place in r, -1: none yet */
    int uses, last;      /* how often and where it is used last */
    int partner;         /* the sine or cosine of the same angle, or -1 */
    bool result;         /* home is among the results */
    bool absorbed;       /* a product that is computed within a sum */
    bool wanted;         /* still, and an operand of something that moves, or a result */
} step;

typedef struct compiler {
    graph *g;
    const tape_layout *layout;
    const tape_array *arrays;
    int array_count;
    const switches *sw; /* NULL: none */
    bool setup;         /* still symbols are inputs; otherwise constant is what depends on them alone */
    const expr *order;  /* the nodes to compute, children first */
    int length;
    step *step;
    int *idle, idle_count; /* registers that are free again */
    tape *t;
} compiler;

static op op_at(const compiler *c, int k) {
    return c->step[k].operation;
}

static int child_at(const compiler *c, int k, int i) {
    return c->step[k].child[i];
}

static bool is_still(const compiler *c, int k) {
    return c->step[k].still;
}

static bool is_leaf(const compiler *c, int k) {
    return c->step[k].leaf;
}

/* The nodes as the graph has them, which is asked once. */
static void read_nodes(compiler *c) {
    for (int k = 0; k < c->length; k++) {
        const expr_rank rank = expr_rank_of(c->g, c->order[k]);
        step s = {.home = -1, .last = -1, .partner = -1, .operation = expr_op(c->g, c->order[k])};
        const int arity = op_arity(s.operation);
        for (int i = 0; i < arity; i++) s.child[i] = graph_place(c->g, expr_child(c->g, c->order[k], i));
        s.still = !c->setup && rank != RANK_MOVING && rank != RANK_NUMBER;
        s.leaf = arity == 0 || s.still;
        c->step[k] = s;
    }
}

/* Operands are nodes of the order, or one of the constants in front. */
enum { NO_TERM = -1 - ZERO, NO_FACTOR = -1 - ONE };

static uint32_t place_of(const compiler *c, int operand) {
    return (uint32_t)(operand < 0 ? -1 - operand : c->step[operand].home);
}

/* Child i of a sum as a product of two operands. */
static void factors(const compiler *c, int k, int i, int x[2]) {
    int child = child_at(c, k, i);
    bool product = c->step[child].absorbed;
    x[0] = product ? child_at(c, child, 0) : child;
    x[1] = product ? child_at(c, child, 1) : NO_FACTOR;
}

/* The code of the instruction for node k, and its operands. */
static uint32_t operands(const compiler *c, int k, int x[OPERANDS]) {
    op operation = op_at(c, k);
    for (int i = 0; i < OPERANDS; i++) x[i] = NO_TERM;
    switch (operation) {
    case OP_ADD: /* the second child is the later one (simplify.c): it gets the shorter way, a*b */
        factors(c, k, 1, x);
        factors(c, k, 0, x + 2);
        return PLUS;
    case OP_SUB:
        factors(c, k, 0, x);
        factors(c, k, 1, x + 2);
        return MINUS;
    case OP_NEG:
        factors(c, k, 0, x + 2);
        return MINUS;
    case OP_MUL:
        x[0] = child_at(c, k, 0), x[1] = child_at(c, k, 1);
        return PLUS;
    default:
        for (int i = 0; i < op_arity(operation); i++) x[i] = child_at(c, k, i);
        return operation;
    }
}

static void note_result(compiler *c, int k, int home) {
    tape *t = c->t;
    t->still_result[2 * t->still_results] = c->step[k].home;
    t->still_result[2 * t->still_results++ + 1] = home;
}

/* The first result that is a computed node is its home. Numbers are in the image; the rest is moved there at the end.
 */
static void place_results(compiler *c) {
    int home = c->t->image_size;
    for (int i = 0; i < c->array_count; i++) {
        c->t->result[i] = (slice){home, 0, c->arrays[i].count};
        for (int j = 0; j < c->arrays[i].count; j++, home++) {
            int k = graph_place(c->g, c->arrays[i].values[j]);
            double value = 0;
            expr_is_number(c->g, c->order[k], &value);
            c->t->image[home] = value;
            if (is_still(c, k)) note_result(c, k, home);
            if (c->step[k].result || is_leaf(c, k)) continue;
            c->step[k].result = true;
            c->step[k].home = home;
        }
    }
    c->t->image_size = home;
}

static void place_numbers(compiler *c) {
    tape *t = c->t;
    t->image[ZERO] = 0, t->image[ONE] = 1, t->image_size = NUMBERS;
    for (int k = 0; k < c->length; k++) {
        double value;
        if (!expr_is_number(c->g, c->order[k], &value)) continue;
        c->step[k].home = value == 0 ? ZERO : value == 1 ? ONE : t->image_size;
        if (c->step[k].home == t->image_size) t->image[t->image_size++] = value;
    }
}

/* Constants that depend on still symbols, in the order in which the tape that computes them has its results. */
static void place_stills(compiler *c) {
    tape *t = c->t;
    t->still_at = t->image_size;
    for (int k = 0; k < c->length; k++)
        if (c->step[k].wanted) c->step[k].home = t->image_size++;
    t->stills = t->image_size - t->still_at;
}

static int block_of(const compiler *c, int symbol) {
    int block = 0;
    while (block < TAPE_BLOCKS - 1 && symbol >= c->layout->first[block + 1]) block++;
    return block;
}

/* Of every block the part from the first to the last symbol that is used. */
static void place_inputs(compiler *c) {
    tape *t = c->t;
    for (int k = 0; k < c->length; k++) {
        int symbol = expr_symbol_of(c->g, c->order[k]);
        if (symbol < 0 || is_still(c, k)) continue;
        int block = block_of(c, symbol), at = symbol - c->layout->first[block];
        slice *r = &t->input[block];
        int end = r->count > 0 && r->from + r->count > at + 1 ? r->from + r->count : at + 1;
        r->from = r->count > 0 && r->from < at ? r->from : at;
        r->count = end - r->from;
    }
    t->registers = t->image_size;
    for (int block = 0; block < TAPE_BLOCKS; block++) {
        t->input[block].to = t->registers;
        t->registers += t->input[block].count;
    }
    for (int k = 0; k < c->length; k++) {
        int symbol = expr_symbol_of(c->g, c->order[k]);
        if (symbol < 0 || is_still(c, k)) continue;
        const slice *r = &t->input[block_of(c, symbol)];
        c->step[k].home = r->to + symbol - c->layout->first[block_of(c, symbol)] - r->from;
    }
}

static void absorb_products(compiler *c) {
    for (int k = 0; k < c->length; k++)
        for (int i = 0; i < op_arity(op_at(c, k)) && !is_leaf(c, k); i++) c->step[child_at(c, k, i)].uses++;
    for (int k = 0; k < c->length; k++) {
        op operation = op_at(c, k);
        if ((operation != OP_ADD && operation != OP_SUB && operation != OP_NEG) || is_leaf(c, k)) continue;
        for (int i = 0; i < op_arity(operation); i++) {
            step *child = &c->step[child_at(c, k, i)];
            child->absorbed = op_at(c, child_at(c, k, i)) == OP_MUL && !is_leaf(c, child_at(c, k, i)) &&
                              child->uses == 1 && !child->result;
        }
    }
}

static void find_last_uses(compiler *c) {
    for (int k = 0; k < c->length; k++) {
        int x[OPERANDS];
        if (c->step[k].absorbed || is_leaf(c, k)) continue;
        operands(c, k, x);
        for (int i = 0; i < OPERANDS; i++)
            if (x[i] >= 0) c->step[x[i]].last = k;
    }
}

/* Finds the sine and cosine of one angle. The list of idle registers is not in use yet and remembers the one met
 * first. */
static void find_partners(compiler *c) {
    for (int k = 0; k < c->length; k++) c->idle[k] = -1;
    for (int k = 0; k < c->length; k++) {
        if ((op_at(c, k) != OP_SIN && op_at(c, k) != OP_COS) || is_leaf(c, k)) continue;
        int *other = &c->idle[child_at(c, k, 0)];
        if (*other >= 0) c->step[k].partner = *other, c->step[*other].partner = k;
        *other = k;
    }
}

static int home_of(compiler *c, int k) {
    if (c->step[k].home < 0) c->step[k].home = c->idle_count > 0 ? c->idle[--c->idle_count] : c->t->registers++;
    return c->step[k].home;
}

/* Node k is not needed after node now, so its register, if it has one, becomes free. */
static void release(compiler *c, int k, int now) {
    if (k < 0 || c->step[k].last != now || c->step[k].result || is_leaf(c, k)) return;
    c->step[k].last = -1; /* once, even for x*x */
    c->idle[c->idle_count++] = c->step[k].home;
}

static void emit(compiler *c, int k) {
    int x[OPERANDS], partner = c->step[k].partner;
    op operation = op_at(c, k);
    if (c->step[k].absorbed || is_leaf(c, k)) return;
    instruction next = {.code = operands(c, k, x)};
    next.a = place_of(c, x[0]), next.b = place_of(c, x[1]), next.c = place_of(c, x[2]), next.d = place_of(c, x[3]);
    for (int i = 0; i < OPERANDS; i++) release(c, x[i], k);
    if (partner >= 0 && partner < k) return; /* computed with its partner */
    next.to = (uint32_t)home_of(c, k);
    if (c->sw && switch_kind(operation) != SWITCH_NONE) next.d = switches_operand(c->sw, c->order[k]);
    if (partner >= 0) {
        next.code = SINCOS;
        next.to = (uint32_t)home_of(c, operation == OP_SIN ? k : partner);
        next.d = (uint32_t)home_of(c, operation == OP_SIN ? partner : k);
    }
    c->t->code[c->t->length++] = next;
}

static void move_results(compiler *c) {
    for (int i = 0; i < c->array_count; i++)
        for (int j = 0; j < c->arrays[i].count; j++) {
            int k = graph_place(c->g, c->arrays[i].values[j]);
            uint32_t from = (uint32_t)c->step[k].home, to = (uint32_t)(c->t->result[i].from + j);
            if (from == to || op_at(c, k) == OP_NUMBER || is_still(c, k)) continue;
            c->t->code[c->t->length++] = (instruction){PLUS, to, from, ONE, ZERO, ZERO};
        }
}

static void compile(compiler *c) {
    place_numbers(c);
    place_stills(c);
    place_results(c);
    place_inputs(c);
    absorb_products(c);
    find_last_uses(c);
    find_partners(c);
    for (int k = 0; k < c->length; k++) emit(c, k);
    move_results(c);
}

static bool allocate(compiler *c, int results) {
    size_t n = (size_t)c->length + 1, most = n + (size_t)results + NUMBERS;
    c->step = malloc(n * sizeof *c->step);
    c->idle = malloc(n * sizeof *c->idle);
    c->t = calloc(1, sizeof *c->t);
    if (!c->step || !c->idle || !c->t) return false;
    c->t->code = malloc(most * sizeof *c->t->code);
    c->t->image = malloc(most * sizeof *c->t->image);
    c->t->still_result = malloc(2 * most * sizeof *c->t->still_result);
    int tables;
    const knots *const *all = graph_tables(c->g, &tables);
    if (tables && !(c->t->tables = malloc((size_t)tables * sizeof *all))) return false;
    for (int i = 0; i < tables; i++) c->t->tables[i] = all[i];
    return c->t->code && c->t->image && c->t->still_result;
}

static void list_transfers(tape *t) {
    for (int k = 0; k < TAPE_BLOCKS; k++)
        if (t->input[k].count > 0) t->in[t->ins++] = (transfer){k, t->input[k].from, t->input[k].to, t->input[k].count};
    for (int k = 0; k < TAPE_ARRAYS; k++)
        if (t->result[k].count > 0) t->out[t->outs++] = (transfer){k, t->result[k].from, 0, t->result[k].count};
}

/* Give back what compilation did not use; a failing realloc to a smaller size keeps the larger one. */
static void shrink(tape *t) {
    void *code = realloc(t->code, ((size_t)t->length + 1) * sizeof *t->code);
    if (code) t->code = code;
    void *image = realloc(t->image, ((size_t)t->image_size + 1) * sizeof *t->image);
    if (image) t->image = image;
    void *still = realloc(t->still_result, (2 * (size_t)t->still_results + 1) * sizeof *t->still_result);
    if (still) t->still_result = still;
}

/* Lists the constants that need a tape of their own, in order; returns their number. */
static int find_stills(compiler *c, const expr *roots, int results, expr *found) {
    int count = 0;
    read_nodes(c);
    for (int k = 0; k < c->length; k++)
        for (int i = 0; i < op_arity(op_at(c, k)) && !is_leaf(c, k); i++)
            c->step[child_at(c, k, i)].wanted = is_still(c, child_at(c, k, i));
    for (int i = 0; i < results; i++) {
        int k = graph_place(c->g, roots[i]);
        c->step[k].wanted = is_still(c, k);
    }
    for (int k = 0; k < c->length; k++)
        if (c->step[k].wanted) {
            found[count++] = c->order[k];
            c->t->live = c->t->live || expr_rank_of(c->g, c->order[k]) == RANK_INPUT;
        }
    return count;
}

static tape *compile_roots(compiler c, const expr *roots, int results);

tape *tape_compile_still(graph *g, const expr *values, int count) {
    const int first = STILL_SYMBOLS, last = first + graph_stills(g);
    const tape_layout layout = {{first, last, last, last, last, last}};
    const tape_array array = {values, count};
    return compile_roots((compiler){.g = g, .layout = &layout, .arrays = &array, .array_count = 1, .setup = true},
                         values, count);
}

/* The constants of t with the values that the symbols have at first. */
static bool set_first(const graph *g, tape *t) {
    double *work = malloc(((size_t)t->setup->registers + 1) * sizeof *work);
    if (work) tape_set(t, graph_still_values(g), work, t->image);
    free(work);
    return work != NULL;
}

static tape *compile_roots(compiler c, const expr *roots, int results) {
    tape *setup = NULL;
    c.order = graph_order(c.g, roots, results, &c.length);
    bool done = c.order && allocate(&c, results);
    expr *stills = done ? malloc(((size_t)c.length + 1) * sizeof *stills) : NULL;
    int count = stills ? find_stills(&c, roots, results, stills) : 0;
    done = stills && (!count || (setup = tape_compile_still(c.g, stills, count)));
    if (done && count) c.order = graph_order(c.g, roots, results, &c.length); /* walked since then */
    if (done && c.order) {
        compile(&c);
        list_transfers(c.t);
        shrink(c.t);
        c.t->setup = setup;
        done = !setup || set_first(c.g, c.t);
    } else {
        done = false;
        tape_destroy(setup);
    }
    free(stills);
    free(c.step);
    free(c.idle);
    if (!done) tape_destroy(c.t);
    return done ? c.t : NULL;
}

tape *tape_compile_switched(graph *g, const tape_array *arrays, int count, const tape_layout *layout,
                            const switches *sw) {
    int results = 0;
    for (int i = 0; i < count; i++) results += arrays[i].count;
    expr *roots = malloc(((size_t)results + 1) * sizeof *roots);
    if (!roots) return NULL;
    results = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < arrays[i].count; j++) roots[results++] = arrays[i].values[j];
    tape *t = compile_roots((compiler){.g = g, .layout = layout, .arrays = arrays, .array_count = count, .sw = sw},
                            roots, results);
    free(roots);
    return t;
}

tape *tape_compile(graph *g, const tape_array *arrays, int count, const tape_layout *layout) {
    return tape_compile_switched(g, arrays, count, layout, NULL);
}
