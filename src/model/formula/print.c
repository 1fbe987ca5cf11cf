#include "print.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 32 }; /* nested deeper than anyone reads */

typedef struct printer {
    const graph *g;
    const char *const *names;
    char *text;
    size_t size, used;
    int depth;
} printer;

__attribute__((format(printf, 2, 3))) static void put(printer *p, const char *format, ...) {
    va_list arguments;
    if (p->used + 1 >= p->size) return;
    va_start(arguments, format);
    int n = vsnprintf(p->text + p->used, p->size - p->used, format, arguments);
    va_end(arguments);
    p->used = p->used + (size_t)n < p->size ? p->used + (size_t)n : p->size - 1;
}

/* How tightly an operation binds, as in the parser. */
enum { LOGIC = 1, COMPARE, SUM, PRODUCT, SIGN, POWER, ATOM };

typedef struct infix {
    const char *text;
    int level;
} infix;

static infix infix_of(op operation) {
    static const infix all[OP_COUNT] = {
        [OP_OR] = {" or ", LOGIC},   [OP_AND] = {" and ", LOGIC}, [OP_LT] = {" < ", COMPARE},
        [OP_LE] = {" <= ", COMPARE}, [OP_EQ] = {" == ", COMPARE}, [OP_ADD] = {" + ", SUM},
        [OP_SUB] = {" - ", SUM},     [OP_MUL] = {"*", PRODUCT},   [OP_DIV] = {"/", PRODUCT},
        [OP_POW] = {"^", POWER},
    };
    return all[operation];
}

static void print(printer *p, expr e, int level);

static void print_infix(printer *p, expr e, infix i, int level) {
    if (i.level < level) put(p, "(");
    print(p, expr_child(p->g, e, 0), i.level);
    put(p, "%s", i.text);
    print(p, expr_child(p->g, e, 1), i.level + 1);
    if (i.level < level) put(p, ")");
}

static void print_call(printer *p, expr e) {
    op operation = expr_op(p->g, e);
    const bool table = operation == OP_PLACE || operation == OP_ENTRY;
    put(p, "%s(", operation == OP_NOT ? "not " : table ? "table" : op_name(operation));
    for (int i = 0; i < op_arity(operation); i++) {
        if (i) put(p, ", ");
        print(p, expr_child(p->g, e, i), 0);
    }
    put(p, ")");
}

static void print_leaf(printer *p, expr e) {
    double number;
    int symbol = expr_symbol_of(p->g, e);
    if (expr_is_number(p->g, e, &number)) put(p, "%.10g", number);
    else if (symbol >= STILL_SYMBOLS) put(p, "%s", graph_still_name(p->g, symbol - STILL_SYMBOLS));
    else if (p->names[symbol]) put(p, "%s", p->names[symbol]);
    else put(p, "#%d", symbol);
}

static void print(printer *p, expr e, int level) {
    infix i = infix_of(expr_op(p->g, e));
    if (p->used + 1 >= p->size) return;
    if (++p->depth > DEEPEST) put(p, "...");
    else if (op_arity(expr_op(p->g, e)) == 0) print_leaf(p, e);
    else if (i.level) print_infix(p, e, i, level);
    else if (expr_op(p->g, e) == OP_NEG) {
        put(p, SIGN < level ? "(-" : "-");
        print(p, expr_child(p->g, e, 0), SIGN);
        if (SIGN < level) put(p, ")");
    } else print_call(p, e);
    p->depth--;
}

const char *expr_print(const graph *g, expr e, const char *const *names, char *text, size_t size) {
    printer p = {.g = g, .names = names, .text = text, .size = size};
    text[0] = 0;
    print(&p, e, 0);
    if (p.used + 1 >= size && size > 4) strcpy(text + size - 4, "...");
    return text;
}
