#include "derivative/period.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "derivative/multipliers.h"
#include "error.h"

/* ---------------------------------------------------------------- reading the simulation */

static void read_state(const period_map *p, double *x) {
    memcpy(x, carom_sim_q(p->sim), (size_t)p->d->nq * sizeof *x);
    memcpy(x + p->d->nq, carom_sim_u(p->sim), (size_t)p->d->nu * sizeof *x);
}

/* A column of derivatives; nothing is asked of coordinates that may advance. */
static void read_column(const period_map *p, int column, double *x) {
    memcpy(x, carom_sim_q_by(p->sim, column), (size_t)p->d->nq * sizeof *x);
    memcpy(x + p->d->nq, carom_sim_u_by(p->sim, column), (size_t)p->d->nu * sizeof *x);
    for (int i = 0; i < p->size; i++)
        if (p->advances[i]) x[i] = 0;
}

/* Columns of the simulation: the parameter, the directions that are tried, the time of the start. */
static int first_direction(const period_map *p) {
    return p->parameter >= 0;
}

static int column_of_time(const period_map *p) {
    return first_direction(p) + p->candidates;
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void add(int n, double factor, const double *from, double *to) {
    for (int i = 0; i < n; i++) to[i] += factor * from[i];
}

/* ---------------------------------------------------------------- where the start may move, (SE14) */

/* Of the directions that are left, the one with the largest part across the basis so far: made orthonormal, with how it
 * was made. False: none is left. */
static bool extend_basis(period_map *p, shot *s, double *rest) {
    const int n = p->size, m = p->candidates;
    int best = -1;
    double most = 1e-6; /* of unit vectors */
    for (int k = 0; k < m; k++) {
        const double size = sqrt(dot(n, rest + k * n, rest + k * n));
        if (size > most * (1 + 1e-9)) most = size, best = k;
    }
    if (best < 0) return false;
    double *b = s->B + s->free * n, *how = p->pick + s->free * m;
    memset(how, 0, (size_t)m * sizeof *how);
    how[best] = 1;
    read_column(p, first_direction(p) + best, b);
    for (int turn = 0; turn < 2; turn++)
        for (int f = 0; f < s->free; f++) {
            const double part = dot(n, b, s->B + f * n);
            add(n, -part, s->B + f * n, b);
            add(m, -part, p->pick + f * m, how);
        }
    const double size = sqrt(dot(n, b, b));
    for (int i = 0; i < n; i++) b[i] /= size;
    for (int k = 0; k < m; k++) how[k] /= size;
    for (int k = 0; k < m; k++) add(n, -dot(n, rest + k * n, b), b, rest + k * n);
    s->free++;
    return true;
}

/* Room for directions is that of the ends, which come later. */
static void find_basis(period_map *p, shot *s) {
    s->free = 0;
    for (int k = 0; k < p->candidates; k++) read_column(p, first_direction(p) + k, s->E + k * p->size);
    while (s->free < p->candidates && extend_basis(p, s, s->E)) continue;
}

/* ---------------------------------------------------------------- one shot */

double period_start(const period_map *p, double T, int index) {
    const double start = p->period ? p->d->t0 + p->phase * T / p->repeats : p->start;
    return start + T * index / p->shots;
}

static const char **column_names(const period_map *p) {
    const char **names = calloc((size_t)column_of_time(p) + 1, sizeof *names);
    if (names && p->parameter >= 0) names[0] = p->q.parameter;
    return names;
}

static carom_status read_formula(const period_map *p, objective *o, double *value, double *by, carom_error *error) {
    const char **names = column_names(p);
    carom_status status = names ? objective_read(o, p->sim, names, value, by, error) : carom_error_memory(error);
    free(names);
    return status;
}

static carom_status read_section(period_map *p, const shot *s, carom_error *error) {
    double *by = calloc((size_t)column_of_time(p) + 1, sizeof *by);
    carom_status status = by ? read_formula(p, p->section, &p->section_value, by, error) : carom_error_memory(error);
    for (int f = 0; f < s->free && !status; f++)
        p->section_by[f] = dot(p->candidates, p->pick + f * p->candidates, by + first_direction(p));
    if (!status) p->section_by_value = p->parameter >= 0 ? by[0] : 0;
    free(by);
    return status;
}

/* With its time, for now. */
static bool keep_event(period_map *p, const carom_event *e) {
    if (p->events == p->room) {
        const int room = 2 * p->room + 8;
        orbit_event *more = realloc(p->event, (size_t)room * sizeof *more);
        if (!more) return false;
        p->event = more, p->room = room;
    }
    p->event[p->events++] = (orbit_event){e->time, e->contact, e->kind, -e->gap_dot[0]};
    return true;
}

/* The state by time at both ends of a shot, by differences that have order two where no event is among them. */
static void note_flow(const period_map *p, shot *s, int step, int quiet, const double *older, const double *old,
                      const double *now) {
    for (int i = 0; i < p->size; i++) {
        if (step == 2 && quiet == 2) s->flow[0][i] = (-1.5 * older[i] + 2 * old[i] - 0.5 * now[i]) / s->dt;
        if (quiet >= 2) s->flow[1][i] = (0.5 * older[i] - 2 * old[i] + 1.5 * now[i]) / s->dt;
        else s->flow[1][i] = (now[i] - old[i]) / s->dt;
        if (p->advances[i]) s->flow[0][i] = s->flow[1][i] = 0;
    }
    s->is_smooth[0] = s->is_smooth[0] || (step == 2 && quiet == 2);
    s->is_smooth[1] = quiet >= 2;
}

static carom_status run_shot(period_map *p, shot *s, carom_error *error) {
    carom_status status = CAROM_OK;
    int count;
    s->is_smooth[0] = s->is_smooth[1] = false;
    read_state(p, s->end);
    for (int step = 1, quiet = 0; !status && !carom_sim_done(p->sim); step++) {
        double *oldest = s->before[1];
        s->before[1] = s->before[0], s->before[0] = s->end, s->end = oldest;
        for (int i = 0; i < p->size; i++) p->most[i] = fmax(p->most[i], fabs(s->before[0][i]));
        status = carom_sim_step(p->sim, error);
        if (status) break;
        const carom_event *event = carom_sim_events(p->sim, &count);
        for (int i = 0; i < count && !status; i++)
            if (!keep_event(p, &event[i])) status = carom_error_memory(error);
        quiet = count ? 0 : quiet + 1;
        read_state(p, s->end);
        note_flow(p, s, step, quiet, s->before[1], s->before[0], s->end);
    }
    return status;
}

/* Quaternions p and -p are the same rotation: the end takes the sign of the state that it is compared with. */
static void align(const period_map *p, const double *next, double *end, double *vectors, int count) {
    for (int r = 0; r < p->d->rotations; r++) {
        const int at = p->d->rotation[r].q;
        if (dot(4, next + at, end + at) >= 0) continue;
        for (int i = at; i < at + 4; i++) {
            end[i] = -end[i];
            for (int k = 0; k < count; k++) vectors[k * p->size + i] = -vectors[k * p->size + i];
        }
    }
}

/* Columns of the end, by the basis of the start. */
static void read_end(period_map *p, shot *s, double *column) {
    const int n = p->size, m = p->candidates;
    memset(s->E, 0, (size_t)(n * s->free) * sizeof *s->E);
    for (int k = 0; k < m; k++) {
        read_column(p, first_direction(p) + k, column);
        for (int f = 0; f < s->free; f++) add(n, p->pick[f * m + k], column, s->E + f * n);
    }
    read_column(p, column_of_time(p), s->by_time);
    if (p->parameter >= 0) read_column(p, 0, s->by_value);
}

static void note(carom_margin *to, const carom_margin *from) {
    if (from->least < to->least) *to = *from;
}

/* A copy without what round-off has left where a contact holds a component at zero: a gap as small as that would count
 * as open. */
static void clear_dust(int n, const double *from, double *to) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(from[i]));
    for (int i = 0; i < n; i++) to[i] = fabs(from[i]) > 1e-14 * most ? from[i] : 0;
}

/* The steps of a part of the period, none longer than the scene's. */
static carom_status place(const period_map *p, const double *state, double start, double end, double *dt,
                          carom_error *error) {
    *dt = (end - start) / ceil((end - start) / carom_scene_run(p->q.scene)->dt * (1 - 1e-9));
    carom_status status = carom_sim_set_dt(p->sim, *dt, error);
    if (!status) status = carom_sim_set_until(p->sim, end, error);
    clear_dust(p->d->nq, state, p->placed);
    clear_dust(p->d->nu, state + p->d->nq, p->placed + p->d->nq);
    return status ? status : carom_sim_set_state(p->sim, start, p->placed, p->placed + p->d->nq, error);
}

carom_status period_simulate(const period_map *p, const double *state, double start, double end, double *to,
                             carom_error *error) {
    double dt;
    carom_status status = place(p, state, start, end, &dt, error);
    while (!status && !carom_sim_done(p->sim)) status = carom_sim_step(p->sim, error);
    if (!status) read_state(p, to);
    return status;
}

carom_status period_part(period_map *p, const double *state, double start, double end, shot *s, carom_error *error) {
    carom_status status = place(p, state, start, end, &s->dt, error);
    if (status) return status;
    find_basis(p, s);
    read_column(p, column_of_time(p), s->start_time);
    if (p->parameter >= 0) read_column(p, 0, s->start_value);
    if (p->section && s == p->shot) status = read_section(p, s, error);
    if (!status) status = run_shot(p, s, error);
    if (!status && carom_sim_lost(p->sim))
        status = carom_error_set(error, CAROM_FAILED, "the orbit has no derivative: %s", carom_sim_lost(p->sim));
    if (!status) read_end(p, s, s->gap);
    return status;
}

static carom_status follow_shot(period_map *p, const orbit_point *x, int j, carom_error *error) {
    shot *s = &p->shot[j];
    const double *state = x->x + j * p->size, *next = x->x + (j + 1) % p->shots * p->size;
    carom_status status = period_part(p, state, period_start(p, x->T, j), period_start(p, x->T, j + 1), s, error);
    if (status) return status;
    align(p, next, s->end, s->E, s->free);
    const carom_margins m = carom_sim_margins(p->sim);
    note(&p->margins.transversality, &m.transversality);
    note(&p->margins.separation, &m.separation);
    note(&p->margins.friction, &m.friction);
    if (s->free > 0) return CAROM_OK;
    return carom_error_set(error, CAROM_FAILED, "nothing moves freely at t = %g", period_start(p, x->T, j));
}

/* ---------------------------------------------------------------- the period */

carom_status period_measure(period_map *p, orbit_point *x, carom_error *error) {
    carom_status status = p->parameter >= 0 ? carom_sim_set_parameter(p->sim, p->parameter, x->value, error) : CAROM_OK;
    if (status || !p->period) return status;
    double *by = calloc((size_t)column_of_time(p) + 1, sizeof *by);
    status = by ? read_formula(p, p->period, &x->T, by, error) : carom_error_memory(error);
    if (!status && !(x->T > 0 && isfinite(x->T)))
        status = carom_error_set(error, CAROM_DATA, "the period '%s' is %g, and must be positive", p->q.period, x->T);
    if (!status) x->T *= p->repeats, p->T_by_value = p->parameter >= 0 ? p->repeats * by[0] : 0;
    free(by);
    return status;
}

static carom_status follow(period_map *p, orbit_point *x, carom_error *error) {
    const carom_margin far = {.least = INFINITY, .contact = -1};
    carom_status status = period_measure(p, x, error);
    p->margins = (carom_margins){far, far, far};
    p->events = 0;
    memset(p->most, 0, (size_t)p->size * sizeof *p->most);
    for (int j = 0; j < p->shots && !status; j++) status = follow_shot(p, x, j, error);
    for (int i = 0; i < p->events; i++) p->event[i].part = (p->event[i].part - period_start(p, x->T, 0)) / x->T;
    return status;
}

/* States and values that the model refuses are those of no periodic motion: that is no fault of the question. */
carom_status period_follow(period_map *p, orbit_point *x, carom_error *error) {
    carom_status status = follow(p, x, error);
    if (status != CAROM_DATA) return status;
    if (error) error->status = CAROM_FAILED;
    return CAROM_FAILED;
}

void period_gap(const period_map *p, const orbit_point *x, int j, double *gap) {
    const double *next = x->x + (j + 1) % p->shots * p->size;
    for (int i = 0; i < p->size; i++) gap[i] = p->advances[i] ? 0 : p->shot[j].end[i] - next[i];
}

const double *period_flow(const period_map *p, int j) {
    const shot *s = &p->shot[j], *next = &p->shot[(j + 1) % p->shots];
    return !s->is_smooth[1] && next->is_smooth[0] ? next->flow[0] : s->flow[1];
}

double period_residual(const period_map *p, const orbit_point *x) {
    double most = p->section ? fabs(p->section_value) : 0;
    for (int j = 0; j < p->shots; j++) {
        double *gap = p->shot[j].gap;
        period_gap(p, x, j, gap);
        for (int i = 0; i < p->size; i++) most = fmax(most, fabs(gap[i]) / (1 + fabs(p->shot[j].end[i])));
    }
    return most;
}

double period_slowest(const period_map *p) {
    double least = INFINITY;
    for (int i = 0; i < p->events; i++)
        if (p->event[i].kind == CAROM_STRIKE) least = fmin(least, p->event[i].speed);
    return least;
}

/* ---------------------------------------------------------------- multipliers */

carom_status period_monodromy(const period_map *p, double *A, carom_error *error) {
    const int n = p->size, first = p->shot[0].free;
    double *now = calloc((size_t)(2 * n * n) + 1, sizeof *now), *then = now + n * n;
    if (!now) return carom_error_memory(error);
    for (int f = 0; f < first; f++) now[f * n + f] = 1; /* row f: what has become of direction f */
    for (int j = 0; j < p->shots; j++) {
        const shot *s = &p->shot[j], *next = &p->shot[(j + 1) % p->shots];
        for (int f = 0; f < first; f++)
            for (int g = 0; g < next->free; g++) {
                double sum = 0;
                for (int k = 0; k < s->free; k++) sum += now[f * n + k] * dot(n, next->B + g * n, s->E + k * n);
                then[f * n + g] = sum;
            }
        memcpy(now, then, (size_t)(n * n) * sizeof *now);
    }
    for (int f = 0; f < first; f++)
        for (int g = 0; g < first; g++) A[g * first + f] = now[f * n + g];
    free(now);
    return CAROM_OK;
}

static void drop_motion(double complex *value, int *count) {
    int along = 0;
    for (int i = 1; i < *count; i++)
        if (cabs(value[i] - 1) < cabs(value[along] - 1)) along = i;
    memmove(value + along, value + along + 1, (size_t)(*count - along - 1) * sizeof *value);
    --*count;
}

carom_status period_multipliers(const period_map *p, double complex *value, int *count, carom_error *error) {
    const int n = *count = p->shot[0].free;
    double *A = calloc((size_t)(n * n) + 1, sizeof *A);
    double complex *complete = calloc((size_t)(n * n) + 1, sizeof *complete);
    carom_status status = A && complete ? period_monodromy(p, A, error) : carom_error_memory(error);
    for (int i = 0; i < n * n && !status; i++) complete[i] = A[i];
    if (!status && !multipliers_find(n, complete, value))
        status = carom_error_set(error, CAROM_FAILED, "the multipliers were not found");
    if (!status && p->section) drop_motion(value, count);
    free(A);
    free(complete);
    return status;
}

/* ---------------------------------------------------------------- setup */

static bool is_modulo(const period_map *p, int coordinate) {
    for (int i = 0; i < p->q.modulos; i++)
        if (!strcmp(p->q.modulo[i], p->d->q_names[coordinate])) return true;
    return false;
}

static carom_status check(const period_map *p, carom_error *error) {
    if (p->d->ng > 0 || p->d->rotations > 0)
        return carom_error_set(
            error, CAROM_DATA,
            "orbits of models with joints on positions, or bodies that turn in space, cannot be found");
    for (int i = 0; i < p->q.modulos; i++)
        if (carom_model_coordinate(p->m, p->q.modulo[i]) < 0)
            return carom_error_set(error, CAROM_DATA, "there is no coordinate '%s'", p->q.modulo[i]);
    if (p->q.parameter && p->parameter < 0) {
        const char *near = carom_nearest(p->q.parameter, p->d->parameter_names, p->d->parameters);
        return carom_error_set(error, CAROM_DATA, "there is no parameter '%s'%s%s%s", p->q.parameter,
                               near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return CAROM_OK;
}

static carom_status differentiate(period_map *p, carom_error *error) {
    const int width = 1 + p->size;
    double *along = calloc((size_t)((p->candidates + 1) * width) + 1, sizeof *along);
    if (!along) return carom_error_memory(error);
    for (int i = 0, k = 0; i < p->size; i++)
        if (!p->advances[i]) along[k++ * width + 1 + i] = 1;
    along[p->candidates * width] = 1;
    carom_status status =
        carom_sim_differentiate_along(p->sim, &p->q.parameter, first_direction(p), along, p->candidates + 1, error);
    free(along);
    return status;
}

static carom_status create_simulation(period_map *p, carom_error *error) {
    carom_status status = carom_sim_create(p->m, carom_scene_run(p->q.scene), &p->sim, error);
    if (!status) status = differentiate(p, error);
    if (!status && p->q.period) status = objective_create(p->sim, p->m, p->q.period, &p->period, error);
    if (!status && p->q.section) status = objective_create(p->sim, p->m, p->q.section, &p->section, error);
    return status;
}

carom_status period_divide(period_map *p, int shots, int repeats, carom_error *error) {
    enum { VECTORS = 10 };
    const size_t n = (size_t)p->size, each = 2 * n * n + VECTORS * n;
    free(p->shot);
    free(p->memory);
    p->shots = shots, p->repeats = repeats;
    p->shot = calloc((size_t)shots, sizeof *p->shot);
    p->memory = calloc((size_t)shots * each + 1, sizeof *p->memory);
    if (!p->shot || !p->memory) return carom_error_memory(error);
    for (int j = 0; j < shots; j++) {
        shot *s = &p->shot[j];
        double *from = p->memory + (size_t)j * each, *vectors = from + 2 * n * n;
        s->B = from, s->E = from + n * n;
        double **const part[VECTORS] = {&s->end,     &s->start_value, &s->start_time, &s->by_value,  &s->by_time,
                                        &s->flow[0], &s->flow[1],     &s->gap,        &s->before[0], &s->before[1]};
        for (int i = 0; i < VECTORS; i++) *part[i] = vectors + (size_t)i * n;
    }
    return CAROM_OK;
}

double *period_states(const period_map *p) {
    return calloc((size_t)(p->shots * p->size) + 1, sizeof(double));
}

carom_status period_create(period_map *p, const orbit_question *q, carom_error *error) {
    const carom_model *m = carom_scene_model(q->scene);
    *p = (period_map){.q = *q, .m = m, .d = carom_model_get(m), .parameter = -1};
    p->size = p->d->nq + p->d->nu;
    if (q->parameter) p->parameter = carom_model_parameter(m, q->parameter);
    const size_t n = (size_t)p->size + 1;
    p->advances = calloc(n, sizeof *p->advances);
    p->pick = calloc(n * n, sizeof *p->pick);
    p->section_by = calloc(n, sizeof *p->section_by);
    p->most = calloc(2 * n, sizeof *p->most);
    p->placed = p->most ? p->most + n : NULL;
    if (!p->advances || !p->pick || !p->section_by || !p->most) return carom_error_memory(error);
    for (int i = 0; i < p->d->nq; i++) p->advances[i] = is_modulo(p, i);
    for (int i = 0; i < p->size; i++) p->candidates += !p->advances[i];
    carom_status status = check(p, error);
    if (!status) status = period_divide(p, q->shots > 0 ? q->shots : 1, 1, error);
    return status ? status : create_simulation(p, error);
}

void period_destroy(period_map *p) {
    objective_destroy(p->period);
    objective_destroy(p->section);
    if (p->sim) carom_sim_destroy(p->sim);
    free(p->advances);
    free(p->pick);
    free(p->section_by);
    free(p->most);
    free(p->event);
    free(p->shot);
    free(p->memory);
}
