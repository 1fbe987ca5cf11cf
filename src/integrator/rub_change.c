#include "integrator/rub_change.h"

#include <math.h>

#include "integrator/balance.h"

const double *rub_rows(const carom_model *m, problem *p, const double *z, double *room) {
    bool reads = false;
    for (int k = 0; k < p->laws && m->def.friction; k++) reads = reads || p->law[k].curved;
    return reads && !p->evaluate(p->context, z, room, false) ? room : NULL;
}

/* A law with mu by slip that presses, where mu is above zero. */
typedef struct rubbing {
    const problem_law *law;
    carom_place at;
    double load, speed, along[LAW_SIZE], mu_slip[LAW_SIZE];
    bool given; /* its slip is */
} rubbing;

static bool find(const rub *x, const carom_model *m, int contact, rubbing *r) {
    const carom_model_contact *c = &m->def.contact[contact];
    const problem_law *l = c->by_slip ? law_of_friction(x->p, m, x->copy, contact) : NULL;
    double load, by[LOADS];
    int unknown[LOADS];
    if (!l || !l->enabled || (l->curved && !x->rows)) return false;
    law_load(l, x->z, &load, unknown, by);
    *r = (rubbing){
        .law = l, .at = {l->curve.at->t, l->curve.at->q, NULL}, .load = l->G * (load - l->given), .given = !l->curved};
    r->speed = problem_slip(l, x->rows, r->along);
    return r->load != 0 && friction_curve_at(&l->curve, l->size, r->speed, r->along, r->mu_slip) > 0;
}

/* mu' at the slip as it is; below zero mu goes on straight. */
static bool mu_rate(const rubbing *r, const variation *v, int column, int contact, const carom_place *rate,
                    double *sum) {
    const carom_model_def *d = &v->m->def;
    double slope[LAW_SIZE];
    if (d->friction_tangent(d->context, column == v->columns ? -1 : v->parameter[column], contact, &r->at, rate,
                            fmax(r->speed, 0), r->along, sum, slope))
        return false;
    for (int i = 0; i < r->law->size && r->speed < 0; i++) *sum += r->speed * r->along[i] * slope[i];
    return true;
}

bool rub_change(const rub *x, const variation *v, int column, const carom_place *rate, const double *slips,
                double *radius) {
    const carom_model *m = v->m;
    rubbing r;
    for (int k = 0; k < m->def.contacts; k++) {
        double mu;
        if (!find(x, m, k, &r)) continue;
        if (!mu_rate(&r, v, column, k, rate, &mu)) return false;
        for (int i = 0; i < r.law->size && r.given && slips; i++) mu += r.mu_slip[i] * slips[m->slip[k] + i];
        radius[r.law - x->p->law] += mu * r.load;
    }
    return true;
}

bool rub_pull(const rub *x, adjoint *a, const double *radius, double *t, double *q, double *slips) {
    const carom_model *m = a->m;
    const carom_cotangent by = {t, q, NULL, a->constants};
    rubbing r;
    for (int k = 0; k < m->def.contacts; k++) {
        double slope[LAW_SIZE];
        if (!find(x, m, k, &r)) continue;
        const double weight = radius[r.law - x->p->law] * r.load;
        for (int i = 0; i < r.law->size; i++) {
            slope[i] = weight * fmin(r.speed, 0) * r.along[i];
            if (r.given && slips) slips[m->slip[k] + i] += weight * r.mu_slip[i];
        }
        if (weight != 0 &&
            model_friction_cotangent(m, k, &r.at, fmax(r.speed, 0), r.along, weight, r.speed < 0 ? slope : NULL, &by))
            return false;
    }
    return true;
}
