#include "derivative/period.h"

#include <stdlib.h>
#include <string.h>

#include "derivative/directions.h"
#include "error.h"

/* ---------------------------------------------------------------- what is asked for */

static int coordinate_of(const period_map *p, int modulo) {
    return carom_model_coordinate(p->m, p->q.modulo[modulo].name);
}

static carom_status complain(const char *what, const char *name, const char *const *names, int count,
                             carom_error *error) {
    const char *near = carom_nearest(name, names, count);
    return carom_error_set(error, CAROM_DATA, "there is no %s '%s'%s%s%s", what, name, near ? ", did you mean '" : "",
                           near ? near : "", near ? "'?" : "");
}

static carom_status check(const period_map *p, carom_error *error) {
    for (int i = 0; i < p->q.modulos; i++)
        if (coordinate_of(p, i) < 0) return complain("coordinate", p->q.modulo[i].name, p->d->q_names, p->d->nq, error);
    if (p->q.parameter && p->parameter < 0)
        return complain("parameter", p->q.parameter, p->d->parameter_names, p->d->parameters, error);
    return CAROM_OK;
}

/* ---------------------------------------------------------------- the simulation */

/* Along a unit vector for each component of the state, and along its time. */
static carom_status differentiate(period_map *p, carom_error *error) {
    const int width = 1 + p->size;
    double *along = calloc((size_t)(width * width) + 1, sizeof *along);
    if (!along) return carom_error_memory(error);
    for (int i = 0; i < p->size; i++) along[i * width + 1 + i] = 1;
    along[p->size * width] = 1;
    carom_status status =
        carom_sim_differentiate_along(p->sim, &p->q.parameter, directions_first(p), along, width, error);
    free(along);
    return status;
}

/* Coordinates that advance by a formula, and those that drift. */
static carom_status create_advances(period_map *p, carom_error *error) {
    carom_status status = CAROM_OK;
    p->advance = calloc((size_t)p->q.modulos + 1, sizeof *p->advance);
    if (!p->advance) return carom_error_memory(error);
    for (int i = 0; i < p->q.modulos && !status; i++) {
        const char *by = p->q.modulo[i].by;
        measured_advance *a = &p->advance[p->advances];
        if (!by) p->drifts[coordinate_of(p, i)] = true;
        else status = objective_create(p->sim, p->m, by, &a->formula, error);
        if (by && !status) a->coordinate = coordinate_of(p, i), p->advances++;
    }
    return status;
}

static carom_status create_simulation(period_map *p, carom_error *error) {
    carom_status status = carom_sim_create(p->m, carom_scene_run(p->q.scene), &p->sim, error);
    if (!status) status = differentiate(p, error);
    if (!status) status = create_advances(p, error);
    if (!status && p->q.period) status = objective_create(p->sim, p->m, p->q.period, &p->period, error);
    if (!status && p->q.section) status = objective_create(p->sim, p->m, p->q.section, &p->section, error);
    return status;
}

/* ---------------------------------------------------------------- shots */

carom_status period_divide(period_map *p, int shots, int repeats, carom_error *error) {
    enum { VECTORS = 8 };
    const size_t n = (size_t)p->size, each = 3 * n * n + (VECTORS + FLOW_STEPS) * n;
    free(p->shot);
    free(p->memory);
    free(p->contact);
    p->shots = shots, p->repeats = repeats;
    p->shot = calloc((size_t)shots, sizeof *p->shot);
    p->memory = calloc((size_t)shots * each + 1, sizeof *p->memory);
    p->contact = calloc((size_t)(shots * p->d->contacts) + 1, sizeof *p->contact);
    if (!p->shot || !p->memory || !p->contact) return carom_error_memory(error);
    for (int j = 0; j < shots; j++) {
        shot *s = &p->shot[j];
        double *from = p->memory + (size_t)j * each, *vectors = from + 3 * n * n;
        s->B = from, s->move = from + n * n, s->E = from + 2 * n * n;
        s->contact = p->contact + j * p->d->contacts;
        double **const part[VECTORS] = {&s->end,     &s->start_value, &s->start_time, &s->by_value,
                                        &s->by_time, &s->flow[0],     &s->flow[1],    &s->gap};
        for (int i = 0; i < VECTORS; i++) *part[i] = vectors + (size_t)i * n;
        for (int i = 0; i < FLOW_STEPS; i++) s->before[i] = vectors + (size_t)(VECTORS + i) * n;
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
    p->drifts = calloc(n, sizeof *p->drifts);
    p->pick = calloc(n * n, sizeof *p->pick);
    p->section_by = calloc(n, sizeof *p->section_by);
    p->most = calloc(n, sizeof *p->most);
    if (!p->drifts || !p->pick || !p->section_by || !p->most) return carom_error_memory(error);
    carom_status status = check(p, error);
    if (!status) status = period_divide(p, q->shots > 0 ? q->shots : 1, 1, error);
    return status ? status : create_simulation(p, error);
}

void period_destroy(period_map *p) {
    objective_destroy(p->period);
    objective_destroy(p->section);
    for (int i = 0; i < p->advances; i++) objective_destroy(p->advance[i].formula);
    if (p->sim) carom_sim_destroy(p->sim);
    free(p->drifts);
    free(p->advance);
    free(p->pick);
    free(p->section_by);
    free(p->most);
    free(p->event);
    free(p->shot);
    free(p->memory);
    free(p->contact);
}
