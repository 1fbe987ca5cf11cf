#include "derivative/orbit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "derivative/multipliers.h"
#include "error.h"
#include "linalg/linear.h"

typedef struct search {
    const orbit_question *q;
    const carom_model *m;
    const carom_model_def *d;
    int n;                 /* unknowns */
    int *component;        /* [n] of (q, u) */
    char **name;           /* [n] "start.x" */
    double *x, *end, *was; /* [nq + nu] start, end, and the state a step before it */
    double *phi;           /* [n][n] d(end)/d(start) */
    double *slope;         /* [n] of the section by the start */
    double section;        /* its value there */
    double t, T;           /* of the start; of the period */
    double *matrix, *rhs;
    int *start, *index; /* the pattern of the matrix, which is full */
    linear *linear;
    long events;
    carom_margins margins;
} search;

/* ---------------------------------------------------------------- one period */

static void read_state(const search *s, const carom_sim *sim, double *x) {
    memcpy(x, carom_sim_q(sim), (size_t)s->d->nq * sizeof *x);
    memcpy(x + s->d->nq, carom_sim_u(sim), (size_t)s->d->nu * sizeof *x);
}

/* A simulation of the period, at its start. */
static carom_status begin_period(const search *s, carom_sim **sim, carom_error *error) {
    carom_run_def run = *carom_scene_run(s->q->scene);
    run.dt = s->T / ceil(s->T / run.dt * (1 - 1e-12));
    run.until = s->t + s->T;
    carom_status status = carom_sim_create(s->m, &run, sim, error);
    return status ? status : carom_sim_set_state(*sim, s->t, s->x, s->x + s->d->nq, error);
}

static carom_status read_section(search *s, carom_sim *sim, carom_error *error) {
    objective *o;
    carom_status status = objective_create(sim, s->m, s->q->section, &o, error);
    if (!status) status = objective_read(o, sim, (const char *const *)s->name, &s->section, s->slope, error);
    objective_destroy(o);
    return status;
}

static carom_status run_period(search *s, carom_sim *sim, carom_error *error) {
    carom_status status = CAROM_OK;
    int count;
    s->events = 0;
    while (!status && !carom_sim_done(sim)) {
        read_state(s, sim, s->was);
        status = carom_sim_step(sim, error);
        carom_sim_events(sim, &count);
        s->events += status ? 0 : count;
    }
    read_state(s, sim, s->end);
    return status;
}

/* The end of the period and its derivatives by the start. */
static carom_status follow(search *s, carom_error *error) {
    carom_sim *sim = NULL;
    carom_status status = begin_period(s, &sim, error);
    if (!status) status = carom_sim_differentiate(sim, (const char *const *)s->name, s->n, error);
    if (!status && s->q->section) status = read_section(s, sim, error);
    if (!status) status = run_period(s, sim, error);
    if (!status && carom_sim_lost(sim))
        status = carom_error_set(error, CAROM_FAILED, "the orbit has no derivative: %s", carom_sim_lost(sim));
    for (int j = 0; j < s->n && !status; j++)
        for (int i = 0; i < s->n; i++) {
            const int c = s->component[i];
            s->phi[i * s->n + j] = c < s->d->nq ? carom_sim_q_by(sim, j)[c] : carom_sim_u_by(sim, j)[c - s->d->nq];
        }
    if (!status && s->n > 0) s->margins = carom_sim_margins(sim);
    if (sim) carom_sim_destroy(sim);
    return status;
}

/* ---------------------------------------------------------------- Newton's method, (SE13) */

static double residual(const search *s) {
    double most = 0;
    for (int i = 0; i < s->n; i++) {
        const int c = s->component[i];
        most = fmax(most, fabs(s->end[c] - s->x[c]) / (1 + fabs(s->x[c])));
    }
    return s->q->section ? fmax(most, fabs(s->section)) : most;
}

/* (Phi - 1) dx + f dT = x - end, and section + slope dx = 0; f the motion in the last step. */
static carom_status correct(search *s, carom_error *error) {
    const int n = s->n, size = n + (s->q->section != NULL);
    const double dt = s->T / ceil(s->T / carom_scene_run(s->q->scene)->dt * (1 - 1e-12));
    for (int i = 0; i < n; i++) {
        const int c = s->component[i];
        for (int j = 0; j < n; j++) s->matrix[i * size + j] = s->phi[i * n + j] - (i == j);
        if (size > n) s->matrix[i * size + n] = (s->end[c] - s->was[c]) / dt;
        s->rhs[i] = s->x[c] - s->end[c];
    }
    for (int j = 0; j < n && size > n; j++) s->matrix[n * size + j] = s->slope[j];
    if (size > n) s->matrix[n * size + n] = 0, s->rhs[n] = -s->section;
    for (int i = 0; i <= size; i++) s->start[i] = i * size;
    for (int i = 0; i < size * size; i++) s->index[i] = i % size;
    if (!linear_factor(s->linear, size, s->start, s->index, s->matrix))
        return carom_error_set(
            error, CAROM_FAILED,
            "the map of the period has the multiplier 1: orbits are not isolated, or two meet here%s",
            s->q->section ? "" : "; coordinates that may advance are named by --modulo");
    linear_solve(s->linear, s->rhs);
    for (int i = 0; i < n; i++) s->x[s->component[i]] += s->rhs[i];
    if (size > n) s->T += s->rhs[n];
    return CAROM_OK;
}

static carom_status solve(search *s, orbit_answer *answer, carom_error *error) {
    enum { MOST = 40 };
    double last = INFINITY;
    for (int i = 0; i <= MOST; i++) {
        carom_status status = follow(s, error);
        if (status) return status;
        answer->iterations = i;
        answer->residual = residual(s);
        if (answer->residual <= 1e-12 || (answer->residual <= 1e-9 && answer->residual >= last / 4)) return CAROM_OK;
        last = answer->residual;
        if ((status = correct(s, error))) return status;
        if (!(s->T > 0))
            return carom_error_set(error, CAROM_FAILED, "no periodic motion was found: its period would be %g", s->T);
    }
    return carom_error_set(error, CAROM_FAILED,
                           "no periodic motion was found near the state at t = %g: a period still misses by %.3g", s->t,
                           answer->residual);
}

/* ---------------------------------------------------------------- the first guess */

/* The state at which the section is crossed upwards, between the last two steps. */
static void interpolate(search *s, const carom_sim *sim, double before, double after, double *t, double *x) {
    const double part = before / (before - after), dt = carom_scene_run(s->q->scene)->dt;
    read_state(s, sim, s->end);
    for (int i = 0; i < s->d->nq + s->d->nu; i++) x[i] = s->was[i] + part * (s->end[i] - s->was[i]);
    *t = carom_sim_time(sim) - (1 - part) * dt;
}

/* Two crossings in a row: the state at the first, the period between them. */
static carom_status find_crossings(search *s, carom_sim *sim, carom_error *error) {
    objective *o;
    carom_status status = objective_create(sim, s->m, s->q->section, &o, error);
    double before = NAN, now = NAN, t;
    int crossings = 0;
    while (!status && crossings < 2 && !carom_sim_done(sim)) {
        read_state(s, sim, s->was);
        status = carom_sim_step(sim, error);
        before = now;
        if (!status) status = objective_read(o, sim, NULL, &now, NULL, error);
        if (status || !(before < 0 && now >= 0)) continue;
        interpolate(s, sim, before, now, &t, crossings ? s->end : s->x);
        if (crossings++ == 0) s->t = t;
        else s->T = t - s->t;
    }
    objective_destroy(o);
    if (!status && crossings < 2)
        status = carom_error_set(error, CAROM_FAILED, "'%s' does not pass zero upwards twice between t = %g and %g",
                                 s->q->section, s->q->after, carom_sim_time(sim));
    return status;
}

static carom_status guess(search *s, carom_error *error) {
    carom_run_def run = *carom_scene_run(s->q->scene);
    carom_sim *sim;
    if (s->q->after + s->d->t0 >= run.until) run.until = s->d->t0 + 2 * s->q->after;
    carom_status status = carom_sim_create(s->m, &run, &sim, error);
    while (!status && carom_sim_time(sim) < s->d->t0 + s->q->after - 1e-9 * run.dt) status = carom_sim_step(sim, error);
    if (status) {
        carom_sim_destroy(sim);
        return status;
    }
    read_state(s, sim, s->x);
    s->t = carom_sim_time(sim), s->T = s->q->period;
    if (s->q->section) status = find_crossings(s, sim, error);
    carom_sim_destroy(sim);
    return status;
}

/* ---------------------------------------------------------------- unknowns */

static bool is_modulo(const search *s, const char *name) {
    for (int i = 0; i < s->q->modulos; i++)
        if (!strcmp(s->q->modulo[i], name)) return true;
    return false;
}

static const char *name_of(const search *s, int component) {
    return component < s->d->nq ? s->d->q_names[component] : s->d->u_names[component - s->d->nq];
}

/* Components that a contact which is closed at the start leaves no choice are none. */
static carom_status find_unknowns(search *s, carom_error *error) {
    carom_sim *sim = NULL;
    carom_status status = begin_period(s, &sim, error);
    if (!status) status = carom_sim_differentiate(sim, NULL, 0, error);
    for (int i = 0; i < s->d->nq + s->d->nu && !status; i++) {
        char *name = NULL;
        if (is_modulo(s, name_of(s, i))) continue;
        if (asprintf(&name, "start.%s", name_of(s, i)) < 0) status = carom_error_memory(error);
        else if (carom_sim_differentiate(sim, (const char *const *)&name, 1, NULL)) free(name);
        else s->component[s->n] = i, s->name[s->n++] = name;
    }
    if (!status && s->n == 0) status = carom_error_set(error, CAROM_FAILED, "nothing moves freely at t = %g", s->t);
    if (sim) carom_sim_destroy(sim);
    return status;
}

static carom_status check(const search *s, carom_error *error) {
    if (s->d->ng > 0 || s->d->rotations > 0)
        return carom_error_set(
            error, CAROM_DATA,
            "orbits of models with joints on positions, or bodies that turn in space, cannot be found");
    for (int i = 0; i < s->q->modulos; i++)
        if (carom_model_coordinate(s->m, s->q->modulo[i]) < 0)
            return carom_error_set(error, CAROM_DATA, "there is no coordinate '%s'", s->q->modulo[i]);
    return CAROM_OK;
}

/* ---------------------------------------------------------------- the answer */

static carom_status find_multipliers(const search *s, orbit_answer *answer, carom_error *error) {
    const int n = s->n;
    double complex *A = calloc((size_t)(n * n) + 1, sizeof *A);
    answer->multiplier = calloc((size_t)n + 1, sizeof *answer->multiplier);
    if (!A || !answer->multiplier) {
        free(A);
        return carom_error_memory(error);
    }
    for (int i = 0; i < n * n; i++) A[i] = s->phi[i];
    const bool found = multipliers_find(n, A, answer->multiplier);
    free(A);
    if (!found) return carom_error_set(error, CAROM_FAILED, "the multipliers were not found");
    answer->count = n;
    if (!s->q->section) return CAROM_OK;
    int along = 0; /* the motion itself */
    for (int i = 1; i < n; i++)
        if (cabs(answer->multiplier[i] - 1) < cabs(answer->multiplier[along] - 1)) along = i;
    memmove(answer->multiplier + along, answer->multiplier + along + 1,
            (size_t)(n - along - 1) * sizeof *answer->multiplier);
    answer->count--;
    return CAROM_OK;
}

static carom_status read_answer(const search *s, orbit_answer *answer, carom_error *error) {
    const size_t nq = (size_t)s->d->nq, nu = (size_t)s->d->nu;
    answer->q = calloc(2 * nq + nu + 1, sizeof *answer->q);
    if (!answer->q) return carom_error_memory(error);
    answer->u = answer->q + nq, answer->advance = answer->u + nu;
    memcpy(answer->q, s->x, (nq + nu) * sizeof *s->x);
    for (size_t i = 0; i < nq; i++) answer->advance[i] = s->end[i] - s->x[i];
    answer->t = s->t, answer->period = s->T;
    answer->events = s->events, answer->margins = s->margins;
    return find_multipliers(s, answer, error);
}

void orbit_free(orbit_answer *answer) {
    free(answer->q);
    free(answer->multiplier);
}

static bool create(search *s) {
    const size_t n = (size_t)s->d->nq + (size_t)s->d->nu + 1;
    s->x = calloc(4 * n, sizeof *s->x);
    s->phi = calloc(2 * n * n + 2 * n, sizeof *s->phi);
    s->component = calloc(2 * n + n * n, sizeof *s->component);
    s->name = calloc(n, sizeof *s->name);
    s->linear = linear_create_switched((int)n, (int)(n * n), (int)n);
    if (!s->x || !s->phi || !s->component || !s->name || !s->linear) return false;
    s->end = s->x + n, s->was = s->end + n, s->slope = s->was + n;
    s->matrix = s->phi + n * n, s->rhs = s->matrix + n * n;
    s->start = s->component + n - 1, s->index = s->start + n;
    return true;
}

static void destroy(search *s) {
    for (int i = 0; i < s->n && s->name; i++) free(s->name[i]);
    free(s->name);
    free(s->x);
    free(s->phi);
    free(s->component);
    linear_destroy(s->linear);
}

carom_status orbit_find(const orbit_question *q, orbit_answer *answer, carom_error *error) {
    const carom_model *m = carom_scene_model(q->scene);
    search s = {.q = q, .m = m, .d = carom_model_get(m)};
    *answer = (orbit_answer){0};
    carom_status status = create(&s) ? check(&s, error) : carom_error_memory(error);
    if (!status) status = guess(&s, error);
    if (!status) status = find_unknowns(&s, error);
    if (!status) status = solve(&s, answer, error);
    if (!status) status = read_answer(&s, answer, error);
    destroy(&s);
    return status;
}
