/* Sensors: what an element does, asked for by its name.
 *
 *   body.position, body.velocity          of its centre of mass, in the world
 *   body.rotation, body.angular_velocity  an angle, or a unit quaternion; in the plane, or in the body's axes
 *   contact.force                         normal force, then friction: percussions of the last step over dt
 *   joint.force                           of all its rows, or of a constraint
 *   anything that is recorded             "crank.phi", "wall.gap", "wall.PN", "E" */
#include "run/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

enum { MOST_VALUES = 16 };
typedef enum source { FROM_Q, FROM_U, FROM_P, FROM_ROW } source;
struct sensor {
    source from;
    int count, at[MOST_VALUES]; /* places among q, u, P or the columns */
};

/* ---------------------------------------------------------------- finding */

static int find(const char *const *names, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

/* Members of an element that are there, in the order of the list. */
static bool find_members(struct sensor *s, source from, const char *const *names, int count, const char *element,
                         const char *const *members) {
    char name[256];
    s->from = from;
    for (; *members; members++) {
        snprintf(name, sizeof name, "%s.%s", element, *members);
        int at = find(names, count, name);
        if (at >= 0) s->at[s->count++] = at;
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

/* A row of this name, if it is there. */
static bool add_row(const carom_model_def *d, struct sensor *s, const char *format, const char *element, int number) {
    char name[256];
    snprintf(name, sizeof name, format, element, number);
    int at = find(d->g_names, d->ng, name);
    if (at < 0 && (at = find(d->gamma_names, d->ngamma, name)) >= 0) at += d->ng;
    if (at < 0 || s->count == MOST_VALUES) return false;
    s->at[s->count++] = at;
    return true;
}

/* Rows of a joint or constraint: hinge; hinge1, hinge2, ...; link3_1, link3_2, ... in a family; those of drives. */
static bool find_rows(const carom_model_def *d, struct sensor *s, const char *element) {
    static const char *const numbered[] = {"%s%d", "%s_%d"}, *const driven[] = {"%s_drive", "%s_drive2", "%s_speed",
                                                                                "%s_speed2"};
    add_row(d, s, "%s", element, 0);
    for (int k = 0; k < 2; k++)
        for (int i = 1; add_row(d, s, numbered[k], element, i); i++) continue;
    for (int k = 0; k < 4; k++) add_row(d, s, driven[k], element, 0);
    return s->count > 0;
}

static bool find_force(const carom_model *m, struct sensor *s, const char *element) {
    const carom_model_def *d = &m->def;
    s->from = FROM_P;
    for (int k = 0; k < d->contacts; k++) {
        if (strcmp(d->contact[k].name, element) != 0) continue;
        s->at[s->count++] = m->N + k;
        for (int i = m->slip[k]; i < m->slip[k + 1]; i++) s->at[s->count++] = m->F + i;
        return true;
    }
    return find_rows(d, s, element);
}

static bool find_sensor(const carom_sim *sim, const char *name, struct sensor *s) {
    const char *dot = strrchr(name, '.');
    char element[256];
    *s = (struct sensor){.from = FROM_ROW, .count = 1};
    s->at[0] = find((const char *const *)sim->name, sim->columns, name);
    if (s->at[0] >= 0) return true;
    s->count = 0;
    if (!dot || (size_t)(dot - name) >= sizeof element) return false;
    snprintf(element, sizeof element, "%.*s", (int)(dot - name), name);
    return find_motion(&sim->model->def, s, element, dot + 1) ||
           (strcmp(dot + 1, "force") == 0 && find_force(sim->model, s, element));
}

/* The nearer one of two words to a name; *best may be empty. */
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
        }
}

carom_status carom_sim_sensor(carom_sim *sim, const char *name, int *sensor, int *count, carom_error *error) {
    assert_alive(sim);
    struct sensor found, *list = realloc(sim->sensor, ((size_t)sim->sensors + 1) * sizeof *list);
    if (!list) return carom_error_memory(error);
    sim->sensor = list;
    if (!find_sensor(sim, name, &found)) {
        char near[256];
        nearest_sensor(sim, name, near);
        return carom_error_set(error, CAROM_DATA,
                               "there is no quantity '%.80s'%s%s%s (elements have position, velocity, rotation, "
                               "angular_velocity and force)",
                               name, *near ? ", did you mean '" : "", near, *near ? "'?" : "");
    }
    list[sim->sensors] = found;
    *sensor = sim->sensors++;
    if (count) *count = found.count;
    return CAROM_OK;
}

void sensors_destroy(carom_sim *sim) {
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
