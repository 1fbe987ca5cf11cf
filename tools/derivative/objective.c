#include "derivative/objective.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "model/formula/parse.h"
#include "model/formula/tape.h"

enum { MOST_NAMES = 64, MOST_EXTREMES = 8 };

/* What a name means: a column, the time of an event, a parameter, or an extremum over the run. */
typedef enum meaning { COLUMN, EVENT, PARAMETER, EXTREME } meaning;

typedef struct term {
    meaning kind;
    long which;        /* column, number of the event from 1, parameter, extremum */
    bool known;        /* of an event: it has happened, of an extremum: it has been set, */
    double value, *by; /* at this time, with these derivatives */
    long step;         /* of an event: in this step, with this number in it */
    int event;
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
    objective_extreme extreme[MOST_EXTREMES];
    int extremes;
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

/* rename_events has made event(3).t the name event_3_t. */
static expr lookup(void *context, const char *name, parse_error *error) {
    objective *o = context;
    long event;
    int used = 0;
    if (sscanf(name, "event_%ld_t%n", &event, &used) == 1 && name[used] == 0) return symbol_of(o, EVENT, event);
    if (sscanf(name, "extreme_%ld_%n", &event, &used) == 1 && name[used] == 0) return symbol_of(o, EXTREME, event);
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

/* ---------------------------------------------------------------- extrema, "max(x)" with one argument */

/* The end of "max(...)" with one argument; NULL: it has more, or does not end. */
static const char *single_argument(const char *open) {
    int depth = 0;
    for (const char *p = open; *p; p++) {
        depth += (*p == '(') - (*p == ')');
        if (*p == ',' && depth == 1) return NULL;
        if (depth == 0) return p;
    }
    return NULL;
}

static bool begins_call(const char *text, const char *p) {
    return (!strncmp(p, "max(", 4) || !strncmp(p, "min(", 4)) &&
           (p == text || !(isalnum((unsigned char)p[-1]) || p[-1] == '_' || p[-1] == '.'));
}

/* One more extremum, from "max(" to its closing parenthesis. */
static carom_status add_extreme(objective *o, const char *from, const char *end, carom_error *error) {
    if (o->extremes == MOST_EXTREMES)
        return carom_error_set(error, CAROM_DATA, "there are more than %d extrema", MOST_EXTREMES);
    objective_extreme *x = &o->extreme[o->extremes++];
    char *inner = strndup(from + 4, (size_t)(end - from) - 4);
    *x = (objective_extreme){.sign = from[1] == 'a' ? 1 : -1, .text = strndup(from, (size_t)(end - from) + 1)};
    carom_status status =
        x->text && inner ? objective_create(o->sim, o->model, inner, &x->of, error) : carom_error_memory(error);
    free(inner);
    if (!status && objective_extremes(x->of))
        status = carom_error_set(
            error, CAROM_DATA, "'%s': an extremum of an extremum is a number, write it without the outer one", x->text);
    return status;
}

/* The text with a name, "extreme_0_", in place of every extremum. size: room for it. */
static carom_status name_extremes(objective *o, const char *text, char *out, size_t size, carom_error *error) {
    size_t used = 0;
    for (const char *p = text; *p; p++) {
        const char *end = begins_call(text, p) ? single_argument(p + 3) : NULL;
        carom_status status = end ? add_extreme(o, p, end, error) : CAROM_OK;
        if (status) return status;
        if (end) used += (size_t)snprintf(out + used, size - used, "extreme_%d_", o->extremes - 1), p = end;
        else out[used++] = *p;
    }
    out[used] = 0;
    return CAROM_OK;
}

int objective_extremes(const objective *o) {
    return o->extremes;
}

const objective_extreme *objective_extreme_at(const objective *o, int i) {
    return &o->extreme[i];
}

double *objective_set_extreme(objective *o, int i, double value, int count) {
    for (int k = 0; k < o->terms; k++) {
        term *x = &o->term[k];
        if (x->kind != EXTREME || x->which != i) continue;
        free(x->by);
        x->value = value, x->known = true;
        return x->by = malloc(((size_t)count + 1) * sizeof *x->by);
    }
    return NULL;
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
    const size_t size = 32 * (MOST_EXTREMES + 1) + strlen(renamed);
    char *formula = malloc(size);
    carom_status status = formula ? name_extremes(o, renamed, formula, size, error) : carom_error_memory(error);
    expr value = status ? -1 : parse_formula(o->g, formula, lookup, o, NULL, &problem);
    free(renamed);
    free(formula);
    if (value >= 0 && compile(o, value)) return CAROM_OK;
    objective_destroy(o);
    *made = NULL;
    if (status) return status;
    return value >= 0 ? carom_error_memory(error)
                      : carom_error_set(error, CAROM_DATA, "'%s': %s", text, problem.message);
}

void objective_destroy(objective *o) {
    if (!o) return;
    for (int i = 0; i < o->terms; i++) free(o->term[i].by);
    for (int i = 0; i < MOST_EXTREMES; i++) objective_destroy(o->extreme[i].of), free((char *)o->extreme[i].text);
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
    const int count = derivatives && !carom_sim_traced(sim) ? carom_sim_derivatives(sim) : 0;
    x->value = time, x->known = true;
    x->step = carom_sim_steps(sim), x->event = event;
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
        if (x->kind == EXTREME && !x->known)
            return carom_error_set(error, CAROM_DATA, "'%s' is an extremum over a run, which carom gradient knows",
                                   o->extreme[x->which].text);
        values[i] = x->kind == COLUMN      ? row[x->which]
                    : x->kind == PARAMETER ? carom_sim_parameter(sim, (int)x->which)
                                           : x->value;
    }
    return CAROM_OK;
}

/* The derivative of a term by the unknown of index k, which is called by. */
static double rate_of(const objective *o, const term *x, int k, const char *by, const double *row) {
    if (x->kind == COLUMN) return row[x->which];
    if (x->kind != PARAMETER) return x->by ? x->by[k] : NAN;
    return by && carom_model_parameter(o->model, by) == x->which;
}

static carom_status no_derivative(const carom_sim *sim, const term *x, carom_error *error) {
    return carom_error_set(error, CAROM_DATA,
                           "there is no derivative of '%s'; there are those of positions, "
                           "velocities, gaps, slips, energies and observables",
                           x->kind == COLUMN ? carom_sim_column_name(sim, (int)x->which) : "the time of an event");
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
                return no_derivative(sim, &o->term[i], error);
    }
    return CAROM_OK;
}

/* ---------------------------------------------------------------- by the adjoint */

/* The derivative of the columns along a direction. */
static carom_status columns_along(const objective *o, carom_sim *sim, int parameter, const double *q, const double *u,
                                  const double *slope, double *row, double *sum, carom_error *error) {
    carom_status status = carom_sim_row_along(sim, parameter, q, u, row, error);
    *sum = 0;
    for (int i = 0; i < o->terms && !status; i++) {
        if (o->term[i].kind != COLUMN || slope[i] == 0) continue;
        *sum += slope[i] * row[o->term[i].which];
        if (isnan(row[o->term[i].which])) status = no_derivative(sim, &o->term[i], error);
    }
    return status;
}

/* The derivative of the columns by q and u at the end: weights for every direction at once. */
static carom_status weigh(const objective *o, carom_sim *sim, const double *slope, double *row, double *weight,
                          double *unit, carom_error *error) {
    const carom_model_def *d = carom_model_get(o->model);
    carom_status status = CAROM_OK;
    for (int i = 0; i < d->nq + d->nu && !status && o->columns; i++) {
        unit[i] = 1;
        status = columns_along(o, sim, -1, unit, unit + d->nq, slope, row, &weight[i], error);
        unit[i] = 0;
    }
    return status;
}

/* The derivative of the number by a parameter, with q, u and times of events held fixed. */
static carom_status directly(const objective *o, carom_sim *sim, int k, const char *by, const double *slope,
                             double *row, const double *rest, double *sum, carom_error *error) {
    const int parameter = carom_model_parameter(o->model, by);
    double columns = 0;
    carom_status status = CAROM_OK;
    if (parameter >= 0 && o->columns)
        status =
            columns_along(o, sim, parameter, rest, rest + carom_model_get(o->model)->nq, slope, row, &columns, error);
    *sum += columns;
    for (int i = 0; i < o->terms; i++)
        if (slope[i] != 0 && (o->term[i].kind == PARAMETER || o->term[i].kind == EXTREME))
            *sum += slope[i] * rate_of(o, &o->term[i], k, by, row);
    return status;
}

static carom_status read_adjoint(const objective *o, carom_sim *sim, const char *const *by, const double *slope,
                                 double *row, double *derivatives, carom_error *error) {
    const carom_model_def *d = carom_model_get(o->model);
    const size_t size = (size_t)(d->nq + d->nu);
    double *weight = calloc(2 * size + 1, sizeof *weight), *unit = weight + size;
    carom_weight weights[MOST_NAMES + 1] = {{carom_sim_steps(sim), -1, weight, weight + d->nq, 0}};
    int count = 1;
    for (int i = 0; i < o->terms; i++)
        if (o->term[i].kind == EVENT)
            weights[count++] = (carom_weight){o->term[i].step, o->term[i].event, NULL, NULL, slope[i]};
    carom_status status = weight ? weigh(o, sim, slope, row, weight, unit, error) : carom_error_memory(error);
    if (!status) status = carom_sim_gradient(sim, weights, count, derivatives, error);
    for (int k = 0; k < carom_sim_derivatives(sim) && !status; k++)
        status = directly(o, sim, k, by[k], slope, row, unit, &derivatives[k], error);
    free(weight);
    return status;
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
    if (!status && derivatives)
        status = (carom_sim_traced(sim) ? read_adjoint : read_derivatives)(o, sim, by, slope, row, derivatives, error);
    free(row);
    return status;
}
