#include "derivative/named.h"

#include <string.h>

#include "error.h"

static carom_status no_such(const char *what, const char *name, const char *const *known, int count,
                            carom_error *error) {
    const char *near = carom_nearest(name, known, count);
    return carom_error_set(error, CAROM_DATA, "there is no %s '%s'%s%s%s", what, name, near ? ", did you mean '" : "",
                           near ? near : "", near ? "'?" : "; a start is named start.x");
}

static carom_status find_start(const carom_model *model, const char *name, int *component, carom_error *error) {
    const carom_model_def *d = carom_model_get(model);
    const int q = carom_model_coordinate(model, name), u = carom_model_velocity(model, name);
    *component = q >= 0 ? q : d->nq + u;
    return q >= 0 || u >= 0 ? CAROM_OK : no_such("coordinate or velocity", name, d->q_names, d->nq, error);
}

carom_status named_find(const carom_model *model, const char *name, named *found, carom_error *error) {
    const carom_model_def *d = carom_model_get(model);
    *found = (named){-1, -1};
    if (!strncmp(name, "start.", 6)) return find_start(model, name + 6, &found->component, error);
    found->parameter = carom_model_parameter(model, name);
    if (found->parameter < 0) return no_such("parameter", name, d->parameter_names, d->parameters, error);
    const char *fixed = d->parameter_fixed ? d->parameter_fixed[found->parameter] : NULL;
    if (fixed) return carom_error_set(error, CAROM_DATA, "parameter '%s' cannot change: %s", name, fixed);
    return CAROM_OK;
}

double named_value(const carom_model *model, named n) {
    const carom_model_def *d = carom_model_get(model);
    if (n.parameter >= 0) return d->parameter[n.parameter];
    return n.component < d->nq ? d->q0[n.component] : d->u0[n.component - d->nq];
}

/* One value after the other: where those of two parameters belong together, the first may be impossible until the
 * second is set. */
carom_status named_set_parameters(carom_sim *sim, const named *names, const double *value, int count,
                                  carom_error *error) {
    for (int left = count, before = count + 1; left > 0 && left < before;) {
        before = left, left = 0;
        for (int k = 0; k < count; k++)
            if (names[k].parameter >= 0 && carom_sim_set_parameter(sim, names[k].parameter, value[k], error)) left++;
        if (left == 0) return CAROM_OK;
    }
    return count ? CAROM_DATA : CAROM_OK;
}

carom_status named_set_start(carom_sim *sim, const carom_model *model, const named *names, const double *value,
                             int count, double *state, carom_error *error) {
    const carom_model_def *d = carom_model_get(model);
    bool moved = false;
    memcpy(state, carom_sim_q(sim), (size_t)d->nq * sizeof *state);
    memcpy(state + d->nq, carom_sim_u(sim), (size_t)d->nu * sizeof *state);
    for (int k = 0; k < count; k++)
        if (names[k].component >= 0) state[names[k].component] = value[k], moved = true;
    return moved ? carom_sim_set_state(sim, carom_sim_time(sim), state, state + d->nq, error) : CAROM_OK;
}
