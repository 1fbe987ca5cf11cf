/* Every step ends where a measurement was made. So predictions and their derivatives are those of the scheme; nothing
 * is interpolated. */
#include "identify/prediction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "derivative/objective.h"
#include "error.h"

struct predictor {
    const identify_question *q;
    const carom_model *model;
    carom_sim *sim;
    double most, dt;    /* the longest step, and the present one */
    objective **column; /* [columns] */
    named *names;       /* [own + givens] */
    double *value;      /* of these, in the present record */
    double *otherwise;  /* of these, in the scene */
    double *state;      /* [nq + nu] */
    const char **by;    /* [2 own] names of derivatives; NULL: a direction */
    double *along;      /* [own][1 + nq + nu] directions, (SE43) */
    int *direction;     /* [own] the derivative along it; -1: there is none */
    double *slope;      /* [2 own] */
    double *row, *seen; /* [columns of the simulation], [columns] */
    int *strikes;       /* [contacts] so far */
    long events;
    double *near;                /* [measurements] time to the next event */
    double *prediction, *slopes; /* where they go: [measurements], [unknowns][measurements] */
    predictor_watch watch;
    void *context;
};

/* ---------------------------------------------------------------- making */

static carom_status make_formulas(predictor *p, carom_error *error) {
    const records *data = p->q->data;
    carom_status status = CAROM_OK;
    for (int c = 0; c < data->columns && !status; c++) {
        const measured_column *column = &data->column[c];
        carom_error own;
        status = objective_create(p->sim, p->model, column->formula, &p->column[c], &own);
        if (status) carom_error_at(error, status, column->path, 1, column->place, "%s", own.message);
    }
    return status;
}

static carom_status find_names(predictor *p, carom_error *error) {
    const identify_question *q = p->q;
    carom_status status = CAROM_OK;
    for (int k = 0; k < q->own && !status; k++) {
        status = named_find(p->model, q->by[k], &p->names[k], error);
        for (int i = 0; i < k && !status; i++)
            if (!strcmp(q->by[i], q->by[k]))
                status = carom_error_set(error, CAROM_DATA, "'%s' is fitted twice", q->by[k]);
        for (int i = 0; i < q->data->givens && !status; i++)
            if (!strcmp(q->data->given_name[i], q->by[k]))
                status = carom_error_set(
                    error, CAROM_DATA, "'%s' is to be found (--fit), but a record gives its value (--data)", q->by[k]);
        p->by[k] = q->by[k];
    }
    for (int i = 0; i < q->data->givens && !status; i++) p->names[q->own + i] = q->data->given[i];
    for (int i = 0; i < q->own + q->data->givens && !status; i++) p->otherwise[i] = named_value(p->model, p->names[i]);
    return status;
}

static bool make_room(predictor *p) {
    const carom_model_def *d = carom_model_get(p->model);
    const size_t own = (size_t)p->q->own + 1, names = own + (size_t)p->q->data->givens;
    const size_t state = (size_t)d->nq + (size_t)d->nu + 1, columns = (size_t)p->q->data->columns + 1;
    p->column = calloc(columns, sizeof(objective *));
    p->names = calloc(names, sizeof *p->names);
    p->value = calloc(names, sizeof *p->value);
    p->otherwise = calloc(names, sizeof *p->otherwise);
    p->state = calloc(state, sizeof *p->state);
    p->by = calloc(2 * own, sizeof *p->by);
    p->along = calloc(own * state, sizeof *p->along);
    p->direction = calloc(own, sizeof *p->direction);
    p->slope = calloc(2 * own, sizeof *p->slope);
    p->seen = calloc(columns, sizeof *p->seen);
    p->strikes = calloc((size_t)d->contacts + 1, sizeof *p->strikes);
    p->near = calloc((size_t)p->q->data->measurements + 1, sizeof *p->near);
    return p->column && p->names && p->value && p->otherwise && p->state && p->by && p->along && p->direction &&
           p->slope && p->seen && p->strikes && p->near;
}

static carom_status check_events(const predictor *p, carom_error *error) {
    for (int i = 0; i < p->q->data->measurements; i++)
        if (p->q->data->at[i].column == EVENT_TIME && !carom_sim_locates(p->sim))
            return carom_error_set(error, CAROM_DATA,
                                   "times of events need a run that locates them (run: {events: locate})");
    return CAROM_OK;
}

carom_status predictor_create(const identify_question *q, predictor **made, carom_error *error) {
    predictor *p = *made = calloc(1, sizeof *p);
    if (!p) return carom_error_memory(error);
    p->q = q, p->model = carom_scene_model(q->scene);
    carom_status status = make_room(p) ? CAROM_OK : carom_error_memory(error);
    if (!status) status = find_names(p, error);
    if (!status) status = carom_sim_create(p->model, carom_scene_run(q->scene), &p->sim, error);
    if (!status) status = make_formulas(p, error);
    if (!status) status = check_events(p, error);
    if (!status && !(p->row = calloc((size_t)carom_sim_columns(p->sim) + 1, sizeof *p->row)))
        status = carom_error_memory(error);
    if (!status) return CAROM_OK;
    predictor_destroy(p);
    *made = NULL;
    return status;
}

void predictor_destroy(predictor *p) {
    if (!p) return;
    for (int c = 0; c < p->q->data->columns && p->column; c++) objective_destroy(p->column[c]);
    void *memory[] = {p->column,    p->names, p->value, p->otherwise, p->state,   p->by,  p->along,
                      p->direction, p->slope, p->row,   p->seen,      p->strikes, p->near};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) free(memory[i]);
    carom_sim_destroy(p->sim);
    free(p);
}

bool predictor_locates(const predictor *p) {
    return carom_sim_locates(p->sim) || !carom_model_get(p->model)->contacts;
}

const double *predictor_nearness(const predictor *p) {
    return p->near;
}

/* ---------------------------------------------------------------- the start of a run */

static void gather_values(predictor *p, int record, const double *unknown) {
    const identify_question *q = p->q;
    for (int k = 0; k < q->own; k++) p->value[k] = unknown[identify_unknown(q, record, k)];
    for (int i = 0; i < q->data->givens; i++) {
        const double given = q->data->record[record].given[i];
        p->value[q->own + i] = isnan(given) ? p->otherwise[q->own + i] : given;
    }
}

/* (SE43): how a parameter moves the components of the start that the user did not fix; true: it moves some of them. */
static bool find_direction(const predictor *p, int k, double *along) {
    const carom_model_def *d = carom_model_get(p->model);
    const int count = p->q->own + p->q->data->givens;
    bool moves = false;
    along[0] = 0;
    memcpy(along + 1, carom_sim_q_by(p->sim, k), (size_t)d->nq * sizeof *along);
    memcpy(along + 1 + d->nq, carom_sim_u_by(p->sim, k), (size_t)d->nu * sizeof *along);
    for (int i = 0; i < count; i++)
        if (p->names[i].component >= 0) along[1 + p->names[i].component] = 0;
    for (int i = 0; i < d->nq + d->nu; i++) moves = moves || along[1 + i] != 0;
    return moves;
}

static carom_status set_directions(predictor *p, carom_error *error) {
    const carom_model_def *d = carom_model_get(p->model);
    const int own = p->q->own;
    int directions = 0;
    for (int k = 0; k < own; k++) {
        double *along = p->along + directions * (1 + d->nq + d->nu);
        const bool moves = p->names[k].parameter >= 0 && find_direction(p, k, along);
        p->direction[k] = moves ? own + directions++ : -1;
    }
    return directions ? carom_sim_differentiate_along(p->sim, p->by, own, p->along, directions, error) : CAROM_OK;
}

static bool sets_start(const predictor *p) {
    bool some = false;
    for (int i = 0; i < p->q->own + p->q->data->givens; i++) some = some || p->names[i].component >= 0;
    return some;
}

static carom_status begin(predictor *p, int record, const double *unknown, carom_error *error) {
    const identify_question *q = p->q;
    const int count = q->own + q->data->givens;
    gather_values(p, record, unknown);
    p->dt = p->most = carom_scene_run(q->scene)->dt / (p->watch ? 8 : 1); /* a picture has more points */
    p->events = 0;
    memset(p->strikes, 0, ((size_t)carom_model_get(p->model)->contacts + 1) * sizeof *p->strikes);
    for (int k = 0; k < q->own; k++) p->direction[k] = -1;
    carom_status status = named_set_parameters(p->sim, p->names, p->value, count, error);
    if (!status) status = carom_sim_set_dt(p->sim, p->dt, error);
    if (!status) status = carom_sim_restart(p->sim, error);
    if (!status) status = carom_sim_differentiate(p->sim, p->by, q->own, error);
    if (!status && sets_start(p)) status = set_directions(p, error);
    if (!status) status = named_set_start(p->sim, p->model, p->names, p->value, count, p->state, error);
    for (int c = 0; c < q->data->columns; c++) objective_begin(p->column[c]);
    return status;
}

/* ---------------------------------------------------------------- what is predicted */

/* slope: by the names, then by the directions. */
static void store_prediction(predictor *p, int i, double value) {
    const identify_question *q = p->q;
    const int m = q->data->measurements;
    if (!p->prediction) return;
    p->prediction[i] = value;
    for (int k = 0; k < q->own; k++)
        p->slopes[identify_unknown(q, q->data->at[i].record, k) * m + i] =
            p->slope[k] + (p->direction[k] >= 0 ? p->slope[p->direction[k]] : 0);
}

static carom_status predict(predictor *p, int i, carom_error *error) {
    double value;
    carom_status status = objective_read(p->column[p->q->data->at[i].column], p->sim, p->by, &value, p->slope, error);
    if (!status) store_prediction(p, i, value);
    return status;
}

/* Whether the event of this step is the measured one. */
static bool is_event(const predictor *p, const measurement *m, const carom_event *e) {
    if (m->column != EVENT_TIME) return false;
    if (m->contact < 0) return m->number == p->events;
    return e->kind == CAROM_STRIKE && e->contact == m->contact && m->number == p->strikes[m->contact];
}

static void predict_events(predictor *p, int first, int end) {
    int count;
    const carom_event *event = carom_sim_events(p->sim, &count);
    for (int e = 0; e < count; e++) {
        p->events++;
        if (event[e].kind == CAROM_STRIKE) p->strikes[event[e].contact]++;
        for (int i = first; i < end; i++) {
            const measurement *m = &p->q->data->at[i];
            if (m->column != EVENT_TIME) p->near[i] = fmin(p->near[i], fabs(event[e].time - m->t));
            if (!is_event(p, m, &event[e])) continue;
            for (int k = 0; k < carom_sim_derivatives(p->sim); k++) p->slope[k] = carom_sim_event_by(p->sim, e, k);
            store_prediction(p, i, event[e].time);
        }
    }
}

/* ---------------------------------------------------------------- its steps */

static carom_status show(predictor *p, int record, carom_error *error) {
    if (!p->watch) return CAROM_OK;
    carom_status status = carom_sim_row(p->sim, p->row, error);
    for (int c = 0; c < p->q->data->columns && !status; c++)
        status = objective_value(p->column[c], p->sim, p->row, &p->seen[c], error);
    if (!status && !p->watch(p->context, record, carom_sim_time(p->sim), p->seen)) status = carom_error_memory(error);
    return status;
}

static carom_status step(predictor *p, int first, int end, carom_error *error) {
    carom_status status = carom_sim_step(p->sim, error);
    if (status) return status;
    for (int c = 0; c < p->q->data->columns; c++) objective_follow(p->column[c], p->sim, true);
    predict_events(p, first, end);
    return show(p, p->q->data->at[first].record, error);
}

static carom_status check_derivative(const predictor *p, carom_error *error) {
    const char *lost = carom_sim_lost(p->sim);
    return lost ? carom_error_set(error, CAROM_FAILED, "there is no derivative: %s", lost) : CAROM_OK;
}

/* Steps that end at the time, none longer than the longest. */
static carom_status advance(predictor *p, double t, int first, int end, carom_error *error) {
    const double span = t - carom_sim_time(p->sim);
    const long steps = (long)ceil(span / p->most * (1 - 1e-9));
    carom_status status = CAROM_OK;
    if (!(span > 1e-9 * p->most)) return CAROM_OK;
    if (!(fabs((double)steps * p->dt - span) <= 1e-9 * p->dt)) {
        p->dt = span / (double)steps;
        status = carom_sim_set_dt(p->sim, p->dt, error);
    }
    for (long i = 0; i < steps && !status; i++) status = step(p, first, end, error);
    return status ? status : check_derivative(p, error);
}

/* The first measured event that the run has not met; -1: it has met all. */
static int missing(const predictor *p, int first, int end) {
    for (int i = first; i < end; i++)
        if (p->q->data->at[i].column == EVENT_TIME && p->prediction && isnan(p->prediction[i])) return i;
    return -1;
}

static carom_status complain_missing(const predictor *p, int i, carom_error *error) {
    const measurement *m = &p->q->data->at[i];
    const bool struck = m->contact >= 0;
    const long met = struck ? p->strikes[m->contact] : p->events;
    return carom_error_at(
        error, CAROM_FAILED, m->path, m->line, 1, "until t = %.9g the run has %ld %s%s%s%s%s, not %ld",
        carom_sim_time(p->sim), met, struck ? "strike" : "event", met == 1 ? "" : "s", struck ? " of '" : "",
        struck ? carom_model_get(p->model)->contact[m->contact].name : "", struck ? "'" : "", m->number);
}

/* Measurements at a time come first, events that are still to come after them. */
static carom_status follow_record(predictor *p, int first, int end, carom_error *error) {
    const measurement *at = p->q->data->at;
    const double until = carom_scene_run(p->q->scene)->until;
    carom_status status = show(p, at[first].record, error);
    for (int i = first; i < end && !status; i++) {
        if (at[i].column == EVENT_TIME) continue;
        status = advance(p, at[i].t, first, end, error);
        if (!status) status = predict(p, i, error);
    }
    while (!status && missing(p, first, end) >= 0 && carom_sim_time(p->sim) < until) {
        status = step(p, first, end, error);
        if (!status) status = check_derivative(p, error);
    }
    const int left = missing(p, first, end);
    return !status && left >= 0 ? complain_missing(p, left, error) : status;
}

static carom_status run_all(predictor *p, const double *unknown, carom_error *error) {
    const records *data = p->q->data;
    carom_status status = CAROM_OK;
    for (int first = 0, end; first < data->measurements && !status; first = end) {
        for (end = first; end < data->measurements && data->at[end].record == data->at[first].record;) end++;
        status = begin(p, data->at[first].record, unknown, error);
        if (!status) status = follow_record(p, first, end, error);
    }
    return status;
}

carom_status predictor_run(predictor *p, const double *unknown, double *prediction, double *by, carom_error *error) {
    const int m = p->q->data->measurements, n = identify_unknowns(p->q);
    p->prediction = prediction, p->slopes = by, p->watch = NULL;
    for (int i = 0; i < m; i++) prediction[i] = NAN, p->near[i] = INFINITY;
    memset(by, 0, (size_t)m * (size_t)n * sizeof *by);
    carom_status status = run_all(p, unknown, error);
    for (int i = 0; i < m * n && !status; i++)
        if (!isfinite(by[i]) || !isfinite(prediction[i % m]))
            status = carom_error_at(error, CAROM_FAILED, p->q->data->at[i % m].path, p->q->data->at[i % m].line, 1,
                                    "the prediction of this measurement is not finite");
    return status;
}

carom_status predictor_trace(predictor *p, const double *unknown, predictor_watch watch, void *context,
                             carom_error *error) {
    p->prediction = p->slopes = NULL, p->watch = watch, p->context = context;
    return run_all(p, unknown, error);
}
