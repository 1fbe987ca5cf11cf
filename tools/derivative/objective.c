#include "derivative/objective.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "model/formula/parse.h"
#include "model/formula/tape.h"

enum { MOST_NAMES = 64 };

/* What a name means: a column, the time of an event, or a parameter. */
typedef enum meaning { COLUMN, EVENT, PARAMETER } meaning;

typedef struct term {
    meaning kind;
    long which;        /* column, number of the event from 1, parameter */
    bool known;        /* of an event: it has happened, */
    double value, *by; /* at this time, with these derivatives */
} term;

struct objective {
    const carom_sim *sim; /* while names are looked up */
    const carom_model *model;
    graph *g;
    tape *tape; /* value, then the derivatives by the terms */
    double *work;
    term term[MOST_NAMES]; /* symbols 0, 1, ... of the graph */
    int terms;
    bool columns; /* there are some among them */
    long events;
};

/* ---------------------------------------------------------------- names */

static expr symbol_of(objective *o, meaning kind, long which) {
    int i = 0;
    while (i < o->terms && (o->term[i].kind != kind || o->term[i].which != which)) i++;
    if (i == MOST_NAMES) return -1;
    if (i == o->terms) o->term[o->terms++] = (term){.kind = kind, .which = which};
    return expr_symbol(o->g, i);
}

static int find_column(const carom_sim *sim, const char *name) {
    int c = carom_sim_columns(sim) - 1;
    while (c >= 0 && strcmp(carom_sim_column_name(sim, c), name) != 0) c--;
    return c;
}

static expr refuse(const objective *o, const char *name, parse_error *error) {
    const int count = carom_sim_columns(o->sim);
    const char **known = malloc((size_t)count * sizeof *known), *near = NULL;
    for (int c = 0; known && c < count; c++) known[c] = carom_sim_column_name(o->sim, c);
    if (known) near = carom_nearest(name, known, count);
    snprintf(error->message, sizeof error->message, "there is no '%.60s'%s%.60s%s", name,
             near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
    free(known);
    return -1;
}

/* event(3).t has been made the name event_3_t. */
static expr lookup(void *context, const char *name, parse_error *error) {
    objective *o = context;
    long event;
    int used = 0;
    if (sscanf(name, "event_%ld_t%n", &event, &used) == 1 && name[used] == 0) return symbol_of(o, EVENT, event);
    const int column = find_column(o->sim, name), parameter = carom_model_parameter(o->model, name);
    o->columns = o->columns || column >= 0;
    if (column >= 0) return symbol_of(o, COLUMN, column);
    return parameter >= 0 ? symbol_of(o, PARAMETER, parameter) : refuse(o, name, error);
}

/* Every "event(N).t" as a name. */
static char *rename_events(const char *text) {
    char *copy = strdup(text);
    for (char *p = copy; p && (p = strstr(p, "event(")); p++) {
        char *end = strchr(p, ')');
        if (!end || strncmp(end, ").t", 3) != 0) continue;
        p[5] = '_';
        memmove(end, end + 1, strlen(end)); /* ").t" becomes "_t" */
        *end = '_';
    }
    return copy;
}

/* ---------------------------------------------------------------- making */

static bool compile(objective *o, expr value) {
    const tape_layout layout = {{0, MOST_NAMES, MOST_NAMES, MOST_NAMES, MOST_NAMES}};
    expr slope[MOST_NAMES];
    if (!expr_gradient(o->g, value, 0, MOST_NAMES, slope)) return false;
    const tape_array arrays[] = {{&value, 1}, {slope, MOST_NAMES}};
    o->tape = tape_compile(o->g, arrays, 2, &layout);
    o->work = o->tape ? malloc(((size_t)tape_registers(o->tape) + 1) * sizeof *o->work) : NULL;
    return o->work;
}

carom_status objective_create(const carom_sim *sim, const carom_model *model, const char *text, objective **made,
                              carom_error *error) {
    objective *o = *made = calloc(1, sizeof *o);
    parse_error problem = {0};
    char *renamed = rename_events(text);
    if (!o || !renamed || !(o->g = graph_create())) {
        free(renamed);
        objective_destroy(o);
        *made = NULL;
        return carom_error_memory(error);
    }
    o->sim = sim, o->model = model;
    expr value = parse_formula(o->g, renamed, lookup, o, NULL, &problem);
    free(renamed);
    if (value >= 0 && compile(o, value)) return CAROM_OK;
    objective_destroy(o);
    *made = NULL;
    return value >= 0 ? carom_error_memory(error)
                      : carom_error_set(error, CAROM_DATA, "'%s': %s", text, problem.message);
}

void objective_destroy(objective *o) {
    if (!o) return;
    for (int i = 0; i < o->terms; i++) free(o->term[i].by);
    tape_destroy(o->tape);
    graph_destroy(o->g);
    free(o->work);
    free(o);
}

/* ---------------------------------------------------------------- following a run */

void objective_begin(objective *o) {
    o->events = 0;
    for (int i = 0; i < o->terms; i++) o->term[i].known = false;
}

static void keep_event(term *x, const carom_sim *sim, int event, double time, bool derivatives) {
    const int count = derivatives ? carom_sim_derivatives(sim) : 0;
    x->value = time, x->known = true;
    free(x->by);
    x->by = malloc(((size_t)count + 1) * sizeof *x->by);
    for (int k = 0; k < count && x->by; k++) x->by[k] = carom_sim_event_by(sim, event, k);
}

void objective_follow(objective *o, const carom_sim *sim, bool derivatives) {
    int count;
    const carom_event *event = carom_sim_events(sim, &count);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < o->terms; k++)
            if (o->term[k].kind == EVENT && o->term[k].which == o->events + i + 1)
                keep_event(&o->term[k], sim, i, event[i].time, derivatives);
    o->events += count;
}

long objective_events(const objective *o) {
    return o->events;
}

static carom_status read_terms(const objective *o, const carom_sim *sim, const double *row, double *values,
                               carom_error *error) {
    for (int i = 0; i < o->terms; i++) {
        const term *x = &o->term[i];
        if (x->kind == EVENT && !x->known)
            return carom_error_set(error, CAROM_DATA, "the run has %ld event%s, and no event(%ld)", o->events,
                                   o->events == 1 ? "" : "s", x->which);
        values[i] = x->kind == COLUMN  ? row[x->which]
                    : x->kind == EVENT ? x->value
                                       : carom_sim_parameter(sim, (int)x->which);
    }
    return CAROM_OK;
}

/* The derivative of a term by the one of index k and this name. */
static double rate_of(const objective *o, const term *x, int k, const char *by, const double *row) {
    if (x->kind == COLUMN) return row[x->which];
    if (x->kind == EVENT) return x->by ? x->by[k] : NAN;
    return by && carom_model_parameter(o->model, by) == x->which;
}

static carom_status read_derivatives(const objective *o, carom_sim *sim, const char *const *by, const double *slope,
                                     double *row, double *derivatives, carom_error *error) {
    for (int k = 0; k < carom_sim_derivatives(sim); k++) {
        carom_status status = o->columns ? carom_sim_row_by(sim, k, row, error) : CAROM_OK;
        if (status) return status;
        derivatives[k] = 0;
        for (int i = 0; i < o->terms; i++)
            if (slope[i] != 0) derivatives[k] += slope[i] * rate_of(o, &o->term[i], k, by[k], row);
        for (int i = 0; i < o->terms && isnan(derivatives[k]); i++)
            if (slope[i] != 0 && isnan(rate_of(o, &o->term[i], k, by[k], row)))
                return carom_error_set(error, CAROM_DATA,
                                       "there is no derivative of '%s'; there are those of positions, "
                                       "velocities, gaps, slips, energies and observables",
                                       o->term[i].kind == COLUMN ? carom_sim_column_name(sim, (int)o->term[i].which)
                                                                 : "the time of an event");
    }
    return CAROM_OK;
}

/* slope: by the terms */
static carom_status evaluate(objective *o, const carom_sim *sim, const double *row, double *value,
                             double slope[MOST_NAMES], carom_error *error) {
    double values[MOST_NAMES] = {0};
    carom_status status = read_terms(o, sim, row, values, error);
    if (!status)
        tape_run(o->tape, (const double *const[TAPE_BLOCKS]){values}, o->work,
                 (double *const[TAPE_ARRAYS]){value, slope});
    return status;
}

carom_status objective_value(objective *o, const carom_sim *sim, const double *row, double *value, carom_error *error) {
    double slope[MOST_NAMES];
    return evaluate(o, sim, row, value, slope, error);
}

carom_status objective_read(objective *o, carom_sim *sim, const char *const *by, double *value, double *derivatives,
                            carom_error *error) {
    double slope[MOST_NAMES];
    double *row = malloc((size_t)carom_sim_columns(sim) * sizeof *row);
    if (!row) return carom_error_memory(error);
    carom_status status = o->columns ? carom_sim_row(sim, row, error) : CAROM_OK;
    if (!status) status = evaluate(o, sim, row, value, slope, error);
    if (!status && derivatives) status = read_derivatives(o, sim, by, slope, row, derivatives, error);
    free(row);
    return status;
}
