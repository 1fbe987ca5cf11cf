#include "result/derived.h"

#include "error.h"
#include "model/formula/parse.h"
#include "model/formula/tape.h"
#include "result/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 64, NAME = 300, BLOCK = 1024 };

struct derived {
    char *text;
    const char *unit;
    graph *g;
    tape *tape;
    double *work;
    int column[MOST_COLUMNS], count; /* that it uses: symbols 0, 1, ... of the graph */
};

typedef struct search {
    const derived_scope *scope;
    derived *to;
} search;

/* ---- names */

static int find_column(const derived_scope *s, const char *name) {
    char text[NAME];
    bool time = strcmp(name, "t") == 0;
    if (!s->side || time) return result_find(s->table, name);
    return snprintf(text, sizeof text, "%s/%s", s->side, name) < NAME ? result_find(s->table, text) : -1;
}

static expr column_symbol(derived *d, int column) {
    int i = 0;
    while (i < d->count && d->column[i] != column) i++;
    if (i == MOST_COLUMNS) return -1;
    if (i == d->count) d->column[d->count++] = column;
    return expr_symbol(d->g, i);
}

/* "wall.PN" of "wall.FN"; false: the name is none of a force. */
static bool percussion_of(const char *force, char name[NAME]) {
    const char *dot = strrchr(force, '.');
    if (!dot || dot[1] != 'F') return false;
    return snprintf(name, NAME, "%.*s.P%s", (int)(dot - force), force, dot + 2) < NAME;
}

static bool find_number(result_reader *run, const char *name, double *value) {
    int count = 0, i = 0;
    bool dt = strcmp(name, "dt") == 0;
    while (!dt && i < result_parameters(run) && strcmp(result_parameter(run, i), name) != 0) i++;
    if (!dt && i == result_parameters(run)) return false;
    double *numbers = result_numbers(run, dt ? "dt" : "parameter_values", &count);
    bool found = numbers && i < count;
    if (found) *value = numbers[i];
    free(numbers);
    return found;
}

static expr refuse(const derived_scope *s, const char *name, parse_error *error) {
    const char **known = malloc((size_t)(result_columns(s->run) + 1) * sizeof *known), *near = NULL;
    for (int c = 0; known && c < result_columns(s->run); c++) known[c] = result_name(s->run, c);
    if (known) near = carom_nearest(name, known, result_columns(s->run));
    snprintf(error->message, sizeof error->message, "there is no '%.60s'%s%.60s%s", name,
             near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
    free(known);
    return -1;
}

static expr lookup(void *context, const char *name, parse_error *error) {
    search *of = context;
    char percussion[NAME];
    double value;
    derived *d = of->to;
    int column = find_column(of->scope, name);
    if (column >= 0) return column_symbol(d, column);
    column = percussion_of(name, percussion) ? find_column(of->scope, percussion) : -1;
    if (column >= 0 && find_number(of->scope->run, "dt", &value) && value > 0)
        return expr_div(d->g, column_symbol(d, column), expr_number(d->g, value));
    if (find_number(of->scope->run, name, &value)) return expr_number(d->g, value);
    return refuse(of->scope, name, error);
}

/* ---- making and reading */

/* Of a force alone. */
static const char *unit_of(const derived_scope *s, const char *text) {
    char percussion[NAME];
    int column = percussion_of(text, percussion) ? find_column(s, percussion) : -1;
    const char *unit = column >= 0 ? result_unit(s->table, column) : "";
    return strcmp(unit, "N s") == 0 ? "N" : strcmp(unit, "N m s") == 0 ? "N m" : "";
}

static bool compile(derived *d, expr value) {
    const tape_layout layout = {{0, MOST_COLUMNS, MOST_COLUMNS, MOST_COLUMNS, MOST_COLUMNS}};
    d->tape = tape_compile(d->g, &(tape_array){&value, 1}, 1, &layout);
    d->work = d->tape ? malloc(((size_t)tape_registers(d->tape) + 1) * sizeof *d->work) : NULL;
    return d->work;
}

carom_status derived_create(const derived_scope *scope, const char *text, derived **made, carom_error *error) {
    derived *d = *made = calloc(1, sizeof *d);
    parse_error problem = {0};
    if (!d || !(d->text = strdup(text)) || !(d->g = graph_create())) {
        derived_destroy(d);
        return carom_error_memory(error);
    }
    d->unit = unit_of(scope, text);
    expr value = parse_formula(d->g, text, lookup, &(search){scope, d}, NULL, &problem);
    if (value >= 0 && compile(d, value)) return CAROM_OK;
    derived_destroy(d);
    *made = NULL;
    if (value >= 0) return carom_error_memory(error);
    return carom_error_set(error, CAROM_DATA, "'%s' of %s: %s", text, result_path(scope->run), problem.message);
}

void derived_destroy(derived *d) {
    if (!d) return;
    if (d->tape) tape_destroy(d->tape);
    graph_destroy(d->g);
    free(d->work);
    free(d->text);
    free(d);
}

const char *derived_text(const derived *d) {
    return d->text;
}
const char *derived_unit(const derived *d) {
    return d->unit;
}

static carom_status read_block(const derived *d, result_reader *table, long first, long count, double *columns,
                               double *values, carom_error *error) {
    carom_status status = CAROM_OK;
    double symbols[MOST_COLUMNS] = {0};
    for (int c = 0; c < d->count && !status; c++)
        status = result_read(table, d->column[c], first, count, columns + (long)c * BLOCK, error);
    for (long i = 0; i < count && !status; i++) {
        for (int c = 0; c < d->count; c++) symbols[c] = columns[(long)c * BLOCK + i];
        tape_run(d->tape, (const double *[TAPE_BLOCKS]){symbols}, d->work, (double *[TAPE_ARRAYS]){&values[i]});
    }
    return status;
}

carom_status derived_read(const derived *d, result_reader *table, long first, long count, double *values,
                          carom_error *error) {
    double *columns = malloc((size_t)(d->count + 1) * BLOCK * sizeof *columns);
    carom_status status = columns ? CAROM_OK : carom_error_memory(error);
    for (long at = 0; at < count && !status; at += BLOCK)
        status = read_block(d, table, first + at, count - at < BLOCK ? count - at : BLOCK, columns, values + at, error);
    free(columns);
    return status;
}
