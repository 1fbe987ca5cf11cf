/* Forks: one model with several sets of values of its parameters and inputs, one for each simulation. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

static void *copy_of(const void *from, size_t size) {
    void *copy = malloc(size + 1);
    return copy ? memcpy(copy, from, size) : NULL;
}

bool model_shares_context(const carom_model *fork) {
    return fork->def.assign && !fork->def.fork;
}

carom_model *model_fork(const carom_model *model) {
    carom_model *fork = copy_of(model, sizeof *model);
    if (!fork) return NULL;
    carom_model_def *d = &fork->def;
    d->q0 = copy_of(d->q0, (size_t)d->nq * sizeof *d->q0);
    d->u0 = copy_of(d->u0, (size_t)d->nu * sizeof *d->u0);
    d->contact = copy_of(d->contact, (size_t)d->contacts * sizeof *d->contact);
    d->latch = copy_of(d->latch, (size_t)d->latches * sizeof *d->latch);
    if (d->fork) d->context = d->fork(d->context);
    if (d->q0 && d->u0 && d->contact && d->latch && (d->context || !d->fork)) return fork;
    model_unfork(fork);
    return NULL;
}

void model_unfork(carom_model *fork) {
    if (!fork) return;
    carom_model_def *d = &fork->def;
    if (d->fork && d->context && d->destroy) d->destroy(d->context);
    free((double *)d->q0);
    free((double *)d->u0);
    free((carom_model_contact *)d->contact);
    free((carom_latch *)d->latch);
    free(fork);
}

static carom_status check_start(const carom_model_def *d, carom_error *error) {
    for (int i = 0; i < d->nq + d->nu; i++)
        if (!isfinite(i < d->nq ? d->q0[i] : d->u0[i - d->nq]))
            return carom_error_set(error, CAROM_DATA, "the initial state is not finite: %s",
                                   i < d->nq ? d->q_names[i] : d->u_names[i - d->nq]);
    return CAROM_OK;
}

carom_status model_assign(carom_model *fork, double *parameter, const double *input, carom_error *error) {
    carom_model_def *d = &fork->def;
    fork->assigned++;
    const int refused =
        d->assign(d->context, parameter, input, (double *)d->q0, (double *)d->u0, (carom_model_contact *)d->contact);
    if (refused >= MODEL_DEMANDS && fork->demand)
        return carom_error_set(error, CAROM_DATA, "%s", fork->demand[refused - MODEL_DEMANDS]);
    if (refused)
        return carom_error_set(error, CAROM_DATA, "the model is not defined for these values of its parameters");
    carom_status status = check_start(d, error);
    if (!status) status = model_check_contacts(d, error);
    if (status) return status;
    if (d->bear && d->bear(d->context, (carom_latch *)d->latch))
        return carom_error_set(error, CAROM_DATA, "what latches bear is not defined for these values of parameters");
    int stiff = model_measure_stiffness(fork);
    fork->stiff = stiff > 0;
    return stiff < 0 ? carom_error_memory(error) : CAROM_OK;
}

void model_assign_inputs(carom_model *fork, double *parameter, const double *input) {
    fork->assigned++;
    fork->def.assign(fork->def.context, parameter, input, NULL, NULL, NULL);
}
