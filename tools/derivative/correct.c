#include "derivative/correct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "derivative/elimination.h"
#include "error.h"

/* ---------------------------------------------------------------- unknowns: starts of shots, T, the parameter */

static int place_of(const period_map *p, int index) {
    int at = 0;
    for (int j = 0; j < index; j++) at += p->shot[j].free;
    return at;
}

static int place_of_T(const period_map *p) {
    return place_of(p, p->shots);
}

static int place_of_value(const period_map *p) {
    return place_of_T(p) + (p->section != NULL);
}

/* The derivative of the start of a shot by the parameter, into the vector to: joints and closed contacts carry the
 * start along, and its time may depend on the parameter. */
static void follow_value(const period_map *p, int j, double *to) {
    const shot *s = &p->shot[j];
    const double part = p->period ? (p->phase / p->repeats + (double)j / p->shots) * p->T_by_value : 0;
    for (int i = 0; i < p->size; i++) to[i] = s->start_value[i] + part * s->start_time[i];
}

double corrector_product(const corrector *c, const orbit_point *a, const orbit_point *b) {
    const period_map *p = c->map;
    double sum = a->T * b->T / (c->T_unit * c->T_unit) + a->value * b->value / (c->value_unit * c->value_unit),
           of_x = 0;
    for (int j = 0; j < p->shots; j++)
        for (int i = 0; i < p->size; i++)
            of_x += a->x[j * p->size + i] * b->x[j * p->size + i] / (c->unit[i] * c->unit[i]);
    return sum + of_x / (p->size * p->shots);
}

/* ---------------------------------------------------------------- the system, (SE15) */

static void add_entry(corrector *c, int row, int column, const double *across, const double *along, double factor) {
    double sum = 0;
    for (int i = 0; i < c->map->size; i++) sum += across[i] * along[i];
    c->A[row * c->n + column] += factor * sum;
}

/* The equations of one shot: its end is the start of the next one. */
static void write_shot(corrector *c, const orbit_point *x, int j, bool free_value) {
    const period_map *p = c->map;
    const int next = (j + 1) % p->shots, row = place_of(p, next), size = p->size;
    const shot *s = &p->shot[j], *then = &p->shot[next];
    const double from = p->phase / p->repeats + (double)j / p->shots, to = from + 1.0 / p->shots;
    const double *flow = period_flow(p, j);
    double *column = c->room, *gap = c->room + size;
    period_gap(p, x, j, gap);
    for (int g = 0; g < then->free; g++) {
        const double *across = then->B + g * size;
        for (int f = 0; f < s->free; f++) add_entry(c, row + g, place_of(p, j) + f, across, s->E + f * size, 1);
        for (int f = 0; f < then->free; f++) add_entry(c, row + g, row + f, across, then->B + f * size, -1);
        if (p->section) add_entry(c, row + g, place_of_T(p), across, s->by_time, -1.0 / p->shots);
        for (int i = 0; i < size; i++) c->rhs[row + g] -= across[i] * gap[i];
        if (!free_value) continue;
        follow_value(p, next, column);
        for (int i = 0; i < size; i++)
            column[i] =
                s->by_value[i] - column[i] + (p->period ? p->T_by_value * (from * s->by_time[i] + to * flow[i]) : 0);
        period_advance(p, j, true, column);
        add_entry(c, row + g, place_of_value(p), across, column, 1);
    }
}

static void write_section(corrector *c, bool free_value) {
    const period_map *p = c->map;
    const int row = place_of_T(p);
    for (int f = 0; f < p->shot[0].free; f++) c->A[row * c->n + f] = p->section_by[f];
    if (free_value) c->A[row * c->n + place_of_value(p)] = p->section_by_value;
    c->rhs[row] = -p->section_value;
}

/* The equation of the border: a move has no component along it. */
static void write_border(corrector *c, const orbit_point *border) {
    const period_map *p = c->map;
    const int row = place_of_value(p), size = p->size;
    const double share = 1.0 / (size * p->shots);
    double *A = c->A + row * c->n;
    for (int j = 0; j < p->shots; j++) {
        const double *b = border->x + j * size;
        for (int f = 0; f < p->shot[j].free; f++)
            for (int i = 0; i < size; i++)
                A[place_of(p, j) + f] += share * b[i] * p->shot[j].move[f * size + i] / (c->unit[i] * c->unit[i]);
        follow_value(p, j, c->room);
        for (int i = 0; i < size; i++) A[row] += share * b[i] * c->room[i] / (c->unit[i] * c->unit[i]);
    }
    if (p->section) A[place_of_T(p)] = border->T / (c->T_unit * c->T_unit);
    else A[row] += border->T * p->T_by_value / (c->T_unit * c->T_unit);
    A[row] += border->value / (c->value_unit * c->value_unit);
}

static carom_status reserve_system(corrector *c, int n, carom_error *error) {
    const size_t size = (size_t)n * (size_t)n + (size_t)n;
    free(c->A);
    free(c->pivot);
    c->n = n;
    c->A = calloc(size + 1, sizeof *c->A);
    c->rhs = c->A ? c->A + n * n : NULL;
    c->pivot = calloc((size_t)n + 1, sizeof *c->pivot);
    return c->A && c->pivot ? CAROM_OK : carom_error_memory(error);
}

static carom_status factor(corrector *c, const orbit_point *x, const orbit_point *border, carom_error *error) {
    const period_map *p = c->map;
    carom_status status = reserve_system(c, place_of_value(p) + (border != NULL), error);
    if (status) return status;
    for (int j = 0; j < p->shots; j++) write_shot(c, x, j, border != NULL);
    if (p->section) write_section(c, border != NULL);
    if (border) write_border(c, border);
    if (elimination_factor(c->n, c->A, c->pivot, &c->determinant)) return CAROM_OK;
    return carom_error_set(error, CAROM_FAILED,
                           "the map of the period has the multiplier 1: orbits are not isolated, or two meet here%s",
                           p->section ? "" : "; coordinates that may advance are named by --modulo");
}

/* The direction that a solution of the system is. */
static void read_direction(corrector *c, const double *z, bool free_value, orbit_point *to) {
    const period_map *p = c->map;
    to->value = free_value ? z[place_of_value(p)] : 0;
    to->T = p->section ? z[place_of_T(p)] : p->T_by_value * to->value;
    for (int j = 0; j < p->shots; j++) {
        double *x = to->x + j * p->size;
        follow_value(p, j, x);
        for (int i = 0; i < p->size; i++) x[i] *= to->value;
        for (int f = 0; f < p->shot[j].free; f++)
            for (int i = 0; i < p->size; i++) x[i] += z[place_of(p, j) + f] * p->shot[j].move[f * p->size + i];
    }
}

/* ---------------------------------------------------------------- Newton's method */

/* Scales the move by part and adds it to x; sign -1: subtracts it again. */
static void add_part(const corrector *c, orbit_point *x, orbit_point *move, double part, double sign) {
    for (int i = 0; i < c->map->shots * c->map->size; i++) x->x[i] += sign * (move->x[i] *= part);
    x->T += sign * (move->T *= part), x->value += sign * (move->value *= part);
}

/* A correction changes the period by at most half of it. */
static carom_status correct(corrector *c, orbit_point *x, const orbit_point *border, orbit_point *move,
                            carom_error *error) {
    carom_status status = factor(c, x, border, error);
    if (status) return status;
    elimination_solve(c->n, c->A, c->pivot, c->rhs);
    read_direction(c, c->rhs, border != NULL, move);
    add_part(c, x, move, fmin(1, x->T / (2 * fabs(move->T))), 1);
    return CAROM_OK;
}

/* Evaluates the map at x. As long as its residual is much larger than before the last move, half of that move is taken
 * back. */
static carom_status evaluate_damped(corrector *c, orbit_point *x, orbit_point *move, double most, carom_error *error) {
    enum { HALVINGS = 6 };
    carom_status status = CAROM_OK;
    for (int i = 0; i <= HALVINGS; i++) {
        if (i > 0) add_part(c, x, move, 0.5, -1);
        status = period_follow(c->map, x, error);
        c->residual = status ? INFINITY : period_residual(c->map, x);
        if (status == CAROM_MEMORY || c->residual <= most) break;
    }
    return status;
}

carom_status corrector_solve(corrector *c, orbit_point *x, const orbit_point *border, carom_error *error) {
    orbit_point move = {.x = period_states(c->map)};
    double last = INFINITY;
    carom_status status = move.x ? CAROM_OK : carom_error_memory(error);
    for (c->iterations = 0; !status; c->iterations++) {
        status = evaluate_damped(c, x, &move, border || c->iterations == 0 ? INFINITY : 4 * last, error);
        if (status) break;
        if (c->residual <= 1e-12 || (c->residual <= 1e-9 && c->residual >= last / 4)) break;
        const bool lingers = border && c->iterations >= 3 && c->residual > last / 2;
        last = c->residual;
        if (c->iterations == c->most || lingers)
            status =
                carom_error_set(error, CAROM_FAILED,
                                "no periodic motion was found near the state at t = %g: a period still misses by %.3g",
                                period_start(c->map, x->T, 0), c->residual);
        else status = correct(c, x, border, &move, error);
    }
    free(move.x);
    return status;
}

/* ---------------------------------------------------------------- the tangent, (SE16) */

carom_status corrector_tangent(corrector *c, const orbit_point *border, orbit_point *tangent, carom_error *error) {
    orbit_point here = {.x = period_states(c->map)};
    carom_status status = here.x ? CAROM_OK : carom_error_memory(error);
    for (int j = 0; j < c->map->shots && !status; j++) /* nothing is missed */
        memcpy(here.x + (j + 1) % c->map->shots * c->map->size, c->map->shot[j].end,
               (size_t)c->map->size * sizeof *here.x);
    for (int turn = 0; turn < 2 && !status; turn++) {
        status = factor(c, &here, turn ? tangent : border, error);
        if (status) break;
        memset(c->rhs, 0, (size_t)c->n * sizeof *c->rhs);
        c->rhs[c->n - 1] = 1;
        elimination_solve(c->n, c->A, c->pivot, c->rhs);
        read_direction(c, c->rhs, true, tangent);
        const double size = sqrt(corrector_product(c, tangent, tangent));
        for (int i = 0; i < c->map->shots * c->map->size; i++) tangent->x[i] /= size;
        tangent->T /= size, tangent->value /= size;
    }
    free(here.x);
    return status;
}

/* ---------------------------------------------------------------- setup */

carom_status corrector_create(corrector *c, period_map *map, carom_error *error) {
    *c = (corrector){.map = map, .T_unit = 1, .value_unit = 1, .most = 40};
    c->unit = calloc((size_t)map->size + 1, sizeof *c->unit);
    c->room = calloc(2 * (size_t)map->size + 1, sizeof *c->room);
    for (int i = 0; i < map->size && c->unit; i++) c->unit[i] = map->drifts[i] ? INFINITY : 1;
    return c->unit && c->room ? CAROM_OK : carom_error_memory(error);
}

void corrector_destroy(corrector *c) {
    free(c->unit);
    free(c->room);
    free(c->A);
    free(c->pivot);
}
