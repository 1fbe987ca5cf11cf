/* Checks the initial state: whether the mass matrix is positive definite, and whether constraints and contacts are
 * satisfied. */
#include "error.h"
#include "model/definite.h"
#include "model/found/search.h"
#include "scene.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CURE "; 'start: consistent' under 'model' lets carom correct it"

/* ---- mass */

/* "coordinate 'y'" for y_dot, "velocity 'wx'" for a declared one */
typedef struct phrase {
    char text[160];
} phrase;

static phrase owner(const carom_scene *scene, int velocity) {
    const char *name = carom_model_get(scene->model)->u_names[velocity];
    phrase p;
    snprintf(p.text, sizeof p.text, "%.*s", (int)strlen(name) - 4, name); /* without "_dot" */
    const symbol *coordinate = strlen(name) > 4 ? table_find(&scene->symbols, p.text) : NULL;
    bool own = coordinate && coordinate->kind == SYMBOL_COORDINATE;
    snprintf(p.text, sizeof p.text, own ? "coordinate '%.120s'" : "velocity '%.120s'", own ? coordinate->name : name);
    return p;
}

static carom_status check_diagonal(const carom_scene *scene, const double *M, const node *kinetic, carom_error *error) {
    const carom_model_def *def = carom_model_get(scene->model);
    for (int k = 0; k < def->M.start[def->nu]; k++)
        if (!isfinite(M[k])) return node_error(error, kinetic, "the mass matrix is not finite at the start");
    for (int i = 0; i < def->nu; i++) {
        const double *diagonal = pattern_entry(&def->M, M, i, i);
        if (!diagonal || *diagonal == 0)
            return node_error(error, kinetic, "the mass matrix is singular: %s has no kinetic energy",
                              owner(scene, i).text);
        if (*diagonal < 0)
            return node_error(error, kinetic,
                              "the mass matrix is not positive definite: %s has negative kinetic energy",
                              owner(scene, i).text);
    }
    return CAROM_OK;
}

static carom_status check_definite(const carom_scene *scene, const double *M, const node *kinetic, carom_error *error) {
    const carom_model_def *def = carom_model_get(scene->model);
    double pivot = 0;
    int row = indefinite_row(&def->M, M, &pivot);
    if (row == def->nu) return CAROM_OK;
    if (row < 0) return carom_error_memory(error);
    bool zero = fabs(pivot) <= def->nu * DBL_EPSILON * *pattern_entry(&def->M, M, row, row);
    return node_error(error, kinetic, "the mass matrix is %s: %s has no kinetic energy of its own",
                      zero ? "singular" : "not positive definite", owner(scene, row).text);
}

carom_status check_mass(const carom_scene *scene, const node *kinetic, carom_error *error) {
    const carom_model_def *def = carom_model_get(scene->model);
    double *M = malloc(((size_t)def->M.start[def->nu] + 1) * sizeof *M);
    if (!M) return carom_error_memory(error);
    carom_status status = CAROM_OK;
    if (def->mass(def->context, def->t0, def->q0, M) != 0)
        status = node_error(error, kinetic, "the mass matrix is not defined at the start");
    if (!status) status = check_diagonal(scene, M, kinetic, error);
    if (!status) status = check_definite(scene, M, kinetic, error);
    free(M);
    return status;
}

/* ---- constraints and contacts */

static const double POSITION = 1e-8, VELOCITY = 1e-6; /* what typing eight digits can leave */

static carom_status check_position(const carom_scene *scene, const double *c, carom_error *error) {
    const carom_model_def *def = carom_model_get(scene->model);
    for (int i = 0; i < def->ng + def->contacts; i++) {
        int k = i - def->ng;
        const node *where = k < 0 ? scene->g_where[i] : scene->gap_where[k];
        const char *name = k < 0 ? def->g_names[i] : def->contact[k].name;
        if (!isfinite(c[i]))
            return node_error(error, where, "%s '%s' is not defined at the start", k < 0 ? "constraint" : "contact",
                              name);
        if (k < 0 && fabs(c[i]) > POSITION)
            return node_error(error, where, "constraint '%s' is violated at the start: it is %.6g" CURE, name, c[i]);
        if (k >= 0 && c[i] < -POSITION)
            return node_error(error, where, "contact '%s' penetrates at the start: its gap is %.6g", name, c[i]);
    }
    return CAROM_OK;
}

static carom_status check_velocity(const carom_scene *scene, const double *s, carom_error *error) {
    const carom_model_def *def = carom_model_get(scene->model);
    double scale = 1;
    for (int j = 0; j < def->nu; j++) scale = fmax(scale, fabs(def->u0[j]));
    for (int i = 0; i < def->ng + def->ngamma; i++) {
        int k = i - def->ng;
        if (!(fabs(s[i]) <= VELOCITY * scale))
            return node_error(error, k < 0 ? scene->g_where[i] : scene->gamma_where[k],
                              "the initial velocities violate %sconstraint '%s': %s is %.6g" CURE,
                              k < 0 ? "" : "velocity ", k < 0 ? def->g_names[i] : def->gamma_names[k],
                              k < 0 ? "its rate" : "it", s[i]);
    }
    return CAROM_OK;
}

/* ---- forces and energies */

static bool finite_vector(const double *x, int n) {
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

carom_status start_finite(const carom_scene *scene, finiteness *finite, carom_error *error) {
    const carom_model_def *def = carom_model_get(scene->model);
    double T = 0, V = 0, *x = calloc((size_t)(def->nq + def->nu), sizeof *x);
    if (!x) return carom_error_memory(error);
    finite->energies = !def->energy(def->context, def->t0, def->q0, def->u0, &T, &V) && isfinite(T + V);
    finite->forces = !def->force(def->context, def->t0, def->q0, def->u0, x, NULL, NULL) && finite_vector(x, def->nu);
    finite->rates = !def->kinematics || (!def->kinematics(def->context, def->t0, def->q0, def->u0, x, NULL, NULL) &&
                                         finite_vector(x, def->nq));
    free(x);
    return CAROM_OK;
}

static carom_status check_forces(const carom_scene *scene, carom_error *error) {
    const node *model = yaml_find(scene->root, "model"), *kinematics = yaml_find(model, "kinematics");
    const node *where = scene->infinite ? scene->infinite : model->key;
    finiteness finite;
    carom_status status = start_finite(scene, &finite, error);
    if (status) return status;
    if (!finite.rates)
        return node_error(error, kinematics ? kinematics : model->key, "the kinematics are not finite at the start");
    if (!finite.energies) return node_error(error, where, "the energy is not finite at the start");
    if (!finite.forces)
        return node_error(error, where, "the forces%s are not finite at the start",
                          scene->infinite ? " that follow from this" : "");
    return CAROM_OK;
}

/* Contacts that are found: no two solids overlap. */
static carom_status check_solids(const carom_scene *scene, carom_error *error) {
    const carom_model_def *def = carom_model_get(scene->model);
    const finder *f = scene->finder;
    const node *contacts = yaml_find(yaml_find(scene->root, "model"), "contacts");
    search s;
    double gap = 0;
    int a = -1, b = -1;
    bool looked = search_create(&s, f, def->nq) && search_smallest(&s, def->q0, &gap, &a, &b);
    search_destroy(&s);
    if (!looked) return carom_error_memory(error);
    if (!(a >= 0 && gap < -POSITION)) return CAROM_OK;
    return node_error(error, contacts, "'%s' and '%s' overlap at the start: their gap is %.6g",
                      f->body[f->solid[a].body].name, f->body[f->solid[b].body].name, gap);
}

carom_status scene_validate_start(const carom_scene *scene, carom_error *error) {
    const carom_model_def *def = carom_model_get(scene->model);
    carom_status finite = check_forces(scene, error);
    if (!finite && scene->finder) finite = check_solids(scene, error);
    if (finite) return finite;
    int positions = def->ng + def->contacts, velocities = positions + def->ngamma + carom_model_slips(scene->model);
    if (!velocities) return CAROM_OK;
    double *c = calloc((size_t)(positions + velocities), sizeof *c);
    if (!c) return carom_error_memory(error);
    double *s = c + positions;
    bool defined = !positions || def->position(def->context, def->t0, def->q0, c, NULL) == 0;
    carom_status status = check_position(scene, c, error);
    defined = defined && def->velocity(def->context, def->t0, def->q0, def->u0, s, NULL, NULL) == 0;
    if (!status) status = check_velocity(scene, s, error);
    if (!status && !defined)
        status = node_error(error, yaml_find(scene->root, "model")->key, "the contacts are not defined at the start");
    free(c);
    return status;
}
