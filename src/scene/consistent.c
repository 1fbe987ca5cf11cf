/* Makes the initial state consistent, for models with 'start: consistent'. Says why that failed, or how far the state
 * moved. */
#include "integrator/consistent.h"
#include "error.h"
#include "model/model.h"
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static carom_status complain(const carom_scene *scene, const contradiction *left, carom_error *error) {
    const carom_model_def *d = carom_model_get(scene->model);
    const bool gamma = left->row >= d->ng;
    const char *name = gamma ? d->gamma_names[left->row - d->ng] : d->g_names[left->row];
    return node_error(
        error, gamma ? scene->gamma_where[left->row - d->ng] : scene->g_where[left->row],
        "no consistent %s near the given ones were found: constraint '%s' %s %.6g at best; start nearer, or "
        "look for constraints that contradict each other",
        left->velocities ? "velocities" : "positions", name, left->velocities && !gamma ? "has the rate" : "is still",
        left->value);
}

static int farthest(const double *a, const double *b, int n, double *distance) {
    int at = 0;
    *distance = 0;
    for (int i = 0; i < n; i++)
        if (fabs(a[i] - b[i]) > *distance) at = i, *distance = fabs(a[i] - b[i]);
    return at;
}

static void start_there(carom_scene *scene, const double *q, const double *u) {
    const carom_model_def *d = carom_model_get(scene->model);
    start_shift *shift = &scene->shift;
    *shift = (start_shift){.made = true};
    shift->coordinate = farthest(q, d->q0, d->nq, &shift->position);
    shift->rate = farthest(u, d->u0, d->nu, &shift->velocity);
    model_set_start(scene->model, q, u);
}

carom_status scene_start_consistent(carom_scene *scene, carom_error *error) {
    const carom_model_def *d = carom_model_get(scene->model);
    scene->model->consistent = true;
    double *q = malloc(((size_t)d->nq + (size_t)d->nu + 1) * sizeof *q), *u = q + d->nq;
    if (!q) return carom_error_memory(error);
    memcpy(q, d->q0, (size_t)d->nq * sizeof *q);
    memcpy(u, d->u0, (size_t)d->nu * sizeof *u);
    contradiction left;
    carom_status status = CAROM_OK;
    switch (make_consistent(scene->model, d->t0, NULL, q, u, &left)) {
    case CONSISTENT:
        start_there(scene, q, u);
        break;
    case CONSISTENT_NOT:
        status = complain(scene, &left, error);
        break;
    case CONSISTENT_UNDEFINED:
        status =
            node_error(error, yaml_find(scene->root, "model")->key, "the constraints are not defined at the start");
        break;
    case CONSISTENT_MEMORY:
        status = carom_error_memory(error);
        break;
    }
    free(q);
    return status;
}

bool scene_shift_text(const carom_scene *scene, char *text, size_t size) {
    const start_shift *s = &scene->shift;
    const carom_model_def *d = carom_model_get(scene->model);
    if (!s->made) return false;
    int used = snprintf(text, size, "consistent start: ");
    if (s->position > 0)
        used += snprintf(text + used, size - (size_t)used, "positions moved by up to %.3g (%.80s), ", s->position,
                         d->q_names[s->coordinate]);
    else used += snprintf(text + used, size - (size_t)used, "positions as given, ");
    if (s->velocity > 0)
        snprintf(text + used, size - (size_t)used, "velocities by up to %.3g (%.80s)", s->velocity,
                 d->u_names[s->rate]);
    else snprintf(text + used, size - (size_t)used, "velocities as given");
    return true;
}
