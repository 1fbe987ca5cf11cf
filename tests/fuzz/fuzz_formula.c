/* libFuzzer: any bytes as a formula. Whatever parses is differentiated twice, compiled and evaluated. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/formula/parse.h"
#include "model/formula/tape.h"

enum { SYMBOLS = 4, VALUES = 20000 }; /* a budget for sums that keeps one input below a second */

static expr lookup(void *context, const char *name, parse_error *error) {
    static const char *const names[SYMBOLS] = {"t", "x", "y", "x1"};
    graph *g = context;
    if (strcmp(name, "n") == 0) return expr_number(g, 3);
    for (int i = 0; i < SYMBOLS; i++)
        if (strcmp(name, names[i]) == 0) return expr_symbol(g, i);
    strcpy(error->message, "undefined");
    return -1;
}

static void require(bool condition) {
    if (!condition) abort();
}

static void evaluate(graph *g, expr e) {
    static const double values[] = {0.25, 1.5, -2, 0};
    static const tape_layout layout = {{0, 1, 3, 4, 4}};
    expr outputs[2 + SYMBOLS] = {e};
    require(expr_gradient(g, e, 0, SYMBOLS, outputs + 1));
    outputs[1 + SYMBOLS] = expr_derivative(g, outputs[2], 2);
    tape *t = tape_compile(g, &(tape_array){outputs, 2 + SYMBOLS}, 1, &layout);
    require(t);
    double results[2 + SYMBOLS], *work = malloc((size_t)tape_registers(t) * sizeof *work);
    require(work);
    tape_run(t, (const double *[TAPE_BLOCKS]){values, values + 1, values + 3, NULL}, work,
             (double *[TAPE_ARRAYS]){results});
    expr_value(g, e, values);
    free(work);
    tape_destroy(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    graph *g = graph_create();
    require(text && g);
    memcpy(text, data, size);
    text[size] = 0;
    parse_error error;
    parse_family family;
    int values = VALUES;
    expr e = parse_formula_within(g, text, lookup, g, &(parse_index){"i", 2, NULL}, &values, &error);
    if (e >= 0) evaluate(g, e);
    else require(error.message[0] && error.offset >= 0 && (size_t)error.offset <= size);
    if (!parse_family_name(g, text, lookup, g, &family, &error)) require(error.message[0]);
    if (!parse_is_name(text, &error)) require(error.message[0]);
    graph_destroy(g);
    free(text);
    return 0;
}
