#include "integrator/rebound_change.h"

#include <math.h>
#include <string.h>

int rebound_room(const carom_model *m) {
    return 3 * m->def.contacts;
}

static bool rebounds(const rebound *x, int contact) {
    return x->in_effect[contact * x->stride] > 0;
}

/* Speeds of approach, and e as the formula has it: above 1 it does not follow them. What does not rebound gets any
 * speed but zero, where a formula may have no derivative. */
static bool find_speeds(const rebound *x, const carom_model *m, double *speed, double *e) {
    const carom_model_def *d = &m->def;
    for (int k = 0; k < d->contacts; k++) speed[k] = rebounds(x, k) ? fabs(x->s[m->N + k]) : 1;
    return !d->restitution(d->context, speed, e);
}

bool rebound_change(const rebound *x, const variation *v, int column, const double *rate, double *e) {
    const carom_model *m = v->m;
    const carom_model_def *d = &m->def;
    double *speed = x->room, *speed_rate = speed + d->contacts, *whole = speed_rate + d->contacts;
    if (!d->restitution) {
        for (int k = 0; k < d->contacts; k++) e[k] = rebounds(x, k) ? variation_coefficient(v, column, k, 1) : 0;
        return true;
    }
    if (!find_speeds(x, m, speed, whole)) return false;
    for (int k = 0; k < d->contacts; k++)
        speed_rate[k] = rate && rebounds(x, k) ? copysign(1, x->s[m->N + k]) * rate[m->N + k] : 0;
    if (d->restitution_tangent(d->context, column == v->columns ? -1 : v->parameter[column], speed, speed_rate, e))
        return false;
    for (int k = 0; k < d->contacts; k++)
        if (!rebounds(x, k) || whole[k] > 1) e[k] = 0;
    return true;
}

bool rebound_pull(const rebound *x, adjoint *a, double *weight, double *s) {
    const carom_model *m = a->m;
    const carom_model_def *d = &m->def;
    double *speed = x->room, *by_speed = speed + d->contacts, *whole = by_speed + d->contacts;
    if (!d->restitution) {
        for (int k = 0; k < d->contacts; k++)
            if (rebounds(x, k)) a->coefficient[3 * k + 1] += weight[k];
        return true;
    }
    if (!find_speeds(x, m, speed, whole)) return false;
    for (int k = 0; k < d->contacts; k++)
        if (!rebounds(x, k) || whole[k] > 1) weight[k] = 0;
    memset(by_speed, 0, (size_t)d->contacts * sizeof *by_speed);
    if (model_restitution_cotangent(m, speed, weight, by_speed, a->constants)) return false;
    for (int k = 0; k < d->contacts && s; k++) s[m->N + k] += copysign(1, x->s[m->N + k]) * by_speed[k];
    return true;
}
