#include "identify/identify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "identify/least_squares.h"
#include "identify/spread.h"

/* ---------------------------------------------------------------- residuals */

typedef struct fit {
    const identify_question *q;
    predictor *p;
    double *prediction;  /* of the last point */
    const double *guess; /* [unknowns] */
    const bool *left_out;
} fit;

/* Zeroes a derivative that is round-off: changing the unknown by as much as its guess would not change the
 * predictions. */
static void clear_dust(const double *prediction, const measurement *at, int m, double guess, double *by) {
    double seen = 0, all = 0;
    for (int i = 0; i < m; i++) seen += by[i] * by[i], all += pow(prediction[i] / at[i].sigma, 2);
    if (guess != 0 && fabs(guess) * sqrt(seen) <= 1e-11 * sqrt(all)) memset(by, 0, (size_t)m * sizeof *by);
}

/* (SE40): r_i = (f_i(theta) - y_i)/sigma_i */
static carom_status residuals_at(void *context, const double *x, double *r, double *by, carom_error *error) {
    fit *f = context;
    const records *data = f->q->data;
    carom_status status = predictor_run(f->p, x, f->prediction, by, error);
    for (int i = 0; i < data->measurements && !status; i++) {
        const double weight = f->left_out[i] ? 0 : 1 / data->at[i].sigma;
        r[i] = (f->prediction[i] - data->at[i].value) * weight;
        for (int k = 0; k < identify_unknowns(f->q); k++) by[k * data->measurements + i] *= weight;
    }
    for (int k = 0; k < identify_unknowns(f->q) && !status; k++)
        clear_dust(f->prediction, data->at, data->measurements, f->guess[k], by + k * data->measurements);
    return status;
}

/* ---------------------------------------------------------------- what can be told */

/* The sentence about unknowns that the data cannot tell apart: those with a share in the weakest combination. */
static carom_status complain_weak(const identify_answer *a, const spread *s, const int *free, int count,
                                  carom_error *error) {
    char names[300] = "";
    double most = 0;
    int shares = 0;
    for (int k = 0; k < count; k++) most = fmax(most, fabs(s->weakest[k]));
    for (int k = 0; k < count; k++) {
        if (fabs(s->weakest[k]) < 0.05 * most) continue;
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s'%.60s'", shares++ ? ", " : "", a->estimate[free[k]].name);
    }
    if (shares == 1)
        return carom_error_set(error, CAROM_FAILED,
                               "the data do not depend on %s near the values that were reached; try another guess",
                               names);
    return carom_error_set(error, CAROM_FAILED,
                           "the data do not tell %s apart: only a combination of them is determined; fix one of them",
                           names);
}

/* Bates and Watts 1981, (SE44): the correction that is left, in units of the uncertainty. */
static double left_over(const identify_question *q, const identify_answer *a, const spread *s, int count) {
    double data = 0;
    for (int i = 0; i < a->measurements; i++) data += pow(q->data->at[i].value / q->data->at[i].sigma, 2);
    const double noise = sqrt(a->sum / fmax(a->freedom, 1)), rounding = 1e-9 * sqrt(data / a->measurements);
    return s->offset / sqrt(fmax(count, 1)) / fmax(fmax(noise, rounding), 1e-300);
}

static carom_status complain_convergence(const least_squares *s, double left, bool located, carom_error *error) {
    const bool refused = s->refused[0];
    const char *why = refused   ? "; the last values that could not be simulated: "
                      : located ? ", and no step improves it"
                                : ", and no step improves it; captured events make the sum jump as the unknowns change "
                                  "(try events: locate)";
    return carom_error_set(error, CAROM_FAILED,
                           "no convergence: after %d runs a correction of %.2g standard deviations is left%s%s",
                           s->runs, left, why, refused ? s->refused : "");
}

static void fill_estimates(identify_answer *a, const spread *s, const int *free, int count) {
    const int n = a->unknowns;
    const double t = a->freedom > 0 ? student_quantile(0.95, a->freedom) : NAN;
    for (int i = 0; i < n * n; i++) a->correlation[i] = NAN;
    for (int i = 0; i < count; i++) {
        estimate *e = &a->estimate[free[i]];
        e->deviation = a->scale * sqrt(s->covariance[i * count + i]);
        e->low = e->value - t * e->deviation, e->high = e->value + t * e->deviation;
        for (int k = 0; k < count; k++)
            a->correlation[free[i] * n + free[k]] =
                s->covariance[i * count + k] / sqrt(s->covariance[i * count + i] * s->covariance[k * count + k]);
    }
}

/* by: derivatives of the unknowns that are free, in order. */
static carom_status judge(const identify_question *q, const least_squares *l, const int *free, int count, double *by,
                          identify_answer *a, double *left, carom_error *error) {
    enum { WEAK = 1000000 }; /* a singular value below 1/WEAK is round-off of the derivatives */
    spread s;
    for (int i = 0; i < count; i++) memcpy(by + i * l->m, l->by + free[i] * l->m, (size_t)l->m * sizeof *by);
    carom_status status = spread_compute(l->m, count, l->r, by, &s, error);
    if (!status && count && s.least < 1.0 / WEAK) status = complain_weak(a, &s, free, count, error);
    *left = status ? 0 : left_over(q, a, &s, count);
    if (!status) fill_estimates(a, &s, free, count);
    spread_destroy(&s);
    return status;
}

/* ---------------------------------------------------------------- the answer */

static carom_status make_answer(const identify_question *q, const double *guess, identify_answer *a,
                                carom_error *error) {
    const int n = identify_unknowns(q), m = q->data->measurements;
    *a = (identify_answer){.unknowns = n, .measurements = m};
    a->estimate = calloc((size_t)n + 1, sizeof *a->estimate);
    a->correlation = calloc((size_t)n * (size_t)n + 1, sizeof *a->correlation);
    a->prediction = calloc((size_t)m + 1, sizeof *a->prediction);
    a->by = calloc((size_t)m * (size_t)n + 1, sizeof *a->by);
    a->left_out = calloc((size_t)m + 1, sizeof *a->left_out);
    bool ok = a->estimate && a->correlation && a->prediction && a->by && a->left_out;
    for (int r = 0; r < q->data->count && ok; r++)
        for (int k = 0; k < q->own && ok; k++) {
            estimate *e = &a->estimate[identify_unknown(q, r, k)];
            const bool shared = k < q->common;
            if (e->name) continue;
            *e = (estimate){.value = guess[k], .deviation = NAN, .low = NAN, .high = NAN};
            ok = asprintf(&e->name, "%s%s%s%s", q->by[k], shared ? "" : "[", shared ? "" : q->data->record[r].name,
                          shared ? "" : "]") >= 0;
        }
    return ok ? CAROM_OK : carom_error_memory(error);
}

static carom_status finish(const identify_question *q, least_squares *l, const double *prediction, identify_answer *a,
                           double *left, carom_error *error) {
    int *free_ones = calloc((size_t)l->n + 1, sizeof *free_ones), count = 0;
    double *by = calloc((size_t)l->m * (size_t)l->n + 1, sizeof *by);
    carom_status status = free_ones && by ? CAROM_OK : carom_error_memory(error);
    for (int k = 0; k < l->n && !status; k++) {
        a->estimate[k].value = l->x[k], a->estimate[k].held = l->held[k];
        if (!l->held[k]) free_ones[count++] = k;
    }
    memcpy(a->prediction, prediction, (size_t)l->m * sizeof *prediction);
    a->sum = 0;
    for (int i = 0; i < l->m; i++) {
        a->sum += l->r[i] * l->r[i];
        for (int k = 0; k < l->n; k++)
            a->by[k * l->m + i] = l->by[k * l->m + i] * q->data->at[i].sigma; /* 0 where it is left out */
    }
    a->freedom = l->m - count;
    for (int i = 0; i < l->m; i++) a->freedom -= a->left_out[i];
    a->scale = a->freedom > 0 ? sqrt(a->sum / a->freedom) : NAN;
    if (!status) status = judge(q, l, free_ones, count, by, a, left, error);
    free(free_ones);
    free(by);
    return status;
}

/* (SE47): if an event happens exactly at the time of a measurement, its prediction has a kink or jump there, and the
 * least sum may lie at that kink, where no derivative exists. Leaves this measurement out. False: there is none. */
static bool leave_out(const identify_question *q, const predictor *p, identify_answer *a) {
    const double *near = predictor_nearness(p);
    int next = -1;
    for (int i = 0; i < a->measurements; i++)
        if (!a->left_out[i] && (next < 0 || near[i] < near[next])) next = i;
    if (next < 0 || !(near[next] <= 1e-6 * carom_scene_run(q->scene)->dt) || a->freedom <= 1) return false;
    return a->left_out[next] = true;
}

static carom_status fit_all(const identify_question *q, predictor *p, least_squares *l, identify_answer *a,
                            carom_error *error) {
    const fit *f = l->context;
    carom_status status = CAROM_OK;
    for (bool again = true; again && !status;) {
        double left = 0;
        status = least_squares_solve(l, error);
        a->runs += l->runs;
        if (!status) status = finish(q, l, f->prediction, a, &left, error);
        again = !status && left > 1e-3;
        if (again && !leave_out(q, p, a)) status = complain_convergence(l, left, a->located, error);
    }
    return status;
}

static carom_status solve(const identify_question *q, predictor *p, const double *low, const double *high,
                          identify_answer *a, carom_error *error) {
    const size_t m = (size_t)a->measurements, n = (size_t)a->unknowns;
    double *memory = calloc(4 * n + 2 * m + m * n + 1, sizeof *memory);
    bool *held = calloc(n + 1, sizeof *held);
    fit f = {q, p, .left_out = a->left_out};
    least_squares l = {.function = residuals_at, .context = &f, .m = (int)m, .n = (int)n, .held = held};
    carom_status status = memory && held ? CAROM_OK : carom_error_memory(error);
    if (!status) {
        double *from = memory, *to = from + n, *guess = to + n;
        l.x = guess + n, l.r = l.x + n, l.by = l.r + m, l.low = from, l.high = to;
        f.guess = guess, f.prediction = l.by + m * n;
        for (int r = 0; r < q->data->count; r++)
            for (int k = 0; k < q->own; k++) {
                const int i = identify_unknown(q, r, k);
                from[i] = low[k], to[i] = high[k], guess[i] = l.x[i] = a->estimate[i].value;
            }
        status = fit_all(q, p, &l, a, error);
    }
    free(memory);
    free(held);
    return status;
}

carom_status identify_compute(const identify_question *q, const double *guess, const double *low, const double *high,
                              identify_answer *a, carom_error *error) {
    predictor *p = NULL;
    carom_status status = make_answer(q, guess, a, error);
    if (!status && a->measurements < a->unknowns)
        status = carom_error_set(error, CAROM_DATA, "%d measurement%s cannot determine %d unknowns", a->measurements,
                                 a->measurements == 1 ? "" : "s", a->unknowns);
    if (!status) status = predictor_create(q, &p, error);
    if (!status) a->located = predictor_locates(p);
    if (!status) status = solve(q, p, low, high, a, error);
    predictor_destroy(p);
    return status;
}

void identify_destroy(identify_answer *a) {
    for (int k = 0; k < a->unknowns && a->estimate; k++) free(a->estimate[k].name);
    free(a->estimate);
    free(a->correlation);
    free(a->prediction);
    free(a->by);
    free(a->left_out);
}

/* ---------------------------------------------------------------- differences */

/* Central differences with a step and half of it, extrapolated: (4 d(h/2) - d(h))/3. */
static carom_status difference(predictor *p, const identify_answer *a, int k, double *x, double *room, double *slope,
                               carom_error *error) {
    const int m = a->measurements;
    double *side[2] = {room, room + m}, *by = room + 2 * m, value = x[k], h = 1e-4 * fmax(fabs(value), 1e-2);
    carom_status status = CAROM_OK;
    memset(slope, 0, (size_t)m * sizeof *slope);
    for (int level = 0; level < 2 && !status; level++, h /= 2) {
        for (int s = 0; s < 2 && !status; s++) {
            x[k] = s ? value - h : value + h;
            status = predictor_run(p, x, side[s], by, error);
        }
        for (int i = 0; i < m && !status; i++)
            slope[i] += (level ? 4.0 / 3 : -1.0 / 3) * (side[0][i] - side[1][i]) / (2 * h);
    }
    x[k] = value;
    return status;
}

carom_status identify_check(const identify_question *q, const identify_answer *a, double *off, carom_error *error) {
    const int m = a->measurements, n = a->unknowns;
    predictor *p = NULL;
    double *x = calloc((size_t)n + 3 * (size_t)m + (size_t)m * (size_t)n + 1, sizeof *x), *slope = x + n;
    carom_status status = x ? predictor_create(q, &p, error) : carom_error_memory(error);
    for (int k = 0; k < n && !status; k++) x[k] = a->estimate[k].value;
    for (int k = 0; k < n && !status; k++) {
        double most = 0, worst = 0;
        carom_error why;
        const carom_status there = difference(p, a, k, x, slope + m, slope, &why);
        if (there == CAROM_MEMORY) status = carom_error_memory(error);
        for (int i = 0; i < m; i++) {
            if (a->left_out[i]) continue;
            most = fmax(most, fabs(a->by[k * m + i]));
            worst = fmax(worst, fabs(a->by[k * m + i] - slope[i]));
        }
        off[k] = there ? NAN : worst / fmax(most, 1e-300);
    }
    predictor_destroy(p);
    free(x);
    return status;
}
