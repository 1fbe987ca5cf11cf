/* Sensors: what an element does, asked for by its name.
 *
 *   body.position, body.velocity          of its centre of mass, in the world
 *   body.rotation, body.angular_velocity  an angle, or a unit quaternion; in the plane, or in the body's axes
 *   contact.force                         normal force, then friction: percussions of the last step over dt
 *   joint.force                           of its rows: those that hold it, then those of its drives; of a constraint
 *   rolling.force                         normal force, then along the slips
 *   anything that is recorded             "crank.phi", "wall.gap", "wall.PN", "E" */
#include "run/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

typedef enum source { FROM_Q, FROM_U, FROM_P, FROM_ROW } source;
struct sensor {
    source from;
    int count, *at; /* [count] places among q, u, P or the columns */
    bool memory;    /* there was enough for the list */
};

/* ---------------------------------------------------------------- finding */

static int find(const char *const *names, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

static void add_place(struct sensor *s, int at) {
    int *more = s->memory ? realloc(s->at, ((size_t)s->count + 1) * sizeof *more) : NULL;
    s->memory = more != NULL;
    if (more) s->at = more, s->at[s->count++] = at;
}

/* The members of an element that exist, in the order of the list. */
static bool find_members(struct sensor *s, source from, const char *const *names, int count, const char *element,
                         const char *const *members) {
    char name[256];
    s->from = from;
    for (; *members; members++) {
        snprintf(name, sizeof name, "%s.%s", element, *members);
        int at = find(names, count, name);
        if (at >= 0) add_place(s, at);
    }
    return s->count > 0;
}

static bool find_motion(const carom_model_def *d, struct sensor *s, const char *element, const char *what) {
    static const char *const place[] = {"x", "y", "z", NULL}, *const speed[] = {"x_dot", "y_dot", "z_dot", NULL},
                             *const turn[] = {"phi", "p0", "p1", "p2", "p3", NULL},
                             *const spin[] = {"phi_dot", "wx", "wy", "wz", NULL};
    if (strcmp(what, "position") == 0) return find_members(s, FROM_Q, d->q_names, d->nq, element, place);
    if (strcmp(what, "velocity") == 0) return find_members(s, FROM_U, d->u_names, d->nu, element, speed);
    if (strcmp(what, "rotation") == 0) return find_members(s, FROM_Q, d->q_names, d->nq, element, turn);
    return strcmp(what, "angular_velocity") == 0 && find_members(s, FROM_U, d->u_names, d->nu, element, spin);
}

/* Rows that belong to the element, and a row with its name. */
static void add_rows(struct sensor *s, int first, const char *const *names, const char *const *owners, int count,
                     const char *element) {
    for (int i = 0; i < count; i++)
        if ((owners[i] && strcmp(owners[i], element) == 0) || strcmp(names[i], element) == 0) add_place(s, first + i);
}

static bool find_force(const carom_model *m, struct sensor *s, const char *element) {
    const carom_model_def *d = &m->def;
    s->from = FROM_P;
    for (int k = 0; k < d->contacts; k++) {
        if (strcmp(d->contact[k].name, element) != 0) continue;
        add_place(s, m->N + k);
        for (int i = m->slip[k]; i < m->slip[k + 1]; i++) add_place(s, m->F + i);
        return true;
    }
    add_rows(s, 0, d->g_names, d->g_owners, d->ng, element);
    add_rows(s, d->ng, d->gamma_names, d->gamma_owners, d->ngamma, element);
    return s->count > 0;
}

/* The caller frees s->at, also when there is no such sensor. */
static bool find_sensor(const carom_sim *sim, const char *name, struct sensor *s) {
    const char *dot = strrchr(name, '.');
    char element[256];
    *s = (struct sensor){.from = FROM_ROW, .memory = true};
    const int column = find((const char *const *)sim->name, sim->columns, name);
    if (column >= 0) return add_place(s, column), true;
    if (!dot || (size_t)(dot - name) >= sizeof element) return false;
    snprintf(element, sizeof element, "%.*s", (int)(dot - name), name);
    return find_motion(&sim->model->def, s, element, dot + 1) ||
           (strcmp(dot + 1, "force") == 0 && find_force(sim->model, s, element));
}

/* Keeps in best the one of two words that is nearer to the name; *best may be empty. */
static void prefer_nearer(const char *name, const char *word, char best[256]) {
    const char *const pair[] = {*best ? best : word, word};
    if (carom_nearest(name, pair, 2) == word) snprintf(best, 256, "%s", word);
}

/* The sensor or column whose name is nearest; empty where none is near. */
static void nearest_sensor(const carom_sim *sim, const char *name, char best[256]) {
    static const char *const what[] = {"position", "velocity", "rotation", "angular_velocity", "force"};
    struct sensor s;
    const char *column = carom_nearest(name, (const char *const *)sim->name, sim->columns);
    snprintf(best, 256, "%s", column ? column : "");
    for (int i = 0; i < sim->columns; i++)
        for (int k = 0; k < 5; k++) {
            const char *dot = strrchr(sim->name[i], '.');
            char word[256];
            if (!dot) continue;
            snprintf(word, sizeof word, "%.*s.%s", (int)(dot - sim->name[i]), sim->name[i], what[k]);
            if (find_sensor(sim, word, &s)) prefer_nearer(name, word, best);
            free(s.at);
        }
}

static carom_status complain(const carom_sim *sim, const char *name, carom_error *error) {
    char near[256];
    nearest_sensor(sim, name, near);
    return carom_error_set(error, CAROM_DATA,
                           "there is no quantity '%.80s'%s%s%s (elements have position, velocity, rotation, "
                           "angular_velocity and force)",
                           name, *near ? ", did you mean '" : "", near, *near ? "'?" : "");
}

/* Adds the sensor to the simulation, or frees it. */
static carom_status append(carom_sim *sim, struct sensor found, carom_error *error) {
    struct sensor *list = found.memory ? realloc(sim->sensor, ((size_t)sim->sensors + 1) * sizeof *list) : NULL;
    if (!list) return free(found.at), carom_error_memory(error);
    sim->sensor = list;
    list[sim->sensors++] = found;
    return CAROM_OK;
}

carom_status carom_sim_sensor(carom_sim *sim, const char *name, int *sensor, int *count, carom_error *error) {
    assert_alive(sim);
    struct sensor found;
    if (!find_sensor(sim, name, &found)) return found.memory ? complain(sim, name, error) : carom_error_memory(error);
    carom_status status = append(sim, found, error);
    if (status) return status;
    *sensor = sim->sensors - 1;
    if (count) *count = found.count;
    return CAROM_OK;
}

carom_status sensors_copy(const carom_sim *from, carom_sim *to, carom_error *error) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < from->sensors && !status; i++) {
        const struct sensor *s = &from->sensor[i];
        struct sensor copy = {.from = s->from, .memory = true};
        for (int k = 0; k < s->count; k++) add_place(&copy, s->at[k]);
        status = append(to, copy, error);
    }
    return status;
}

void sensors_destroy(carom_sim *sim) {
    for (int i = 0; i < sim->sensors; i++) free(sim->sensor[i].at);
    free(sim->sensor);
}

/* ---------------------------------------------------------------- reading */

/* Forces along slips, not along the rows of friction, (L14). */
static carom_status rescale(carom_sim *sim, const struct sensor *s, double *values, carom_error *error) {
    const carom_model *m = sim->model;
    const motion x = sim_motion(sim, sim->now);
    if (!m->def.slip_scale) return CAROM_OK;
    if (model_slip_scale(m, x.t, x.q, sim->scale))
        return carom_error_set(error, CAROM_FAILED, "the model is not defined at t = %.9g", x.t);
    for (int i = 0; i < s->count; i++)
        if (s->at[i] >= m->F) percussions_from_rows(1, sim->scale + s->at[i] - m->F, &values[i]);
    return CAROM_OK;
}

carom_status carom_sim_sense(carom_sim *sim, int sensor, double *values, carom_error *error) {
    assert_alive(sim);
    assert(sensor >= 0 && sensor < sim->sensors);
    const struct sensor *s = &sim->sensor[sensor];
    const motion x = sim_motion(sim, sim->now);
    const double *from[] = {[FROM_Q] = x.q, [FROM_U] = x.u, [FROM_P] = x.P, [FROM_ROW] = sim->row};
    carom_status status = s->from == FROM_ROW ? carom_sim_row(sim, sim->row, error) : CAROM_OK;
    for (int i = 0; i < s->count; i++) values[i] = from[s->from][s->at[i]] / (s->from == FROM_P ? sim->dt : 1);
    return s->from == FROM_P ? rescale(sim, s, values, error) : status;
}
