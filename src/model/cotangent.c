/* Weights of a model's functions, as weights of its state and its constants: the transpose of its rates along
 * directions (docs/theory/sensitivity.md, (SE52)). */
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

/* A function with its weights, and room for its rates. */
typedef struct weighed {
    const double *weight;
    double *rate;
    int size;
} weighed;

enum { WEIGHED = 11 };

static void list(const carom_model *m, const carom_tangent *w, weighed all[WEIGHED]) {
    const carom_model_def *d = &m->def;
    const weighed of[WEIGHED] = {{w->q_dot, NULL, d->nq},       {w->M, NULL, pattern_nnz(&d->M)},
                                 {w->h, NULL, d->nu},           {w->p, NULL, d->nu},
                                 {w->b, NULL, d->nu},           {w->c, NULL, m->nc},
                                 {w->s, NULL, m->ns},           {w->WT, NULL, pattern_nnz(&d->WT)},
                                 {w->zeta, NULL, m->ns},        {w->a, NULL, d->switches},
                                 {w->anchors, NULL, d->anchors}};
    memcpy(all, of, sizeof of);
}

static double weigh(const weighed all[WEIGHED]) {
    double sum = 0;
    for (int i = 0; i < WEIGHED; i++)
        for (int j = 0; all[i].weight && j < all[i].size; j++) sum += all[i].weight[j] * all[i].rate[j];
    return sum;
}

/* Rates along a direction: the state moves at the given rate, or one parameter does. */
static int along(const carom_model *m, const carom_place *at, const weighed all[WEIGHED], const carom_place *rate,
                 int parameter, double *sum) {
    const carom_tangent wanted = {.q_dot = all[0].rate,
                                  .M = all[1].rate,
                                  .h = all[2].rate,
                                  .p = all[3].rate,
                                  .b = all[4].rate,
                                  .c = all[5].rate,
                                  .s = all[6].rate,
                                  .WT = all[7].rate,
                                  .zeta = all[8].rate,
                                  .a = all[9].rate,
                                  .anchors = all[10].rate};
    const int status = m->def.tangent(m->def.context, parameter, at, rate, &wanted);
    if (!status) *sum += weigh(all);
    return status;
}

static int by_directions(const carom_model *m, const carom_place *at, const carom_tangent *weight,
                         const carom_cotangent *by) {
    const carom_model_def *d = &m->def;
    weighed all[WEIGHED];
    size_t size = (size_t)(d->nq + d->nu) + 1;
    list(m, weight, all);
    for (int i = 0; i < WEIGHED; i++) size += all[i].weight ? (size_t)all[i].size : 0;
    double *memory = calloc(size, sizeof *memory), *x = memory, *next = memory + d->nq + d->nu;
    if (!memory) return 1;
    for (int i = 0; i < WEIGHED; i++)
        if (all[i].weight) all[i].rate = next, next += all[i].size;
    carom_place rate = {1, x, x + d->nq};
    int status = along(m, at, all, &rate, -1, by->t);
    rate.t = 0;
    for (int i = 0; i < d->nq + d->nu && !status; i++) {
        x[i] = 1;
        status = along(m, at, all, &rate, -1, i < d->nq ? by->q + i : by->u + i - d->nq);
        x[i] = 0;
    }
    for (int k = 0; k < d->parameters && !status && by->constants; k++)
        if (!d->parameter_fixed || !d->parameter_fixed[k]) status = along(m, at, all, &rate, k, by->constants + k);
    free(memory);
    return status;
}

int model_cotangent(const carom_model *m, const carom_place *at, const carom_tangent *weight,
                    const carom_cotangent *by) {
    const carom_model_def *d = &m->def;
    return d->cotangent ? d->cotangent(d->context, at, weight, by) : by_directions(m, at, weight, by);
}

/* mu weight' + mu_slip^T weights' along a direction, added to sum. */
static int friction_along(const carom_model *m, int contact, const carom_place *at, const carom_place *rate,
                          int parameter, double speed, const double *along, double mu, const double *mu_slip,
                          double *sum) {
    const carom_model_def *d = &m->def;
    double rates[1 + 3] = {0};
    const int slips = d->contact[contact].slips,
              status = d->friction_tangent(d->context, parameter, contact, at, rate, speed, along, rates, rates + 1);
    *sum += mu * rates[0];
    for (int i = 0; i < slips && mu_slip; i++) *sum += mu_slip[i] * rates[1 + i];
    return status;
}

int model_friction_cotangent(const carom_model *m, int contact, const carom_place *at, double speed,
                             const double *along, double mu, const double *mu_slip, const carom_cotangent *by) {
    const carom_model_def *d = &m->def;
    if (d->friction_cotangent) return d->friction_cotangent(d->context, contact, at, speed, along, mu, mu_slip, by);
    double *q = calloc((size_t)d->nq + 1, sizeof *q);
    if (!q) return 1;
    carom_place rate = {1, q, NULL};
    int status = friction_along(m, contact, at, &rate, -1, speed, along, mu, mu_slip, by->t);
    rate.t = 0;
    for (int i = 0; i < d->nq && !status; i++) {
        q[i] = 1;
        status = friction_along(m, contact, at, &rate, -1, speed, along, mu, mu_slip, by->q + i);
        q[i] = 0;
    }
    for (int k = 0; k < d->parameters && !status && by->constants; k++)
        if (!d->parameter_fixed || !d->parameter_fixed[k])
            status = friction_along(m, contact, at, &rate, k, speed, along, mu, mu_slip, by->constants + k);
    free(q);
    return status;
}

static double product(const double *x, const double *y, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

int model_restitution_cotangent(const carom_model *m, const double *speed, const double *e_weight, double *speed_weight,
                                double *constants) {
    const carom_model_def *d = &m->def;
    if (d->restitution_cotangent) return d->restitution_cotangent(d->context, speed, e_weight, speed_weight, constants);
    const int contacts = d->contacts;
    double *rate = calloc(2 * (size_t)contacts + 1, sizeof *rate), *e = rate + contacts;
    if (!rate) return 1;
    int status = 0;
    for (int i = 0; i < contacts && !status; i++) {
        rate[i] = 1;
        status = d->restitution_tangent(d->context, -1, speed, rate, e);
        speed_weight[i] += product(e_weight, e, contacts);
        rate[i] = 0;
    }
    for (int k = 0; k < d->parameters && !status && constants; k++) {
        if (d->parameter_fixed && d->parameter_fixed[k]) continue;
        status = d->restitution_tangent(d->context, k, speed, rate, e);
        constants[k] += product(e_weight, e, contacts);
    }
    free(rate);
    return status;
}

static bool has_constants(const carom_model *m) {
    return m->def.cotangent && m->def.constants_by;
}

int model_constants(const carom_model *m) {
    return has_constants(m) ? m->def.constants : m->def.parameters;
}

double model_constants_by(const carom_model *m, int parameter, const double *constants) {
    return has_constants(m) ? m->def.constants_by(m->def.context, parameter, constants) : constants[parameter];
}
